"""The attribute-inference example, small: without privacy it guesses, with little epsilon it cannot.

Usage: run_attribute_inference.py PROGRAM

Fixed seeds: the run gives the same numbers on every machine of one architecture. The thresholds are
more than four standard errors away from what was seen.
"""

import csv
import os
import subprocess
import sys
import tempfile


def run(*options):
    return subprocess.run([sys.argv[1], *options], capture_output=True, text=True, check=False)


small = ("--rows", "150", "--targets", "30", "--worlds", "160", "--seed", "3")
with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "attack.csv")
    done = run(*small, "--epsilon", "0.1", "inf", "--out", out)
    assert done.returncode == 0, done.stderr
    with open(out, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
assert [row["epsilon"] for row in rows] == ["0.1", "inf"], rows
private, exact = ({key: float(value) for key, value in row.items() if key != "data"} for row in rows)

# No attack beats the bound by more than chance, and without privacy there is something to find.
assert private["advantage"] < private["bound"] + 4 * private["advantage_se"], private
assert abs(private["gain"]) < 5 * private["gain_se"] + 0.005, private
assert exact["auc"] > 0.5 + 5 * exact["auc_se"], exact
assert exact["auc"] > private["auc"] + 4 * (private["auc_se"] + exact["auc_se"]), rows
assert exact["gain"] > 0, exact
assert private["imputed_auc"] == exact["imputed_auc"] > 0.6, rows

refused = run("--worlds", "3")
assert refused.returncode == 2 and "--worlds" in refused.stderr, refused.stderr
refused = run("--dataset", "adult", "--data", "/nonexistent")
assert refused.returncode == 1 and "adult" in refused.stderr, refused.stderr
