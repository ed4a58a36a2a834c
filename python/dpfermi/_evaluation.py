"""What a model does on rows: private figures, exact ones, and a picture of a trade-off."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _library
from ._base import Classifier, header_of, seed_of
from ._errors import Error, number
from ._ledger import opened
from ._table import labels_of, person_column


def _measured(question: str, model: Classifier, X: Any, y: Any, sensitive_features: Any, person_ids: Any,
              *charge: Any) -> dict[str, Any]:
    """What the library answers about a model on rows. An answer that was paid for is part of the KeyboardInterrupt that
    comes during its making."""
    header = header_of(model._fitted())
    table = model._rows(X, sensitive_features)
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
        table.add(column, person_column(person_ids, table.rows))
    table.add(header["schema"]["target"]["column"], labels)
    with _library.Watch() as watch:
        answer = _library.ask_json(question, model._fitted(), table.structure(), *charge)
        if charge:
            watch.kept = ("the figures were complete when the interrupt came; they are the next item of args", answer)
    return answer


def evaluate_private(model: Classifier, X: Any, y: Any, *, sensitive_features: Any, epsilon: float,
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

    Examples
    --------
    >>> import dpfermi, tempfile
    >>> from dpfermi.examples import people
    >>> X, y, sex = people()
    >>> ledger = dpfermi.Ledger(tempfile.mkdtemp() + "/ledger.db")
    >>> model = dpfermi.FairClassifier(epsilon=1, max_violation=0.05, sensitive_values=[0, 1], ledger=ledger)
    >>> model = model.fit(X, y, sensitive_features=sex)
    >>> figures = dpfermi.evaluate_private(model, X, y, sensitive_features=sex, epsilon=0.5, ledger=ledger)
    >>> violation = figures["metrics"]["violation"]["demographic_parity"]
    >>> violation["low"] <= violation["high"]
    True
    >>> round(ledger.spent()["epsilon"], 1)
    1.5
    """
    request = _library.request(epsilon=number(epsilon, "epsilon"), delta=delta, declared_units=units)
    run = _library.request(budget=budget, part_of_budget=True, seed=seed_of(random_state),
                           rehearsal=bool(rehearsal) or None)
    return _measured("evaluate_privately", model, X, y, sensitive_features, person_ids, opened(ledger), request, run)


def evaluate_exact(model: Classifier, X: Any, y: Any, *, sensitive_features: Any = None,
                   person_ids: Any = None) -> dict[str, Any]:
    """Exact figures, which are NOT private: for the holder of the data, who must not pass them on or choose models
    by them.

    Parameters
    ----------
    model, X, y, sensitive_features, person_ids
        As for :func:`evaluate_private`.

    Returns
    -------
    dict
        The figures under "test" of ``dpfermi evaluate --json``, with ``"exact_not_private": True``.

    Examples
    --------
    >>> import dpfermi, tempfile
    >>> from dpfermi.examples import people
    >>> X, y, sex = people()
    >>> model = dpfermi.FairClassifier(epsilon=1, max_violation=0.05, sensitive_values=[0, 1],
    ...                                ledger=tempfile.mkdtemp() + "/ledger.db").fit(X, y, sensitive_features=sex)
    >>> figures = dpfermi.evaluate_exact(model, X, y, sensitive_features=sex)
    >>> [group["name"] for group in figures["groups"]], figures["exact_not_private"]
    (['0', '1', 'other'], True)
    >>> round(figures["error"], 6) == round(1 - model.score(X, y), 6)
    True
    """
    return _measured("evaluate_exactly", model, X, y, sensitive_features, person_ids)


def plot_trade_off(models: Sequence[Classifier], X: Any, y: Any, *, ax: Any = None, label: str | None = None) -> Any:
    """Error against violation, a point for every model: what fairness costs. Reads no sensitive features.

    Parameters
    ----------
    models : sequence of FairClassifier or RepairClassifier
        Fitted, with a ``violation_interval_``: trained to a ``max_violation``, or from a sketch.
    X, y : array
        Rows for the error.
    ax : Axes of matplotlib, optional
        Where to draw; by default a new figure.
    label : str, optional
        Of this curve.

    Returns
    -------
    Axes
        A point is the middle of the interval of a model's violation on its training rows; the line through it is the
        interval. The cross is the best constant, which treats all groups alike: a model above it is of no use.

    Examples
    --------
    >>> import dpfermi, matplotlib, tempfile
    >>> matplotlib.use("Agg")
    >>> from dpfermi.examples import people
    >>> X, y, sex = people()
    >>> sketch = dpfermi.FairSketch(sensitive_values=[0, 1], ledger=tempfile.mkdtemp() + "/ledger.db")
    >>> sketch = sketch.fit(X, y, sensitive_features=sex)
    >>> axes = dpfermi.plot_trade_off([sketch.classifier(max_violation=most) for most in (0.2, 0.05)], X, y)
    >>> axes.get_ylabel()
    'error'
    """
    points = []
    for place, model in enumerate(models):
        model._check_fitted()
        interval = getattr(model, "violation_interval_", None)
        if interval is None:
            raise Error(f"model {place} has no violation_interval_: nothing about its violation was released; train it "
                        "to a `max_violation` or from a FairSketch", "models")
        points.append((interval["low"], interval["high"], 1 - model.score(X, y)))
    if not points:
        raise Error("`models` is empty; give fitted classifiers", "models")
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure().add_subplot()
    _, labels = np.unique(np.asarray(y).ravel(), return_counts=True)
    low, high, error = np.array(sorted(points, key=lambda point: point[0] + point[1])).T
    ax.errorbar((low + high) / 2, error, xerr=(high - low) / 2, fmt="o-", capsize=2, label=label)
    ax.plot(0, 1 - labels.max() / labels.sum(), "kx")
    ax.set_xlabel(f"violation of {models[0].fairness}, released interval")  # type: ignore[attr-defined]
    ax.set_ylabel("error")
    if label is not None:
        ax.legend()
    return ax
