"""A fitted sum of curves, one a column, and of surfaces of two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.additive.concurvity import Concurvity, concurvity
from mlcore.additive.interplay import coarse, products
from mlcore.basis.splines import NO_CUTS, Curve
from mlcore.spine.fit import freeze


@dataclass(frozen=True, eq=False, kw_only=True)
class Curves:
    """Fitted curves, one a column, then surfaces of two; each has mean 0 over the fitted rows.

    A fit that is one has the checks of its own rows; other rows are trusted.
    """

    degree: int  # of the pieces
    intercept: float  # mean of what is linked
    lows: np.ndarray  # (p,) least value of each column among the fitted rows
    highs: np.ndarray  # (p,)
    pairs: np.ndarray  # (s, 2) the two columns of each surface
    starts: np.ndarray  # (p + s + 1,) where the weights of each begin; an exposure has none
    weights: np.ndarray  # (q,)
    centres: np.ndarray  # (q,) means of the basis over the fitted rows
    covariance: np.ndarray  # (q, q) of the weights, given the data
    strengths: np.ndarray  # (p + s,) of the penalty of each; NaN for a line
    dof: np.ndarray  # (p + s,) effective degrees of freedom; 1 for a line, 0 for an exposure
    gcv: float  # generalised cross-validation, of the last working model
    margins: tuple[np.ndarray, ...] = ()  # (p,) means of the basis of each column in surfaces
    cuts: tuple[np.ndarray, ...] = ()  # (p,) where a column of few values steps; empty for others

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self)

    @property
    def n_columns(self) -> int:
        """How many columns the rows have."""
        return len(self.lows)

    def _rows(self, X: Any) -> np.ndarray:
        return X

    def added(self, X: np.ndarray) -> np.ndarray:
        """Intercept, curves and surfaces at checked rows, shape (m,)."""
        total = np.full(len(X), self.intercept)
        for b in range(len(self.starts) - 1):
            total += self._block(X, b) @ self.weights[self._at(b)]
        return total

    def curve(self, X: np.ndarray, j: int) -> np.ndarray:
        """The curve of column j alone at checked rows, shape (m, 1)."""
        return (self._block(X, j) @ self.weights[self._at(j)])[:, None]

    def term(self, X: Any, which: Any) -> np.ndarray:
        """What columns `which` add to the linked mean, and its standard deviation: (m, 2).

        With the surfaces that are of these columns alone. An exposure, which is not fitted, adds
        nothing here.
        """
        X, which = self._rows(X), self._within(which)
        Z = np.hstack([self._block(X, b) for b in which])
        at = np.concatenate([np.arange(*self.starts[b : b + 2]) for b in which])
        spread = np.einsum("ij,jk,ik->i", Z, self.covariance[np.ix_(at, at)], Z)
        return np.column_stack([Z @ self.weights[at], np.sqrt(np.maximum(spread, 0.0))])

    def concurvity(self, X: Any, which: Any) -> Concurvity:
        """How far the curve of columns `which` can be written by those of the others at rows X."""
        X = self._rows(X)
        blocks = range(len(self.starts) - 1)
        Z = np.hstack([self._block(X, b) for b in blocks])
        own = np.isin(np.repeat(blocks, np.diff(self.starts)), self._within(which))
        return concurvity(Z[:, own], Z[:, ~own], self.weights[own])

    def _within(self, which: Any) -> list[int]:
        """The curves of columns `which` and the surfaces of two of them, as blocks of weights."""
        own = np.isin(self.pairs, list(which)).all(axis=1)
        return [*which, *(self.n_columns + np.flatnonzero(own)).tolist()]

    def _at(self, b: int) -> slice:
        return slice(self.starts[b], self.starts[b + 1])

    def _block(self, X: np.ndarray, b: int) -> np.ndarray:
        """The centred basis of curve or surface b at rows X, shape (m, width)."""
        if b < self.n_columns:
            Z = self._curve(b).of(X[:, b], self.degree)
        else:
            j, k = self.pairs[b - self.n_columns]
            Z = products(self._margin(X[:, j], int(j)), self._margin(X[:, k], int(k)))
        return Z - self.centres[self._at(b)]

    def _curve(self, j: int) -> Curve:
        at, cuts = self._at(j), self.cuts[j] if self.cuts else NO_CUTS
        return Curve(float(self.lows[j]), float(self.highs[j]), at.stop - at.start, cuts)

    def _margin(self, x: np.ndarray, j: int) -> np.ndarray:
        return coarse(self._curve(j)).of(x, self.degree) - self.margins[j]
