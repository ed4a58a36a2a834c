#!/usr/bin/env python3
"""One synthetic table as CSV, in PostgreSQL and as Parquet: how long `read_table` takes for each, beside psql's COPY to
/dev/null. The server works in a separate process; its time is not in the CPU time of the reader.

    sources.py TOOL READ_TABLE [--rows 1000000] [--numeric 20] [--categorical 19] [--libduckdb FILE] [--repeat 3]
"""

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cli"))
from postgres_cluster import BINARIES, Cluster  # noqa: E402


def best(repeat, measure):
    """The quickest of some runs: others work on the machine, too."""
    return min((measure() for _ in range(repeat)), key=lambda figures: figures["seconds"])


def read(program, address, environment):
    return json.loads(subprocess.run([program, address], check=True, capture_output=True, text=True,
                                     env={**os.environ, **environment}).stdout)


def copy_to_null(cluster, statement):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(["psql", "-qX", "-c", f"\\copy ({statement}) TO /dev/null"], check=True, env=cluster.environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"seconds": time.monotonic() - start,
            "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def to_parquet(library, csv, parquet):
    duck = ctypes.CDLL(library)
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    duck.duckdb_open(None, ctypes.byref(database))
    duck.duckdb_connect(database, ctypes.byref(connection))
    if duck.duckdb_query(connection, f"COPY (SELECT * FROM read_csv('{csv}')) TO '{parquet}'".encode(), None) != 0:
        raise RuntimeError("DuckDB could not write Parquet")


def show(what, figures, rows):
    print(f"{what:12} {figures['seconds']:8.2f} s {figures['cpu_seconds']:8.2f} s CPU "
          f"{rows / figures['seconds']:12,.0f} rows/s {rows / figures['cpu_seconds']:12,.0f} rows/s of CPU", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("read_table")
    for name, default in (("rows", 1000000), ("numeric", 20), ("categorical", 19), ("repeat", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--libduckdb")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plain, csv = os.path.join(folder, "plain.csv"), os.path.join(folder, "people.csv")
        subprocess.run([given.tool, "datasets", "generate", "--rows", str(given.rows), "--numeric", str(given.numeric),
                        "--categorical", str(given.categorical), "--out", plain], check=True)
        with open(plain, encoding="utf-8") as source, open(csv, "w", encoding="utf-8") as out:
            out.write("id," + source.readline())
            out.writelines(f"{number},{line}" for number, line in enumerate(source))
        os.remove(plain)
        print(f"{given.rows:,} rows, {os.path.getsize(csv) / given.rows:.0f} bytes a row as text")
        show("CSV", best(given.repeat, lambda: read(given.read_table, csv, {})), given.rows)
        if given.libduckdb:
            parquet = os.path.join(folder, "people.parquet")
            to_parquet(given.libduckdb, csv, parquet)
            print(f"{os.path.getsize(parquet) / given.rows:.0f} bytes a row as Parquet")
            show("Parquet", best(given.repeat, lambda: read(given.read_table, parquet, {
                "DPFERMI_DUCKDB": given.libduckdb})), given.rows)
        if BINARIES:
            cluster = Cluster()
            try:
                cluster.load(csv, "people")
                cluster.sql("ALTER TABLE people ADD PRIMARY KEY (id); ANALYZE people")
                statement = "SELECT * FROM people ORDER BY id"
                show("psql COPY", best(given.repeat, lambda: copy_to_null(cluster, statement)), given.rows)
                show("PostgreSQL", best(given.repeat, lambda: read(given.read_table, cluster.address("table=people"), {})),
                     given.rows)
            finally:
                cluster.remove()


if __name__ == "__main__":
    main()
