"""Synthetic people for the notebooks: an advantage that differs between two groups, and what follows from it."""

import numpy as np
import pandas as pd


def people(rows=6000, seed=0):
    """X with numbers, categories and missing values; y; the group that is protected."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=rows)
    advantage = rng.normal(size=rows) + 0.7 * group
    hours = np.round(38 + 4 * advantage + 3 * rng.normal(size=rows), 1)
    X = pd.DataFrame({
        "age": rng.integers(18, 80, size=rows),
        "hours": np.where(rng.random(rows) < 0.05, np.nan, hours),
        "job": pd.Categorical.from_codes(np.clip((advantage + 3).astype(int), 0, 5),
                                         ["clerk", "cook", "driver", "nurse", "smith", "judge"]),
        "town": rng.choice(["Bergen", "Oslo", "Tromsø"], size=rows),
    })
    y = pd.Series(np.where(advantage + 0.6 * rng.normal(size=rows) > 0.5, "high", "low"), name="income")
    return X, y, pd.Series(np.where(group, "m", "f"), name="sex")
