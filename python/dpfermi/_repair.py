"""Any classifier of scikit-learn, repaired: its scores, decisions that are fair to groups."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Sequence

import numpy as np

from . import _library
from ._base import (Classifier, People, checked_options, checked_weights, class_order, header_of,
                    warn_unfair)
from ._errors import Error, converted, number
from ._estimators import sketch_or_groups
from ._routing import unseen_scores
from ._table import Table, Values, as_features, feature_names, labels_of, person_column, some_rows, text_of


class RepairClassifier(Classifier):
    """A classifier that you have, with decisions that are fair to groups.

    The estimator is trained on X and y without fairness. Its scores of rows that it has not seen, by cross-validation,
    and one private reading of the sensitive features give a rule that decides by scores and features (docs/repair.md).
    Prediction needs no sensitive features.

    Parameters
    ----------
    estimator : classifier of scikit-learn
        With ``predict_proba``; a pipeline where X needs to be encoded for it. It is cloned, not changed.
    fairness : str
        "demographic-parity", "equalized-odds" or "equal-opportunity".
    epsilon, delta : float
        What a fit may spend; delta is 1/n² by default.
    max_violation : float, optional
        The largest violation to aim at; 0.05 by default.
    cost : sequence, optional
        (false positive, false negative) of two classes, or a matrix: rows are decisions, columns true classes, both in
        the order of ``classes_``. By default errors count alike.
    cv : int or splitter
        Folds of the scores. With ``person_ids`` a person's rows stay in one fold.
    sensitive_values, sensitive_bins, groups_from_data, positive, ledger, budget, random_state, rehearsal, data_name, verbose
        As for :class:`FairClassifier`.
    n_jobs : int, optional
        Workers of the cross-validation and threads of the repair. Workers get X and y, never the sensitive features.
    options : dict, optional
        Further keys of a training request (docs/c-api.md), such as ``{"mixtures": False}``.

    Attributes
    ----------
    estimator_ : classifier
        Trained on all rows.
    classes_, n_features_in_, feature_names_in_, privacy_, card_, violation_interval_, fairness_applied_, digest_
        As for :class:`FairClassifier`; ``privacy_`` and ``digest_`` are None where fairness was not applied.

    Examples
    --------
    >>> import dpfermi, tempfile
    >>> from dpfermi.examples import people
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> X, y, sex = people()
    >>> model = dpfermi.RepairClassifier(HistGradientBoostingClassifier(max_iter=20), max_violation=0.05,
    ...                                  sensitive_values=[0, 1], ledger=tempfile.mkdtemp() + "/ledger.db")
    >>> model = model.fit(X, y, sensitive_features=sex)
    >>> model.privacy_["private"]
    True
    >>> model.predict(X[:2]).shape
    (2,)
    """

    _required_parameters = ["estimator"]

    def __init__(self, estimator: Any, *, fairness: str = "demographic-parity", epsilon: float = 1.0,
                 delta: float | None = None, max_violation: float | None = None, cost: Any = None, cv: Any = 5,
                 sensitive_values: Any = None, sensitive_bins: Any = None, groups_from_data: bool = False,
                 positive: Any = None, options: dict[str, Any] | None = None, ledger: Any = None,
                 budget: str = "default", random_state: Any = None, rehearsal: bool = False,
                 n_jobs: int | None = None, data_name: str | None = None, verbose: int = 0) -> None:
        super().__init__(fairness=fairness, epsilon=epsilon, delta=delta, sensitive_values=sensitive_values,
                         sensitive_bins=sensitive_bins, groups_from_data=groups_from_data, positive=positive, ledger=ledger,
                         budget=budget, random_state=random_state, rehearsal=rehearsal, data_name=data_name,
                         max_violation=max_violation, options=options, n_jobs=n_jobs, verbose=verbose)
        self.estimator = estimator
        self.cost = cost
        self.cv = cv

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None,
            person_ids: Any = None) -> RepairClassifier:
        """Trains the estimator and repairs it; the budget is charged before the sensitive features are read.

        Parameters
        ----------
        X : array or DataFrame
            What the estimator takes. The rule reads it as :class:`FairClassifier` does: texts, categories and missing
            values included. It must not hold what is protected: scores count as public.
        y : array
            Classes.
        sensitive_features : Series, array, DataFrame or FairSketch, optional
            What is protected, or a :class:`FairSketch` of the same rows, at no further cost. Without it the decisions
            are those of the estimator; a warning says so.
        sample_weight : array, optional
            For the estimator, and for the choice between rules. 0 leaves a row out. The rates of groups count rows
            alike.
        person_ids : array, optional
            Whose row it is: the person is then protected, not the record.

        Returns
        -------
        RepairClassifier
            Itself.
        """
        from sklearn.base import clone

        features = as_features(X, type(self).__name__)
        classes, labels, target = labels_of(y, features.shape[0])
        assert labels.codes is not None
        y = classes[labels.codes]
        sketch, protected = sketch_or_groups(sensitive_features)
        passed = {}
        if sample_weight is not None:
            weights = checked_weights(sample_weight, len(y))
            kept = np.flatnonzero(weights)
            X, y, protected, person_ids = (some_rows(part, kept, len(weights)) for part in (X, y, protected, person_ids))
            classes = np.unique(y)
            if (weights[kept] != weights[kept[0]]).any():
                passed = {"sample_weight": weights[kept]}
        if not hasattr(self.estimator, "predict_proba"):
            raise Error("`estimator` has no predict_proba; wrap it in CalibratedClassifierCV", "estimator")
        if sensitive_features is None:
            warn_unfair()
            self._adopt_estimator(clone(self.estimator).fit(X, y, **passed), classes, features)
            return self
        people = People(self, X, y, protected, passed.get("sample_weight"), person_ids, target=target)
        # What is wrong with groups and their names is said before anything is trained.
        people.load(self, with_groups=sketch is None)
        estimator = clone(self.estimator).fit(X, y, **passed)
        people.add_scores(self._unseen_scores(X, y, person_ids, passed))
        table = people.load(self, with_groups=sketch is None)
        request = self._request(table, classes, sketch is not None)
        self._train(people, request, table, sketch=sketch, charged=sketch is None, estimator_=estimator)
        return self

    def _adopt_estimator(self, estimator: Any, classes: np.ndarray, features: Any) -> None:
        """Decisions are those of the estimator."""
        for of_a_rule in ("_object", "_order", "_score_columns"):
            self.__dict__.pop(of_a_rule, None)
        self.estimator_ = estimator
        names = feature_names(features)
        places = [f"x{place}" for place in range(features.shape[1])]
        self.classes_ = classes
        self._adopt_names(places if names is None else list(names), names)
        self.fairness_applied_ = False
        self.privacy_ = self.digest_ = self.violation_interval_ = self.recorded_ = None  # type: ignore[assignment]
        self.card_ = ("Fairness not applied: fit() got no sensitive_features. Nothing protected was read, and decisions are "
                      f"those of {type(estimator).__name__}.")

    def _adopt(self, handle: _library.Handle, classes: np.ndarray, columns: Sequence[str],
               names: np.ndarray | None, by_name: bool = False) -> None:
        super()._adopt(handle, classes, columns, names, by_name)
        listed = header_of(handle)["schema"]["scores"]
        self._score_columns = [listed[place] for place in self._order]

    def _unseen_scores(self, X: Any, y: np.ndarray, person_ids: Any, passed: dict[str, Any]) -> np.ndarray:
        """Scores of each row by an estimator that has not seen it. Folds follow from public data alone."""
        from sklearn.base import clone
        from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

        groups = None if person_ids is None else person_column(person_ids, len(y)).codes
        cv = self.cv
        if isinstance(cv, (int, np.integer)):
            classes, codes, rows = np.unique(y, return_inverse=True, return_counts=True)
            if rows.min() < 2:
                raise Error(f"`y` has one row of the class {text_of(classes[rows.argmin()])!r}; scores of rows that the "
                            "estimator has not seen need two of each class", "y")
            kind = StratifiedKFold if person_ids is None else StratifiedGroupKFold
            splitter = kind(max(2, min(int(cv), int(rows.min()))), shuffle=True, random_state=0)
            cv = list(splitter.split(np.zeros(len(y)), codes, groups))
        scores = unseen_scores(clone(self.estimator), X, y, cv=cv, groups=groups, passed=passed, n_jobs=self.n_jobs)
        return np.clip(np.asarray(scores, dtype=np.float64), 0, 1)

    def _request(self, table: _library.Handle, classes: np.ndarray, from_sketch: bool) -> bytes:
        options = checked_options(self.options, ("method", "notion", "epsilon", "delta", "max_violation", "costs",
                                                 "adjacency"))
        paid = {} if from_sketch else dict(epsilon=number(self.epsilon, "epsilon"), delta=self.delta)
        return _library.request(method="repair", notion=self.fairness, max_violation=self.max_violation,
                                costs=self._costs(table, classes), **paid, **options)

    def _costs(self, table: _library.Handle, classes: np.ndarray) -> list[float] | None:
        if self.cost is None:
            return None
        cost = converted(lambda given: np.asarray(given, dtype=np.float64), self.cost, "cost", "numbers")
        if cost.shape == (2,) and len(classes) == 2:
            return cost.tolist()
        if cost.shape != (len(classes), len(classes)):
            raise Error(f"`cost` is (false positive, false negative) of two classes, or a matrix of {len(classes)} by "
                        f"{len(classes)}", "cost")
        order = np.argsort(class_order(classes, _library.ask_json("table_describe", table)["classes"]))
        return cost[np.ix_(order, order)].ravel().tolist()

    def _scores(self, X: Any) -> np.ndarray:
        """Of every class, in the order of ``classes_``."""
        places = {value: place for place, value in enumerate(self.estimator_.classes_)}
        scores = np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)
        return np.clip(scores[:, [places[value] for value in self.classes_]], 0, 1)

    def _rows(self, X: Any, sensitive_features: Any = None) -> Table:
        table = super()._rows(X, sensitive_features)
        scores = self._scores(X)
        for place, column in enumerate(self._score_columns):
            if column:
                table.add(column, Values(np.ascontiguousarray(scores[:, place])))
        return table

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in self.__dict__

    def _repaired(self) -> bool:
        self._check_fitted()
        return self.fairness_applied_

    def _fitted(self) -> _library.Handle:
        if not self._repaired():
            raise Error("fairness was not applied: there is no rule to save or to measure, only `estimator_`; give fit() "
                        "`sensitive_features`", "sensitive_features")
        return self._object

    def predict(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """The class of each row.

        Parameters
        ----------
        X : array or DataFrame
            Rows as fit() got them.
        sensitive_features
            Not read; as in :meth:`FairClassifier.predict`.

        Returns
        -------
        ndarray
            One of ``classes_`` for each row.
        """
        if self._repaired():
            return super().predict(X)
        self._features(X)
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """The probabilities of the decisions: 0 or 1, or the weights of a mixture. Those of the estimator are
        ``estimator_.predict_proba``.

        Parameters
        ----------
        X, sensitive_features
            As for :meth:`predict`.

        Returns
        -------
        ndarray
            Rows by ``classes_``.
        """
        if self._repaired():
            return super().predict_proba(X)
        self._features(X)
        return self._scores(X)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which the tool reads too: the rule without the estimator. ``load_model(path,
        estimator)`` puts them together.

        Parameters
        ----------
        path : str or path-like
            The file, which is replaced if there is one.
        """
        super().save(path)

    def _more_tags(self) -> dict[str, Any]:
        theirs: dict[str, Any] = getattr(self.estimator, "_get_tags", dict)()
        return {"allow_nan": theirs.get("allow_nan", False)}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags = dataclasses.replace(get_tags(self.estimator).input_tags, sparse=False)
        return tags
