"""Searches that go back: what was added may leave again, alone or in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from mlcore.preparation.selection.judge import Judge, best_of
from mlcore.preparation.selection.searches import (
    Best,
    Move,
    Search,
    added,
    forward_count,
    removed,
)
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer

LEAST = 2  # a floating search takes back no variable below this size
MOST_GROUPS = 20_000  # that one move may have to score

# How many variables may move together at a subset of so many, knowing the best so far.
Reach = Callable[[int, Best], int]


@dataclass(frozen=True, kw_only=True)
class Floating(Search):
    """What the floating searches share."""

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
        return 2 * forward_count(d, d if target is None else min(target + self.delta, d))


@enter(
    Card(
        "sffs",
        "Sequential floating forward (SFFS)",
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
        yield from _floating(judge, target, self.delta, up=True, reach=_one_at_a_time)


@enter(
    Card(
        "sfbs",
        "Sequential floating backward (SFBS)",
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
        yield from _floating(judge, target, self.delta, up=False, reach=_one_at_a_time)


@enter(
    Card(
        "adaptive_floating",
        "Adaptive floating search (ASFFS)",
        ("subset_search",),
        paper="Somol and others (1999), Pattern Recognition Letters 20",
        sources=("cs1:vs_asffs",),
        also=("AdaptiveFloating", "asffs"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class AdaptiveFloating(Floating):
    """A floating search in which variables may also come and go in groups.

    Where the best single variable gives no subset better than the best known of its size, groups of
    two, then of three are tried, up to the largest size allowed; if none helps, the single one
    moves. Groups are largest near the wanted number, or near the best size so far where no number
    is wanted, and one variable smaller with each step away from it.

    Finds variables that help only in company, at the cost of a part of the complete search. It
    refuses where groups are more than can be scored.
    """

    direction: str = choice(
        "forward", "forward", "backward", doc="From nothing upwards, or from all downwards."
    )
    r_max: int = integer(
        3,
        low=1,
        high=4,
        soft=(1, 4),
        symbol=r"r_{\max}",
        label="Largest group",
        doc="Variables that may move together near the wanted number.",
    )
    b: int = integer(
        3,
        low=0,
        soft=(0, 10),
        symbol="b",
        label="Neighbourhood of the size",
        doc="Sizes this far from the wanted number still have the largest groups.",
    )

    def moves(self, judge: Judge, target: int | None) -> Iterator[Move]:
        """With steps back, by groups. Raises DataError if there are too many groups."""
        groups = sum(comb(judge.d, r) for r in range(1, self.r_max + 1))
        if groups > MOST_GROUPS:
            raise DataError(
                f"Groups of up to {self.r_max} of {judge.d} variables are {groups}; the adaptive "
                f"floating search scores at most {MOST_GROUPS} a move. Lower the largest group, or "
                "use a floating search."
            )
        up = self.direction == "forward"
        yield from _floating(judge, target, self.delta, up=up, reach=self._reach(target))

    def _reach(self, target: int | None) -> Reach:
        def reach(size: int, best: Best) -> int:
            wanted = Best.size_of(best.values) if target is None else target
            return max(self.r_max - max(abs(size - wanted) - self.b, 0), 1)

        return reach

    def subsets(self, d: int, target: int | None) -> float:
        """A guess: at sizes near the wanted one, all groups in one direction."""
        near = range(max((target or d // 2) - self.b, 0), min((target or d // 2) + self.b, d) + 1)
        groups = sum(comb(d - k, r) for k in near for r in range(2, self.r_max + 1))
        return Floating.subsets(self, d, target) + groups


def _one_at_a_time(size: int, best: Best) -> int:
    return 1


class _Candidate(NamedTuple):
    """The group that moves, and whether that beats the best of its size."""

    move: Move
    is_better: bool


def _floating(
    judge: Judge, target: int | None, delta: int, *, up: bool, reach: Reach
) -> Iterator[Move]:
    best = Best(judge.d)
    members = np.full(judge.d, not up)
    move = Move(members, judge.value(members))
    best.see(move)
    yield move
    end = _end(judge.d, target, delta, up=up)
    while left := abs(end - (k := int(move.members.sum()))):
        before = move.members
        move = _best_candidate(judge, best, before, min(reach(k, best), left), into=up).move
        yield move
        fixed = move.members != before  # what has just moved may not move back at once
        while (back := _back(judge, best, move.members, fixed, reach, up=up)) is not None:
            move = back
            yield move


def _end(d: int, target: int | None, delta: int, *, up: bool) -> int:
    if up:
        return d if target is None else min(target + delta, d)
    return 1 if target is None else max(target - delta, 1)


def _back(
    judge: Judge, best: Best, members: np.ndarray, fixed: np.ndarray, reach: Reach, *, up: bool
) -> Move | None:
    """A move back that beats what was known, or None."""
    k = int(members.sum())
    free = min(k - LEAST if up else judge.d - 1 - k, int((members == up).sum() - fixed.sum()))
    most = min(reach(k, best), free)
    if most < 1:
        return None
    candidate = _best_candidate(judge, best, members, most, into=not up, but=fixed)
    return candidate.move if candidate.is_better else None


def _best_candidate(
    judge: Judge,
    best: Best,
    members: np.ndarray,
    most: int,
    *,
    into: bool,
    but: np.ndarray | None = None,
) -> _Candidate:
    """The smallest group, of `most` at most, that beats the best of its size.

    The best single variable where none does.
    """
    single = (added if into else removed)(judge, members, but)
    if best.see(single):
        return _Candidate(single, is_better=True)
    may = np.flatnonzero((members != into) if but is None else (members != into) & ~but)
    for size in range(2, min(most, len(may)) + 1):
        group = _best_group(judge, members, may, size)
        if best.see(group):
            return _Candidate(group, is_better=True)
    return _Candidate(single, is_better=False)


def _best_group(judge: Judge, members: np.ndarray, may: np.ndarray, size: int) -> Move:
    """The best subset with `size` of the variables `may` added or removed; ties to the first."""
    subsets = []
    for group in combinations(may, size):
        other = members.copy()
        other[list(group)] ^= True
        subsets.append(other)
    values = np.array([judge.value(subset) for subset in subsets])
    at = best_of(values)
    return Move(subsets[at], float(values[at]))
