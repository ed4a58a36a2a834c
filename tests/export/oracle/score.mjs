// node score.mjs MODULES JOB: what other programs make of exported models.
//
// JOB is a JSON file {"onnx": [{"model", "columns": {name: values}, "out"}],
// "sql": [{"query", "create", "table", "rows", "out"}]}. Every "out" becomes a JSON file.
import fs from 'node:fs';
import path from 'node:path';
import {createRequire} from 'node:module';

const [modules, jobFile] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'x.js'));
const ort = require('onnxruntime-node');
const {DuckDBInstance} = require('@duckdb/node-api');
const job = JSON.parse(fs.readFileSync(jobFile, 'utf8'));

function tensor(values) {
  const text = values.some((value) => typeof value === 'string');
  return text ? new ort.Tensor('string', values, [values.length, 1])
              : new ort.Tensor('float64', Float64Array.from(values, (v) => v ?? NaN), [values.length, 1]);
}

for (const {model, columns, out} of job.onnx) {
  const session = await ort.InferenceSession.create(model);
  const feeds = Object.fromEntries(session.inputNames.map((name) => [name, tensor(columns[name])]));
  const results = await session.run(feeds);
  const [label, probabilities] = session.outputNames.map((name) => results[name]);
  fs.writeFileSync(out, JSON.stringify({
    inputs: session.inputNames, outputs: session.outputNames, label: Array.from(label.data),
    probabilities: Array.from(probabilities.data), width: probabilities.dims[1],
  }));
}

for (const {query, create, copy, out} of job.sql) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(create);
  await connection.run(copy);
  const read = await connection.runAndReadAll(query);
  const rows = read.getRowsJson();
  fs.writeFileSync(out, JSON.stringify({names: read.columnNames(), rows}));
}
