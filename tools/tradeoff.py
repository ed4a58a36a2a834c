#!/usr/bin/env python3
"""Error and violation of `dpfermi train` over splits: mean and standard error, one line per setting.

    tradeoff.py TOOL --splits 10 --lambdas 1,2,4 -- --dataset adult --epsilon 1 --fairness dp
    tradeoff.py TOOL --splits 10 --targets 0.02,0.05 -- --dataset adult --epsilon 1

Every run has its own random split (seeds 1, 2, ...) and fresh secret noise. Runs stand alone
(--research): nothing is charged, and nothing may be concluded about the people in the data but what
one run allows. Test figures are exact, not private.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

NOTIONS = {"dp": "demographic_parity", "eo": "equalized_odds", "eopp": "equal_opportunity"}


def train(tool, flags, split, out):
    command = [tool, "--json", "--quiet", "train", *flags, "--split-seed", str(split), "--research",
               "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)


def mean_and_error(values):
    mean = sum(values) / len(values)
    square = sum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(square / max(1, len(values) - 1) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("tool")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--lambdas", default="")
    parser.add_argument("--targets", default="")
    own, flags = sys.argv[1:], []
    if "--" in own:  # the rest are flags of dpfermi train
        own, flags = own[:own.index("--")], own[own.index("--") + 1:]
    options = parser.parse_args(own)
    fairness = flags[flags.index("--fairness") + 1] if "--fairness" in flags else "dp"
    notion = NOTIONS[fairness]
    settings = [("--lambda", value) for value in options.lambdas.split(",") if value]
    settings += [("--max-violation", value) for value in options.targets.split(",") if value]
    print(f"| setting | test error | test {notion} | train {notion} | seconds |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for flag, value in settings:
            runs = [train(options.tool, [*flags, flag, value], split,
                          os.path.join(folder, "model")) for split in range(1, options.splits + 1)]
            error = mean_and_error([run["test"]["error"] for run in runs])
            gap = mean_and_error([run["test"]["violation"][notion] for run in runs])
            fit = mean_and_error([run["train"]["violation"][notion] for run in runs])
            seconds = mean_and_error([run["seconds"]["train"] for run in runs])[0]
            print(f"| {flag[2:]} {value} | {error[0]:.4f} ± {error[1]:.4f} | {gap[0]:.4f} ± {gap[1]:.4f} "
                  f"| {fit[0]:.4f} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
