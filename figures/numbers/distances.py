"""Distances of every two rows, for pictures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from figures.numbers.planes import NO_QUANTITIES
from figures.numbers.sampled import drawn_rows
from mlcore.data.dataset import Dataset
from mlcore.distances.dissimilarity import DistanceChecks, check_distances
from mlcore.distances.pairwise import pairwise_distances
from mlcore.maths.arrays import deviations, means
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError

METRICS = ("euclidean", "manhattan", "chebyshev")  # the first is drawn
MOST_ROWS = 250  # of a matrix that is looked at: about as many cells as pixels


class Distances(NamedTuple):
    """Distances of every two of some rows, the rows of a class together, near beside near."""

    D: np.ndarray  # (q, q)
    by_likeness: np.ndarray  # (q,) places in D, near beside near whatever the class
    rows: np.ndarray  # (q,) their numbers in the table
    klass: np.ndarray  # (q,) class of each, 0 where there are none
    names: tuple[str, ...]  # of the classes
    within: np.ndarray  # distances of two rows of one class
    between: np.ndarray  # and of two classes
    checks: tuple[tuple[str, DistanceChecks], ...]  # name of a distance, what it lacks
    p: int  # columns; 0 where the table holds the distances themselves
    n: int  # rows without missing values


def has_distances(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Of the rows of a table, not of a fit: whether two of its rows have a distance."""
    return whole is None and dataset.n > 1 and bool(_quantities(dataset))


def _quantities(dataset: Dataset) -> list[int]:
    return [j for j, c in enumerate(dataset.columns) if c.kind not in NO_QUANTITIES]


def distances_of(dataset: Dataset) -> Distances:
    """Euclidean distances of the standardised quantities of rows without missing values.

    A square table with zeros on its diagonal, and only there, holds the distances of its rows.
    """
    X = dataset.X[:, _quantities(dataset)]
    full = np.flatnonzero(np.isfinite(X).all(axis=1))
    if not X.shape[1] or len(full) < 2:
        raise DataError(
            "Distances need a column of quantities and two rows without missing values."
        )
    some = full[drawn_rows(len(full), MOST_ROWS)]
    is_given = X.shape[0] == X.shape[1] == len(full) and _are_distances(X)
    Z = X[np.ix_(some, some)] if is_given else _standardised(X[full], X[some])
    klass = np.zeros(len(some), dtype=np.int64)
    if is_class := dataset.task == "classification":
        klass = np.asarray(dataset.y)[some]
    order = np.concatenate([_by_likeness(Z, klass, k) for k in np.unique(klass)])
    by_likeness = np.argsort(order)[_by_likeness(Z, np.zeros(len(Z)), 0)]
    matrices = (
        {"as given": Z} if is_given else {m: pairwise_distances(Z, metric=m) for m in METRICS}
    )
    D = next(iter(matrices.values()))[np.ix_(order, order)]
    klass, pairs = klass[order], np.triu_indices(len(D), 1)
    is_same = (klass[:, None] == klass)[pairs]
    return Distances(
        D,
        by_likeness,
        dataset.rows[some[order]],
        klass,
        dataset.classes if is_class else ("rows",),
        D[pairs][is_same],
        D[pairs][~is_same],
        tuple((name, check_distances(matrix)) for name, matrix in matrices.items()),
        0 if is_given else X.shape[1],
        len(full),
    )


def _are_distances(D: np.ndarray) -> bool:
    return bool((np.diag(D) == 0).all() and (D[~np.eye(len(D), dtype=bool)] > 0).all())


def _standardised(every: np.ndarray, some: np.ndarray) -> np.ndarray:
    spread = deviations(every)
    return (some - means(every)) / np.where(spread > 0, spread, 1.0)


def _by_likeness(Z: np.ndarray, klass: np.ndarray, k: int) -> np.ndarray:
    """The rows of a class along the direction in which they spread most."""
    own = np.flatnonzero(klass == k)
    centred = Z[own] - Z[own].mean(axis=0)
    along = np.linalg.svd(centred, full_matrices=False)[2][0]
    return own[np.argsort(centred @ along, kind="stable")]
