#!/usr/bin/env bash
# Audits the test build with one planted defect after the other and puts the table into
# docs/audit.md. `mutation_table.sh [BUILD_FOLDER] [--quick]`; fails where a defect is not found.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/dev
[ "${1:-}" = "" ] || [ "${1:-}" = --quick ] || { build=$1; shift; }
table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$build/tests/mutation_table" "$@" | tee "$table"
sed -i -e '/<!-- mutation table -->/,/<!-- end of mutation table -->/{//!d}' \
  -e "/<!-- mutation table -->/r $table" docs/audit.md
