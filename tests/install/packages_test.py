#!/usr/bin/env python3
"""The Debian packages of this build: refused with planted defects, else what Debian expects of them, twice the same.

    packages_test.py BUILD_FOLDER VERSION SCRATCH_FOLDER MUTANTS

Only the packages without static libraries, which take long to compress. tools/check_package.sh installs all of them.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

build, version, scratch, mutants = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4] == "ON"
if not shutil.which("dpkg-shlibdeps"):
    sys.exit(77)
PACKAGES = ["dpfermi", "libdpfermi1", "python3-dpfermi"]
problems = []


def expect(holds, problem):
    if not holds:
        problems.append(problem)


def pack(folder, **settings):
    environment = {key: value for key, value in os.environ.items() if key != "DPFERMI_INSTALL_MUTANTS"}
    environment.update(settings, SOURCE_DATE_EPOCH="1700000000")
    shutil.rmtree(folder, ignore_errors=True)
    return subprocess.run(
        ["cpack", "--config", f"{build}/CPackConfig.cmake", "-B", folder,
         "-D", "CPACK_COMPONENTS_ALL=tool;library;python", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"],
        env=environment, capture_output=True, text=True)


def field(package, name):
    return subprocess.run(["dpkg-deb", "-f", package, name], capture_output=True, text=True, check=True).stdout.strip()


def contents(package):
    """Path -> mode, owner and target of every entry."""
    listed = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, text=True, check=True).stdout
    entries = [re.match(r"(\S+) (\S+) +\d+ \S+ \S+ \.(\S*)(?: -> (\S+))?", line).groups() for line in listed.splitlines()]
    return {path: (mode, owner, target) for mode, owner, path, target in entries}


if mutants:
    refused = pack(scratch / "refused")
    expect(refused.returncode != 0, "a build with planted defects was packed")
    expect("planted" in refused.stderr + refused.stdout or "plant (DPFERMI_MUTANTS)" in refused.stderr + refused.stdout,
           f"it was refused without the reason: {refused.stderr}")

digests = []
for attempt in ("first", "second"):
    done = pack(scratch / attempt, DPFERMI_INSTALL_MUTANTS="1")
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    made = {path.name.split("_")[0]: path for path in (scratch / attempt).glob("*.deb")}
    digests.append({name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in made.items()})
expect(sorted(made) == PACKAGES, f"packages are {sorted(made)}")
expect(digests[0] == digests[1], f"two runs differ: {digests}")

files = {name: contents(path) for name, path in made.items()}
for name, path in made.items():
    expect(field(path, "Version") == version, f"{name}: version {field(path, 'Version')}")
    expect("x86-64" in field(path, "Description"), f"{name}: the description does not name the processors")
    for wanted in ("copyright", "changelog.gz"):
        expect(f"/usr/share/doc/{name}/{wanted}" in files[name], f"{name}: no {wanted}")
    for entry, (mode, owner, _) in files[name].items():
        expect(owner == "root/root" and mode[1:] in ("rwxr-xr-x", "rw-r--r--", "rwxrwxrwx"), f"{name}: {entry} {mode} {owner}")

tool = files["dpfermi"]
for wanted in ("/usr/bin/dpfermi", "/usr/share/man/man1/dpfermi.1.gz", "/usr/share/man/man1/dpfermi-train.1.gz",
               "/usr/share/bash-completion/completions/dpfermi", "/usr/share/fish/vendor_completions.d/dpfermi.fish"):
    expect(wanted in tool, f"dpfermi: no {wanted}")
expect(any(path.startswith("/usr/share/zsh/") and path.endswith("/_dpfermi") for path in tool), "dpfermi: no completion of zsh")
depends = field(made["dpfermi"], "Depends")
for library in ("libc6", "libssl3", "libsqlite3-0", "libxgboost0"):
    expect(library in depends, f"dpfermi: does not depend on {library}: {depends}")

library = [path for path in files["libdpfermi1"] if path.endswith("/libdpfermi.so.1")]
expect(len(library) == 1, f"libdpfermi1: {sorted(files['libdpfermi1'])}")
folder = "/usr/lib/python3/dist-packages/dpfermi"
python = files["python3-dpfermi"]
target = python.get(f"{folder}/libdpfermi.so", ("", "", "missing"))[2]
expect([os.path.normpath(f"{folder}/{target}")] == library, f"python3-dpfermi: libdpfermi.so is a link to {target}")
for wanted in ("__init__.py", "py.typed"):
    expect(f"{folder}/{wanted}" in python, f"python3-dpfermi: no {wanted}")
expect(f"{folder}-{version}.dist-info/METADATA" in python, "python3-dpfermi: no metadata")
expect(f"libdpfermi1 (= {version})" in field(made["python3-dpfermi"], "Depends"), "python3-dpfermi: takes any libdpfermi1")

print("\n".join(problems))
sys.exit(1 if problems else 0)
