"""What the theory says of random projections, without a reference."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits

from mlcore.evaluation.map_neighbours import neighbours_kept
from mlcore.evaluation.map_scores import Stress
from mlcore.reduction.random_projection import RandomProjection, enough

ROWS = np.random.default_rng(0).normal(size=(40, 300))
KINDS = ("gaussian", "orthogonal")


@pytest.mark.parametrize("kind", KINDS)
def test_lengths_are_kept_on_average(kind):
    """The mean over draws is 1, its deviation as for k numbers of a normal distribution."""
    ratios = np.array([
        RandomProjection(n_components=10, kind=kind).fit(ROWS, seed=s).length_ratios(ROWS[:1])[0]
        for s in range(400)
    ])  # fmt: skip
    assert ratios.mean() == pytest.approx(1, abs=4 * sqrt(2 / 10 / 400))
    # Four standard errors of a deviation of 400 draws.
    assert ratios.std() == pytest.approx(sqrt(2 / 10), rel=0.15)


@pytest.mark.parametrize("kind", KINDS)
def test_without_the_constant_lengths_are_off_by_it(kind):
    long, plain = (
        RandomProjection(n_components=30, kind=kind, rescale=r).fit(ROWS) for r in (True, False)
    )
    c = 1 / sqrt(30) if kind == "gaussian" else sqrt(300 / 30)
    np.testing.assert_allclose(long.directions, c * plain.directions)


def test_rows_of_a_rotation_are_orthonormal():
    D = RandomProjection(n_components=20, kind="orthogonal", rescale=False).fit(ROWS).directions
    np.testing.assert_allclose(D @ D.T, np.eye(20), atol=1e-12)


def test_every_rotation_is_as_likely():
    """Each entry of a direction is positive in half of the draws, also the first."""
    turn = RandomProjection(n_components=2, kind="orthogonal")
    drawn = np.array([turn.fit(ROWS[:2, :3], seed=s).directions for s in range(400)])
    assert np.abs((drawn > 0).mean(axis=0) - 0.5).max() < 0.1


def test_all_directions_of_a_rotation_keep_every_distance():
    fit = RandomProjection(n_components=300, kind="orthogonal").fit(ROWS)
    np.testing.assert_allclose(pdist(fit.transform(ROWS)), pdist(ROWS))


def test_auto_keeps_all_squared_distances_within_the_error():
    rows = np.random.default_rng(1).normal(size=(30, 2000))
    fit = RandomProjection(eps=0.2).fit(rows)
    assert len(fit.out_columns) == enough(30, 0.2) == 785
    assert not fit.notes
    ratios = pdist(fit.transform(rows)) ** 2 / pdist(rows) ** 2
    assert 0.8 < ratios.min() < ratios.max() < 1.2


def test_the_bound_by_hand():
    # 4 ln 100 = 18.4207 over 0.125 - 0.0416667 = 0.0833333
    assert enough(100, 0.5) == 222
    assert enough(1, 0.5) == 1


def test_more_than_the_columns_is_said():
    few = RandomProjection().fit(ROWS[:, :5])
    assert len(few.directions) == 5
    assert "within 10 %" in few.notes[0]
    assert "there are only 5 columns" in few.notes[0]
    assert "only 5 columns" in RandomProjection(n_components=9).fit(ROWS[:, :5]).notes[0]


def test_a_row_of_zeros_keeps_its_length():
    fit = RandomProjection(n_components=3).fit(ROWS)
    assert fit.length_ratios(np.zeros((1, 300)))[0] == 1.0


def test_more_directions_keep_neighbours_better():
    X = load_digits().data[:300]
    kept = [
        neighbours_kept(X, RandomProjection(n_components=k).fit(X).transform(X)).trustworthiness
        for k in (2, 8, 32)
    ]
    assert kept[0] < 0.8 < kept[1] < 0.95 < kept[2]


def test_its_baseline_has_as_many_columns_as_it_or_all():
    scoring = Stress()
    assert scoring.baseline_of(RandomProjection(n_components=3)).n_columns == 3
    assert scoring.baseline_of(RandomProjection()).n_columns is None
    fit = scoring.baseline_of(RandomProjection()).fit(ROWS[:, :7])
    assert fit.transform(ROWS[:, :7]).shape == (40, 7)
