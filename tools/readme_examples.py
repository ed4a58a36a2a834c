#!/usr/bin/env python3
"""Checks that every "$ command" of the README's fenced blocks prints what the README shows.

    readme_examples.py TOOL [--write]      --write puts the real output in place

In blocks marked "text" the noise is secret: there numbers, the blanks around them and the names of
runs may differ. Blocks of other languages are for other tests.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def run_block(block, folder, env):
    """The block with the real output under each command."""
    out = []
    for line in block.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(["bash", "-c", line[2:] + " 2>&1"], cwd=folder, env=env, text=True,
                                  capture_output=True, timeout=120)
            out += [line] + done.stdout.splitlines()
    return "\n".join(out) + "\n"


def without_noise(text):
    # Which model is returned and what is said about its target depend on the noise.
    text = re.sub(r"^Returned: .*\n\n", "", text, flags=re.M)
    text = re.sub(r": (met|missed|cannot be told): .*", ": VERDICT", text)
    text = re.sub(r"\b[0-9a-f]{16}\b", "ID", text)
    return re.sub(r" *[0-9][0-9.,]*(e[+-]?[0-9]+)? *", "#", text)


def main():
    tool = os.path.abspath(sys.argv[1])
    text = README.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, PATH=os.path.dirname(tool) + ":" + os.environ["PATH"], HOME=folder)
        env.pop("DPFERMI_LEDGER", None)
        env.pop("XDG_STATE_HOME", None)

        def replace(match):
            kind, block = match.groups()
            if kind not in ("", "text"):
                return match.group()
            real = run_block(block, folder, env) if "$ " in block else block
            if kind and "--write" not in sys.argv and without_noise(real) == without_noise(block):
                real = block
            return f"```{kind}\n{real}```"

        real = re.sub(r"```(\w*)\n(.*?)```", replace, text, flags=re.S)
    if "--write" in sys.argv:
        README.write_text(real, encoding="utf-8")
    elif real != text:
        old, new = text.splitlines(), real.splitlines()
        print("\n".join(f"README: {a!r}\n   now: {b!r}" for a, b in zip(old, new) if a != b))
        sys.exit(1)


if __name__ == "__main__":
    main()
