"""The design matrix of least squares: centred and weighted rows, copied only if need be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mlcore.maths.arrays import GLANCE
from mlcore.optimisation import triangles
from mlcore.optimisation.thin import THIN, products

FAR = 1e3  # mean over spread, from which on the mean is corrected
ENOUGH = 1e4  # condition up to which one pass over the rows loses no more than four digits of 16
SURE = 100.0  # a difference of sums that is no smaller a share of them loses at most two digits
BLOCK = 2048  # rows at a time, which stay in the cache; fresh memory costs more than the sums

_Moments = tuple[np.ndarray, np.ndarray]  # X'X, shape (q, q), and X'y, shape (q,)


class Thin(NamedTuple):
    """What one pass over a thin table gives."""

    x_mean: np.ndarray  # (p,), zeros unless it is taken away
    gram: np.ndarray  # X'X, (p, p)
    toward: np.ndarray  # X'y, (p,)
    square: float  # y'y


@dataclass(frozen=True, eq=False)
class Design:
    """Raw rows, the means subtracted from them, and the roots of their weights.

    `offset` says how the intercept comes about: centering, constant_feature (a last column of
    ones, which then is a coefficient like the others) or none.
    """

    raw: np.ndarray  # (n, q) as given, with the column of ones if there is one
    target: np.ndarray  # (n,)
    weights: np.ndarray | None  # (n,), None where all are 1
    offset: str
    x_mean: np.ndarray  # (q,), zeros where nothing is subtracted
    y_mean: float
    thin: Thin | None = None  # of a thin table, which is read once

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.raw)

    @cached_property
    def root(self) -> np.ndarray | None:
        """Roots of the weights, shape (n,)."""
        return None if self.weights is None else np.sqrt(self.weights)

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.n if self.weights is None else self.weights.sum())

    @cached_property
    def X(self) -> np.ndarray:  # noqa: N802, the name of the mathematics
        """Centred rows times the roots of their weights, shape (n, q)."""
        X = self.raw - self.x_mean
        if self.root is not None:
            X *= self.root[:, None]
        return X

    @cached_property
    def y(self) -> np.ndarray:
        """The centred target times the roots of the weights, shape (n,)."""
        y = self.target - self.y_mean
        return y if self.root is None else y * self.root

    @cached_property
    def square(self) -> float:
        """y'y."""
        return float(self.y @ self.y) if self.thin is None else self.thin.square

    @property
    def rounding(self) -> np.ndarray:
        """What rounding the mean may leave of the length of each column of X, shape (q,)."""
        return 4.0 * triangles.EPS * self.total**0.5 * np.abs(self.x_mean)

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """X'X, shape (q, q), and X'y, shape (q,)."""
        return self._near_moments or self._centred_moments()

    @cached_property
    def _near_moments(self) -> _Moments | None:
        """The moments from rows as they are, without a copy; None for small or weighted tables.

        Taking n times the products of the means away costs a digit at most where no mean is larger
        than the spread, and None stands for all other tables.
        """
        if self.thin is not None:
            return self.thin.gram, self.thin.toward
        if self.n <= BLOCK or self.root is not None:
            return None
        if (np.abs(self.x_mean) > self.raw[:GLANCE].std(axis=0)).any():
            return None
        raw = self.raw.T @ self.raw
        gram = _about(raw, self.x_mean, self.n)
        return None if gram is None else (gram, self.y @ self.raw - self.y.sum() * self.x_mean)

    def _centred_moments(self) -> tuple[np.ndarray, np.ndarray]:
        q = self.raw.shape[1]
        gram, toward = np.zeros((q, q)), np.zeros(q)
        for at, X in self._blocks():
            gram += X.T @ X
            toward += self.y[at] @ X
        return gram, toward

    def rss(self, w: np.ndarray) -> float:
        """||y - X w||^2 of w, shape (q,): of thin tables from the moments, where these lose two
        digits at most."""
        if self.thin is not None:
            _, gram, toward, total = self.thin
            size = np.abs(w)
            rss = total - float(w @ (2.0 * toward - gram @ w))
            if SURE * rss > total + float(size @ np.abs(gram) @ size):
                return rss
        return float(self.residual_squares(w[:, None])[0])

    def residual_squares(self, W: np.ndarray) -> np.ndarray:
        """||y - X w||^2 for each column of W, (q, A): shape (A,), in a pass over the rows."""
        squares = self.residuals(W) ** 2
        return squares.sum(axis=0) if self.weights is None else self.weights @ squares

    def left_by(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """||y - X w||^2 and X'(y - X w), shape (q,), from centred rows in one pass."""
        rss, toward = 0.0, np.zeros(len(w))
        for at, X in self._blocks():
            left = self.y[at] - X @ w
            rss += float(left @ left)
            toward += left @ X
        return rss, toward

    def reduced(self, *, ones: bool = False, enough: float = 0.0) -> np.ndarray:
        """At most q + 1 rows [x, y], shape (r, q + 1), with the same X'X and X'y, by QR.

        `ones` puts a column of ones in front and centres nothing, so that the first row is that of
        the intercept. `enough` is that of `triangles.reduced`.
        """
        if enough > 0 and not ones and (moments := self._near_moments) is not None:
            short = triangles.reduced_once(*moments, self.square, enough)
            if short is not None:
                return short
        return triangles.reduced(lambda: self._with_target(ones), enough)

    def shortened(self, enough: float = 0.0) -> np.ndarray:
        """Those rows, or the rows [x, y] as they are where they are no more: shape (r, q + 1)."""
        if self.n > self.raw.shape[1] + 1:
            return self.reduced(enough=enough)
        return np.column_stack([self.X, self.y])

    def _with_target(self, ones: bool) -> Iterator[np.ndarray]:
        """Blocks of rows [x, y], or [1, x, y], each valid until the next is asked for."""
        buffer = np.empty((min(self.n, BLOCK), self.raw.shape[1] + 1 + ones))
        x_mean, y_mean = (0.0, 0.0) if ones else (self.x_mean, self.y_mean)
        for start in range(0, self.n, BLOCK):
            at = slice(start, start + BLOCK)
            block = buffer[: len(self.target[at])]
            block[:, 0] = 1.0  # overwritten unless it is asked for
            np.subtract(self.raw[at], x_mean, out=block[:, int(ones) : -1])
            block[:, -1] = self.target[at] - y_mean
            if self.root is not None:
                block *= self.root[at, None]
            yield block

    def columns(self, which: np.ndarray) -> np.ndarray:
        """Some columns of X as rows, shape (len(which), n), in C order."""
        C = self.raw.T[which] - self.x_mean[which, None]
        if self.root is not None:
            C *= self.root
        return C

    def image(self, w: np.ndarray) -> np.ndarray:
        """X w, shape (n,), without a copy of X."""
        z = self.raw @ w - self.x_mean @ w
        return z if self.root is None else self.root * z

    def toward(self, v: np.ndarray) -> np.ndarray:
        """X'v, shape (q,), without a copy of X."""
        v = v if self.root is None else self.root * v
        return v @ self.raw - v.sum() * self.x_mean

    def row_squares(self, A: np.ndarray) -> np.ndarray:
        """Squared length of each row of X A, shape (n,)."""
        out = np.empty(self.n)
        buffer = np.empty((min(self.n, BLOCK), A.shape[1]))
        shift = self.x_mean @ A
        for start in range(0, self.n, BLOCK):
            at = slice(start, start + BLOCK)
            Z = np.matmul(self.raw[at], A, out=buffer[: len(out[at])])
            Z -= shift
            np.einsum("ij,ij->i", Z, Z, out=out[at])
        return out if self.weights is None else out * self.weights

    def split(self, w: np.ndarray) -> tuple[np.ndarray, float]:
        """Coefficients of the columns, shape (p,), and the intercept, from w, shape (q,)."""
        if self.offset == "constant_feature":
            return w[:-1], float(w[-1])
        return w, float(self.y_mean - self.x_mean @ w)

    def leverages(self, hat: np.ndarray) -> np.ndarray:
        """The share of its own target in each fitted value, the intercept included, shape (n,)."""
        if self.offset != "centering":
            return hat
        return hat + (1.0 if self.weights is None else self.weights) / self.total

    def residuals(self, W: np.ndarray) -> np.ndarray:
        """Target minus fitted value for each column of W, shape (n, A), unweighted."""
        return (self.target - self.y_mean)[:, None] - (self.raw @ W - self.x_mean @ W)

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Blocks of X, each valid until the next is asked for."""
        buffer = np.empty((min(self.n, BLOCK), self.raw.shape[1]))
        for start in range(0, self.n, BLOCK):
            at = slice(start, start + BLOCK)
            X = np.subtract(self.raw[at], self.x_mean, out=buffer[: len(self.target[at])])
            if self.root is not None:
                X *= self.root[at, None]
            yield at, X


def rows(X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, offset: str) -> Design:
    """The design of rows X, shape (n, p), and targets y, (n,), with an intercept by `offset`."""
    if offset == "constant_feature":
        X = np.column_stack([X, np.ones(len(X))])
    x_mean, y_mean, thin = np.zeros(X.shape[1]), 0.0, None
    if offset == "centering":
        y_mean = float(means(y[:, None], weights)[0])
    if weights is None and is_thin(X):
        thin = read_once(X, y - y_mean, is_centred=offset == "centering")
    if thin is not None:
        return Design(X, y, None, offset, thin.x_mean, y_mean, thin)
    if offset == "centering":
        x_mean = means(X, weights)
    return Design(X, y, weights, offset, x_mean, y_mean)


def is_thin(X: np.ndarray) -> bool:
    """Whether rows X, (n, p), are many and short enough for one pass."""
    return len(X) > BLOCK and X.shape[1] <= THIN and X.flags.c_contiguous


def read_once(
    X: np.ndarray,
    y: np.ndarray,
    *,
    is_centred: bool,
    weights: np.ndarray | None = None,
    precision: type = np.float64,
) -> Thin | None:
    """What one pass over a thin table X, (n, p), and its targets y, (n,), gives, as `products`.

    None where the mean of a few rows, from which differences are taken, is far from that of all.
    """
    few = X[:: len(X) // GLANCE]
    shift = X[0] + (few - X[0]).mean(axis=0) if is_centred else np.zeros(X.shape[1])
    sums = products(X, y, shift, weights, precision)
    total = sums[-1, -1]
    gap = sums[-1, :-2] / total if is_centred else shift
    gram = _about(sums[:-2, :-2], gap, total)
    if gram is None:
        return None
    return Thin(shift + gap, gram, sums[-2, :-2] - sums[-2, -1] * gap, float(sums[-2, -2]))


def _about(raw: np.ndarray, mean: np.ndarray, total: float) -> np.ndarray | None:
    """Sums of products about the mean of rows of so much weight, read-only, from those about zero,
    (q, q) both.

    None where this loses more than a digit, or numbers overflow.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        gram = raw - total * (mean[:, None] * mean)
    if (raw.diagonal() > 4.0 * gram.diagonal()).any() or not np.isfinite(gram).all():
        return None
    gram.setflags(write=False)
    return gram


def means(X: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """Weighted column means, shape (p,); exactly the value of a column that is constant."""
    total = float(len(X)) if w is None else w.sum()
    mean = _weighted_sums(X, w) / total
    # The sum of many numbers far from zero has an error that is large beside their spread; that of
    # what is left of them has none.
    far = np.flatnonzero(np.abs(mean) > FAR * np.ptp(X[:GLANCE], axis=0))
    if len(far):
        mean[far] += _left(X, mean, far, w) / total
    # Rounding would leave a constant column a residue, which a solver could take for a signal.
    constant = constant_columns(X, w)
    if len(constant):
        mean[constant] = X[0 if w is None else int(np.argmax(w > 0)), constant]
    return mean


def _weighted_sums(X: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    if w is None and X.shape[1] == 1:
        return X.sum(axis=0)  # of one column quicker than a product with ones
    return (np.ones(len(X)) if w is None else w) @ X


def _left(X: np.ndarray, mean: np.ndarray, which: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """Weighted sums of some columns of X less their means, shape (len(which),)."""
    total = np.zeros(len(which))
    for start in range(0, len(X), BLOCK):
        at = slice(start, start + BLOCK)
        apart = X[at, which] - mean[which]
        total += _weighted_sums(apart, None if w is None else w[at])
    return total


def constant_columns(X: np.ndarray, w: np.ndarray | None = None) -> np.ndarray:
    """Numbers of the columns of X, shape (n, p), with one value in all rows of positive weight."""
    rows = X if w is None or w.all() else X[w > 0]
    n = len(rows)
    # Three rows rule nearly every column out, so that few are read in full.
    likely = np.flatnonzero((rows[0] == rows[n // 2]) & (rows[0] == rows[-1]))
    return likely[(rows[:, likely] == rows[0, likely]).all(axis=0)]
