"""One fit: what goes in, what comes out, what is charged and what is promised."""

import doctest
import importlib
import inspect
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import dpfermi
from arrow_table import ArrowTable
from conftest import make_people
from duckdb_table import DuckDbTable

PROGRAMS = os.environ.get("DPFERMI_FIT_PROGRAMS")
TOOL = os.environ.get("DPFERMI_TOOL")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DUCKDB = os.environ.get("DPFERMI_DUCKDB", "")


def test_frames_of_every_type_are_fitted_as_they_are(people, fair):
    X, y, s = people
    model = fair(max_violation=0.1, lambda_=None, options={"epochs": 2, "mixtures": False}).fit(
        X, y, sensitive_features=s)
    assert list(model.classes_) == ["high", "low"]
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.n_features_in_ == 5
    assert model.score(X, y) > 0.6
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    likeliest = model.classes_[probabilities.argmax(axis=1)]
    assert (likeliest == model.predict(X)).mean() > 0.999
    assert ((model.decision_function(X) > 0) == (probabilities[:, 1] > probabilities[:, 0])).all()
    assert model.privacy_["private"] and model.privacy_["epsilon"] <= 1
    assert model.fairness_applied_ and "Model card" in model.card_ and "Model card" in model._repr_html_()
    assert model.recorded_["run"]


def test_a_mixture_decides_alike_each_time_whatever_rows_are_asked_about_together(people, fair):
    X, y, s = people
    model = fair(max_violation=0.02, lambda_=None, method=None, options=None).fit(X, y, sensitive_features=s)
    decisions = model.predict(X)
    assert (model.predict(X) == decisions).all()
    assert (model.predict(X[::-1]) == decisions[::-1]).all()
    assert (np.concatenate([model.predict(X[row:row + 7]) for row in range(0, 70, 7)]) == decisions[:70]).all()


def test_the_charge_is_that_of_the_statement_and_groups_that_are_not_declared_cost_nothing(people, fair, ledger):
    X, y, s = people
    model = fair().fit(X, y, sensitive_features=s)
    assert ledger.spent()["epsilon"] == pytest.approx(model.privacy_["epsilon"])
    with pytest.raises(dpfermi.Error, match="not declared"):
        fair(sensitive_values=None).fit(X, y, sensitive_features=s.astype("category"))
    assert ledger.budgets()[0]["charges"] == 1


def test_a_limit_is_not_passed_by_rows_or_names_that_it_does_not_know(people, fair, ledger):
    X, y, s = people
    ledger.set_budget("people", epsilon=1.5, delta=1e-2)
    fair(budget="people").fit(X[:1000], y[:1000], sensitive_features=s[:1000])
    with pytest.raises(dpfermi.BudgetExceeded, match="belong to budget 'people'"):
        fair().fit(X[:1000], y[:1000], sensitive_features=s[:1000])
    with pytest.raises(dpfermi.Error, match="limits budget 'people'"):
        fair().fit(X[1000:], y[1000:], sensitive_features=s[1000:])
    assert [budget["charges"] for budget in ledger.budgets()] == [1]


def test_a_notebook_shows_a_ledger_rounded_against_the_reader(people, fair, ledger):
    X, y, s = people
    ledger.set_budget("people", epsilon=1.5, delta=1e-2)
    fair(budget="people").fit(X, y, sensitive_features=s)
    cells = re.findall(r"<td>([^<]*)</td>", ledger._repr_html_())
    spent, left = ([float(amount) for amount in cell.split(", ")] for cell in cells[2:])
    assert all(shown >= exact for shown, exact in zip(spent, ledger.spent("people").values()))
    assert all(shown <= exact for shown, exact in zip(left, ledger.left("people").values()))
    assert max(len(amount) for cell in cells[2:] for amount in cell.split(", ")) <= 9


def test_a_relative_ledger_is_one_file_whatever_the_directory_becomes(people, fair, tmp_path, monkeypatch):
    X, y, s = people
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    ledger = dpfermi.Ledger("rel.db").set_budget("default", epsilon=0.5, delta=1e-2)
    models = [fair(epsilon=0.5, ledger=given) for given in ("rel.db", ledger, pathlib.Path("rel.db"))]
    models.append(pickle.loads(pickle.dumps(models[0])))
    models.append(dpfermi.FairClassifier(**models[0].get_params()))
    models.append(fair(epsilon=0.5).set_params(ledger="rel.db"))
    models[0].fit(X, y, sensitive_features=s)
    monkeypatch.chdir(tmp_path / "elsewhere")
    for model in models:
        with pytest.raises(dpfermi.BudgetExceeded):
            model.fit(X, y, sensitive_features=s)
    assert ledger.path == str(tmp_path / "rel.db") and ledger.budgets()[0]["charges"] == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_usual_ledger_at_a_relative_path_is_refused(people, fair, tmp_path, monkeypatch):
    X, y, s = people
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPFERMI_LEDGER", "rel.db")
    with pytest.raises(dpfermi.Error, match="DPFERMI_LEDGER is the relative path 'rel.db'") as caught:
        fair(ledger=None).fit(X, y, sensitive_features=s)
    assert caught.value.field == "ledger" and list(tmp_path.iterdir()) == []


