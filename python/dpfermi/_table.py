"""From arrays, frames and series to columns of the C interface. pandas is used where the caller uses it, and not
imported otherwise."""

from __future__ import annotations

import ctypes
import sys
import warnings
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np

from . import _library
from ._errors import Error, converted, quoted
from ._library import Column, Columns

# Texts that stand for no value in a file do so here as well (docs/c-api.md).
MISSING = ("", "?", "NA", "N/A", "NULL", "null", "NaN", "nan")


_MOST_NUMBERS = 50  # more different numbers are a quantity, not classes


class Values(NamedTuple):
    """One column: numbers, or codes of levels (-1: missing)."""

    numbers: np.ndarray | None
    codes: np.ndarray | None = None
    levels: tuple[str, ...] = ()


def is_frame(data: Any) -> bool:
    """Whether `data` is a table with named columns."""
    return hasattr(data, "columns") and hasattr(data, "iloc")


def text_of(value: Any) -> str:
    """A category, a class or a group as the library names it. A number is its shortest decimal, as a column of
    numbers would be read: what a value is called does not depend on the values around it, nor on the type that
    they gave the array."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return str(value)
    try:
        number = float(value)
    except OverflowError:
        return str(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(float(number))


def _is_missing(value: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)) or (
        pandas is not None and (value is pandas.NA or value is pandas.NaT))


def _categories(codes: np.ndarray, levels: Iterable[Any]) -> Values:
    return Values(None, np.ascontiguousarray(codes, dtype=np.int32), tuple(text_of(level) for level in levels))


def _from_objects(values: np.ndarray) -> Values:
    """Numbers where every present value is one, categories otherwise."""
    seen: dict[Any, int] = {}
    codes = np.empty(len(values), dtype=np.int32)
    numeric = True
    for row, value in enumerate(values):
        if _is_missing(value):
            codes[row] = -1
            continue
        if isinstance(value, (complex, np.complexfloating)):
            raise ValueError("Complex data not supported")
        if numeric and (isinstance(value, (bool, np.bool_)) or
                        not isinstance(value, (int, float, np.integer, np.floating))):
            numeric = False
        key = value if isinstance(value, (str, int, float, bool)) else str(value)
        codes[row] = seen.setdefault((type(key), key), len(seen))
    levels = [key for _, key in seen]
    if not numeric:
        return _categories(codes, levels)
    numbers = np.array([float(level) for level in levels] + [np.nan])
    return Values(numbers[codes])


def _is_categorical(column: Any) -> bool:
    """Of pandas; a series of Polars has a `cat` of another kind."""
    return hasattr(column, "iloc") and hasattr(column, "cat")


def values_of(column: Any) -> Values:
    """One column of a frame or an array."""
    dtype = getattr(column, "dtype", None)
    if _is_categorical(column):
        return _categories(column.cat.codes.to_numpy(), column.cat.categories)
    kind = getattr(dtype, "kind", "O")
    if hasattr(column, "to_numpy") and not isinstance(dtype, np.dtype) and kind in "iuf":
        return Values(column.to_numpy(dtype=np.float64, na_value=np.nan))
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(column, pandas.Series) and kind == "O" and len(column):
        inferred = pandas.api.types.infer_dtype(column, skipna=True)
        if inferred == "string":
            codes, levels = pandas.factorize(column)
            return _categories(codes, levels)
    array = np.asarray(column)
    if array.dtype.kind == "b":
        return Values(None, array.astype(np.int32), ("False", "True"))
    if array.dtype.kind in "iuf":
        return Values(np.ascontiguousarray(array, dtype=np.float64))
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if array.dtype.kind in "mM":
        raise Error("dates and durations are not features; make them numbers or categories first", "X")
    return _from_objects(array.astype(object))


class Table:
    """Columns by name. Keeps what the C structs point to."""

    def __init__(self, name: str, rows: int) -> None:
        self.name = name
        self.rows = rows
        self._columns: dict[str, Values] = {}

    def add(self, name: str, values: Values, protected: bool = False) -> str:
        """Adds a column and returns its name, which is made unique. Nothing is reported about values that are
        protected: what cannot be passed on counts as undeclared."""
        while name in self._columns:
            name += "_"
        check_length(values.codes if values.numbers is None else values.numbers, self.rows)
        if any("\0" in level for level in values.levels):
            if not protected:
                raise Error(f"column {name!r} holds a text with a NUL character; remove it", "X")
            values = values._replace(levels=tuple("" if "\0" in level else level for level in values.levels))
        self._columns[name] = values
        return name

    def names(self) -> list[str]:
        """Of the columns, in their order."""
        return list(self._columns)

    def structure(self) -> Any:
        """The C struct; valid as long as this table."""
        columns = (Column * len(self._columns))()
        self._kept: list[Any] = [columns]
        for column, (name, values) in zip(columns, self._columns.items()):
            column.name = name.encode("utf-8", "surrogatepass")
            if values.numbers is not None:
                column.numbers = values.numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
                continue
            assert values.codes is not None
            levels = (ctypes.c_char_p * len(values.levels))(
                *(level.encode("utf-8", "surrogatepass") for level in values.levels))
            self._kept.append(levels)
            column.codes = values.codes.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
            column.levels = ctypes.cast(levels, ctypes.POINTER(ctypes.c_char_p))
            column.level_count = len(values.levels)
        self._structure = Columns(self.name.encode("utf-8", "surrogatepass"), self.rows, columns, len(columns))
        return ctypes.byref(self._structure)


def feature_names(X: Any) -> np.ndarray | None:
    """The names of the columns of a frame; None where they are not all texts."""
    if isinstance(X, ArrowColumns):
        return np.asarray(X.names, dtype=object)
    if not is_frame(X) or not all(isinstance(name, str) for name in X.columns):
        return None
    return np.asarray(X.columns, dtype=object)


def check_length(data: Any, rows: int) -> None:
    """Refuses data that have a length, and not a value for each row."""
    if hasattr(data, "__len__") and len(data) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(data)}]")


def some_rows(data: Any, rows: np.ndarray, count: int) -> Any:
    """Of `count` rows of a frame, a series, an array or a list those with these numbers; None of None."""
    if data is None:
        return None
    check_length(data, count)
    return data.iloc[rows] if hasattr(data, "iloc") else np.asarray(data)[rows]


class ArrowColumns:
    """The columns of a table that offers the Arrow C data interface."""

    def __init__(self, table: Any) -> None:
        handle = _library.read_arrow(table)
        view = _library.arrow_columns(handle)
        columns = [view.columns[place] for place in range(view.column_count)]
        self.shape = (int(view.rows), len(columns))
        self.names = [column.name.decode(errors="replace") for column in columns]
        self.values = [self._values(column, handle) for column in columns]

    def _values(self, column: Column, handle: _library.Handle) -> Values:
        kind: Any = ctypes.c_double if column.numbers else ctypes.c_int32
        place = ctypes.cast(column.numbers or column.codes, ctypes.c_void_p).value
        memory = (kind * self.shape[0]).from_address(place)
        memory.owner = handle  # the array below refers to `memory`, and with it to the rows
        array = np.ctypeslib.as_array(memory)
        if column.numbers:
            return Values(array)
        levels = (column.levels[place] for place in range(column.level_count))
        return Values(None, array, tuple(level.decode(errors="replace") for level in levels))


def as_features(X: Any, estimator: str) -> Any:
    """A frame as it is, an Arrow table as its columns, anything else as an array with two dimensions."""
    checked: Any
    if is_frame(X) or isinstance(X, ArrowColumns):
        checked = X
    elif hasattr(X, "__arrow_c_stream__"):
        checked = ArrowColumns(X)
    else:
        if hasattr(X, "tocsr") or hasattr(X, "todense"):
            raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert to a "
                            "dense numpy array.")
        checked = converted(np.asarray, X, "X", "a frame, or rows of the same length")
        if checked.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        if checked.ndim != 2:
            raise ValueError(f"Expected 2D array, got {checked.ndim}D array instead. Reshape your data either using "
                             "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
                             "contains a single sample.")
    rows, columns = checked.shape
    if rows < 1:
        raise ValueError(f"Found array with 0 sample(s) (shape={checked.shape}) while a minimum of 1 is required by "
                         f"{estimator}.")
    if columns < 1:
        raise ValueError(f"Found array with 0 feature(s) (shape={checked.shape}) while a minimum of 1 is required by "
                         f"{estimator}.")
    return checked


def column_values(X: Any) -> list[Values]:
    """The columns of as_features()."""
    if isinstance(X, ArrowColumns):
        return X.values
    if is_frame(X):
        return [values_of(X.iloc[:, place]) for place in range(X.shape[1])]
    if X.dtype.kind in "iufb":
        transposed = np.array(X.T, dtype=np.float64, order="C")
        return [Values(row) for row in transposed]
    return [values_of(X[:, place]) for place in range(X.shape[1])]


def _factorized(array: np.ndarray) -> tuple[np.ndarray, list[Any]] | None:
    """Codes (-1: missing) and levels of an array of objects whose values are texts; None where one is not. Where
    pandas is in use this takes a tenth of the time of a loop."""
    pandas = sys.modules.get("pandas")
    if pandas is None or array.dtype.kind != "O":
        return None
    try:
        codes, levels = pandas.factorize(array)
    except TypeError:  # a value that cannot be hashed is not a text
        return None
    return (codes, list(levels)) if all(type(level) is str for level in levels) else None


def _classes_and_codes(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As np.unique; an array without a missing value."""
    found = _factorized(array)
    if found is None:
        if array.dtype.kind == "O" and any(_is_missing(value) for value in array):
            raise ValueError("Input y contains NaN.")
        classes, codes = np.unique(array, return_inverse=True)
        return classes, codes
    codes, levels = found
    if (codes < 0).any():
        raise ValueError("Input y contains NaN.")
    classes, places = np.unique(np.array(levels, dtype=object), return_inverse=True)
    return classes, places[codes] if len(levels) else codes


