#!/usr/bin/env python3
"""Prints what the JSON object of a private evaluation holds.

    dpfermi evaluate MODEL people.csv --epsilon 0.5 --json | show_evaluation.py

Three lines: the keys and flags, whether every estimate lies in its interval, and the privacy statement.
The table must have 6,000 rows, which give the default delta.
"""

import json
import sys


def main():
    o = json.load(sys.stdin)
    test, privacy = o["test"], o["privacy"]
    print(list(o), o["exact_not_private"], test["exact_not_private"], test["confidence"])
    group = test["groups"][0]
    numbers = [test["error"], *test["violation"].values(), *group["rate"], group["error"],
               group["true_positive_rate"], group["rows"]]
    print(all(n["low"] <= n["value"] <= n["high"] for n in numbers), sorted(test["violation"]))
    print(0.49 < privacy["epsilon"] <= 0.5, privacy["delta"] == 1 / 6000**2, privacy["adjacency"],
          privacy["private"], sorted(privacy["recorded"]))


if __name__ == "__main__":
    main()
