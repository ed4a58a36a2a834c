#!/usr/bin/env python3
"""Puts the output of commands into a page: between "<!-- $ COMMAND -->" and "<!-- end -->".

    results_tables.py TOOL RESULTS PAGE...

COMMAND is one of the tool, "dpfermi summary RESULTS ..."; RESULTS stands for the folder given here.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"(<!-- \$ (dpfermi .*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def main():
    tool, results = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

    def run(match):
        words = [results if word == "RESULTS" else word for word in shlex.split(match[2])[1:]]
        done = subprocess.run([tool, "--quiet", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{match[2]}: {done.stderr.strip()}")
        return f"{match[1]}`{match[2]}`\n\n{done.stdout.strip()}\n{match[3]}"

    for name in sys.argv[3:]:
        page = pathlib.Path(name)
        page.write_text(BLOCK.sub(run, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
