"""Some rows of a large table, for pictures that all its rows would slow down or cover."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from figures.numbers.clouds import MOST_POINTS
from mlcore.data.dataset import Dataset
from mlcore.spine.random import generator


def drawn_rows(n: int, most: int = MOST_POINTS) -> np.ndarray:
    """At most that many of n row numbers, at random and rising: the same ones for the same n."""
    if n <= most:
        return np.arange(n)
    return np.sort(generator(0, "rows in pictures").choice(n, most, replace=False))


def sampled(dataset: Dataset, most: int = MOST_POINTS) -> Dataset:
    """The data set with at most that many of its rows; the table behind it stays whole."""
    return dataset if dataset.n <= most else taken(dataset, drawn_rows(dataset.n, most))


def taken(dataset: Dataset, rows: np.ndarray) -> Dataset:
    """The data set with its rows at these positions, some perhaps more than once."""
    per_row = ("rows", "X", "y", "groups", "order", "weights", "targets")
    values = {name: getattr(dataset, name) for name in per_row}
    drawn: dict[str, Any] = {k: v if v is None else v[rows] for k, v in values.items()}
    return replace(dataset, **drawn)
