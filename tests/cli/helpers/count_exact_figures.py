#!/usr/bin/env python3
"""Counts the exact figures of a training run that occur in its model file.

    dpfermi train TABLE ... --exact --out MODEL --json | count_exact_figures.py MODEL

Error rates and violations are looked for as decimals. Short ones may occur by chance, so only those of
more than nine characters count.
"""

import json
import sys


def main():
    o = json.load(sys.stdin)
    model = open(sys.argv[1], "rb").read().decode("latin1")
    figures = [x for part in (o["train"], o["test"]) for x in (part["error"], *part["violation"].values())]
    print(sum(len(str(x)) > 9 and str(x) in model for x in figures))


if __name__ == "__main__":
    main()
