#!/usr/bin/python3
"""The Python package beside the tool: a fit on a frame of Adult, a frame of a million rows, the import.

CPU seconds on one thread, each run in its own process, in turns; the best of five counts. The tool's time without
reading is that of the run less that of the same run with --dry-run, which reads and plans. The digests are
compared, so that both have done the same work. A million rows are made ready for training (read, encoded); their
memory is what the process grows by at its peak, over the bytes of the frame. Without Adult ($DPFERMI_DATA or ../shared/data)
the first part is left out.

    python_speed.py DPFERMI LIBRARY
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROUNDS = 5
ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("DPFERMI_DATA", ROOT.parent / "shared" / "data")) / "adult" / "adult.data"
NAMES = ["age", "workclass", "fnlwgt", "education", "education_num", "marital", "occupation", "relationship", "race", "sex",
         "gain", "loss", "hours", "country", "income"]

FIT = """
import json, pandas, sys, time
import dpfermi
path, method, ledger = sys.argv[1:]
frame = pandas.read_csv(path, na_values=["?"])
X, y, s = frame.drop(columns=["sex", "income"]), frame["income"], frame["sex"]
model = dpfermi.FairClassifier(method=method, lambda_=1, epsilon=1, delta=1e-6, sensitive_values=["Female", "Male"],
                               positive=">50K", random_state=1, ledger=ledger, rehearsal=True, data_name="adult.csv")
start = time.process_time()
model.fit(X, y, sensitive_features=s)
print(json.dumps({"seconds": time.process_time() - start, "digest": model.digest_}))
"""

MILLION = """
import json, numpy, pandas, time
import dpfermi
from dpfermi._base import People
rng = numpy.random.default_rng(0)
rows = 1_000_000
X = pandas.concat([pandas.DataFrame(rng.normal(size=(rows, 30)), columns=[f"n{k}" for k in range(30)]),
                   pandas.DataFrame({f"c{k}": pandas.Categorical.from_codes(rng.integers(0, 8, size=rows), list("abcdefgh"))
                                     for k in range(10)})], axis=1)
y, s = pandas.Series(rng.integers(0, 2, size=rows)), pandas.Series(rng.integers(0, 2, size=rows))
def memory(line):
    with open("/proc/self/status") as status:
        return next(int(text.split()[1]) * 1024 for text in status if text.startswith(line))
open("/proc/self/clear_refs", "w").write("5")     # making the frame took more than it takes
size, before, start = X.memory_usage(index=False).sum(), memory("VmRSS"), time.process_time()
people = People(dpfermi.FairClassifier(sensitive_values=[0, 1]), X, y, s, None, None)
converted = time.process_time()
table = people.load(dpfermi.FairClassifier(sensitive_values=[0, 1]), with_groups=True)
end = time.process_time()
print(json.dumps({"seconds": end - start, "of which in Python": converted - start, "frame": int(size),
                  "growth": (memory("VmHWM") - before) / int(size)}))
"""

IMPORT = """
import json, numpy, sys, time
start = time.process_time()
import dpfermi
print(json.dumps({"seconds": time.process_time() - start, "needless": [m for m in ("pandas", "sklearn") if m in sys.modules]}))
"""


def run(code, *arguments):
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def best(measure):
    return min((measure() for _ in range(ROUNDS)), key=lambda result: result["seconds"])


def cpu_of(command, folder):
    """CPU seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def adult(tool, folder):
    import pandas

    frame = pandas.read_csv(DATA, names=NAMES, skipinitialspace=True, keep_default_na=False)
    frame.to_csv(folder / "adult.csv", index=False)
    print(f"A fit on a frame of Adult, {len(frame):,} rows\n"
          f"{'method':10}  {'Python':>7}  {'tool without reading':>20}  {'ratio':>5}")
    for method in ("sketch", "dp-fermi"):
        command = [tool, "train", "adult.csv", "--target", "income", "--positive", ">50K", "--sensitive", "sex",
                   "--sensitive-values", "sex=Female,Male", "--method", method, "--lambda", "1", "--epsilon", "1", "--delta",
                   "1e-6", "--test-fraction", "0", "--seed", "1", "--rehearsal", "--threads", "1", "--ledger", "tool.db",
                   "--budget", "default", "--out", "adult.model", "--force"]
        fits, trained, planned = [], [], []
        for _ in range(ROUNDS):
            fits.append(run(FIT, str(folder / "adult.csv"), method, str(folder / "python.db")))
            trained.append(cpu_of(command, folder))
            planned.append(cpu_of([*command, "--dry-run"], folder))
        digest = subprocess.run([tool, "inspect", "--digest", "adult.model"], cwd=folder, check=True, capture_output=True,
                                text=True).stdout.strip()
        assert all(fit["digest"] == digest for fit in fits), "not the same model"
        mine, theirs = min(fit["seconds"] for fit in fits), min(trained) - min(planned)
        print(f"{method:10}  {mine:7.3f}  {theirs:20.3f}  {mine / theirs:5.2f}")


def main():
    tool, library = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    os.environ.update(DPFERMI_LIBRARY=library, PYTHONPATH=str(ROOT / "python"), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as folder:
        if DATA.exists():
            adult(tool, pathlib.Path(folder))
        else:
            print(f"No Adult data at {DATA}")
    loaded = best(lambda: run(MILLION))
    print(f"A million rows of 30 numbers and 10 categoricals, {loaded['frame'] / 1e6:.0f} MB: {loaded['seconds']:.2f} s, "
          f"{loaded['of which in Python']:.2f} s of which in Python; the process grows by {loaded['growth']:.2f} of the frame")
    imported = best(lambda: run(IMPORT))
    print(f"import dpfermi after numpy: {imported['seconds']:.3f} s; also imported: {imported['needless'] or 'neither pandas nor scikit-learn'}")


if __name__ == "__main__":
    main()
