"""Methods over several tables: mean scores, ranks, and the tests that ranks allow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.comparing.friedman import (
    LEAST_METHODS,
    Friedman,
    friedman,
    ranks_of,
    too_few,
)
from mlcore.evaluation.comparing.nemenyi import PostHoc, nemenyi, wilcoxon_holm
from mlcore.evaluation.comparing.verdict import ALPHA
from mlcore.evaluation.comparing.wilcoxon import SignedRanks, wilcoxon_signed_rank
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.comparing.pairs import metric_of
from mlcore.spine.errors import ParamError
from mlcore.spine.wording import count, listed, p_value, rough

LEAST_PAIRS = 6  # tables; the smallest p of fewer signed ranks is above 5 %
DIGITS = 12  # of a mean score that count: beyond, only the order of adding differs
POSTHOC = ("nemenyi", "wilcoxon_holm")


class OverTables(NamedTuple):
    """Scores and ranks of the methods on every table, and what may be said of them."""

    metric: Metric
    names: tuple[str, ...]  # of the tables
    labels: tuple[str, ...]  # of the methods
    scores: np.ndarray  # (tables, methods) means over the folds; NaN where there is none
    complete: np.ndarray  # (tables,) whether it counts: every method has a score there
    ranks: np.ndarray  # (complete tables, methods), 1 is best
    mean_ranks: np.ndarray  # (methods,); NaN without a complete table
    friedman: Friedman | None
    posthoc: PostHoc | None  # of all pairs, where Friedman's test may be asked
    wilcoxon: SignedRanks | None  # of two methods
    sentence: str


def over_tables(
    outcome: ComparisonOutcome, metric: str = "", *, posthoc: str = "nemenyi", alpha: float = ALPHA
) -> OverTables:
    """The methods of a comparison over all its tables.

    Tables on which a method has no score are left out of the ranks, and one that stands there
    twice counts once. From 3 methods and 5 tables on: Friedman's test, then all pairs by
    `posthoc`, "nemenyi" or "wilcoxon_holm". Two methods and 6 tables: Wilcoxon's signed ranks.
    Fewer: ranks only, with the reason in `sentence`. Raises ParamError for another `posthoc`.
    """
    if posthoc not in POSTHOC:
        raise ParamError(f"Pairs are compared by one of {', '.join(POSTHOC)}; got {posthoc!r}.")
    measure = metric_of(outcome, metric)
    scores = score_table(outcome, measure)
    complete = np.all(np.isfinite(scores), axis=1) & _is_first(outcome)
    labels = tuple(entrant.label for entrant in outcome.entrants)
    unranked = OverTables(
        measure, outcome.names, labels, scores, complete, np.empty((0, len(labels))),
        np.full(len(labels), np.nan), None, None, None, "",
    )  # fmt: skip
    if not complete.any():
        return unranked._replace(
            sentence="There are no ranks: no table has a score of every method."
        )
    ranks = ranks_of(scores[complete], better=measure.better)
    ranked = unranked._replace(ranks=ranks, mean_ranks=ranks.mean(axis=0))
    if len(labels) < LEAST_METHODS:
        return _two(ranked)
    if why := too_few(*ranks.shape):
        return ranked._replace(sentence=why)
    return _several(ranked, posthoc, alpha)


def _is_first(outcome: ComparisonOutcome) -> np.ndarray:
    """Whether a table stands there for the first time, shape (tables,)."""
    every = (outcome.run.data, *outcome.run.more)
    return np.array([data not in every[:t] for t, data in enumerate(every)])


def score_table(outcome: ComparisonOutcome, metric: Metric) -> np.ndarray:
    """Mean of a score over the folds, shape (tables, methods); NaN where there is none."""
    return np.array(
        [[_mean(entrant.outcome, metric) for entrant in entrants] for entrants in outcome.sets]
    )


def _mean(outcome: Any, metric: Metric) -> float:
    return np.nan if outcome is None else float(f"{outcome.mean(metric.name):.{DIGITS}g}")


def _two(ranked: OverTables) -> OverTables:
    """Two methods: signed ranks of their differences."""
    n = len(ranked.ranks)
    if n < LEAST_PAIRS:
        return ranked._replace(
            sentence=f"Ranks only: of {_tables(n)} the smallest possible p-value of Wilcoxon's "
            f"signed ranks is above 5 %; it needs {LEAST_PAIRS}."
        )
    first, second = ranked.scores[ranked.complete].T
    test = wilcoxon_signed_rank(first - second)
    best, other = np.argsort(ranked.mean_ranks, kind="stable")
    names = ranked.labels[best], ranked.labels[other]
    sentence = (
        f"Over {_tables(n)} {names[0]} ranks before {names[1]}, {p_value(test.p)} by Wilcoxon's "
        "signed ranks."
        if test.p < ALPHA
        else f"{_tables(n)} cannot tell {names[0]} and {names[1]} apart, {p_value(test.p)} by "
        "Wilcoxon's signed ranks."
    )
    return ranked._replace(wilcoxon=test, sentence=sentence)


def _several(ranked: OverTables, posthoc: str, alpha: float) -> OverTables:
    better, scores = ranked.metric.better, ranked.scores[ranked.complete]
    test = friedman(scores, better=better)
    pairs = (
        nemenyi(ranked.ranks, alpha=alpha)
        if posthoc == "nemenyi"
        else wilcoxon_holm(scores, better=better, alpha=alpha)
    )
    sentence = _sentence(ranked, test, pairs, alpha)
    return ranked._replace(friedman=test, posthoc=pairs, sentence=sentence)


def _sentence(ranked: OverTables, test: Friedman, pairs: PostHoc, alpha: float) -> str:
    """The outcome of the tests in two sentences."""
    n = len(ranked.ranks)
    if test.p >= alpha:
        return (
            f"{_tables(n)} cannot tell these methods apart: their ranks could be chance, "
            f"{p_value(test.p)} by Friedman's test."
        )
    best = int(ranked.mean_ranks.argmin())
    near = next((set(clique) - {best} for clique in pairs.cliques if best in clique), set())
    names = [label for k, label in enumerate(ranked.labels) if k in near]
    beside = f" It is not told apart from {listed(names)}." if names else ""
    return (
        f"Over {_tables(n)} the methods differ, {p_value(test.p)} by Friedman's test. "
        f"{ranked.labels[best]} has the best mean rank, {rough(float(ranked.mean_ranks[best]))}."
        + beside
    )


def _tables(n: int) -> str:
    return count(n, "table")
