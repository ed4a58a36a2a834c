"""A classifier that one has, repaired."""

import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest

import dpfermi
from conftest import passed_to_fit

sklearn = pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

TOOL = os.environ.get("DPFERMI_TOOL")


@pytest.fixture
def trees():
    """Boosted trees of a frame with categories and missing values."""
    encoded = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["job", "town"]), remainder="passthrough")
    return make_pipeline(encoded, HistGradientBoostingClassifier(max_iter=20))


@pytest.fixture
def repair(trees, ledger):
    def make(**params):
        return dpfermi.RepairClassifier(trees, **{"epsilon": 2, "delta": 1e-6, "max_violation": 0.05, "cv": 3,
                                                  "sensitive_values": ["f", "m"], "ledger": ledger, **params})
    return make


def gap(decisions, s, positive="high"):
    rates = [np.mean(decisions[np.asarray(s) == group] == positive) for group in ("f", "m")]
    return abs(rates[0] - rates[1])


def test_decisions_are_fair_and_need_no_s(people, repair, trees, ledger):
    X, y, s = people
    before = gap(clone(trees).fit(X, y).predict(X), s)
    model = repair(random_state=1).fit(X, y, sensitive_features=s)
    decisions = model.predict(X)
    assert before > 0.2 and gap(decisions, s) < 0.12
    assert model.score(X, y) > 0.6
    assert (model.predict_proba(X).argmax(axis=1) == np.searchsorted(model.classes_, decisions)).mean() > 0.9
    assert model.fairness_applied_ and "repair" in model.card_ and "Model card" in model._repr_html_()
    assert model.violation_interval_["low"] <= model.violation_interval_["high"]
    assert ledger.spent()["epsilon"] == pytest.approx(model.privacy_["epsilon"])
    assert not hasattr(model.estimator, "classes_")


def test_without_s_decisions_are_those_of_the_estimator(people, repair, trees, ledger):
    X, y, s = people
    with pytest.warns(dpfermi.FairnessWarning, match="fairness not applied"):
        model = repair().fit(X, y)
    assert (model.predict(X) == clone(trees).fit(X, y).predict(X)).all()
    assert not model.fairness_applied_ and model.privacy_ is None and "not applied" in model._repr_html_()
    assert ledger.budgets() == []
    for ask in (lambda: model.save("nowhere.model"), lambda: dpfermi.evaluate_exact(model, X, y),
                lambda: dpfermi.evaluate_private(model, X, y, sensitive_features=s, epsilon=1, ledger=ledger)):
        with pytest.raises(dpfermi.Error, match="no rule to save or to measure") as caught:
            ask()
        assert caught.value.field == "sensitive_features"
    assert ledger.budgets() == []
    assert model.score(X, y) == pytest.approx((model.predict(X) == y).mean())


def test_a_fit_without_s_leaves_nothing_of_the_rule_before(people, repair):
    X, y, s = people
    model = repair().fit(X, y, sensitive_features=s)
    with pytest.warns(dpfermi.FairnessWarning):
        fresh, model = repair().fit(X, y), model.fit(X, y)
    assert set(vars(model)) == set(vars(fresh))


def test_what_is_not_fitted_says_so(people, repair):
    X, y, s = people
    for model in (repair(), dpfermi.FairClassifier()):
        with pytest.raises(ValueError, match="not fitted"):
            dpfermi.evaluate_exact(model, X, y)


def test_a_sketch_repairs_at_no_cost(people, repair, ledger):
    X, y, s = people
    sketch = dpfermi.FairSketch(epsilon=1, sensitive_values=["f", "m"], ledger=ledger).fit(X, y, sensitive_features=s)
    models = [repair(max_violation=target).fit(X, y, sensitive_features=sketch) for target in (0.02, 0.3)]
    assert ledger.budgets()[0]["charges"] == 1
    assert gap(models[0].predict(X), s) < gap(models[1].predict(X), s)
    assert models[0].violation_interval_["by"] == "sketch"


