#!/usr/bin/env python3
"""The library names settings as fields in backquotes, the tool prints them as flags.

No string of the library holds a flag, except whole commands such as "dpfermi train --out". The tool knows
every field that a message of the library names, and has every flag that it knows a field for. Its reference lists every
environment variable that is read.
"""

import pathlib
import re
import sys

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
COMMAND = re.compile(r"\bdpfermi( [a-z]+)+ --[a-z-]+")
FIELD = re.compile(r"`([a-z_.]+)`")
# The command lines of other programs, dpfermi-deep and Chromium.
OTHER_PROGRAM = ("src/torch/", "src/vision/embedded_images.cc", "src/vision/network_workshop.cc", "src/report/print_pdf.cc")
# Its requests are never the tool's.
C_INTERFACE = "src/capi/"
VARIABLE = re.compile(r'\b(?:getenv|environment)\("([A-Z_]+)"\)')
VARIABLES = "apps/dpfermi/print/reference_facts.h"
TABLE = "apps/dpfermi/flags/field_names.cc"

root = pathlib.Path(__file__).resolve().parent.parent
problems = []


def strings_of(folder):
    """Every string literal outside of comment lines, and where it is."""
    for file in sorted((root / folder).rglob("*")):
        if file.suffix not in (".h", ".cc"):
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            code = re.sub(r"(^|\s)//.*", "", line)
            for literal in STRING.findall(code):
                yield f"{file.relative_to(root)}:{number}", literal[1:-1]


table = (root / TABLE).read_text(encoding="utf-8")
others = dict(re.findall(r'\{"([a-z_.]+)", "([a-z -]+)"\}', table))
alike = set(re.findall(r'"([a-z_]+)"', table)) - others.keys()
options = {flag for at, text in strings_of("apps") if not at.startswith(TABLE) for flag in FLAG.findall(text)}

for folder in ("include", "src"):
    for at, text in strings_of(folder):
        if at.startswith(OTHER_PROGRAM):
            continue
        for flag in FLAG.findall(COMMAND.sub("", text)):
            problems.append(f"{at}: name the field in backquotes, not the flag {flag}")
        for field in FIELD.findall(text):
            if not at.startswith(C_INTERFACE) and field not in alike | others.keys():
                problems.append(f"{at}: {TABLE} does not know `{field}`")

for flag in sorted({"--" + field.replace("_", "-") for field in alike} | {flag.split()[0] for flag in others.values()}):
    if flag not in options:
        problems.append(f"{TABLE}: the tool has no {flag}")

described = (root / VARIABLES).read_text(encoding="utf-8")
for folder in ("apps/dpfermi", "include", "src"):
    for file in sorted((root / folder).rglob("*.cc")):
        for variable in VARIABLE.findall(file.read_text(encoding="utf-8")):
            if variable != "HOME" and f'"{variable}"' not in described:
                problems.append(f"{file.relative_to(root)}: {VARIABLES} does not list {variable}")

print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
