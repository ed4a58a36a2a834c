"""Estimators in the manner of scikit-learn, which is not needed to use them."""

from __future__ import annotations

import ctypes
import html
import inspect
import os
import re
import warnings
from typing import Any, Sequence

import numpy as np

from . import _library
from ._errors import Error, FairnessWarning, not_fitted
from ._ledger import opened
from ._table import (Table, Values, as_features, column_values, declared, feature_names, labels_of, protected_columns,
                     text_of, values_of)


def methods() -> list[dict[str, Any]]:
    """Every method of the library: its name, what it promises and what it needs.

    Examples
    --------
    >>> import dpfermi
    >>> "dp-fermi" in [method["name"] for method in dpfermi.methods()]
    True
    """
    return _library.ask_json("methods")


def _seed(random_state: Any) -> int | None:
    """A seed of the noise; None: the noise is secret."""
    if random_state is None:
        return None
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(random_state.randint(2**31 - 1))


def _copied(options: dict[str, Any], reserved: Sequence[str]) -> dict[str, Any]:
    for key in options:
        if key in reserved:
            raise Error(f"`options` repeats the argument `{key}`; leave it out there", "options")
    return options


class _Parameters:
    """get_params and set_params as scikit-learn has them: from the constructor's arguments."""

    @classmethod
    def _names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Any:
        """Replaces some of them and returns the estimator."""
        known = self._names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {known!r}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = (f"{name}={value!r}" for name, value in self.get_params().items()
                   if value is not defaults[name].default and repr(value) != repr(defaults[name].default))
        return f"{type(self).__name__}({', '.join(changed)})"


class _Artifact(_Parameters):
    """An estimator that fit() gives an object of the library: a model or a sketch, with a card and a file."""

    _kind: str
    card_: str

    def _adopt_object(self, handle: _library.Handle) -> dict[str, Any]:
        """Takes the object over and returns what is to know about it."""
        facts = _library.ask_json(f"{self._kind}_inspect", handle)
        self._object = handle
        self.privacy_ = {**facts["privacy"], "private": facts["private"]}
        self.card_ = facts["card"]
        return facts

    def __sklearn_is_fitted__(self) -> bool:
        return "_object" in self.__dict__

    def _fitted(self) -> _library.Handle:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(type(self).__name__)
        return self._object

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, which the tool reads too."""
        _library.call(f"{self._kind}_write", self._fitted(), os.fsencode(path))

    def __getstate__(self) -> dict[str, Any]:
        # The rows that a sketch refers to stay behind.
        state = {key: value for key, value in self.__dict__.items() if key != "_data"}
        if "_object" in state:
            state["_object"] = _library.ask(f"{self._kind}_encode", self._object)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(state.get("_object"), bytes):
            self._object = _library.make(f"{self._kind}_decode", self._kind, state["_object"], len(state["_object"]))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.card_ if self.__sklearn_is_fitted__() else repr(self))}</pre>"


class _People:
    """What fit() was given, as a table of the library."""

    def __init__(self, estimator: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any,
                 person_ids: Any) -> None:
        name = type(estimator).__name__
        X = as_features(X, name)
        rows = X.shape[0]
        self.names = feature_names(X)
        self.classes, labels, target = labels_of(y, rows)
        columns = column_values(X)
        if person_ids is not None and len(person_ids) != rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(person_ids)}]")
        protected = {} if sensitive_features is None else protected_columns(sensitive_features, rows)
        ids = None if person_ids is None else values_of(np.asarray([text_of(key) for key in person_ids], dtype=object))
        taken = _weighted_rows(sample_weight, rows, copies=sensitive_features is None and ids is None)
        if taken is not None:
            columns = [_some(values, taken) for values in columns]
            labels = _some(labels, taken)
            protected = {key: _some(values, taken) for key, values in protected.items()}
            ids = None if ids is None else _some(ids, taken)
            rows = len(taken)
        self.features = len(columns)
        self.table = Table(getattr(estimator, "data_name", None) or "data in memory", rows)
        names = [f"x{place}" for place in range(self.features)] if self.names is None else list(self.names)
        self.columns = [self.table.add(column, values) for column, values in zip(names, columns)]
        # A name may be taken by a feature; declarations are about the name that was given.
        self.sensitive = {key: self.table.add(key, values, protected=True) for key, values in protected.items()}
        self.id = None if ids is None else self.table.add("person", ids)
        self.target = self.table.add(target, labels)

    def load(self, estimator: Any, with_groups: bool) -> _library.Handle:
        given = list(self.sensitive)
        values, bins = {}, {}
        if with_groups:
            values = declared(estimator.sensitive_values, given, "sensitive_values", text_of)
            bins = declared(estimator.sensitive_bins, given, "sensitive_bins", float)
        schema: dict[str, Any] = {}
        for column, spec in _column_specs(estimator).items():
            schema.setdefault("columns", {})[column] = spec
        classes = getattr(estimator, "classes", None)
        if classes is not None:
            schema["target"] = {"column": self.target, "values": [text_of(value) for value in classes]}
            self.classes = np.asarray(classes)
        positive = getattr(estimator, "positive", None)
        options = _library.request(
            target=self.target, positive=None if positive is None else text_of(positive),
            sensitive=list(self.sensitive.values()) if with_groups else None,
            sensitive_values={self.sensitive[key]: value for key, value in values.items()},
            sensitive_bins={self.sensitive[key]: ends for key, ends in bins.items()},
            groups_from_data=bool(estimator.groups_from_data) if with_groups else None, id=self.id,
            adjacency=getattr(estimator, "adjacency", None), test_fraction=0.0, schema=schema or None)
        return _library.make("table_load", "table", self.table.structure(), options)


def _column_specs(estimator: Any) -> dict[str, dict[str, Any]]:
    specs: dict[str, dict[str, Any]] = {}
    for column, ends in (getattr(estimator, "bounds", None) or {}).items():
        specs.setdefault(str(column), {})["bounds"] = [float(end) for end in ends]
    for column, values in (getattr(estimator, "categories", None) or {}).items():
        specs.setdefault(str(column), {})["values"] = [text_of(value) for value in values]
    return specs


def _weighted_rows(sample_weight: Any, rows: int, copies: bool) -> np.ndarray | None:
    """The rows to train on, by their numbers; None: all, once. A weight of 0 leaves a row out. Where nobody is
    protected (`copies`) a row counts as often as its weight says, if the weights are in whole proportions."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if len(weights) != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({rows},)!")
    if not (weights >= 0).all() or not weights.any():
        raise Error("`sample_weight` must not be negative or all 0", "sample_weight")
    times = weights / weights[weights > 0].min()
    if (times <= 1).all():
        return None if (times == 1).all() else np.flatnonzero(times)
    if not copies:
        raise Error("with `sensitive_features` or `person_ids` a `sample_weight` may leave rows out with 0, and all "
                    "others must be alike: a weight would change what one person contributes", "sample_weight")
    whole = np.round(times)
    if np.abs(whole - times).max() > 1e-9 or whole.sum() > 100 * rows:
        raise Error("`sample_weight` must be in small whole proportions, such as 1, 2 and 3", "sample_weight")
    return np.repeat(np.arange(rows), whole.astype(np.int64))


