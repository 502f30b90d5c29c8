"""Rules about the first score: no better than the baseline, too good, over- and underfitting."""

from __future__ import annotations

import numpy as np

from mlcore.ensembles.capabilities import HasOutOfBag
from mlcore.evaluation.intervals import Interval
from mlcore.evaluation.metrics.metric import LEFT_OUT
from mlcore.evaluation.summary import rows_left_out
from mlcore.runs.findings.finding import NOTE, WARNING, Press, Statement, rule
from mlcore.runs.findings.flexibility import OPEN_CURVES, more_flexible, simpler
from mlcore.runs.findings.ran import Ran
from mlcore.spine.asking import can
from mlcore.spine.wording import count, number, percent

# Of the gain over the baseline on the training rows: a fifth lost on test rows is more than the
# optimism of a model whose size suits its rows, which is about 2 p / n of the noise.
MOST_LOST = 0.2
LEAST_GAINED = 0.1  # of the way from the baseline to a perfect score
# No error among n rows leaves an error rate of up to 3 / n: below, being perfect says little.
ROWS_OF_PERFECT = 30
PERFECT_R2 = 1 - 1e-9

HASTIE = "Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 7.2"


@rule(
    "no_better_than_baseline", WARNING, "Not surely better than the baseline",
    source="Nadeau and Bengio (2003), Machine Learning 52",
)  # fmt: skip
def no_better_than_baseline(ran: Ran) -> Statement | None:
    """The corrected interval of the gain over the baseline holds 0, all of it is a loss, or no
    fold has a gain or a loss.

    Of what predicts or groups; the baseline of a map is a good map, and as good as it is no fault.
    """
    gain, metric = ran.gain, ran.metric
    if not (ran.task or "clustering" in ran.run.method.card.slots) or _is_baseline(ran):
        return None
    same = _is_same(ran)
    if not (ran.is_left_out and (same or gain.is_known)) or gain.low > 0:
        return None
    score, base = ran.outcome.mean(metric.name), ran.outcome.mean(metric.name, "baseline")
    sentence = (
        f"{metric.heading} is {number(score)}, that of the baseline "
        f"({ran.outcome.judge.baseline_name(metric)}) {number(base)}. The method {_verdict(ran)}. "
        "The learning curve says whether more rows would help."
    )
    low, high = (0.0, 0.0) if same else (gain.low, gain.high)
    evidence = {"score": score, "baseline": base, "gain_low": low, "gain_high": high}
    return Statement(sentence, OPEN_CURVES, evidence)


def _verdict(ran: Ran) -> str:
    gain, folds = ran.gain, count(len(ran.outcome.done), "fold")
    if _is_same(ran):
        return f"scores just as the baseline does, in {folds}"
    verdict = (
        "is worse than the baseline"
        if gain.high < 0
        else "cannot be told from the baseline: the difference may be chance"
    )
    return f"{verdict} (95 % interval of the gain {_range(gain)}, {folds})"


def _is_same(ran: Ran) -> bool:
    return bool(ran.outcome.done) and not np.any(ran.better_by("scores", "baseline"))


def _is_baseline(ran: Ran) -> bool:
    """Whether the method is what it is judged by, so that the two must agree."""
    method = ran.run.method
    baselines = [simple for simple, _ in ran.outcome.judge.baselines(method)]
    return method in baselines or (_is_same(ran) and type(method) in map(type, baselines))


@rule("overfitting", WARNING, "Overfitting", "classification", "regression", source=HASTIE)
def overfitting(ran: Ran) -> Statement | None:
    """Better on training than on test rows: beyond the corrected interval, and by much.

    Much is a fifth of the gain over the baseline. Not asked of forests and other bagged fits, whose
    members always know their own rows: their average does not follow these (Breiman 2001).
    """
    lost, gap, metric = _lost(ran), ran.gap, ran.metric
    if not gap.is_known or gap.low <= 0 or not lost >= MOST_LOST or can(ran.fit, HasOutOfBag):
        return None
    fitted, score = ran.outcome.mean(metric.name, "fitted_scores"), ran.outcome.mean(metric.name)
    sentence = (
        f"{metric.title} is {number(fitted)} on the training rows and {number(score)} on test rows "
        f"(95 % interval of the gap {_range(gap)}): "
        + ("all" if lost >= 1 else percent(lost))
        + " of the gain over the baseline is lost on rows that were not learned from. "
        "A simpler model, a stronger penalty or more rows narrow the gap."
    )
    evidence = {"fitted": fitted, "score": score, "gap_low": gap.low, "gap_high": gap.high,
                "lost": lost}  # fmt: skip
    return Statement(sentence, simpler(ran.run), evidence)


