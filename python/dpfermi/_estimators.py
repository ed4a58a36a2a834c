"""Classifiers trained by the library, and the sketch that many of them can follow from."""

from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from . import _library
from ._base import Artifact, Classifier, People, checked_options, checked_weights, warn_unfair
from ._errors import Error, converted, number
from ._routing import Routing
from ._ledger import opened
from ._table import as_features


def methods() -> list[dict[str, Any]]:
    """Every method of the library: its name, what it promises and what it needs.

    Examples
    --------
    >>> import dpfermi
    >>> "dp-fermi" in [method["name"] for method in dpfermi.methods()]
    True
    """
    return _library.ask_json("methods")


class FairClassifier(Classifier):
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
        The largest violation to aim at, instead of a weight.
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
        Which ledger pays; by default the usual one. A relative path is made absolute here, and means the same file to
        every clone and worker.
    budget : str
        Which budget of it pays. Every fit of every clone and fold that names it is charged to it in full.
    random_state : int, optional
        Reproducible noise, which is not private: the model is stamped so, and a budget with a limit refuses it.
    rehearsal : bool
        Declares the data synthetic: ``random_state`` may then spend from a budget with a limit.
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
    >>> import dpfermi, tempfile
    >>> from dpfermi.examples import people
    >>> X, y, sex = people()
    >>> model = dpfermi.FairClassifier(epsilon=1, max_violation=0.05, sensitive_values=[0, 1],
    ...                                ledger=tempfile.mkdtemp() + "/ledger.db")
    >>> model = model.fit(X, y, sensitive_features=sex)
    >>> model.privacy_["private"]
    True
    >>> model.predict(X[:2]).shape
    (2,)
    """

    def __init__(self, *, method: str | None = None, fairness: str = "demographic-parity", epsilon: float = 1.0,
                 delta: float | None = None, lambda_: float | None = None, max_violation: float | None = None,
                 adjacency: str = "sensitive", sensitive_values: Any = None, sensitive_bins: Any = None,
                 groups_from_data: bool = False, bounds: dict[str, Any] | None = None,
                 categories: dict[str, Any] | None = None, classes: Any = None, positive: Any = None, hidden: Sequence[int] = (),
                 units: int | None = None, options: dict[str, Any] | None = None, ledger: Any = None,
                 budget: str = "default", random_state: Any = None, rehearsal: bool = False, n_jobs: int | None = None,
                 data_name: str | None = None, verbose: int = 0) -> None:
        super().__init__(fairness=fairness, epsilon=epsilon, delta=delta, sensitive_values=sensitive_values,
                         sensitive_bins=sensitive_bins, groups_from_data=groups_from_data, positive=positive, ledger=ledger,
                         budget=budget, random_state=random_state, rehearsal=rehearsal, data_name=data_name,
                         max_violation=max_violation, options=options, n_jobs=n_jobs, verbose=verbose)
        self.method = method
        self.lambda_ = lambda_
        self.adjacency = adjacency
        self.bounds = bounds
        self.categories = categories
        self.classes = classes
        self.hidden = hidden
        self.units = units

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
            How much an error about a row counts; public. 0 leaves a row out. The rates of groups count rows alike.
        person_ids : array, optional
            Whose row it is: the person is then protected, not the record.

        Returns
        -------
        FairClassifier
            Itself.
        """
        sketch, protected = sketch_or_groups(sensitive_features)
        people = People(self, X, y, protected, sample_weight, person_ids)
        charged = protected is not None
        table = people.load(self, with_groups=charged)
        request = self._request(sensitive_features is not None, sketch is not None)
        if sensitive_features is None:
            warn_unfair()
        self._train(people, request, table, sketch=sketch, charged=charged)
        return self

    def _request(self, applied: bool, from_sketch: bool) -> bytes:
        options = checked_options(self.options, ("method", "notion", "epsilon", "delta", "lambda", "max_violation",
                                                 "adjacency", "hidden", "declared_units"))
        hidden = converted(lambda widths: [int(width) for width in widths], self.hidden, "hidden", "whole numbers")
        common = dict(hidden=hidden or None, **options)
        if not applied:
            return _library.request(method="erm", notion="none", adjacency=self.adjacency, **common)
        if from_sketch and self.method not in (None, "sketch"):
            raise Error(f"from a FairSketch models are trained by the method sketch, not {self.method}; leave out "
                        "`method`", "method")
        paid = {} if from_sketch else dict(epsilon=number(self.epsilon, "epsilon"), delta=self.delta)
        return _library.request(
            method="sketch" if from_sketch else self.method, notion=self.fairness, adjacency=self.adjacency,
            max_violation=self.max_violation, declared_units=self.units, **{"lambda": self.lambda_}, **paid, **common)


