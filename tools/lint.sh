#!/usr/bin/env bash
# Formatting, include directions, names of settings, links of the docs, the version, words, types of the Python package, clang-tidy. `lint.sh BUILD_FOLDER`
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1

mapfile -t sources < <(git ls-files -co --exclude-standard '*.h' '*.cc' |
  while read -r file; do [ ! -e "$file" ] || echo "$file"; done)
clang-format-14 --dry-run --Werror "${sources[@]}"
python3 tools/check_includes.py
python3 tools/check_flags.py
python3 tools/check_links.py
python3 tools/check_version.py
python3 tools/check_words.py
mypy --cache-dir "$build/mypy"

python3 tools/tidy.py "$build"
