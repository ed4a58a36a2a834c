"""The C interface (dpfermi/dpfermi_c.h) by ctypes: errors become exceptions, texts become str."""

from __future__ import annotations

import ctypes
import json
import math
import os
import pathlib
import re
import signal
import sys
import threading
import time
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int, c_int32, c_size_t, c_uint32, c_void_p
from typing import Any

from ._errors import BudgetExceeded, Error

_ABI = 1
_BUDGET_REFUSED = 3


class Column(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("numbers", POINTER(c_double)),
        ("codes", POINTER(c_int32)),
        ("levels", POINTER(c_char_p)),
        ("level_count", c_size_t),
    ]


class Columns(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("rows", c_size_t),
        ("columns", POINTER(Column)),
        ("column_count", c_size_t),
    ]


_Note = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
_Progress = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_double, c_double)
_Interrupted = ctypes.CFUNCTYPE(c_int, c_void_p)


class _Observer(ctypes.Structure):
    _fields_ = [("context", c_void_p), ("note", _Note), ("progress", _Progress), ("interrupted", _Interrupted)]


_OUT = POINTER(c_void_p)
_FUNCTIONS: dict[str, list[Any]] = {
    "ledger_open": [c_char_p, _OUT, _OUT],
    "ledger_init": [c_void_p, c_char_p, _OUT],
    "ledger_state": [c_void_p, _OUT, _OUT],
    "arrow_read": [c_void_p, c_char_p, _OUT, _OUT],
    "table_load": [POINTER(Columns), c_char_p, _OUT, _OUT],
    "table_describe": [c_void_p, _OUT, _OUT],
    "train": [c_void_p, c_void_p, c_char_p, c_char_p, POINTER(_Observer), _OUT, _OUT, _OUT],
    "train_from_sketch": [c_void_p, c_void_p, c_char_p, c_char_p, POINTER(_Observer), _OUT, _OUT, _OUT],
    "sketch_make": [c_void_p, c_void_p, c_char_p, c_char_p, _OUT, _OUT, _OUT],
    "model_read": [c_char_p, _OUT, _OUT],
    "model_write": [c_void_p, c_char_p, _OUT],
    "model_encode": [c_void_p, _OUT, _OUT],
    "model_decode": [c_char_p, c_size_t, _OUT, _OUT],
    "model_inspect": [c_void_p, _OUT, _OUT],
    "sketch_read": [c_char_p, _OUT, _OUT],
    "sketch_write": [c_void_p, c_char_p, _OUT],
    "sketch_encode": [c_void_p, _OUT, _OUT],
    "sketch_decode": [c_char_p, c_size_t, _OUT, _OUT],
    "sketch_inspect": [c_void_p, _OUT, _OUT],
    "predict": [c_void_p, POINTER(Columns), POINTER(c_float), POINTER(c_uint32), _OUT],
    "evaluate_exactly": [c_void_p, POINTER(Columns), _OUT, _OUT],
    "evaluate_privately": [c_void_p, POINTER(Columns), c_void_p, c_char_p, c_char_p, _OUT, _OUT],
    "account": [c_char_p, _OUT, _OUT],
    "calibrate": [c_char_p, _OUT, _OUT],
    "methods": [_OUT, _OUT],
}


def _open() -> ctypes.CDLL:
    given = os.environ.get("DPFERMI_LIBRARY")
    path = pathlib.Path(given) if given else pathlib.Path(__file__).with_name("libdpfermi.so")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as problem:
        advice = "install the package, or set DPFERMI_LIBRARY to the file"
        if "ISA level" in str(problem):
            advice = "it was built for newer CPUs: build it with CMAKE_ARGS=-DDPFERMI_ARCH=x86-64 pip install ."
        raise ImportError(f"libdpfermi.so could not be loaded ({problem}); {advice}") from problem
    if library.dpfermi_abi() != _ABI:
        raise ImportError(f"{path} has ABI {library.dpfermi_abi()}, this package needs {_ABI}; install both anew")
    for name, arguments in _FUNCTIONS.items():
        function = getattr(library, "dpfermi_" + name)
        function.argtypes, function.restype = arguments, c_int
    for name in ("error_message", "text_data"):
        function = getattr(library, "dpfermi_" + name)
        function.argtypes, function.restype = [c_void_p], c_void_p if name == "text_data" else c_char_p
    library.dpfermi_text_size.argtypes, library.dpfermi_text_size.restype = [c_void_p], c_size_t
    library.dpfermi_version.restype = c_char_p
    library.dpfermi_arrow_columns.argtypes, library.dpfermi_arrow_columns.restype = [c_void_p], POINTER(Columns)
    for name in ("error", "text", "ledger", "arrow", "table", "model", "sketch"):
        function = getattr(library, f"dpfermi_{name}_free")
        function.argtypes, function.restype = [c_void_p], None
    return library


