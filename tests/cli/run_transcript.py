#!/usr/bin/env python3
"""Runs a transcript and compares it with what the tool does.

A transcript is a text file. "$ COMMAND" is run by bash, in a fresh folder that the whole transcript
shares, with the tool and the programs in helpers/ on PATH. Lines "> TEXT" directly below continue the
command; a line of a command has at most 120 characters. The lines that follow are its stdout. "! TEXT"
is a line of its stderr, "? N" its exit status (0 if not given), "# TEXT" a comment. "..." at the end of
an expected line stands for any rest, and a line of "..." alone for any lines.

    run_transcript.py TOOL TRANSCRIPT
"""

import os
import re
import subprocess
import sys
import tempfile

LONGEST_COMMAND_LINE = 120


def parse(path):
    """[(command, stdout lines, stderr lines, status)]"""
    steps = []
    in_command = False
    for number, line in enumerate(open(path, encoding="utf-8").read().splitlines(), start=1):
        continues = in_command and (line == ">" or line.startswith("> "))
        in_command = continues or line.startswith("$ ")
        if in_command and len(line) > LONGEST_COMMAND_LINE:
            sys.exit(f"{path}:{number}: a command line of {len(line)} characters; continue it below with '> '")
        if continues:
            steps[-1][0] += "\n" + line[2:]
        elif in_command:
            steps.append([line[2:], [], [], 0])
        elif line.startswith("#") or not steps and not line.strip():
            continue
        elif line.startswith("! "):
            steps[-1][2].append(line[2:])
        elif line.startswith("? "):
            steps[-1][3] = int(line[2:])
        else:
            steps[-1][1].append(line)
    for step in steps:
        while step[1] and not step[1][-1]:
            step[1].pop()
    return steps


def pattern(lines):
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        elif line.endswith("..."):
            parts.append(re.escape(line[:-3]) + r".*\n")
        else:
            parts.append(re.escape(line) + r"\n")
    return re.compile("".join(parts))


def matches(expected, actual):
    if actual and not actual.endswith("\n"):
        actual += "\n"
    return pattern(expected).fullmatch(actual.rstrip("\n") + "\n" if actual.strip("\n") else "") is not None


def main():
    tool, transcript = os.path.abspath(sys.argv[1]), sys.argv[2]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        programs = [os.path.dirname(tool), os.path.join(os.path.dirname(os.path.abspath(__file__)), "helpers")]
        env = dict(os.environ, PATH=":".join(programs + [os.environ["PATH"]]), HOME=folder, LC_ALL="C.UTF-8")
        for name in ("DPFERMI_DATA", "DPFERMI_LEDGER", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
            env.pop(name, None)
        steps = parse(transcript)
        for command, out, err, status in steps:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, timeout=300,
                                  stdin=subprocess.DEVNULL, capture_output=True)
            actual_out = done.stdout.decode("utf-8", "replace")
            actual_err = done.stderr.decode("utf-8", "replace")
            if done.returncode == status and matches(out, actual_out) and matches(err, actual_err):
                continue
            failures += 1
            print("$ " + command.replace("\n", "\n> "))
            print("-- expected\n" + "\n".join(out + ["! " + e for e in err]) + f"\n? {status}")
            print("-- got\n" + actual_out + "".join("! " + e + "\n" for e in actual_err.splitlines())
                  + f"? {done.returncode}\n")
    print(f"{len(steps) - failures} passed, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
