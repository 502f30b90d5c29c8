"""Conformal sets and intervals: their definitions row by row, and the coverage they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from mlcore.evaluation.conformal.intervals import cross_intervals, interval_errors
from mlcore.evaluation.conformal.kept import binomial_band, limits_by_other_folds
from mlcore.evaluation.conformal.quantile import (
    conformal_quantile,
    least_rows,
    shares_of_groups,
    too_few,
)
from mlcore.evaluation.conformal.sets import WAYS, label_errors, label_p_values, label_sets
from mlcore.spine.errors import ParamError

RNG = np.random.default_rng(3)
BEGIN = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def _own_numbers():
    """Each test draws the same numbers, whichever tests were run before it."""
    RNG.bit_generator.state = BEGIN


SURE = 1e-5  # of a correct promise, how seldom a test of it may fail


def test_the_quantile_by_hand():
    scores = [4.0, 1.0, 3.0, 2.0]
    assert conformal_quantile(scores, 0.6) == 3.0  # ceil(5 * 0.6) = 3rd smallest
    assert conformal_quantile(scores, 0.61) == 4.0
    assert conformal_quantile(scores, 0.9) == np.inf  # the 5th of 4
    # 0.55 * 100 is above 55 in floating point, and the 55th is meant.
    assert conformal_quantile(np.arange(1.0, 100.0), 0.55) == 55.0
    with pytest.raises(ParamError, match="between 0 and 1; got 1"):
        conformal_quantile(scores, 1.0)


def test_too_few_rows_say_how_many_it_takes():
    assert [least_rows(c) for c in (0.8, 0.9, 0.95, 0.99)] == [4, 9, 19, 99]
    assert too_few(19, 0.95) is None
    assert too_few(18, 0.95) == (
        "An interval of 0.95 from 18 rows left out holds everything: it takes at least 19. "
        "Promise less, or bring more rows."
    )
    ends = cross_intervals([np.ones(3)], [np.zeros(2)], 0.95)
    assert np.isinf(ends).all()


def test_errors_by_hand():
    y = np.array([1.0, 5.0, 3.0])
    np.testing.assert_array_equal(interval_errors(y, [2.0, 2.0, 3.0]), [1, 3, 0])
    np.testing.assert_array_equal(interval_errors(y, [2.0, 2.0, 3.0], [2, 2, 2]), [0.5, 1.5, 0])
    between = [[2.0, 3.0], [2.0, 3.0], [0.0, 4.0]]
    np.testing.assert_array_equal(interval_errors(y, between), [1, 2, -1])  # -1: 1 to spare
    P = np.array([[0.5, 0.2, 0.3]])
    np.testing.assert_allclose(label_errors(P), [[0.5, 0.8, 0.7]])
    np.testing.assert_allclose(label_errors(P, "adaptive", [0.5]), [[0.25, 0.9, 0.65]])


def test_split_intervals_are_the_prediction_and_one_quantile():
    errors, new = RNG.exponential(size=50), RNG.normal(size=4)
    ends = cross_intervals([errors], [new], 0.9)
    q = np.sort(errors)[45]  # ceil(51 * 0.9) = 46th
    np.testing.assert_array_equal(ends, np.column_stack([new - q, new + q]))


@pytest.mark.parametrize("is_tied", [False, True])
@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.95])
def test_intervals_are_the_quantiles_of_all_folds(coverage, is_tied):
    """Scaled and around two ends; leave-one-out is the case of folds of one row (jackknife+)."""
    for sizes in ((20, 19), (1,) * 30, (0, 25)):
        own = [RNG.normal(size=n) for n in sizes]
        new = [RNG.normal(size=(7, 2)).cumsum(axis=1) for _ in sizes]
        scales = [RNG.uniform(0.5, 2, 7) for _ in sizes]
        if is_tied:
            own, new = [o.round() for o in own], [f.round() for f in new]
            scales = [np.ones(7) for _ in sizes]
        ends = cross_intervals(own, new, coverage, scales)
        n = sum(sizes)
        at = int(np.ceil(round(coverage * (n + 1), 9)))
        for i in range(7):
            each = list(zip(new, own, scales, strict=True))
            low = np.sort(np.concatenate([p[i, 0] - e * s[i] for p, e, s in each]))
            high = np.sort(np.concatenate([p[i, 1] + e * s[i] for p, e, s in each]))
            assert ends[i].tolist() == [low[n - at], high[at - 1]]


def test_rows_that_are_not_predicted_have_no_interval():
    new = [np.array([0.0, np.nan]), np.array([1.0, np.nan])]
    ends = cross_intervals([np.ones(20), np.ones(20)], new, 0.9)
    assert ends[0].tolist() == [-1, 2]
    assert np.isnan(ends[1]).all()
    p = label_p_values([np.ones(5)], [np.array([[0.5, np.nan]])])
    assert not label_sets(p, 5, 0.5)[0, 1]


def test_sets_are_those_of_the_definition():
    for coverage in (0.8, 0.9):
        own = [RNG.uniform(size=9).round(1), RNG.uniform(size=10).round(1)]
        new = [RNG.uniform(size=(9, 3)).round(1) for _ in own]
        p = label_p_values(own, new)
        sets = label_sets(p, 19, coverage)
        for i in range(9):
            for k in range(3):
                strange = sum((o >= e[i, k]).sum() for o, e in zip(own, new, strict=True))
                assert p[i, k] == (strange + 1) / 20
                assert sets[i, k] == (strange + 1 > round((1 - coverage) * 20, 9))


def line(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose noise has heavy tails and grows."""
    x = RNG.uniform(0.5, 2, size=n)
    return x, 2 * x + x * RNG.standard_t(3, n)