_library = _open()


def version() -> str:
    """The version of the library."""
    return _library.dpfermi_version().decode()


class Handle:
    """An object of the library, freed with this one. Passed to functions as it is, so that it outlives the call."""

    def __init__(self, kind: str, pointer: int | None) -> None:
        self._kind = kind
        self._as_parameter_ = ctypes.c_void_p(pointer)

    def __del__(self) -> None:
        if _library is not None:
            getattr(_library, f"dpfermi_{self._kind}_free")(self._as_parameter_)

    def __reduce__(self) -> Any:
        raise TypeError("handles of the library cannot be pickled")


# How settings of the library are called in Python.
_ARGUMENTS = {
    "columns.bounds": "bounds",
    "columns.values": "categories",
    "costs": "cost",
    "declared_units": "units",
    "drop": "X.drop(columns=...)",
    "id": "person_ids",
    "lambda": "lambda_",
    "notion": "fairness",
    "part_of_budget": "budget",
    "score_prefix": "estimator",
    "scores": "estimator",
    "seed": "random_state",
    "sensitive": "sensitive_features",
    "target": "y",
    "target.values": "classes",
    "weight": "sample_weight",
}


# What the library says about files, and how the tool is called, in the words of Python.
_PHRASES = {
    "add it to `format.missing`": "make it NaN",
    "declare the column with `categorical`": "use the dtype category for",
    "the target column": "`y`",
    "cut a number with `positive` '>27.5', `positive` '>median' or `target.bins` 10,20,30": "give fewer",
    "convert the file, for example with iconv -f latin1 -t utf-8": "correct it",
    "give a table with the protected columns": "give `sensitive_features`",
    "give a table that has them": "give `sensitive_features`",
    "`schema`: ": "",
    "dpfermi train --out": "save()",
    "dpfermi sketch --out": "FairSketch.save()",
    "'dpfermi ledger init'": "Ledger.set_budget()",
    "'dpfermi ledger show'": "Ledger.budgets()",
}


def _declaration(found: re.Match[str]) -> str:
    """What the library writes as `bounds` 'age=0:100', in the manner of Python."""
    items = (item if re.fullmatch(r"[\d.]+", item) else repr(item) for item in re.split("[,:]", found[3]))
    listed = ", ".join(items)
    return f"`{found[1]}` {{{found[2]!r}: {f'({listed})' if found[1] == 'bounds' else f'[{listed}]'}}}"


def in_python(message: str) -> tuple[str, str]:
    """A message of the library in the words of Python, and the argument at fault."""
    for theirs, ours in _PHRASES.items():
        message = message.replace(theirs, ours)
    message = re.sub(r"`([a-z_.]+)`", lambda found: f"`{_ARGUMENTS.get(found[1], found[1])}`", message)
    message = re.sub(r"`(bounds|categories|sensitive_values|sensitive_bins)` '([^'=]*)=([^']*)'", _declaration, message)
    named = re.search(r"`([a-zA-Z_.]+)[^`]*`", message)
    return message, named[1] if named else ""


def _raise(status: int, error: c_void_p) -> None:
    message, field = in_python(_library.dpfermi_error_message(error).decode(errors="replace"))
    _library.dpfermi_error_free(error)
    kind = BudgetExceeded if status == _BUDGET_REFUSED else Error
    raise kind(message, "X" if field.startswith("X.") else field)


def call(name: str, *arguments: Any) -> None:
    """Calls a function of the library, which takes the place of its error last."""
    error = c_void_p()
    status = getattr(_library, "dpfermi_" + name)(*arguments, byref(error))
    if status:
        _raise(status, error)


def request(**keys: Any) -> bytes:
    """A JSON request without the keys that are None. Numbers of numpy are numbers."""
    given = {}
    for key, value in keys.items():
        if hasattr(value, "item"):
            value = value.item()
        if isinstance(value, float) and not math.isfinite(value):
            raise Error(f"`{_ARGUMENTS.get(key, key)}` must be a finite number, not {value}", _ARGUMENTS.get(key, key))
        if value is not None:
            given[key] = value
    try:
        return json.dumps(given).encode()
    except TypeError as problem:
        raise Error(f"an argument is of no type that the library takes: {problem}") from problem


