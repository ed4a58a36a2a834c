#!/usr/bin/env python3
"""Exported models, scored by other programs: ONNX Runtime, PostgreSQL and DuckDB.

    oracle_test.py TOOL MODULES_FOLDER [DATA_FOLDER]

Every model scores a table with missing values, unknown categories and hostile names. With DATA_FOLDER, which holds
the files of `dpfermi datasets fetch`, models of three quarters of Adult and of diabetes-130 score all their rows
instead. Probabilities must be within 1e-9 of a numpy evaluation of the JSON export, those of boosted trees, which are
summed up in 32-bit floats, within 1e-5; labels must be equal except for ties below 1e-6, which are counted.
`dpfermi predict`, which prints 32-bit floats, must agree with the same evaluation to 2e-7. Exits with 77 where npm
cannot install the programs.
"""

import csv
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import tables
from reference import Reference

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from postgres_cluster import Cluster  # noqa: E402

TIE = 1e-6
REPAIR = ["--no-mixture", "--research"]
CHUNK = 10000  # rows that the reference encodes at a time


def install(folder):
    """The programs of the lock file, unless they are there already."""
    source = os.path.join(HERE, "oracle")
    done = os.path.join(folder, "installed.json")
    lock = os.path.join(source, "package-lock.json")
    if not (os.path.exists(done) and filecmp.cmp(lock, done, shallow=False)):
        os.makedirs(folder, exist_ok=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(os.path.join(source, name), folder)
        # Not `npm ci`: it asks for the parts of DuckDB for other systems, which not every registry has.
        command = ["npm", "install", "--ignore-scripts", "--silent"]
        if subprocess.run(command, cwd=folder, check=False).returncode != 0:
            print("npm cannot install the programs that score exports")
            sys.exit(77)
        shutil.copy(lock, done)
    return os.path.join(folder, "node_modules")


class Cases:
    """Models and the tables that they score."""

    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.tables = {}  # of every model

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        done = subprocess.run([self.tool, *arguments, "--quiet"], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def export(self, name, formats, table):
        for kind in formats:
            extra = ["--table", 'people "of" \'x\'']  if kind == "sql" else []
            self.run("export", f"{name}.model", "--format", kind, "--out", f"{name}.{kind}", *extra)
        self.tables[name] = self.path(table)

    def train_all(self):
        for classes in (3, 2):
            labels = ["low 'x'", 'mid "y"', "<hi>"][:classes]
            scored = f"score{classes}.csv"
            tables.make_table(self.path(f"train{classes}.csv"), 3000, classes, labels)
            tables.make_table(self.path(scored), 2000, 7 + classes, labels, strange=True)
            table = [f"train{classes}.csv", "--target", "class", "--positive", labels[0]]
            plain = table + ["--drop", "group", "--bounds", "wei[ght]=20:200", "--missing-markers", ",?,-9"]
            groups = ["--sensitive", "group", "--sensitive-values", "group=g0,g1,g2", "--other", "group=g0"]
            self.run("train", *plain, "--method", "erm", "--out", f"softmax{classes}.model")
            self.export(f"softmax{classes}", ("onnx", "sql", "json"), scored)
            self.run("train", *plain, "--method", "erm", "--hidden", "5,4", "--out", f"network{classes}.model")
            self.export(f"network{classes}", ("onnx", "json"), scored)
            self.run("train", *plain, "--model", "boosted", "--method", "erm", "--out", f"boosted{classes}.model")
            self.export(f"boosted{classes}", ("onnx", "json"), scored)
            self.run("train", *table, *groups, "--method", "erm", "--out", f"base{classes}.model")
            notion = "eo" if classes == 2 else "dp"
            common = ["--fairness", notion, "--epsilon", "4", "--max-violation", "0.03", *REPAIR, *groups]
            self.run("repair", *table, "--model", f"base{classes}.model", "--test-fraction", "0.25", *common, "--out",
                     f"repaired{classes}.model")
            self.export(f"repaired{classes}", ("onnx", "sql", "json"), scored)
            self.run("train", *table, "--model", "boosted", "--method", "repair", *common, "--out",
                     f"repaired-trees{classes}.model")
            self.export(f"repaired-trees{classes}", ("onnx", "json"), scored)
            for part in ("train", "score"):
                self.add_scores(classes, part)
            self.run("repair", f"scored-train{classes}.csv", *table[1:], "--scores-prefix", "p_", *common,
                     "--out", f"scores{classes}.model")
            self.export(f"scores{classes}", ("onnx", "sql", "json"), "scored-" + scored)

    def train_real(self, folder):
        for name, (write, columns) in tables.REAL.items():
            table = f"{name}.csv"
            write(os.path.join(folder, name), self.path(table))
            plain = [table, *columns, "--test-fraction", "0.25"]
            common = ["--epsilon", "4", "--max-violation", "0.05", "--seed", "1", *REPAIR]
            self.run("train", *plain, "--method", "erm", "--out", f"{name}-softmax.model")
            self.export(f"{name}-softmax", ("onnx", "sql", "json"), table)
            self.run("repair", *plain, "--model", f"{name}-softmax.model", *common, "--out", f"{name}-repaired.model")
            self.export(f"{name}-repaired", ("onnx", "sql", "json"), table)
            self.run("train", *plain, "--model", "boosted", "--method", "erm", "--out", f"{name}-boosted.model")
            self.export(f"{name}-boosted", ("onnx", "json"), table)
            self.run("train", *plain, "--model", "boosted", "--method", "repair", *common, "--out",
                     f"{name}-repaired-trees.model")
            self.export(f"{name}-repaired-trees", ("onnx", "json"), table)

    def add_scores(self, classes, part):
        predicted = csv.reader(self.run("predict", f"softmax{classes}.model", f"{part}{classes}.csv").splitlines())
        with open(self.path(f"{part}{classes}.csv"), newline="", encoding="utf-8") as table, \
             open(self.path(f"scored-{part}{classes}.csv"), "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            for row, scores in zip(csv.reader(table), predicted):
                writer.writerow(row + [score.replace("probability_", "p_") for score in scores[1:]])


def decided(reference, columns):
    """What the reference says about all rows. It encodes some at a time, because encoded rows are large."""
    rows = len(next(iter(columns.values())))
    parts = [reference.decide({name: values[at:at + CHUNK] for name, values in columns.items()})
             for at in range(0, rows, CHUNK)]
    return [np.concatenate(part) for part in zip(*parts)]


def sql_table(reference, columns, path):
    """The statement that makes the table, with a column that counts rows; writes its rows to `path`."""
    names = reference.numbers + reference.categories + reference.score_columns
    kinds = ["float8"] * len(reference.numbers) + ["text"] * len(reference.categories) \
        + ["float8"] * len(reference.score_columns)
    quoted = [f'"{name}"'.replace('"', '""')[1:-1] for name in names]
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL)
        for i in range(len(columns[names[0]])):
            row = [columns[name][i] for name in names]
            # An absent text is NULL in one row, a marker in the next.
            row = ["\\N" if value is None or (value == "" and i % 2) else value for value in row]
            writer.writerow([i] + [repr(value) if isinstance(value, float) else value for value in row])
    parts = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, kinds))
    return f'CREATE TABLE "people ""of"" \'x\'" ("row" integer, {parts})'


