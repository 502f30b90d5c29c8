"""The trap of adding one variable at a time: two variables that help only together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import comb
from typing import Any, NamedTuple

import numpy as np

from mlcore.labs.lab import Lab
from mlcore.labs.preparation.subsets import kind_of_score, score_of, standardised
from mlcore.preparation.selection.floating import SFFS
from mlcore.preparation.selection.judge import Judge, Variables
from mlcore.preparation.selection.searches import SBS, SFS, Best, Exhaustive
from mlcore.preparation.selection.selector import SubsetFit, SubsetSelector
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given
from mlcore.spine.params import choice, integer, part

COMPARED: Mapping[str, Any] = {
    "forward": SFS(),
    "backward": SBS(),
    "floating forward, overshoot 0": SFFS(delta=0),
    "floating forward, overshoot 2": SFFS(delta=2),
    "every subset": Exhaustive(),
}


class Trap(NamedTuple):
    """What each search keeps, and the way of one of them."""

    searches: tuple[str, ...]  # (s,)
    values: np.ndarray  # (s,) J of what it keeps
    evaluations: np.ndarray  # (s,) subsets it scored
    kept: tuple[str, ...]  # (s,) names
    nothing: float  # J without any variable
    fit: SubsetFit  # of the search that is shown


def _cost(n: int, p: int, it: SubsetTrap) -> tuple[float, float]:
    d, fit = {"xor_features": (5, 2.5e-3), "diabetes": (10, 1e-4), "wine": (13, 3e-4)}[it.data]
    each = fit if it.score == "wrapper" else 5e-5
    # Every subset of the size, twice where that search is shown, and some steps of the others.
    return 0.01 + each * (2 * comb(d, min(it.size, d)) + d**2), 1e7


@enter(
    Card(
        "subset_trap",
        "Pitfall of greedy feature selection",
        ("lab",),
        paper="Pudil, Novovicova and Kittler (1994), Pattern Recognition Letters 15",
        sources=("cs1:vs_sffs", "cs1:vs_scores_S"),
        random=True,
        cost=_cost,
        formula=r"S^+(x_1) + S^+(x_2) \ll J(\{x_1, x_2\}) - J(\varnothing)",
        kind="lab",
        pages=("preprocessing",),
        synonyms=("greedy search", "XOR problem", "forward selection"),
        line="greedy steps miss what two say together",
    )
)
@dataclass(frozen=True, kw_only=True)
class SubsetTrap(Lab):
    """A search that adds one variable at a time never sees what two say only together.

    In the drawn table the class is decided by the signs of x1 and x2 together; alone neither says
    anything, and x3 hints at the class. Subsets are scored by the accuracy of 15 nearest
    neighbours on inner folds (of linear discriminants on wine, of least squares on diabetes), or by
    the merit of their correlations. Five searches look for the same number of variables.
    """

    tasks = (
        "Look at the values alone: x3 comes first, and the forward search is caught.",
        "Take the backward search: it begins where x1 and x2 are both in.",
        "Take the floating forward search, with an overshoot of 0, 1 and 2.",
        "Score by correlations, and see why no search can help a score that is blind to pairs.",
    )
    seen = (
        "Adding one at a time keeps the weak x3 and something else, wrong on about 3 of 10 rows; "
        "backward, and forward with an overshoot of 2 on most tables, keep x1 and x2, and are "
        "hardly ever wrong. The overshoot lets both come in before x3 has to leave. On diabetes "
        "and wine, where variables help by themselves, all searches agree or nearly so."
    )

    data: str = choice(
        "xor_features", "xor_features", "diabetes", "wine", doc="Drawn as above, or a known table."
    )
    score: str = kind_of_score()
    search: Any = part("sfs", slot="subset_search", doc="Whose way is shown.")
    size: int = integer(
        2,
        low=1,
        high=5,
        soft=(1, 5),
        symbol="D",
        label="Number of variables",
        doc="Variables to keep.",
    )

    def compute(self, seed: int = 0) -> Trap:
        """What every search keeps, each subset scored once."""
        given = standardised(self.data, seed)
        variables = Variables.of(given.columns)
        shared = score_of(self.score, self.data).judge(given, variables)
        searched = [_searched(search, shared, self.size) for search in COMPARED.values()]
        subsets = [subset for subset, _, _ in searched]
        return Trap(
            tuple(COMPARED),
            np.array([value for _, value, _ in searched]),
            np.array([count for _, _, count in searched]),
            tuple(", ".join(np.array(variables.names)[subset]) for subset in subsets),
            shared.value(np.zeros(shared.d, dtype=bool)),
            self._shown(given),
        )

    def _shown(self, given: Given) -> SubsetFit:
        step = SubsetSelector(
            score=score_of(self.score, self.data), search=self.search, n_features=self.size
        )
        fit = step.fit(given.X, given.y, columns=given.columns, seed=given.seed)
        # Sizes that were not visited have no value: a gap in a picture, and no infinity.
        return replace(fit, best=np.where(np.isfinite(fit.best), fit.best, np.nan))


class _Counting(Judge):
    """Counts what one search asks for; what another has asked for is not computed again."""

    def __init__(self, shared: Judge) -> None:
        super().__init__(shared.d)
        self.shared = shared

    def _value(self, members: np.ndarray) -> float:
        return self.shared.value(members)


def _searched(search: Any, shared: Judge, size: int) -> tuple[np.ndarray, float, int]:
    """The best subset of the size that a search visits, its J, and how many were scored."""
    judge, best = _Counting(shared), Best(shared.d)
    for move in search.moves(judge, size):
        best.see(move)
    return best.subsets[size], float(best.values[size]), judge.evaluations
