"""Selection of variables as a preparation step: a score of subsets, and a search through them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.selection.choice import ChoiceFit, choice_fields, refuse_names
from mlcore.preparation.selection.judge import Judge, Variables
from mlcore.preparation.selection.searches import Best, Move
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer, part
from mlcore.spine.wording import listed

MOST_AROUND = 40  # variables whose worth is kept for every step: more cannot be drawn
MOST_LATTICE = 6  # variables whose subsets fit a picture


@dataclass(frozen=True, eq=False)
class SearchState:
    """Where a search stands."""

    members: np.ndarray  # (d,) of the subset visited
    best: np.ndarray  # (d + 1,) best J of each size so far; -inf where none was visited
    evaluations: int  # subsets scored so far


@dataclass(frozen=True, eq=False, kw_only=True)
class SubsetFit(ChoiceFit):
    """The chosen variables, and how the search came to them."""

    best: np.ndarray  # (d + 1,) best J of each size visited, else -inf
    subsets: np.ndarray  # (d + 1, d) the subset that reached it
    optimum: np.ndarray  # (d + 1,) best J of each size there is; none where it is not known
    path: np.ndarray  # (t, d) the subsets in the order in which they were visited
    path_values: np.ndarray  # (t,) their J
    path_around: np.ndarray  # (t, d) J with each variable added or removed, NaN if not scored
    lattice: np.ndarray  # (2^d,) J of every subset, NaN where not scored; none for many variables
    alone: np.ndarray  # (d,) J of each variable by itself, less J of nothing
    missed: np.ndarray  # (d,) what J loses without a member; NaN for others
    gained: np.ndarray  # (d,) what J gains with one more; NaN for members
    evaluations: int  # subsets scored by the search

    @property
    def path_sizes(self) -> np.ndarray:
        """How many variables the subsets of the path have, shape (t,)."""
        return self.path.sum(axis=1)

    def sentence(self, step: int) -> str:
        """What moved in a step of the search, and what J then is."""
        before = self.path[max(step - 1, 0)]
        return _move_text(before, self.path[step], float(self.path_values[step]), self.variables)


def _cost(n: int, p: int, step: SubsetSelector) -> tuple[float, float]:
    subsets = step.search.subsets(p, step.wanted(p))
    return 1e-3 + step.score.seconds(n, p, subsets), 8.0 * (2 * n * p + p**2)


@enter(
    Card(
        "subset_selector",
        "Feature subset selection",
        ("preparation",),
        stage="select",
        peer="sklearn.feature_selection.SequentialFeatureSelector",
        sources=("cs1:vs_sfs", "cs1:vs_sbs", "cs1:vs_sffs", "cs1:vs_sfbs", "cs1:vs_scores_S"),
        takes=("columns", "target", "groups"),
        cost=_cost,
        formula=r"\arg\max_{S \subseteq \{1, \dots, d\}} J(S)",
        synonyms=(
            "feature selection",
            "wrapper method",
            "forward selection",
            "backward elimination",
            "stepwise selection",
            "sequential feature selection",
            "SequentialFeatureSelector",
            "SFS",
        ),
        line="the subset of variables that scores best",
    )
)
@dataclass(frozen=True, kw_only=True)
class SubsetSelector(IterativeMethod):
    r"""Keeps the subset of variables with the best score.

    $\arg\max_S J(S)$ over the subsets that the search visits; J is a merit computed from
    correlations, or minus the loss of a method on inner folds of the training rows. Variables are
    those of the table: the columns of one-hot encoding stay or go together.

    Use it to learn which variables matter, to save measurements, or before methods that suffer
    from noise columns. Stands after imputing and encoding. It looks at the target, so it belongs
    inside the folds: chosen from all rows, even noise predicts well. O(d^2) subsets for the
    sequential searches, 2^d for all. Correlated variables stand for each other, so the choice may
    differ from fold to fold; the stability says how much.
    """

    score: Any = part("cfs", slot="subset_score", label="Score of a subset", doc="What J is.")
    search: Any = part("sfs", slot="subset_search", doc="Which subsets are visited.")
    n_features: int | str = integer(
        "best",
        low=1,
        soft=(1, 20),
        auto="best",
        symbol="D",
        label="Number of variables",
        doc="Variables to keep; best takes the size with the largest J, the smaller on ties.",
    )

    def wanted(self, d: int) -> int | None:
        """The number of variables to keep out of d, or None for the best number."""
        return None if isinstance(self.n_features, str) else min(self.n_features, d)

    def announced(self, n: int, d: int) -> str:
        """What choosing among d variables by n rows takes, for the line that asks whether to begin.

        Empty where no method is fitted.
        """
        target = self.wanted(d)
        fits = self.score.fits(n, self.search.subsets(d, target))
        which = f"{target} of {d} variables" if target else f"the best of {d} variables"
        return f"selecting {which} by about {_about(fits)} inner fits" if fits else ""

    def _steps(self, given: Given) -> Iterator[Step]:
        refuse_names(given.columns, self.title())
        variables = Variables.of(given.columns)
        return self._search_steps(self.score.judge(given, variables), variables)

    def _search_steps(self, judge: Judge, variables: Variables) -> Iterator[Step]:
        best = Best(judge.d)
        path: list[Move] = []
        previous: Step | None = None
        for move in self.search.moves(judge, self.wanted(judge.d)):
            best.see(move)
            path.append(move)
            if previous is not None:
                yield previous
            state = _Search(move.members, best.values.copy(), judge.evaluations, judge, best, path)
            before = path[-2].members if len(path) > 1 else move.members
            note = _move_text(before, move.members, move.value, variables.names)
            previous = Step(len(path) - 1, move.value, state, note=note)
        assert previous is not None  # every search visits a subset
        stop = Stop("converged", f"The search has ended after {judge.evaluations} subsets.")
        yield Step(previous.k, previous.objective, previous.state, stop, previous.note)

    def _finished(self, given: Given, end: Step) -> SubsetFit:
        search: _Search = end.state
        variables, judge, best = Variables.of(given.columns), search.judge, search.all_best
        evaluations = judge.evaluations
        chosen = best.subsets[self.wanted(judge.d) or max(_best_size(best), 1)]
        _refuse_unscorable(judge, chosen)
        return SubsetFit(
            made_by=self,
            n_iter=end.k + 1,
            stop=end.stop,
            **choice_fields(given.columns, variables, chosen),
            best=best.values,
            subsets=best.subsets,
            optimum=judge.optimum(),
            path=np.array([move.members for move in search.path]),
            path_values=np.array([move.value for move in search.path]),
            path_around=_around(judge, search.path),
            lattice=_lattice(judge),
            evaluations=evaluations,
            **_relevance(judge, chosen),
        )


@dataclass(frozen=True, eq=False)
class _Search(SearchState):
    """The state with what the fit is made from."""

    judge: Judge
    all_best: Best
    path: list[Move]


def _about(count: float) -> str:
    """A large number as roughly as it is known: three digits, thousands apart."""
    digits = max(len(str(int(count))) - 3, 0)
    return f"{round(count, -digits):,.0f}"


def _best_size(best: Best) -> int:
    """The size with the largest J among those with any variable."""
    values = best.values.copy()
    values[0] = -np.inf
    return Best.size_of(values)


def _relevance(judge: Judge, chosen: np.ndarray) -> dict[str, Any]:
    """What each variable is worth alone, and at the chosen subset."""
    nothing = np.zeros(judge.d, dtype=bool)
    at = judge.value(chosen)
    with np.errstate(invalid="ignore"):  # of subsets that cannot be scored
        missed, gained = at - judge.removed(chosen), judge.added(chosen) - at
        alone = judge.added(nothing) - judge.value(nothing)
    return {
        "alone": alone,
        "missed": np.where(chosen, missed, np.nan),
        "gained": np.where(chosen, np.nan, gained),
    }


def _around(judge: Judge, path: list[Move]) -> np.ndarray:
    """What each step of a search could have seen, shape (t, d); (0, d) for many variables."""
    if judge.d > MOST_AROUND:
        return np.zeros((0, judge.d))
    return np.array([judge.around(move.members) for move in path])


def _lattice(judge: Judge) -> np.ndarray:
    """J of all subsets as far as it is known; variable 0 is the highest bit of the place."""
    if judge.d > MOST_LATTICE:
        return np.zeros(0)
    bits = 1 << np.arange(judge.d)[::-1]
    return np.array([judge.known((place & bits) > 0) for place in range(2**judge.d)])


def _refuse_unscorable(judge: Judge, chosen: np.ndarray) -> None:
    if not np.isfinite(judge.value(chosen)):
        raise DataError(f"No subset of the wanted size can be scored. {judge.reason}".strip())


def _move_text(
    before: np.ndarray, members: np.ndarray, value: float, names: tuple[str, ...]
) -> str:
    """The sentence on a move."""
    ways = (("comes in", "come in", members & ~before), ("goes out", "go out", before & ~members))
    moves = []
    for singular, several, which in ways:
        if moved := [names[v] for v in np.flatnonzero(which)]:
            moves.append(f"{listed(moved)} {singular if len(moved) == 1 else several}")
    # A loss of nothing is -0.0, and a minus before it would puzzle.
    standing = f"{int(members.sum())} of {len(names)} variables, J = {value + 0.0:.4g}."
    return f"{' and '.join(moves)}: {standing}" if moves else standing
