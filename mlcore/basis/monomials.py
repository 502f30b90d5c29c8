"""Products of columns: polynomials and interactions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, groupby
from math import comb
from typing import Any

import numpy as np

from mlcore.basis import _kernels
from mlcore.basis.basis import Basis, Term
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, enter
from mlcore.spine.params import flag, integer

Chooser = Callable[[Iterable[int], int], Iterable[tuple[int, ...]]]


class _Monomials(Basis):
    """Products of columns, each written as the columns that it multiplies, in order."""

    def _choices(self, p: int) -> list[tuple[int, ...]]:
        raise NotImplementedError(f"{type(self).__name__} declares no products")

    def terms(self, names: tuple[str, ...], points: np.ndarray) -> tuple[Term, ...]:
        """x1^2*x2 and the like."""
        return tuple(Term(_written(c, names), c) for c in self._choices(len(names)))

    def values(self, X: np.ndarray, points: np.ndarray) -> np.ndarray:
        """The products, shape (m, q)."""
        choices = self._choices(X.shape[1])
        shorter, factors, first = _plan(choices)
        out = np.empty((len(X), len(choices)))
        _kernels.products(read_only(X), read_only(shorter), read_only(factors), first, out)
        return out


def _plan(choices: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray, int]:
    """How the products are made: each by one multiplication from a shorter one, which stands before
    it. Gives the number of the shorter one, -1 for a column alone, the last factor of each, and how
    many come first that are only on the way."""
    on_the_way = dict.fromkeys(c[:size] for c in choices for size in range(1, len(c)))
    asked = set(choices)
    first = [c for c in on_the_way if c not in asked]
    order = sorted(first, key=len) + choices
    place = {c: k for k, c in enumerate(order)}
    shorter = [place.get(c[:-1], -1) for c in order]
    return np.array(shorter), np.array([c[-1] for c in order]), len(first)


def _written(chosen: tuple[int, ...], names: tuple[str, ...]) -> str:
    powers = ((names[j], len(list(group))) for j, group in groupby(chosen))
    return "*".join(name if power == 1 else f"{name}^{power}" for name, power in powers)


def _of_degrees(choose: Chooser, p: int, low: int, high: int) -> list[tuple[int, ...]]:
    return [c for degree in range(low, high + 1) for c in choose(range(p), degree)]


@enter(
    Card(
        "polynomial",
        "Polynomial",
        ("basis",),
        sources=("mi2:monomial_features", "prac:poly_features"),
        formula=r"\varphi(x) = \Bigl(\prod_j x_j^{a_j}\Bigr)_{1 \le \sum_j a_j \le d}",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Polynomial(_Monomials):
    """All products of powers of columns up to a degree: C(p + d, d) - 1 of them."""

    degree: int = integer(
        2, low=1, high=15, soft=(1, 6), symbol="d", doc="Most factors of a product."
    )
    interactions: bool = flag(
        True, doc="Also products of different columns; without, only powers of each column."
    )
    homogeneous: bool = flag(
        False, doc="Only products of exactly as many factors as the degree: C(p + d - 1, d)."
    )

    def count(self, p: int) -> int:
        """How many products there are."""
        if not self.interactions:
            return p if self.homogeneous else p * self.degree
        d = self.degree
        return comb(p + d - 1, d) if self.homogeneous else comb(p + d, d) - 1

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of the peer of the expansion, which never leaves all products out."""
        if not self.interactions:
            return f"{self.title()} without interactions is not written for scikit-learn."
        return {"degree": (self.degree, self.degree) if self.homogeneous else self.degree}

    def _choices(self, p: int) -> list[tuple[int, ...]]:
        choose = combinations_with_replacement if self.interactions else _powers
        return _of_degrees(choose, p, self.degree if self.homogeneous else 1, self.degree)


def _powers(columns: Iterable[int], degree: int) -> Iterable[tuple[int, ...]]:
    return ((j,) * degree for j in columns)


@enter(
    Card(
        "interactions",
        "Interactions",
        ("basis",),
        sources=("s841:interaction_regression",),
        formula=r"\varphi(x) = \Bigl(\prod_{j \in S} x_j\Bigr)_{1 \le |S| \le d}",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Interactions(_Monomials):
    """The columns, and the products of up to so many different ones: no powers."""

    degree: int = integer(
        2, low=2, high=15, soft=(2, 4), symbol="d", doc="Most different columns in a product."
    )

    def count(self, p: int) -> int:
        """How many products there are."""
        return sum(comb(p, k) for k in range(1, self.degree + 1))

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of the peer of the expansion."""
        return {"degree": self.degree, "interaction_only": True}

    def _choices(self, p: int) -> list[tuple[int, ...]]:
        return _of_degrees(combinations, p, 1, self.degree)
