#!/usr/bin/env python3
"""Puts the output of commands into a page: between "<!-- $ COMMAND -->" and "<!-- end -->".

    results_tables.py TOOL NAME=FOLDER... PAGE...

COMMAND is one of the tool, "dpfermi summary RESULTS ..."; a NAME in it stands for its FOLDER. Commands
that read other folders are left as they are.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"(<!-- \$ (dpfermi .*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def main():
    tool = os.path.abspath(sys.argv[1])
    folders = dict(word.split("=", 1) for word in sys.argv[2:] if "=" in word)
    pages = [word for word in sys.argv[2:] if "=" not in word]

    def run(match):
        words = shlex.split(match[2])[1:]
        if any(word.isupper() and word not in folders for word in words):
            return match[0]
        words = [os.path.abspath(folders[word]) if word in folders else word for word in words]
        done = subprocess.run([tool, "--quiet", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{match[2]}: {done.stderr.strip()}")
        return f"{match[1]}`{match[2]}`\n\n{done.stdout.strip()}\n{match[3]}"

    for name in pages:
        page = pathlib.Path(name)
        page.write_text(BLOCK.sub(run, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
