#!/usr/bin/env bash
# Formatting, include directions, links of the docs, clang-tidy. `lint.sh BUILD_FOLDER`
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1

mapfile -t sources < <(git ls-files -co --exclude-standard '*.h' '*.cc' |
  while read -r file; do [ ! -e "$file" ] || echo "$file"; done)
clang-format-14 --dry-run --Werror "${sources[@]}"
python3 tools/check_includes.py
python3 tools/check_links.py

# clang-tidy takes minutes: unchanged sources that were clean are not looked at again.
state=$(cat .clang-tidy "${sources[@]}" | sha256sum | cut -c 1-16)
mkdir -p "$build/tidy"
[ ! -e "$build/tidy/$state" ] || exit 0
# It cannot read the compiler's precompiled header, and does not need it.
sed -E 's/-Winvalid-pch -include [^ ]*cmake_pch.hxx//' "$build/compile_commands.json" \
  > "$build/tidy/compile_commands.json"
# src/torch is optional and not part of this build.
printf '%s\n' "${sources[@]}" | grep -E '^(src|apps)/.*\.cc$' | grep -v '^src/torch/' |
  xargs -P "$(nproc)" -n 2 clang-tidy-14 -p "$build/tidy" --quiet 2> "$build/tidy/notes" || {
    grep -E 'error:' "$build/tidy/notes" || true
    exit 1
  }
rm -f "$build"/tidy/????????????????
touch "$build/tidy/$state"
