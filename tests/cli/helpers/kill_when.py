#!/usr/bin/env python3
"""Runs a command and sends it a signal as soon as a condition holds.

    kill_when.py SIGNAL CONDITION COMMAND...

CONDITION is a bash command that succeeds once the moment has come. The exit status is that of a shell
that waited for COMMAND: 128 + SIGNAL if the signal ended it. It is 99 if COMMAND ended before CONDITION
held, or if that took more than a minute.
"""

import signal
import subprocess
import sys
import time

LIMIT_SECONDS = 60
MISSED = 99


def holds(condition):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.run(["bash", "-c", condition], **quiet).returncode == 0


def missed(why):
    print("kill_when.py: " + why, file=sys.stderr)
    return MISSED


def kill_when(number, condition, run):
    """Exit status of the process `run`, which is sent signal `number`."""
    end = time.monotonic() + LIMIT_SECONDS
    while not holds(condition):
        if run.poll() is not None:
            return missed(f"the command ended with status {run.returncode} before: {condition}")
        if time.monotonic() > end:
            return missed(f"after {LIMIT_SECONDS} seconds still not: {condition}")
        time.sleep(0.01)
    run.send_signal(number)
    status = run.wait(LIMIT_SECONDS)
    return 128 - status if status < 0 else status


def main():
    number = signal.Signals["SIG" + sys.argv[1]]
    run = subprocess.Popen(sys.argv[3:])
    try:
        sys.exit(kill_when(number, sys.argv[2], run))
    finally:
        run.kill()


if __name__ == "__main__":
    main()
