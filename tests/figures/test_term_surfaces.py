"""The picture of what two variables add only together."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.regression import term_surfaces
from mlcore.regression.generalised_additive import GeneralisedAdditive
from tests.figures import made


def test_a_product_is_a_saddle_in_the_units_of_the_table():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 3)) * [10.0, 1.0, 1.0]
    data = made.dataset(X, X[:, 0] * X[:, 1] + 2 * X[:, 2] + 0.1 * rng.normal(size=300))
    whole = made.whole(data, GeneralisedAdditive(surfaces=("x1", "x2")))
    assert term_surfaces.has_surfaces(data, whole)
    s = term_surfaces.numbers(data, whole)
    (surface,) = s.surfaces
    assert (surface.x.name, surface.y.name) == ("x1", "x2")
    means = X.mean(axis=0)
    left = np.outer(surface.up - means[1], surface.across - means[0])  # the rest is in the curves
    expected = left - np.mean((X[:, 0] - means[0]) * (X[:, 1] - means[1]))
    inner = np.s_[4:-4, 4:-4]
    assert np.abs(surface.values - expected)[inner].max() < 0.6  # of values from -10 to 10
    assert surface.spread == pytest.approx(
        np.std((X[:, 0] - means[0]) * (X[:, 1] - means[1])), rel=0.1
    )
    assert "x1 and x2 together move" in term_surfaces.reading(s)
    assert not term_surfaces.has_surfaces(data, made.whole(data, GeneralisedAdditive()))