def labels_of(y: Any, rows: int) -> tuple[np.ndarray, Values, str]:
    """The classes, the column of labels, and its name."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    name = getattr(y, "name", None)
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        theirs = sys.modules.get("sklearn.exceptions")
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples, ), for example using ravel().",
                      theirs.DataConversionWarning if theirs else UserWarning, stacklevel=3)
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    check_length(array, rows)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError("Input y contains NaN or infinity.")
    if array.dtype.kind == "f" and (array != np.floor(array)).any():
        raise ValueError("Unknown label type: continuous. Give classes, not numbers on a scale.")
    try:
        classes, codes = _classes_and_codes(array)
        hash(classes[0] if len(classes) else None)
    except TypeError as problem:
        raise ValueError("Unknown label type: y mixes texts and numbers, or holds lists.") from problem
    if array.dtype.kind in "iuf" and len(classes) > _MOST_NUMBERS:
        raise ValueError(f"Unknown label type: y has {len(classes)} different numbers; cut them into classes first.")
    values = _categories(codes, classes)
    unreadable = [level for level in values.levels if level in MISSING]
    if unreadable:
        raise Error(f"the class '{unreadable[0]}' would be read as a missing value; rename it", "y")
    return classes, values, name if isinstance(name, str) and name else "target"


def _protected_values(column: Any) -> Values:
    """A protected column. The text of a value is a function of that value alone, and nothing is reported: one
    person's value must not change how another's is read."""
    if _is_categorical(column):
        return _categories(column.cat.codes.to_numpy(), column.cat.categories)
    array = np.asarray(column)
    if array.dtype.kind in "iufb":
        levels, codes = np.unique(array, return_inverse=True)
        if array.dtype.kind == "f":
            codes = np.where(np.isnan(array), -1, codes)
        return _categories(codes, levels)
    texts = _factorized(array.astype(object))
    if texts is not None:
        return _categories(*texts)
    seen: dict[str, int] = {}
    found = (-1 if _is_missing(value) else seen.setdefault(text_of(value), len(seen)) for value in array.astype(object))
    return _categories(np.fromiter(found, dtype=np.int32, count=len(array)), seen)


def _listed(given: Any, argument: str, kinds: str) -> Any:
    """A series or an array as it is. A list becomes an array of objects, without a type that its largest or its oddest
    value would choose."""
    if hasattr(given, "dtype") and getattr(given, "ndim", 1) > 0:
        return given
    if hasattr(given, "dtype") or not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        raise Error(f"`{argument}` takes {kinds} with a value for each row, not {type(given).__name__}", argument)
    array = np.empty(len(given), dtype=object)
    for row, value in enumerate(given):
        array[row] = value
    return array


def _one_a_row(given: Any, rows: int, argument: str, kinds: str) -> Any:
    listed = _listed(given, argument, kinds)
    if getattr(listed, "ndim", 1) != 1:
        raise Error(f"`{argument}` takes {kinds}; it has {listed.ndim} dimensions", argument)
    check_length(listed, rows)
    return listed


def person_column(person_ids: Any, rows: int) -> Values:
    """Whose row each is, as texts."""
    listed = _one_a_row(person_ids, rows, "person_ids", "a Series, an array or a list")
    return values_of(np.asarray([text_of(key) for key in listed], dtype=object))


def protected_columns(sensitive: Any, rows: int) -> dict[str, Values]:
    """The columns of sensitive_features, by name."""
    if is_frame(sensitive):
        check_length(sensitive, rows)
        return {str(name): _protected_values(sensitive.iloc[:, place]) for place, name in enumerate(sensitive.columns)}
    if hasattr(sensitive, "__arrow_c_stream__") and not hasattr(sensitive, "dtype"):
        table = ArrowColumns(sensitive)
        check_length(range(table.shape[0]), rows)
        return {name: values if values.numbers is None else _protected_values(values.numbers)
                for name, values in zip(table.names, table.values)}
    if getattr(sensitive, "ndim", 1) == 2:
        check_length(sensitive, rows)
        return {f"sensitive{place}": _protected_values(sensitive[:, place]) for place in range(sensitive.shape[1])}
    listed = _one_a_row(sensitive, rows, "sensitive_features", "a Series, an array, a list, a frame or a FairSketch")
    name = getattr(sensitive, "name", None)
    return {name if isinstance(name, str) and name else "sensitive": _protected_values(listed)}


def declared(given: Any, columns: Sequence[str], argument: str, convert: Any) -> dict[str, list[Any]]:
    """What an argument declares by column; a plain list is about the only column."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        if len(columns) != 1:
            raise Error(f"`{argument}` of several columns is a dict: column to values", argument)
        given = {columns[0]: given}
    for column in given:
        if column not in columns:
            raise Error(f"`{argument}` names {column!r}, but sensitive_features has the columns {quoted(columns)}",
                        argument)
    for known in given.values():
        if isinstance(known, str) or not hasattr(known, "__iter__"):
            raise Error(f"`{argument}` takes a list for each column, not {known!r}", argument)
    return {column: [convert(value) for value in known] for column, known in given.items()}
