#!/usr/bin/env python3
"""Computes error and demographic parity from a table and predictions, and compares them with an evaluation.

    dpfermi evaluate MODEL TABLE.csv --json | check_figures.py TABLE.csv PREDICTIONS.csv

Prints whether the error and the violation of demographic parity between g0 and g1 are the same.
"""

import csv
import json
import sys


def main():
    rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
    labels = [row["label"] for row in csv.DictReader(open(sys.argv[2], encoding="utf-8"))]
    error = sum(row["income"] != label for row, label in zip(rows, labels)) / len(rows)

    def rate(group):
        of_group = [label for row, label in zip(rows, labels) if row["group"] == group]
        return of_group.count("high") / len(of_group)

    test = json.load(sys.stdin)["test"]
    print(abs(test["error"] - error) < 1e-12,
          abs(test["violation"]["demographic_parity"] - abs(rate("g0") - rate("g1"))) < 1e-12)


if __name__ == "__main__":
    main()
