"""The examples of the documentation and the notebooks run, in their order."""

import os
import pathlib
import re
import runpy
import subprocess

import pytest

pytest.importorskip("sklearn")
CHARGES = {"docs/python.md": 3, "docs/how-to/from-fairlearn.md": 5}
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = ROOT / "examples" / "notebooks"
TOOL = os.environ.get("DPFERMI_TOOL")


@pytest.mark.skipif(not TOOL, reason="DPFERMI_TOOL names the command-line tool")
@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/how-to/from-fairlearn.md"])
def test_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPFERMI_LEDGER", str(tmp_path / "ledger.db"))
    subprocess.run([TOOL, "datasets", "generate", "--rows", "4000", "--out", "people.csv"], check=True)
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert names["model"].privacy_["private"]
    if "ledger" in names:
        assert names["ledger"].budgets()[0]["charges"] == CHARGES[page]


@pytest.mark.parametrize("notebook, needs, spent", [
    ("first_hour", "matplotlib", 1.9), ("grid_search_with_a_sketch", "matplotlib", 0.5),
    ("repairing_xgboost", "xgboost", 1.0)])
def test_a_notebook_runs_and_makes_its_picture(notebook, needs, spent, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip(needs)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(NOTEBOOKS))
    names = runpy.run_path(str(NOTEBOOKS / f"{notebook}.py"))
    picture, = tmp_path.glob("*.png")
    assert picture.stat().st_size > 5000
    budget, = names["ledger"].budgets()
    assert 0.98 * spent < budget["spent"]["epsilon"] <= spent
