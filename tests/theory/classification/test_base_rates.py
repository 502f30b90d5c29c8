"""Other shares of the classes: the corrected posterior, and the alarms that are true."""

import numpy as np
import pytest
from scipy.stats import norm

from mlcore.classification.base_rates import precision_at, prior_shift
from mlcore.spine.errors import DataError, ParamError


def test_one_per_cent_of_false_alarms_at_a_rare_disease():
    assert precision_at(0.001, 1.0, 0.01) == pytest.approx(0.0910, abs=5e-5)
    assert precision_at([0.5, 0.0, 1.0], 1.0, 0.01) == pytest.approx([0.99009901, 0.0, 1.0])
    assert np.isnan(precision_at(0.5, 0.0, 0.0))


def test_the_corrected_posterior_is_that_of_bayes():
    x = np.linspace(-3, 4, 50)
    densities = np.column_stack([norm.pdf(x, 0, 1), norm.pdf(x, 2, 1.5), norm.pdf(x, -1, 0.5)])
    old, new = np.array([1, 1, 1]) / 3, np.array([0.9, 0.09, 0.01])
    P, expected = (w / w.sum(axis=1, keepdims=True) for w in (densities * old, densities * new))
    np.testing.assert_allclose(prior_shift(P, old, new), expected, rtol=1e-12)
    np.testing.assert_allclose(prior_shift(prior_shift(P, old, new), new, old), P, rtol=1e-9)
    np.testing.assert_allclose(prior_shift(P, [68, 68, 68], [900, 90, 10]), expected, rtol=1e-12)


def test_what_is_refused():
    with pytest.raises(DataError, match="training never saw"):
        prior_shift([[0.5, 0.5]], [1, 0], [1, 1])
    with pytest.raises(DataError, match="2 numbers here"):
        prior_shift([[0.5, 0.5]], [1, 1, 1], [1, 1])
    with pytest.raises(DataError, match="none negative"):
        prior_shift([[1.5, -0.5]], [1, 1], [1, 1])
    with pytest.raises(ParamError, match="fpr is a share from 0 to 1"):
        precision_at(0.1, 0.9, 1.5)
