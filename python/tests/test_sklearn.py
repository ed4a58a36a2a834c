"""With scikit-learn: its own checks, and a budget that survives clones, folds and workers."""

import os
import signal
import subprocess
import sys
import time
import unittest
import warnings

import numpy as np
import pytest

import dpfermi
from conftest import make_people, passed_to_fit, sklearn_version

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks


def groups_of(X):
    """s, derived from X, since scikit-learn's checks pass none."""
    if hasattr(X, "tocsr"):
        return np.arange(X.shape[0]) % 2
    shape = np.asarray(X).shape
    try:
        return (np.asarray(X).real.astype(float)[:, 0] > 0).astype(int)
    except (IndexError, TypeError, ValueError):
        return np.arange(shape[0] if shape else 0) % 2


class FairWithGroups(dpfermi.FairClassifier):
    """See feature_names_in_."""

    def fit(self, X, y, *, sensitive_features=None, sample_weight=None, person_ids=None):
        return super().fit(X, y, sensitive_features=groups_of(X), sample_weight=sample_weight, person_ids=person_ids)


class RepairWithGroups(dpfermi.RepairClassifier):
    """See feature_names_in_."""

    def fit(self, X, y, *, sensitive_features=None, sample_weight=None, person_ids=None):
        return super().fit(X, y, sensitive_features=groups_of(X), sample_weight=sample_weight, person_ids=person_ids)


class SketchWithGroups(dpfermi.FairSketch):
    """Of classes, which the checks of estimators that do not predict replace by real numbers. See
    feature_names_in_."""

    def fit(self, X, y, *, sensitive_features=None, sample_weight=None, person_ids=None):
        values = np.asarray(y)
        if values.dtype.kind == "f" and values.ndim == 1 and np.isfinite(values).all():
            y = values > np.median(values)
        return super().fit(X, y, sensitive_features=groups_of(X), sample_weight=sample_weight, person_ids=person_ids)


# Of scikit-learn 1.6 and later. A weight says how much an error about a row counts; repeating the row changes means,
# folds and the counts of groups as well.
NOT_MET = {"check_sample_weight_equivalence_on_dense_data"}


def run_checks(estimator):
    """The names of the checks that passed, and the problems of the others. Later versions skip one where the environment
    does not ask for the array interface."""
    passed, failed = [], {}
    if sklearn_version() < (1, 6):
        checks = estimator_checks.check_estimator(estimator, generate_only=True)
    else:
        checks = estimator_checks.estimator_checks_generator(estimator, legacy=True)
    for candidate, check in checks:
        name = check.func.__name__
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dpfermi.FairnessWarning)
            try:
                check(candidate)
                passed.append(name)
            except unittest.SkipTest as skipped:
                assert name == "check_array_api_input", skipped
            except Exception as problem:
                if sklearn_version() < (1, 6) or name not in NOT_MET:
                    failed[name] = repr(problem)
    return passed, failed


@pytest.mark.parametrize("estimator", [dpfermi.FairClassifier(), dpfermi.RepairClassifier(LogisticRegression())])
def test_every_check_of_scikit_learn_passes_without_s(estimator):
    passed, failed = run_checks(estimator)
    assert not failed
    assert len(passed) >= 45


def with_groups(ledger):
    common = dict(epsilon=8, sensitive_values=[0, 1], ledger=ledger, random_state=0)
    return {
        "FairClassifier": FairWithGroups(method="dp-fermi", lambda_=0.01, **common),
        "RepairClassifier": RepairWithGroups(LogisticRegression(), max_violation=0.99, **common),
        "FairSketch": SketchWithGroups(**common),
    }


@pytest.mark.parametrize("name", ["FairClassifier", "RepairClassifier", "FairSketch"])
def test_every_check_of_scikit_learn_passes_with_s(ledger, name):
    passed, failed = run_checks(with_groups(ledger)[name])
    assert not failed
    assert len(passed) >= (34 if name == "FairSketch" else 45)
    assert ledger.budgets()[0]["charges"] > 25


def test_clones_carry_parameters_and_no_model(people, fair):
    X, y, s = people
    model = fair(max_violation=0.1, lambda_=None).fit(X, y, sensitive_features=s)
    copy = clone(model)
    assert copy.get_params() == model.get_params() and not hasattr(copy, "classes_")


def test_five_folds_of_a_tenth_spend_half(people, fair, ledger):
    X, y, s = people
    scores = cross_val_score(fair(epsilon=0.1), X, y, cv=5, **passed_to_fit(sensitive_features=s), error_score="raise")
    assert len(scores) == 5
    budget, = ledger.budgets()
    assert budget["charges"] == 5 and budget["open_runs"] == 0
    assert 0.49 < budget["spent"]["epsilon"] <= 0.5


def test_a_cap_stops_after_the_folds_that_fit(people, fair, ledger):
    X, y, s = people
    ledger.set_budget("default", epsilon=0.35, delta=1e-4)
    with pytest.raises(dpfermi.BudgetExceeded, match="left"):
        cross_val_score(fair(epsilon=0.1), X, y, cv=5, **passed_to_fit(sensitive_features=s), error_score="raise")
    assert ledger.budgets()[0]["charges"] == 3