def test_groups_from_data_are_stamped_as_public(people, fair):
    X, y, s = people
    model = fair(sensitive_values=None, groups_from_data=True).fit(X, y, sensitive_features=s)
    assert "f, m" in model.card_ and model.privacy_["group_domain"] != "declared"
    # A value that training did not know has a group of its own in evaluations.
    for some, others in ((s, 0), (s[:5], 0), (["f", "x", "x"], 2)):
        rows = slice(len(some))
        exact = dpfermi.evaluate_exact(model, X[rows], y[rows], sensitive_features=some)
        assert [group["name"] for group in exact["groups"]] == ["f", "m", "other"]
        assert exact["groups"][2]["rows"] == others
    private = dpfermi.evaluate_private(model, X, y, sensitive_features=s, epsilon=1, delta=1e-6, ledger=model.ledger)
    assert [group["name"] for group in private["metrics"]["groups"]] == ["f", "m", "other"]


def test_a_seed_gives_the_same_model_and_no_privacy(people, fair):
    X, y, s = people
    first = fair(random_state=4).fit(X, y, sensitive_features=s)
    second = fair(random_state=4).fit(X, y, sensitive_features=s)
    other = fair(random_state=5).fit(X, y, sensitive_features=s)
    assert first.digest_ == second.digest_ != other.digest_
    assert not first.privacy_["private"] and "reproducible" in str(first.privacy_["noise"]) + first.card_


def test_without_s_a_model_is_stamped_and_nothing_is_charged(people, fair, ledger):
    X, y, _ = people
    with pytest.warns(dpfermi.FairnessWarning, match="fairness not applied"):
        model = fair().fit(X, y)
    assert not model.fairness_applied_
    assert ledger.budgets() == []


def test_how_a_value_of_s_is_read_depends_on_no_other_value(people, fair):
    X, y, s = people
    numbers = np.where(s == "f", 0, 1)
    digests = set()
    for column in (numbers, numbers.astype(float), numbers.astype(str), list(numbers), numbers.astype(object),
                   pd.Series(numbers, dtype="category"), pd.Series(numbers, dtype="Int64")):
        model = fair(sensitive_values=[0, 1], random_state=1).fit(X, y, sensitive_features=column)
        digests.add(model.digest_)
    assert len(digests) == 1
    odd = numbers.astype(object)
    odd[0] = {"not": "a value\0"}
    fair(sensitive_values=[0, 1]).fit(X, y, sensitive_features=odd)


def test_several_columns_and_bins_form_one_attribute(people, fair):
    X, y, s = people
    protected = pd.DataFrame({"sex": s, "age": X["age"]})
    model = fair(sensitive_values={"sex": ["f", "m"]}, sensitive_bins={"age": [40]}).fit(
        X.drop(columns="age"), y, sensitive_features=protected)
    assert "m" in model.card_ and ">40" in model.card_


def test_persons_are_the_unit_where_they_are_named(people, fair):
    X, y, s = people
    persons = np.arange(len(X)) // 2
    model = fair().fit(X, y, sensitive_features=s, person_ids=persons)
    assert model.privacy_["unit"] != "record"
    figures = dpfermi.evaluate_private(model, X, y, sensitive_features=s, person_ids=persons, epsilon=0.5, delta=1e-6,
                                       ledger=model.ledger)
    assert figures["metrics"]["persons"]["value"] == 1000
    assert dpfermi.evaluate_exact(model, X, y, sensitive_features=s, person_ids=persons)["rows"] == 2000
    with pytest.raises(dpfermi.Error, match="person_ids"):
        dpfermi.evaluate_exact(model, X, y, sensitive_features=s)
    assert fair(delta=np.float32(1e-6), lambda_=np.int64(1)).fit(X, y, sensitive_features=s).privacy_["private"]


def test_weights_leave_rows_out_and_weigh_errors(people, fair, ledger):
    X, y, s = people
    weights = np.r_[np.zeros(500), np.full(1500, 2.0)]
    some = fair(random_state=0).fit(X, y, sensitive_features=s, sample_weight=weights)
    rest = fair(random_state=0).fit(X[500:], y[500:], sensitive_features=s[500:])
    assert some.digest_ == rest.digest_
    heavy = np.where(y == "high", 50.0, 1.0)
    sketch = dpfermi.FairSketch(epsilon=1, sensitive_values=["f", "m"], ledger=ledger).fit(
        X, y, sensitive_features=s, sample_weight=heavy)
    for model in (fair(random_state=0).fit(X, y, sensitive_features=s, sample_weight=heavy),
                  sketch.classifier(lambda_=0.01)):
        plain = fair(random_state=0).fit(X, y, sensitive_features=s)
        assert (model.predict(X) == "high").mean() > 1.3 * (plain.predict(X) == "high").mean()
        assert dpfermi.evaluate_exact(model, X, y, sensitive_features=s)["rows"] == len(X)
        assert len(pickle.loads(pickle.dumps(model)).predict(X)) == len(X)
    for wrong in (-1, np.inf, np.nan):
        with pytest.raises(dpfermi.Error, match="sample_weight"):
            fair().fit(X, y, sensitive_features=s, sample_weight=np.r_[wrong, np.ones(len(X) - 1)])
    with pytest.raises(dpfermi.Error, match="takes no weights.*`sample_weight`"):
        fair(method="hardt", lambda_=None, options=None).fit(X, y, sensitive_features=s, sample_weight=heavy)