class FairSketch(Artifact, Routing):
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
    n_features_in_, feature_names_in_
        As for :class:`FairClassifier`.

    Examples
    --------
    >>> import dpfermi, tempfile
    >>> from dpfermi.examples import people
    >>> X, y, sex = people()
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
        super().__init__(fairness=fairness, epsilon=epsilon, delta=delta, sensitive_values=sensitive_values,
                         sensitive_bins=sensitive_bins, groups_from_data=groups_from_data, positive=positive, ledger=ledger,
                         budget=budget, random_state=random_state, rehearsal=rehearsal, data_name=data_name)
        self.rounds = rounds

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None,
            person_ids: Any = None) -> FairSketch:
        """Charges the budget and releases the sketch. X and y are public; the sketch keeps a reference to them.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight, person_ids
            As for :meth:`FairClassifier.fit`. There is no sketch without ``sensitive_features``; they may be left out
            of the call only because scikit-learn expects that of every argument but X and y.

        Returns
        -------
        FairSketch
            Itself.
        """
        if sensitive_features is None:
            as_features(X, type(self).__name__)
            raise Error("a sketch is made of `sensitive_features`; give them", "sensitive_features")
        # What a sketch sums up is not weighted; models from it are.
        counted = None if sample_weight is None else checked_weights(sample_weight, len(np.asarray(y))) > 0
        people = People(self, X, y, sensitive_features, counted, person_ids)
        table = people.load(self, with_groups=True)
        ledger = opened(self.ledger)
        request = _library.request(notion=self.fairness, epsilon=number(self.epsilon, "epsilon"), delta=self.delta,
                                   rounds=converted(int, self.rounds, "rounds", "a whole number"))
        run = self._run(charged=True)
        with _library.Watch() as watch:
            self.groups_ = self._adopt_object(_library.make_sketch(table, ledger, request, run))["groups"]
            self._adopt_names(people.columns, people.names)
            self._data = (X, y, sample_weight, person_ids)
            watch.kept = ("the sketch was complete when the interrupt came, and is kept",)
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

        Examples
        --------
        >>> import dpfermi, tempfile
        >>> from dpfermi.examples import people
        >>> X, y, sex = people()
        >>> sketch = dpfermi.FairSketch(sensitive_values=[0, 1], ledger=tempfile.mkdtemp() + "/ledger.db")
        >>> model = sketch.fit(X, y, sensitive_features=sex).classifier(max_violation=0.05)
        >>> model.violation_interval_["by"]
        'sketch'
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
        """The sketch of a file.

        Parameters
        ----------
        path : str or path-like
            The sketch file, made in Python or by the tool.

        Returns
        -------
        FairSketch
            With the notion, the cost and the favourable class of the file; without its rows.

        Examples
        --------
        >>> import dpfermi, tempfile
        >>> from dpfermi.examples import people
        >>> X, y, sex = people()
        >>> folder = tempfile.mkdtemp()
        >>> sketch = dpfermi.FairSketch(sensitive_values=[0, 1], ledger=folder + "/ledger.db")
        >>> sketch.fit(X, y, sensitive_features=sex).save(folder + "/people.sketch")
        >>> dpfermi.FairSketch.load(folder + "/people.sketch").classifier(X, y, lambda_=1).fairness_applied_
        True
        """
        handle = _library.make("sketch_read", "sketch", os.fsencode(path))
        header = _library.ask_json("sketch_inspect", handle)["header"]
        asked, paid = header["sketch"], header["privacy"]
        sketch = cls(fairness=asked["fairness"], epsilon=paid["epsilon"], delta=paid["delta"],
                     positive=header["classes"][asked["favourable"]])
        sketch.groups_ = sketch._adopt_object(handle)["groups"]
        return sketch


def sketch_or_groups(sensitive_features: Any) -> tuple[FairSketch | None, Any]:
    """What was passed as ``sensitive_features``: a sketch, or what is protected; neither where it was left out."""
    if isinstance(sensitive_features, FairSketch):
        return sensitive_features, None
    return None, sensitive_features
