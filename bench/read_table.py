#!/usr/bin/python3
"""Reading a table of Adult's shape (>= 200 MB) into typed columns: dpfermi beside pandas' C reader.

Both run on one thread, in turns, each in its own process; the best of five counts. pandas runs
as it comes (text columns as objects) and with text columns declared as categories, which is what
dpfermi makes of them; the faster of the two is the peer.

    read_table.py DPFERMI READER
"""

import json
import os
import subprocess
import sys
import tempfile

ROUNDS = 5
PEER = """
import json, resource, sys, time
import pandas
start = time.perf_counter()
kinds = {c: "category" for c in sys.argv[2].split(",")} if sys.argv[2] else None
table = pandas.read_csv(sys.argv[1], engine="c", dtype=kinds)
elapsed = time.perf_counter() - start
print(json.dumps({"seconds": elapsed, "rows": len(table),
                  "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))
"""


def run(command):
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)


def main():
    tool, reader = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "census.csv")
        subprocess.run([tool, "datasets", "generate", "--rows", "1900000", "--numeric", "6",
                        "--categorical", "7", "--out", path], check=True)
        size = os.path.getsize(path)
        with open(path, encoding="utf-8") as table:
            text_columns = ",".join(table.readline().strip().split(",")[6:])
        commands = {
            "dpfermi": [reader, path],
            "pandas, as it comes": ["/usr/bin/python3", "-c", PEER, path, ""],
            "pandas, categories": ["/usr/bin/python3", "-c", PEER, path, text_columns],
        }
        best = {}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                result = run(command)
                if name not in best or result["seconds"] < best[name]["seconds"]:
                    best[name] = result
    print(f"{size / 1e6:.0f} MB, {best['dpfermi']['rows']:,} rows, 15 columns, one thread, best of {ROUNDS}")
    print(f"{'reader':20}  {'seconds':>8}  {'MB/s':>6}  {'peak MiB':>8}")
    for name, result in best.items():
        print(f"{name:20}  {result['seconds']:8.3f}  {size / 1e6 / result['seconds']:6.0f}  "
              f"{result['peak_mib']:8}")
    peer = min(result["seconds"] for name, result in best.items() if name != "dpfermi")
    print(f"dpfermi is {peer / best['dpfermi']['seconds']:.1f} times as fast as the faster pandas")


if __name__ == "__main__":
    main()
