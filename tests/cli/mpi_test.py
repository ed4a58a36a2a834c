#!/usr/bin/env python3
"""Runs of several processes that mpirun started, beside the same runs of one.

    mpi_test.py TOOL IMPLEMENTATION...     openmpi, mpich: those that the tool was built for
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from census_tables import Tool, skip
from postgres_cluster import BINARIES, Cluster

TOOL = os.path.abspath(sys.argv.pop(1))
IMPLEMENTATIONS = [name for name in sys.argv[1:] if shutil.which(f"mpirun.{name}")]
del sys.argv[1:]

COLUMNS = ("--target", "income", "--positive", "high", "--sensitive", "group", "--sensitive-values", "group=g0,g1",
           "--other", "group=g0")
# On nobody's data a seed is allowed.
RUN = ("--seed", "7", "--rehearsal", "--ledger", "l.db", "--epsilon", "1")
STEPS = ("--method", "dp-fermi", "--lambda", "1", "--epochs", "2", "--batch", "1000")
SIZES = (1, 2, 3, 4, 7)


def mpirun(implementation, size):
    words = [f"mpirun.{implementation}", "-n", str(size)]
    if implementation == "openmpi":
        # Processes of this machine alone, by shared memory.
        words += ["--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader",
                  "--mca", "btl_vader_single_copy_mechanism", "none"]
    return words


class MpiTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.tool = Tool(TOOL, self.temporary.name)
        self.tool.must("datasets", "generate", "--rows", "4000", "--out", "people.csv")
        # Of every person four rows.
        with open(self.path("people.csv"), encoding="utf-8") as rows, \
             open(self.path("persons.csv"), "w", encoding="utf-8") as out:
            out.write("person," + rows.readline())
            for number, line in enumerate(rows):
                out.write(f"p{number // 4},{line}")

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def start(self, implementation, size, *arguments):
        # pylint: disable=consider-using-with
        return subprocess.Popen([*mpirun(implementation, size), TOOL, *arguments], cwd=self.temporary.name,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def run_with(self, implementation, size, *arguments):
        process = self.start(implementation, size, *arguments)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def must(self, implementation, size, *arguments):
        code, out, err = self.run_with(implementation, size, *arguments)
        if code != 0:
            raise AssertionError(f"{size} x {' '.join(arguments)}: exit {code}\n{err}")
        return out

    def digest(self, name):
        return self.tool.must("inspect", "--digest", name).strip()

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def check_digests(self, sizes, *arguments, of=None):
        """`arguments` write a file; its digest is that of one process without mpirun."""
        of = of or self.digest
        self.tool.must(*arguments, "--out", "alone", "--force")
        alone = of("alone")
        for implementation in IMPLEMENTATIONS:
            for size in sizes:
                self.must(implementation, size, *arguments, "--out", "shared", "--force")
                self.assertEqual(of("shared"), alone, f"{implementation}, {size} processes")

    def test_the_model_does_not_depend_on_the_number_of_processes(self):
        self.check_digests(SIZES, "train", "people.csv", *COLUMNS, *RUN, *STEPS)

    def test_nor_does_it_where_records_are_protected(self):
        with open(self.path("people.json"), "w", encoding="utf-8") as schema:
            json.dump({"target": {"column": "income", "values": ["low", "high"], "positive": "high"},
                       "sensitive": [{"column": "group", "values": ["g0", "g1"], "other": "g0"}]}, schema)
        bounds = [word for bound in ("age=0:100", "education_years=0:30", "hours_per_week=0:100", "tenure_years=0:50")
                  for word in ("--bounds", bound)]
        self.check_digests(SIZES, "train", "people.csv", "--schema", "people.json", "--adjacency", "replace-record",
                           *bounds, "--drop", "occupation,sector,household,region", *RUN, *STEPS)

    def test_nor_does_it_for_persons(self):
        self.check_digests(SIZES, "train", "persons.csv", *COLUMNS, "--id", "person", *RUN, *STEPS)

    def test_nor_do_sketches_and_their_models(self):
        # Without a ledger there is nothing in the file but the sketch.
        self.check_digests(SIZES, "sketch", "people.csv", *COLUMNS, "--seed", "7", "--epsilon", "1", "--research",
                           of=self.content)
        self.check_digests((3,), "train", "people.csv", *COLUMNS, *RUN, "--method", "sketch")

    def test_nor_does_what_a_pack_gives(self):
        self.tool.must("pack", "people.csv", *COLUMNS, "--out", "people.pack")
        self.check_digests(SIZES, "train", "people.pack", *RUN, *STEPS)

    def test_nor_do_private_figures(self):
        self.tool.must("train", "people.csv", *COLUMNS, *RUN, *STEPS, "--out", "m")
        asked = ("evaluate", "m", "people.csv", "--epsilon", "1", "--seed", "3", "--rehearsal", "--ledger", "l.db")

        def figures(text):
            return [line for line in text.splitlines() if not line.startswith("Recorded")]
        alone = figures(self.tool.must(*asked))
        for implementation in IMPLEMENTATIONS:
            for size in SIZES:
                self.assertEqual(figures(self.must(implementation, size, *asked)), alone)

    def test_nor_do_the_records_of_a_sweep(self):
        grid = ("sweep", "people.csv", *COLUMNS, "--methods", "dp-fermi,erm,coin", "--lambdas", "0,2", "--splits", "2",
                "--workers", "1")

        def records(folder):
            with open(self.path(folder + "/runs.jsonl"), encoding="utf-8") as lines:
                return [line.split(',"seconds":')[0] for line in lines]
        self.tool.must(*grid, "--out", "alone")
        for implementation in IMPLEMENTATIONS:
            self.must(implementation, 3, *grid, "--out", implementation)
            self.assertEqual(records(implementation), records("alone"))
        code, _, err = self.run_with(IMPLEMENTATIONS[0], 3, *grid, "--charge", "--ledger", "l.db", "--out", "charged")
        self.assertEqual(code, 2)
        self.check_one_line(err, "is for one process")

    def test_the_budget_is_charged_once(self):
        for charges, implementation in enumerate(IMPLEMENTATIONS, start=1):
            self.must(implementation, 3, "train", "people.csv", *COLUMNS, *RUN, *STEPS, "--out", "m", "--force")
            self.assertEqual([budget["charges"] for budget in self.tool.budgets()], [charges])
            self.assertEqual(sorted(self.tool.files()), ["l.db", "l.db.key", "m", "people.csv", "persons.csv"])

    def test_a_run_goes_on_with_another_number_of_processes(self):
        checkpoint = ("--checkpoint", "c", "--checkpoint-every", "4")
        run = ("train", "people.csv", *COLUMNS, *RUN, "--method", "dp-fermi", "--lambda", "1", "--epochs", "40",
               "--batch", "300", *checkpoint)
        self.tool.must(*run, "--out", "whole")
        for implementation in IMPLEMENTATIONS:
            os.remove(self.path("c"))
            process = self.start(implementation, 3, *run, "--out", "m")
            self.wait_for(lambda: os.path.exists(self.path("c")), process)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            self.kill_leftovers()
            self.assertNotIn("m", self.tool.files())
            self.must(implementation, 2, *run, "--resume", "c", "--out", "m")
            self.assertEqual(self.digest("m"), self.digest("whole"))
            os.remove(self.path("m"))

    def wait_for(self, question, process):
        for _ in range(6000):
            if question() or process.poll() is not None:
                return
            time.sleep(0.01)

    def ranks(self):
        """The processes of the tool that work in this folder."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/cwd") == self.temporary.name and \
                   os.readlink(f"/proc/{pid}/exe") == TOOL:
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def kill_leftovers(self):
        for pid in self.ranks():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def charges(self):
        if "l.db" not in self.tool.files():
            return 0
        self.tool.must("ledger", "verify", "--ledger", "l.db")
        return sum(budget["charges"] for budget in self.tool.budgets())

    def kill_one(self, implementation, epochs, moment, name, charged=False):
        """Kills one of three processes `moment` seconds after they started, or after the charge; how many charges
        were added, and whether the model is there."""
        before = self.charges()
        process = self.start(implementation, 3, "train", "people.csv", *COLUMNS, *RUN, "--method", "dp-fermi",
                             "--lambda", "1", "--epochs", str(epochs), "--batch", "300", "--out", name)
        self.wait_for(lambda: self.charges() > before if charged else len(self.ranks()) == 3, process)
        time.sleep(moment)
        ranks = self.ranks()
        if ranks:
            os.kill(random.choice(ranks), signal.SIGKILL)
        process.communicate(timeout=120)
        left = self.tool.files()
        self.assertFalse([file for file in left if file.startswith(name) and file != name], left)
        added = self.charges() - before
        self.assertIn(added, (0, 1))
        if name in left:
            self.digest(name)
            self.assertEqual(added, 1, "a model that was not paid for")
        else:
            self.assertNotEqual(process.returncode, 0)
        return added, name in left

    def test_a_killed_process_ends_the_run_whole_or_absent_and_never_undercharged(self):
        moments = random.Random(1)
        for implementation in IMPLEMENTATIONS:
            for attempt in range(8):
                self.kill_one(implementation, 60, moments.uniform(0, 2), f"{implementation}{attempt}")
            # These would go on far longer: they are hit in the midst of training.
            hit = [self.kill_one(implementation, 20000, moments.uniform(0, 1), f"{implementation}long{attempt}", True)
                   for attempt in range(2)]
            self.assertEqual(hit, [(1, False), (1, False)])

    def start_elsewhere(self, implementation, here, there, folder):
        """Two processes that run `here`, and a third one that runs `there` in another folder."""
        flag = "-wdir" if implementation == "mpich" else "--wdir"
        start = mpirun(implementation, 2)
        return subprocess.run([*start, TOOL, *here, ":", "-n", "1", flag, self.path(folder), TOOL, *there],
                              cwd=self.temporary.name, capture_output=True, text=True, timeout=300, check=False)

    def test_what_one_process_fails_at_ends_the_run_of_all(self):
        # The last of three processes is started where there is no table, or with a flag that is none.
        os.mkdir(self.path("elsewhere"))
        run = ("train", "people.csv", *COLUMNS, *RUN, *STEPS, "--out", "m")
        for implementation in IMPLEMENTATIONS:
            for there, part in ((run, "people.csv"), ((*run, "--no-such-flag"), "--no-such-flag")):
                done = self.start_elsewhere(implementation, run, there, "elsewhere")
                self.assertNotEqual(done.returncode, 0)
                self.check_one_line(done.stderr, part)
                self.assertNotIn("m", self.tool.files())
                self.assertEqual(os.listdir(self.path("elsewhere")), [])

    def test_other_rows_at_one_process_are_refused_before_anything_is_charged(self):
        # One cell of the copy differs: a feature, or the protected group.
        with open(self.path("people.csv"), encoding="utf-8") as rows:
            header, first, *others = rows.readlines()
        os.mkdir(self.path("copy"))
        for column in ("age", "group"):
            cells = first.strip().split(",")
            place = header.strip().split(",").index(column)
            cells[place] = {"group": "g0" if cells[place] == "g1" else "g1"}.get(column, "33.25")
            with open(self.path("copy/people.csv"), "w", encoding="utf-8") as out:
                out.writelines([header, ",".join(cells) + "\n", *others])
            for implementation in IMPLEMENTATIONS:
                for verb in (("train", *STEPS), ("sketch",)):
                    run = (verb[0], "people.csv", *COLUMNS, *RUN, *verb[1:], "--test-fraction", "0", "--out", "m")
                    done = self.start_elsewhere(implementation, run, run, "copy")
                    self.assertNotEqual(done.returncode, 0, done.stderr)
                    self.check_one_line(done.stderr, "process 2 has other")
        self.assertEqual(self.tool.files(), ["copy", "people.csv", "persons.csv"])

    def test_other_settings_at_one_process_are_refused_before_anything_is_charged(self):
        run = ("train", "people.csv", *COLUMNS, *RUN, *STEPS, "--out", "m")
        done = self.start_elsewhere(IMPLEMENTATIONS[0], run, (*run, "--hidden", "3"), ".")
        self.assertNotEqual(done.returncode, 0)
        self.check_one_line(done.stderr, "process 2 has other settings")
        self.assertEqual(self.tool.files(), ["people.csv", "persons.csv"])

    def test_processes_see_one_snapshot_of_a_table_that_changes(self):
        if not BINARIES:
            self.skipTest("PostgreSQL is not installed")
        with Cluster() as cluster:
            columns = cluster.load(self.path("persons.csv"), "plain")
            cluster.sql(f"CREATE TABLE moving ({columns}, id serial PRIMARY KEY); INSERT INTO moving SELECT * FROM plain")
            stop = threading.Event()

            def move():
                while not stop.is_set():
                    cluster.sql("UPDATE moving SET age = age + 0.5 WHERE id % 2 = 0")
            mover = threading.Thread(target=move)
            mover.start()
            try:
                for implementation in IMPLEMENTATIONS:
                    self.must(implementation, 3, "train", cluster.address("table=moving"), *COLUMNS, "--drop", "id,person",
                              *RUN, *STEPS, "--out", "m", "--force")
            finally:
                stop.set()
                mover.join()
        self.assertEqual(sum(budget["charges"] for budget in self.tool.budgets()), len(IMPLEMENTATIONS))

    def test_the_environment_of_a_launcher_alone_changes_nothing(self):
        for variables, code in (({"PMI_RANK": "1"}, 0), ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}, 0),
                                ({"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "4"}, 1)):
            done = Tool(TOOL, self.temporary.name, variables).run("--version")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual("start them with mpirun" in done.stderr, code == 1)

    def test_refusals_are_one_line(self):
        for words in (("predict", "m", "people.csv"), ("sketch", "merge", "a", "b", "--out", "c")):
            code, out, err = self.run_with(IMPLEMENTATIONS[0], 3, *words)
            self.assertEqual((code, out), (2, ""))
            self.check_one_line(err, "is for one process")
        code, out, err = self.run_with(IMPLEMENTATIONS[0], 3, "train", "nowhere.csv", *COLUMNS, *RUN, "--out", "m")
        self.assertEqual((code, out), (1, ""))
        self.check_one_line(err, "nowhere.csv")
        code, out, err = self.run_with(IMPLEMENTATIONS[0], 3, "train", "-", *COLUMNS, *RUN, "--out", "m")
        self.assertEqual((code, out), (2, ""))
        self.check_one_line(err, "save it to a file")
        self.tool.must("ledger", "init", "small", "--epsilon", "0.5", "--delta", "1e-6", "--adjacency",
                       "sensitive", "--ledger", "s.db")
        code, out, err = self.run_with(IMPLEMENTATIONS[0], 3, "train", "people.csv", *COLUMNS, *STEPS, "--seed", "7",
                                       "--rehearsal", "--epsilon", "1", "--ledger", "s.db", "--budget", "small",
                                       "--out", "m")
        self.assertEqual((code, out), (3, ""))
        self.check_one_line(err, "small")
        self.assertNotIn("m", self.tool.files())

    def check_one_line(self, err, part):
        own = [line for line in err.splitlines() if line.startswith("dpfermi:")]
        self.assertEqual(len(own), 1, err)
        self.assertIn(part, own[0])


if __name__ == "__main__":
    if not IMPLEMENTATIONS:
        skip("neither OpenMPI nor MPICH is installed, or the tool was built without")
    unittest.main()
