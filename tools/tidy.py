#!/usr/bin/env python3
"""clang-tidy over the translation units of a build folder, in parallel; units that were clean and have not
changed since, headers included, are free.

    tidy.py BUILD_FOLDER
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(rb'^\s*#\s*include "([^"]+)"', re.MULTILINE)


def ours(command):
    """Whether the command compiles code of the library or the tool: tests are held to the compiler's warnings."""
    file = pathlib.Path(command["file"])
    gathered = file.parent.name == "units" and file.name.startswith("dpfermi_")
    return gathered or any(file.is_relative_to(ROOT / folder) for folder in ("src", "apps"))


def state_of(unit):
    """A digest of all project files that the unit includes, and of the rules."""
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    seen, open_files = set(), [pathlib.Path(unit)]
    while open_files:
        path = open_files.pop()
        text = path.read_bytes()
        digest.update(text)
        for name in INCLUDE.findall(text):
            for folder in (path.parent, ROOT, ROOT / "include", ROOT / "src"):
                included = (folder / name.decode()).resolve()
                if included.is_file():
                    if included not in seen:
                        seen.add(included)
                        open_files.append(included)
                    break
    return digest.hexdigest()[:24]


def tidy(unit, folder, stamp):
    done = subprocess.run(["clang-tidy-14", "-p", folder, "--quiet", unit],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        stamp.touch()
    return done


def main():
    build = pathlib.Path(sys.argv[1])
    commands = [c for c in json.loads((build / "compile_commands.json").read_text()) if ours(c)]
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    (stamps / "compile_commands.json").write_text(json.dumps(commands))
    wanted = {c["file"]: stamps / state_of(c["file"]) for c in commands if os.path.exists(c["file"])}
    for old in set(stamps.iterdir()) - set(wanted.values()) - {stamps / "compile_commands.json"}:
        old.unlink()
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(tidy, unit, stamps, stamp) for unit, stamp in wanted.items()
                if not stamp.exists()]
        for run in concurrent.futures.as_completed(runs):
            if run.result().returncode != 0:
                failed = True
                print(run.result().stdout, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