def compare(title, reference, expected, label, probabilities):
    wanted, best, margin = expected
    classes = reference.model["classes"]
    differs = np.array([classes[b] != found for b, found in zip(best, label)])
    assert not (differs & (margin >= TIE)).any(), f"{title}: {(differs & (margin >= TIE)).sum()} labels differ"
    same = ~differs if "repair" in reference.model else np.ones(len(best), dtype=bool)
    gap = np.abs(wanted[same] - np.asarray(probabilities)[same]).max()
    print(f"{title}: {len(best)} rows, {differs.sum()} ties, largest difference {gap:.1e}")
    return gap


def check_predict(cases, name, reference, expected):
    rows = list(csv.reader(cases.run("predict", f"{name}.model", cases.tables[name]).splitlines()))[1:]
    gap = compare(f"{name} predict", reference, expected, [row[0] for row in rows],
                  [[float(x) for x in row[1:]] for row in rows])
    assert gap < 2e-7, f"{name}: predict differs from its export"


def check_sql(title, reference, expected, rows):
    l = len(reference.model["classes"])
    rows = sorted(rows, key=lambda row: int(row[0]))
    gap = compare(title, reference, expected, [row[-l - 1] for row in rows], [[float(x) for x in row[-l:]] for row in rows])
    assert gap < 1e-9, title


