"""The interface of a basis: points learned from training rows, then functions of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlcore.spine.component import Component


class Term(NamedTuple):
    """One function of a row: how it is written, and which columns it is made of."""

    name: str
    of: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Basis(Component):
    """Functions of a row; a row gets the same values whatever rows stand beside it.

    `points`, shape (k, p), is all that a basis learns: centers or an origin, of the training rows;
    `learns` says which.
    """

    learns: ClassVar[str] = "point"

    def count(self, p: int) -> int:
        """Number of functions of p columns."""
        raise NotImplementedError(f"{type(self).__name__} declares no count")

    def points(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The points learned from rows X, shape (n, p), of finite numbers: shape (k, p).

        Raises DataError if the basis cannot be made for such rows.
        """
        return np.empty((0, X.shape[1]))

    def terms(self, names: tuple[str, ...], points: np.ndarray) -> tuple[Term, ...]:
        """The functions of columns with these names, in the order of `values`.

        `points` are those learned, shape (k, p).
        """
        raise NotImplementedError(f"{type(self).__name__} declares no terms")

    def values(self, X: np.ndarray, points: np.ndarray) -> np.ndarray:
        """The values of the functions at rows X, shape (m, p): shape (m, q)."""
        raise NotImplementedError(f"{type(self).__name__} declares no values")


def squared_lengths(D: np.ndarray) -> np.ndarray:
    """The squared length of each row of D, shape (m,), the same whatever rows stand beside it."""
    total = np.zeros(len(D))
    for d in D.T:
        total += d * d
    return total
