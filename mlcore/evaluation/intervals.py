"""How sure a score is: the interval that is honest for the way rows were left out, or none.

Every function returns an `Interval` with the sentence that goes beside it. Scores of folds share
training rows, so they vary less than scores of independent studies would; the plain standard
error of their mean is too small.
"""

from __future__ import annotations

from math import inf, isfinite, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from mlcore.evaluation.metrics.classes import pair
from mlcore.evaluation.metrics.metric import LEFT_OUT
from mlcore.evaluation.slices.ends import wilson_ends
from mlcore.evaluation.summary import sizes, summary
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function
from mlcore.spine.wording import count, percent, plural

LEVEL = 0.95
# Training parts that differ more than this in size do not estimate one and the same score.
MOST_UNEVEN = 2.0


class Interval(NamedTuple):
    """Where the score of new data lies, or why there is no interval (`low` and `high` NaN)."""

    mean: float
    low: float
    high: float
    method: str  # "corrected t", "Wilson", "DeLong" or "none"
    sentence: str

    @property
    def is_known(self) -> bool:
        """Whether there is an interval."""
        return self.method != "none"


def none(mean: float, why: str) -> Interval:
    """No interval, and the reason."""
    return Interval(mean, nan, nan, "none", why)


@function("score_interval")
def score_interval(
    values: Any,
    n_train: Any,
    n_test: Any,
    *,
    is_proportion: bool = False,
    n_units: int = 0,
    least: float = -inf,
    most: float = inf,
    level: float = LEVEL,
) -> Interval:
    """The interval of a mean score that is honest for its protocol.

    `values`, shape (J,), holds one score a split (NaN where it is undefined), `n_train` and
    `n_test` the rows of each. One split of a proportion (accuracy): Wilson, unless the rows left
    out are of fewer `n_units`, such as patients, within which they are alike. Three or more: the
    corrected resampled t of Nadeau and Bengio, for folds, repeats and random splits.
    Leave-one-out, one or two splits of another score, and splits that fit on very different
    numbers of rows: none, with the reason. Ends are moved into [least, most]. Stratified folds
    hold the shares of the classes fixed, so what chance does to these is not in the interval.
    """
    values, train, test = _splits(values, n_train, n_test)
    _check_level(level)
    defined = np.isfinite(values)
    values, train, test = values[defined], train[defined], test[defined]
    if not len(values):
        return none(nan, "The score is defined in no fold.")
    mean = summary(values).mean
    if len(values) == 1 and is_proportion:
        if 0 < n_units < test[0]:
            return none(mean, _alike(int(test[0]), n_units))
        return wilson_interval(mean * test[0], int(test[0]), level=level)
    if why := why_no_spread(train, test):
        return none(mean, f"No interval: {why}")
    if np.ptp(values) == 0:
        return none(
            mean,
            "No interval: the score is the same in every fold, so it has no spread to judge by.",
        )
    half = corrected_sd(values, train, test) * _quantile(level, len(values) - 1)
    return Interval(
        mean,
        max(mean - half, least),
        min(mean + half, most),
        "corrected t",
        f"Approximate {percent(level)} interval of the mean over {len(values)} splits; it allows "
        "for the training rows that the splits share.",
    )


def interval_of(outcome: Any, metric: Any) -> Interval:
    """The interval of one `Metric` of an outcome of a run, from its folds that have scores."""
    folds = outcome.done
    if why := why_not_of(metric):
        return none(outcome.mean(metric.name), f"No interval: {why}")
    return score_interval(
        outcome.values(metric.name),
        *sizes(folds),
        is_proportion=metric.is_proportion,
        n_units=max((fold.n_units for fold in folds), default=0),
        least=metric.least,
        most=metric.most,
    )


def _alike(n: int, n_units: int) -> str:
    groups = count(n_units, "group", "groups or sequences")
    return (
        f"No interval: the {n} rows left out are of {groups}, within which rows are alike, so they "
        "say less than as many independent ones. Take more folds."
    )


