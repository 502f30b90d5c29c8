"""Gram matrices of the rows of a run, for pictures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.kernels.centring import center_gram
from mlcore.kernels.gram import gram
from mlcore.runs.carry import Whole

MOST_ROWS = 250  # of a Gram matrix that is looked at: about as many cells as pixels


class Grams(NamedTuple):
    """The kernel of every two of some rows, ordered by class or target."""

    K: np.ndarray  # (q, q)
    at: np.ndarray  # (q,) which rows of the data set
    rows: np.ndarray  # (q,) their numbers in the table
    klass: np.ndarray  # (q,) class of each, 0 where there are none
    names: tuple[str, ...]  # of the classes
    n: int  # rows of the data set
    kernel_text: str  # the kernel, in words


def gram_of(dataset: Dataset, whole: Whole) -> Grams:
    """The Gram matrix of the kernel of a fit; of many rows every so many of each class."""
    is_class = dataset.task == "classification"
    klass = np.asarray(dataset.y) if is_class else np.zeros(dataset.n, dtype=np.int64)
    key: Any = np.arange(dataset.n) if dataset.y is None else dataset.y
    order = np.argsort(key, kind="stable")
    if len(order) > MOST_ROWS:
        order = order[np.linspace(0, len(order) - 1, MOST_ROWS).round().astype(np.int64)]
    kernel = whole.fit.kernel
    K = gram(kernel, whole.prepared.transform(dataset.X[order]))
    if is_class:
        beside = _by_likeness(K, klass[order])
        K, order = K[np.ix_(beside, beside)], order[beside]
    names = dataset.classes if is_class else ("rows",)
    settings = kernel.settings_text()
    kernel_text = f"{kernel.title()}, {settings}" if settings else kernel.title()
    return Grams(K, order, dataset.rows[order], klass[order], names, dataset.n, kernel_text)


def _by_likeness(K: np.ndarray, klass: np.ndarray) -> np.ndarray:
    """Rows of a class in the order of its leading eigenvector, so that like stands beside like."""
    order = []
    for k in np.unique(klass):
        own = np.flatnonzero(klass == k)
        vectors = np.linalg.eigh(center_gram(K[np.ix_(own, own)])[0])[1]
        order.append(own[np.argsort(vectors[:, -1], kind="stable")])
    return np.concatenate(order)


def of_which(g: Grams) -> str:
    """What the picture is computed on."""
    if len(g.at) == g.n:
        return f"all {g.n:,} rows, by class" if len(g.names) > 1 else f"all {g.n:,} rows"
    return f"{len(g.at):,} of {g.n:,} rows, evenly taken"
