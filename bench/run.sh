#!/usr/bin/env bash
# Every benchmark, on an idle machine. `run.sh BUILD_FOLDER`
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
echo "== reading tables"
/usr/bin/python3 bench/read_table.py "$build/dpfermi" "$build/bench/read_table"
for program in "$build"/bench/bench_*; do
  [ -x "$program" ] || continue
  echo "== $(basename "$program")"
  "$program" --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
done
