"""What the estimators have in common, in the manner of scikit-learn, which is not needed to use them."""

from __future__ import annotations

import ctypes
import html
import inspect
import os
import warnings
from typing import Any, Sequence

import numpy as np

from . import _library
from ._errors import Error, FairnessWarning, converted, not_fitted, number, quoted
from ._ledger import absolute, opened
from ._routing import Routing
from ._table import (Table, Values, as_features, column_values, declared, feature_names, labels_of, person_column,
                     protected_columns, text_of)


def seed_of(random_state: Any) -> int | None:
    """A seed of the noise; None: the noise is secret."""
    if random_state is None:
        return None
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    if not hasattr(random_state, "randint"):
        raise Error(f"`random_state` takes None, a whole number or a RandomState, not {random_state!r}", "random_state")
    return int(random_state.randint(2**31 - 1))


def checked_options(given: Any, reserved: Sequence[str]) -> dict[str, Any]:
    """The keys of ``options``, none of which repeats an argument."""
    options: dict[str, Any] = converted(dict, given or {}, "options", "a dict")
    for key in options:
        if key in reserved:
            raise Error(f"`options` repeats the argument `{key}`; leave it out there", "options")
    return options


class Parameters:
    """get_params and set_params as scikit-learn has them: from the constructor's arguments."""

    @classmethod
    def _names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of the constructor; ``deep``: those of an estimator among them as well."""
        params = {name: getattr(self, name) for name in self._names()}
        for name, value in list(params.items()):
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
        return params

    def set_params(self, **params: Any) -> Any:
        """Replaces some of them and returns the estimator."""
        known = self._names()
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            own, _, inner = name.partition("__")
            if own not in known or (inner and not hasattr(params.get(own, getattr(self, own)), "set_params")):
                raise ValueError(f"Invalid parameter {own!r} for estimator {self!r}. Valid parameters are: {known!r}.")
            if inner:
                nested.setdefault(own, {})[inner] = value
            else:
                setattr(self, own, value)
        for own, values in nested.items():
            getattr(self, own).set_params(**values)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = (f"{name}={value!r}" for name, value in self.get_params(deep=False).items()
                   if value is not defaults[name].default and repr(value) != repr(defaults[name].default))
        return f"{type(self).__name__}({', '.join(changed)})"


class Artifact(Parameters):
    """An estimator that fit() gives an object of the library: a model or a sketch, with a card and a file."""

    _kind: str
    card_: str

    def __init__(self, *, fairness: str, epsilon: float, delta: float | None, sensitive_values: Any, sensitive_bins: Any,
                 groups_from_data: bool, positive: Any, ledger: Any, budget: str, random_state: Any, rehearsal: bool,
                 data_name: str | None) -> None:
        self.fairness = fairness
        self.epsilon = epsilon
        self.delta = delta
        self.sensitive_values = sensitive_values
        self.sensitive_bins = sensitive_bins
        self.groups_from_data = groups_from_data
        self.positive = positive
        self.ledger = ledger
        self.budget = budget
        self.random_state = random_state
        self.rehearsal = rehearsal
        self.data_name = data_name

    @property
    def ledger(self) -> Any:
        """Which ledger pays. A relative path becomes absolute when it is set, not when a clone or a worker fits."""
        return self.__dict__["ledger"]

    @ledger.setter
    def ledger(self, given: Any) -> None:
        self.__dict__["ledger"] = absolute(given)

    def _run(self, charged: bool, **keys: Any) -> bytes:
        """The options of a run, which is charged to the budget or reads nothing protected."""
        return _library.request(budget=self.budget if charged else None, part_of_budget=True if charged else None,
                                seed=seed_of(self.random_state), rehearsal=bool(self.rehearsal) or None, **keys)

    def _adopt_object(self, handle: _library.Handle) -> dict[str, Any]:
        """Takes the object over and returns what is to know about it."""
        facts = _library.ask_json(f"{self._kind}_inspect", handle)
        self._object = handle
        self.privacy_ = {**facts["privacy"], "private": facts["private"]}
        self.card_ = facts["card"]
        return facts

    def _adopt_names(self, columns: Sequence[str], names: np.ndarray | None, by_name: bool = False) -> None:
        """``by_name``: in which order fit() got the columns is not known."""
        self._columns = list(columns)
        self._by_name = by_name
        self.n_features_in_ = len(columns)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_is_fitted__(self) -> bool:
        return "_object" in self.__dict__

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(type(self).__name__)

    def _fitted(self) -> _library.Handle:
        self._check_fitted()
        return self._object

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, which the tool reads too.

        Parameters
        ----------
        path : str or path-like
            The file, which is replaced if there is one.
        """
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

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True, "X_types": ["2darray", "string"]}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True),
                    input_tags=InputTags(allow_nan=True, string=True, categorical=True))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.card_ if self.__sklearn_is_fitted__() else repr(self))}</pre>"