def test_a_sketch_pays_once_for_many_models(people, ledger, tmp_path):
    X, y, s = people
    sketch = dpfermi.FairSketch(epsilon=0.5, sensitive_values=["f", "m"], ledger=ledger).fit(
        X, y, sensitive_features=s)
    models = [sketch.classifier(max_violation=target) for target in (0.3, 0.05)]
    again = dpfermi.FairClassifier(max_violation=0.05).fit(X, y, sensitive_features=sketch)
    assert again.digest_ == models[1].digest_
    assert models[0].violation_interval_["by"] == "sketch"
    assert ledger.budgets()[0]["charges"] == 1
    restored = pickle.loads(pickle.dumps(sketch))
    assert restored.classifier(X, y, max_violation=0.05).digest_ == again.digest_
    with pytest.raises(dpfermi.Error, match="give X and y"):
        restored.classifier(max_violation=0.05)
    sketch.save(tmp_path / "people.sketch")
    loaded = dpfermi.FairSketch.load(tmp_path / "people.sketch")
    assert loaded.classifier(X, y, max_violation=0.05).digest_ == again.digest_
    assert loaded.epsilon == loaded.privacy_["epsilon"] and loaded.positive == "low"
    odds = dpfermi.FairSketch(fairness="equalized-odds", positive="high", sensitive_values=["f", "m"], ledger=ledger)
    odds.fit(X, y, sensitive_features=s).save(tmp_path / "odds.sketch")
    restored = dpfermi.FairSketch.load(tmp_path / "odds.sketch")
    assert restored.classifier(X, y, lambda_=1).digest_ == odds.classifier(lambda_=1).digest_
    with pytest.raises(dpfermi.Error, match="sketch"):
        sketch.classifier(X[:-1], y[:-1], max_violation=0.05)


def test_a_pickle_is_the_model_and_never_s(people, fair, tmp_path):
    X, y, s = people
    marked = s.replace({"f": "protected-value-f", "m": "protected-value-m"})
    model = fair(sensitive_values=["protected-value-f", "protected-value-m"]).fit(X, y, sensitive_features=marked)
    state = pickle.dumps(model)
    # The declared names, in the parameters and in the model; not a value for each row.
    assert state.count(b"protected-value-f") < 10 and len(state) < 50_000
    restored = pickle.loads(state)
    assert restored.digest_ == model.digest_
    assert (restored.predict(X) == model.predict(X)).all()
    model.save(tmp_path / "people.model")
    loaded = dpfermi.load_model(tmp_path / "people.model")
    assert (loaded.predict(X) == model.predict(X)).all()
    assert (loaded.predict(X[X.columns[::-1]]) == model.predict(X)).all()
    assert (pickle.loads(pickle.dumps(loaded)).predict_proba(X) == model.predict_proba(X)).all()
    for wrong, said in ((X.to_numpy(), "give X as a frame"), (X.drop(columns="age"), "yet now missing:\n- age")):
        with pytest.raises(ValueError, match=said):
            loaded.predict(wrong)
    reordered = X[X.columns[::-1]]
    loaded.set_params(sensitive_values=["f", "m"], ledger=model.ledger).fit(X, y, sensitive_features=s)
    with pytest.raises(ValueError, match="same order"):
        loaded.predict(reordered)


def test_a_loaded_model_has_the_parameters_of_its_fit(people, fair, tmp_path):
    X, y, s = people
    odds = fair(fairness="equalized-odds", epsilon=0.5, lambda_=0.7, positive="high", hidden=(3,)).fit(
        X, y, sensitive_features=s)
    steered = fair(method=None, epsilon=0.5, lambda_=None, max_violation=0.2, options=None).fit(
        X, y, sensitive_features=s)
    with pytest.warns(dpfermi.FairnessWarning):
        plain = fair().fit(X, y)
    for model, wanted in (
            (odds, {"method": "dp-fermi", "fairness": "equalized-odds", "epsilon": 0.5, "delta": 1e-6, "lambda_": 0.7,
                    "max_violation": None, "positive": "high", "hidden": (3,), "adjacency": "sensitive"}),
            (steered, {"method": "sketch", "epsilon": 0.5, "lambda_": None, "max_violation": 0.2}),
            (plain, {"method": "erm", "fairness": "none", "lambda_": None})):
        model.save(tmp_path / "people.model")
        loaded = dpfermi.load_model(tmp_path / "people.model")
        params = loaded.get_params()
        assert {name: params[name] for name in wanted} == wanted
        assert loaded.violation_interval_ is None and loaded.recorded_ is None
        assert loaded.fairness_applied_ == model.fairness_applied_ and loaded.digest_ == model.digest_
        with pytest.raises(dpfermi.Error, match="violation_interval_"):
            dpfermi.plot_trade_off([loaded], X, y)