def _bytes(text: c_void_p) -> bytes:
    size = _library.dpfermi_text_size(text)
    data = ctypes.string_at(_library.dpfermi_text_data(text), size)
    _library.dpfermi_text_free(text)
    return data


def ask(name: str, *arguments: Any) -> bytes:
    """The same for functions that answer with bytes."""
    answer = c_void_p()
    call(name, *arguments, byref(answer))
    return _bytes(answer)


def ask_json(name: str, *arguments: Any) -> Any:
    """The same for functions that answer with JSON."""
    return json.loads(ask(name, *arguments))


def make(name: str, kind: str, *arguments: Any) -> Handle:
    """The same for functions that make an object."""
    made = c_void_p()
    call(name, *arguments, byref(made))
    return Handle(kind, made.value)


def read_arrow(table: Any) -> Handle:
    """The rows of a table that offers the Arrow C data interface (the Arrow PyCapsule interface)."""
    capsule = table.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = [ctypes.py_object, c_char_p], c_void_p
    return make("arrow_read", "arrow", pointer(capsule, b"arrow_array_stream"), b"X")


def arrow_columns(handle: Handle) -> Columns:
    """What read_arrow() read; lives as long as the handle."""
    return _library.dpfermi_arrow_columns(handle).contents


class Watch:
    """Progress and Ctrl-C of work that may be paid for. In the main thread SIGINT sets a flag, which the library asks for
    while it trains. The handler of before gets the signal at the end of the ``with`` block: what is kept within the block
    is not lost. ``kept`` is then what KeyboardInterrupt says."""

    def __init__(self, verbose: int = 0) -> None:
        self.kept: tuple[Any, ...] = ()
        self._verbose = verbose
        self._stopped = False
        self._bar: Any = None
        self._task = b""
        self._printed = 0.0
        self._observer = _Observer(
            None, _Note(self._note), _Progress(self._progress), _Interrupted(lambda _: int(self._stopped)))

    def _note(self, _: Any, text: bytes) -> None:
        if self._verbose > 1:
            print(f"dpfermi: {text.decode(errors='replace')}", file=sys.stderr)

    def _progress(self, _: Any, task: bytes, done: float, total: float) -> None:
        if not self._verbose or not total:
            return
        if task != self._task:
            self._close()
            self._bar, self._task = _bar(task.decode(), total), task
        if self._bar:
            self._bar.total = total
            self._bar.update(done - self._bar.n)
        elif time.monotonic() - self._printed > 5 or done >= total:
            self._printed = time.monotonic()
            print(f"dpfermi: {task.decode()} {done / total:.0%}", file=sys.stderr)

    def _close(self) -> None:
        if self._bar:
            self._bar.close()

    def observer(self) -> Any:
        """For the functions of the library that take one."""
        return byref(self._observer)

    def __enter__(self) -> Watch:
        # Where SIGINT is ignored, ends the process, or has a handler that is not Python's, it stays so.
        before = signal.getsignal(signal.SIGINT)
        self._before = before if callable(before) and threading.current_thread() is threading.main_thread() else None
        if self._before is not None:
            signal.signal(signal.SIGINT, self._stop)
        return self

    def _stop(self, *_: Any) -> None:
        self._stopped = True

    def __exit__(self, kind: Any, problem: Any, _: Any) -> None:
        self._close()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._before is not None and self._stopped:
            try:
                self._before(signal.SIGINT, None)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(*(self.kept if kind is None else [str(problem)])) from None


def _bar(task: str, total: float) -> Any:
    """A progress bar by tqdm's protocol, or False where it is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return False
    return tqdm(total=total, desc=task, leave=False)


def train(name: str, *arguments: Any, watch: Watch) -> tuple[Handle, dict[str, Any]]:
    """dpfermi_train or dpfermi_train_from_sketch: the model and the report."""
    model, report = c_void_p(), c_void_p()
    call(name, *arguments, watch.observer(), byref(model), byref(report))
    return Handle("model", model.value), json.loads(_bytes(report))


def make_sketch(*arguments: Any) -> Handle:
    """dpfermi_sketch_make: the sketch."""
    made = c_void_p()
    call("sketch_make", *arguments, byref(made), None)
    return Handle("sketch", made.value)
