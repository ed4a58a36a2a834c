"""What can go wrong."""

from __future__ import annotations

import reprlib
import sys
from typing import Any, Callable, Sequence, TypeVar

_Value = TypeVar("_Value")


class Error(ValueError):
    """The library could not do what was asked.

    Attributes
    ----------
    field : str
        The argument at fault; empty where there is none in particular.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field

    def __reduce__(self) -> tuple:
        return type(self), (str(self), self.field)


def converted(convert: Callable[[Any], _Value], value: Any, argument: str, what: str) -> _Value:
    """The value as the library takes it, or an error that names the argument."""
    try:
        return convert(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"`{argument}` takes {what}, not {reprlib.repr(value)}", argument) from None


def quoted(names: Sequence[str]) -> str:
    """The first of them, for a message."""
    return ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")


def number(value: Any, argument: str) -> float:
    """As float(), or an error that names the argument."""
    return converted(float, value, argument, "a number")


class BudgetExceeded(Error):
    """The privacy budget does not cover the request. Nothing was charged, and nothing protected was read. The
    message says what is left and what would fit."""


class FairnessWarning(UserWarning):
    """A model was trained without sensitive_features: fairness was not applied."""


class NotFittedError(Error, AttributeError):
    """An estimator was used before fit()."""


def not_fitted(name: str) -> Exception:
    """The error of an estimator that is not fitted: scikit-learn's, where it is in use."""
    message = f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments first."
    theirs = sys.modules.get("sklearn.exceptions")
    return theirs.NotFittedError(message) if theirs else NotFittedError(message)
