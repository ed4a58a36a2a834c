#!/usr/bin/env python3
"""Prints what the JSON object of a charged training run holds.

    dpfermi train people.csv ... --exact --json | show_training.py

Lines: the keys; the figures on training rows and on test rows; the privacy statement; times and the name
of the model; whether the plan is complete. The run must have 3,000 training rows, which give the default
delta.
"""

import json
import sys

PLAN_KEYS = ("steps", "batch", "q", "noise_multiplier", "lambda", "clip_norm", "theta_rate")


def main():
    o = json.load(sys.stdin)
    print(list(o))
    for name in ("train", "test"):
        part = o[name]
        print(name, part["rows"], 0 < part["error"] < 0.5, sorted(part["violation"]), sorted(part["soft_violation"]),
              [group["name"] for group in part["groups"]], part["exact_not_private"])
    privacy = o["privacy"]
    print(0.9 < privacy["epsilon"] <= 1, privacy["delta"] == 1 / 3000**2, privacy["adjacency"], privacy["accountant"],
          [release["count"] for release in privacy["releases"]], privacy["private"], sorted(privacy["recorded"]))
    print(sorted(o["seconds"]), o["exact_not_private"], o["model"])
    print([key in o["plan"] for key in PLAN_KEYS])


if __name__ == "__main__":
    main()
