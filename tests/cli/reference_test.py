#!/usr/bin/env python3
"""docs/reference/ is what the tool writes, and its man pages are ones that man reads without a warning. So is the
table of docs/baselines.md.

    reference_test.py TOOL SOURCE_FOLDER
"""

import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tool, source = sys.argv[1], pathlib.Path(sys.argv[2])
problems = []


def pages_of(folder):
    return {page.name: page.read_text(encoding="utf-8") for page in folder.iterdir()}


def commands_of(words):
    """The commands that help lists."""
    shown = subprocess.run([tool, *words, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", shown, flags=re.M)
    return re.findall(r"^  ([a-z]\S*)", listed[1], flags=re.M) if listed else []


def options_of(words):
    shown = subprocess.run([tool, *words, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (?:-\w,)?(--[a-z-]+)", shown, flags=re.M)


with tempfile.TemporaryDirectory() as folder:
    fresh, manual = pathlib.Path(folder, "markdown"), pathlib.Path(folder, "man")
    subprocess.run([tool, "reference", "--format", "markdown", "--out", fresh], check=True)
    subprocess.run([tool, "reference", "--format", "man", "--out", manual], check=True)
    now, kept = pages_of(fresh), pages_of(source / "docs" / "reference")
    for name in sorted(now.keys() | kept.keys()):
        if now.get(name) != kept.get(name):
            problems += difflib.unified_diff(kept.get(name, "").splitlines(), now.get(name, "").splitlines(),
                                             f"docs/reference/{name}", "as the tool writes it", lineterm="", n=1)
    if problems:
        problems.append("docs/reference is stale; write it anew: dpfermi reference --format markdown --out docs/reference")

    table = subprocess.run([tool, "methods", "--markdown"], capture_output=True, text=True, check=True).stdout
    if table not in (source / "docs" / "baselines.md").read_text(encoding="utf-8"):
        problems.append("docs/baselines.md: the table of features is stale; dpfermi methods --markdown writes it")

    # Every command and option that help knows is on its pages.
    for verb in commands_of([]):
        page, roff = now[f"{verb}.md"], (manual / f"dpfermi-{verb}.1").read_text().replace("\\-", "-")
        for words in [[verb], *([verb, sub] for sub in commands_of([verb]))]:
            problems += [f"{verb}: no {option} of '{' '.join(words)}'" for option in options_of(words)
                         if option != "--help" and not re.search(f"`(-., |--.*, )?{option}[`,]", page)
                         or f"{option}\\fR" not in roff]

    if shutil.which("groff"):
        for page in sorted(manual.iterdir()):
            said = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", page], capture_output=True, text=True, check=True)
            problems += [said.stderr] if said.stderr else []

print("\n".join(problems))
sys.exit(1 if problems else 0)
