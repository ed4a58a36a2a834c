#!/usr/bin/env python3
"""Our training steps beside the NumPy peer, in turns, best of five each: `train_peer.py TRAIN`.

The peer runs once on each BLAS that is installed: Debian's reference one, which NumPy gets by default,
and OpenBLAS. Skipped where Adult is not available ($DPFERMI_DATA or ../shared/data).
"""

import glob
import json
import os
import pathlib
import subprocess
import sys

REPETITIONS = 5
here = pathlib.Path(__file__).resolve().parent
data = pathlib.Path(os.environ.get("DPFERMI_DATA", here.parent.parent / "shared" / "data")) / "adult"
if not (data / "adult.data").exists():
    print(f"skipped: no Adult data in {data}")
    sys.exit(0)


def run(command, library=None):
    environment = dict(os.environ)
    if library:
        environment["LD_LIBRARY_PATH"] = str(pathlib.Path(library).parent)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


blas = {"reference BLAS": glob.glob("/usr/lib/*/blas/libblas.so.3"),
        "OpenBLAS": glob.glob("/usr/lib/*/openblas-pthread/libblas.so.3")}
ours, peers = [], {name: [] for name, found in blas.items() if found}
for _ in range(REPETITIONS):
    ours.append(run([sys.argv[1], "adult", str(data), "200", "1024", "1"]))
    for name in peers:
        peers[name].append(run(["/usr/bin/python3", str(here / "train_step.py"), "--data", str(data),
                                "--repetitions", "1"], blas[name][0]))
best = min(ours, key=lambda result: result["seconds"])
print(f"dpfermi: {best['seconds']:.3f} s for {best['steps']} steps, "
      f"{best['microseconds_per_step']:.1f} us a step; error {best['error']:.4f}, gap {best['gap']:.4f}")
for name, results in peers.items():
    peer = min(results, key=lambda result: result["seconds"])
    print(f"NumPy ({name}): {peer['seconds']:.3f} s for {peer['steps']} steps: "
          f"{peer['seconds'] / best['seconds']:.1f} times as long")
