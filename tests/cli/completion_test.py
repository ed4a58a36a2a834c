#!/usr/bin/env python3
"""Completes commands and options in real shells: bash, zsh (in a terminal) and fish, those that are installed.

    completion_test.py TOOL [--installed]

By default each shell loads the script that TOOL prints. --installed: it finds the script where the package put it.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

tool = sys.argv[1]
installed = "--installed" in sys.argv
# What is typed, and what it becomes: the one continuation, or a choice that holds these words and not those.
UNIQUE = [
    ("dpfermi calib", "calibrate"),
    ("dpfermi datasets des", "describe"),
    ("dpfermi datasets describe --posi", "--positive"),
    ("dpfermi --quiet ledger init --compo", "--composition"),
    ("dpfermi ledger show --led", "--ledger"),
    ("dpfermi train --jso", "--json"),
]
CHOICES = [
    ("dpfermi le", {"ledger"}, {"train"}),
    ("dpfermi completion ", {"bash", "zsh", "fish"}, {"train"}),
    ("dpfermi ledger sign --s", set(), {"--show"}),
]


def in_bash(line):
    load = (". /usr/share/bash-completion/bash_completion; _completion_loader dpfermi" if installed
            else f"source <({tool} completion bash)")
    words = line.split(" ")
    program = (f'{load}\nCOMP_WORDS=("$@") COMP_CWORD={len(words) - 1}\n'
               '_dpfermi\nprintf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", program, "bash", *words], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def in_fish(line):
    load = "" if installed else f"{tool} completion fish | source; "
    done = subprocess.run(["fish", "-c", f'{load}complete -C "{line}"'], capture_output=True, text=True, check=True)
    return {words.split("\t")[0] for words in done.stdout.splitlines() if words}


class Zsh:
    """A zsh in a terminal. What Tab made of a line is read off its buffer, and what it offers off the screen."""

    def __init__(self, folder):
        load = "" if installed else f"source <({tool} completion zsh)\n"
        (folder / ".zshrc").write_text(
            "PS1='> '; unsetopt beep\nautoload -Uz compinit; compinit -u -D\n" + load +
            "zstyle ':completion:*' format ''\n"
            f"show() {{ print -r -- \"$BUFFER\" > {folder}/buffer; BUFFER=; zle redisplay }}\n"
            "zle -N show; bindkey '^G' show\nprint ready\n")
        self.folder = folder
        child, self.terminal = pty.fork()
        if child == 0:
            os.environ.update(ZDOTDIR=str(folder), HOME=str(folder), TERM="xterm", COLUMNS="200", LINES="100")
            os.chdir(folder)
            os.execvp("zsh", ["zsh", "-i"])
        self.read_until("ready")

    def read_until(self, wanted, seconds=30):
        seen = ""
        end = time.monotonic() + seconds
        while wanted not in seen and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                seen += os.read(self.terminal, 65536).decode(errors="replace")
        assert wanted in seen, f"zsh printed {seen!r}, not {wanted!r}"
        return seen

    def complete(self, line):
        """The word that Tab made of the last one, or the words that it offers below."""
        buffer = self.folder / "buffer"
        buffer.unlink(missing_ok=True)
        os.write(self.terminal, line.encode() + b"\t")
        screen = self.drain()
        os.write(self.terminal, b"\x07")
        end = time.monotonic() + 30
        while not (buffer.exists() and buffer.read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        screen += self.drain(0.3)
        completed = buffer.read_text().rstrip("\n")
        if completed.rstrip(" ") != line.rstrip(" "):
            return {completed.split()[-1]}
        return set(re.findall(r"[\w-]+", screen))

    def drain(self, quiet=1.0):
        """What zsh prints until it has been quiet for so many seconds."""
        seen = ""
        while select.select([self.terminal], [], [], quiet)[0]:
            seen += os.read(self.terminal, 65536).decode(errors="replace")
        return seen


class Checks:
    def __init__(self):
        self.failures, self.shells = [], []

    def shell(self, name, complete):
        """`complete` takes a line and returns what is offered for its last word."""
        self.shells.append(name)
        for line, word in UNIQUE:
            self.expect(name, line, complete(line), lambda offered, word=word: offered == {word})
        for line, wanted, unwanted in CHOICES:
            self.expect(name, line, complete(line), lambda offered: wanted <= offered and not unwanted & offered)

    def expect(self, name, line, offered, holds):
        if not holds(offered):
            self.failures.append(f"{name}: '{line}' offers {sorted(offered)}")


checks = Checks()
if shutil.which("bash"):
    checks.shell("bash", in_bash)
if shutil.which("fish"):
    checks.shell("fish", in_fish)
if shutil.which("zsh"):
    with tempfile.TemporaryDirectory() as folder:
        checks.shell("zsh", Zsh(pathlib.Path(folder)).complete)

print(f"{len(UNIQUE) + len(CHOICES)} lines in {', '.join(checks.shells)}")
print("\n".join(checks.failures))
sys.exit(1 if checks.failures or not checks.shells else 0)
