#!/usr/bin/env python3
"""Real results as pages for the browser: report.html of a small sweep, public.html of one that a ledger
counts, card.html and sketch.html of files, dossier/dossier.html, ledger.html, audit.html and, from a table whose
names are made to break out of the page, hostile.html. native.jsonl: what the tool answers to the reference rows of the accountant.

    make_pages.py TOOL FOLDER ROWS
"""

import os
import pathlib
import subprocess
import sys

tool, folder, reference = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), os.path.abspath(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)

TITLE = "<script>pwned=1</script> & \"><img src=x onerror=pwned=1>"
GROUPS = {"g0": "x';pwned=1;//{{data}}", "g1": "Zoë 群组 🙂</script><script>pwned=1</script>"}
TABLE = "a\"><img src=x onerror=pwned=1>"


def run(*arguments):
    subprocess.run([tool, "--quiet", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


COLUMNS = ["--target", "income", "--positive", "high", "--sensitive", "group", "--groups-from-data"]


def sweep(table, results, *grid):
    subprocess.run(["rm", "-rf", str(folder / results)], check=True)
    run("sweep", table, *COLUMNS, "--out", results, *grid)
    run("report", results, "--out", results + ".html")


def quoted(value):
    return '"' + value.replace('"', '""') + '"'


(folder / "census.csv").unlink(missing_ok=True)
run("datasets", "generate", "--rows", "12000", "--out", "census.csv")
sweep("census.csv", "report", "--title", "A synthetic census", "--methods",
      "dp-fermi,dp-fermi-paper,fermi,erm", "--fairness", "dp,eo", "--epsilons", "0.5,1",
      "--lambdas", "0,1,3", "--splits", "2")

lines = (folder / "census.csv").read_text(encoding="utf-8").splitlines()
column = lines[0].split(",").index("group")
rows = [line.split(",") for line in lines]
for row in rows[1:]:
    row[column] = quoted(GROUPS[row[column]])
(folder / (TABLE + ".csv")).write_text("\n".join(",".join(row) for row in rows) + "\n", encoding="utf-8")
sweep(TABLE + ".csv", "hostile", "--title", TITLE, "--epsilons", "1", "--lambdas", "0,2", "--splits", "1")

for old in ("people.model", "people.sketch", "people.db", "people.db.key"):
    (folder / old).unlink(missing_ok=True)
run("ledger", "init", "people", "--adjacency", "sensitive", "--epsilon", "9", "--delta", "1e-3", "--ledger", "people.db")
CHARGED = ["--budget", "people", "--ledger", "people.db"]
run("train", "census.csv", *COLUMNS, *CHARGED, "--epsilon", "1", "--out", "people.model")
run("inspect", "people.model", "--html", "card.html")
run("sketch", "census.csv", *COLUMNS, *CHARGED, "--epsilon", "1", "--out", "people.sketch")
run("inspect", "people.sketch", "--html", "sketch.html")
sweep("census.csv", "public", "--epsilons", "1", "--lambdas", "1", "--splits", "1", "--charge", *CHARGED)
subprocess.run(["rm", "-rf", str(folder / "dossier")], check=True)
run("dossier", "--model", "people.model", "--ledger", "people.db", "--out", "dossier")
run("ledger", "show", "--html", "ledger.html", "--ledger", "people.db")
# What matters is the page. The exit status says whether every claim held.
subprocess.run([tool, "--quiet", "audit", "--quick", "--adjacency", "sensitive", "--out", "audit.html"],
               cwd=folder, check=False, stdout=subprocess.DEVNULL)

# Rows about Renyi divergences are refused, which the exit status says.
answers = subprocess.run([tool, "--quiet", "account", "--batch", reference], check=False, capture_output=True, text=True)
(folder / "native.jsonl").write_text(answers.stdout, encoding="utf-8")
