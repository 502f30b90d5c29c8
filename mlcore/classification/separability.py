"""Whether classes can be told apart without error by linear scores."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

LARGEST = 2_000_000  # entries of the linear programme, some seconds of work
QUICK = 6_000  # of the same, some milliseconds
MOST_LABELED = 12  # rows, of which every labeling is tried


@function(
    "separation",
    title="Class separation",
    sources=("s841:logistic_applications",),
)
def separation(X: Any, y: Any) -> str:
    """How linear scores with intercepts separate the classes y, (n,), of the rows X, (n, p).

    "complete": some scores put every row on the right side, strictly; "quasi": on the right side or
    on the border, not all on the border; "none" otherwise, and then alone the likelihood of the
    unpenalised logistic model has a maximum (Albert and Anderson 1984). "unknown" where the linear
    programme would have more than two million entries.
    """
    X = checks.matrix(X, "Separation")
    codes, classes = checks.classes(y, len(X), "Separation")
    checks.two_classes(classes, "Separation")
    margins = _margins(_scaled(X), codes, len(classes))
    if margins is None:
        return "unknown"
    if _feasible(margins):
        return "complete"
    return "quasi" if _gain(margins) > 1e-7 else "none"


@function(
    "cover_count",
    title="Separable dichotomies of points in general position",
    sources=("cs1:cover_count", "cs2:cover_separability"),
)
def cover_count(n: int, d: int) -> int:
    r"""$2 \sum_{k < d} \binom{n - 1}{k}$: labelings of n points that d weights can part.

    Of all $2^n$ of them, where any d points are independent; an offset is one weight more than
    there are columns. Cover (1965), IEEE Transactions on Electronic Computers 14. Raises ParamError
    unless n and d are at least 1.
    """
    if min(n, d) < 1:
        raise ParamError(f"Points and weights must be at least 1 each; got {n} and {d}.")
    return 2 * sum(comb(n - 1, k) for k in range(d))


@function(
    "count_dichotomies",
    title="Separable dichotomies of given points",
    sources=("cs2:cover_separability", "cs2:boolean_functions"),
)
def count_dichotomies(X: Any) -> int:
    """Labelings of the rows X, (n, p), in two classes that a hyperplane with an offset can part.

    Both of one class are among them. One linear programme for each of 2^(n - 1) - 1 labelings;
    raises DataError for more than 12 rows.
    """
    X = checks.matrix(X, "A count of dichotomies")
    n = len(X)
    if n > MOST_LABELED:
        raise DataError(
            f"A count of dichotomies asks one question for each labeling, and {n} rows have "
            f"2^{n - 1}; give at most {MOST_LABELED} rows."
        )
    parted = 0
    for labels in range(1, 2 ** (n - 1)):  # the last row in the first class: the others mirror it
        codes = (labels >> np.arange(n)) & 1
        margins = _margins(_scaled(X), codes, 2)
        parted += margins is not None and _feasible(margins)
    return 2 * (parted + 1)


def quick_separation(X: np.ndarray, codes: np.ndarray) -> str:
    """The same of rows X, (n, p), of classes 0 to K - 1, all in codes, (n,).

    "unknown" where it would take more than milliseconds.
    """
    K = int(codes.max()) + 1
    is_quick = len(X) * (X.shape[1] + 1) * (K - 1) * K // 2 <= QUICK
    return separation(X, codes) if is_quick else "unknown"


def _scaled(X: np.ndarray) -> np.ndarray:
    """Columns centred and brought to size 1, which changes no separation, and ones."""
    X = X - X.mean(axis=0)
    size = np.abs(X).max(axis=0)
    return np.column_stack([X / np.where(size > 0, size, 1.0), np.ones(len(X))])


def _margins(X: np.ndarray, codes: np.ndarray, K: int) -> np.ndarray | None:
    """Rows whose products with the stacked scores say how far the own class is ahead."""
    n, q = X.shape
    if K == 2:
        return X * np.where(codes == 1, 1.0, -1.0)[:, None]
    if n * (K - 1) * K * q > LARGEST:
        return None
    out = np.zeros((n, K, K, q))
    rows = np.arange(n)
    for c in range(K):
        out[rows, c, codes] = X
        out[rows, c, c] -= X
    return out[np.arange(K) != codes[:, None]].reshape(n * (K - 1), K * q)


def _feasible(margins: np.ndarray) -> bool:
    """Whether some scores have every margin at least 1."""
    from scipy.optimize import linprog

    m, q = margins.shape
    answer = linprog(np.zeros(q), -margins, -np.ones(m), bounds=(None, None), method="highs")
    return bool(answer.status == 0)


def _gain(margins: np.ndarray) -> float:
    """The largest sum of margins of which none is negative, for scores within a box."""
    from scipy.optimize import linprog

    m = len(margins)
    answer = linprog(
        -margins.mean(axis=0), -margins, np.zeros(m), bounds=(-1.0, 1.0), method="highs"
    )
    return float(-answer.fun)
