"""The support vectors in one table: cases, outputs and slacks are those of the definition."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.kernels.sv_table import EDGE, INSIDE, WRONG, draw, numbers, reading, table
from tests.figures.test_kkt_table import EPSILON, outcome


def of(name, data="iris", **settings):
    dataset, whole = outcome(name, data, **settings)
    return dataset, whole, numbers(dataset, whole)


def test_of_two_classes_the_slack_is_what_the_margin_lacks():
    dataset, whole, s = of("svc", "breast_cancer", C=0.5)
    X = whole.prepared.X[np.searchsorted(dataset.rows, s.rows)]
    sign = np.where(np.array(s.klass) == dataset.classes[1], 1.0, -1.0)
    f = whole.fit.values(X)[:, 0]
    np.testing.assert_allclose(s.output, f, atol=1e-12)
    np.testing.assert_allclose(s.ahead, sign * f - 1, atol=1e-12)
    assert set(s.case) == {EDGE, INSIDE, WRONG}
    assert (sign * f < 0)[s.case == WRONG].all() and (sign * f > 0)[s.case != WRONG].all()
    assert s.is_full[s.case != EDGE].all()
    np.testing.assert_allclose(s.ahead[s.case == EDGE], 0.0, atol=1e-3)
    slack = {c.name: np.asarray(c.values) for c in table(s)}["slack"]
    primal = 0.5 / whole.fit.margins[0] ** 2 + 0.5 * slack.sum()
    assert primal == pytest.approx(whole.fit.primal, rel=1e-4)
    assert "hold it" in reading(s)


def test_several_machines_are_named_and_count_a_row_each():
    _, whole, s = of("svc")
    assert len(s.rows) == int((whole.fit.duals != 0).sum())
    assert len(set(s.machine)) == 3
    n_rows = len(np.unique(s.rows))
    assert n_rows < len(s.rows)
    assert f"{len(s.rows)} support vectors of 3 machines, in {n_rows} rows: " in reading(s)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_of_a_tube_the_residual_is_epsilon_and_the_slack(loss):
    dataset, whole, s = of("svr", "longley", C=300.0, epsilon=EPSILON, kernel="linear", loss=loss)
    at = np.searchsorted(dataset.rows, s.rows)
    residual = np.asarray(dataset.y)[at] - whole.fit.predict(whole.prepared.X[at])
    np.testing.assert_allclose(s.output, residual, rtol=1e-9)
    np.testing.assert_allclose(np.abs(residual), EPSILON - s.ahead, rtol=1e-9)
    assert (np.abs(residual[s.case == INSIDE]) > EPSILON).all() and (s.case == INSIDE).any()
    assert set(s.klass) <= {"above", "below"}


def test_of_a_region_those_outside_are_at_the_bound():
    _, whole, s = of("one_class_svm", nu=0.2)
    np.testing.assert_allclose(s.output - whole.fit.rho, s.ahead, atol=1e-12)
    assert s.is_full[s.case == INSIDE].all() and (s.case == INSIDE).sum() > 10


def test_a_hard_margin_has_no_slack():
    _, _, s = of("svc", "rings", C=None)
    assert (s.case == EDGE).all() and not s.is_full.any()
    assert "None has a slack." in reading(s)
    assert draw(s).layout.xaxis.range[0] < -0.05  # and rounding does not fill the axis
