"""Models from files."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from . import _library
from ._base import Classifier, header_of
from ._errors import Error, quoted
from ._estimators import FairClassifier, methods
from ._repair import RepairClassifier
from ._table import text_of


def load_model(path: str | os.PathLike[str], estimator: Any = None) -> Classifier:
    """The model of a file, trained in Python or by the tool.

    Parameters
    ----------
    path : str or path-like
        The model file.
    estimator : classifier, optional
        Of a repaired model: the fitted classifier whose scores it repairs.

    Returns
    -------
    FairClassifier or RepairClassifier
        Fitted. Its parameters are what the file tells of the fit: method, notion, budget, weight or target, widths.
        Frames may have their columns in any order: the file does not tell it. ``violation_interval_`` and
        ``recorded_`` are None, because the file holds neither. A FairClassifier has the classes that pandas would
        read in a text file: truth values or whole numbers where all of them are, texts otherwise. A RepairClassifier
        has those of the estimator.

    Examples
    --------
    >>> import dpfermi, tempfile
    >>> from dpfermi.examples import people
    >>> X, y, sex = people()
    >>> folder = tempfile.mkdtemp()
    >>> model = dpfermi.FairClassifier(epsilon=0.5, max_violation=0.1, sensitive_values=[0, 1],
    ...                                ledger=folder + "/ledger.db").fit(X, y, sensitive_features=sex)
    >>> model.save(folder + "/people.model")
    >>> loaded = dpfermi.load_model(folder + "/people.model")
    >>> loaded.score(X, y) == model.score(X, y)
    True
    >>> loaded.epsilon, loaded.max_violation, loaded.classes_
    (0.5, 0.1, array([False,  True]))
    """
    handle = _library.make("model_read", "model", os.fsencode(path))
    header = header_of(handle)
    pipeline = header["pipeline"]
    columns = [feature["column"] for feature in pipeline.get("numeric", []) + pipeline.get("categorical", [])]
    unnamed = all(re.fullmatch(r"x\d+", column) for column in columns)
    if unnamed:
        columns.sort(key=lambda column: int(column[1:]))
    names = None if unnamed else np.array(columns, dtype=object)
    model: Classifier
    if header["schema"].get("scores"):
        classes = _checked_classes(header, estimator)
        model = RepairClassifier(estimator, **_asked(header, classes))
        model.estimator_ = estimator
    elif estimator is not None:
        raise Error("the model repairs no scores; leave out `estimator`", "estimator")
    else:
        classes = _typed(header["model"]["classes"])
        model = FairClassifier(**_asked(header, classes), **_asked_of_method(header))
    model._adopt(handle, classes, columns, names, by_name=names is not None)
    model.fairness_applied_ = header["training"]["fairness"] != "none"
    model.violation_interval_ = model.recorded_ = None
    return model


def _asked(header: dict[str, Any], classes: np.ndarray) -> dict[str, Any]:
    """What the fit was asked for, of a model of either kind."""
    training, privacy = header["training"], header["privacy"]
    positive = header["schema"]["target"].get("positive")
    asked = {"fairness": training["fairness"], "max_violation": training.get("max_violation"),
             "epsilon": training.get("epsilon", privacy.get("epsilon")),
             "delta": training.get("delta", privacy.get("delta")),
             "positive": next((value for value in classes if text_of(value) == positive), None)}
    return {name: value for name, value in asked.items() if value is not None}


def _asked_of_method(header: dict[str, Any]) -> dict[str, Any]:
    training = header["training"]
    method, = (known for known in methods() if known["name"] == training["method"])
    weighed = method["takes_lambda"] and training.get("max_violation") is None
    return {"method": method["name"], "lambda_": training["lambda"] if weighed else None,
            "adjacency": header["privacy"]["adjacency"], "hidden": tuple(header["model"]["hidden"])}


def _typed(names: list[str]) -> np.ndarray:
    """Classes of a file. What they were called there can be told from the result."""
    if set(names) <= {"False", "True"}:
        return np.unique([name == "True" for name in names])
    numbers = [int(name) for name in names if re.fullmatch(r"-?\d{1,15}", name)]
    if [text_of(value) for value in numbers] == names:
        return np.unique(numbers)
    return np.unique(np.array(names, dtype=object))


def _checked_classes(header: dict[str, Any], estimator: Any) -> np.ndarray:
    if estimator is None:
        raise Error("the model repairs the scores of another one; give it as `estimator`", "estimator")
    known, given = header["model"]["classes"], [text_of(value) for value in estimator.classes_]
    if sorted(known) != sorted(given):
        raise Error(f"the model repairs scores of the classes {quoted(known)}; `estimator` has {quoted(given)}",
                    "estimator")
    return np.asarray(estimator.classes_)
