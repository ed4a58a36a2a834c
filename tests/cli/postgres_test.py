#!/usr/bin/env python3
"""Tables of a PostgreSQL server: a cluster on a unix socket that this test starts and ends.

    postgres_test.py TOOL DATA     the folder of known data sets
"""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from census_tables import FLAGS, Tool, skip
from postgres_cluster import BINARIES, Cluster

TOOL = sys.argv.pop(1)
DATA = sys.argv.pop(1)


def load_census(cluster, folder):
    """The table `census`, whose rows lie in another order than the key's."""
    columns = cluster.load(os.path.join(folder, "census"), "plain")
    cluster.sql(f"CREATE TABLE census ({columns}, PRIMARY KEY (id)); "
                "INSERT INTO census SELECT * FROM plain ORDER BY md5(id::text); DROP TABLE plain")


class PostgresTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tool = Tool(TOOL, self.folder.name)
        for name in ("census", "census.json"):
            shutil.copy(os.path.join(SHARED.folder, name), self.folder.name)
        self.before = self.tool.files()

    def tearDown(self):
        self.folder.cleanup()

    def train(self, rest):
        return ["train", CLUSTER.address(rest), *FLAGS, "--out", "m"]

    def check_nothing_left(self):
        self.assertEqual(self.tool.files(), self.before)

    def test_a_table_gives_the_model_and_the_budget_of_the_file(self):
        digest = self.tool.digest("census", "file.model")
        before = self.tool.budgets()
        self.assertEqual(self.tool.digest(CLUSTER.address("table=census"), "table.model"), digest)
        after = self.tool.budgets()
        self.assertEqual([budget["name"] for budget in after], [budget["name"] for budget in before])
        self.assertEqual(after[0]["charges"], 2 * before[0]["charges"])
        query = CLUSTER.address("query=SELECT * FROM census ORDER BY id -- the key")
        self.tool.must("train", query, *FLAGS, "--out", "query.model")
        self.assertEqual(len(self.tool.budgets()), 1)
        card = self.tool.must("inspect", "query.model") + self.tool.must("inspect", "query.model",
                                                                       "--json")
        for part in (CLUSTER.folder, "postgresql", "SELECT", "ORDER BY"):
            self.assertNotIn(part, card)

    def test_adult_gives_the_model_and_the_budget_of_its_text(self):
        if not os.path.isdir(DATA):
            self.skipTest("the data sets are not here")
        schema = json.loads(self.tool.must("datasets", "describe", "--dataset", "adult", "--data-dir", DATA,
                                           "--json"))["schema"]
        names = schema.pop("format")["names"]
        schema["drop"] = [*schema.get("drop", []), "id"]
        with open(os.path.join(self.folder.name, "adult.json"), "w", encoding="utf-8") as out:
            json.dump(schema, out)
        text = os.path.join(self.folder.name, "people")
        with open(os.path.join(DATA, "adult", "adult.data"), encoding="utf-8") as rows, \
             open(text, "w", encoding="utf-8") as out:
            table = csv.writer(out, lineterminator="\n")
            table.writerow(["id", *names])
            table.writerows([number, *row] for number, row in enumerate(csv.reader(rows, skipinitialspace=True)) if row)
        columns = CLUSTER.load(text, "unordered")
        CLUSTER.sql(f"CREATE TABLE people ({columns}, PRIMARY KEY (id)); INSERT INTO people SELECT * FROM unordered")
        digests = []
        for table in ("people", CLUSTER.address("table=people")):
            self.tool.must("train", table, "--schema", "adult.json", "--method", "dp-fermi", "--epsilon", "1",
                           "--lambda", "1", "--epochs", "1", "--seed", "7", "--rehearsal", "--ledger", "l.db",
                           "--out", "adult.model", "--force")
            digests.append(self.tool.must("inspect", "--digest", "adult.model"))
        self.assertEqual(digests[0], digests[1])
        self.assertEqual([budget["charges"] for budget in self.tool.budgets()], [2])

    def test_every_verb_takes_an_address(self):
        address = CLUSTER.address("table=census")
        self.assertEqual(self.tool.must("datasets", "describe", address, "--schema", "census.json"),
                         self.tool.must("datasets", "describe", "census", "--schema", "census.json"))
        self.tool.must("train", "census", *FLAGS, "--out", "m")
        self.assertEqual(self.tool.must("predict", "m", address), self.tool.must("predict", "m", "census"))
        self.assertEqual(self.tool.must("evaluate", "m", address).splitlines()[1:],
                         self.tool.must("evaluate", "m", "census").splitlines()[1:])
        for table, out in ((address, "a.sketch"), ("census", "b.sketch")):
            self.tool.must("sketch", table, "--schema", "census.json", "--drop", "id", "--epsilon", "1",
                           "--seed", "3", "--rehearsal", "--ledger", "l.db", "--out", out)
        sketch = self.tool.must("inspect", "a.sketch", "--json").replace("recorded", "")
        self.assertIn('"data": "census"', sketch)
        self.tool.must("train", address, "--schema", "census.json", "--drop", "id", "--sketch", "b.sketch",
                       "--lambda", "1", "--out", "n")
        self.tool.must("sweep", address, "--schema", "census.json", "--drop", "id", "--methods", "erm",
                       "--splits", "1", "--out", "results")
        for root, _, names in os.walk(os.path.join(self.folder.name, "results")):
            for name in names:
                with open(os.path.join(root, name), "rb") as file:
                    self.assertNotIn(CLUSTER.folder.encode(), file.read())

    def test_protected_columns_may_lie_on_the_server_alone(self):
        with open(os.path.join(self.folder.name, "census"), encoding="utf-8") as file:
            rows = [line.strip().split(",") for line in file]
        group = rows[0].index("group")
        with open(os.path.join(self.folder.name, "open"), "w", encoding="utf-8") as out:
            out.writelines(",".join(row[:group] + row[group + 1:]) + "\n" for row in rows)
        flags = [flag for flag in FLAGS if flag not in ("--drop", "id")]
        self.tool.must("train", "open", *flags, "--sensitive-file", CLUSTER.address("table=census"),
                       "--join", "id", "--out", "m")
        self.assertNotIn(CLUSTER.folder, self.tool.must("inspect", "m", "--json"))

    def test_booleans_blanks_escapes_and_missing_values_are_those_of_a_text_file(self):
        CLUSTER.sql("""CREATE TABLE odd (k int PRIMARY KEY, b boolean, t text, f real, d date, c char(4), y text);
            INSERT INTO odd SELECT i, i % 2 = 0, CASE i % 3 WHEN 0 THEN E'tab\\tand \\\\ "' WHEN 1 THEN NULL
            ELSE ' blank ' END, i / 10.0, '2020-01-02', 'ab', (ARRAY['no', 'yes'])[1 + i % 2]
            FROM generate_series(1, 60) i""")
        with open(os.path.join(self.folder.name, "odd"), "w", encoding="utf-8") as out:
            out.write("k,b,t,f,d,c,y\n")
            for i in range(1, 61):
                text = {0: '"tab\tand \\ """', 1: "", 2: "blank"}[i % 3]
                out.write(f"{i},{'true' if i % 2 == 0 else 'false'},{text},{i / 10},2020-01-02,ab,"
                          f"{'yes' if i % 2 else 'no'}\n")
        def described(table):
            return self.tool.must("datasets", "describe", table, "--target", "y")

        self.assertEqual(described(CLUSTER.address("table=odd")), described("odd"))

    def test_rows_without_an_order_are_refused(self):
        CLUSTER.sql("CREATE TABLE heap (x int, y int)")
        self.assertIn("has no primary key", self.tool.refusal(*self.train("table=heap")))
        self.assertIn("?query=SELECT * FROM heap ORDER BY COLUMN",
                      self.tool.refusal(*self.train("table=heap")))
        for query in ("SELECT * FROM census", "SELECT * FROM (SELECT * FROM census ORDER BY id) a",
                      "SELECT 'ORDER BY', * FROM census -- ORDER BY id"):
            self.assertIn("end it with ORDER BY", self.tool.refusal(*self.train(f"query={query}")))
        CLUSTER.sql('CREATE TABLE bykey (x int, "group" text, income text, PRIMARY KEY ("group", x))')
        self.assertIn("primary key contains the protected column 'group'",
                      self.tool.refusal("train", CLUSTER.address("table=bykey"), *FLAGS[:2], "--out", "m",
                                        "--epsilon", "1"))
        self.check_nothing_left()

    def test_no_snapshot_is_kept_while_a_model_is_trained(self):
        flags = ["--schema", "census.json", "--drop", "id", "--method", "dp-fermi", "--epsilon", "1", "--lambda", "1",
                 "--epochs", "3000", "--research", "--out", "m"]
        slow = CLUSTER.address("query=SELECT * FROM census WHERE pg_sleep(0.0003) IS NOT NULL ORDER BY id")
        with subprocess.Popen([self.tool.path, "train", slow, *flags],
                              cwd=self.folder.name, text=True, stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE) as running:
            self.wait_for(lambda: self.sessions() == 1)
            self.wait_for(lambda: self.sessions() == 0)
            self.assertIsNone(running.poll())
            running.terminate()
            running.communicate(timeout=60)

    def sessions(self):
        """How many connections of the tool there are."""
        return int(CLUSTER.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dpfermi'"))

    def test_passwords_in_an_address_are_refused_and_not_repeated(self):
        for address in ("postgresql://me:hidden@localhost/db?table=t",
                        "postgresql://localhost/db?password=hidden&table=t"):
            line = self.tool.refusal("train", address, *FLAGS, "--out", "m")
            self.assertIn("the address holds a password", line)
            self.assertNotIn("hidden", line)
        self.check_nothing_left()

    def test_what_the_server_refuses_is_one_line(self):
        self.assertIn("has no such table", self.tool.refusal(*self.train("table=nobody")))
        self.assertIn("names no table", self.tool.refusal(*self.train("application_name=x")))
        self.assertIn("cannot be reached",
                      self.tool.refusal("train", "postgresql:///db?host=/nowhere&table=t", *FLAGS, "--out",
                                        "m"))
        CLUSTER.sql("CREATE ROLE guest LOGIN")
        guest = CLUSTER.address("table=census").replace(f"{CLUSTER.user}@", "guest@")
        line = self.tool.refusal("train", guest, *FLAGS, "--out", "m")
        self.assertIn("GRANT SELECT", line)
        self.assertIn("SQLSTATE 42501", line)
        CLUSTER.sql("CREATE SEQUENCE counter")
        self.assertIn("SQLSTATE 25006", self.tool.refusal(*self.train(
            "query=SELECT *, nextval('counter') AS n FROM census ORDER BY id")))
        self.check_nothing_left()

    def test_what_quotes_a_cell_is_not_shown(self):
        query = 'query=SELECT id, "group"::int AS g, income FROM census ORDER BY id'
        line = self.tool.refusal(*self.train(query))
        self.assertIn("SQLSTATE 22P02", line)
        for value in ("g0", "g1", "invalid input syntax"):
            self.assertNotIn(value, line)
        CLUSTER.sql("""CREATE FUNCTION tell(text) RETURNS text LANGUAGE plpgsql AS
                       $$ BEGIN RAISE WARNING 'cell %', $1; RETURN $1; END $$""")
        done = self.tool.run("datasets", "describe", CLUSTER.address(
            'query=SELECT id, tell("group") AS g FROM census WHERE id < 9 ORDER BY id'))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("cell", done.stderr)
        self.check_nothing_left()

    def test_a_value_of_another_type_is_named_by_table_row_and_column(self):
        CLUSTER.sql("""CREATE TABLE late (id int PRIMARY KEY, x text, y int);
                       INSERT INTO late SELECT i, CASE i WHEN 10500 THEN 'ten' ELSE i::text END, i % 2
                       FROM generate_series(1, 11000) i""")
        line = self.tool.refusal("datasets", "describe", CLUSTER.address("table=late"), "--target", "y")
        self.assertIn("late, row 10500, column 'x': 'ten' is not a number", line)

    def wait_for(self, question):
        for _ in range(200):
            if question():
                return
            time.sleep(0.05)
        self.fail("nothing happened")

    def busy(self):
        """How many queries of the tool the server works on."""
        return int(CLUSTER.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND "
                               "query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()"))

    def slow_run(self, act, code=1):
        """Acts while the server is busy with a query; what the tool then says."""
        query = "query=SELECT *, pg_sleep(0.05) FROM census ORDER BY id"
        with subprocess.Popen([self.tool.path, *self.train(query)], cwd=self.folder.name, text=True,
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            self.wait_for(lambda: self.busy() == 1)
            act(running)
            _, said = running.communicate(timeout=60)
        self.assertEqual(running.returncode, code, said)
        self.assertEqual(said.count("\n"), 1, said)
        self.check_nothing_left()
        return said

    def test_ctrl_c_cancels_the_query(self):
        said = self.slow_run(lambda running: running.send_signal(signal.SIGINT))
        self.assertIn("interrupted; the query was cancelled", said)
        self.wait_for(lambda: self.busy() == 0)

    def test_a_query_cancelled_by_others_is_one_line(self):
        said = self.slow_run(lambda _: CLUSTER.sql(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%pg_sleep%'"))
        self.assertIn("SQLSTATE 57014", said)

    def test_a_lost_connection_is_one_line(self):
        said = self.slow_run(lambda _: CLUSTER.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%pg_sleep%'"))
        self.assertIn("dpfermi: query: ", said)
        self.assertTrue("SQLSTATE 57P01" in said or "was lost" in said, said)

    def test_a_table_that_changes_meanwhile_is_read_as_it_was(self):
        CLUSTER.sql("CREATE TABLE moving (LIKE census INCLUDING ALL); INSERT INTO moving SELECT * FROM census")
        stop = threading.Event()

        def move():
            while not stop.is_set():
                CLUSTER.sql("UPDATE moving SET id = id + 100000 WHERE id = (SELECT min(id) FROM moving)")

        mover = threading.Thread(target=move)
        mover.start()
        try:
            self.tool.must(*self.train("table=moving"))
        finally:
            stop.set()
            mover.join()


if __name__ == "__main__":
    if not BINARIES:
        skip("PostgreSQL is not installed")
    with tempfile.TemporaryDirectory() as shared:
        SHARED = Tool(TOOL, shared)
        SHARED.generate(3000)
        CLUSTER = Cluster()
        try:
            load_census(CLUSTER, shared)
            outcome = unittest.main(exit=False, verbosity=1)
        finally:
            CLUSTER.remove()
    sys.exit(not outcome.result.wasSuccessful())
