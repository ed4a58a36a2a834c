#!/usr/bin/python3
"""The training step of DP-FERMI as a vectorised float32 NumPy program: the peer of our own.

Adult, logistic regression, demographic parity between two groups, adjacency `sensitive`. One step
takes a public batch (shuffled) and an independent secret one (Poisson): the gradient of the loss and
of all public terms on the first; centred, normalised, clipped contributions to theta and to the table
of groups x classes on the second, with Gaussian noise on both; W in closed form from the smoothed
table; theta averaged over the second half of the run. No matrix of per-example gradients: a
contribution's norm is |delta| |x|, with |x| computed once. Only the steps are timed.

    train_step.py [--data FOLDER] [--repetitions 5] [--epochs 200] [--batch 1024] [--lambda 3]

FOLDER holds adult.data and adult.test (default: $DPFERMI_DATA/adult). Prints one JSON object: the
best time of the repetitions, and the mean test error and gap of their models. One thread.
"""

import argparse
import json
import os
import pathlib
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402  (after the variables that it reads)

NUMERIC = (0, 2, 4, 10, 11, 12)
CATEGORIES = (1, 3, 5, 6, 7, 8, 13)
SEX, INCOME = 9, 14

# Noise over the longest contribution: what `dpfermi calibrate` gives for epsilon 0.95, delta 1/n^2, 200
# epochs of 33,916 rows in batches of 1024; the rest of epsilon 1 is for the counts.
NOISE_MULTIPLIER = 28.5
COUNT_SIGMA = 200.0
CLIP = 1.0
TABLE_SHARE = 0.1  # of the squared norm of a contribution
TABLE_BOUND = 0.5  # sqrt(1 - 1/2) sqrt(1 - 1/2)
SMOOTHING = 0.01  # weight of a step's table
STEP_SIZE = np.float32(0.5)
FLOOR = 0.01


def read_rows(folder):
    rows = []
    for name in ("adult.data", "adult.test"):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.split(",")]
            if len(cells) == 15 and "?" not in cells:
                rows.append(cells)
    return np.array(rows)


def encode(rows, train):
    """[numbers, standardised | one-hot categories | 1], fitted on the training rows."""
    blocks = []
    for column in NUMERIC:
        values = rows[:, column].astype(np.float64)
        blocks.append(((values - values[train].mean()) / values[train].std())[:, None])
    for column in CATEGORIES:
        blocks.append(rows[:, column, None] == np.unique(rows[train, column]))
    blocks.append(np.ones((len(rows), 1)))
    return np.ascontiguousarray(np.hstack(blocks), dtype=np.float32)