def test_classes_keep_their_type(people, fair, tmp_path):
    X, y, s = people
    for classes in ((0, 1), (False, True), ("no", "yes"), (-1, 10), (1.0, 2.0), ("007", "7")):
        target = np.where(y == "high", classes[1], classes[0])
        model = fair(positive=classes[1]).fit(X, target, sensitive_features=s)
        assert model.classes_.dtype == target.dtype and set(model.predict(X)) <= set(classes)
        assert model.score(X, target) > 0.55
        model.save(tmp_path / "people.model")
        loaded = dpfermi.load_model(tmp_path / "people.model")
        assert (loaded.classes_ == model.classes_).all() and (loaded.predict(X) == model.predict(X)).all()
        assert loaded.score(X, target) == model.score(X, target)
        assert (loaded.decision_function(X) == model.decision_function(X)).all()


def test_a_score_is_of_as_many_labels_as_rows_and_of_known_classes(people, fair):
    X, y, s = people
    model = fair().fit(X, np.where(y == "high", 1, 0), sensitive_features=s)
    labels = np.where(y == "high", 1, 0)
    assert model.score(X, labels.astype(str)) == model.score(X, labels.astype(float)) == model.score(X, labels)
    assert model.score(X[:4], [2, 2, 1, 0]) <= 0.5
    weighed = model.score(X, labels, sample_weight=labels)
    assert weighed == pytest.approx((model.predict(X)[labels == 1] == 1).mean())
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, labels[:-1])
    with pytest.raises(dpfermi.Error, match="`y` holds none of the classes of the model, which are '0', '1'"):
        model.score(X, y)


def test_protected_columns_have_a_value_for_each_row_where_weights_leave_rows_out(people, fair):
    X, y, s = people
    some, longer = np.r_[0.0, np.ones(len(y) - 1)], np.append(s, ["f"])
    for protected in (pd.DataFrame({"sex": longer}), longer.reshape(-1, 1), list(longer)):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            fair().fit(X, y, sensitive_features=protected, sample_weight=some)


def test_three_classes_have_three_probabilities(people, fair):
    X, _, s = people
    target = np.searchsorted([35, 55], X["age"])
    model = fair().fit(X, target, sensitive_features=s)
    assert model.predict_proba(X).shape == (len(X), 3) == model.decision_function(X).shape


def test_evaluation_is_private_or_says_that_it_is_not(people, fair, ledger):
    X, y, s = people
    model = fair().fit(X, y, sensitive_features=s)
    before = ledger.spent()["epsilon"]
    private = dpfermi.evaluate_private(model, X, y, sensitive_features=s, epsilon=0.5, delta=1e-6, ledger=ledger)
    assert ledger.spent()["epsilon"] - before == pytest.approx(0.5, abs=1e-2)
    exact = dpfermi.evaluate_exact(model, X, y, sensitive_features=s)
    assert exact["exact_not_private"] and not private["metrics"]["exact_not_private"]
    figure = private["metrics"]["violation"]["demographic_parity"]
    assert figure["low"] - 1e-9 <= exact["violation"]["demographic_parity"] <= figure["high"] + 1e-9
    assert dpfermi.evaluate_exact(model, X, y)["error"] == pytest.approx(1 - model.score(X, y))


@pytest.mark.skipif(not (TOOL and PROGRAMS), reason="DPFERMI_TOOL and DPFERMI_FIT_PROGRAMS name programs")
def test_the_tool_c_cc_and_python_train_the_same_model(people, tmp_path):
    X, y, s = people
    X = X.assign(member=X["member"].astype(str))
    s = s.map({"f": "female", "m": "male"})
    X.assign(sex=s, income=y).to_csv(tmp_path / "people.csv", index=False)

    def run(*command):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    run(TOOL, "train", "people.csv", "--target", "income", "--sensitive", "sex", "--sensitive-values", "sex=female,male",
        "--positive", "high", "--epsilon", "1", "--delta", "1e-6", "--lambda", "1", "--method", "dp-fermi", "--epochs", "3",
        "--test-fraction", "0", "--seed", "3", "--ledger", "ledger.db", "--budget", "default", "--out", "people.model")
    digests = [run(TOOL, "inspect", "--digest", "people.model"), *(run(program) for program in PROGRAMS.split(":"))]
    ledger = dpfermi.Ledger(tmp_path / "ledger.db")
    model = dpfermi.FairClassifier(method="dp-fermi", epsilon=1, delta=1e-6, lambda_=1, options={"epochs": 3},
                                   random_state=3, positive="high", sensitive_values=["female", "male"], ledger=ledger,
                                   data_name="people.csv").fit(X, y, sensitive_features=s)
    assert len(digests) == 3 and set(digests) == {model.digest_}
    assert ledger.budgets()[0]["charges"] == 2
    loaded = dpfermi.load_model(tmp_path / "people.model")
    assert (loaded.predict(X) == model.predict(X)).all()


