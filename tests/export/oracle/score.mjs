// node score.mjs MODULES JOB: what other programs make of exported models.
//
// JOB is a JSON file {"onnx": [{"model", "columns", "out"}], "sql": [{"query", "create", "copy", "out"}]}.
// "columns" names a JSON file {name: values}. Every "out" becomes a JSON file.
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

const CHUNK = 10000;  // rows at a time: boosted trees see every category as a column

for (const {model, columns, out} of job.onnx) {
  const session = await ort.InferenceSession.create(model);
  const values = JSON.parse(fs.readFileSync(columns, 'utf8'));
  const found = {inputs: session.inputNames, outputs: session.outputNames, label: [], probabilities: [], width: 0};
  for (let at = 0; at < values[session.inputNames[0]].length; at += CHUNK) {
    const feeds = Object.fromEntries(
        session.inputNames.map((name) => [name, tensor(values[name].slice(at, at + CHUNK))]));
    const results = await session.run(feeds);
    const [label, probabilities] = session.outputNames.map((name) => results[name]);
    found.label.push(...label.data);
    found.probabilities.push(...probabilities.data);
    found.width = probabilities.dims[1];
  }
  fs.writeFileSync(out, JSON.stringify(found));
}

for (const {query, create, copy, out} of job.sql) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(create);
  await connection.run(copy);
  const read = await connection.runAndReadAll(query);
  const rows = read.getRowsJson();
  fs.writeFileSync(out, JSON.stringify({names: read.columnNames(), rows}));
}
