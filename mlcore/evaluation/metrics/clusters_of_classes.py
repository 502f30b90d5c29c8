"""Clusters measured by known classes, of which some rows may have none."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.classes import pair
from mlcore.spine.records import function


class ClassTable(NamedTuple):
    """Classes in rows, clusters in columns."""

    classes: np.ndarray  # (K,) codes
    clusters: np.ndarray  # (k,) labels, without noise
    counts: np.ndarray  # (K, k) rows of both
    recall: np.ndarray  # (K, k) of the rows of the class
    precision: np.ndarray  # (K, k) of the rows of the cluster, those without a class too
    f1: np.ndarray  # (K, k) harmonic mean of both
    sizes: np.ndarray  # (K,) rows of each class, those of noise too


def class_table(y: Any, labels: Any) -> ClassTable:
    """Counts of each class in each cluster. Shape (n,) both, -1 for no class and for noise."""
    y, labels = pair(y, labels)
    classes, clusters = np.unique(y[y >= 0]), np.unique(labels[labels >= 0])
    both = (y >= 0) & (labels >= 0)
    cells = np.searchsorted(classes, y[both]) * len(clusters)
    cells += np.searchsorted(clusters, labels[both])
    shape = len(classes), len(clusters)
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    sizes = np.bincount(np.searchsorted(classes, y[y >= 0]), minlength=len(classes))
    widths = np.bincount(np.searchsorted(clusters, labels[labels >= 0]), minlength=len(clusters))
    f1 = 2 * counts / np.add.outer(sizes, widths)  # of shares n/a and n/b it is 2 n/(a + b)
    return ClassTable(
        classes, clusters, counts, counts / sizes[:, None], counts / widths, f1, sizes
    )


@function(
    "clustering_f1",
    title="F1 of a clustering",
    sources=(
        "epfl:metric_f1_cluster", "epfl:metric_recall_cluster", "epfl:metric_precision_cluster",
    ),
    synonyms=("F measure of clusters", "semi-supervised clustering"),
)  # fmt: skip
def clustering_f1(y: Any, labels: Any) -> float:
    """How well each known class has a cluster of its own, in [0, 1]; 1 where all do.

    The mean over the classes, by their rows, of the largest F1 among the clusters, whose recall
    counts the rows of the class and whose precision all rows of the cluster, those without a class
    too. `y` and `labels` have shape (n,); -1 is no class, or noise. NaN without any class.
    """
    t = class_table(y, labels)
    if not t.sizes.sum():
        return float("nan")
    return float((t.sizes * t.f1.max(axis=1, initial=0.0)).sum() / t.sizes.sum())


@function("purity", title="Purity", synonyms=("majority share of clusters",))
def purity(y: Any, labels: Any) -> float:
    """The share of the rows with a class that are of the commonest class of their cluster.

    It grows with the number of clusters, to 1 for a cluster a row. `y` and `labels` have shape
    (n,); -1 is no class, or noise, whose rows are of no cluster. NaN without any class.
    """
    t = class_table(y, labels)
    total = t.sizes.sum()
    return float(t.counts.max(axis=0, initial=0.0).sum() / total) if total else float("nan")
