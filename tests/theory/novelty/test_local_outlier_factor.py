"""Local outlier factors: by hand, in even crowds, free of scale."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.novelty.local_outlier_factor import LocalOutlierFactor


def test_factors_of_four_rows_by_hand():
    """Rows 0, 1, 2 and 10 with one neighbour: reaches 1, 1, 1, 8; of ties the first counts."""
    fit = LocalOutlierFactor(n_neighbors=1).fit([[0.0], [1.0], [2.0], [10.0]])
    np.testing.assert_allclose(fit.reach, [1.0, 1.0, 1.0, 8.0])
    np.testing.assert_allclose(fit.density, [1.0, 1.0, 1.0, 0.125])
    np.testing.assert_allclose(fit.own_usualness, [-1.0, -1.0, -1.0, -8.0])
    assert fit.usualness([[4.0]])[0] == pytest.approx(-2.0)


def test_in_an_endless_even_crowd_every_factor_is_one():
    at = np.arange(400.0)[:, None]
    own = LocalOutlierFactor(n_neighbors=10).fit(at).own_usualness
    np.testing.assert_allclose(own[40:-40], -1.0, rtol=1e-8)


def test_thin_and_dense_crowds_are_equally_usual():
    rng = np.random.default_rng(0)
    dense, thin = rng.normal(size=(300, 2)), 20.0 * rng.normal(size=(300, 2)) + 200.0
    fit = LocalOutlierFactor(contamination=0.05).fit(np.vstack([dense, thin]))
    outside = fit.own_usualness < fit.threshold
    assert 5 <= outside[:300].sum() <= 25
    # As far from the dense crowd as the rows of the thin one are from each other, and yet new.
    assert fit.predict([[12.0, 0.0], [212.0, 200.0]]).tolist() == [-1, 1]


@pytest.mark.parametrize("unit", [2.0**10, 2.0**-30, 2.0**-200])
def test_units_do_not_matter(unit):
    X = np.random.default_rng(1).normal(size=(80, 3))
    fit, other = (LocalOutlierFactor().fit(scale * X) for scale in (1.0, unit))
    np.testing.assert_allclose(other.own_usualness, fit.own_usualness, rtol=1e-6)
    new = X[:9] + 0.3
    np.testing.assert_allclose(other.usualness(unit * new), fit.usualness(new), rtol=1e-6)


def test_equal_rows_are_told_and_stay_finite():
    X = np.vstack([np.zeros((5, 2)), np.random.default_rng(2).normal(size=(20, 2))])
    fit = LocalOutlierFactor(n_neighbors=3).fit(X)
    assert np.isfinite(fit.own_usualness).all()
    assert "equal as many others" in fit.notes[-1]
