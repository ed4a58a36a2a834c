"""The wheel: what is in it, where it works and where it says that it does not. CMake does not run; the library is that of
the tests."""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

pytest.importorskip("build")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EMULATOR = shutil.which("qemu-x86_64")
USE = """
import dpfermi
from dpfermi.examples import people
X, y, group = people(500)
model = dpfermi.FairClassifier(method="dp-fermi", lambda_=1, delta=1e-6, sensitive_values=[0, 1], ledger="ledger.db")
print(dpfermi.__file__, model.fit(X, y, sensitive_features=group).privacy_["private"])
"""


@pytest.mark.skipif(not os.environ.get("DPFERMI_LIBRARY"), reason="DPFERMI_LIBRARY names no library")
def test_a_wheel_serves_any_python_and_works_where_it_is_unpacked(tmp_path):
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(ROOT / "python" / "dpfermi", source / "python" / "dpfermi",
                    ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.py", "pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    built = subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation"], cwd=source, capture_output=True,
                           text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    wheel, = (source / "dist").glob("*.whl")
    assert wheel.name.split("-")[2:4] == ["py3", "none"] and "linux" in wheel.name
    with zipfile.ZipFile(wheel) as file:
        modules = {path.name for path in (ROOT / "python" / "dpfermi").iterdir() if path.suffix in (".py", ".typed")}
        assert {name.split("/")[1] for name in file.namelist() if name.startswith("dpfermi/")} == {
            *modules, "libdpfermi.so"}
        file.extractall(site)
    environment = {key: value for key, value in os.environ.items() if key != "DPFERMI_LIBRARY"}
    used = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, env={**environment, "PYTHONPATH": str(site)},
                          capture_output=True, text=True)
    assert used.returncode == 0, used.stderr
    assert used.stdout.split() == [str(site / "dpfermi" / "__init__.py"), "True"]


@pytest.mark.skipif(not EMULATOR, reason="there is no qemu-x86_64")
@pytest.mark.skipif(os.environ.get("DPFERMI_ARCH") != "x86-64-v3", reason="DPFERMI_ARCH is not x86-64-v3")
def test_a_cpu_that_lacks_instructions_is_an_import_error_that_says_what_to_do():
    # numpy may stand on an OpenBLAS that takes the emulator for a newer CPU.
    used = subprocess.run([EMULATOR, "-cpu", "Nehalem", sys.executable, "-c", "import dpfermi"],
                          env={**os.environ, "OPENBLAS_CORETYPE": "Nehalem"}, capture_output=True, text=True)
    assert used.returncode == 1
    last = used.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: libdpfermi.so could not be loaded") and "CMAKE_ARGS=-DDPFERMI_ARCH=x86-64" in last
