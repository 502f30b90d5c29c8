"""Columns as anchors around a circle, and where rows lie between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.checks import matrix
from mlcore.spine.records import function


def anchors(p: int) -> np.ndarray:
    """p places at equal distances on the unit circle, shape (p, 2), the first at the top."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(p) / p
    return np.column_stack([np.cos(angle), np.sin(angle)])


@function(
    "star_coordinates",
    synonyms=("star plot of rows", "radial projection"),
)
def star_coordinates(X: Any) -> np.ndarray:
    r"""Rows as sums of spokes, $\frac1p \sum_j x_j a_j$, for X of shape (n, p): shape (n, 2).

    The anchors a_j stand around the unit circle in the order of the columns. The map is linear, so
    lines stay lines and means stay means; what lies across its plane is not seen (Kandogan,
    Visualizing multi-dimensional clusters, trends, and outliers using star coordinates, KDD 2001).
    Raises DataError for what is no finite matrix.
    """
    X = matrix(X, "Star coordinates")
    return X @ anchors(X.shape[1]) / X.shape[1]


@function("radviz", title="RadViz", synonyms=("radial visualisation", "spring layout of columns"))
def radviz(X: Any) -> np.ndarray:
    r"""Rows at rest between springs, $\sum_j u_j a_j / \sum_j u_j$, for X (n, p): shape (n, 2).

    u_j is the value between the smallest of its column, 0, and the largest, 1, and each pulls
    towards its anchor a_j on the unit circle. Weights that are not negative and sum to one keep
    every row inside the polygon of the anchors; a row that is smallest in all columns is pulled
    nowhere and lies in the middle. Only shares count: u and 2 u are one place (Hoffman, Grinstein,
    Marx, Grosse and Stanley, DNA visual and analytic data mining, IEEE Visualization 1997). Raises
    DataError for what is no finite matrix.
    """
    X = matrix(X, "RadViz")
    low, wide = X.min(axis=0), np.ptp(X, axis=0)
    pull = (X - low) / np.where(wide > 0, wide, 1.0)
    total = pull.sum(axis=1, keepdims=True)
    return (pull / np.where(total > 0, total, 1.0)) @ anchors(X.shape[1])


@function("circle_order", title="Similar columns side by side on a circle")
def circle_order(S: Any) -> np.ndarray:
    """An order of p things around a circle with similar ones beside each other: shape (p,).

    S, shape (p, p), holds their similarities, larger is more alike. The best order is that of a
    travelling salesman; this is one that no reversal of a part makes better (2-opt), the better of
    two: from the order as it is, and from the most similar at each turn. It begins with the first
    thing. The task is that of Ankerst, Berchtold and Keim, Similarity clustering of dimensions,
    InfoVis 1998. Raises DataError for what is no finite matrix.
    """
    S = matrix(S, "An order around a circle")
    orders = [_improved(S, order) for order in (np.arange(len(S)), _nearest_first(S))]
    return max(orders, key=lambda order: beside(S, order))


def beside(S: np.ndarray, order: np.ndarray) -> float:
    """Mean of the similarities S, shape (p, p), of neighbours around the circle, `order` (p,)."""
    return float(S[order, np.roll(order, -1)].mean())


def _nearest_first(S: np.ndarray) -> np.ndarray:
    order, left = [0], list(range(1, len(S)))
    while left:
        order.append(left.pop(int(S[order[-1], left].argmax())))
    return np.array(order)


def _improved(S: np.ndarray, order: np.ndarray) -> np.ndarray:
    while (better := _reversed_part(S, order)) is not None:
        order = better
    return order


def _reversed_part(S: np.ndarray, order: np.ndarray) -> np.ndarray | None:
    """The order with that part turned round which gains most; None if none gains."""
    p = len(order)
    turned = [
        np.concatenate([order[:i], order[i : j + 1][::-1], order[j + 1 :]])
        for i in range(1, p - 1)
        for j in range(i + 1, p)
    ]
    gains = [beside(S, o) for o in turned]
    # Rounding must not make two orders better than each other in turn.
    if not gains or max(gains) <= beside(S, order) + 1e-12:
        return None
    return turned[int(np.argmax(gains))]