def main():
    tool, modules = os.path.abspath(sys.argv[1]), install(os.path.abspath(sys.argv[2]))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # PostgreSQL's user reads the rows
        cases = Cases(tool, folder)
        if len(sys.argv) > 3:
            cases.train_real(os.path.abspath(sys.argv[3]))
        else:
            cases.train_all()
        job = {"onnx": [], "sql": []}
        references, expected, creates = {}, {}, {}
        for name, table in cases.tables.items():
            reference = references[name] = Reference(cases.path(f"{name}.json"))
            columns = tables.read_columns(table, reference.numbers + reference.score_columns,
                                          reference.categories)
            expected[name] = decided(reference, columns)
            missing, unknown = reference.absences(columns)
            print(f"{name}: {missing} missing values, {unknown} of unknown categories")
            assert len(set(expected[name][1])) > 1, f"{name} decides the same about every row"
            check_predict(cases, name, reference, expected[name])
            with open(cases.path(f"{name}.columns.json"), "w", encoding="utf-8") as out:
                json.dump(columns, out)
            job["onnx"].append({"model": cases.path(f"{name}.onnx"), "columns": cases.path(f"{name}.columns.json"),
                                "out": cases.path(f"{name}.onnx.json")})
            if os.path.exists(cases.path(f"{name}.sql")):
                creates[name] = sql_table(reference, columns, cases.path(f"{name}.rows"))
                with open(cases.path(f"{name}.sql"), encoding="utf-8") as query:
                    job["sql"].append({"query": query.read(), "create": creates[name],
                                       "copy": f"COPY \"people \"\"of\"\" 'x'\" FROM '{cases.path(name)}.rows' "
                                               "(FORMAT csv, HEADER false, NULLSTR '\\N')",
                                       "out": cases.path(f"{name}.duckdb.json")})
        with open(cases.path("job.json"), "w", encoding="utf-8") as out:
            json.dump(job, out)
        subprocess.run(["node", os.path.join(HERE, "oracle/score.mjs"), modules, cases.path("job.json")], check=True)
        for name, reference in references.items():
            with open(cases.path(f"{name}.onnx.json"), encoding="utf-8") as file:
                found = json.load(file)
            assert found["inputs"] == reference.numbers + reference.categories + reference.score_columns
            label = "label_" if "label" in found["inputs"] else "label"
            assert found["outputs"] == [label, "probabilities"]
            gap = compare(f"{name} ONNX Runtime", reference, expected[name], found["label"],
                          np.reshape(found["probabilities"], (-1, found["width"])))
            assert gap < (1e-5 if "trees" in reference.model else 1e-9), name
        for name in creates:
            with open(cases.path(f"{name}.duckdb.json"), encoding="utf-8") as file:
                check_sql(f"{name} DuckDB", references[name], expected[name], json.load(file)["rows"])
        with Cluster() as cluster:
            for name, create in creates.items():
                with open(cases.path(f"{name}.sql"), encoding="utf-8") as query:
                    statement = query.read().rstrip().rstrip(";")
                text = cluster.sql(f"{create};\nCOPY \"people \"\"of\"\" 'x'\" FROM '{cases.path(name)}.rows' "
                                   f"(FORMAT csv, NULL '\\N');\nANALYZE;\nCOPY (\n{statement}\n) TO STDOUT (FORMAT csv);\n"
                                   "DROP TABLE \"people \"\"of\"\" 'x'\";\n")
                check_sql(f"{name} PostgreSQL", references[name], expected[name], list(csv.reader(text.splitlines())))


if __name__ == "__main__":
    main()
