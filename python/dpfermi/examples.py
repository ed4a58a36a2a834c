"""Invented people, for examples that can be run."""

from __future__ import annotations

import numpy as np


def people(rows: int = 2000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People of two groups, one of which has an advantage.

    Parameters
    ----------
    rows : int
        How many.
    seed : int
        The same seed gives the same people.

    Returns
    -------
    X, y, sensitive_features : ndarray
        Three numbers, a class and a group (0 or 1) of each.

    Examples
    --------
    >>> from dpfermi.examples import people
    >>> X, y, group = people(5)
    >>> X.shape, y.dtype, group
    ((5, 3), dtype('bool'), array([1, 1, 1, 0, 0]))
    """
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=rows)
    X = rng.normal(size=(rows, 3)) + 0.5 * group[:, None]
    return X, X.sum(axis=1) + rng.normal(size=rows) > 0.75, group
