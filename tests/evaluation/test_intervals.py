"""Intervals: numbers worked out by hand, and how often they cover the truth."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mlcore.evaluation.bootstrap_split import BootstrapSplit
from mlcore.evaluation.intervals import (
    auc_interval,
    corrected_sd,
    interval_of,
    score_interval,
    wilson_interval,
)
from mlcore.evaluation.scoring import OF_CLASSES, OF_NUMBERS
from mlcore.evaluation.splits import HoldOut
from mlcore.evaluation.summary import sizes
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError

TEN = [0.02, 0.05, -0.01, 0.03, 0.04, 0.0, 0.06, 0.01, 0.02, 0.03]


def test_ten_folds_by_hand():
    found = score_interval(TEN, [90] * 10, [10] * 10)
    assert (found.low, found.high) == pytest.approx((0.002413, 0.047587), abs=1e-6)
    t = found.mean / corrected_sd(np.array(TEN), np.array([90]), np.array([10]))
    assert t == pytest.approx(2.503867, abs=1e-6)
    assert 2 * stats.t.sf(t, 9) == pytest.approx(0.033648, abs=1e-6)


def test_85_of_100_by_hand():
    found = wilson_interval(85, 100)
    assert (found.low, found.high) == pytest.approx((0.767164, 0.906940), abs=1e-6)


@given(st.integers(1, 60), st.floats(0, 1))
def test_wilson_is_that_of_the_reference(n, share):
    k = round(share * n)
    found = wilson_interval(k, n)
    wanted = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    assert 0 <= found.low <= k / n <= found.high <= 1


def test_the_auc_of_six_rows_by_hand():
    y, scores = [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]
    found = auc_interval(y, scores)
    assert found.mean == pytest.approx(8 / 9)
    assert (found.mean - found.low) / stats.norm.ppf(0.975) == pytest.approx(
        0.024691**0.5, abs=1e-4
    )
    assert found.high == 1.0


def test_a_perfect_or_undefined_auc_has_no_interval_and_says_why():
    perfect = auc_interval([0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0])
    assert perfect.mean == 1.0
    for found in (perfect, auc_interval([0, 0, 1], [1.0, 2.0, 3.0]), auc_interval([1, 1], [1, 2])):
        assert not found.is_known
        assert np.isnan(found.low)
        assert found.sentence.startswith("No interval:")


def test_the_auc_interval_covers_the_truth():
    rng = np.random.default_rng(0)
    truth, hits = stats.norm.cdf(1 / np.sqrt(2)), 0
    for _ in range(400):
        scores = rng.normal(size=80) + np.repeat([0.0, 1.0], 40)
        found = auc_interval(np.repeat([0, 1], 40), scores)
        hits += found.low <= truth <= found.high
    assert 0.91 <= hits / 400 <= 0.98  # nominal 0.95, 400 studies


NONE = [
    ([0.9] * 50, 49, 1, "single rows"),
    ([0.8, 0.9], 50, 50, "at least 3"),
    ([0.8], 50, 25, "at least 3"),
    ([0.9] * 5, 80, 20, "same in every fold"),
    ([0.7, 0.8, 0.9], [20, 40, 60], 20, "fit on 20 to 60 rows"),
    ([np.nan] * 3, 60, 20, "defined in no fold"),
]


@pytest.mark.parametrize(("values", "train", "test", "why"), NONE)
def test_there_is_no_interval_where_none_is_honest(values, train, test, why):
    ones = np.ones(len(values))
    found = score_interval(values, train * ones, test * ones)
    assert (found.method, found.is_known) == ("none", False)
    assert np.isnan([found.low, found.high]).all()
    assert why in found.sentence


def test_one_hold_out_of_a_proportion_is_wilson():
    found = score_interval([0.85], [200], [100], is_proportion=True)
    assert (found.method, found.low) == ("Wilson", wilson_interval(85, 100).low)


def test_rows_of_few_groups_are_no_independent_rows():
    of_patients = score_interval([0.85], [200], [100], is_proportion=True, n_units=12)
    assert not of_patients.is_known
    assert "100 rows left out are of 12 groups or sequences" in of_patients.sentence
    alone = score_interval([0.85], [200], [100], is_proportion=True, n_units=100)
    assert alone.method == "Wilson"


def test_a_run_counts_the_groups_of_its_test_rows():
    run = Run(data="penguins", method="constant", evaluation=HoldOut())
    in_islands = replace(run, data=replace(run.data, roles=(("island", "group"),)))
    outcome = carried_out(in_islands)
    assert outcome.folds[0].n_units == 1
    assert "are of 1 group, within" in interval_of(outcome, outcome.judge.metric()).sentence
    assert carried_out(run).folds[0].n_units == 0


def test_a_row_drawn_twice_is_one_row_that_was_fitted():
    """By the draws themselves the interval of 20 samples holds the truth in 92 of 100 studies."""
    drawn = BootstrapSplit().splits(100, seed=0)
    distinct, left_out = sizes(drawn)
    np.testing.assert_array_equal(distinct + left_out, 100)
    values = np.random.default_rng(0).normal(size=len(drawn))
    folds = [SimpleNamespace(train=s.train, test=s.test, n_units=0) for s in drawn]
    outcome = SimpleNamespace(done=folds, values=lambda name: values)
    found = interval_of(outcome, OF_NUMBERS[4])
    half = stats.t.ppf(0.975, 19) * corrected_sd(values, distinct, left_out)
    assert found.mean - found.low == pytest.approx(half)


def test_different_rows_of_leave_one_out_are_counted_at_once():
    """Every score of a page asks again: sorting took half a second of 3,000 folds each time."""
    n = 3000
    others = [SimpleNamespace(train=np.delete(np.arange(n), k), test=[k]) for k in range(n)]
    began = time.process_time()
    assert (sizes(others) == [[n - 1], [1]]).all()
    assert time.process_time() - began < 0.25


def test_ends_stay_where_a_score_can_be_and_undefined_folds_are_left_out():
    values = np.array([1.0, 0.98, np.nan, 1.0, 0.9])
    found = score_interval(values, [80] * 5, [20] * 5, least=0, most=1)
    assert found.high == 1.0
    without = score_interval(values[~np.isnan(values)], [80] * 4, [20] * 4)
    assert found.low == without.low
    assert "over 4 splits" in found.sentence


def test_what_makes_no_interval_is_refused():
    with pytest.raises(DataError, match="one score, one training and one test size"):
        score_interval([0.1, 0.2], [10], [10])
    with pytest.raises(DataError, match="at least one row"):
        score_interval([0.1], [10], [0])
    with pytest.raises(DataError, match="successes"):
        wilson_interval(3, 2)
    with pytest.raises(ParamError, match="between 0 and 1"):
        wilson_interval(1, 2, level=95)


def test_the_interval_of_an_outcome_uses_its_folds():
    folds = [SimpleNamespace(train=np.arange(80), test=np.arange(20), n_units=0) for _ in range(5)]
    values = np.array([0.8, 0.85, 0.9, 0.8, 0.95])
    outcome = SimpleNamespace(done=folds, values=lambda name: values)
    assert interval_of(outcome, OF_CLASSES[0]) == score_interval(
        values, [80] * 5, [20] * 5, least=0, most=1
    )
    assert interval_of(outcome, OF_NUMBERS[0]).is_known


def test_the_corrected_interval_covers_where_the_plain_one_does_not():
    """The error of nearest mean, 10 x 10 folds of 100 rows, 60 studies."""
    rng = np.random.default_rng(0)
    corrected = plain = 0
    for _ in range(60):
        values, truth = _study(rng)
        found = score_interval(values, [90] * 100, [10] * 100)
        corrected += found.low <= truth <= found.high
        half = stats.t.ppf(0.975, 99) * values.std(ddof=1) / 10
        plain += abs(values.mean() - truth) <= half
    assert corrected / 60 >= 0.85  # measured 0.95 over 600 studies
    assert plain / 60 <= 0.7  # measured 0.46


def _study(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Accuracy in each of 100 folds, and that of the rule fitted to all rows on new data."""
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 5)) + 0.5 * y[:, None]
    values = []
    for _ in range(10):
        fold = rng.permutation(100) % 10
        values += [
            _accuracy(X[fold != k], y[fold != k], X[fold == k], y[fold == k]) for k in range(10)
        ]
    new = rng.integers(0, 2, 4000)
    return np.array(values), _accuracy(X, y, rng.normal(size=(4000, 5)) + 0.5 * new[:, None], new)


def _accuracy(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> float:
    means = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    apart = ((new[:, None] - means) ** 2).sum(axis=2)
    return float((apart.argmin(axis=1) == truth).mean())
