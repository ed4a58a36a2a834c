#!/usr/bin/env python3
"""Prints what Python expressions say about JSON objects, one line for each expression.

    COMMAND --json | show_json.py EXPRESSION...       the object on standard input is called o
    show_json.py a=FIRST.json b=SECOND.json EXPRESSION...

The elements of a tuple are printed side by side. Expressions can use the modules json and os.
"""

import json
import os
import re
import sys


def main():
    arguments = sys.argv[1:]
    objects = {}
    while re.fullmatch(r"\w+=\S+\.json", arguments[0]):
        name, path = arguments.pop(0).split("=")
        objects[name] = json.load(open(path, encoding="utf-8"))
    if not objects:
        objects["o"] = json.load(sys.stdin)
    for expression in arguments:
        value = eval(f"({expression})", {"json": json, "os": os, **objects})
        print(*(value if isinstance(value, tuple) else [value]))


if __name__ == "__main__":
    main()