def test_a_pickle_is_the_estimator_and_the_model_file_and_never_s(people, repair, tmp_path):
    X, y, s = people
    marked = s.replace({"f": "protected-value-f", "m": "protected-value-m"})
    model = repair(sensitive_values=["protected-value-f", "protected-value-m"]).fit(X, y, sensitive_features=marked)
    state = pickle.dumps(model)
    assert state.count(b"protected-value-f") < 20
    restored = pickle.loads(state)
    assert restored.digest_ == model.digest_ and (restored.predict(X) == model.predict(X)).all()
    model.save(tmp_path / "repaired.model")
    loaded = dpfermi.load_model(tmp_path / "repaired.model", model.estimator_)
    assert (loaded.predict(X) == model.predict(X)).all()
    assert (loaded.epsilon, loaded.max_violation, loaded.fairness) == (2, 0.05, "demographic-parity")
    assert loaded.violation_interval_ is None
    with pytest.raises(dpfermi.Error, match="give it as `estimator`"):
        dpfermi.load_model(tmp_path / "repaired.model")


class Remembers(ClassifierMixin, BaseEstimator):
    """Sure about rows that it has seen, unsure about others."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {tuple(row): place for row, place in zip(np.asarray(X), np.searchsorted(self.classes_, y))}
        return self

    def predict_proba(self, X):
        scores = np.full((len(X), 2), 0.5)
        for place, row in enumerate(np.asarray(X)):
            if tuple(row) in self.seen_:
                scores[place] = np.eye(2)[self.seen_[tuple(row)]]
        return scores

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_scores_are_of_rows_and_persons_that_the_estimator_has_not_seen(ledger):
    rng = np.random.default_rng(0)
    persons = np.repeat(np.arange(300), 2)
    X = rng.normal(size=(300, 2))[persons]       # both rows of a person are alike
    y = rng.integers(2, size=300)[persons]
    model = dpfermi.RepairClassifier(Remembers(), sensitive_values=[0, 1], ledger=ledger)
    seen = []
    for ids in (persons, None):
        scores = model._unseen_scores(X, y, ids, {})
        seen.append((scores != 0.5).any(axis=1).mean())
    assert seen[0] == 0 and seen[1] > 0.5
    assert model.fit(X, y, sensitive_features=persons % 2, person_ids=persons).privacy_["unit"] != "record"


def test_weights_are_for_the_estimator(people, ledger):
    X, y, s = people
    X = X[["age"]].assign(hours=X["hours"].fillna(40))
    model = dpfermi.RepairClassifier(LogisticRegression(), sensitive_values=["f", "m"], ledger=ledger, random_state=0)
    heavy = np.where(y == "high", 50.0, 1.0)
    assert (model.fit(X, y, sensitive_features=s, sample_weight=heavy).estimator_.predict(X) == "high").mean() > 0.8
    some = np.r_[np.zeros(500), np.ones(1500)]
    left_out = clone(model).fit(X, y, sensitive_features=s, sample_weight=some)
    rest = clone(model).fit(X[500:], y[500:], sensitive_features=s[500:])
    assert left_out.digest_ == rest.digest_


def test_what_is_longer_than_x_is_refused_where_weights_leave_rows_out(people, repair):
    X, y, s = people
    some, longer = np.r_[0.0, np.ones(len(y) - 1)], np.append(s, ["f"])
    for protected in (pd.DataFrame({"sex": longer}), longer, list(longer)):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            repair().fit(X, y, sensitive_features=protected, sample_weight=some)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        repair().fit(X, y, sensitive_features=s, person_ids=longer, sample_weight=some)


def test_costs_move_decisions(people, repair):
    X, y, s = people
    rates = []
    for cost in ((1, 9), None, (9, 1), [[0, 1], [9, 0]]):
        model = repair(cost=cost, positive="high", max_violation=0.5, random_state=0).fit(X, y, sensitive_features=s)
        rates.append((model.predict(X) == "high").mean())
    assert rates[0] > rates[1] > rates[2]
    # Rows are decisions, columns true classes, high before low: "low" for a high income costs nine times.
    assert rates[3] == rates[0]
    with pytest.raises(dpfermi.Error, match="`cost`"):
        repair(cost=[1, 2, 3]).fit(X, y, sensitive_features=s)


def test_a_search_goes_into_the_estimator(people, repair, ledger):
    X, y, s = people
    grid = GridSearchCV(repair(epsilon=0.5), {"estimator__histgradientboostingclassifier__max_iter": [2, 20]}, cv=2,
                        refit=False, error_score="raise").fit(X, y, sensitive_features=s)
    assert len(grid.cv_results_["params"]) == 2
    assert ledger.budgets()[0]["charges"] == 4
    assert repair().set_params(estimator__histgradientboostingclassifier__max_iter=7).get_params()[
        "estimator__histgradientboostingclassifier__max_iter"] == 7


def test_a_budget_that_does_not_cover_a_repair_is_not_charged(people, repair, ledger):
    X, y, s = people
    ledger.set_budget("default", epsilon=1, delta=1e-4)
    with pytest.raises(dpfermi.BudgetExceeded, match="left"):
        cross_val_score(repair(), X, y, cv=2, **passed_to_fit(sensitive_features=s), error_score="raise")
    assert ledger.budgets()[0]["charges"] == 0


def test_errors_of_a_repair_name_arguments_of_python(people, repair):
    X, y, s = people
    for params, field in (({"epsilon": -1}, "epsilon"), ({"fairness": "equality"}, "fairness"),
                          ({"sensitive_values": None}, "sensitive_values"), ({"cost": [-1, 1]}, "cost")):
        with pytest.raises(dpfermi.Error) as caught:
            repair(**params).fit(X, y, sensitive_features=s)
        assert caught.value.field == field and "--" not in str(caught.value), caught.value
    from sklearn.svm import LinearSVC
    with pytest.raises(dpfermi.Error, match="CalibratedClassifierCV"):
        dpfermi.RepairClassifier(LinearSVC(), sensitive_values=["f", "m"]).fit(X[["age"]], y, sensitive_features=s)


@pytest.mark.skipif(not TOOL, reason="DPFERMI_TOOL names the command-line tool")
def test_the_tool_repairs_to_the_same_model(people, ledger, tmp_path):
    X, y, s = people
    X = X[["age"]].assign(hours=X["hours"].fillna(40))
    model = dpfermi.RepairClassifier(LogisticRegression(), epsilon=1, delta=1e-6, max_violation=0.05, random_state=3,
                                     positive="high", sensitive_values=["f", "m"], ledger=ledger,
                                     data_name="people.csv").fit(X, y, sensitive_features=s)
    scores = model._unseen_scores(X, np.asarray(y), None, {})
    table = X.assign(sex=s, income=y, score_high=scores[:, 0], score_low=scores[:, 1])
    table.to_csv(tmp_path / "people.csv", index=False)
    made = subprocess.run([TOOL, "repair", "people.csv", "--target", "income", "--scores-prefix", "score_", "--positive",
                           "high", "--sensitive", "sex", "--sensitive-values", "sex=f,m", "--epsilon", "1", "--delta",
                           "1e-6", "--max-violation", "0.05", "--seed", "3", "--ledger", "tool.db", "--out",
                           "people.model"], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    inspected = subprocess.run([TOOL, "inspect", "--digest", "people.model"], cwd=tmp_path, capture_output=True, text=True)
    assert model.digest_ == inspected.stdout.strip()
    figures = dpfermi.evaluate_exact(model, X, y, sensitive_features=s)
    assert figures["error"] == pytest.approx(1 - model.score(X, y))
