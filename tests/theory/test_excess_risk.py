"""What the excess of a convex loss says of the excess of errors: delta(epsilon), by number.

delta(epsilon) = phi(0) - min over t of E phi, where a class has probability (1 + epsilon) / 2
(Bartlett, Jordan and McAuliffe 2006, JASA 101(473), theorem 1 and section 3).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import fminbound

from mlcore.classification.cost_losses import rising
from mlcore.optimisation.losses import Exponential, Logistic

AT = np.array([-2.0, -1, -0.5, 0, 0.5, 1, 2])  # margins


def of_two_classes(loss):
    return lambda t: loss.at(np.array([1.0]), np.array([[float(t)]])).value[0]


def of_cost(psi):
    return lambda t: rising(psi, np.array([-float(t)]))[0][0]


def delta(phi, epsilon):
    def mean(t):
        return (1 + epsilon) / 2 * phi(t) + (1 - epsilon) / 2 * phi(-t)

    best = fminbound(mean, -9.0, 9.0, xtol=1e-9)
    return phi(0.0) - mean(best)


PHIS = {
    "exponential": ([of_two_classes(Exponential()), of_cost("exponential")], (0.020204, 0.2)),
    "logistic": ([of_two_classes(Logistic()), of_cost("logistic")], (0.020136, 0.192745)),
    "squared": ([of_cost("squared"), of_cost("squared_hinge")], (0.04, 0.36)),
}


@pytest.mark.parametrize("name", PHIS)
def test_the_excess_of_a_loss_bounds_that_of_errors_by_the_numbers_of_the_notes(name):
    phis, expected = PHIS[name]
    for phi in phis:
        assert (delta(phi, 0.2), delta(phi, 0.6)) == pytest.approx(expected, abs=5e-7)


VALUES = {
    "exponential": (7.3891, 2.7183, 1.6487, 1, 0.6065, 0.3679, 0.1353),
    "logistic": (2.1269, 1.3133, 0.9741, 0.6931, 0.4741, 0.3133, 0.1269),
    "squared": (9, 4, 2.25, 1, 0.25, 0, 1),
    "squared_hinge": (9, 4, 2.25, 1, 0.25, 0, 0),
}


@pytest.mark.parametrize("name", VALUES)
def test_losses_of_margins_have_the_values_of_the_notes(name):
    np.testing.assert_allclose(rising(name, -AT)[0], VALUES[name], atol=5e-5)


def test_losses_of_two_classes_have_the_values_of_the_notes():
    # The score of the exponential loss is the log-odds, twice the margin.
    for loss, name, unit in ((Logistic(), "logistic", 1.0), (Exponential(), "exponential", 2.0)):
        for y, sign in ((np.ones(7), 1.0), (np.zeros(7), -1.0)):
            value = loss.at(y, unit * sign * AT[None]).value
            np.testing.assert_allclose(value, VALUES[name], atol=5e-5)
