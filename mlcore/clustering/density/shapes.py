"""Shapes of kernels: their value, and what they integrate to."""

from __future__ import annotations

from math import lgamma, log, pi
from typing import Any

import numpy as np

from mlcore.clustering.density import _kernels
from mlcore.distances.neighbours import Neighbours
from mlcore.maths.arrays import read_only
from mlcore.spine.pool import side_by_side, threads

SHAPES = ("gaussian", "exponential", "tophat", "epanechnikov", "linear", "cosine", "box")
MOST_PAIRS = 2**22  # of a block of queries with the rows in reach: 64 MB
MOST_COLUMNS, FEW = 6, 1_000  # up to so many, and from so many rows on, a tree is quicker
NODES = 120  # of a Gauss-Legendre rule, exact for the cosine in as many columns as can be seen


def log_scale(shape: str, width: float, p: int) -> float:
    """Logarithm of what one kernel integrates to over p columns."""
    return _log_volume(shape, p) + p * log(width)


def _log_volume(shape: str, p: int) -> float:
    if shape == "box":
        return 0.0
    if shape == "gaussian":
        return 0.5 * p * log(2 * pi)
    ball = 0.5 * p * log(pi) - lgamma(0.5 * p + 1)
    if shape == "exponential":
        return ball + lgamma(p + 1)
    if shape == "epanechnikov":
        return ball + log(2 / (p + 2))
    if shape == "linear":
        return ball - log(p + 1)
    return ball + (log(_cosine_share(p)) if shape == "cosine" else 0.0)


def _cosine_share(p: int) -> float:
    """p times the integral of cos(pi u / 2) u^(p - 1) over 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    u = (nodes + 1) / 2
    return float(p * (weights / 2 * np.cos(pi * u / 2) * u ** (p - 1)).sum())


def log_sums(S: np.ndarray, w: np.ndarray, Q: np.ndarray, width: float, shape: str) -> np.ndarray:
    """Logarithm of the sum of w K(|q - s| / width) for each row of Q, shape (m,); -inf for 0.

    S, shape (n, p), and w, (n,), are the rows and their weights.
    """
    if shape in SHAPES[:2]:
        return _in_parts(_kernels.log_sums, S, np.log(w), Q, width, shape)
    by_tree = S.shape[1] <= MOST_COLUMNS and S.shape[0] >= FEW
    with np.errstate(divide="ignore"):
        if by_tree:
            return np.log(_in_reach(S, w, Q, width, shape))
        return np.log(_in_parts(_kernels.sums, S, w, Q, width, shape))


def _in_parts(
    loop: Any, S: np.ndarray, w: np.ndarray, Q: np.ndarray, width: float, shape: str
) -> np.ndarray:
    """What a compiled loop over all pairs says of each row of Q, shape (m,)."""
    T, w, out = read_only(S.T), read_only(w), np.empty(len(Q))
    size = max(1, -(-len(Q) // (2 * threads())))

    def part(first: int) -> None:
        own = slice(first, first + size)
        loop(T, w, read_only(Q[own]), float(width), SHAPES.index(shape), out[own])

    list(side_by_side(part, range(0, len(Q), size)))
    return out


def _in_reach(S: np.ndarray, w: np.ndarray, Q: np.ndarray, width: float, shape: str) -> np.ndarray:
    """The sums of a kernel that is 0 beyond its width, by the rows within it."""
    is_box = shape == "box"
    among = Neighbours(S, np.inf if is_box else 2.0)
    reach = width / 2 if is_box else width
    sums = np.empty(len(Q))
    size = max(1, MOST_PAIRS // len(S))
    for first in range(0, len(Q), size):
        near = among.within(Q[first : first + size], reach)
        of = np.repeat(np.arange(len(near.starts) - 1), np.diff(near.starts))
        values = w[near.rows] * _values(near.distances / reach, shape)
        sums[first : first + size] = np.bincount(of, values, len(near.starts) - 1)
    return sums


def _values(u: np.ndarray, shape: str) -> np.ndarray:
    """The kernel at distances of 0 to 1, those at 1 being outside."""
    if shape == "epanechnikov":
        return 1.0 - u**2
    if shape == "linear":
        return 1.0 - u
    inside = (u < 1.0).astype(np.float64)
    return np.cos(pi * u / 2) * inside if shape == "cosine" else inside


def drawn(shape: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """n draws from a kernel of width 1 over p columns, shape (n, p)."""
    if shape == "box":
        return rng.uniform(-0.5, 0.5, (n, p))
    arrows = rng.standard_normal((n, p))
    if shape == "gaussian":
        return arrows
    lengths = _lengths(shape, n, p, rng)
    return arrows * (lengths / np.linalg.norm(arrows, axis=1))[:, None]


def _lengths(shape: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """How far n draws from a round kernel lie from its middle: of density K(u) u^(p - 1), (n,)."""
    if shape == "exponential":
        return rng.gamma(p, size=n)
    if shape == "tophat":
        return rng.beta(p, 1, n)
    if shape == "epanechnikov":
        return np.sqrt(rng.beta(p / 2, 2, n))
    u = rng.beta(p, 2, n)  # of the linear kernel; the cosine is at most pi / 2 of it
    again = np.arange(n if shape == "cosine" else 0)
    while len(again):
        level = rng.random(len(again)) * (pi / 2) * (1 - u[again])
        again = again[level > np.cos(pi * u[again] / 2)]
        u[again] = rng.beta(p, 2, len(again))
    return u


def held_out(
    S: np.ndarray,
    w: np.ndarray,
    groups: np.ndarray,
    rows: np.ndarray,
    widths: np.ndarray,
    shape: str,
) -> np.ndarray:
    """Sum of w K over the rows of other groups for each of `rows` and width, shape (r, g).

    `groups`, shape (n,), says which rows of S, (n, p), are left out together; widths ascend.
    """  # fmt: skip
    T, out = read_only(S.T), np.empty((len(rows), len(widths)))
    given = (read_only(w), read_only(groups))
    size = max(1, -(-len(rows) // (2 * threads())))

    def part(first: int) -> None:
        own = slice(first, first + size)
        chosen, wide = read_only(rows[own]), read_only(widths)
        _kernels.held_out(T, *given, chosen, wide, SHAPES.index(shape), out[own])

    list(side_by_side(part, range(0, len(rows), size)))
    return out
