#!/usr/bin/env python3
"""Trains one model of a sweep again with `dpfermi train` and compares the results.

    repeat_run.py RESULTS NUMBER TABLE FLAGS...

NUMBER counts the lines of RESULTS/runs.jsonl from 0. TABLE and FLAGS say how the table is read. Three
lines: the number of runs and the key of this one; whether the figures on training rows, on test rows and
epsilon are the same; the keys of a record, and which records hold a curve.
"""

import json
import subprocess
import sys


def train(table, spec):
    flags = ["--method", spec["method"], "--lambda", str(spec["lambda"]), "--epsilon", str(spec["epsilon"]), "--seed", str(spec["seed"]),
             "--split-seed", str(1 + spec["split"])]
    command = ["dpfermi", "train", *table, *flags, "--research", "--exact", "--json", "--quiet", "--out", "repeated.model"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    runs = [json.loads(line) for line in open(sys.argv[1] + "/runs.jsonl", encoding="utf-8")]
    run = runs[int(sys.argv[2])]
    print(len(runs), run["key"])
    trained = train(sys.argv[3:], run["spec"])
    print(trained["train"] == run["train"], trained["test"] == run["test"],
          trained["privacy"]["epsilon"] == run["privacy"]["epsilon"])
    print(list(run), run["exact_not_private"], len(runs[0]["curve"]), "curve" in runs[1])


if __name__ == "__main__":
    main()