class People:
    """What fit() was given, as a table of the library."""

    def __init__(self, estimator: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any,
                 person_ids: Any, target: str | None = None) -> None:
        name = type(estimator).__name__
        X = as_features(X, name)
        rows = X.shape[0]
        self.names = feature_names(X)
        self.classes, labels, column = labels_of(y, rows)
        columns = column_values(X)
        protected = {} if sensitive_features is None else protected_columns(sensitive_features, rows)
        ids = None if person_ids is None else person_column(person_ids, rows)
        weights = None if sample_weight is None else checked_weights(sample_weight, rows)
        if weights is not None and not weights.all():
            taken = np.flatnonzero(weights)
            weights = weights[taken]
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
        self.target = self.table.add(target or column, labels)
        differ = weights is not None and (weights != weights[0]).any()
        self.weight = self.table.add("weight", Values(weights)) if differ else None
        self.score_prefix: str | None = None

    def add_scores(self, probabilities: np.ndarray) -> None:
        """Columns with the probability of every class, which are no features."""
        self.score_prefix = "score_"
        while any(name.startswith(self.score_prefix) for name in self.table.names()):
            self.score_prefix += "_"
        for place, label in enumerate(self.classes):
            self.table.add(self.score_prefix + text_of(label), Values(np.ascontiguousarray(probabilities[:, place])))

    def load(self, estimator: Any, with_groups: bool) -> _library.Handle:
        given = list(self.sensitive)
        values, bins = {}, {}
        if with_groups:
            if estimator.fairness == "none":
                raise Error("`fairness` none reads no groups; leave out sensitive_features, or name a notion", "fairness")
            values = declared(estimator.sensitive_values, given, "sensitive_values", text_of)
            bins = declared(estimator.sensitive_bins, given, "sensitive_bins",
                            lambda end: number(end, "sensitive_bins"))
        schema: dict[str, Any] = {}
        for column, spec in _column_specs(estimator, self.columns).items():
            schema.setdefault("columns", {})[column] = spec
        if self.score_prefix is not None:
            schema["score_prefix"] = self.score_prefix
        classes = getattr(estimator, "classes", None)
        if classes is not None:
            schema["target"] = {"column": self.target, "values": [text_of(value) for value in classes]}
            self.classes = np.asarray(classes)
        options = _library.request(
            target=self.target, positive=self._positive(estimator),
            sensitive=list(self.sensitive.values()) if with_groups else None,
            sensitive_values={self.sensitive[key]: value for key, value in values.items()},
            sensitive_bins={self.sensitive[key]: ends for key, ends in bins.items()},
            groups_from_data=bool(estimator.groups_from_data) if with_groups else None, id=self.id, weight=self.weight,
            adjacency=getattr(estimator, "adjacency", None), test_fraction=0.0, schema=schema or None)
        return _library.make("table_load", "table", self.table.structure(), options)

    def _positive(self, estimator: Any) -> str | None:
        if estimator.positive is None:
            return None
        positive, known = text_of(estimator.positive), [text_of(value) for value in self.classes]
        # Where records are protected the classes of y are too, unless they were declared.
        public = getattr(estimator, "adjacency", "sensitive") == "sensitive" or estimator.classes is not None
        if public and positive not in known:
            raise Error(f"`positive` is {positive!r}, which is none of the classes {quoted(known)}", "positive")
        return positive


