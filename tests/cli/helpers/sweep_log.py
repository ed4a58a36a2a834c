#!/usr/bin/env python3
"""Prints the log that an unfinished sweep would have, from the records of a finished one.

    sweep_log.py RESULTS/runs.jsonl > UNFINISHED/runs.log

A line of the log is the first 16 digits of the record's SHA-256, a space, and the record.
"""

import hashlib
import sys


def main():
    for record in open(sys.argv[1], encoding="utf-8").read().splitlines():
        print(hashlib.sha256(record.encode()).hexdigest()[:16], record)


if __name__ == "__main__":
    main()
