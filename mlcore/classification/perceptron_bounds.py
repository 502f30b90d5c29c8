"""How fast the weights of a perceptron grow, and how many mistakes it can make."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine import checks
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

LARGEST = 400_000  # numbers among which the widest margin is looked for


class MistakeBounds(NamedTuple):
    """Bounds of the length of the weights after 0, 1 ... u updates."""

    lower: np.ndarray | None  # (u + 1,) None where no hyperplane is known that parts the rows
    upper: np.ndarray  # (u + 1,)
    most: float  # where the two cross: no run makes more mistakes; infinite without `lower`
    radius: float  # length of the longest row
    margin: float  # least distance of a row from the best hyperplane through the origin, or NaN


@function(
    "perceptron_bounds",
    title="Mistake bound of the perceptron",
    sources=("cs2:perceptron_convergence",),
)
def perceptron_bounds(X: Any, y: Any, lengths: Any = (0.0,)) -> MistakeBounds:
    """The bounds of Novikoff (1962) for rows X, (n, p), of two classes or more y, (n,).

    `lengths`, shape (u + 1,), is the length of the weights before and after each update of which
    the bounds are asked; of them only the first counts. A column of ones is added for the offset.
    Raises DataError where there is one class.
    """
    X = checks.matrix(X, "The mistake bound")
    codes, classes = checks.classes(y, len(X), "The mistake bound")
    checks.two_classes(classes, "The mistake bound")
    return bounds_of(lifted(X, codes, len(classes)), np.asarray(lengths, dtype=np.float64))


def bounds_of(Z: np.ndarray, lengths: np.ndarray) -> MistakeBounds:
    """Bounds for signed rows Z, shape (m, q), of which each mistake adds one to the weights.

    With R the longest row, and a separator of length 1 with margin gamma, u mistakes give
    -l + u gamma <= length <= sqrt(l^2 + u R^2) from the length l of the start, the first of
    `lengths`, shape (u + 1,). Raises DataError where that is empty.
    """
    if not lengths.size:
        raise DataError("The mistake bound needs the length of the weights at the start.")
    first, u = float(lengths[0]), np.arange(len(lengths))
    radius = float(np.sqrt((Z**2).sum(axis=1).max()))
    upper = np.sqrt(first**2 + u * radius**2)
    margin = widest_margin(Z) if Z.size <= LARGEST else np.nan
    if not margin > 1e-9 * radius:
        return MistakeBounds(None, upper, np.inf, radius, np.nan)
    # (u gamma - l)^2 = l^2 + u R^2 at 0 and where u gamma^2 = R^2 + 2 l gamma.
    most = (radius**2 + 2.0 * first * margin) / margin**2
    return MistakeBounds(u * margin - first, upper, most, radius, margin)


def widest_margin(Z: np.ndarray) -> float:
    """The largest least product of the rows Z, shape (m, q), with a vector of length 1; 0 if none
    is positive.

    The shortest w with Zw >= 1 has length 1 / margin; it is found by non-negative least squares
    (Lawson and Hanson 1974, chapter 23).
    """
    from scipy.optimize import nnls

    size = float(np.abs(Z).max()) or 1.0
    E = np.vstack([Z.T / size, np.ones(len(Z))])
    goal = np.append(np.zeros(Z.shape[1]), 1.0)
    try:
        u, _ = nnls(E, goal)
    except RuntimeError:  # it did not converge: nothing is known
        return 0.0
    rest = goal - E @ u
    if not rest[-1] > 1e-12:
        return 0.0
    w = -rest[:-1] / rest[-1]
    length = float(np.sqrt(w @ w))
    least = float((Z @ w).min()) / size
    # By what was found, not by what was promised: rounding may leave a row a hair short.
    return max(least, 0.0) * size / length if length > 0 else 0.0


def lifted(X: np.ndarray, codes: np.ndarray, K: int, *, bias: bool = True) -> np.ndarray:
    """What a mistake at each row can add to all weights together, shape (m, q).

    Of two classes the row with its sign, (n, p + 1). Of more, a row for each other class that may
    be said, with the true class at plus and that one at minus, (n (K - 1), K (p + 1)).
    """
    rows = np.column_stack([X, np.full(len(X), float(bias))])
    if K == 2:
        return rows * (2.0 * codes - 1.0)[:, None]
    n, q = rows.shape
    out = np.zeros((n, K, K, q))
    at = np.arange(n)
    for other in range(K):
        out[at, other, codes] = rows
        out[at, other, other] -= rows
    return out[np.arange(K) != codes[:, None]].reshape(n * (K - 1), K * q)
