"""Synthetic people: a numeric and a categorical view of an advantage that differs between two groups."""

import os
import re

# Threads that wait for each other cost more than they bring on tables this small; read when libraries are loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import pytest

import dpfermi


# `make test` sets it: there a test that is left out for another reason has failed.
MAY_SKIP = os.environ.get("DPFERMI_MAY_SKIP")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    report = (yield).get_result()
    if MAY_SKIP and report.skipped and not re.search(MAY_SKIP, str(report.longrepr)):
        report.outcome = "failed"


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report():
    report = (yield).get_result()
    if MAY_SKIP and report.skipped:
        report.outcome = "failed"


def make_people(rows=2000, seed=0):
    rng = np.random.default_rng(seed)
    sex = rng.integers(2, size=rows)
    advantage = rng.normal(size=rows) + 0.6 * sex
    frame = pd.DataFrame({
        "age": rng.integers(18, 80, size=rows),
        "hours": np.where(rng.random(rows) < 0.05, np.nan, np.round(40 + 5 * advantage + rng.normal(size=rows), 2)),
        "job": pd.Categorical.from_codes(np.clip((advantage + 3).astype(int), 0, 5), list("abcdef")),
        "town": rng.choice(["Oslo", "Bergen, \"west\"", "Tromsø"], size=rows),
        "member": rng.random(rows) < 0.5,
    })
    income = pd.Series(np.where(advantage + 0.5 * rng.normal(size=rows) > 0.4, "high", "low"), name="income")
    return frame, income, pd.Series(np.where(sex, "m", "f"), name="sex")


def sklearn_version():
    """As numbers: 1.10 comes after 1.9."""
    return tuple(int(part) for part in pytest.importorskip("sklearn").__version__.split(".")[:2])


def passed_to_fit(**metadata):
    """What cross_val_score() takes for fit(): its argument changed its name."""
    return {"fit_params" if sklearn_version() < (1, 4) else "params": metadata}


@pytest.fixture
def people():
    return make_people()


@pytest.fixture
def ledger(tmp_path):
    return dpfermi.Ledger(tmp_path / "ledger.db")


@pytest.fixture
def fair(ledger):
    """A classifier that is quick to fit."""
    def make(**params):
        return dpfermi.FairClassifier(**{"epsilon": 1, "delta": 1e-6, "lambda_": 1, "sensitive_values": ["f", "m"],
                                         "method": "dp-fermi", "options": {"epochs": 2}, "ledger": ledger, **params})
    return make