@rule("underfitting", NOTE, "Underfitting?", "classification", "regression", source=HASTIE)
def underfitting(ran: Ran) -> Statement | None:
    """Surely better than the baseline, surely by little, and the training rows do hardly better.

    Where the baseline is not surely beaten, that is said instead.
    """
    gained, lost = _gained(ran), _lost(ran)
    if gained is None or not (ran.gain.is_known and ran.gain.low > 0 and lost < MOST_LOST):
        return None
    share = ran.interval(gained)
    if not share.is_known or share.high >= LEAST_GAINED:
        return None
    metric = ran.metric
    fitted, score = ran.outcome.mean(metric.name, "fitted_scores"), ran.outcome.mean(metric.name)
    sentence = (
        f"The method comes only {percent(share.mean)} of the way from the baseline to a perfect "
        f"{metric.title} (95 % interval {percent(share.low)} to {percent(share.high)}), and the "
        f"training rows do hardly better ({number(fitted)}, test rows {number(score)}). Either the "
        "columns tell no more, or the method is too simple for them: a more flexible one says "
        "which."
    )
    evidence = {"gained": share.mean, "gained_low": share.low, "gained_high": share.high}
    return Statement(sentence, more_flexible(ran.run), evidence)


def _lost(ran: Ran) -> float:
    """Share of the gain over the baseline on the training rows that test rows do not show."""
    if not ran.is_left_out:
        return float("nan")
    gained = float(np.nanmean(ran.better_by("fitted_scores", "baseline")))
    return ran.gap.mean / gained if gained > 0 else float("nan")


def _gained(ran: Ran) -> np.ndarray | None:
    """How far a fold comes from the baseline to a perfect score, on test rows, (folds,)."""
    metric = ran.metric
    perfect = metric.most if metric.better == "higher" else metric.least
    if not (np.isfinite(perfect) and metric.rows == LEFT_OUT):
        return None
    room = np.abs(perfect - ran.outcome.values(metric.name, "baseline"))
    if not (room > 0).all():
        return None
    return ran.better_by("scores", "baseline") / room


def is_perfect(ran: Ran) -> bool:
    """Whether every test row of every fold is predicted without error, and they are many."""
    test = ran.test_rows
    if test is None or len(test.rows) < ROWS_OF_PERFECT or len(ran.outcome.done) < 2:
        return False
    name, least = ("accuracy", 1.0) if ran.task == "classification" else ("r2", PERFECT_R2)
    scores = ran.outcome.values(name)
    base = ran.outcome.values(name, "baseline")
    return bool((scores >= least).all() and (base < least).all())


@rule(
    "perfect_scores", WARNING, "Perfect on every test row", "classification", "regression",
    source="Kaufman, Rosset, Perlich and Stitelman (2012), ACM TKDD 6(4)",
)  # fmt: skip
def perfect_scores(ran: Ran) -> Statement | None:
    """No error in any fold, on 30 rows or more, where no single column explains it.

    Not asked of rows that were drawn by a recipe, which is known to have no leak.
    """
    if ran.dataset.truth is not None or not is_perfect(ran) or ran.leaks:
        return None
    n = rows_left_out(ran.outcome.done).rows
    sentence = (
        f"All {count(n, 'test row')} in all {count(len(ran.outcome.done), 'fold')} are predicted "
        "without error. That is rare in measured data: a column may hold what is known only after "
        "the target, or the target itself. Explain says which columns the predictions rest on."
    )
    return Statement(sentence, Press("Open Explain", tab="explain"), {"rows": n})


def _range(interval: Interval) -> str:
    return f"{number(interval.low)} to {number(interval.high)}"
