#!/usr/bin/env python3
"""Writes tables that are hard to train on: odd.csv, separable.csv and small.csv.

odd.csv has two constant columns and a group c of three members, none of whom has the label yes.
separable.csv has a target that x separates perfectly. small.csv has 50 rows of pure chance.
"""

import random


def write(name, head, rows):
    with open(name, "w", encoding="utf-8") as table:
        table.write("\n".join([head] + [",".join(map(str, row)) for row in rows]) + "\n")


def odd_row(i):
    group = "c" if i < 3 else random.choice("ab")
    x = random.gauss(0, 1)
    return round(x, 4), 7, "same", group, "no" if group == "c" or x + random.gauss(0, 1) < 0 else "yes"


def small_row():
    return round(random.gauss(0, 1), 3), random.choice("ab"), random.choice(("yes", "no"))


def main():
    random.seed(1)
    write("odd.csv", "x,seven,same,g,y", [odd_row(i) for i in range(600)])
    write("separable.csv", "x,g,y", [(i, "ab"[i % 3 == 0], "yes" if i >= 300 else "no") for i in range(600)])
    write("small.csv", "x,g,y", [small_row() for i in range(50)])


if __name__ == "__main__":
    main()
