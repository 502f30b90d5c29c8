"""Distances of every two rows, by any metric, and of sets of rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist, pdist

from mlcore.distances.metrics import Frame, HasFrame
from mlcore.maths.squared_distances import beside, sq_distances
from mlcore.spine import checks, registry
from mlcore.spine.asking import can
from mlcore.spine.errors import ParamError
from mlcore.spine.pool import side_by_side, threads_left
from mlcore.spine.records import function

WHO = "A distance"
SHARED = 2**20  # differences, half a millisecond, from which on threads share the rows
BETWEEN_SETS = {"min": np.min, "max": np.max, "mean": np.mean}


def frame_of(metric: Any, X: np.ndarray) -> Any:
    """The space in which the metric, an entry of that slot or its name, is a plain norm.

    A metric that learns, such as Mahalanobis its covariance, does so from the rows X, (n, p); the
    space of one that has learned may be given in its place.
    """
    if isinstance(metric, Frame):
        return metric
    return registry.made("metric", metric).frame(X, None)


def frame_of_fit(fit: Any) -> Frame:
    """The space in which what the fit keeps is a norm: that of its own distance, or of columns."""
    return fit.frame if can(fit, HasFrame) else Frame()


def apart(frame: Any, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Norms of the differences of rows that are already placed in the frame, shape (n, m)."""
    out = np.empty((len(A), len(B)))
    n_parts = min(threads_left(), len(A)) if A.size * len(B) >= SHARED else 1
    ends = np.linspace(0, len(A), n_parts + 1).astype(int)
    parts = [slice(*part) for part in itertools.pairwise(ends)]
    list(side_by_side(lambda at: cdist(A[at], B, out=out[at], **_norm(frame)), parts))
    return out


def of_pairs(frame: Any, A: np.ndarray) -> np.ndarray:
    """The same for every two of rows A, shape (n, r), each pair once, in the order of `pdist`."""
    return pdist(A, **_norm(frame))


def between(frame: Any, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The same for each row of A, shape (m, r), and that of B beside it, shape (m,)."""
    if frame.power == 0:
        return (A != B).mean(axis=1)
    return np.linalg.norm(A - B, ord=frame.power, axis=1)


def _norm(frame: Any) -> dict[str, Any]:
    """The norm of a frame in the words of scipy."""
    if frame.power == 0:
        return {"metric": "hamming"}
    if np.isinf(frame.power):
        return {"metric": "chebyshev"}
    return {"metric": "minkowski", "p": frame.power}


@function("pairwise_distances", sources=("prac:euclidean_distance_matrix",))
def pairwise_distances(X: Any, Z: Any = None, metric: Any = "euclidean") -> np.ndarray:
    """Distance of every two rows of X, shape (n, p), and Z, (m, p), or X itself: shape (n, m).

    `metric` is an entry of that slot or its name, such as `Minkowski(p=3)` or "mahalanobis"; one
    that learns does so from X. Differences are taken one by one: nothing cancels far from zero.
    """
    X = checks.matrix(X, WHO)
    frame = frame_of(metric, X)
    A = frame.placed(X)
    return apart(frame, A, A if Z is None else frame.placed(beside(Z, X)))


@function("half_squared_distances", sources=("mi2:distance_half_squared",))
def half_squared_distances(X: Any) -> np.ndarray:
    r"""$\frac12 \|x - z\|^2$ of every two rows of X, shape (n, p): shape (n, n).

    Their mean over all pairs of a group is its variance about the mean.
    """
    return sq_distances(X) / 2


@function("set_distance", title="Distance of two sets", sources=("epfl:dist_set_diff",))
def set_distance(A: Any, B: Any, metric: Any = "euclidean", op: str = "min") -> float:
    """The least ("min"), largest ("max") or mean distance of a row of A, (n, p), and of B, (m, p).

    The three are the linkages of hierarchical clustering. A metric that learns does so from all
    rows. Raises ParamError if `op` is none of the three.
    """
    if op not in BETWEEN_SETS:
        raise ParamError(f"Sets are compared by {', '.join(BETWEEN_SETS)}; got {op!r}.")
    A = checks.matrix(A, WHO)
    B = beside(B, A)
    frame = frame_of(metric, np.vstack([A, B]))
    return float(BETWEEN_SETS[op](apart(frame, frame.placed(A), frame.placed(B))))
