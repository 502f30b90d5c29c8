"""Rows split, drawn again and drawn afresh: what must hold of every draw, and means by formula."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.classification.lda import LDA
from mlcore.data.sampling.fresh import draw, true_risk
from mlcore.data.sampling.rejection import rejection_sample
from mlcore.data.sampling.resampling import bootstrap_rows, weighted_resample
from mlcore.evaluation.parts import split_rows
from mlcore.spine import registry
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.random import generator
from tests.contract.subjects import is_sentence

TWO, THREE = (2 / 3, 1 / 3), (0.5, 0.25, 0.25)
GENERATORS = [
    name
    for name, cls in registry.entries("source").items()
    if {"n_samples", "seed"} <= {f.name for f in fields(cls)}
]


def assert_partition(parts, n: int) -> None:
    """Disjoint, covering, none empty."""
    assert sorted(np.concatenate(parts)) == list(range(n))
    assert min(map(len, parts)) > 0


@given(st.integers(12, 80), st.sampled_from([TWO, THREE]), st.integers(0, 99))
def test_parts_are_a_partition_of_the_asked_sizes(n, fractions, seed):
    parts = split_rows(n, fractions, seed=seed)
    assert_partition(parts, n)
    for part, share in zip(parts, fractions, strict=True):
        assert abs(len(part) - share * n) < 1


@given(st.lists(st.sampled_from("abcd"), min_size=12, max_size=60), st.sampled_from([TWO, THREE]))
def test_every_part_has_its_share_of_every_class(y, fractions):
    y = np.array(y)
    parts = split_rows(len(y), fractions, stratify=y)
    assert_partition(parts, len(y))
    for part, share in zip(parts, fractions, strict=True):
        for c in np.unique(y):
            assert abs((y[part] == c).sum() - share * (y == c).sum()) < 1
    if len(fractions) == 2:
        assert abs(len(parts[0]) - fractions[0] * len(y)) < 1


@given(st.lists(st.integers(0, 9), min_size=20, max_size=60).filter(lambda g: len(set(g)) > 2))
def test_groups_stay_together(groups):
    held = np.array(groups)
    parts = split_rows(len(held), THREE, groups=held)
    assert_partition(parts, len(held))
    found = [set(held[part]) for part in parts]
    assert sum(map(len, found)) == len(set(groups))


def test_parts_follow_one_another_in_time():
    time = generator(0, "time").permutation(30)
    parts = split_rows(30, THREE, order=time)
    assert_partition(parts, 30)
    assert time[parts[0]].max() < time[parts[1]].min()
    assert time[parts[1]].max() < time[parts[2]].min()


def test_seeds_draw_parts():
    one, same, other = (split_rows(40, seed=seed)[0].tolist() for seed in (1, 1, 2))
    assert one == same
    assert one != other


@given(st.integers(1, 60), st.integers(0, 99))
def test_a_bootstrap_leaves_out_what_it_does_not_draw(n, seed):
    found = bootstrap_rows(n, seed=seed)
    assert len(found.rows) == n
    assert set(found.rows) | set(found.left_out) == set(range(n))
    assert not set(found.rows) & set(found.left_out)


def test_a_bootstrap_leaves_out_a_third():
    assert len(bootstrap_rows(10_000).left_out) / 10_000 == pytest.approx(np.exp(-1), abs=0.02)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=8).filter(lambda w: max(w) > 1e-6))
def test_systematic_draws_are_the_expected_ones_but_for_one(weights):
    counts = np.bincount(weighted_resample(weights, 50, "systematic").rows, minlength=len(weights))
    expected = 50 * np.array(weights) / sum(weights)
    assert (np.abs(counts - expected) < 1 + 1e-9).all()


@pytest.mark.parametrize("scheme", ["independent", "systematic"])
def test_rows_are_drawn_by_their_weight(scheme):
    found = weighted_resample([0.0, 1.0, 3.0, 0.0], 8000, scheme)
    assert found.left_out.tolist() == [0, 3]
    assert (found.rows == 2).mean() == pytest.approx(0.75, abs=0.02)


def test_what_rejection_keeps_follows_the_density():
    found = rejection_sample(lambda X: X[:, 0], [[0, 1]], attempts=20_000)
    assert found.attempts == 20_000
    assert found.integral == pytest.approx(0.5, abs=0.015)
    assert found.points.mean() == pytest.approx(2 / 3, abs=0.01)


def test_rejection_estimates_the_area_of_a_disc():
    found = rejection_sample(lambda X: 1.0 * ((X**2).sum(axis=1) <= 1), [[-1, 1]] * 2, 20_000)
    assert found.integral == pytest.approx(np.pi, abs=0.05)
    assert (np.linalg.norm(found.points, axis=1) <= 1).all()


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_draw_fresh_rows(name):
    one, same, other = draw(name, 20, 1), draw(name, 20, 1), draw(name, 20, 2)
    np.testing.assert_array_equal(one.X, same.X)
    assert one.X.shape != other.X.shape or not np.array_equal(one.X, other.X, equal_nan=True)


def test_the_real_risk_of_the_best_rule_is_the_error_of_bayes():
    rows = draw("gaussians", 2000, 3)
    fit = LDA().fit(rows.X, rows.y)
    found = true_risk("gaussians", fit.predict, 4000)
    assert found.loss == "zero_one"
    best = rows.truth.bayes_error
    assert found.value > best - 4 * found.error
    assert found.error == pytest.approx(np.sqrt(found.value * (1 - found.value) / 4000))


def test_what_is_learned_of_blobs_holds_for_fresh_ones():
    rows = draw("blobs", 60, 3)
    found = true_risk("blobs", LDA().fit(rows.X, rows.y).predict, 1000)
    assert found.value == pytest.approx(rows.truth.bayes_error, abs=0.005)


def test_the_seed_alters_a_picture_and_takes_no_other():
    source = registry.lookup("source", "altered_pictures")(change="moved")
    brightness = [draw(source, 3, seed).X.sum(axis=1) for seed in (0, 1)]
    np.testing.assert_allclose(brightness[0], brightness[1])


def test_the_real_risk_of_a_quantity_is_a_mean_square():
    rows = draw("curve", 4000, 2**31 - 1)
    found = true_risk("curve", lambda X: np.zeros(len(X)), 4000)
    assert found.loss == "squared"
    assert found.value == pytest.approx((rows.y**2).mean())


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: split_rows(10, (0.5, 0.4)),
        lambda: split_rows(10, (1.0,)),
        lambda: split_rows(10, (1.5, -0.5)),
        lambda: split_rows(1),
        lambda: split_rows(2, (0.9, 0.1)),
        lambda: split_rows(4, groups=[1, 1, 1, 1]),
        lambda: split_rows(4, groups=[1, 1, 2]),
        lambda: split_rows(2, groups=[1, 2], order=[1, 2]),
        lambda: bootstrap_rows(0),
        lambda: bootstrap_rows(3, size=0),
        lambda: weighted_resample([0.0, 0.0]),
        lambda: weighted_resample([1.0, -1.0]),
        lambda: weighted_resample([1.0], scheme="magic"),
        lambda: rejection_sample(lambda X: 2 * np.ones(len(X)), [[0, 1]]),
        lambda: rejection_sample(lambda X: np.ones(3), [[0, 1]]),
        lambda: rejection_sample(lambda X: np.ones(len(X)), [[1, 0]]),
        lambda: rejection_sample(lambda X: np.ones(len(X)), [[0, 1]], attempts=0),
        lambda: draw("bundled", 10),
        lambda: draw("blobs", 1),
        lambda: true_risk("density", lambda X: X),
        lambda: true_risk("blobs", lambda X: X, loss="hinge"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong):
    with pytest.raises((DataError, ParamError)) as caught:
        wrong()
    assert is_sentence(str(caught.value))
