"""Every pair of the methods of a comparison: tests on their folds and rows, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mlcore.evaluation.comparing.bayes import Posterior, bayesian_correlated_t
from mlcore.evaluation.comparing.differences import between
from mlcore.evaluation.comparing.mcnemar import (
    McNemar,
    OneRight,
    mcnemar,
    mcnemar_of_groups,
    one_right,
)
from mlcore.evaluation.comparing.paired import PairedT, corrected_resampled_t
from mlcore.evaluation.comparing.verdict import (
    ALPHA,
    SAYING,
    Verdict,
    headline,
    same_predictions,
    untested,
    verdict,
)
from mlcore.evaluation.intervals import why_no_spread, why_not_of
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.pooled import pooled
from mlcore.evaluation.summary import sizes, summary
from mlcore.runs.carry import FoldResult
from mlcore.runs.comparing.one_split import Known, as_fitted
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.comparing.sizes import unequal
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function
from mlcore.spine.registry import unknown
from mlcore.spine.wording import count, listed, number, plural

BASELINE = -1  # its place among the methods
MIRRORED = {"better": "worse", "worse": "better"}
ROUNDING = 1e-12  # of the largest score: by so much two equal means may differ
ROPE = 0.01  # of a score that is at most 1, and of the baseline's error else


class Side(NamedTuple):
    """A method that has scores, or the baseline."""

    which: int  # position among the methods; BASELINE for the baseline
    label: str
    folds: tuple[FoldResult, ...]  # that have scores

    def score(self, fold: FoldResult, metric: Metric) -> float:
        """Its score on one fold; NaN where that is undefined."""
        scores = fold.baseline if self.which == BASELINE else fold.scores
        return float(scores.get(metric.name, np.nan))


class Pair(NamedTuple):
    """Two methods on the folds that both have finished. Differences are good for the first."""

    first: Side
    second: Side
    ks: tuple[int, ...]  # numbers of the folds that count
    n_train: np.ndarray  # (J,) rows that were fitted
    n_test: np.ndarray  # (J,) rows that were left out
    differences: np.ndarray  # (J,)
    test: PairedT | None  # None where there is nothing to test; `remark` says why. Its interval is
    # adjusted for all pairs that stand together, its p is that of this pair alone
    posterior: Posterior | None  # of this pair alone
    p: float  # adjusted as the interval is; NaN without a test
    rows: OneRight | None  # that exactly one gets right; of classifiers, where the truth is given
    mcnemar: McNemar | None
    verdict: Verdict
    remark: str = ""


class Pairs(NamedTuple):
    """All pairs that are shown together, and for which intervals and p-values are adjusted."""

    metric: Metric
    rope: float
    pairs: tuple[Pair, ...]
    headline: str  # one plain sentence about the best method
    planned: int  # folds
    together: int  # tests that are adjusted for
    beside_nothing: Pair | None = None  # against the best: it beside the baseline, one of them
    is_unfair: bool = False  # the best has more coordinates or centers, which win by themselves


@function(
    "compare_methods",
    title="Comparison of methods on equal folds",
    sources=("prac:significance_test", "s841:error_rate_comparison"),
)
def compare_methods(
    outcome: ComparisonOutcome,
    metric: str = "",
    *,
    against: str | int = "all",
    rope: float | None = None,
    truth: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> Pairs:
    """Tests and verdicts for the pairs of a comparison, on its first table.

    `metric` is the name of a score (the first if empty). `against` says which pairs: "all", "best"
    (each with the method of the best mean, and that with the baseline), "baseline", or the position
    of one method. Of m tests that stand together every interval has the level 1 - 0.05/m and every
    p-value is taken m times (Bonferroni), so that all intervals hold together at 95 % and leave out
    0 just where p is below 5 %. `rope` is the difference that does not matter in practice: by
    default 0.01 for scores that are at most 1, else a hundredth of the baseline's mean. With
    `truth`, the codes of all rows, shape (n,), classifiers are compared row by row too; rows with
    the same code in `groups`, (n,), are not taken for independent there. Raises DataError if no
    method has scores.
    """
    measure = metric_of(outcome, metric)
    sides = [Side(e.which, e.label, e.outcome.done) for e in outcome.scored if e.outcome]
    base = _baseline(outcome, measure)
    rope = default_rope(base, measure) if rope is None else rope
    chosen = _chosen(sides, base, measure, against)
    scored = [e.outcome for e in outcome.scored if e.outcome]
    if any(one.run.method.card.task != "classification" for one in scored):
        truth = None  # the number of a group is no class
    known = None if truth is None or truth.dtype.kind == "f" else Known(truth, groups)
    pivot = base if against == "baseline" else _pivot(sides, measure, against)
    tested = [_tested(a, b, measure, rope, known) for a, b in chosen]
    nothing = [_tested(pivot, base, measure, rope, known)] if against == "best" else []
    together = sum(pair.test is not None for pair in (*tested, *nothing))
    pairs = tuple(_judged(pair, rope, together) for pair in tested)
    equals = _equals(pivot, sides, base, measure)
    sentence = _headline(pivot, equals, pairs, measure, against)
    unfair = unequal(outcome.scored, pivot.which, measure) if against in ("all", "best") else ""
    sentence = f"{sentence} {unfair}".rstrip()
    beside = next((_judged(pair, rope, together) for pair in nothing), None)
    return Pairs(measure, rope, pairs, sentence, scored[0].planned, together, beside, bool(unfair))


def metric_of(outcome: ComparisonOutcome, name: str = "") -> Metric:
    """The score of this name, or the first.

    Raises DataError if no method has scores, ParamError if there is no score of this name.
    """
    if not outcome.scored:
        raise DataError("None of the methods has a score, so there is nothing to compare.")
    judge = outcome.judge
    metrics = {} if judge is None else {metric.name: metric for metric in judge.metrics()}
    if name and name not in metrics:
        raise ParamError(unknown(name, metrics, "score of this comparison"))
    return metrics[name or next(iter(metrics))]


def best_of(sides: Sequence[Side], metric: Metric) -> Side:
    """The method with the best mean; the first where none has one."""
    sign = 1 if metric.better == "higher" else -1
    means = [sign * mean_score(side, metric) for side in sides]
    return sides[int(np.nanargmax(means))] if np.isfinite(means).any() else sides[0]


def mean_score(side: Side, metric: Metric) -> float:
    """Mean over the folds that have the score; NaN where none has."""
    return summary([side.score(fold, metric) for fold in side.folds]).mean


def same_mean(first: float, second: float, baseline: float) -> bool:
    """Whether two means of a score are equal but for rounding; NaN equals nothing."""
    largest = float(np.fmax.reduce(np.abs([first, second, baseline])))
    return abs(first - second) <= ROUNDING * largest


def default_rope(base: Side, metric: Metric) -> float:
    """The difference that does not matter in practice, where nobody says another."""
    if metric.most == 1:
        return ROPE
    mean = mean_score(base, metric)
    return ROPE * abs(mean) if np.isfinite(mean) else 0.0


def _baseline(outcome: ComparisonOutcome, metric: Metric) -> Side:
    """The baseline, on the folds of the method that has finished most."""
    furthest = max((e.outcome for e in outcome.scored if e.outcome), key=lambda o: len(o.done))
    name = furthest.judge.baseline_name(metric)
    return Side(BASELINE, f"the baseline ({name})", furthest.done)


def _chosen(
    sides: Sequence[Side], base: Side, metric: Metric, against: str | int
) -> list[tuple[Side, Side]]:
    if against == "all":
        return list(combinations(sides, 2))
    if against == "baseline":
        return [(side, base) for side in sides]
    one = _pivot(sides, metric, against)
    return [(one, side) for side in sides if side is not one]


def _pivot(sides: Sequence[Side], metric: Metric, against: str | int) -> Side:
    """The method that the others are compared with; of all pairs, the best."""
    if against in ("all", "best"):
        return best_of(sides, metric)
    for side in sides:
        if side.which == against:
            return side
    raise ParamError(
        "A comparison is against all, best, baseline, or the position of a method that has "
        f"scores; got {against!r}."
    )


def _tested(a: Side, b: Side, metric: Metric, rope: float, known: Known | None) -> Pair:
    """A pair before the adjustment of interval and p-value, and so without a verdict."""
    shared = _shared(a, b, metric)
    ks = tuple(mine.k for mine, _ in shared)
    d = _differences(a, b, shared, metric)
    rows = _one_right(shared, known) if b.which != BASELINE else None
    odd = None if rows is None or known is None else _row_by_row(rows, known)
    train, test = sizes([mine for mine, _ in shared])
    untested_pair = Pair(
        a, b, ks, train, test, d, None, None, np.nan, rows, odd, Verdict("untested", "")
    )
    if b.which != BASELINE and len(d) and _same_predictions(shared) and not d.any():
        same = same_predictions(a.label, b.label)
        return untested_pair._replace(remark=same.sentence, verdict=same)
    if why := _why_untested(d, train, test, metric):
        fitted = as_fitted(*shared[0], known, metric.name) if _is_one_split(b, shared) else ""
        reason = untested(a.label, b.label, f"{why} {fitted}".rstrip())
        return untested_pair._replace(remark=reason.sentence, verdict=reason)
    paired = corrected_resampled_t(d, train, test)
    posterior = bayesian_correlated_t(d, train, test, rope=rope)
    return untested_pair._replace(
        test=paired, posterior=posterior, p=paired.p, remark=paired.remark
    )


def _judged(pair: Pair, rope: float, together: int) -> Pair:
    """With interval, p-value and verdict as one of so many."""
    if pair.test is None:
        return pair
    level = 1 - ALPHA / together
    test = corrected_resampled_t(pair.differences, pair.n_train, pair.n_test, level=level)
    p, names = min(1.0, together * test.p), (pair.first.label, pair.second.label)
    judgement = verdict(*names, test, p, rope=rope, together=together)
    return pair._replace(test=test, p=p, verdict=judgement)


def _shared(a: Side, b: Side, metric: Metric) -> list[tuple[FoldResult, FoldResult]]:
    """The folds on which both have the score."""
    others = {fold.k: fold for fold in b.folds}
    return [
        (fold, others[fold.k])
        for fold in a.folds
        if fold.k in others
        and np.isfinite([a.score(fold, metric), b.score(others[fold.k], metric)]).all()
    ]


def _differences(
    a: Side, b: Side, shared: Sequence[tuple[FoldResult, FoldResult]], metric: Metric
) -> np.ndarray:
    mine = np.array([a.score(fold, metric) for fold, _ in shared])
    theirs = np.array([b.score(fold, metric) for _, fold in shared])
    return between(mine, theirs, metric.better)


def _why_untested(d: np.ndarray, train: np.ndarray, test: np.ndarray, metric: Metric) -> str | None:
    if not len(d):
        return "they have no fold in common on which both have this score."
    return why_no_spread(train, test) or why_not_of(metric)


def _is_one_split(b: Side, shared: Sequence[tuple[FoldResult, FoldResult]]) -> bool:
    """Whether two methods were scored on one split alone."""
    return b.which != BASELINE and len(shared) == 1 and shared[0][0].planned == 1


def _same_predictions(shared: Sequence[tuple[FoldResult, FoldResult]]) -> bool:
    return all(
        mine.predictions is not None
        and other.predictions is not None
        and np.array_equal(mine.predictions, other.predictions)
        for mine, other in shared
    )


def _one_right(
    shared: Sequence[tuple[FoldResult, FoldResult]], known: Known | None
) -> OneRight | None:
    """Rows that exactly one classifier gets right, by the first prediction of each row."""
    if known is None:
        return None
    mine = pooled([fold for fold, _ in shared], once=True)
    theirs = pooled([fold for _, fold in shared], once=True)
    if mine is None or theirs is None:
        return None
    return one_right(mine.rows, known.truth[mine.rows], mine.predictions, theirs.predictions)


def _row_by_row(rows: OneRight, known: Known) -> McNemar:
    """McNemar's test; of groups, where rows are of such."""
    test, groups = mcnemar(len(rows.first), len(rows.second)), known.groups
    if groups is None:
        return test
    n_groups = len(np.unique(groups[np.concatenate([rows.first, rows.second])]))
    p = mcnemar_of_groups(groups[rows.first], groups[rows.second])
    return test._replace(p=p, n_groups=n_groups)


