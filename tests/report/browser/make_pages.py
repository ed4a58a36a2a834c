#!/usr/bin/env python3
"""Real results of small sweeps as pages for the browser: report.html and, from a table whose names
are made to break out of the page, hostile.html.

    make_pages.py TOOL FOLDER
"""

import os
import pathlib
import subprocess
import sys

tool, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)

TITLE = "<script>pwned=1</script> & \"><img src=x onerror=pwned=1>"
GROUPS = {"g0": "x';pwned=1;//{{data}}", "g1": "Zoë 群组 🙂</script><script>pwned=1</script>"}
TABLE = "a\"><img src=x onerror=pwned=1>"


def run(*arguments):
    subprocess.run([tool, "--quiet", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def sweep(table, results, *grid):
    subprocess.run(["rm", "-rf", str(folder / results)], check=True)
    run("sweep", table, "--target", "income", "--positive", "high", "--sensitive", "group",
        "--groups-from-data", "--out", results, *grid)
    run("report", results, "--out", results + ".html")


def quoted(value):
    return '"' + value.replace('"', '""') + '"'


(folder / "census.csv").unlink(missing_ok=True)
run("datasets", "generate", "--rows", "4000", "--out", "census.csv")
sweep("census.csv", "report", "--title", "A made-up census", "--methods",
      "dp-fermi,dp-fermi-paper,fermi,erm", "--fairness", "dp,eo", "--epsilons", "0.5,1",
      "--lambdas", "0,1,3", "--splits", "2")

lines = (folder / "census.csv").read_text(encoding="utf-8").splitlines()
column = lines[0].split(",").index("group")
rows = [line.split(",") for line in lines]
for row in rows[1:]:
    row[column] = quoted(GROUPS[row[column]])
(folder / (TABLE + ".csv")).write_text("\n".join(",".join(row) for row in rows) + "\n", encoding="utf-8")
sweep(TABLE + ".csv", "hostile", "--title", TITLE, "--epsilons", "1", "--lambdas", "0,2", "--splits", "1")