def _splits(*arrays: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values, train, test = (np.atleast_1d(np.asarray(a, dtype=np.float64)) for a in arrays)
    if not values.shape == train.shape == test.shape or values.ndim != 1:
        raise DataError("An interval needs one score, one training and one test size a split.")
    if (train < 1).any() or (test < 1).any():
        raise DataError("An interval needs splits with at least one row on either side.")
    return values, train, test


def why_not_of(metric: Any) -> str | None:
    """Why the spread of a `Metric` over folds says nothing about new data, or None.

    The sentence goes on after a colon: "No interval: ".
    """
    if metric.rows == LEFT_OUT:
        return None
    return (
        f"{metric.title} is measured on training rows, of which the folds share most, and its "
        "spread over them says nothing about new data."
    )


def why_no_spread(n_train: np.ndarray, n_test: np.ndarray) -> str | None:
    """Why the spread of scores over splits of such sizes, shape (J,), says nothing about new data.

    None if it does say something.
    The sentence goes on after a colon: "No interval: ".
    """
    if len(n_test) > 1 and (n_test == 1).all():
        return (
            "leaving out single rows fits on nearly the same rows each time, and the spread of "
            "such scores says nothing about new data."
        )
    if len(n_test) < 3:
        return (
            f"{len(n_test)} of the splits {plural(len(n_test), 'has', 'have')} a score, and a "
            "spread needs at least 3. Take more folds."
        )
    if n_train.max() > MOST_UNEVEN * n_train.min():
        return (
            f"the splits fit on {n_train.min():.0f} to {n_train.max():.0f} rows, and so do not "
            "estimate one and the same score."
        )
    return None


def corrected_sd(values: np.ndarray, n_train: np.ndarray, n_test: np.ndarray) -> float:
    """Standard deviation of a mean over J splits that share training rows; arrays have shape (J,).

    sqrt((1/J + n_test / n_train) s^2), s^2 with divisor J - 1 (Nadeau and Bengio 2003): 1/J alone
    would treat the splits as independent.
    """
    share = float(np.mean(n_test) / np.mean(n_train))
    return sqrt((1 / len(values) + share) * float(np.var(values, ddof=1)))


def _quantile(level: float, df: int) -> float:
    return float(stdtrit(df, (1 + level) / 2))


@function("wilson_interval")
def wilson_interval(successes: float, n: int, *, level: float = LEVEL) -> Interval:
    """Interval of a proportion on n independent rows (Wilson 1927): right also near 0 and 1.

    (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Raises DataError unless n is at
    least 1 and there are 0 to n successes.
    """
    if n < 1 or not 0 <= successes <= n:
        raise DataError(f"A proportion needs 0 to n successes of n >= 1; got {successes} of {n}.")
    _check_level(level)
    ends = wilson_ends(np.array([successes]), np.array([n]), level)
    return Interval(
        successes / n,
        float(ends.low[0]),
        float(ends.high[0]),
        "Wilson",
        f"{percent(level)} interval of a share of {n} test rows. It speaks of this one fit; other "
        "training rows would give another.",
    )


@function("rmse_interval", title="Interval of the root mean squared error")
def rmse_interval(errors: Any, *, level: float = LEVEL) -> Interval:
    """Interval of the RMSE of one fit on n independent rows, from the spread of squared errors.

    sqrt(mean(e^2) +- z sd(e^2) / sqrt(n)), by the central limit theorem. `errors` have shape (n,).
    """
    _check_level(level)
    squares = np.asarray(errors, dtype=np.float64) ** 2
    if len(squares) < 2:
        return none(nan, "No interval: a spread of errors needs two rows with their truth.")
    mean = float(squares.mean())
    half = float(ndtri((1 + level) / 2)) * float(squares.std(ddof=1)) / sqrt(len(squares))
    sentence = (
        f"Approximate {percent(level)} interval of the RMSE of this one fit on {len(squares)} test "
        "rows; other training rows would give another."
    )
    low, high = sqrt(max(mean - half, 0.0)), sqrt(mean + half)
    return Interval(sqrt(mean), low, high, "normal", sentence)


@function("auc_interval", title="Interval of the area under the ROC curve")
def auc_interval(y: Any, scores: Any, *, level: float = LEVEL) -> Interval:
    """Interval of the AUC on one independent test set (DeLong, DeLong and Clarke-Pearson 1988).

    With V10(i), the share of negatives that positive i outranks, and V01(j), the share of
    positives that outrank negative j, the variance is var(V10)/n1 + var(V01)/n0. `y`, shape (n,),
    is true or 1 for positive, `scores` have shape (n,).
    """
    _check_level(level)
    y, scores = pair(y, np.asarray(scores, dtype=np.float64))
    positive = y.astype(bool)
    above, below = placements(scores[positive], scores[~positive])
    if min(len(above), len(below)) < 2:
        return none(nan, "No interval: the AUC needs two rows of either class.")
    mean = float(above.mean())
    variance = above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below)
    if variance == 0:
        return none(mean, "No interval: the scores leave the AUC without a spread to judge by.")
    half = float(ndtri((1 + level) / 2)) * sqrt(variance)
    sentence = (
        f"{percent(level)} interval of the AUC of this one fit, on {len(above)} positive and "
        f"{len(below)} negative test rows."
    )
    return Interval(mean, max(mean - half, 0.0), min(mean + half, 1.0), "DeLong", sentence)


def placements(positive: np.ndarray, negative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each of n1 positive and n0 negative scores the share of the others on its right side.

    Shapes (n1,) and (n0,); equal scores count half.
    """
    if not len(positive) or not len(negative):
        return np.empty(0), np.empty(0)
    return _share_below(positive, negative), 1 - _share_below(negative, positive)


def _share_below(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Share of `others` below each value, equal ones counting half, shape (len(values),)."""
    others = np.sort(others)
    below = np.searchsorted(others, values, side="left")
    return (below + np.searchsorted(others, values, side="right")) / (2 * len(others))


def _check_level(level: float) -> None:
    if not (isfinite(level) and 0 < level < 1):
        raise ParamError(f"The level of an interval lies between 0 and 1; got {level!r}.")
