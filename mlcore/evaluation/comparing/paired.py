"""Paired t-tests on the differences of two methods over the same splits, honest and naive."""

from __future__ import annotations

from math import copysign, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from mlcore.evaluation.comparing.differences import are_alike, checked, mean_of
from mlcore.evaluation.intervals import LEVEL, corrected_sd
from mlcore.spine.records import function

ALIKE = "All splits moved alike, so there is no spread to judge by."
EQUAL = "There is no difference on any of these splits."
# Rates of false alarms at a nominal 5 %, in 1,000 simulated studies of 100 rows without a
# difference (the lab which_test): what is offered for teaching says how far off it is.
NAIVE_RATES = (
    "The naive t-test is too optimistic: it takes splits that share their training rows for "
    "independent. Where there is no difference it claims one not in 5 % of studies, but in about "
    "8 % with 10 folds, in about half with 15 random splits, and in about 60 % with 10 x 10 folds."
)


class PairedT(NamedTuple):
    """A t-test of a mean difference: positive where the first method is better."""

    difference: float
    low: float
    high: float
    statistic: float
    df: int
    p: float
    remark: str = ""


@function(
    "corrected_resampled_t",
    title="Corrected resampled t-test",
    sources=("prac:significance_test", "s841:error_rate_comparison"),
)
def corrected_resampled_t(
    differences: Any, n_train: Any, n_test: Any, *, level: float = LEVEL
) -> PairedT:
    r"""Two-sided t-test that allows for the training rows which splits share.

    $t = \bar d / \sqrt{(1/J + n_2/n_1) s^2}$ with J - 1 degrees of freedom (Nadeau and Bengio
    2003). `differences`, shape (J,), holds one a split; `n_train` and `n_test` the rows that were
    fitted and left out, one number or one a split. Raises DataError for fewer than 3 splits.
    """
    d, train, test = checked(differences, n_train, n_test)
    return _t_test(d, corrected_sd(d, train, test), level)


@function("naive_paired_t", title="Naive paired t-test", sources=("prac:significance_test",))
def naive_paired_t(differences: Any, *, level: float = LEVEL) -> PairedT:
    r"""The textbook's paired t-test, $t = \bar d / \sqrt{s^2/J}$: too optimistic on folds.

    It is right for independent replicates. `differences` has shape (J,). Raises DataError for
    fewer than 3 of them.
    """
    (d,) = checked(differences)
    return _t_test(d, sqrt(float(np.var(d, ddof=1)) / len(d)), level)


def _t_test(d: np.ndarray, sd: float, level: float) -> PairedT:
    mean, df = mean_of(d), len(d) - 1
    if are_alike(d):
        return without_spread(mean, df)
    t = mean / sd
    half = float(stdtrit(df, (1 + level) / 2)) * sd
    return PairedT(mean, mean - half, mean + half, t, df, float(2 * stdtr(df, -abs(t))))


def without_spread(mean: float, df: int) -> PairedT:
    """The answer where every difference is the same: nothing, or as sure as it can be."""
    if mean == 0:
        return PairedT(0.0, 0.0, 0.0, 0.0, df, 1.0, EQUAL)
    return PairedT(mean, mean, mean, copysign(inf, mean), df, 0.0, ALIKE)