def slope(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y / (x @ x))


@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_split_coverage_is_what_is_promised(coverage, is_scaled):
    """One new row a sample, so that all are independent: hits are binomial."""
    hits, runs = 0, 1500
    for _ in range(runs):
        (x, y), (a, truth), (new, told) = line(15), line(39), line(1)
        b = slope(x, y)
        own = interval_errors(truth, b * a, a if is_scaled else None)
        ends = cross_intervals([own], [b * new], coverage, [new] if is_scaled else None)
        hits += int(ends[0, 0] <= told[0] <= ends[0, 1])
    # 40 times the coverage is whole, so that it is met exactly.
    low, high = binom.ppf([SURE / 2, 1 - SURE / 2], runs, coverage)
    assert low <= hits <= high


@pytest.mark.parametrize(("n_folds", "as_a_rule"), [(4, 0.865), (24, 0.8)])
def test_cross_coverage_keeps_its_guarantee(n_folds, as_a_rule):
    """At least 1 - 2 (1 - coverage), for a model that chases the rows it has seen (1-NN)."""
    coverage, runs, hits, widths = 0.8, 1200, 0, []
    for _ in range(runs):
        (x, y), (new, told) = line(24), line(1)
        own, new_ones = [], []
        for fold in np.array_split(np.arange(24), n_folds):
            rest = np.setdiff1d(np.arange(24), fold)
            near = np.abs(x[fold][:, None] - x[rest]).argmin(axis=1)
            own.append(interval_errors(y[fold], y[rest][near]))
            new_ones.append(y[rest][np.abs(new[:, None] - x[rest]).argmin(axis=1)])
        ends = cross_intervals(own, new_ones, coverage)
        hits += int(ends[0, 0] <= told[0] <= ends[0, 1])
        widths.append(np.ptp(ends))
    assert hits >= binom.ppf(SURE, runs, 1 - 2 * (1 - coverage))
    # As a rule what is promised, and more where the models of few folds chase rows of their own:
    # 0.865 in 6000 draws of 4 folds. Four standard deviations of 1200 draws are 0.04.
    assert hits == pytest.approx(as_a_rule * runs, abs=0.04 * runs)


@pytest.mark.parametrize("way", WAYS)
def test_sets_hold_what_they_promise_and_no_more(way):
    """With the last label at random, adaptive sets meet the promise from above and below."""
    coverage, hits, runs = 0.9, 0, 1500
    for _ in range(runs):
        P = RNG.dirichlet([2, 1, 0.5], 40)
        y = (RNG.uniform(size=(40, 1)) > P.cumsum(axis=1)).sum(axis=1)
        errors = label_errors(P, way, RNG.uniform(size=40))
        own = errors[np.arange(39), y[:39]]
        sets = label_sets(label_p_values([own], [errors[39:]]), 39, coverage)
        hits += int(sets[0, y[39]])
    low, high = binom.ppf([SURE / 2, 1 - SURE / 2], runs, coverage)
    assert low <= hits <= high


