"""Some rows of a large table, for pictures that all its rows would slow down or cover."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from figures.numbers.clouds import MOST_POINTS
from mlcore.data.dataset import Dataset
from mlcore.random import generator


def drawn_rows(n: int, most: int = MOST_POINTS) -> np.ndarray:
    """At most that many of n row numbers, at random and rising: the same ones for the same n."""
    if n <= most:
        return np.arange(n)
    return np.sort(generator(0, "rows in pictures").choice(n, most, replace=False))


def sampled(dataset: Dataset, most: int = MOST_POINTS) -> Dataset:
    """The data set with at most that many of its rows; the table behind it stays whole."""
    if dataset.n <= most:
        return dataset
    rows = drawn_rows(dataset.n, most)
    held = ("rows", "X", "y", "groups", "order", "weights")
    taken = {name: getattr(dataset, name) for name in held}
    return replace(dataset, **{k: v if v is None else v[rows] for k, v in taken.items()})
