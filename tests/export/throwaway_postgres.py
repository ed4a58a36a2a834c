"""A PostgreSQL server of its own, in a temporary folder, on a unix socket; gone when the block ends."""

import contextlib
import glob
import os
import pwd
import shutil
import subprocess
import tempfile


def as_postgres(command):
    """PostgreSQL does not run as root."""
    return ["runuser", "-u", "postgres", "--"] + command if os.geteuid() == 0 else command


@contextlib.contextmanager
def throwaway_postgres():
    """Yields a function that runs psql with the given text as input and returns what it prints."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
    folder = tempfile.mkdtemp(prefix="dpfermi-pg-")
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)

    def run(program, *arguments, text=None):
        done = subprocess.run(as_postgres([os.path.join(programs, program), *arguments]), input=text, cwd=folder,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr.strip()}")
        return done.stdout

    try:
        run("initdb", "-D", f"{folder}/data", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        run("pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield lambda text: run("psql", "-h", folder, "-d", "postgres", "-q", "-v", "ON_ERROR_STOP=1", text=text)
        finally:
            run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
