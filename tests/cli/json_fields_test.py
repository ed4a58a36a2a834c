"""Every field that --json prints is on docs/json.md, and every field on it is one that the sources write.

    json_fields_test.py TOOL PROJECT
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GROUPS = "--target income --positive high --sensitive group --sensitive-values group=g0,g1 --other group=g0"
LEDGER = "--ledger l.db --budget people"
VERBS = f"""
datasets list
datasets describe p.csv {GROUPS} --exact
methods
ledger init people --epsilon 30 --delta 1e-3 --adjacency sensitive --ledger l.db
train p.csv {GROUPS} --epsilon 5 --max-violation 0.1 {LEDGER} --exact --test-fraction 0 --out m.model
train p.csv {GROUPS} --epsilon 5 --max-violation 0.1 {LEDGER} --dry-run
train p.csv {GROUPS} --method dp-fermi --epsilon 5 --lambda 1 --research --out d.model
train p.csv {GROUPS} --method erm --exact --test-fraction 0 --out e.model
sketch p.csv {GROUPS} --epsilon 5 --research --out p.sketch
repair p.csv {GROUPS} --model e.model --epsilon 5 --research --out r.model
repair p.csv {GROUPS} --model e.model --sketch p.sketch --targets 0.05 --out r.model --force
predict m.model p.csv --out predicted.csv
predict m.model p.csv
evaluate m.model p.csv
evaluate m.model p.csv --epsilon 5 --research
inspect m.model
inspect m.model --digest
inspect p.sketch
verify m.model
pack p.csv {GROUPS} --out p.pack
export m.model --format sql --out m.sql
sweep p.csv {GROUPS} --methods fermi,dp-fermi,coin --epsilons 5 --lambdas 0,1 --splits 2 --out curves
summary curves
report curves --out curves.html
account --noise-multiplier 2 --delta 1e-6
calibrate --noise-multiplier 2 --epsilon 1 --delta 1e-6 --find steps
ledger show people --ledger l.db
ledger verify --ledger l.db --model m.model
"""
# Names that come from the data: columns, classes and tables.
FROM_DATA = {"labels", "probabilities", "columns", "tables"}


def names_in(value, seen):
    if isinstance(value, list):
        for item in value:
            names_in(item, seen)
    elif isinstance(value, dict):
        for name, item in value.items():
            seen.add(name)
            if name not in FROM_DATA:
                names_in(item, seen)
            elif isinstance(item, list):
                names_in(item, seen)


def schema_fields(project):
    """The schema file has a page section of its own."""
    source = (project / "src/data/schema_json.cc").read_text(encoding="utf-8")
    return set(re.findall(r'"([a-z_]+)"', source))


def main():
    tool, project = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    page = (project / "docs/json.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`([a-z][a-z_0-9]*)`", page))
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, HOME=folder)
        env.pop("DPFERMI_LEDGER", None)
        env.pop("XDG_STATE_HOME", None)

        def run(line):
            done = subprocess.run([tool, *line.split()], cwd=folder, env=env, text=True, capture_output=True)
            if done.returncode != 0:
                sys.exit(f"dpfermi {line}: {done.stderr}")
            return done.stdout

        run("datasets generate --rows 1500 --numeric 2 --categorical 1 --out p.csv")
        for line in VERBS.strip().splitlines():
            names_in(json.loads(run(line + " --json --quiet")), seen)
    bad = [f"not on docs/json.md: {name}" for name in sorted(seen - documented - schema_fields(project))]
    sources = "".join(path.read_text(encoding="utf-8") for folder in ("src", "apps", "include")
                      for path in (project / folder).rglob("*.[ch]*"))
    verbs = {line.split()[0] for line in VERBS.strip().splitlines()} | {"audit", "fetch", "path", "list"}
    for name in sorted(documented - seen - verbs):
        if f'"{name}"' not in sources:
            bad.append(f"on docs/json.md, and written nowhere: {name}")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
