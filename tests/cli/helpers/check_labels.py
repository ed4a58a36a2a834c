#!/usr/bin/env python3
"""Counts the predictions of income whose label and probabilities disagree.

    check_labels.py PREDICTIONS.csv

The label must be the class of the larger probability, and the probabilities must add up to 1.
"""

import csv
import sys


def main():
    wrong = 0
    for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
        high, low = float(row["probability_high"]), float(row["probability_low"])
        wrong += abs(high + low - 1) > 1e-6 or row["label"] != ("high" if high >= low else "low")
    print(wrong)


if __name__ == "__main__":
    main()
