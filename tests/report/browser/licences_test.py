#!/usr/bin/env python3
"""Every library that is bundled into the page has its licence in web/licences.txt, word for word; the
lock file holds no addresses, and no package in it asks for more than Node 18.

    licences_test.py WEB NODE_MODULES
"""

import json
import pathlib
import re
import sys

web, modules = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
BUNDLED = re.compile(r"(vega|vega-.*|d3-.*|topojson-client|delaunator|robust-predicates|internmap)")
NOT_BUNDLED = {"vega-typings", "d3-ease"}  # types; only the command line of a projection library

kept = " ".join((web / "licences.txt").read_text(encoding="utf-8").split())
lock = json.loads((web / "package-lock.json").read_text(encoding="utf-8"))
problems, checked = [], 0
for path, package in lock["packages"].items():
    if "resolved" in package:
        problems.append(f"{path}: the lock file holds an address")
    asked = package.get("engines", {}).get("node", "")
    if path and asked and not re.fullmatch(r"(\S+ \|\| )*(>= ?)?(0|[4-9]|1[0-8])(\.[0-9.*]+)?\.?\*?", asked):
        problems.append(f"{path}: wants Node {asked}")
    name = path.rsplit("node_modules/", 1)[-1]
    if not path or package.get("dev") or name in NOT_BUNDLED or not BUNDLED.fullmatch(name):
        continue
    files = list((modules / path.removeprefix("node_modules/")).glob("LICEN*"))
    if not files or " ".join(files[0].read_text(encoding="utf-8").split()) not in kept:
        problems.append(f"{name}: its licence is not in web/licences.txt")
    checked += 1
if checked < 40:
    problems.append(f"only {checked} libraries were checked")
print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
