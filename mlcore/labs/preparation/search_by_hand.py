"""A search for variables by hand: every move is one's own, and the optimum is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from mlcore.labs.lab import Lab
from mlcore.labs.preparation.subsets import kind_of_score, score_of, standardised
from mlcore.preparation.selection.judge import Judge, Variables, one_flipped
from mlcore.preparation.selection.searches import Best, Exhaustive
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, levels


class ByHand(NamedTuple):
    """Where the moves have led, what could be seen on the way, and the best there is."""

    variables: tuple[str, ...]  # (d,)
    path: np.ndarray  # (t, d) the subsets that were visited, nothing first
    values: np.ndarray  # (t,) their J
    alone: np.ndarray  # (d,) J of each variable alone, less J of nothing
    missed: np.ndarray  # (d,) what J loses without a member; NaN for others
    gained: np.ndarray  # (d,) what J gains with one more; NaN for members
    looked_at: np.ndarray  # (2^d,) J of the subsets seen on the way, else NaN
    best: np.ndarray  # (d + 1,) J of the best subset of each size
    best_subsets: np.ndarray  # (d + 1, d)
    passed_over: tuple[str, ...]  # moves that name no variable of the table

    @property
    def members(self) -> np.ndarray:
        """The subset where the moves have led, shape (d,)."""
        return self.path[-1]

    @property
    def evaluations(self) -> int:
        """Subsets whose J was seen, without that of nothing."""
        return int(np.isfinite(self.looked_at).sum()) - 1


def _cost(n: int, p: int, it: SearchByHand) -> tuple[float, float]:
    subset = {"xor_features": 1.2e-2, "diabetes": 2e-4, "penguins": 5e-4}[it.data]
    subsets = {"xor_features": 32, "diabetes": 1024, "penguins": 128}[it.data]
    return 0.05 + subsets * (subset if it.score == "wrapper" else 1e-5), 1e7


@enter(
    Card(
        "search_by_hand",
        "Feature subset search by hand",
        ("lab",),
        sources=("cs1:vs_scores_S", "cs1:vs_exhaustive"),
        random=True,
        cost=_cost,
        formula=r"S^-(x) = J(S) - J(S \setminus x), \qquad S^+(x) = J(S \cup x) - J(S)",
        kind="lab",
        pages=("preprocessing",),
        synonyms=("forward selection", "backward elimination", "wrapper method"),
        line="what one move more would bring",
    )
)
@dataclass(frozen=True, kw_only=True)
class SearchByHand(Lab):
    """Every search for variables sees no more than this: what one move more would bring.

    Click a variable to take it in, or to put it out again. Bars say what J gains with each
    candidate and loses without each member; subsets whose J has been on the screen are counted. All
    subsets of these tables have been scored beforehand, so it is known how far the best is.
    """

    tasks = (
        "Take in the longest orange bar, again and again: that is the forward search.",
        "Name all variables as moves to have them in, then put out the shortest blue bar, again "
        "and again: that is the backward search.",
        "Go forward, but before each move put out whatever costs nothing: that is floating.",
        "Find the best pair of the drawn table with as few subsets looked at as you can.",
    )
    seen = (
        "In the drawn table x3 looks best alone, and from there no single move points to x1 and "
        "x2, whose bars are short as long as the other is out. Who takes in x1 against the bars "
        "sees that of x2 shoot up. On diabetes the longest bar leads to the best subset by the "
        "merit of correlations."
    )

    data: str = choice(
        "xor_features",
        "xor_features",
        "diabetes",
        "penguins",
        doc="Drawn, with two variables that help only together, or a known table.",
    )
    score: str = kind_of_score()
    moves: tuple[str, ...] = levels(
        doc="Variables turned one after the other: one that is out comes in, one that is in goes "
        "out. A click on a bar adds a move; Back takes it back."
    )

    def clicked(self, marks: tuple[int, ...]) -> Self:
        """One move more for each variable whose bar was clicked."""
        names = Variables.of(standardised(self.data, 0).columns).names
        return replace(self, moves=(*self.moves, *(names[v] for v in marks if v < len(names))))

    def compute(self, seed: int = 0) -> ByHand:
        """J wherever the moves have led, around it, and of the best subset of each size."""
        given = standardised(self.data, seed)
        variables = Variables.of(given.columns)
        judge = score_of(self.score, self.data).judge(given, variables)
        path = np.array(list(self._visited(variables.names)))
        best = Best(judge.d)
        for move in Exhaustive().moves(judge, None):
            best.see(move)
        nothing, here, around = judge.value(path[0]), judge.value(path[-1]), judge.around(path[-1])
        return ByHand(
            variables=variables.names,
            path=path,
            values=np.array([judge.value(members) for members in path]),
            alone=judge.around(path[0]) - nothing,
            missed=np.where(path[-1], here - around, np.nan),
            gained=np.where(path[-1], np.nan, around - here),
            looked_at=_looked_at(judge, path),
            best=best.values,
            best_subsets=best.subsets,
            passed_over=tuple(name for name in self.moves if name not in variables.names),
        )

    def _visited(self, names: tuple[str, ...]) -> Iterator[np.ndarray]:
        """The subset after each move, nothing first, shape (d,) each."""
        members = np.zeros(len(names), dtype=bool)
        yield members
        for v in (names.index(name) for name in self.moves if name in names):
            members = members ^ (np.arange(len(names)) == v)
            yield members


def _looked_at(judge: Judge, path: np.ndarray) -> np.ndarray:
    """J of all subsets that stood on the way or one move beside it, else NaN, shape (2^d,)."""
    bits = 1 << np.arange(judge.d)[::-1]
    scores = np.full(2**judge.d, np.nan)
    for members in path:
        scores[members @ bits] = judge.value(members)
        scores[one_flipped(members) @ bits] = judge.around(members)
    return scores