def _column_specs(estimator: Any, columns: Sequence[str]) -> dict[str, dict[str, Any]]:
    specs: dict[str, dict[str, Any]] = {}
    for argument in ("bounds", "categories"):
        for column in getattr(estimator, argument, None) or ():
            if str(column) not in columns:
                raise Error(f"`{argument}` names {column!r}, which X does not have; its columns are {quoted(columns)}",
                            argument)
    for column, ends in (getattr(estimator, "bounds", None) or {}).items():
        specs.setdefault(str(column), {})["bounds"] = converted(lambda pair: [float(end) for end in pair], ends, "bounds",
                                                                "(low, high) of each column")
    for column, values in (getattr(estimator, "categories", None) or {}).items():
        specs.setdefault(str(column), {})["values"] = [text_of(value) for value in values]
    return specs


def checked_weights(sample_weight: Any, rows: int) -> np.ndarray:
    """One weight a row, none negative, not all 0."""
    weights = converted(lambda given: np.asarray(given, dtype=np.float64), sample_weight, "sample_weight", "numbers")
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if len(weights) != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({rows},)!")
    if not (weights >= 0).all() or not weights.any() or not np.isfinite(weights).all():
        raise Error("`sample_weight` must not be negative, infinite or all zero", "sample_weight")
    return weights


def _some(values: Values, rows: np.ndarray) -> Values:
    return Values(None if values.numbers is None else np.ascontiguousarray(values.numbers[rows]),
                  None if values.codes is None else np.ascontiguousarray(values.codes[rows]), values.levels)


def header_of(handle: _library.Handle) -> dict[str, Any]:
    return _library.ask_json("model_inspect", handle)["header"]


def class_order(classes: np.ndarray, known: Sequence[str]) -> np.ndarray:
    """The places of `classes` among the names that the library has for them."""
    order = {name: place for place, name in enumerate(known)}
    return np.array([order[text_of(value)] for value in classes])


def warn_unfair() -> None:
    """Of a fit without sensitive features; said where fit() was called."""
    warnings.warn("fairness not applied: fit() got no sensitive_features", FairnessWarning, stacklevel=3)


