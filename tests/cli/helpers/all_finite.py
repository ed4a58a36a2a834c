#!/usr/bin/env python3
"""Prints "finite" if every number of a training run is finite and its error is a rate, else the object.

    dpfermi train TABLE ... --json | all_finite.py
"""

import json
import math
import sys


def numbers(value):
    """All floating-point numbers inside a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for element in value:
            yield from numbers(element)
    elif isinstance(value, float):
        yield value


def main():
    o = json.load(sys.stdin)
    print("finite" if all(map(math.isfinite, numbers(o))) and o["train"]["error"] <= 1 else o)


if __name__ == "__main__":
    main()
