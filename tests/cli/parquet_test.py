#!/usr/bin/env python3
"""Parquet and DuckDB files, written by DuckDB, beside the text files that they were made of.

    parquet_test.py TOOL LIBDUCKDB DATA
"""

import ctypes
import glob
import json
import os
import shutil
import sys
import tempfile
import unittest
import zipfile

from census_tables import FLAGS, Tool, skip

TOOL, LIBRARY, DATA = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))


class DuckDB:
    """DuckDB's C interface, as much of it as writes files."""

    def __init__(self, path=None):
        self.library = ctypes.CDLL(LIBRARY)
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        if self.library.duckdb_open(path.encode() if path else None, ctypes.byref(self.database)) != 0:
            raise AssertionError("duckdb_open")
        self.library.duckdb_connect(self.database, ctypes.byref(self.connection))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.duckdb_disconnect(ctypes.byref(self.connection))
        self.library.duckdb_close(ctypes.byref(self.database))

    def sql(self, text):
        result = ctypes.create_string_buffer(48)
        self.library.duckdb_result_error.restype = ctypes.c_char_p
        if self.library.duckdb_query(self.connection, text.encode(), ctypes.byref(result)) != 0:
            raise AssertionError(self.library.duckdb_result_error(ctypes.byref(result)).decode())
        self.library.duckdb_destroy_result(ctypes.byref(result))


