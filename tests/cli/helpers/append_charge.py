#!/usr/bin/env python3
"""Appends a charge to a ledger of three entries, with a valid hash but without the tool.

    append_charge.py LEDGER [--fixed-seed] [--rehearsal] [--event-steps N]

The charge has two parts: group counts, and 1,000 training steps with 100 spare ones. Its event is their
composition. --event-steps states another number of steps in the event than the 1,100 of the parts.
"""

import argparse
import hashlib
import json
import sqlite3

COUNTS = {"kind": "discrete-gaussian", "sigma": 20.0, "shifts": [1, 1]}
STEP = {"kind": "poisson-gaussian", "q": 0.01, "noise_multiplier": 4.0}
ADJACENCY = {"adjacency": "sensitive"}


def repeated(count, event):
    return {"kind": "repetition", "count": count, "part": event}


def charge(fixed_seed, rehearsal, event_steps):
    parts = [{"purpose": "group counts", "event": {**ADJACENCY, **COUNTS}, "steps": 1, "spare": 0},
             {"purpose": "steps", "event": {**ADJACENCY, **STEP}, "steps": 1000, "spare": 100}]
    whole = {**ADJACENCY, "kind": "composition", "parts": [repeated(1, COUNTS), repeated(event_steps, STEP)]}
    return {"kind": "charge", "budget": "adult", "run": "r1", "purpose": "training", "event": whole,
            "parts": parts, "in_blocks": True, "fixed_seed": fixed_seed, "rehearsal": rehearsal,
            "epsilon": "0.8", "delta": "0.000001",
            "spent_epsilon": "0.8", "spent_delta": "0.000001", "time": "2026-01-01T00:00:00Z", "version": "0"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ledger")
    parser.add_argument("--fixed-seed", action="store_true")
    parser.add_argument("--rehearsal", action="store_true")
    parser.add_argument("--event-steps", type=int, default=1100)
    options = parser.parse_args()
    body = json.dumps(charge(options.fixed_seed, options.rehearsal, options.event_steps))
    ledger = sqlite3.connect(options.ledger)
    last = ledger.execute("SELECT hash FROM head").fetchone()[0]
    new = hashlib.sha256(f"{last}\n4\n{body}".encode()).hexdigest()
    ledger.execute("INSERT INTO entry VALUES (4, ?, ?)", (body, new))
    ledger.execute("UPDATE head SET seq = 4, hash = ?", (new,))
    ledger.commit()


if __name__ == "__main__":
    main()
