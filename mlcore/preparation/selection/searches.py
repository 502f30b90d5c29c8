"""Ways through the subsets of variables; each is a sequence of moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from mlcore.preparation.selection.cfs import MeritJudge
from mlcore.preparation.selection.judge import TIE, Judge, best_of
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer


class Move(NamedTuple):
    """Where a search stands after a move."""

    members: np.ndarray  # (d,) not changed afterwards
    value: float  # J


class Best:
    """The best subset of each size among those visited."""

    def __init__(self, d: int) -> None:
        self.values = np.full(d + 1, -np.inf)
        self.subsets = np.zeros((d + 1, d), dtype=bool)

    def see(self, move: Move) -> bool:
        """Whether this subset is better than the best of its size so far; if so, it is kept.

        A subset that cannot be scored is kept where there is no other, but is never better: a
        search that floats would go back to it for ever.
        """
        k = int(move.members.sum())
        better = move.value > self.values[k] + TIE
        if better or np.isneginf(self.values[k]):
            self.values[k], self.subsets[k] = move.value, move.members
        return better

    @staticmethod
    def size_of(values: np.ndarray) -> int:
        """The size with the largest of the values J, shape (d + 1,); of ties the smaller."""
        return best_of(values)


@dataclass(frozen=True, kw_only=True)
class Search(Component):
    """A way through the subsets of d variables."""

    def moves(self, judge: Judge, target: int | None) -> Iterator[Move]:
        """Subsets in the order in which they are visited, to the size `target`, or to the end.

        Raises DataError if there are too many.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no moves")

    def subsets(self, d: int, target: int | None) -> float:
        """About how many subsets are scored."""
        raise NotImplementedError(f"{type(self).__name__} declares no cost")


def forward_count(d: int, size: int) -> float:
    """Subsets that adding one variable at a time scores, to a size."""
    return float(sum(d - k for k in range(size)))


@enter(
    Card(
        "sfs",
        "Sequential forward (SFS)",
        ("subset_search",),
        peer="sklearn.feature_selection.SequentialFeatureSelector",
        sources=("cs1:vs_sfs", "cs1:vs_scores_S"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class SFS(Search):
    """Begins with nothing and adds the variable that helps most, again and again.

    Each iteration adds arg max J(S with x); ties go to the first variable. At most d (d + 1) / 2
    subsets. Quick for few variables out of many; it never sees that two help only together, and
    never takes back what became superfluous.
    """

    def moves(self, judge: Judge, target: int | None) -> Iterator[Move]:
        """From nothing upwards."""
        members = np.zeros(judge.d, dtype=bool)
        yield Move(members, judge.value(members))
        for _ in range(target or judge.d):
            move = added(judge, members)
            members = move.members
            yield move

    def subsets(self, d: int, target: int | None) -> float:
        """The candidates of every iteration."""
        return forward_count(d, min(target or d, d))


@enter(
    Card(
        "sbs",
        "Sequential backward (SBS)",
        ("subset_search",),
        peer="sklearn.feature_selection.SequentialFeatureSelector",
        sources=("cs1:vs_sbs",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class SBS(Search):
    """Begins with all variables and takes away the one that is missed least, again and again.

    Each iteration removes arg max J(S without x); ties go to the first variable. Sees variables
    that help only together, but scores large subsets, on which methods are slow and may overfit;
    what is once removed never returns. At most d (d + 1) / 2 subsets.
    """

    def moves(self, judge: Judge, target: int | None) -> Iterator[Move]:
        """From all downwards, to one."""
        members = np.ones(judge.d, dtype=bool)
        yield Move(members, judge.value(members))
        for _ in range(judge.d - (target or 1)):
            move = removed(judge, members)
            members = move.members
            yield move

    def subsets(self, d: int, target: int | None) -> float:
        """The candidates of every iteration."""
        return 1 + forward_count(d, d - (target or 1))


def added(judge: Judge, members: np.ndarray, but: np.ndarray | None = None) -> Move:
    """The best subset with one more variable, other than where `but`, shape (d,), is true."""
    return _flipped(judge.added(members), members, ~members, but)


def removed(judge: Judge, members: np.ndarray, but: np.ndarray | None = None) -> Move:
    """The best subset with one variable less, other than where `but`, shape (d,), is true."""
    return _flipped(judge.removed(members), members, members, but)


def _flipped(
    values: np.ndarray, members: np.ndarray, may: np.ndarray, but: np.ndarray | None
) -> Move:
    at = np.flatnonzero(may if but is None else may & ~but)
    v = int(at[best_of(values[at])])
    other = members.copy()
    other[v] = not other[v]
    return Move(other, float(values[v]))


@enter(
    Card(
        "exhaustive",
        "Exhaustive search",
        ("subset_search",),
        sources=("cs1:vs_exhaustive",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Exhaustive(Search):
    """Scores every subset, of the wanted size or of all sizes.

    Finds the best there is, where that can be paid: 2^d subsets. The more subsets are compared,
    the more the best of them owes to chance.
    """

    max_subsets: int = integer(
        2_000_000,
        low=1,
        soft=(1000, 2_000_000),
        log=True,
        advanced=True,
        doc="Refuse to score more subsets than this.",
    )

    def moves(self, judge: Judge, target: int | None) -> Iterator[Move]:
        """The best subset of each size. Raises DataError if there are more than `max_subsets`."""
        wanted = int(self.subsets(judge.d, target))
        if wanted > self.max_subsets:
            sizes = f"2^{judge.d}" if target is None else f"{judge.d} over {target}"
            raise DataError(
                f"Scoring {sizes} = {wanted} subsets is too much for every subset, which is "
                f"limited to {self.max_subsets}. Use a sequential search or fewer variables."
            )
        if target is None and isinstance(judge, MeritJudge):
            yield from _of_all(judge)
            return
        for k in range(judge.d + 1) if target is None else (target,):
            yield _of_size(judge, k)

    def subsets(self, d: int, target: int | None) -> float:
        """All, or all of one size."""
        return float(2**d if target is None else comb(d, min(target, d)))


def _of_size(judge: Judge, k: int) -> Move:
    best: Move | None = None
    for which in combinations(range(judge.d), k):
        members = np.zeros(judge.d, dtype=bool)
        members[list(which)] = True
        value = judge.value(members)
        if best is None or value > best.value + TIE:
            best = Move(members, value)
    assert best is not None  # there is a subset of every size from 0 to d
    return best


def _of_all(judge: MeritJudge) -> Iterator[Move]:
    J = judge.every()
    sizes = np.zeros(1, dtype=np.int8)
    for _ in range(judge.d):
        sizes = np.concatenate([sizes, sizes + 1])
    bits = 1 << np.arange(judge.d)[::-1]
    for k in range(judge.d + 1):
        places = np.flatnonzero(sizes == k)[::-1]  # downwards: in the order of the variables
        place = int(places[best_of(J[places])])
        yield Move((place & bits) > 0, float(J[place]))
