"""The ledger on disk, and what releases cost."""

from __future__ import annotations

import decimal
import html
import os
from typing import Any, NamedTuple

from . import _library
from ._errors import Error, converted, number


def absolute(path: Any) -> Any:
    """A path that names the same file whatever the working directory becomes; what is no path, or empty, as it is."""
    if not isinstance(path, (str, bytes, os.PathLike)) or not os.fspath(path) or os.path.isabs(path):
        return path
    return os.path.abspath(path)


def _pair(amounts: dict[str, float], rounding: str) -> str:
    """Epsilon and delta, or the divergence and the failure of a filter, with four digits rounded against the reader."""
    digits = decimal.Context(prec=4, rounding=rounding)
    return ", ".join(f"{float(digits.create_decimal_from_float(amount)):g}" for amount in amounts.values())


class Ledger:
    """Budgets on disk, and what has been spent from them.

    Every fit that reads protected data charges a ledger before it reads them. A ledger is a file, not an object:
    clones, folds, workers and processes that name the same file spend from the same budgets.

    Parameters
    ----------
    path : str or path-like, optional
        The file, which is made if there is none. By default ``$DPFERMI_LEDGER``, else
        ``~/.local/state/dpfermi/ledger.db``. A relative path is taken from the working directory of this call and
        kept as an absolute one: a budget does not change when the directory does.

    Examples
    --------
    >>> import dpfermi, tempfile
    >>> ledger = dpfermi.Ledger(tempfile.mkdtemp() + "/ledger.db").set_budget("study", epsilon=1, delta=1e-5)
    >>> ledger.left("study")["epsilon"]
    1.0
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        given = None if path is None else converted(os.fspath, path, "ledger", "a Ledger, a path or None")
        self.path = given and absolute(given)

    def _open(self) -> _library.Handle:
        # Elsewhere, or in a worker, a relative path would name another ledger, from which nothing is spent.
        usual = os.environ.get("DPFERMI_LEDGER")
        if self.path is None and usual and not os.path.isabs(usual):
            raise Error(f"$DPFERMI_LEDGER is the relative path '{usual}'; set it to an absolute one, or give `ledger`",
                        "ledger")
        # Opened for each use: a handle does not survive fork() and pickling, a path does.
        return _library.make("ledger_open", "ledger", None if self.path is None else os.fsencode(self.path))

    def set_budget(self, name: str, *, epsilon: float, delta: float, adjacency: str = "sensitive",
                   composition: str = "sums") -> Ledger:
        """Sets the most that may ever be spent from a budget. It is set once.

        Parameters
        ----------
        name : str
            Of the budget; a fit names it by ``budget=``.
        epsilon, delta : float
            The most, over all charges.
        adjacency : str
            What neighbours differ in: "sensitive", "replace-record" or "add-remove-record".
        composition : str
            "sums" of epsilon and delta, or "renyi", a filter that holds many small runs.

        Returns
        -------
        Ledger
            Itself.
        """
        _library.call("ledger_init", self._open(), _library.request(
            budget=name, epsilon=number(epsilon, "epsilon"), delta=number(delta, "delta"), adjacency=adjacency, composition=composition))
        return self

    def budgets(self) -> list[dict[str, Any]]:
        """Every budget.

        Returns
        -------
        list of dict
            "name", "adjacency", "fingerprint" of the data (None: tied to none), "cap" (None: no limit), "spent", "left",
            "charges", "relatives" (budgets of the same data), "open_runs".
        """
        handle = self._open()
        return _library.ask_json("ledger_state", handle)["budgets"]

    def _budget(self, name: str) -> dict[str, Any]:
        for budget in self.budgets():
            if budget["name"] == name:
                return budget
        raise Error(f"there is no budget '{name}'", "budget")

    def spent(self, name: str = "default") -> dict[str, float]:
        """What was spent from a budget.

        Parameters
        ----------
        name : str
            The budget.

        Returns
        -------
        dict
            "epsilon" and "delta".
        """
        return self._budget(name)["spent"]

    def left(self, name: str = "default") -> dict[str, float] | None:
        """What is left of a budget.

        Parameters
        ----------
        name : str
            The budget.

        Returns
        -------
        dict or None
            "epsilon" and "delta"; None where it has no limit.
        """
        return self._budget(name)["left"]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(budget['name'])}</td><td>{budget['adjacency']}</td>"
            f"<td>{_pair(budget['spent'], decimal.ROUND_CEILING)}</td>"
            f"<td>{_pair(budget['left'], decimal.ROUND_FLOOR) if budget['left'] else 'not limited'}</td></tr>"
            for budget in self.budgets())
        return f"<table><tr><th>budget</th><th>adjacency</th><th>spent (ε, δ)</th><th>left</th></tr>{rows}</table>"


def opened(ledger: Any) -> _library.Handle:
    """The ledger that an argument means: a Ledger, a path, or None for the usual one."""
    return (ledger if isinstance(ledger, Ledger) else Ledger(ledger))._open()


class Bound(NamedTuple):
    """A certified interval: lower <= exact value <= upper."""

    lower: float
    upper: float


_KINDS = {"poisson": ("poisson-gaussian", "noise_multiplier"),
          "revealed": ("revealed-poisson-gaussian", "sigma_over_distance"),
          "gaussian": ("gaussian", "sigma_over_distance"),
          "laplace": ("laplace", "scale_over_distance"),
          "discrete-gaussian": ("discrete-gaussian", "sigma")}


def _event(noise_multiplier: float, q: float | None, steps: int, mechanism: str | None, adjacency: str,
           shifts: list[int] | None = None) -> dict[str, Any]:
    name = mechanism or ("gaussian" if q is None else "poisson")
    if name not in _KINDS:
        raise Error(f"unknown mechanism '{name}'; use {', '.join(_KINDS)}", "mechanism")
    kind, noise = _KINDS[name]
    strength, count = number(noise_multiplier, "noise_multiplier"), converted(int, steps, "steps", "a whole number")
    if not strength >= 0:
        raise Error(f"`noise_multiplier` must be 0 or more, not {strength:g}", "noise_multiplier")
    if count < 0:
        raise Error(f"`steps` must be 0 or more, not {count}", "steps")
    release: dict[str, Any] = {"kind": kind, noise: strength}
    if name in ("poisson", "revealed"):
        if q is None:
            raise Error(f"the {name} mechanism needs its sampling rate `q`", "q")
        release["q"] = number(q, "q")
    elif q is not None:
        raise Error(f"the {name} mechanism does not sample; leave out `q`", "q")
    if name == "discrete-gaussian":
        release["shifts"] = list(shifts or [1])
    return {"adjacency": adjacency, "kind": "repetition", "count": count, "part": release}


def account(*, noise_multiplier: float | None = None, q: float | None = None, steps: int = 1,
            mechanism: str | None = None, adjacency: str = "sensitive", shifts: list[int] | None = None,
            event: dict[str, Any] | None = None, delta: float | None = None, epsilon: float | None = None) -> Bound:
    """What releases cost: certified bounds on epsilon at a delta, or on delta at an epsilon.

    Parameters
    ----------
    noise_multiplier : float
        Noise over the bound on one contribution (poisson) or over the distance of neighbouring sums (others).
    q : float, optional
        Sampling rate; without it nothing is sampled.
    steps : int
        How often it is released.
    mechanism : str, optional
        "poisson", "revealed", "gaussian", "laplace" or "discrete-gaussian".
    adjacency : str
        What neighbours differ in.
    shifts : list of int, optional
        Of the discrete Gaussian: by how much each changed cell moves.
    event : dict, optional
        An event tree (docs/accounting.md) instead of all that.
    delta, epsilon : float
        One of them: where the other is wanted.

    Returns
    -------
    Bound
        ``lower`` and ``upper``.

    Examples
    --------
    >>> import dpfermi
    >>> round(dpfermi.account(noise_multiplier=10, q=0.01, steps=1000, delta=1e-5).upper, 3)
    0.207
    """
    if event is None:
        if noise_multiplier is None:
            raise Error("give `noise_multiplier`, or an `event`", "noise_multiplier")
        event = _event(noise_multiplier, q, steps, mechanism, adjacency, shifts)
    answer = _library.ask_json("account", _library.request(event=event, delta=delta, epsilon=epsilon))
    return Bound(float(answer["lower"]), float(answer["upper"]))


def calibrate(*, epsilon: float, delta: float, find: str = "noise", noise_multiplier: float | None = None,
              q: float | None = None, steps: int = 1, mechanism: str | None = None,
              adjacency: str = "sensitive") -> float:
    """The least noise (``find="noise"``), the largest sampling rate ("q") or the most steps ("steps") within a budget.

    Parameters
    ----------
    epsilon, delta : float
        The budget.
    find : str
        What is wanted; the argument of that name is then left out.
    noise_multiplier, q, steps, mechanism, adjacency
        As for :func:`account`.

    Returns
    -------
    float
        The value; what it costs is certified to be within the budget.

    Examples
    --------
    >>> import dpfermi
    >>> noise = dpfermi.calibrate(epsilon=1, delta=1e-5, q=0.01, steps=1000)
    >>> dpfermi.account(noise_multiplier=noise, q=0.01, steps=1000, delta=1e-5).upper <= 1
    True
    """
    if find != "noise" and noise_multiplier is None:
        raise Error("give `noise_multiplier`", "noise_multiplier")
    if find == "q":
        q, mechanism = 0.5, mechanism or "poisson"
    event = _event(1 if find == "noise" else noise_multiplier or 0, q, steps, mechanism, adjacency)
    return float(_library.ask_json("calibrate", _library.request(
        event=event, find=find, epsilon=number(epsilon, "epsilon"), delta=number(delta, "delta")))["value"])