def _some(values: Values, rows: np.ndarray) -> Values:
    return Values(None if values.numbers is None else np.ascontiguousarray(values.numbers[rows]),
                  None if values.codes is None else np.ascontiguousarray(values.codes[rows]), values.levels)


class FairClassifier(_Artifact):
    """A classifier that is fair to groups and keeps the sensitive attribute differentially private.

    Parameters
    ----------
    method : str, optional
        One of :func:`methods`; by default the library's own choice.
    fairness : str
        "demographic-parity", "equalized-odds" or "equal-opportunity".
    epsilon, delta : float
        What a fit may spend; delta is 1/n² by default.
    lambda_ : float, optional
        Weight of the fairness term.
    max_violation : float, optional
        The largest violation to aim at, in place of a weight.
    adjacency : str
        What is protected: "sensitive", "replace-record" or "add-remove-record".
    sensitive_values : dict or list, optional
        The values of each column of ``sensitive_features``; a list where there is one column. Declared, because the
        list of groups gives a model its shape and one person could add to it.
    sensitive_bins : dict or list, optional
        Upper ends of bins of numeric columns.
    groups_from_data : bool
        Take undeclared groups from the data; the statement then says that their list is treated as public.
    bounds, categories : dict, optional
        Ranges of numbers and lists of categories by column; needed where records are protected.
    classes : sequence, optional
        All classes; needed where records are protected, whose labels would give the list away.
    positive : optional
        The favourable class; the last by default.
    hidden : sequence of int
        Widths of hidden layers; none: softmax regression.
    units : int, optional
        The declared number of records under "add-remove-record".
    options : dict, optional
        Further keys of a training request (docs/c-api.md), such as ``{"epochs": 5}``.
    ledger : Ledger or path, optional
        Which ledger pays; by default the usual one.
    budget : str
        Which budget of it pays. Every fit of every clone and fold that names it is charged to it in full.
    random_state : int, optional
        Reproducible noise, which is not private: the model is stamped so, and a budget with a limit refuses it.
    rehearsal : bool
        Declares the data invented: ``random_state`` may then spend from a budget with a limit.
    n_jobs : int
        Threads of one fit; the result does not depend on it.
    data_name : str, optional
        What the card calls the data.
    verbose : int
        1: progress, 2: remarks as well.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray
        Their names, where X was a frame with texts as names.
    privacy_ : dict
        The privacy statement.
    card_ : str
        The model's card, for people.
    violation_interval_ : dict or None
        An interval for the violation on the training rows, where one was released.
    fairness_applied_ : bool
        False: there were no sensitive features.
    digest_ : str
        SHA-256 of what the model computes and promises.

    Examples
    --------
    >>> import dpfermi, numpy as np, tempfile
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.integers(2, size=2000)
    >>> X = rng.normal(size=(2000, 3)) + 0.5 * sex[:, None]
    >>> y = X.sum(axis=1) + rng.normal(size=2000) > 0.75
    >>> model = dpfermi.FairClassifier(epsilon=1, max_violation=0.05, sensitive_values=[0, 1],
    ...                                ledger=tempfile.mkdtemp() + "/ledger.db")
    >>> model = model.fit(X, y, sensitive_features=sex)
    >>> model.privacy_["private"]
    True
    >>> model.predict(X[:2]).shape
    (2,)
    """

    _kind = "model"
    _estimator_type = "classifier"

    def __init__(self, *, method: str | None = None, fairness: str = "demographic-parity", epsilon: float = 1.0,
                 delta: float | None = None, lambda_: float | None = None, max_violation: float | None = None,
                 adjacency: str = "sensitive", sensitive_values: Any = None, sensitive_bins: Any = None,
                 groups_from_data: bool = False, bounds: dict[str, Any] | None = None,
                 categories: dict[str, Any] | None = None, classes: Any = None, positive: Any = None, hidden: Sequence[int] = (),
                 units: int | None = None, options: dict[str, Any] | None = None, ledger: Any = None,
                 budget: str = "default", random_state: Any = None, rehearsal: bool = False, n_jobs: int | None = None,
                 data_name: str | None = None, verbose: int = 0) -> None:
        self.method = method
        self.fairness = fairness
        self.epsilon = epsilon
        self.delta = delta
        self.lambda_ = lambda_
        self.max_violation = max_violation
        self.adjacency = adjacency
        self.sensitive_values = sensitive_values
        self.sensitive_bins = sensitive_bins
        self.groups_from_data = groups_from_data
        self.bounds = bounds
        self.categories = categories
        self.classes = classes
        self.positive = positive
        self.hidden = hidden
        self.units = units
        self.options = options
        self.ledger = ledger
        self.budget = budget
        self.random_state = random_state
        self.rehearsal = rehearsal
        self.n_jobs = n_jobs
        self.data_name = data_name
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None,
            person_ids: Any = None) -> FairClassifier:
        """Trains a model, and charges the budget before it reads the sensitive features.

        Parameters
        ----------
        X : array or DataFrame
            Numbers, texts, categories, booleans, missing values.
        y : array
            Classes.
        sensitive_features : Series, array, DataFrame or FairSketch, optional
            What is protected. A :class:`FairSketch` of the same rows stands for it at no further cost. Without it the
            model is neither fair nor does it need to be private; a warning says so.
        sample_weight : array, optional
            0 leaves a row out; all other weights must be alike, or without sensitive features in small whole
            proportions.
        person_ids : array, optional
            Whose row it is: the person is then protected, not the record.

        Returns
        -------
        FairClassifier
            Itself.
        """
        sketch = sensitive_features if isinstance(sensitive_features, FairSketch) else None
        people = _People(self, X, y, None if sketch is not None else sensitive_features, sample_weight, person_ids)
        applied = sensitive_features is not None
        table = people.load(self, with_groups=applied and sketch is None)
        request = self._request(applied, sketch is not None)
        run = _library.request(
            budget=None if sketch is not None or not applied else self.budget,
            part_of_budget=None if sketch is not None or not applied else True, seed=_seed(self.random_state),
            rehearsal=bool(self.rehearsal) or None, threads=self._threads())
        if sketch is not None:
            handle, report = _library.train("train_from_sketch", table, sketch._fitted(), request, run,
                                            verbose=self.verbose)
        elif applied:
            ledger = opened(self.ledger)
            handle, report = _library.train("train", table, ledger, request, run, verbose=self.verbose)
        else:
            warnings.warn("fairness not applied: fit() got no sensitive_features", FairnessWarning, stacklevel=2)
            handle, report = _library.train("train", table, None, request, run, verbose=self.verbose)
        self._adopt(handle, people.classes, people.columns, people.names)
        self.fairness_applied_ = applied
        self.violation_interval_ = report["violation"]
        self.recorded_ = report["recorded"]
        return self

    def _threads(self) -> int:
        if self.n_jobs is None:
            return 1
        return int(self.n_jobs) if self.n_jobs > 0 else os.cpu_count() or 1

    def _request(self, applied: bool, from_sketch: bool) -> bytes:
        options = _copied(dict(self.options or {}), ("method", "notion", "epsilon", "delta", "lambda", "max_violation",
                                                      "adjacency", "hidden", "declared_units"))
        common = dict(hidden=[int(width) for width in self.hidden] or None, **options)
        if not applied:
            return _library.request(method="erm", notion="none", adjacency=self.adjacency, **common)
        if from_sketch and self.method not in (None, "sketch"):
            raise Error(f"from a FairSketch models are trained by the method sketch, not {self.method}; leave out "
                        "`method`", "method")
        paid = {} if from_sketch else dict(epsilon=float(self.epsilon), delta=self.delta)
        return _library.request(
            method="sketch" if from_sketch else self.method, notion=self.fairness, adjacency=self.adjacency,
            max_violation=self.max_violation, declared_units=self.units, **{"lambda": self.lambda_}, **paid, **common)

    def _adopt(self, handle: _library.Handle, classes: np.ndarray, columns: Sequence[str],
               names: np.ndarray | None) -> None:
        facts = self._adopt_object(handle)
        self._columns = list(columns)
        self.classes_ = classes
        # The library sorts classes by its own rule.
        order = {name: place for place, name in enumerate(facts["classes"])}
        self._order = np.array([order[text_of(value)] for value in classes])
        self.n_features_in_ = len(columns)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.digest_ = facts["digest"]

    def _check_names(self, X: Any) -> None:
        given, known = feature_names(X), getattr(self, "feature_names_in_", None)
        name = type(self).__name__
        if known is None and given is not None:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names", UserWarning, stacklevel=4)
        if known is not None and given is None:
            warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning,
                          stacklevel=4)
        if known is None or given is None or list(known) == list(given):
            return
        message = "The feature names should match those that were passed during fit.\n"
        unexpected, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
        for title, listed in (("Feature names unseen at fit time", unexpected),
                              ("Feature names seen at fit time, yet now missing", missing)):
            if listed:
                message += title + ":\n" + "".join(f"- {column}\n" for column in listed[:5])
                message += "- ...\n" if len(listed) > 5 else ""
        if not unexpected and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(message)

    def _rows(self, X: Any, sensitive_features: Any = None) -> Table:
        X = as_features(X, type(self).__name__)
        self._check_names(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")
        table = Table("data in memory", X.shape[0])
        for column, values in zip(self._columns, column_values(X)):
            table.add(column, values)
        if sensitive_features is not None:
            known = [spec["column"] for spec in _header(self._fitted())["schema"].get("sensitive", [])]
            given = protected_columns(sensitive_features, table.rows)
            names = known if len(known) == len(given) == 1 else list(given)
            for name, values in zip(names, given.values()):
                table.add(name, values, protected=True)
        return table

    def _predicted(self, X: Any, sensitive_features: Any) -> tuple[np.ndarray, np.ndarray]:
        handle = self._fitted()
        table = self._rows(X, sensitive_features)
        probabilities = np.empty((table.rows, len(self.classes_)), dtype=np.float32)
        decisions = np.empty(table.rows, dtype=np.uint32)
        _library.call("predict", handle, table.structure(),
                      probabilities.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
                      decisions.ctypes.data_as(ctypes.POINTER(ctypes.c_uint32)))
        return probabilities[:, self._order].astype(np.float64), np.argsort(self._order)[decisions]

    def predict(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """The class of each row. ``sensitive_features`` are for methods that decide by the group alone."""
        decisions = self._predicted(X, sensitive_features)[1]
        return self.classes_[decisions]

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Probabilities, rows by classes; of the decisions, where the model draws them."""
        return self._predicted(X, sensitive_features)[0]

    def decision_function(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Of two classes the log-odds of the second, of more the log-probabilities."""
        logs = np.log(np.maximum(self.predict_proba(X, sensitive_features=sensitive_features),
                                 np.finfo(np.float32).tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy. Reads no sensitive features."""
        return float(np.average(self.predict(X) == np.asarray(y).ravel(), weights=sample_weight))

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True, "X_types": ["2darray", "string"]}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True),
                    classifier_tags=ClassifierTags(), input_tags=InputTags(allow_nan=True, string=True, categorical=True))


def _header(handle: _library.Handle) -> dict[str, Any]:
    return _library.ask_json("model_inspect", handle)["header"]


def load_model(path: str | os.PathLike[str]) -> FairClassifier:
    """The model of a file, trained in Python or by the tool.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    FairClassifier
        Fitted. Its classes are texts.
    """
    handle = _library.make("model_read", "model", os.fsencode(path))
    header = _header(handle)
    pipeline = header["pipeline"]
    columns = [feature["column"] for feature in pipeline.get("numeric", []) + pipeline.get("categorical", [])]
    unnamed = all(re.fullmatch(r"x\d+", column) for column in columns)
    if unnamed:
        columns.sort(key=lambda column: int(column[1:]))
    record = header["training"]
    model = FairClassifier(method=record["method"])
    model._adopt(handle, np.array(header["model"]["classes"], dtype=object), columns,
                 None if unnamed else np.array(columns, dtype=object))
    model.fairness_applied_ = record["fairness"] != "none"
    return model


class FairSketch(_Artifact):
    """One private release of group sums, from which any number of fair models follow at no further cost.

    Parameters
    ----------
    fairness : str
        The notion that models are to satisfy.
    epsilon, delta : float
        What the release costs.
    rounds : int
        Residual queries, fixed beforehand.
    sensitive_values, sensitive_bins, groups_from_data, positive, ledger, budget, random_state, rehearsal, data_name
        As for :class:`FairClassifier`.

    Attributes
    ----------
    privacy_ : dict
        The privacy statement.
    card_ : str
        What it is and what it permits.
    groups_ : list of str
        The groups.

    Examples
    --------
    >>> import dpfermi, numpy as np, tempfile
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.integers(2, size=2000)
    >>> X = rng.normal(size=(2000, 3)) + 0.5 * sex[:, None]
    >>> y = X.sum(axis=1) + rng.normal(size=2000) > 0.75
    >>> ledger = dpfermi.Ledger(tempfile.mkdtemp() + "/ledger.db")
    >>> sketch = dpfermi.FairSketch(epsilon=0.5, sensitive_values=[0, 1], ledger=ledger)
    >>> sketch = sketch.fit(X, y, sensitive_features=sex)
    >>> models = [sketch.classifier(max_violation=target) for target in (0.2, 0.05)]
    >>> ledger.budgets()[0]["charges"]
    1
    """

    _kind = "sketch"

    def __init__(self, *, fairness: str = "demographic-parity", epsilon: float = 1.0, delta: float | None = None,
                 rounds: int = 0, sensitive_values: Any = None, sensitive_bins: Any = None,
                 groups_from_data: bool = False, positive: Any = None, ledger: Any = None, budget: str = "default",
                 random_state: Any = None, rehearsal: bool = False, data_name: str | None = None) -> None:
        self.fairness = fairness
        self.epsilon = epsilon
        self.delta = delta
        self.rounds = rounds
        self.sensitive_values = sensitive_values
        self.sensitive_bins = sensitive_bins
        self.groups_from_data = groups_from_data
        self.positive = positive
        self.ledger = ledger
        self.budget = budget
        self.random_state = random_state
        self.rehearsal = rehearsal
        self.data_name = data_name

    def fit(self, X: Any, y: Any, *, sensitive_features: Any, sample_weight: Any = None,
            person_ids: Any = None) -> FairSketch:
        """Charges the budget and releases the sketch. X and y are public; the sketch keeps a reference to them."""
        people = _People(self, X, y, sensitive_features, sample_weight, person_ids)
        table = people.load(self, with_groups=True)
        ledger = opened(self.ledger)
        request = _library.request(notion=self.fairness, epsilon=float(self.epsilon), delta=self.delta,
                                   rounds=int(self.rounds))
        run = _library.request(budget=self.budget, part_of_budget=True, seed=_seed(self.random_state),
                               rehearsal=bool(self.rehearsal) or None)
        made, report = ctypes.c_void_p(), ctypes.c_void_p()
        _library.call("sketch_make", table, ledger, request, run, ctypes.byref(made),
                      ctypes.byref(report))
        _library._bytes(report)
        self.groups_ = self._adopt_object(_library.Handle("sketch", made.value))["groups"]
        self._data = (X, y, sample_weight, person_ids)
        return self

    def classifier(self, X: Any = None, y: Any = None, *, sample_weight: Any = None, person_ids: Any = None,
                   **params: Any) -> FairClassifier:
        """A fair model from this sketch, at no cost.

        Parameters
        ----------
        X, y : array, optional
            The rows that the sketch was made of; by default those that fit() got.
        sample_weight, person_ids : array, optional
            As fit() got them.
        **params
            Of :class:`FairClassifier`: ``max_violation`` or ``lambda_``, ``hidden`` and so on.

        Returns
        -------
        FairClassifier
            Fitted.
        """
        self._fitted()
        if X is None:
            if getattr(self, "_data", None) is None:
                raise Error("a sketch that was loaded or unpickled does not hold its rows; give X and y", "X")
            X, y, sample_weight, person_ids = self._data
        params.setdefault("fairness", self.fairness)
        params.setdefault("positive", self.positive)
        return FairClassifier(**params).fit(X, y, sensitive_features=self, sample_weight=sample_weight,
                                            person_ids=person_ids)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FairSketch:
        """The sketch of a file."""
        sketch = cls()
        sketch.groups_ = sketch._adopt_object(_library.make("sketch_read", "sketch", os.fsencode(path)))["groups"]
        return sketch


def _judged(model: FairClassifier, X: Any, y: Any, sensitive_features: Any, person_ids: Any) -> Table:
    table = model._rows(X, sensitive_features)
    header = _header(model._fitted())
    _, labels, _ = labels_of(y, table.rows)
    known = header["model"]["classes"]
    unknown = [level for level in labels.levels if level not in known]
    if unknown:
        raise ValueError(f"y holds the class '{unknown[0]}', which the model does not know")
    column = header["privacy"].get("id")
    if column is None and person_ids is not None:
        raise Error("the model protects records, not persons; leave out `person_ids`", "person_ids")
    if column is not None and person_ids is None:
        raise Error(f"the model protects persons; say by `person_ids` whose row it is ('{column}' in training)",
                    "person_ids")
    if column is not None:
        table.add(column, values_of(np.asarray([text_of(key) for key in person_ids], dtype=object)))
    table.add(header["schema"]["target"]["column"], labels)
    return table


def evaluate_private(model: FairClassifier, X: Any, y: Any, *, sensitive_features: Any, epsilon: float,
                     delta: float | None = None, units: int | None = None, person_ids: Any = None, ledger: Any = None,
                     budget: str = "default", random_state: Any = None, rehearsal: bool = False) -> dict[str, Any]:
    """Error, rates and violations of a model with noise and intervals, charged to a budget.

    Parameters
    ----------
    model : FairClassifier
        Fitted.
    X, y, sensitive_features, person_ids
        As for ``fit``.
    epsilon, delta : float
        What it costs.
    units, ledger, budget, random_state, rehearsal
        As for :class:`FairClassifier`.

    Returns
    -------
    dict
        "metrics" (docs/evaluation.md), "privacy" and "recorded".
    """
    table = _judged(model, X, y, sensitive_features, person_ids)
    request = _library.request(epsilon=float(epsilon), delta=delta, declared_units=units)
    run = _library.request(budget=budget, part_of_budget=True, seed=_seed(random_state),
                           rehearsal=bool(rehearsal) or None)
    return _library.ask_json("evaluate_privately", model._fitted(), table.structure(),
                             opened(ledger), request, run)


def evaluate_exact(model: FairClassifier, X: Any, y: Any, *, sensitive_features: Any = None,
                   person_ids: Any = None) -> dict[str, Any]:
    """Exact figures, which are NOT private: for the holder of the data, who must not pass them on or choose models
    by them.

    Parameters
    ----------
    model : FairClassifier
        Fitted.
    X, y, sensitive_features, person_ids
        As for ``fit``.

    Returns
    -------
    dict
        As ``dpfermi evaluate --json`` prints it, with ``"exact_not_private": True``.
    """
    table = _judged(model, X, y, sensitive_features, person_ids)
    return _library.ask_json("evaluate_exactly", model._fitted(), table.structure())
