#!/usr/bin/env python3
"""Checks that every "$ command" of the fenced blocks of a page prints what the page shows: the README and the tutorial.

    readme_examples.py TOOL [--write] [--page PAGE FILE...]

--write puts the real output in place. --page checks PAGE alone, in a folder with the named files; where one of
them is missing the exit status is 77.

In blocks marked "text" the noise is secret: there numbers, the blanks around them and the names of
runs may differ. Blocks of other languages are for other tests.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "tutorial" / "first-hour.md")


def run_block(block, folder, env):
    """The block with the real output under each command."""
    out = []
    for line in block.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(["bash", "-c", line[2:] + " 2>&1"], cwd=folder, env=env, text=True,
                                  capture_output=True, timeout=900)
            out += [line] + done.stdout.splitlines()
    return "\n".join(out) + "\n"


def without_noise(text):
    # Which model is returned and what is said about its target depend on the noise.
    text = re.sub(r"^returned   .*\n", "", text, flags=re.M)
    text = re.sub(r"^(No better|Worse) than always .*\n", "", text, flags=re.M)
    text = re.sub(r"^hidden     .*\n", "", text, flags=re.M)
    # The weight is not told where the model is a mixture.
    text = re.sub(r", lambda \S+ \(steered to a violation of (\S+)\)", r", steered to a violation of \1", text)
    text = re.sub(r": (met|missed|cannot be told): .*", ": VERDICT", text)
    text = re.sub(r"\b[0-9a-f]{16,64}\b", "ID", text)
    return re.sub(r" *[0-9][0-9.,]*(e[+-]?[0-9]+)? *", "#", text)


def check(page, tool, write, files=()):
    """Whether the page is true; with `write` it is made so."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, PATH=os.path.dirname(tool) + ":" + os.environ["PATH"], HOME=folder)
        env.pop("DPFERMI_LEDGER", None)
        env.pop("XDG_STATE_HOME", None)
        for file in files:
            os.symlink(file.resolve(), pathlib.Path(folder) / file.name)

        def replace(match):
            kind, block = match.groups()
            if kind not in ("", "text"):
                return match.group()
            real = run_block(block, folder, env) if "$ " in block else block
            if kind and without_noise(real) == without_noise(block):
                real = block
            return f"```{kind}\n{real}```"

        real = re.sub(r"^```([^\n]*)\n(.*?)^```$", replace, text, flags=re.S | re.M)
    if write:
        page.write_text(real, encoding="utf-8")
    elif real != text:
        old, new = text.splitlines(), real.splitlines()
        print("\n".join(f"{page.name}: {a!r}\n   now: {b!r}" for a, b in zip(old, new) if a != b))
        return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=os.path.abspath)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--page", nargs="+", type=pathlib.Path, default=[])
    given = parser.parse_args()
    if given.page:
        page, *files = given.page
        if not all(file.is_file() for file in files):
            print("the files of this page are not here")
            sys.exit(77)
        sys.exit(0 if check(page, given.tool, given.write, files) else 1)
    good = [check(page, given.tool, given.write) for page in PAGES]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
