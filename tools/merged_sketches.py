#!/usr/bin/env python3
"""What it costs that s is spread over several holders: Adult's training file cut into parts, a sketch of each, their
sum, and models from it, judged on Adult's test file. Noise is fresh in every run.

    merged_sketches.py TOOL ADULT_FOLDER [--holders 1,2,5,20] [--epsilon 0.5] [--lambdas 1,3] [--runs 3]
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile

NAMES = ("age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
         "capital-loss,hours-per-week,native-country,income")


def rows_of(path):
    """Complete rows, with the labels of both files spelt alike."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().rstrip(".").split(",")]
            if len(cells) == 15 and "?" not in cells:
                yield ",".join(cells)


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([NAMES, *rows]) + "\n")


def error_and_gap(tool, model, table):
    figures = json.loads(tool("evaluate", model, table, "--json"))
    return figures["test"]["error"], figures["test"]["violation"]["demographic_parity"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("adult")
    parser.add_argument("--holders", default="1,2,5,20")
    parser.add_argument("--epsilon", default="0.5")
    parser.add_argument("--lambdas", default="1,3")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    given.tool = os.path.abspath(given.tool)
    train = list(rows_of(os.path.join(given.adult, "adult.data")))
    test = list(rows_of(os.path.join(given.adult, "adult.test")))
    print("| holders | λ | noise, standard deviation | error, test | gap, test | gap, train |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        def tool(*arguments):
            return subprocess.run([given.tool, *arguments], cwd=folder, check=True, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

        # One order for all: parts are ranges of it.
        random.Random(1).shuffle(train)
        write(os.path.join(folder, "all.csv"), train)
        write(os.path.join(folder, "test.csv"), test)
        tool("sketch", "encoding", "all.csv", "--target", "income", "--positive", ">50K", "--sensitive", "sex",
             "--sensitive-values", "sex=Male,Female", "--other", "sex=Male", "--out", "adult.encoding")
        for holders in map(int, given.holders.split(",")):
            results = {}
            for run in range(given.runs):
                sketch, noise = merged(tool, folder, train, holders, given.epsilon)
                for weight in given.lambdas.split(","):
                    tool("train", "all.csv", "--target", "income", "--positive", ">50K", "--sensitive", "sex",
                         "--sketch", sketch, "--lambda", weight, "--no-mixture", "--out", f"m{run}")
                    results.setdefault(weight, []).append(
                        error_and_gap(tool, f"m{run}", "test.csv") + error_and_gap(tool, f"m{run}", "all.csv"))
            for weight, all_runs in results.items():
                columns = list(zip(*all_runs))
                def cell(values):
                    spread = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0
                    return f"{statistics.mean(values):.4f} ± {spread:.4f}".replace("0.", ".")
                print(f"| {holders} | {weight} | {noise:.1f} | {cell(columns[0])} | {cell(columns[1])} | "
                      f"{cell(columns[3])} |", flush=True)


def merged(tool, folder, rows, holders, epsilon):
    """A sketch of every part, and their sum."""
    names = []
    for part in range(holders):
        first, last = part * len(rows) // holders, (part + 1) * len(rows) // holders
        write(os.path.join(folder, f"part{part}.csv"), rows[first:last])
        names.append(f"part{part}.sketch")
        tool("sketch", f"part{part}.csv", "--encoding", "adult.encoding", "--epsilon", epsilon, "--delta", "1e-9",
             "--research", "--out", names[-1])
    if holders == 1:
        return names[0], json.loads(tool("inspect", names[0], "--json"))["sketch"]["noise_stddev"]
    made = json.loads(tool("sketch", "merge", *names, "--disjoint", "--out", "all.sketch", "--json"))
    return "all.sketch", made["sketch"]["noise_stddev"]


if __name__ == "__main__":
    main()