def test_arrow_tables_are_read_as_frames_are(people, fair, tmp_path):
    X, y, s = people
    table = ArrowTable({"age": X["age"].astype(float), "hours": X["hours"], "town": X["town"]})
    framed = fair(random_state=2).fit(X[["age", "hours", "town"]], y, sensitive_features=s)
    model = fair(random_state=2).fit(table, y, sensitive_features=s)
    assert model.digest_ == framed.digest_
    assert list(model.feature_names_in_) == ["age", "hours", "town"]
    assert (model.predict(table) == framed.predict(X[["age", "hours", "town"]])).all()
    assert table.released.count("stream") == table.released.count("array") == table.released.count("schema") == 2
    model.save(tmp_path / "people.model")
    reordered = ArrowTable({"town": X["town"], "hours": X["hours"], "age": X["age"].astype(float)})
    assert (dpfermi.load_model(tmp_path / "people.model").predict(reordered) == model.predict(table)).all()


@pytest.mark.skipif(not os.path.exists(DUCKDB), reason="DPFERMI_DUCKDB names no library of DuckDB")
def test_tables_of_duckdb_are_read_as_frames_are(people, fair, tmp_path):
    X, y, s = people
    many = pd.concat([X[["age", "hours", "town", "member"]]] * 3, ignore_index=True)
    many.to_csv(tmp_path / "people.csv", index=False)
    y, s = (pd.concat([part] * 3, ignore_index=True) for part in (y, s))
    framed = fair(random_state=2).fit(many, y, sensitive_features=s)
    table = DuckDbTable(DUCKDB, f"SELECT * FROM read_csv('{tmp_path}/people.csv', header = true)")
    model = fair(random_state=2).fit(table, y, sensitive_features=s)
    assert model.digest_ == framed.digest_
    assert table.batches > 1
    assert (model.predict(table) == framed.predict(many)).all()


def test_an_arrow_table_of_protected_columns_is_read_as_a_frame_is(people, fair):
    X, y, s = people
    protected = pd.DataFrame({"sex": s, "age": X["age"].astype(float)})
    params = dict(sensitive_values={"sex": ["f", "m"]}, sensitive_bins={"age": [40]}, random_state=1)
    models = [fair(**params).fit(X, y, sensitive_features=given)
              for given in (protected, ArrowTable({"sex": s, "age": protected["age"]}))]
    assert models[0].digest_ == models[1].digest_


def test_tables_of_pyarrow_are_read_as_frames_are(people, fair):
    arrow = pytest.importorskip("pyarrow")
    X, y, s = people
    table = arrow.Table.from_pandas(X, preserve_index=False)
    town = table.schema.get_field_index("town")
    framed = fair(random_state=2).fit(X, y, sensitive_features=s)
    for other in (table, arrow.concat_tables([table[:700], table[700:]]),
                  table.set_column(town, "town", table["town"].cast(arrow.large_string())),
                  table.set_column(town, "town", table["town"].cast(arrow.string_view()))):
        model = fair(random_state=2).fit(other, y, sensitive_features=s)
        assert model.digest_ == framed.digest_
        assert (model.predict(other[100:]) == framed.predict(X[100:])).all()


def test_a_curve_is_drawn_from_released_figures(people, ledger):
    X, y, s = people
    pytest.importorskip("matplotlib").use("Agg")
    sketch = dpfermi.FairSketch(epsilon=0.5, sensitive_values=["f", "m"], ledger=ledger).fit(X, y, sensitive_features=s)
    models = [sketch.classifier(max_violation=target) for target in (0.3, 0.05)]
    axes = dpfermi.plot_trade_off(models, X, y, label="sketch")
    assert dpfermi.plot_trade_off(models[:1], X, y, ax=axes) is axes
    line = axes.lines[0]
    assert sorted(line.get_ydata()) == pytest.approx(sorted(1 - model.score(X, y) for model in models))
    middles = [(model.violation_interval_["low"] + model.violation_interval_["high"]) / 2 for model in models]
    assert list(line.get_xdata()) == pytest.approx(sorted(middles))
    constant = [line for line in axes.lines if line.get_marker() == "x"][0]
    assert [*constant.get_xdata(), *constant.get_ydata()] == pytest.approx([0, min((y == "low").mean(), (y == "high").mean())])
    with pytest.warns(dpfermi.FairnessWarning):
        plain = dpfermi.FairClassifier().fit(X, y)
    with pytest.raises(dpfermi.Error, match="violation_interval_"):
        dpfermi.plot_trade_off([plain], X, y)


def test_progress_is_a_bar_or_lines(people, fair, capsys, monkeypatch):
    X, y, s = people
    pytest.importorskip("tqdm")
    fair(verbose=1, options={"epochs": 20}).fit(X, y, sensitive_features=s)
    assert "%|" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    fair(verbose=1, options={"epochs": 20}).fit(X, y, sensitive_features=s)
    lines = capsys.readouterr().err
    assert "dpfermi: " in lines and "100%" in lines


