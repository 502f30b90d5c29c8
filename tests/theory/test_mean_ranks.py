"""Ranks with ties, against scipy.stats, which the app itself must not import."""

import numpy as np
from scipy.stats import rankdata

from mlcore.maths.ranks import mean_ranks


def test_the_places_are_those_of_scipy():
    rng = np.random.default_rng(0)
    for values in (rng.integers(4, size=30), rng.normal(size=30), np.zeros(3), np.array([])):
        np.testing.assert_array_equal(mean_ranks(values), rankdata(values))