def test_rows_of_a_group_count_as_one_together():
    """Intervals and sets by the definition: a row counts one over the rows of its group."""
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 8, 8])
    w = shares_of_groups(groups)
    assert w.sum() == pytest.approx(9)
    errors, new = RNG.exponential(size=16), RNG.normal(size=5)
    half = [slice(0, 6), slice(6, 16)]
    parts, weights = [errors[h] for h in half], [w[h] for h in half]
    order = np.argsort(errors)
    q = errors[order][np.argmax(w[order].cumsum() >= 0.8 * 10 - 1e-9)]
    ends = cross_intervals(parts, [new, new], 0.8, weights=weights)
    np.testing.assert_array_equal(ends, np.column_stack([new - q, new + q]))
    assert np.isinf(cross_intervals(parts, [new, new], 0.95, weights=weights)).all()
    strange = RNG.exponential(size=(5, 2))
    p = label_p_values(parts, [strange, strange], weights)
    np.testing.assert_allclose(p, ((errors >= strange[..., None]) @ w + 1) / 10)
    alone = [np.ones(6), np.ones(10)]
    np.testing.assert_array_equal(
        cross_intervals(parts, [new, new], 0.8, weights=alone),
        cross_intervals(parts, [new, new], 0.8),
    )


def test_a_row_of_another_group_lies_inside_as_often_as_promised():
    """Rows of a group share a shift; groups differ in size with it, so that rows alone mislead."""
    hits, alone, runs, K = 0, 0, 400, 9
    for _ in range(runs):
        shifts = RNG.normal(size=K + 1)
        groups = np.repeat(np.arange(K + 1), np.where(np.abs(shifts) < 0.7, 30, 1))
        errors = np.abs(shifts[groups] + 0.1 * RNG.normal(size=len(groups)))
        told, new = errors[groups < K], errors[groups == K][0]
        w = shares_of_groups(groups[groups < K])
        hits += int(new <= cross_intervals([told], [np.zeros(1)], 0.8, weights=[w])[0, 1])
        alone += int(new <= conformal_quantile(told, 0.8))
    low, high = binom.ppf([SURE / 2, 1 - SURE / 2], runs, 0.8)
    assert low <= hits <= high
    assert alone < low  # what rows that are taken for independent promise is not kept


def test_a_fold_is_judged_by_the_others():
    errors, folds = np.array([1.0, 2, 3, 4, 5, 6]), np.array([0, 0, 0, 1, 1, 1])
    limits = limits_by_other_folds(errors, folds, [0.5, 0.7])
    np.testing.assert_array_equal(limits[:, 0], [5, 5, 5, 2, 2, 2])  # 2nd of 3
    np.testing.assert_array_equal(limits[:, 1], [6, 6, 6, 3, 3, 3])
    one = limits_by_other_folds(errors, np.zeros(6), [0.5])
    np.testing.assert_array_equal(one[:, 0], [4, 3, 4, 3, 4, 3])
    # Groups a, a, b and c, d, d: of the others two, 1.5 of which lie at or below the limit.
    grouped = limits_by_other_folds(errors, folds, [0.5, 0.7], [0, 0, 1, 2, 3, 3])
    np.testing.assert_array_equal(grouped[:, 0], [5, 5, 5, 3, 3, 3])
    np.testing.assert_array_equal(grouped[:, 1], [np.inf] * 6)
    halves = limits_by_other_folds(errors, np.zeros(6), [0.5], [0, 0, 1, 2, 3, 3])
    np.testing.assert_array_equal(halves[:, 0], [5, 5, 4, 5, 4, 4])


def test_the_band_is_that_of_the_binomial_distribution():
    levels = np.array([0.5, 0.9, 0.99])
    expected = np.stack([binom.ppf(q, 60, levels) / 60 for q in (0.025, 0.975)], axis=1)
    np.testing.assert_allclose(binomial_band(60, levels), expected, atol=1e-12)