class Classifier(Artifact, Routing):
    """A fitted model that predicts. Subclasses fit."""

    _kind = "model"
    _estimator_type = "classifier"
    fairness_applied_: bool
    violation_interval_: dict[str, Any] | None
    recorded_: Any

    def __init__(self, *, max_violation: float | None, options: dict[str, Any] | None, n_jobs: int | None, verbose: int,
                 **common: Any) -> None:
        super().__init__(**common)
        self.max_violation = max_violation
        self.options = options
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _threads(self) -> int:
        if self.n_jobs is None:
            return 1
        threads = converted(int, self.n_jobs, "n_jobs", "a whole number")
        return threads if threads > 0 else os.cpu_count() or 1

    def _train(self, people: People, request: bytes, table: _library.Handle, *, sketch: Artifact | None = None,
               charged: bool = False, **fitted: Any) -> None:
        """Adopts a model: from a sketch, charged to the budget, or without either. ``fitted``: further attributes."""
        run = self._run(charged, threads=self._threads())
        if sketch is None:
            name, source = "train", opened(self.ledger) if charged else None
        else:
            name, source = "train_from_sketch", sketch._fitted()
        with _library.Watch(self.verbose) as watch:
            handle, report = _library.train(name, table, source, request, run, watch=watch)
            self._adopt(handle, people.classes, people.columns, people.names)
            self.fairness_applied_ = charged or sketch is not None
            self.violation_interval_ = report["violation"]
            self.recorded_ = report["recorded"]
            self.__dict__.update(fitted)
            watch.kept = ("the model was complete when the interrupt came, and is kept",)

    def _adopt(self, handle: _library.Handle, classes: np.ndarray, columns: Sequence[str],
               names: np.ndarray | None, by_name: bool = False) -> None:
        facts = self._adopt_object(handle)
        # The library sorts classes by its own rule.
        self._order = class_order(classes, facts["classes"])
        self.digest_ = facts["digest"]
        self.classes_ = classes
        self._adopt_names(columns, names, by_name)

    def _check_names(self, X: Any) -> None:
        given, known = feature_names(X), getattr(self, "feature_names_in_", None)
        name = type(self).__name__
        if known is None and given is not None:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names", UserWarning, stacklevel=4)
        if given is None and self._by_name:
            raise Error("the model's file tells the names of its columns, not their order; give X as a frame", "X")
        if known is not None and given is None:
            warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning,
                          stacklevel=4)
        if known is None or given is None or list(known) == list(given):
            return
        message = "The feature names should match those that were passed during fit.\n"
        unexpected, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
        if self._by_name and not unexpected and not missing:
            return
        for title, listed in (("Feature names unseen at fit time", unexpected),
                              ("Feature names seen at fit time, yet now missing", missing)):
            if listed:
                message += title + ":\n" + "".join(f"- {column}\n" for column in listed[:5])
                message += "- ...\n" if len(listed) > 5 else ""
        if not unexpected and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(message)

    def _features(self, X: Any) -> Any:
        """X as fit() got it, or an error."""
        X = as_features(X, type(self).__name__)
        self._check_names(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")
        return X

    def _rows(self, X: Any, sensitive_features: Any = None) -> Table:
        X = self._features(X)
        table = Table("data in memory", X.shape[0])
        given = feature_names(X)
        columns = self._columns if given is None or not self._by_name else list(given)
        for column, values in zip(columns, column_values(X)):
            table.add(column, values)
        if sensitive_features is not None:
            known = [spec["column"] for spec in header_of(self._fitted())["schema"].get("sensitive", [])]
            protected = protected_columns(sensitive_features, table.rows)
            names = known if len(known) == len(protected) == 1 else list(protected)
            if missing := [name for name in known if name not in names]:
                raise Error(f"`sensitive_features` has no column {missing[0]!r}, which it had in training",
                            "sensitive_features")
            for name, values in zip(names, protected.values()):
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
        """The class of each row.

        Parameters
        ----------
        X : array, DataFrame or Arrow table
            Rows with the columns of fit().
        sensitive_features : Series, array or DataFrame, optional
            For methods that decide by the group (``needs_group`` of :func:`methods`); others do not read it.

        Returns
        -------
        ndarray
            One of ``classes_`` for each row.
        """
        decisions = self._predicted(X, sensitive_features)[1]
        return self.classes_[decisions]

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """The probability of each class.

        Parameters
        ----------
        X, sensitive_features
            As for :meth:`predict`.

        Returns
        -------
        ndarray
            Rows by ``classes_``: of the labels, or of the decisions where the model is a mixture or decides by the
            group.
        """
        return self._predicted(X, sensitive_features)[0]

    def decision_function(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Scores of the classes.

        Parameters
        ----------
        X, sensitive_features
            As for :meth:`predict`.

        Returns
        -------
        ndarray
            Of two classes the log-odds of the second, of more the log-probabilities, rows by ``classes_``.
        """
        logs = np.log(np.maximum(self.predict_proba(X, sensitive_features=sensitive_features),
                                 np.finfo(np.float32).tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy. Reads no sensitive features.

        Parameters
        ----------
        X : array or DataFrame
            Rows.
        y : array
            Their true classes. They are compared as texts: 1, 1.0 and "1" are one class.
        sample_weight : array, optional
            How much each row counts.

        Returns
        -------
        float
            The share of rows whose class is predicted.
        """
        decisions = self.predict(X)
        (_, said, _), (_, true, _) = labels_of(decisions, len(decisions)), labels_of(y, len(decisions))
        known = [text_of(value) for value in self.classes_]
        if not set(known) & set(true.levels):
            raise Error(f"`y` holds none of the classes of the model, which are {quoted(known)}", "y")
        places = {level: place for place, level in enumerate(said.levels)}
        wanted = np.array([places.get(level, -1) for level in true.levels])[true.codes]
        return float(np.average(wanted == said.codes, weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        return tags
