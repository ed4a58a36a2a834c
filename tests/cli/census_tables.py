"""The synthetic census as a text file, and the tool run on copies of it; shared by the tests of sources."""

import json
import os
import subprocess
import sys


class Tool:
    """The program under test, run in a separate folder."""

    def __init__(self, path, folder, environment=None):
        self.path = os.path.abspath(path)
        self.folder = folder
        self.environment = {**os.environ, **(environment or {})}

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=300, check=False)

    def must(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def refusal(self, *arguments):
        """The one line with which the tool refuses."""
        done = self.run(*arguments)
        if done.returncode == 0 or done.stdout:
            raise AssertionError(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stdout}")
        lines = [line for line in done.stderr.splitlines() if not line.startswith("note")]
        if len(lines) != 1:
            raise AssertionError(f"not one line: {done.stderr}")
        return lines[0]

    def digest(self, table, out, *more):
        """Trains on synthetic data with a fixed seed; the digest of the model."""
        self.must("train", table, *FLAGS, "--out", out, *more)
        return self.must("inspect", "--digest", out).strip()

    def generate(self, rows):
        """`census`, a text file with a column id in front, and its schema."""
        self.must("datasets", "generate", "--rows", str(rows), "--out", "plain.csv", "--schema-out",
                  "census.json")
        with open(os.path.join(self.folder, "plain.csv"), encoding="utf-8") as plain, \
             open(os.path.join(self.folder, "census"), "w", encoding="utf-8") as out:
            out.write("id," + plain.readline())
            for number, line in enumerate(plain):
                out.write(f"{number},{line}")
        os.remove(os.path.join(self.folder, "plain.csv"))

    def budgets(self):
        shown = json.loads(self.must("ledger", "show", "--ledger", "l.db", "--json"))
        return shown["budgets"]

    def files(self):
        return sorted(os.listdir(self.folder))


FLAGS = ["--schema", "census.json", "--drop", "id", "--method", "dp-fermi", "--epsilon", "1",
         "--lambda", "1", "--epochs", "2", "--seed", "7", "--rehearsal", "--ledger", "l.db"]


def skip(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(77)
