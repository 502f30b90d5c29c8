"""Entropy of a table of probabilities, and what one variable says of another."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import digamma, xlogy

from mlcore.spine import checks, random
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

WHO = "Mutual information"
ESTIMATORS = ("knn", "binned", "levels")
EPS = float(np.finfo(float).eps)
WHOLE = 1e-9  # by which the sum of probabilities may miss 1
JITTER = 1e-10  # of the spread: equal values get an order, and no distance changes that matters


@function("entropy", sources=("epfl:entropy", "epfl:entropy_joint", "epfl:entropy_conditional"))
def entropy(p: Any, given: int | None = None) -> float:
    r"""$H = -\sum p \ln p$ of probabilities of any shape, in nats; of a joint table the joint one.

    `given` is an axis of the table whose value is known: then the conditional entropy
    $H(x | y) = H(x, y) - H(y)$. Divide by ln 2 for bits. Raises DataError unless p is at least 0
    and sums to 1, ParamError if there is no such axis.
    """
    P = np.asarray(p, dtype=np.float64)
    if not P.size or not (P >= 0).all() or abs(P.sum() - 1.0) > WHOLE:
        raise DataError(
            f"Entropy needs probabilities, none negative, that sum to 1; the sum is {P.sum():.6g}. "
            "Divide counts by their sum."
        )
    if given is None:
        return float(-xlogy(P, P).sum())
    if not 0 <= given < P.ndim:
        raise ParamError(f"The known axis must be one of 0 to {P.ndim - 1}; got {given}.")
    known = P.sum(axis=tuple(axis for axis in range(P.ndim) if axis != given))
    return max(entropy(P) - entropy(known), 0.0)


@function("mutual_information", sources=("epfl:mutual_information",))
def mutual_information(
    x: Any,
    y: Any,
    estimator: str = "knn",
    *,
    n_neighbors: int = 3,
    n_bins: int = 10,
    normalise: bool = False,
) -> float:
    r"""$I(x; y) = H(x) + H(y) - H(x, y)$ in nats, from n pairs of values, shape (n,) each.

    "levels" counts the pairs as they are; "binned" first cuts numbers into `n_bins` intervals of
    equal width; "knn" needs numbers in x and compares each row with its k nearest: Kraskov,
    Stoegbauer and Grassberger (2004), Phys. Rev. E 69, where y holds fractional numbers, Ross
    (2014), PLoS ONE 9, where y holds whole numbers or text, which are classes. An estimate below
    zero is given as 0.

    `normalise` gives the symmetric uncertainty $2 I / (H(x) + H(y))$, from 0 to 1, of what is
    counted. Raises ParamError if it is asked for with neighbours, which count nothing, and for
    unknown settings; DataError for missing values, unequal lengths or too few rows.
    """
    x, y = (v.astype(str) if v.dtype == object else v for v in (np.asarray(x), np.asarray(y)))
    _check(x, y, estimator, n_neighbors, n_bins)
    if estimator == "knn":
        if normalise:
            raise ParamError(f"{WHO} by neighbours has no entropies to normalise by; count bins.")
        near = _between_numbers if y.dtype.kind == "f" else _with_classes
        return max(near(x, y, n_neighbors), 0.0)
    if estimator == "binned":
        x, y = (_binned(v, n_bins) for v in (x, y))
    P = _joint(x, y)
    apart = entropy(P.sum(axis=0)) + entropy(P.sum(axis=1))
    information = max(apart - entropy(P), 0.0)
    return 2 * information / (apart or 1.0) if normalise else information


def _check(x: np.ndarray, y: np.ndarray, estimator: str, n_neighbors: int, n_bins: int) -> None:
    if estimator not in ESTIMATORS:
        raise ParamError(f"{WHO} is estimated by {', '.join(ESTIMATORS)}; got {estimator!r}.")
    if n_neighbors < 1 or n_bins < 1:
        raise ParamError(
            f"{WHO} needs at least one neighbour and one interval; got {n_neighbors} and {n_bins}."
        )
    if x.ndim != 1 or not len(x):
        raise DataError(f"{WHO} needs one value a row, and at least one row.")
    checks.same_length(y, len(x), WHO, "values")
    for values in (x, y):
        if values.dtype.kind == "f":
            checks.matrix(values.reshape(-1, 1), WHO)
    if estimator == "knn" and len(x) <= n_neighbors:
        raise DataError(
            f"{WHO} by {n_neighbors} neighbours needs more than {n_neighbors} rows; got {len(x)}. "
            "Use fewer neighbours."
        )


def _joint(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Share of the rows with each pair of levels, shape (levels of x, levels of y)."""
    at, to = (np.unique(v, return_inverse=True)[1] for v in (x, y))
    counts = np.zeros((at.max() + 1, to.max() + 1))
    np.add.at(counts, (at, to), 1.0)
    return counts / len(x)


