#!/usr/bin/env bash
# Every benchmark, on an idle machine. `run.sh BUILD_FOLDER`
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
echo "== reading tables"
/usr/bin/python3 bench/read_table.py "$build/dpfermi" "$build/bench/read_table"
echo "== the Python package beside the tool"
/usr/bin/python3 bench/python_speed.py "$build/dpfermi" "$build/src/libdpfermi.so"
echo "== training: steps on Adult, one thread, beside the NumPy peer (reference BLAS, then OpenBLAS)"
/usr/bin/python3 bench/train_peer.py "$build/bench/train"
echo "== training: by number of rows"
for rows in 100000 1000000 10000000; do "$build/bench/train" rows "$rows"; done
"$build/bench/train" rows 10000000 19000
for program in "$build"/bench/bench_*; do
  [ -x "$program" ] || continue
  echo "== $(basename "$program")"
  "$program" --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
done