class ParquetTest(unittest.TestCase):
    def setUp(self):
        self.folders = tempfile.TemporaryDirectory()
        self.text = self.tool("text")
        self.other = self.tool("other")
        for name in ("census", "census.json"):
            shutil.copy(os.path.join(SHARED.folder, name), self.text.folder)
        shutil.copy(os.path.join(SHARED.folder, "census.json"), self.other.folder)
        self.csv = os.path.join(self.text.folder, "census")

    def tearDown(self):
        self.folders.cleanup()

    def tool(self, name):
        folder = os.path.join(self.folders.name, name)
        os.mkdir(folder)
        return Tool(TOOL, folder, {"DPFERMI_DUCKDB": LIBRARY})

    def path(self, name):
        return os.path.join(self.other.folder, name)

    def write(self, name, rows=None, options="ROW_GROUP_SIZE 2048"):
        with DuckDB() as duck:
            duck.sql(f"COPY ({rows or self.rows()}) TO '{self.path(name)}' (FORMAT parquet, {options})")

    def rows(self):
        return f"SELECT * FROM read_csv('{self.csv}')"

    def test_a_file_gives_the_model_and_the_budget_of_the_text(self):
        self.write("census")
        digest = self.text.digest("census", "m")
        for name in ("l.db", "l.db.key"):
            shutil.copy(os.path.join(self.text.folder, name), self.other.folder)
        self.assertEqual(self.other.digest("census", "m"), digest)
        budgets = self.other.budgets()
        self.assertEqual(len(budgets), 1)
        self.assertEqual(budgets[0]["charges"], 2 * self.text.budgets()[0]["charges"])

    def test_folders_and_patterns_are_read_in_the_order_of_names(self):
        os.mkdir(self.path("census"))
        # The second file's name sorts before the tenth's only as text: names decide, not numbers.
        for number in range(12):
            self.write(f"census/part-{number:02}.parquet",
                       f"{self.rows()} WHERE id >= {number * 250} AND id < {(number + 1) * 250}")
        digest = self.text.digest("census", "m")
        self.assertEqual(self.other.digest("census", "folder.model"), digest)
        described = self.other.must("datasets", "describe", "census/part-*.parquet", "--schema", "census.json")
        self.assertEqual(described.splitlines()[1:],
                         self.text.must("datasets", "describe", "census", "--schema",
                                        "census.json").splitlines()[1:])

    def test_a_duckdb_file_gives_the_same_by_table_and_by_query(self):
        with DuckDB(self.path("c.duckdb")) as duck:
            duck.sql(f"CREATE TABLE census AS {self.rows()}")
        digest = self.text.digest("census", "m")
        self.assertEqual(self.other.digest("c.duckdb?table=census", "m"), digest)
        self.other.must("train", "c.duckdb?query=SELECT * FROM census ORDER BY id", *FLAGS, "--out", "q")
        self.assertEqual(len(self.other.budgets()), 1)
        self.assertNotIn("ORDER BY", self.other.must("inspect", "q", "--json"))
        for rest, line in (("", "names no table"), ("?table=nobody", "nobody"),
                           ("?query=SELECT * FROM census", "end it with ORDER BY")):
            self.assertIn(line, self.other.refusal("train", "c.duckdb" + rest, *FLAGS, "--out", "n"))
        line = self.other.refusal("train", 'c.duckdb?query=SELECT id, "group"::INT AS g, income FROM census '
                                  "ORDER BY id", *FLAGS, "--out", "n")
        self.assertIn("is not shown", line)
        self.assertNotIn("g0", line)
        self.assertNotIn("g1", line)
        # Opened to be read, and nothing beside it can be.
        self.assertIn("permission", self.other.refusal(
            "datasets", "describe", f"c.duckdb?query=SELECT * FROM read_csv('{self.csv}') ORDER BY 1").lower())

    def test_types_are_read_as_their_texts_are(self):
        self.write("odd", "SELECT i AS k, i % 2 = 0 AS b, CASE i % 3 WHEN 0 THEN NULL ELSE ' blank ' END AS t, "
                   "(i / 10)::FLOAT AS f, (i / 4)::DECIMAL(8, 2) AS m, DATE '2020-01-02' AS d, "
                   "i::UTINYINT AS u, CASE WHEN i % 2 = 1 THEN 'yes' ELSE 'no' END AS y FROM range(1, 61) t(i)")
        with open(os.path.join(self.text.folder, "odd"), "w", encoding="utf-8") as out:
            out.write("k,b,t,f,m,d,u,y\n")
            for i in range(1, 61):
                out.write(f"{i},{'true' if i % 2 == 0 else 'false'},{'' if i % 3 == 0 else 'blank'},{i / 10},"
                          f"{i / 4:.2f},2020-01-02,{i},{'yes' if i % 2 else 'no'}\n")
        self.assertEqual(self.other.must("datasets", "describe", "odd", "--target", "y"),
                         self.text.must("datasets", "describe", "odd", "--target", "y"))

    def test_long_tables_with_gaps_give_the_model_and_the_budget_of_the_text(self):
        # Past the rows that settle types: gaps, texts that do not repeat, texts that are numbers,
        # persons by integers that no double holds, rows without a target.
        rows = ("SELECT 9007199254740992 + i // 2 AS person, 'name ' || i AS name, (i % 97)::VARCHAR AS digits, "
                "CASE WHEN i % 1013 = 7 THEN NULL ELSE i % 11 END AS small, "
                "CASE WHEN i > 20000 AND i % 5 = 0 THEN NULL ELSE (i * 7 % 1000) / 8 END AS eighth, "
                "CASE WHEN i % 17 = 0 THEN NULL ELSE 'kind ' || (i * i % 23) END AS kind, "
                "CASE WHEN i % 3 = 0 THEN 'a' WHEN i % 1000 = 1 THEN NULL ELSE 'b' END AS s, "
                "CASE WHEN i % 501 = 3 THEN NULL WHEN i * 7 % 31 > 12 THEN 'yes' ELSE 'no' END AS y "
                "FROM range(30000) t(i)")
        self.write("long", rows, "ROW_GROUP_SIZE 8192")
        with DuckDB() as duck:
            duck.sql(f"COPY ({rows}) TO '{os.path.join(self.text.folder, 'long')}' (FORMAT csv, HEADER)")
        def flags(name, *more):
            return ["train", "long", "--target", "y", "--positive", "yes", "--sensitive", "s", "--sensitive-values",
                    "s=a,b", *more, "--method", "sketch", "--epsilon", "1", "--lambda", "1", "--residual-rounds", "0",
                    "--seed", "5", "--rehearsal", "--ledger", "l.db", "--out", name]

        for case in (["--missing", "category", "--id", "person", "--drop", "name"],
                     ["--missing", "drop", "--drop", "person,name"],
                     ["--missing", "drop", "--id", "person", "--drop", "name", "--categorical", "small"]):
            self.text.must(*flags("m", *case))
            for file in ("l.db", "l.db.key"):
                shutil.copy(os.path.join(self.text.folder, file), self.other.folder)
            self.other.must(*flags("m", *case))
            self.assertEqual(self.other.must("inspect", "--digest", "m"), self.text.must("inspect", "--digest", "m"))
            self.assertEqual(len(self.other.budgets()), len(self.text.budgets()))
            for tool in (self.text, self.other):
                os.remove(os.path.join(tool.folder, "m"))
        # Columns are read one after the other: the first that cannot be used is named.
        for case, line in ((["--missing", "error", "--drop", "name"], "long, row 8, column 'small': no value"),
                           (["--id", "kind"], "long, row 1, column 'kind': a row without a value"),
                           (["--numeric", "kind"], "long, row 2, column 'kind': 'kind 1' is not a number")):
            self.assertIn(line, self.other.refusal(*flags("m", *case)))

    def test_known_data_sets_give_the_models_of_their_text(self):
        if not os.path.isdir(DATA):
            self.skipTest("the data sets are not here")
        for name, source in KNOWN.items():
            with self.subTest(name):
                self.known(name, source)

    def known(self, name, source):
        """The table as text and as Parquet, by one schema: the same model."""
        described = json.loads(self.text.must("datasets", "describe", "--dataset", name, "--data-dir", DATA,
                                              "--json"))
        schema = described["schema"]
        given = schema.pop("format", {})
        names = given.get("names", [])
        if "missing_markers" in given:
            schema["format"] = {"missing_markers": given["missing_markers"]}
        for tool in (self.text, self.other):
            with open(os.path.join(tool.folder, name + ".json"), "w", encoding="utf-8") as out:
                json.dump(schema, out)
        folder = os.path.join(DATA, name)
        for archive in glob.glob(os.path.join(folder, "*.zip")):
            folder = os.path.join(self.folders.name, name)
            zipfile.ZipFile(archive).extractall(folder)
        file = glob.glob(os.path.join(folder, "**", source), recursive=True)[0]
        with DuckDB() as duck:
            header = f", header = false, names = {names}" if names else ""
            duck.sql(f"CREATE TABLE t AS SELECT * FROM read_csv('{file}', sample_size = -1{header})")
            for column in schema["drop"] if "drop" in schema else []:
                # DuckDB calls the second column of a name name_1, our reader name.2.
                if column.endswith(".2"):
                    duck.sql(f'ALTER TABLE t RENAME "{column[:-2]}_1" TO "{column}"')
            duck.sql(f"COPY t TO '{os.path.join(self.text.folder, name)}' (FORMAT csv, HEADER)")
            duck.sql(f"COPY t TO '{self.path(name)}' (FORMAT parquet)")
        digests = []
        for tool in (self.text, self.other):
            tool.must("train", name, "--schema", name + ".json", "--method", "sketch", "--epsilon", "1",
                      "--lambda", "1", "--residual-rounds", "0", "--seed", "5", "--rehearsal", "--ledger",
                      "k.db", "--out", name + ".model")
            digests.append(tool.must("inspect", "--digest", name + ".model"))
        self.assertEqual(digests[0], digests[1])

    def test_what_cannot_be_read_is_one_line(self):
        with open(self.path("broken.parquet"), "wb") as out:
            out.write(b"PAR1 and no more")
        self.assertIn("broken.parquet: ", self.other.refusal("datasets", "describe", "broken.parquet"))
        os.mkdir(self.path("empty"))
        self.assertIn("a folder without a .parquet file", self.other.refusal("datasets", "describe", "empty"))
        os.makedirs(self.path("parted/group=g0"))
        line = self.other.refusal("datasets", "describe", "parted")
        self.assertIn("is divided into folders by the values of a column ('group')", line)
        self.assertNotIn("g0", line)
        self.write("census")
        without = Tool(TOOL, self.other.folder, {"DPFERMI_DUCKDB": "/nowhere/libduckdb.so"})
        self.assertIn("set DPFERMI_DUCKDB", without.refusal("datasets", "describe", "census"))


KNOWN = {"adult": "adult.data", "compas": "compas-scores-two-years.csv", "diabetes-130": "diabetic_data.csv"}

if __name__ == "__main__":
    if not os.path.exists(LIBRARY):
        skip("libduckdb is not there")
    with tempfile.TemporaryDirectory() as shared:
        SHARED = Tool(TOOL, shared)
        SHARED.generate(3000)
        unittest.main(verbosity=1)