def _binned(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Numbers of the intervals; whole numbers and text stay as they are."""
    if values.dtype.kind != "f":
        return values
    edges = np.linspace(values.min(), values.max(), n_bins + 1)
    return np.searchsorted(edges[1:-1], values, side="right")


def _spread_out(values: np.ndarray, name: str) -> np.ndarray:
    """Values in units of the standard deviation, with a jitter that orders equal ones, (n,)."""
    values = checks.matrix(values.reshape(-1, 1), f"{WHO} by neighbours")[:, 0]
    values = values - values.mean()
    scaled = values / (values.std() or 1.0)
    return scaled + JITTER * random.generator(0, name).standard_normal(len(values))


def _within(ordered: np.ndarray, values: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """How many of `ordered`, which rises, lie nearer to each value than its radius; 1 at least."""
    # The neighbour at the radius itself does not count, whichever way its sum is rounded.
    radius = radius - 8 * EPS * max(-ordered[0], ordered[-1])
    end = np.searchsorted(ordered, values + radius, side="left")
    return np.maximum(end - np.searchsorted(ordered, values - radius, side="right"), 1)


def _reach(ordered: np.ndarray, k: int) -> np.ndarray:
    """Distance of each value to the k-th nearest other; the values rise, and are more than k."""
    n = len(ordered)
    reach = np.full(n, np.inf)
    for first in range(-k, 1):  # all k + 1 values in a row that begin so many places before it
        i = slice(-first, n - k - first)
        low, high = ordered[: n - k], ordered[k:]
        reach[i] = np.minimum(reach[i], np.maximum(ordered[i] - low, high - ordered[i]))
    return reach


def _between_numbers(x: np.ndarray, y: np.ndarray, k: int) -> float:
    from scipy.spatial import KDTree  # takes a moment to import

    x, y = _spread_out(x, "x"), _spread_out(y, "y")
    both = np.column_stack([x, y])
    radius = KDTree(both).query(both, k + 1, p=np.inf)[0][:, -1]
    counts = sum(digamma(_within(np.sort(values), values, radius)) for values in (x, y))
    return float(digamma(len(x)) + digamma(k) - np.mean(counts))


def _with_classes(x: np.ndarray, y: np.ndarray, k: int) -> float:
    """The estimate of Ross; a class of a single row has no distances within it: it is left out."""
    _, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    shared = sizes[codes] > 1
    if not shared.any():
        return 0.0
    x, codes = _spread_out(x, "x")[shared], codes[shared]
    order = np.argsort(x)  # all that follows is searched in order, which is quick
    x, codes = x[order], codes[order]
    used = np.minimum(k, sizes - 1)
    radius = np.empty(len(x))
    for c in np.unique(codes):
        members = codes == c
        radius[members] = _reach(x[members], int(used[c]))
    away = digamma(used) - digamma(np.maximum(sizes, 1))
    return float(digamma(len(x)) + (away[codes] - digamma(_within(x, x, radius))).mean())
