"""Columns of a table counted in bins, by class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from figures.numbers.planes import CODED
from mlcore.data.dataset import Dataset
from mlcore.spine.fit import Column

MOST_BINS, LEAST_BINS = 30, 8
FEW_VALUES = 12  # numbers with no more different values than this get a bar each
MOST_LEVELS = 20


class Profile(NamedTuple):
    """One column in bins."""

    column: Column
    edges: np.ndarray  # (b + 1,); for levels and single values the places -1/2, 1/2, ...
    labels: tuple[str, ...]  # (b,) names of the bins; empty where the edges say it
    counts: np.ndarray  # (b, K) rows by class; K = 1 without classes
    rows: tuple[tuple[np.ndarray, ...], ...]  # (K, b) row numbers of the table
    missing: int
    distinct: int


def profile(dataset: Dataset, j: int) -> Profile:
    """Column j of the data set, counted by class of the target where it has classes."""
    column, values = dataset.columns[j], dataset.X[:, j]
    seen = np.isfinite(values)
    distinct = np.unique(values[seen])
    bins, edges, labels = _bins(column, values, seen, distinct)
    klass, k = np.zeros(dataset.n, dtype=np.int64), 1
    if dataset.task == "classification":
        klass, k = np.asarray(dataset.y), len(dataset.classes)
    b = len(edges) - 1
    counts = np.zeros((b, k), dtype=np.int64)
    np.add.at(counts, (bins[seen], klass[seen]), 1)
    rows = tuple(
        tuple(dataset.rows[seen & (klass == c) & (bins == i)] for i in range(b)) for c in range(k)
    )
    return Profile(column, edges, labels, counts, rows, int((~seen).sum()), len(distinct))


def _bins(
    column: Column, values: np.ndarray, seen: np.ndarray, distinct: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Bin of each row (0 where missing), edges and labels."""
    filled = np.where(seen, values, distinct[0] if len(distinct) else 0.0)
    if column.kind in CODED and column.levels:
        return _levels(column, filled)
    if len(distinct) <= FEW_VALUES and column.kind != "datetime":
        labels = tuple(f"{v:g}" for v in distinct)
        edges = np.arange(len(distinct) + 1) - 0.5
        return np.searchsorted(distinct, filled).clip(0, max(len(distinct) - 1, 0)), edges, labels
    edges = edges_of(values[seen])
    return np.clip(np.searchsorted(edges, filled, side="right") - 1, 0, len(edges) - 2), edges, ()


def _levels(column: Column, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """One bin a level; beyond the first 19 the levels share a bin."""
    most = len(column.levels) if len(column.levels) <= MOST_LEVELS else MOST_LEVELS - 1
    labels = column.levels[:most]
    if most < len(column.levels):
        labels = (*labels, f"{len(column.levels) - most} more")
    bins = np.minimum(codes.astype(np.int64), len(labels) - 1)
    return bins, np.arange(len(labels) + 1) - 0.5, labels


def edges_of(values: np.ndarray) -> np.ndarray:
    """Edges of 8 to 30 bins of equal width, by the rule of Freedman and Diaconis."""
    low, high = float(values.min()), float(values.max())
    quartiles = np.quantile(values, [0.25, 0.75])
    width = 2 * float(np.diff(quartiles)[0]) / len(values) ** (1 / 3)
    wanted = (high - low) / width if width > 0 else MOST_BINS
    count = int(np.clip(np.ceil(wanted), LEAST_BINS, MOST_BINS))
    return np.linspace(low, high, count + 1)