def test_errors_name_arguments_of_python(people, fair):
    X, y, s = people
    for params, field in (({"epsilon": -1}, "epsilon"), ({"fairness": "equality"}, "fairness"),
                          ({"method": "magic"}, "method"), ({"options": {"epoch": 3}}, "epoch"),
                          ({"lambda_": -1}, "lambda_"), ({"epsilon": np.nan}, "epsilon"), ({"delta": "x"}, "delta"),
                          ({"options": {"epsilon": 3}}, "options")):
        with pytest.raises(dpfermi.Error) as caught:
            fair(**params).fit(X, y, sensitive_features=s)
        assert caught.value.field == field, caught.value
        assert "--" not in str(caught.value)
    with pytest.raises(dpfermi.Error, match="row 3.*'hours'.*inf"):
        fair().fit(X.assign(hours=[*[1.0] * 3, np.inf, *[1.0] * (len(X) - 4)]), y, sensitive_features=s)
    with pytest.raises(dpfermi.Error, match="missing value"):
        fair().fit(X, y.replace("low", "NA"), sensitive_features=s)
    with pytest.raises(dpfermi.Error, match=r"`sensitive_values` \{'sex': \['a', 'b', 'c'\]\}"):
        fair(sensitive_values=None).fit(X, y, sensitive_features=s)
    with pytest.raises(dpfermi.Error, match=r"`bounds` \{'age': \(0, 100\)\}"):
        fair(adjacency="replace-record", classes=["low", "high"]).fit(X[["age"]], y, sensitive_features=s)
    with pytest.raises(dpfermi.Error, match=r"`X.drop\(columns=...\)` 'name'"):
        fair().fit(X.assign(name=[f"p{row}" for row in range(len(X))]), y, sensitive_features=s)
    with pytest.raises(ValueError, match="different numbers"):
        fair().fit(X, np.arange(len(X)), sensitive_features=s)
    with pytest.raises(ValueError, match="not fitted"):
        fair().predict(X)
    with pytest.raises(ValueError, match="inconsistent"):
        fair().fit(X, y, sensitive_features=s[:-1])


def test_values_that_cannot_be_are_errors_that_name_the_argument_and_cost_nothing(people, fair, ledger):
    X, y, s = people
    for params in ({"epsilon": "x"}, {"epsilon": None}, {"hidden": "a"}, {"options": [1]}, {"bounds": {"age": 3}},
                   {"bounds": {"age": ("a", "b")}}, {"n_jobs": "two"}, {"random_state": np.random.default_rng(0)}, {"sensitive_values": "fm"},
                   {"sensitive_bins": {"sex": 3}}, {"fairness": "none"}, {"hidden": [0]}):
        with pytest.raises(dpfermi.Error) as caught:
            fair(**params).fit(X, y, sensitive_features=s)
        assert caught.value.field == next(iter(params)), caught.value
    assert ledger.budgets() == []
    for arguments in ({"noise_multiplier": "x"}, {"noise_multiplier": -1}, {"noise_multiplier": 1, "steps": -1},
                      {"noise_multiplier": 1, "q": "x"}):
        with pytest.raises(dpfermi.Error) as caught:
            dpfermi.account(delta=1e-5, **arguments)
        assert caught.value.field == list(arguments)[-1], caught.value
    with pytest.raises(dpfermi.Error, match="`ledger` takes"):
        fair(ledger=3).fit(X, y, sensitive_features=s)


def test_arguments_of_a_wrong_type_are_named(people, fair, ledger):
    X, y, s = people
    for passed in ({"sensitive_features": 3}, {"sensitive_features": {"sex": s}}, {"sensitive_features": "sex"},
                   {"sensitive_features": np.int64(3)}, {"sensitive_features": np.zeros((2000, 1, 1))},
                   {"person_ids": 3}, {"person_ids": "person"}, {"person_ids": X}, {"sample_weight": "balanced"},
                   {"sample_weight": {0: 1}}):
        with pytest.raises(dpfermi.Error, match="`.*` takes") as caught:
            fair().fit(X, y, **{"sensitive_features": s, **passed})
        assert caught.value.field == next(iter(passed)), caught.value
    for params, target, field, said in (({"positive": "nope"}, y, "positive", "none of the classes 'high', 'low'"),
                                        ({}, np.full(len(X), "one"), "y", "`y` 'target' has one class"),
                                        ({}, [f"name {row}" for row in range(len(X))], "y", "different values; give fewer")):
        with pytest.raises(dpfermi.Error, match=said) as caught:
            fair(**params).fit(X, target, sensitive_features=s)
        assert caught.value.field == field, caught.value
    with pytest.raises(dpfermi.Error, match="`X` takes") as caught:
        fair().fit([[1, 2], [3]], ["a", "b"], sensitive_features=[0, 1])
    assert caught.value.field == "X" and ledger.budgets() == []


# Of files, images, experiments and packs. _PHRASES has words for `categorical`, `format.missing` and `target.bins`.
OF_THE_TOOL_ALONE = """categorical charge checkpoint.every checkpoint.file checkpoint.resume components disjoint dry_run encoding
    features.model_file force format.comment format.header format.missing format.names held_out html image images join key
    missing numeric out pictures repaired_model research resume schedule.batch schedule.decay schedule.epochs schedule.rate
    schema_out sensitive_file shape.model sketch split_seed splits target.bins test_fraction tuning_epochs tuning_rate
    whole_network without_sensitive work write_schema""".split()


