"""Models from files."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from . import _library
from ._base import Classifier, header_of
from ._errors import Error
from ._estimators import FairClassifier
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
        Fitted. The classes of the former are texts, those of the latter are the estimator's.
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
        model = _repaired(header, estimator)
        classes = np.asarray(estimator.classes_)
    elif estimator is not None:
        raise Error("the model repairs no scores; leave out `estimator`", "estimator")
    else:
        model = FairClassifier(method=header["training"]["method"])
        classes = np.array(header["model"]["classes"], dtype=object)
    model._adopt(handle, classes, columns, names)
    model.fairness_applied_ = header["training"]["fairness"] != "none"
    return model


def _repaired(header: dict[str, Any], estimator: Any) -> RepairClassifier:
    if estimator is None:
        raise Error("the model repairs the scores of another one; give it as `estimator`", "estimator")
    known, given = header["model"]["classes"], [text_of(value) for value in estimator.classes_]
    if sorted(known) != sorted(given):
        raise Error(f"the model repairs scores of the classes {', '.join(known)}; `estimator` has {', '.join(given)}",
                    "estimator")
    model = RepairClassifier(estimator)
    model.estimator_ = estimator
    return model
