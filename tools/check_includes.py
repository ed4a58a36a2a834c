#!/usr/bin/env python3
"""Data flows one way: a folder may include only itself and folders above it in this list.

Also keeps libtorch, MPI and the command line's libraries out of the core, and heavy third-party
headers out of the public headers.
"""

import pathlib
import re
import sys

ORDER = [
    "core",
    "random",
    "privacy",
    "privacy/accountant",
    "privacy/mechanism",
    "privacy/ledger",
    "data",
    "preprocess",
    "sample",
    "model",
    "objective",
    "objective/notions",
    "sketch",
    "optimize",
    "optimize/methods",
    "baselines",
    "methods",
    "artifact",
    "evaluate",
    "vision",
    "workflow",
    "audit",
    "experiment",
    "report",
    "torch",
]
RANK = {folder: rank for rank, folder in enumerate(ORDER)}
NOT_IN_PUBLIC_HEADERS = re.compile(r"^(Eigen|unsupported|boost|nlohmann|fmt|openssl|sqlite3|zlib|zip|lbfgs|jpeglib)\b")
NOT_IN_LIBRARY = re.compile(r"^(CLI|curl|torch|ATen|mpi)\b")

root = pathlib.Path(__file__).resolve().parent.parent
problems = []


def folder_of(path):
    return str(pathlib.PurePosixPath(path).parent)


for base in ("include/dpfermi", "src"):
    for file in sorted((root / base).rglob("*")):
        if file.suffix not in (".h", ".cc"):
            continue
        where = folder_of(file.relative_to(root / base))
        if file.name == "dpfermi.h":
            where = "workflow"  # the front door
        if where not in RANK:
            problems.append(f"{file.relative_to(root)}: folder '{where}' is not in the order of the design")
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not match:
                continue
            target = match.group(1)
            at = f"{file.relative_to(root)}:{number}"
            internal = folder_of(re.sub(r"^dpfermi/", "", target))
            if internal in RANK and RANK[internal] > RANK[where]:
                problems.append(f"{at}: '{where}' must not include '{internal}', which comes after it")
            if base.startswith("include") and NOT_IN_PUBLIC_HEADERS.match(target):
                problems.append(f"{at}: public headers stay free of <{target}>")
            if NOT_IN_LIBRARY.match(target) and where != "torch":
                problems.append(f"{at}: the core library stays free of <{target}>")

print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