def _equals(best: Side, sides: Sequence[Side], base: Side, metric: Metric) -> list[str]:
    """The names of the other methods that have the same mean."""
    mean, baseline = mean_score(best, metric), mean_score(base, metric)
    others = [side for side in sides if side is not best]
    return [o.label for o in others if same_mean(mean_score(o, metric), mean, baseline)]


def _headline(
    pivot: Side, equals: Sequence[str], pairs: Sequence[Pair], metric: Metric, against: str | int
) -> str:
    """The method that the others stand beside, its score, and what the verdicts say of it."""
    mean = (
        f"{metric.title} {number(mean_score(pivot, metric))} on {count(len(pivot.folds), 'fold')}"
    )
    name = pivot.label[0].upper() + pivot.label[1:]
    if not pairs:
        return f"{name} is the only method with scores: {mean}."
    opening = f"{name}: {mean}."
    if against in ("all", "best"):
        so = f", and so {plural(len(equals), 'has', 'have')} {listed(equals)}" if equals else ""
        opening = f"{name} has the best mean: {mean}{so}."
    others: dict[str, list[str]] = {kind: [] for kind in SAYING}
    for pair in pairs:
        if pair.first == pivot:
            others[pair.verdict.kind].append(pair.second.label)
        elif pair.second == pivot:
            others[MIRRORED.get(pair.verdict.kind, pair.verdict.kind)].append(pair.first.label)
    told = headline(opening, others)
    # Beside the best the baseline stands too, and what is said of it gives the reason.
    why = why_not_of(metric) if others["untested"] and against != "best" else None
    return told if why is None else f"{told} {why}"
