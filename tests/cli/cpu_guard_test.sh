#!/usr/bin/env bash
# On a CPU without AVX2 (emulated) the tool says so in one line instead of dying of a signal.
# cpu_guard_test.sh TOOL; exits with 77 (skipped) without the emulator.
set -u
command -v qemu-x86_64 >/dev/null || exit 77
said=$(qemu-x86_64 -cpu Nehalem "$1" --version 2>&1)
status=$?
echo "$said (exit status $status)"
[ "$status" -eq 1 ] && [[ "$said" == "dpfermi: this CPU lacks instructions of x86-64-v3"* ]]
