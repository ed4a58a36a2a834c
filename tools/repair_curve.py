#!/usr/bin/env python3
"""Curves of `dpfermi repair` on the scores of gradient-boosted trees (docs/repair.md).

For every split of a CSV file (75/25, rows alike but for the protected column on one side) trees are fitted to the training rows
without the protected column. Training rows get the scores of trees that have not seen them (5 folds),
test rows those of trees fitted to all training rows. `dpfermi repair` makes one model for every target,
each on a separate budget; `dpfermi evaluate` measures it on the test rows. Prints error and violation,
mean and standard error over splits. Needs python3-sklearn, python3-numpy.
"""

import argparse
import csv
import json
import pathlib
import random
import subprocess
import tempfile

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import OrdinalEncoder


def read(path):
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    return rows[0], rows[1:]


def split(rows, hidden, seed):
    """Row numbers of train and test; rows alike in all columns but the one numbered `hidden` stay together."""
    blocks = {}
    for number, row in enumerate(rows):
        blocks.setdefault(tuple(row[:hidden] + row[hidden + 1:]), []).append(number)
    blocks = list(blocks.values())
    random.Random(seed).shuffle(blocks)
    train, test = [], []
    for block in blocks:
        (test if len(test) < len(rows) / 4 else train).extend(block)
    return sorted(train), sorted(test)


def encode(names, rows, columns):
    """Features as numbers, and which of them are categories."""
    encoded, categorical = [], []
    for column in columns:
        values = [row[names.index(column)] for row in rows]
        try:
            encoded.append([float(value) for value in values])
            categorical.append(False)
        except ValueError:
            codes = OrdinalEncoder().fit_transform([[value] for value in values])
            encoded.append(codes[:, 0])
            categorical.append(True)
    return numpy.array(encoded).T, categorical


def write(path, names, rows, classes, scores):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(names + [f"p_{name}" for name in classes])
        for row, own in zip(rows, scores):
            out.writerow(row + [f"{score:.7f}" for score in own])


def scored(names, rows, args, seed, folder):
    """Writes train.csv and test.csv with scores."""
    train, test = split(rows, names.index(args.sensitive), seed)
    features = [name for name in names if name not in [args.target, args.sensitive]]
    x, categorical = encode(names, rows, features)
    y = numpy.array([row[names.index(args.target)] for row in rows])
    trees = HistGradientBoostingClassifier(
        categorical_features=categorical, learning_rate=0.06, max_iter=250, random_state=seed)
    out_of_fold = cross_val_predict(trees, x[train], y[train], cv=5, method="predict_proba")
    trees.fit(x[train], y[train])
    write(folder / "train.csv", names, [rows[i] for i in train], trees.classes_, out_of_fold)
    write(folder / "test.csv", names, [rows[i] for i in test], trees.classes_,
          trees.predict_proba(x[test]))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def point(args, folder, target):
    """Test error, test violation, training violation; exact."""
    notion = {"dp": "demographic_parity", "eo": "equalized_odds", "eopp": "equal_opportunity"}
    model = folder / "a.model"
    told = json.loads(run(
        args.tool, "repair", str(folder / "train.csv"), "--target", args.target, "--positive",
        args.positive, "--scores-prefix", "p_", "--sensitive", args.sensitive, "--sensitive-values",
        f"{args.sensitive}={args.values}", "--other",
        f"{args.sensitive}={args.values.split(',')[0]}", "--fairness", args.fairness, "--epsilon",
        str(args.epsilon), "--max-violation", str(target), "--residual-rounds", str(args.rounds),
        "--research", "--exact", "--json", "--quiet", "--out", str(model)))
    judged = json.loads(run(args.tool, "evaluate", str(model), str(folder / "test.csv"), "--json"))
    key = notion[args.fairness]
    return [judged["test"]["error"], judged["test"]["violation"][key],
            told["train"]["violation"][key]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", help="CSV file with a header")
    parser.add_argument("--tool", default="dpfermi")
    parser.add_argument("--target", required=True)
    parser.add_argument("--positive", required=True)
    parser.add_argument("--sensitive", required=True)
    parser.add_argument("--values", required=True)
    parser.add_argument("--fairness", default="dp")
    parser.add_argument("--epsilon", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--targets", default="0.9,0.08,0.06,0.04,0.02,0.01")
    parser.add_argument("--keep", help="folder of scored tables, made if missing")
    args = parser.parse_args()
    names, rows = read(args.table)
    targets = [float(target) for target in args.targets.split(",")]
    points = {target: [] for target in targets}
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(1, args.splits + 1):
            folder = pathlib.Path(args.keep or scratch) / str(seed)
            if not (folder / "test.csv").exists():
                folder.mkdir(parents=True, exist_ok=True)
                scored(names, rows, args, seed, folder)
            for target in targets:
                points[target].append(point(args, folder, target))
    print("| target | error | violation, test | violation, train |\n|---|---|---|---|")
    for target in targets:
        figures = numpy.array(points[target])
        mean = figures.mean(axis=0)
        spread = figures.std(axis=0, ddof=1) / len(figures) ** 0.5 if len(figures) > 1 else 0 * mean
        cells = [f"{m:.4f} ± {s:.4f}" for m, s in zip(mean, spread)]
        print(f"| {target:g} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