def test_a_fold_that_is_refused_is_a_warning_that_names_the_budget(people, fair, ledger):
    X, y, s = people
    ledger.set_budget("default", epsilon=0.35, delta=1e-4)
    with pytest.warns(FitFailedWarning, match="BudgetExceeded: budget 'default'"):
        scores = cross_val_score(fair(epsilon=0.1), X, y, cv=5, **passed_to_fit(sensitive_features=s))
    assert np.isnan(scores).tolist() == [False, False, False, True, True]
    assert ledger.budgets()[0]["charges"] == 3


def test_a_grid_over_a_sketch_charges_once_whatever_the_number_of_workers(people, ledger):
    X, y, s = people
    train, test = np.arange(1500), np.arange(1500, 2000)
    sketch = dpfermi.FairSketch(epsilon=0.5, sensitive_values=["f", "m"], ledger=ledger)
    sketch.fit(X.iloc[train], y.iloc[train], sensitive_features=s.iloc[train])
    grid = GridSearchCV(dpfermi.FairClassifier(ledger=ledger), {"lambda_": [0, 0.1, 0.2, 0.5, 1, 2, 5, 10]},
                        cv=[(train, test)], refit=False, n_jobs=2, error_score="raise")
    grid.fit(X, y, sensitive_features=sketch)
    assert len(grid.cv_results_["mean_test_score"]) == 8
    assert ledger.budgets()[0]["charges"] == 1


def test_workers_charge_one_ledger(people, fair, ledger):
    X, y, s = people
    grid = GridSearchCV(fair(epsilon=0.1), {"lambda_": [0.5, 1]}, cv=2, n_jobs=2, refit=False, error_score="raise")
    grid.fit(X, y, sensitive_features=s)
    assert ledger.budgets()[0]["charges"] == 4


def test_a_worker_that_is_killed_is_counted(tmp_path):
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import dpfermi
from conftest import make_people, passed_to_fit, sklearn_version
X, y, s = make_people(20000)
dpfermi.FairClassifier(epsilon=0.5, delta=1e-6, lambda_=1, method="dp-fermi", sensitive_values=["f", "m"],
                       options={"epochs": 20000}, ledger=sys.argv[2]).fit(X, y, sensitive_features=s)
"""
    ledger = dpfermi.Ledger(tmp_path / "ledger.db")
    child = subprocess.Popen([sys.executable, "-c", code, os.path.dirname(__file__), ledger.path])
    deadline = time.monotonic() + 300
    while not ledger.budgets() or not ledger.budgets()[0]["charges"]:
        assert child.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.wait()
    budget, = ledger.budgets()
    assert budget["open_runs"] == 1 and 0.49 < budget["spent"]["epsilon"] <= 0.5


@pytest.fixture
def routing():
    """Metadata routing; Debian 12 has a scikit-learn without it (tools/test_newer_sklearn.sh)."""
    if sklearn_version() < (1, 4):
        pytest.skip("scikit-learn before 1.4 routes no metadata")
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_s_and_persons_are_routed_unless_one_says_otherwise(people, fair, ledger, routing):
    X, y, s = people
    pipeline = make_pipeline(make_column_transformer((StandardScaler(), ["age", "hours"])), fair(epsilon=0.1))
    search = GridSearchCV(pipeline, {"fairclassifier__lambda_": [0.5, 1]}, cv=2, error_score="raise")
    search.fit(X, y, sensitive_features=s, person_ids=np.arange(len(X)))
    assert search.best_estimator_[-1].fairness_applied_
    assert search.best_estimator_[-1].privacy_["unit"] != "record"
    assert ledger.budgets()[0]["charges"] == 5
    with pytest.warns(dpfermi.FairnessWarning):
        cross_val_score(fair().set_fit_request(sensitive_features=False, person_ids=False), X, y, cv=2)
    assert ledger.budgets()[0]["charges"] == 5


def test_requests_of_metadata_are_remembered_by_clones(people, fair, routing):
    X, y, s = people
    model = fair()
    assert model.set_fit_request(sample_weight=True, sensitive_features="sex") is model
    copy = clone(model)
    asked = copy.get_metadata_routing().fit.requests
    assert asked == {"sensitive_features": "sex", "person_ids": True, "sample_weight": True}
    fitted = make_pipeline(copy).fit(X, y, sex=s, sample_weight=np.r_[np.zeros(500), np.ones(1500)])
    assert fitted[-1].fairness_applied_
    with pytest.raises(ValueError, match="sample_weight"):
        make_pipeline(fair()).fit(X, y, sensitive_features=s, sample_weight=np.ones(len(X)))
    with pytest.raises(TypeError, match="Unexpected args"):
        model.set_fit_request(colour=True)


def test_a_repair_is_routed_as_well(people, ledger, routing):
    X, y, s = people
    repair = dpfermi.RepairClassifier(LogisticRegression(), epsilon=0.5, sensitive_values=["f", "m"], ledger=ledger)
    persons = np.arange(len(X)) // 2
    scores = cross_val_score(repair, X[["age"]], y, cv=2, error_score="raise",
                             params={"sensitive_features": s, "person_ids": persons})
    assert len(scores) == 2 and ledger.budgets()[0]["charges"] == 2


def test_pipelines_and_column_transformers_pass_s_on(people, fair):
    X, y, s = people
    numbers = make_column_transformer((StandardScaler(), ["age", "hours"]), remainder="passthrough")
    model = make_pipeline(numbers, fair())
    model.fit(X, y, fairclassifier__sensitive_features=s)
    assert model.score(X, y) > 0.55
