#!/usr/bin/env python3
"""Every relative link of the documentation leads to a file of the project, and to a heading in it.

A code block that names a file of the project, as in "```cpp tests/notions/x.cc", quotes it verbatim. A row of a table
"| `FILE:LINE` | `NAME` |" says that NAME stands on that line; with --fix, lines that moved are set right.

A file of the project that a page names in backquotes, or a comment of the sources at all, exists: as a path from the
root, src/, include/ or include/dpfermi/, or, on a page, beside it. (A recipe may name the file that it has you make of
one that it quotes.) So do folders named from the root.

Every page is at most two clicks away from README.md; a link to a folder shows the pages in it.
"""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
problems = []


def anchors(path):
    """The names that headings get on the usual hosting sites."""
    names = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = re.match(r"#+\s+(.*)", line)
        if heading:
            text = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            names.add(re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text).strip()))
    return names


def check_places(page, name, text):
    """Table rows of a place and a name."""
    for row, path, line, wanted in re.findall(r"(\| `([\w/.]+):(\d+)` \| `([^`]+)` \|)", text):
        lines = (root / path).read_text(encoding="utf-8").splitlines() if (root / path).is_file() else []
        if int(line) <= len(lines) and wanted in lines[int(line) - 1]:
            continue
        found = [number for number, text_line in enumerate(lines, 1) if wanted in text_line]
        if "--fix" in sys.argv and found:
            text = text.replace(row, f"| `{path}:{found[0]}` | `{wanted}` |")
            page.write_text(text, encoding="utf-8")
        else:
            problems.append(f"{name}: '{wanted}' is not at {path}:{line}; "
                            f"{'tools/check_links.py --fix sets it right' if found else 'it is nowhere in that file'}")
    return text


def targets(text):
    """The relative links of a page, outside of its code."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"[a-z]+:", target)]


def check_clicks(pages):
    """Pages of the hosting site (.github) are reached by its own forms."""
    seen, front = {root / "README.md"}, {root / "README.md"}
    for _ in range(2):
        places = {(page.parent / target.partition("#")[0]).resolve()
                  for page in front for target in targets(page.read_text(encoding="utf-8"))}
        shown = {page for place in places for page in (place.glob("*.md") if place.is_dir() else [place])}
        front = {page for page in shown if page.suffix == ".md" and page.is_file()} - seen
        seen |= front
    for name in pages:
        if root / name not in seen and not name.startswith(".github/"):
            problems.append(f"{name}: more than two clicks away from README.md; docs/README.md can link it")


ENDINGS = r"(?:h|cc|cu|inc|py|mjs|js|sh|cmake|md)"
BASES = [root, root / "src", root / "include", root / "include/dpfermi"]


def check_named(name, text, pattern, beside=(), made=()):
    for match in re.finditer(pattern, text):
        known = any((base / match[1]).exists() for base in [*BASES, *beside])
        if not known and pathlib.Path(match[1]).name not in made:
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{name}:{line}: there is no {match[1]}")


def comments(text):
    """The same lines, without what is no comment."""
    return "\n".join((re.search(r"//.*", line) or [""])[0] for line in text.splitlines())


listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=root,
                        capture_output=True, text=True, check=True).stdout.split()
check_clicks(listed)
for name in listed:
    page = root / name
    text = check_places(page, name, page.read_text(encoding="utf-8"))
    for quoted, code in re.findall(r"^```\w+ (\S+)\n(.*?)^```", text, flags=re.S | re.M):
        source = root / quoted
        if not source.is_file() or code not in source.read_text(encoding="utf-8"):
            problems.append(f"{name}: the code quoted from '{quoted}' is not there")
    prose = re.sub(r"```.*?```", lambda code: "\n" * code[0].count("\n"), text, flags=re.S)
    made = {pathlib.Path(quoted).name for quoted in re.findall(r"^```\w+ (\S+)$", text, flags=re.M)}
    check_named(name, prose, rf"`([\w.-]+(?:/[\w.-]+)+\.{ENDINGS})`", [page.parent], made)
    check_named(name, prose, r"`((?:apps|bench|cmake|docs|examples|include|python|src|tests|tools|web)/[\w./-]*)/`")
    for target in targets(text):
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        if not linked.exists():
            problems.append(f"{name}: '{target}' leads nowhere")
        elif anchor and linked.suffix == ".md" and anchor not in anchors(linked):
            problems.append(f"{name}: '{target}' has no such heading")

for name in subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"], cwd=root,
                           capture_output=True, text=True, check=True).stdout.split():
    if (root / name).is_file():
        source = (root / name).read_text(encoding="utf-8")
        check_named(name, comments(source), rf"(?<![\w/.:])([a-z_]+(?:/[\w-]+)+\.{ENDINGS})\b", [root / "tests", root / "apps/dpfermi"])

print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
