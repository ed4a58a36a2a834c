"""Random tables, labels and groups: a model, or one clear sentence of ours, and never anything else."""

import os
import pickle
import traceback
import warnings

import numpy as np
import pandas as pd
import pytest

import dpfermi
from arrow_table import ArrowTable

pytest.importorskip("sklearn")
from sklearn.dummy import DummyClassifier

FRAMES = int(os.environ.get("DPFERMI_FUZZ_FRAMES", 300))
SEED = int(os.environ.get("DPFERMI_FUZZ_SEED", 1))
PACKAGE = os.path.dirname(dpfermi.__file__)
TEXTS = ["a", "b,c", "\"", "ü", "", "NA", "\n", " x ", "a\0b", "\ud800", "😀" * 50, "1", "1.0", "inf"]


class Maker:
    """Columns, tables, labels and groups of every kind that a caller may come with."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.kinds = [
            lambda n: rng.normal(size=n), lambda n: rng.integers(-5, 5, size=n), lambda n: rng.random(n) < 0.5,
            lambda n: rng.choice(["a", "b", "c"], size=n), lambda n: rng.choice(TEXTS[:8], size=n),
            lambda n: rng.choice(np.array(TEXTS, dtype=object), size=n),
            lambda n: rng.choice(np.array([1, "a", None, 2.5, np.nan, True], dtype=object), size=n),
            lambda n: np.full(n, np.nan), lambda n: np.where(rng.random(n) < 0.3, np.inf, 1.0),
            lambda n: np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            lambda n: np.array([10**int(k) for k in rng.integers(0, 30, size=n)], dtype=object),
            lambda n: pd.Categorical(rng.choice(["x", "y"], size=n), categories=["y", "x", "z"]),
            lambda n: pd.Categorical(rng.integers(0, 3, size=n)),
            lambda n: pd.Series(rng.integers(0, 3, size=n), dtype="Int64").mask(rng.random(n) < 0.2).to_numpy(),
            lambda n: pd.array(rng.integers(0, 3, size=n), dtype="Int8"),
            lambda n: pd.array(rng.choice(["s", "t"], size=n), dtype="string"),
            lambda n: pd.date_range("2020", periods=n), lambda n: pd.to_timedelta(np.arange(n), unit="s"),
            lambda n: np.full(n, "same"), lambda n: rng.normal(size=n) * 1e300, lambda n: rng.normal(size=n) + 1j,
            lambda n: rng.normal(size=n).astype(np.float16), lambda n: rng.integers(0, 2**64, size=n, dtype=np.uint64),
            lambda n: np.array([[row] for row in range(n)] + [None], dtype=object)[:n],
        ]
        self.plain = 5          # the first of them are what tables usually hold

    def one_of(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def rarely(self, one_in=8):
        return self.rng.integers(one_in) == 0

    def kind(self):
        return self.kinds[int(self.rng.integers(self.plain if self.rng.random() < 0.7 else len(self.kinds)))]

    def kind_of_labels(self):
        return self.kind() if self.rarely(4) else self.one_of(*self.kinds[1:4])

    def names(self, count):
        names = [f"c{place}" for place in range(count)]
        if count and self.rarely():
            names[0] = self.one_of("c1", "ü", "", "target", "sex", "a=b", 7, ("a", 1), None, "x\0", "\ud800")
        return names

    def table(self, kinds, names, rows, arrow):
        """A frame, an array, a list or, where `arrow` says so, an Arrow table of columns of these kinds."""
        frame = pd.DataFrame({place: kind(rows) for place, kind in enumerate(kinds)}, index=range(rows))
        frame.columns = pd.Index(names, dtype=object)
        if self.rarely():
            return frame.to_numpy()
        if self.rarely():
            return frame.to_numpy().tolist()
        if arrow and kinds and self.rarely():
            return ArrowTable({f"c{place}": self.rng.normal(size=rows) if kind is self.kinds[0] else
                               pd.Series(self.rng.choice(["u", "v"], size=rows)) for place, kind in enumerate(kinds)})
        return frame

    def column(self, kind, rows, name):
        rows = rows + int(self.rarely(40))
        values = kind(rows)
        return self.one_of(pd.Series(values, name=name), np.asarray(values), list(values))

    def protected(self, rows):
        if self.rarely():
            return pd.DataFrame({"sex": self.kind()(rows), "age": self.kind()(rows)})
        return self.column(self.kind(), rows, "sex")

    def estimator(self, ledger):
        common = dict(epsilon=1, delta=1e-6, ledger=ledger, random_state=self.one_of(None, 3))
        common["fairness"] = self.one_of("demographic-parity", "equalized-odds", "equal-opportunity")
        common["positive"] = None if not self.rarely() else self.one_of("a", True, 1, "nope", np.nan)
        values = self.one_of(["a", 1, True], [0, 1], ["a", "b"], ["a"], ["", "NA"], {"sex": [0, 1], "age": [2.5, "same"]})
        common.update({"groups_from_data": True} if self.rarely() else {"sensitive_values": values})
        kind = self.one_of("classifier", "classifier", "sketch", "repair")
        if kind == "sketch":
            return dpfermi.FairSketch(**common)
        if kind == "repair":
            return dpfermi.RepairClassifier(DummyClassifier(), max_violation=0.2, cv=2, **common)
        if self.rarely():
            common.update(adjacency="replace-record", classes=self.one_of(None, ["a", "b", "c"], [False, True]),
                          bounds=self.one_of(None, {"c0": (0, 1), "c1": (0, 1)}, {"c9": (0, 1)}), budget="records")
        return dpfermi.FairClassifier(method="dp-fermi", lambda_=1, options={"epochs": 1}, **common)


def is_clear(problem):
    """Whether an exception was raised by the package, in one sentence."""
    where = traceback.extract_tb(problem.__traceback__)[-1].filename
    text = str(problem)
    # scikit-learn prescribes a list for names of features.
    lines = 15 if "feature names" in text else 1
    return (isinstance(problem, (dpfermi.Error, ValueError)) and where.startswith(PACKAGE) and 10 < len(text) < 600
            and len(text.strip().splitlines()) <= lines and "Traceback" not in text and "0x" not in text)


def use(model, make, X, kinds, names, kind_of_y):
    """What a fitted model says about its own rows and about others."""
    rows = len(decisions := model.predict(X))
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (rows, len(model.classes_)) and np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert set(np.unique(decisions)) <= set(model.classes_)
    assert (pickle.loads(pickle.dumps(model)).predict(X) == decisions).all()
    if make.rarely(3):
        kinds = [make.kind() if make.rarely(3) else kind for kind in kinds]
    others = make.table(kinds, names, int(make.one_of(1, 7, 50)), isinstance(model, dpfermi.FairClassifier))
    labels = make.column(make.kind() if make.rarely() else kind_of_y, len(model.predict(others)), "target")
    model.score(others, labels)
    dpfermi.evaluate_exact(model, others, labels, sensitive_features=make.protected(len(labels)))


def test_random_tables_give_a_model_or_one_clear_sentence(tmp_path):
    make = Maker(SEED)
    models = used = 0
    for frame in range(FRAMES):
        # Opening a ledger checks all of its entries.
        ledger = tmp_path / f"{frame // 200}.db"
        rows = int(make.one_of(0, 1, 2, 5) if make.rarely(4) else make.one_of(40, 60, 200))
        kinds = [make.kind() for _ in range(0 if make.rarely(20) else make.rng.integers(1, 5))]
        kind_of_y = make.kind_of_labels()
        names = make.names(len(kinds))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                estimator = make.estimator(ledger)
                # Estimators of scikit-learn take no Arrow tables.
                X = make.table(kinds, names, rows, not isinstance(estimator, dpfermi.RepairClassifier))
                y, s = make.column(kind_of_y, rows, "target"), make.protected(rows)
                persons = None if not make.rarely() else make.column(make.kind(), rows, "who")
                model = estimator.fit(X, y, sensitive_features=s, person_ids=persons)
                if isinstance(model, dpfermi.FairSketch):
                    model = model.classifier(max_violation=0.1)
                models += 1
                if persons is None:
                    use(model, make, X, kinds, names, kind_of_y)
                    used += 1
            except Exception as problem:
                assert is_clear(problem), "".join(traceback.format_exception(problem))
    # Rejections alone would show nothing.
    assert models > FRAMES / 4 and used > FRAMES / 10