def test_every_setting_that_a_message_may_name_is_called_as_in_python_or_is_of_the_tool_alone():
    table = (ROOT / "apps/dpfermi/flags/field_names.cc").read_text(encoding="utf-8")
    fields = set(re.findall(r'^    \{?"([a-z_.]+)",', table, re.M))
    assert {"epsilon", "notion"} <= fields
    row, = re.findall(r"^\| request of `dpfermi_plan`.*$", (ROOT / "docs/c-api.md").read_text(encoding="utf-8"), re.M)
    options = set(re.findall("`([a-z_]+)`", row)) | {"features.kind", "features.clip_norm"}
    functions = (dpfermi.FairClassifier, dpfermi.FairClassifier.fit, dpfermi.Ledger.set_budget)
    arguments = {name for function in functions for name in inspect.signature(function).parameters}
    # `sensitive_features` asks the tool to use s as features as well; it is named about images alone.
    known = (arguments - {"sensitive_features"}) | options | set(dpfermi._library._ARGUMENTS)
    assert fields - known == {*OF_THE_TOOL_ALONE, "sensitive_features", "order"}


def test_messages_speak_of_python(people, fair, ledger, tmp_path):
    X, y, s = people
    (tmp_path / "junk").write_text("hello")
    with pytest.raises(dpfermi.Error, match="not a model file; give one that save"):
        dpfermi.load_model(tmp_path / "junk")
    with pytest.raises(dpfermi.Error, match=r"not a sketch file; give one that FairSketch\.save"):
        dpfermi.FairSketch.load(tmp_path / "junk")
    with pytest.raises(dpfermi.Error, match=r"make it NaN, or use the dtype category for 'age'"):
        fair().fit(X.assign(age=np.inf), y, sensitive_features=s)
    with pytest.raises(dpfermi.Error, match="^the bounds of column 'age'"):
        fair(bounds={"age": (9, 3)}).fit(X, y, sensitive_features=s)
    with pytest.raises(dpfermi.Error) as caught:
        ledger.set_budget("people", epsilon=-1, delta=1e-5)
    assert caught.value.field == "epsilon"
    ledger.set_budget("people", epsilon=1, delta=1e-5)
    with pytest.raises(dpfermi.Error, match=r"Ledger\.set_budget\(\)"):
        fair(budget="others").fit(X, y, sensitive_features=s)


def test_every_setting_that_is_renamed_is_one_of_the_library_and_gets_the_name_of_an_argument():
    fits = (dpfermi.FairClassifier, dpfermi.RepairClassifier, dpfermi.FairClassifier.fit)
    arguments = {name for function in fits for name in inspect.signature(function).parameters}
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.cc"))
    sources = re.sub(r'"\s*"', "", sources)
    for theirs, ours in dpfermi._library._ARGUMENTS.items():
        assert f"`{theirs}`" in sources, theirs
        assert ours in arguments or ours.startswith("X."), ours
    for phrase in dpfermi._library._PHRASES:
        assert phrase.strip("': ") in sources, phrase


def test_an_interrupt_ends_a_fit_and_is_passed_on(fair, ledger):
    X, y, s = make_people(20_000)

    def interrupt():
        while not ledger.budgets():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    before, started = signal.getsignal(signal.SIGINT), time.process_time()
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt, match="stays charged"):
        fair(options={"epochs": 20_000}).fit(X, y, sensitive_features=s)
    # Of this process: others may keep it from running.
    assert time.process_time() - started < 30
    assert signal.getsignal(signal.SIGINT) is before
    assert ledger.budgets()[0]["charges"] == 1


@pytest.fixture
def interrupted(monkeypatch):
    """SIGINT reaches the process while the library works; training is complete before it asks."""
    call = dpfermi._library.call

    def interrupt(name, *arguments):
        call(name, *arguments)
        if name in ("train", "sketch_make", "evaluate_privately", "evaluate_exactly"):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(dpfermi._library, "call", interrupt)


def test_what_is_paid_for_survives_an_interrupt_that_is_passed_on(people, fair, ledger, interrupted):
    X, y, s = people
    model, before = fair(), signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match="model was complete"):
        model.fit(X, y, sensitive_features=s)
    sketch = dpfermi.FairSketch(epsilon=0.5, sensitive_values=["f", "m"], ledger=ledger)
    with pytest.raises(KeyboardInterrupt, match="sketch was complete"):
        sketch.fit(X, y, sensitive_features=s)
    with pytest.raises(KeyboardInterrupt) as caught:
        dpfermi.evaluate_private(model, X, y, sensitive_features=s, epsilon=0.5, delta=1e-6, ledger=ledger)
    assert caught.value.args[1]["privacy"]["private"]
    with pytest.raises(KeyboardInterrupt) as caught:
        dpfermi.evaluate_exact(model, X, y, sensitive_features=s)
    assert caught.value.args == ()
    assert len(model.predict(X)) == len(X) and sketch.classifier(lambda_=1).fairness_applied_
    assert signal.getsignal(signal.SIGINT) is before and ledger.budgets()[0]["charges"] == 3


