"""Pictures of calibration and coverage, checked on values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.numbers import coverage
from figures.views.evaluation import coverage as pictures
from figures.views.evaluation import reliability
from mlcore.evaluation.conformal.own_intervals import OwnIntervals
from mlcore.evaluation.metrics.calibration import BrierParts
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup
from tests.figures import made

N = 40
RNG = np.random.default_rng(5)


def numbers_left_out():
    """Two folds whose errors are 1 .. 20 each, and intervals of its own that hold half of them."""
    y = np.tile(np.arange(1.0, 21.0), 2)
    data = made.dataset(np.column_stack([np.repeat([0.0, 1.0], 20), y]), y)
    levels, ends = np.array([0.5]), np.tile([[0.0, 10.0]], (20, 1))[:, None]
    own = OwnIntervals(levels, ends, np.ones(20))
    folds = [
        made.fold(k, range(20 * k, 20 * k + 20), np.zeros(20), n=N, own_intervals=own)
        for k in (0, 1)
    ]
    return data, made.outcome(folds, lookup("regression", "ridge")())


def test_coverage_is_counted_by_hand():
    c = coverage.coverage(*numbers_left_out(), level=0.9, by=None)
    plain, scaled, own = c.lines
    # Of 20 rows the ceil(21 * 0.9) = 19th error is the limit: 19 of 20 lie below it.
    at = plain.levels.tolist().index(0.9)
    assert plain.observed[at] == scaled.observed[at] == 0.95
    assert plain.size[at] == 38.0
    assert np.isinf(plain.size[-1]) and plain.observed[-1] == 1.0  # 0.99 of 20 rows
    assert (own.observed.tolist(), own.size.tolist()) == ([0.5], [10.0])
    text = pictures.reading(c)
    assert "conformal 95 % of 90 % promised, 38.0 wide on average" in text
    assert "n" in text and c.n == N


def test_groups_are_levels_or_quarters():
    data, outcome = numbers_left_out()
    by_level = coverage.coverage(data, outcome, 0.5, "x1")
    assert [(g.group, g.n) for g in by_level.groups if g.way == 2] == [("0", 20), ("1", 20)]
    quarters = coverage.coverage(data, outcome, 0.5, "y")
    own = [g for g in quarters.groups if g.way == 2]
    assert [g.observed for g in own] == [1.0, 1.0, 0.0, 0.0]
    assert own[0].group.startswith("up to ")
    assert "hold least of above" in pictures.reading(quarters)
    assert len(pictures.table(quarters)[0].values) == 12


def test_label_sets_are_judged_by_the_other_folds():
    P = RNG.dirichlet([2, 1, 1], N)
    y = (RNG.uniform(size=(N, 1)) > P.cumsum(axis=1)).sum(axis=1)
    data = made.dataset(np.zeros((N, 1)), y, classes=("a", "b", "c"))
    halves = np.array_split(np.arange(N), 2)
    folds = [
        made.fold(k, rows, P[rows].argmax(axis=1), n=N, probabilities=P[rows])
        for k, rows in enumerate(halves)
    ]
    outcome = made.outcome(folds, lookup("classification", "lda")())
    least, _ = coverage.coverage(data, outcome, 0.8, None).lines
    at = least.levels.tolist().index(0.8)
    own, hits, sizes = 1 - P[np.arange(N), y], [], []
    for mine, others in (halves, halves[::-1]):
        limit = np.sort(own[others])[16]  # ceil(21 * 0.8) = 17th
        hits += (own[mine] <= limit).tolist()
        sizes += (1 - P[mine] <= limit).sum(axis=1).tolist()
    assert least.observed[at] == pytest.approx(np.mean(hits))
    assert least.size[at] == pytest.approx(np.mean(sizes))


def test_a_row_that_was_left_out_twice_counts_once():
    data, outcome = numbers_left_out()
    again = [replace(fold, k=fold.k + 2) for fold in outcome.folds]
    twice = replace(outcome, folds=(*outcome.folds, *again))
    assert coverage.coverage(data, twice, 0.9, None).n == N


def test_calibration_is_counted_by_hand():
    p = np.array([0.1, 0.1, 0.3, 0.3, 0.8, 0.8, 0.8, 0.8])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    data = made.dataset(np.zeros((8, 1)), y, classes=("no", "yes"))
    P = np.column_stack([1 - p, p])
    fold = made.fold(0, range(8), P.argmax(axis=1), n=8, probabilities=P)
    outcome = made.outcome([fold], lookup("classification", "lda")())
    r = reliability.numbers(data, outcome, reliability.ReliabilityOptions(n_bins=5))
    np.testing.assert_allclose(r.curve.predicted, [0.1, 0.3, 0.8])
    np.testing.assert_allclose(r.curve.observed, [0, 0.5, 0.75])
    assert r.error == pytest.approx((2 * 0.1 + 2 * 0.2 + 4 * 0.05) / 8)
    assert r.parts.brier == pytest.approx(((p - y) ** 2).mean())
    assert r.parts.within == pytest.approx(0)  # one probability a bin
    assert r.name == "yes"
    swapped = reliability.numbers(
        data, outcome, reliability.ReliabilityOptions(positive="no", n_bins=5)
    )
    np.testing.assert_allclose(swapped.curve.observed, [0.25, 0.5, 1])
    assert "Brier score" in reliability.reading(r) and reliability.reading(r).endswith("5 rows.")
    exact = r._replace(error=6e-7, parts=BrierParts(4e-13, 1e-9, 0.247, -2e-5))
    said = "= reliability 0.000 − resolution 0.000 + uncertainty 0.247 + 0.000 within"
    assert f"Brier score 0.247 {said}" in reliability.reading(exact)
    assert said in reliability.reading(exact)
    assert "calibration error 0.00 over" in reliability.reading(exact)
    rows = np.array([1, *[reliability.FEW] * (len(r.curve.rows) - 1)])
    lone = r._replace(curve=r.curve._replace(rows=rows))
    assert reliability.reading(lone).endswith("; 1 holds fewer than 5 rows.")


def test_of_several_classes_the_predicted_one_is_judged():
    P = RNG.dirichlet([1, 1, 1], N)
    data = made.dataset(np.zeros((N, 1)), np.arange(N) % 3, classes=("a", "b", "c"))
    fold = made.fold(0, range(N), P.argmax(axis=1), n=N, probabilities=P)
    outcome = made.outcome([fold], lookup("classification", "lda")())
    r = reliability.numbers(data, outcome, reliability.ReliabilityOptions())
    right = P.argmax(axis=1) == np.arange(N) % 3
    assert r.curve.shares @ r.curve.observed == pytest.approx(right.mean())
    assert r.name == reliability.TOP


def test_intervals_of_the_method_are_kept_by_the_folds():
    """So that their coverage can be shown without fitting again."""
    from mlcore.runs.carry import carried_out

    run = Run(data="longley", method="bayesian_linear")
    outcome = carried_out(run)
    assert all(
        f.own_intervals is not None and f.own_intervals.ends.shape[0] == len(f.test)
        for f in outcome.folds
    )
    c = coverage.coverage(run.data.dataset(), outcome, 0.9, None)
    assert [line.name for line in c.lines] == [
        coverage.ABSOLUTE, coverage.NORMALISED, coverage.OWN,
    ]  # fmt: skip
