"""A throw-away PostgreSQL server, for tests and measurements."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile

BINARIES = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1:]


class Cluster:
    """A server that listens on a socket in a folder, and nowhere else."""

    def __init__(self):
        # Sockets have short paths, and servers do not run as root.
        self.folder = tempfile.mkdtemp(prefix="pg", dir="/tmp")
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        os.chmod(self.folder, 0o755)
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.user)
        self.environment = {**os.environ, "PGHOST": self.folder, "PGUSER": self.user,
                            "PGDATABASE": "postgres", "LC_ALL": "C"}
        self.command("initdb", "-A", "trust", "-U", self.user, "-E", "UTF8", f"{self.folder}/data")
        self.start()

    def command(self, name, *arguments):
        prefix = ["runuser", "-u", self.user, "--"] if os.geteuid() == 0 else []
        subprocess.run([*prefix, os.path.join(BINARIES[0], name), *arguments], check=True,
                       stdout=subprocess.DEVNULL, cwd="/", env=self.environment)

    def start(self):
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self.command("pg_ctl", "-D", f"{self.folder}/data", "-o", options, "-w", "-l",
                     f"{self.folder}/log", "start")

    def stop(self):
        self.command("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "immediate", "stop")

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def sql(self, text):
        # By standard input: a query of thousands of categories is longer than an argument may be.
        done = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1"], input=text,
                              env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    def address(self, rest):
        return f"postgresql://{self.user}@/postgres?host={self.folder}&{rest}"

    def load(self, path, table):
        """A text file as a table: whole numbers, floats and texts by its first row. Returns its columns."""
        with open(path, encoding="utf-8") as file:
            names, cells = (file.readline().strip().split(",") for _ in range(2))

        def type_of(cell):
            try:
                float(cell)
            except ValueError:
                return "text"
            return "bigint" if cell.lstrip("-").isdigit() else "double precision"

        columns = ", ".join(f'"{name}" {type_of(cell)}' for name, cell in zip(names, cells))
        copy = os.path.join(self.folder, "copy")  # where the server's user can read it
        shutil.copy(path, copy)
        os.chmod(copy, 0o644)
        self.sql(f"CREATE TABLE {table} ({columns}); COPY {table} FROM '{copy}' (FORMAT csv, HEADER)")
        os.remove(copy)
        return columns
