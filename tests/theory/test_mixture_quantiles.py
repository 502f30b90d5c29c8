"""Quantiles of mixtures of normal distributions."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from mlcore.gaussians.quantiles import mixture_quantiles

SHARES = np.array([0.025, 0.25, 0.5, 0.975])


def test_that_share_lies_below_each():
    rng = np.random.default_rng(0)
    weights, means, deviations = rng.dirichlet(np.ones(5), 7), rng.normal(size=5), rng.random(5)
    q = mixture_quantiles(weights, means, deviations, SHARES)
    below = np.einsum("hc,hqc->hq", weights, ndtr((q[:, :, None] - means) / deviations))
    np.testing.assert_allclose(below, np.tile(SHARES, (7, 1)), atol=1e-12)


def test_of_one_distribution_they_are_known_in_any_unit():
    q = mixture_quantiles(np.ones((1, 1)), np.array([1e9]), np.array([3e-3]), SHARES)
    np.testing.assert_allclose(q[0] - 1e9, 3e-3 * ndtri(SHARES), atol=3e-7)
