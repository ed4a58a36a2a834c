#!/usr/bin/env python3
"""Every place that names the version of the project names that of CMakeLists.txt, and CHANGELOG.md has its section."""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
PLACES = {
    "CITATION.cff": r"^version: (\S+)$",
    "CHANGELOG.md": r"^## (\d\S*)",
    "tests/cli/tool.txt": r"^dpfermi (\d\S*)$",
}


def named(place, pattern):
    """The first version that a file names: of the changelog, that of its latest release."""
    found = re.search(pattern, (root / place).read_text(encoding="utf-8"), flags=re.M)
    return found[1] if found else "none"


version = named("CMakeLists.txt", r"^project\(dpfermi VERSION (\S+)")
problems = [f"{place}: version {named(place, pattern)}, not {version} as in CMakeLists.txt"
            for place, pattern in PLACES.items() if named(place, pattern) != version]
print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