def load(folder, seed):
    rows = read_rows(folder)
    order = np.random.default_rng(seed).permutation(len(rows))
    train, test = np.split(order, [len(rows) * 3 // 4])
    x = encode(rows, train)
    y = np.char.startswith(rows[:, INCOME], ">50K").astype(np.float32)
    s = (rows[:, SEX] == "Female").astype(np.int64)
    return (x[train], y[train], s[train]), (x[test], y[test], s[test])


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


class Dual:
    """W = P(j,r) / (P(j) sqrt(p_r)), from a smoothed noisy table; and what a step needs of it."""

    def __init__(self, marginals):
        self.marginals = marginals
        self.mean = 0.5
        self.table = np.zeros(2)  # E[(e_r - 1/2)(F_1 - 1/2)], one number per group
        self.rate = 1.0

    def update(self, mean, table):
        # A plain average at first, so that the first steps do not count for ever.
        self.rate = max(SMOOTHING, self.rate / (1 + self.rate))
        self.mean += self.rate * (mean - self.mean)
        self.table += self.rate * (table - self.table)

    def slopes(self):
        """Per group b_r1 - b_r0, their centre and the ball's radius; and sum_r W_r1^2 - W_r0^2."""
        positive = self.table + self.mean / 2 + self.marginals / 2 - 0.25
        positive = np.clip(positive, 0, self.marginals)
        share = np.clip(self.mean, FLOOR, 1 - FLOOR)
        w1 = positive / share / np.sqrt(self.marginals)
        w0 = (self.marginals - positive) / (1 - share) / np.sqrt(self.marginals)
        slope = (w1 - w0) / np.sqrt(self.marginals)
        centre = slope.mean()
        radius = abs(slope[1] - slope[0]) / 2 / np.sqrt(2)
        return slope, centre, radius, np.sum(w1 * w1 - w0 * w0)


def train(data, epochs, batch, weight, seed):
    """Returns the averaged theta, the number of steps and the seconds they took."""
    x, y, s = data
    n, d = x.shape
    random = np.random.default_rng(seed)
    norms = np.sqrt(np.einsum("ij,ij->i", x, x))
    counts = np.bincount(s, minlength=2) + COUNT_SIGMA * random.standard_normal(2)
    marginals = np.clip(counts / n, FLOOR, 1)
    theta_noise = np.float32(NOISE_MULTIPLIER * CLIP / np.sqrt(1 - TABLE_SHARE))
    table_noise = NOISE_MULTIPLIER * TABLE_BOUND / np.sqrt(TABLE_SHARE)
    sides = np.array([-0.5, 0.5], dtype=np.float32)[s]  # row 1 of the centred one-hot of s

    per_epoch = n // batch
    steps = epochs * per_epoch
    dual = Dual(marginals)
    theta = np.zeros(d, dtype=np.float32)
    average = np.zeros(d, dtype=np.float32)
    public = np.empty((batch, d), dtype=np.float32)
    secret = np.empty((2 * batch, d), dtype=np.float32)

    start = time.perf_counter()
    for step in range(steps):
        if step % per_epoch == 0:
            order = random.permutation(n)
        slope, centre, radius, squares = dual.slopes()

        rows = order[step % per_epoch * batch:][:batch]
        np.take(x, rows, axis=0, out=public, mode="clip")
        f = sigmoid(public @ theta)
        mean = f.mean()
        pull = np.float32(weight * (2 * centre - squares))
        gradient = (f - y[rows] + pull * f * (1 - f)) @ public
        gradient /= np.float32(batch)

        members = random.choice(n, random.binomial(n, batch / n), replace=False, shuffle=False)
        chosen = secret[:len(members)]
        np.take(x, members, axis=0, out=chosen, mode="clip")
        f = sigmoid(chosen @ theta)
        side = sides[members]
        direction = np.float32(2 * np.sqrt(2) * np.sign(slope[1] - slope[0]))
        delta = direction * side * f * (1 - f)
        delta *= np.minimum(1, CLIP / np.maximum(np.abs(delta) * norms[members], np.float32(1e-12)))
        total = delta @ chosen + theta_noise * random.standard_normal(d, dtype=np.float32)
        gradient += np.float32(weight * 2 * radius / batch) * total
        cell = side @ (f - np.float32(0.5))
        noise = table_noise * random.standard_normal((2, 2), dtype=np.float32)
        table = np.array([-cell, cell]) + (noise[:, 1] - noise[:, 0]) / 2
        dual.update(mean, table / batch)

        theta -= STEP_SIZE * gradient
        if 2 * step >= steps:
            average += theta
    seconds = time.perf_counter() - start
    return average / np.float32(steps - (steps + 1) // 2), steps, seconds


def judge(data, theta):
    x, y, s = data
    positive = x @ theta > 0
    gap = abs(positive[s == 0].mean() - positive[s == 1].mean())
    return np.mean(positive != (y > 0)), gap


def linear_algebra():
    """The library behind NumPy's products: a reference BLAS would be no fair peer."""
    maps = pathlib.Path("/proc/self/maps")
    text = maps.read_text(encoding="utf-8") if maps.exists() else ""
    return next((name for name in ("openblas", "mkl", "blis", "libblas") if name in text), "unknown")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--lambda", type=float, default=3, dest="weight")
    arguments = parser.parse_args()
    folder = arguments.data
    if folder is None and "DPFERMI_DATA" in os.environ:
        folder = pathlib.Path(os.environ["DPFERMI_DATA"]) / "adult"
    if folder is None or not (folder / "adult.data").exists():
        sys.exit("train_step.py: no adult.data: name its folder with --data or set DPFERMI_DATA")

    times, errors, gaps = [], [], []
    for repetition in range(arguments.repetitions):
        training, test = load(folder, repetition)
        theta, steps, seconds = train(training, arguments.epochs, arguments.batch, arguments.weight,
                                      1000 + repetition)
        error, gap = judge(test, theta)
        times.append(seconds)
        errors.append(error)
        gaps.append(gap)
    print(json.dumps({"seconds": round(min(times), 4), "steps": steps,
                      "steps_per_second": round(steps / min(times), 1),
                      "error": round(float(np.mean(errors)), 5), "gap": round(float(np.mean(gaps)), 5),
                      "columns": training[0].shape[1] - 1, "rows": len(training[0]),
                      "blas": linear_algebra()}))


if __name__ == "__main__":
    main()
