#!/usr/bin/env python3
"""Checks the hash chain of an exported ledger, with nothing but its documented format.

    check_hash_chain.py EXPORT.jsonl

The hash of an entry is the SHA-256 of the previous hash, the entry's number and its body, one per line.
Prints True or False for each entry.
"""

import hashlib
import json
import sys


def main():
    previous = ""
    for line in open(sys.argv[1], encoding="utf-8"):
        entry = json.loads(line)
        text = f'{previous}\n{entry["sequence"]}\n{entry["body"]}'
        previous = hashlib.sha256(text.encode()).hexdigest()
        print(previous == entry["hash"])


if __name__ == "__main__":
    main()
