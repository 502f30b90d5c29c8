"""Calibration against scikit-learn, on the same probabilities and the same folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve as peer_curve
from sklearn.metrics import brier_score_loss

from mlcore.evaluation.metrics.calibration import brier_parts, calibration_curve

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("bins", ["uniform", "quantile"])
@pytest.mark.parametrize("digits", [1, 12])  # ties fall into one bin
def test_the_curve(bins, digits):
    p = RNG.beta(0.7, 0.9, 400).round(digits)
    y = RNG.uniform(size=400) < p**1.5
    ours = calibration_curve(y, p, n_bins=8, bins=bins)
    observed, predicted = peer_curve(y, p, n_bins=8, strategy=bins)
    np.testing.assert_allclose(ours.observed, observed, rtol=1e-12)
    np.testing.assert_allclose(ours.predicted, predicted, rtol=1e-12)
    assert brier_parts(y, p).brier == pytest.approx(brier_score_loss(y, p), abs=1e-14)