def test_an_interrupt_goes_to_the_handler_of_the_program(people, fair, interrupted):
    X, y, s = people
    got = []
    before = signal.signal(signal.SIGINT, lambda *_: got.append(signal.SIGINT))
    try:
        model = fair().fit(X, y, sensitive_features=s)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert dpfermi.evaluate_exact(model, X, y, sensitive_features=s)["rows"] == len(X)
        assert got == [signal.SIGINT] and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_threads_that_fit_at_once_get_the_models_they_would_get_alone(people, fair, ledger):
    X, y, s = people
    alone = {seed: fair(random_state=seed).fit(X, y, sensitive_features=s).digest_ for seed in (3, 4)}
    together = {}

    def fit(seed):
        together[seed] = fair(random_state=seed).fit(X, y, sensitive_features=s).digest_

    threads = [threading.Thread(target=fit, args=[seed]) for seed in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone
    assert ledger.budgets()[0]["charges"] == 4


def test_other_threads_run_during_a_fit(fair):
    X, y, s = make_people(5000)
    ticks = []
    stop = threading.Event()
    def tick():
        while not stop.wait(0.001):
            ticks.append(time.monotonic())
    thread = threading.Thread(target=tick)
    thread.start()
    started = time.monotonic()
    fair(options={"epochs": 400}).fit(X, y, sensitive_features=s)
    took = time.monotonic() - started
    stop.set()
    thread.join()
    assert len(ticks) > 5 and max(np.diff(ticks)) < took / 2


def test_importing_needs_numpy_alone():
    code = "import dpfermi, sys; sys.exit(any(m in sys.modules for m in ('sklearn', 'pandas', 'scipy', 'matplotlib')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_accounting_agrees_with_itself_and_with_the_closed_form():
    bound = dpfermi.account(noise_multiplier=1.0, delta=1e-5)
    assert bound.lower <= bound.upper
    # Balle and Wang 2018: one Gaussian release of noise multiplier 1 at delta 1e-5.
    assert bound.upper == pytest.approx(4.377, abs=2e-3)
    assert dpfermi.calibrate(epsilon=bound.upper, delta=1e-5) == pytest.approx(1.0, abs=2e-3)
    assert dpfermi.calibrate(epsilon=1, delta=1e-5, find="steps", q=0.01, noise_multiplier=5) > 100
    assert 0 < dpfermi.calibrate(epsilon=1, delta=1e-5, find="q", steps=100, noise_multiplier=5) < 1
    assert dpfermi.account(noise_multiplier=1.0, epsilon=bound.upper).upper <= 1.01e-5
    with pytest.raises(dpfermi.Error) as caught:
        dpfermi.account(noise_multiplier=1.0)
    assert caught.value.field == "delta"


@pytest.mark.parametrize("module", ["examples", "_estimators", "_evaluation", "_files", "_ledger", "_repair"])
def test_examples_in_docstrings_hold(module):
    result = doctest.testmod(importlib.import_module(f"dpfermi.{module}"))
    assert result.attempted > 0 and result.failed == 0


def test_what_is_public_has_a_docstring_with_its_arguments_and_an_example():
    for name in dpfermi.__all__:
        public = getattr(dpfermi, name)
        if inspect.isclass(public) and issubclass(public, (Exception, tuple)):
            continue
        assert ">>>" in public.__doc__, name
        methods = [public] if not inspect.isclass(public) else [
            member for key, member in inspect.getmembers(public, inspect.isroutine)
            if not key.startswith(("_", "get_", "set_")) or key == "set_budget"]
        for method in methods:
            for argument in inspect.signature(method).parameters:
                assert argument == "self" or re.search(rf"\b{argument}\b", method.__doc__), (name, method, argument)


def test_whole_records_are_protected_where_ranges_and_categories_are_declared(people, fair):
    X, y, s = people
    X = X[["age", "hours", "job"]].fillna({"hours": 40})
    record = fair(adjacency="replace-record", epsilon=5, bounds={"age": (18, 80), "hours": (0, 80)},
                  categories={"job": list("abcdef")}, budget="records", options={"epochs": 2}, positive="high")
    with pytest.raises(dpfermi.Error, match="declare"):
        record.fit(X, y, sensitive_features=s)
    record.set_params(classes=["low", "high"]).fit(X, y, sensitive_features=s)
    assert record.privacy_["adjacency"] == "replace-record" and record.privacy_["private"]
    with pytest.raises(dpfermi.Error, match="ledger|adjacency"):
        record.fit(X, y)


def test_methods_that_decide_by_the_group_ask_for_it(people, fair):
    X, y, s = people
    model = fair(method="hardt", fairness="equalized-odds", lambda_=None, random_state=0, options=None)
    model.fit(X, y, sensitive_features=s)
    assert not model.privacy_["private"]
    with pytest.raises(dpfermi.Error, match="give `sensitive_features`"):
        model.predict(X)
    assert len(model.predict(X, sensitive_features=s)) == len(X)
