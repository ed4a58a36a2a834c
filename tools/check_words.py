#!/usr/bin/env python3
"""Refuses phrases that readers who are not native speakers stumble over, in the documentation, the tool and the pages."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WHERE = ["README.md", "CONTRIBUTING.md", "docs", "apps", "web/scripts", "web/page.html", "web/public.html", "python"]
PHRASES = {
    "nobody": "say who does not, or use the passive",
    "somebody": "name the person: a person, a reader, the holder",
    "whoever": "the party that, those who",
    "but for": "except",
    "in place of": "instead of",
    "at hand": "available",
    "mended": "fixed, repaired",
}
HABIT = re.compile(r"\b(" + "|".join(PHRASES).replace(" ", r"\s+") + r")\b", re.I)

listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *WHERE], cwd=ROOT, text=True,
                        capture_output=True, check=True)
problems = []
for name in listed.stdout.splitlines():
    if not (ROOT / name).is_file():
        continue
    try:
        text = (ROOT / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        continue  # a picture
    for found in HABIT.finditer(text):
        phrase = " ".join(found[1].lower().split())
        line = text.count("\n", 0, found.start()) + 1
        problems.append(f"{name}:{line}: '{phrase}'; better: {PHRASES[phrase]}")
print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
