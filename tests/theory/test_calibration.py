"""Maps from scores to probabilities: by hand, at their minimum, and on rows of known truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from mlcore.ensembles.calibrated import Calibrated
from mlcore.ensembles.probability_maps import isotonic_map, platt_scaling, temperature_scaling
from mlcore.evaluation.metrics.calibration import expected_calibration_error
from mlcore.evaluation.metrics.ranking import log_loss
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.registry import lookup
from tests.figures.standins import SilentMeans

RNG = np.random.default_rng(8)


def test_violators_are_pooled_by_hand():
    knots = isotonic_map([1.0, 2.0, 3.0, 4.0, 4.0], [0, 1, 0, 1, 1])
    np.testing.assert_allclose(knots, [[1, 0], [2, 0.5], [3, 0.5], [4, 1]])
    heavy = isotonic_map([1.0, 2.0], [1, 0], [3.0, 1.0])
    np.testing.assert_allclose(heavy, [[1, 0.75], [2, 0.75]])


def test_a_sigmoid_stays_finite_where_scores_separate():
    slope, offset = platt_scaling([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    assert 0 < slope < 10 and offset == pytest.approx(0, abs=1e-8)
    p = expit(slope * np.array([-2.0, -1.0, 1.0, 2.0]))
    # Where the slopes of the log loss vanish, probabilities and targets (3/4, 1/4) agree in mean.
    assert (np.array([-2, -1, 1, 2]) @ (p - [0.25, 0.25, 0.75, 0.75])) == pytest.approx(0, abs=1e-7)


def test_weights_are_rows_that_come_again():
    s, y, w = RNG.normal(size=30), RNG.integers(0, 2, 30), RNG.integers(1, 4, 30)
    many, own = np.repeat(s, w), np.repeat(y, w)
    np.testing.assert_allclose(platt_scaling(s, y, w), platt_scaling(many, own), rtol=1e-6)
    np.testing.assert_allclose(isotonic_map(s, y, w), isotonic_map(many, own))
    S = np.column_stack([s, -s, RNG.normal(size=30)])
    told = temperature_scaling(np.repeat(S, w, axis=0), own)
    assert temperature_scaling(S, y, w) == pytest.approx(told)


def test_maps_find_what_spoilt_the_scores():
    s = RNG.normal(size=20_000) * 2
    y = RNG.uniform(size=len(s)) < expit(s)
    slope, offset = platt_scaling(3 * s + 1, y)
    # Four standard errors of a slope of 20,000 rows, two and a half of an offset.
    assert (slope, offset) == (pytest.approx(1 / 3, rel=0.05), pytest.approx(-1 / 3, abs=0.05))
    assert temperature_scaling((4 * s)[:, None], y.astype(int)) == pytest.approx(0.25, rel=0.05)
    knots = isotonic_map(s**3, y)
    assert np.abs(np.interp(s**3, *knots.T) - expit(s)).mean() < 0.02


@pytest.mark.parametrize("way", ["sigmoid", "isotonic", "temperature"])
def test_one_column_told_four_times_makes_bayes_too_sure(way):
    """Naive Bayes counts a column four times as four; calibration takes that back."""
    y = RNG.integers(0, 2, 1500)
    x = RNG.normal(size=(1500, 1)) + y[:, None]
    X, new = np.tile(x[:1000], 4), np.tile(x[1000:], 4)
    raw = lookup("classification", "naive_bayes")().fit(X, y[:1000]).probabilities(new)
    fit = Calibrated(calibration=way).fit(X, y[:1000])
    P, truth = fit.probabilities(new), y[1000:]
    assert log_loss(truth, P) < log_loss(truth, raw) - 0.1
    before = expected_calibration_error(truth, raw[:, 1])
    assert expected_calibration_error(truth, P[:, 1]) < 0.08 < before
    if way == "temperature":
        one = Calibrated(calibration=way, ensemble=False).fit(X, y[:1000])
        np.testing.assert_array_equal(one.predict(new), raw.argmax(axis=1))


def test_what_cannot_be_calibrated_is_said():
    with pytest.raises(MlcoreError, match=r"needs scores or probabilities.*Choose another"):
        Calibrated(estimator=SilentMeans())
    with pytest.raises(DataError, match="every class in two folds at least; class '1' is in one"):
        Calibrated(folds=3).fit(RNG.normal(size=(9, 1)), [0] * 8 + [1])
