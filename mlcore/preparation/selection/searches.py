"""Ways through the subsets of variables; each is a sequence of moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from mlcore.component import Card, Component, enter
from mlcore.errors import DataError
from mlcore.params import integer
from mlcore.preparation.selection.cfs import MeritJudge
from mlcore.preparation.selection.judge import TIE, Judge, best_of

LEAST = 2  # a floating search takes back no variable below this size


class Move(NamedTuple):
    """Where a search stands after a move."""

    members: np.ndarray  # (d,) not changed afterwards
    value: float  # J
    variable: int = -1  # that moved; -1 where the subset did not come about by one move


class Best:
    """The best subset of each size among those visited."""

    def __init__(self, d: int) -> None:
        self.values = np.full(d + 1, -np.inf)
        self.subsets = np.zeros((d + 1, d), dtype=bool)

    def see(self, move: Move) -> bool:
        """Whether this subset is better than the best of its size so far; if so, it is kept."""
        k = int(move.members.sum())
        better = move.value > self.values[k] + TIE or np.isneginf(self.values[k])
        if better:
            self.values[k], self.subsets[k] = move.value, move.members
        return better

    @staticmethod
    def size_of(values: np.ndarray) -> int:
        """The size with the largest J; of sizes that tie, the smaller."""
        return best_of(values)


@dataclass(frozen=True, kw_only=True)
class Search(Component):
    """A way through the subsets of d variables."""

    def moves(self, judge: Judge, target: int | None) -> Iterator[Move]:
        """Subsets in the order in which they are visited, to the size `target`, or to the end.

        DataError where there are too many.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no moves")

    def subsets(self, d: int, target: int | None) -> float:
        """About how many subsets are scored."""
        raise NotImplementedError(f"{type(self).__name__} declares no cost")


def _forward(d: int, size: int) -> float:
    """Subsets that adding one variable at a time scores, to a size."""
    return float(sum(d - k for k in range(size)))


@enter(
    Card(
        "sfs",
        "Forward (SFS)",
        ("subset_search",),
        peer="sklearn.feature_selection.SequentialFeatureSelector",
        sources=("cs1:vs_sfs", "cs1:vs_scores_S"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class SFS(Search):
    """Begins with nothing and adds the variable that helps most, again and again.

    Each turn adds arg max J(S with x); ties go to the first variable. At most d (d + 1) / 2
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
        """The candidates of every turn."""
        return _forward(d, min(target or d, d))


@enter(
    Card(
        "sbs",
        "Backward (SBS)",
        ("subset_search",),
        peer="sklearn.feature_selection.SequentialFeatureSelector",
        sources=("cs1:vs_sbs",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class SBS(Search):
    """Begins with all variables and takes away the one that is missed least, again and again.

    Each turn removes arg max J(S without x); ties go to the first variable. Sees variables that
    help only together, but scores large subsets, on which methods are slow and may overfit; what
    is once removed never returns. At most d (d + 1) / 2 subsets.
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
        """The candidates of every turn."""
        return 1 + _forward(d, d - (target or 1))


@dataclass(frozen=True, kw_only=True)
class Floating(Search):
    """What the two floating searches share."""

    delta: int = integer(
        2,
        low=0,
        soft=(0, 5),
        symbol=r"\Delta",
        label="Overshoot",
        doc="How many variables beyond the wanted number it goes before it answers.",
    )

    def subsets(self, d: int, target: int | None) -> float:
        """A guess: a floating search scores about twice what a plain one does."""
        return 2 * _forward(d, d if target is None else min(target + self.delta, d))


@enter(
    Card(
        "sffs",
        "Floating forward (SFFS)",
        ("subset_search",),
        paper="Pudil, Novovicova and Kittler (1994), Pattern Recognition Letters 15",
        peer="mlxtend.feature_selection.SequentialFeatureSelector",
        sources=("cs1:vs_sffs",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class SFFS(Floating):
    """Adds the best variable, then takes back others as long as that beats what was known.

    After each addition the least missed variable (not the one just added) leaves if the rest is
    strictly better than the best subset of that size so far; so it ends. Goes a few variables
    beyond the wanted number and answers with the best subset of that number.

    Mends most of what the plain search gets wrong for about twice the cost.
    """

    def moves(self, judge: Judge, target: int | None) -> Iterator[Move]:
        """Upwards, with steps back."""
        yield from _floating(judge, target, self.delta, up=True)


@enter(
    Card(
        "sfbs",
        "Floating backward (SFBS)",
        ("subset_search",),
        paper="Pudil, Novovicova and Kittler (1994), Pattern Recognition Letters 15",
        peer="mlxtend.feature_selection.SequentialFeatureSelector",
        sources=("cs1:vs_sfbs",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class SFBS(Floating):
    """Takes away the variable missed least, then gives back others as long as that helps.

    The mirror of the floating forward search: what was removed earlier returns if the subset is
    then strictly better than the best of its size so far.

    For variables that help only together; dear where there are many.
    """

    def moves(self, judge: Judge, target: int | None) -> Iterator[Move]:
        """Downwards, with steps back."""
        yield from _floating(judge, target, self.delta, up=False)


def _floating(judge: Judge, target: int | None, delta: int, *, up: bool) -> Iterator[Move]:
    d = judge.d
    members = np.full(d, not up)
    there, back = (added, removed) if up else (removed, added)
    end = _end(d, target, delta, up=up)
    best = Best(d)
    move = Move(members, judge.value(members))
    best.see(move)
    yield move
    while move.members.sum() != end:
        move = there(judge, move.members)
        best.see(move)
        yield move
        fixed = move.variable  # what has just moved may not move back at once
        while _may_float(move.members, up=up):
            other = back(judge, move.members, fixed)
            if not best.see(other):
                break
            move = other
            yield move


def _end(d: int, target: int | None, delta: int, *, up: bool) -> int:
    if up:
        return d if target is None else min(target + delta, d)
    return 1 if target is None else max(target - delta, 1)


def _may_float(members: np.ndarray, *, up: bool) -> bool:
    return members.sum() > LEAST if up else members.sum() < len(members) - 1


def added(judge: Judge, members: np.ndarray, but: int = -1) -> Move:
    """The best subset with one more variable, other than `but`."""
    return _turned(judge.added(members), members, ~members, but)


def removed(judge: Judge, members: np.ndarray, but: int = -1) -> Move:
    """The best subset with one variable less, other than `but`."""
    return _turned(judge.removed(members), members, members, but)


def _turned(values: np.ndarray, members: np.ndarray, may: np.ndarray, but: int) -> Move:
    at = np.array([v for v in np.flatnonzero(may) if v != but])
    v = int(at[best_of(values[at])])
    other = members.copy()
    other[v] = not other[v]
    return Move(other, float(values[v]), v)


@enter(
    Card(
        "exhaustive",
        "Every subset",
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
        """The best subset of each size."""
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
