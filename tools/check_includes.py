#!/usr/bin/env python3
"""Data flows one way: a folder may include only itself and folders above it in this list.

Of another folder it may include public headers (include/dpfermi) and those that src/interfaces.txt
lists; every other header is private to its folder. Tests may include what they test. Public headers
include public headers only, and docs/api.md lists them. Also keeps libtorch, MPI and the command line's libraries out of the core,
and heavy third-party headers out of the public headers. And code that trains reads protected data by
what a ledger granted (a mechanism's permit, or an ExactRead), planted defects (core/mutant.h) apart.

    check_includes.py          check
    check_includes.py --fix    rewrite src/interfaces.txt to what is included, then check
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
    "trees",
    "objective",
    "objective/notions",
    "sketch",
    "repair",
    "optimize",
    "optimize/methods",
    "baselines",
    "methods",
    "artifact",
    "export",
    "evaluate",
    "vision",
    "workflow",
    "capi",
    "audit",
    "experiment",
    "report",
    "torch",
    "mpi",
]
RANK = {folder: rank for rank, folder in enumerate(ORDER)}
NOT_IN_PUBLIC_HEADERS = re.compile(r"^(Eigen|unsupported|boost|nlohmann|fmt|openssl|sqlite3|zlib|zip|lbfgs|jpeglib|xgboost|onnx|google)\b")
NOT_IN_LIBRARY = re.compile(r"^(CLI|curl|torch|ATen|mpi\.h)\b")

TRAIN = ("objective", "objective/notions", "sketch", "trees", "repair", "optimize", "optimize/methods", "baselines")
PARTS = {"optimize/methods": "optimize", "objective/notions": "objective"}  # folders of one library
MOST_PUBLIC_HEADERS = 45

root = pathlib.Path(__file__).resolve().parent.parent
interfaces = root / "src/interfaces.txt"
problems = []


def folder_of(path):
    return str(pathlib.PurePosixPath(path).parent)


def library_of(folder):
    return PARTS.get(folder, folder)


def includes(file):
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if match:
            yield f"{file.relative_to(root)}:{number}", match.group(1)


for base in ("include/dpfermi", "src"):
    for file in sorted((root / base).rglob("*")):
        if file.suffix not in (".h", ".cc"):
            continue
        where = folder_of(file.relative_to(root / base))
        if where == ".":
            where = "workflow"  # the front door
        if where not in RANK:
            problems.append(f"{file.relative_to(root)}: folder '{where}' is not in the order of the design")
            continue
        for at, target in includes(file):
            internal = folder_of(re.sub(r"^dpfermi/", "", target))
            if internal in RANK and RANK[internal] > RANK[where]:
                problems.append(f"{at}: '{where}' must not include '{internal}', which comes after it")
            if base.startswith("include") and NOT_IN_PUBLIC_HEADERS.match(target):
                problems.append(f"{at}: public headers stay free of <{target}>")
            if base.startswith("include") and (root / "src" / target).is_file():
                problems.append(f"{at}: a public header must not include the private {target}")
            if NOT_IN_LIBRARY.match(target) and where not in ("torch", "mpi"):
                problems.append(f"{at}: the core library stays free of <{target}>")

for folder in TRAIN:
    for file in sorted((root / "src" / folder).glob("*.*")):
        text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        for read in re.finditer(r"\bExactForHolder\b", text):
            statement = re.split(r"[;}]", text[: read.start()])[-1]
            if "mutant(" not in statement:
                line = text.count("\n", 0, read.start()) + 1
                problems.append(f"{file.relative_to(root)}:{line}: code that trains reads what was charged: by an ExactRead")

used = {}
for base in ("src", "apps", "examples", "bench"):
    for file in sorted((root / base).rglob("*")):
        if file.suffix not in (".h", ".cc", ".cu"):
            continue
        own = library_of(folder_of(file.relative_to(root / base))) if base == "src" else base
        for at, target in includes(file):
            if (root / "src" / target).is_file() and library_of(folder_of(target)) != own:
                used.setdefault(target, at)

lines = interfaces.read_text(encoding="utf-8").splitlines()
if "--fix" in sys.argv:
    lines = [line for line in lines if line.startswith("#")] + sorted(used)
    interfaces.write_text("\n".join(lines) + "\n", encoding="utf-8")
offered = {line for line in lines if not line.startswith("#")}
for target in sorted(used.keys() - offered):
    problems.append(f"{used[target]}: {target} is private to its folder (src/interfaces.txt does not list it)")
for target in sorted(offered - used.keys()):
    problems.append(f"src/interfaces.txt: no other folder includes {target}; take it off the list")

public = {str(file.relative_to(root / "include")) for file in (root / "include/dpfermi").rglob("*.h")}
documented = set(re.findall(r"^\| `(dpfermi/[^`]+)`", (root / "docs/api.md").read_text(encoding="utf-8"), re.M))
for header in sorted(public ^ documented):
    where = "is not listed" if header in public else "does not exist"
    problems.append(f"docs/api.md: the public header {header} {where}")
if len(public) > MOST_PUBLIC_HEADERS:
    problems.append(f"include/dpfermi: {len(public)} public headers; at most {MOST_PUBLIC_HEADERS} are an interface")

print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
