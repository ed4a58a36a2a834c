"""The AUC example as its reader meets it: on the synthetic census, with fixed noise.

Usage: run_auc.py PROGRAM
"""

import re
import subprocess
import sys


def run(*options):
    done = subprocess.run([sys.argv[1], *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(done.args)} failed: {done.stderr}")
    return done.stdout


def aucs(text):
    return {
        float(epsilon): float(auc)
        for epsilon, auc in re.findall(r"\| private, epsilon ([\d.]+), .*? \| ([\d.]+) \|", text)
    }


first = run("--synthetic", "--seed", "1", "--splits", "1")
found = aucs(first)
assert len(found) == 4, first
for promised, certified in zip((0.5, 1, 3, 9), sorted(found)):
    assert 0.99 * promised <= certified <= promised, f"promised {promised}, certified {certified}"
assert found[sorted(found)[2]] > 0.85, f"epsilon 3 gives {first}"
assert "reproducible, not private" in first, first
exact = float(re.search(r"\| not private, same problem +\| ([\d.]+) \|", first).group(1))
assert exact >= found[min(found)], first

assert run("--synthetic", "--seed", "1", "--splits", "1") == first, "a seed gave two results"
assert aucs(run("--synthetic", "--seed", "2", "--splits", "1")) != found, "noise ignores the seed"
secret = run("--synthetic", "--splits", "1")
assert "noise secret" in secret and aucs(secret) != found, secret

missing = subprocess.run([sys.argv[1], "--data", "/nonexistent"], capture_output=True, text=True, check=False)
assert missing.returncode == 1 and "credit-card" in missing.stderr, missing.stderr
