#!/usr/bin/env python3
"""Prints the sources of a dossier's sentences that are not in the model or the ledger: none, if all is well.

    check_sources.py PAGE HEADER ENTRIES

HEADER: what `dpfermi inspect MODEL --json` prints. ENTRIES: what `dpfermi ledger export` prints, a line each.
"""

import html
import json
import re
import sys

page, header, entries = (open(name, encoding="utf-8").read() for name in sys.argv[1:4])
header = json.loads(header)
sequences = {json.loads(line)["sequence"] for line in entries.splitlines()}
IN_WORDS = {"stated by the holder", "every promise of dpfermi", "model: the whole file", "ledger: its head",
            "ledger: its signing key", "ledger: charges of the budget", "ledger: limit of the budget"}


def found(path):
    at = header
    for key in re.findall(r"[^.\[\]]+", path):
        if isinstance(at, list):
            if int(key) >= len(at):
                return False
            at = at[int(key)]
        elif key in at:
            at = at[key]
        else:
            return False
    return True


def exists(source):
    if source in IN_WORDS:
        return True
    kind, _, name = source.partition(": ")
    if kind == "ledger":
        return name.startswith("entry ") and int(name[len("entry "):]) in sequences
    if name.startswith("no "):
        return kind == "model" and not found(name[len("no "):])
    return kind == "model" and found(name)


shown = [html.unescape(text) for text in re.findall(r'class="source">([^<]*)<', page)]
assert len(shown) > 20, "a page without sources"
for text in shown:
    for part in text.split("; "):
        kind, colon, names = part.partition(": ")
        for name in names.split(", ") if colon else [""]:
            source = kind + colon + name
            if not exists(source):
                print(source)
