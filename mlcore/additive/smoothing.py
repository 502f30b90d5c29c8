"""Penalised least squares of many smooth terms, and the strengths that are chosen for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, get_lapack_funcs

(POTRI,) = get_lapack_funcs(("potri",), dtype=np.float64)
LIFT = 1e-10  # of the diagonal: directions that no row and no penalty determine
WEAKEST, STRONGEST = 1e-6, 1e8  # of strengths, beside what the rows weigh
SETTLED = 1e-4  # degrees of freedom of one weight, by which a round may change them at the end
FIRST_FACTOR, LAST_FACTOR = 10.0, 1.15  # by which a search moves one strength


class Solved(NamedTuple):
    """The weights for given strengths."""

    weights: np.ndarray  # (q,)
    inverse: np.ndarray  # (q, q) of the penalised products
    dof: np.ndarray  # (q,) how much of each weight the rows decide; they sum to that of the fit


@dataclass(frozen=True, eq=False)
class Normal:
    """The normal equations of weighted, centred rows Z, shape (n, q), with one penalty a term.

    A term's penalty is its strength times the sum of squares of its weights but the first, which is
    that of the straight line in it.
    """

    gram: np.ndarray  # (q, q) Z'WZ
    toward: np.ndarray  # (q,) Z'Wy
    square: float  # y'Wy
    at: tuple[slice, ...]  # the charged weights of each smooth term
    n: int
    fixed: np.ndarray | None = None  # (q,) charges for squares beside those of the terms

    @cached_property
    def units(self) -> np.ndarray:
        """What the rows weigh beside the penalty of each smooth term, shape (s,)."""
        sizes = [float(np.mean(np.diagonal(self.gram)[at])) for at in self.at]
        return np.maximum(np.array(sizes), np.finfo(float).tiny)

    def solved(self, strengths: np.ndarray) -> Solved:
        """The weights for strengths, shape (s,)."""
        charged = np.zeros(len(self.gram)) if self.fixed is None else self.fixed.copy()
        for at, strength in zip(self.at, strengths, strict=True):
            charged[at] += strength
        diagonal = np.diagonal(self.gram) + charged
        scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        A = (self.gram + np.diag(charged)) * np.outer(scale, scale)
        A.flat[:: len(A) + 1] += LIFT
        # Scaled to a diagonal of 1, a strong penalty of one term does not drown another term.
        inverse = _inverse(A)
        inverse *= np.outer(scale, scale)
        return Solved(inverse @ self.toward, inverse, np.einsum("ij,ji->i", inverse, self.gram))

    def squares_left(self, w: np.ndarray) -> float:
        """Weighted sum of squared errors of weights w, shape (q,)."""
        return max(float(self.square - 2.0 * w @ self.toward + w @ self.gram @ w), 0.0)

    def dispersion(self, s: Solved) -> float:
        """Squared errors over the degrees of freedom that are left."""
        left = self.n - 1.0 - s.dof.sum()
        return self.squares_left(s.weights) / left if left > 0 else 0.0

    def gcv(self, s: Solved) -> float:
        """Generalised cross-validation; infinite where nothing is left over to judge by."""
        left = self.n - 1.0 - s.dof.sum()
        return self.n * self.squares_left(s.weights) / left**2 if left > 0 else np.inf


def _inverse(A: np.ndarray) -> np.ndarray:
    """Of a positive definite matrix, from its factor in a third of the work of solving for it."""
    half = POTRI(cholesky(A, lower=True), lower=1)[0]
    lower = np.tril(half)
    return lower + np.tril(lower, -1).T


def by_likelihood(
    normal: Normal, strengths: np.ndarray, known: float | None, rounds: int
) -> np.ndarray:
    """Strengths, shape (s,), of the greatest restricted likelihood (REML).

    The update of Wood and Fasiolo (2017), Biometrics 73(4), eq. 4, for penalties that do not
    overlap; `known` is the dispersion where the family says it.
    """
    before = -np.inf
    for _ in range(rounds):
        s = normal.solved(strengths)
        if np.abs(s.dof - before).max(initial=0.0) < SETTLED:
            break
        phi, before = (normal.dispersion(s) if known is None else known), s.dof
        new = np.empty(len(strengths))
        for j, at in enumerate(normal.at):
            bent = float(s.weights[at] @ s.weights[at])
            top = s.weights[at].size - strengths[j] * float(np.trace(s.inverse[at, at]))
            new[j] = phi * top / bent if bent > 0 else np.inf
        strengths = _within(normal, new)
    return strengths


def by_cross_validation(normal: Normal, strengths: np.ndarray) -> np.ndarray:
    """Strengths, shape (s,), of the least generalised cross-validation, searched one by one."""
    best, factor = normal.gcv(normal.solved(strengths)), FIRST_FACTOR
    while factor > LAST_FACTOR:
        improved = False
        for j in range(len(strengths)):
            for by in (factor, 1.0 / factor):
                tried = strengths.copy()
                tried[j] *= by
                tried = _within(normal, tried)
                value = normal.gcv(normal.solved(tried))
                if value < best * (1.0 - 1e-7):
                    best, strengths, improved = value, tried, True
                    break
        if not improved:
            factor **= 0.5
    return strengths


def _within(normal: Normal, strengths: np.ndarray) -> np.ndarray:
    return np.clip(strengths, WEAKEST * normal.units, STRONGEST * normal.units)
