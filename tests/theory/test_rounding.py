"""What is equal but for rounding is taken for equal, and what rounding leaves for nothing."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from mlcore.classification.multiclass_codes import ErrorCorrecting, code_matrix
from mlcore.classification.multiclass_coupling import coupled
from mlcore.decisions.linear_quadratic import LinearQuadratic
from mlcore.decisions.mdp import from_transitions
from mlcore.decisions.planning import PolicyIteration
from mlcore.distances.neighbours import Neighbours
from mlcore.kernels.kernel import scale_gamma
from mlcore.neighbours.membership import NeighbourMembership
from mlcore.reduction.pca import PCA
from mlcore.reduction.solvers import Gram, Power
from mlcore.regression.constant import weighted_quantile
from mlcore.regression.lars import Lars


@pytest.mark.parametrize("tenths", range(1, 10))
def test_a_quantile_between_two_values_is_their_middle_whatever_the_unit_of_weight(tenths):
    y = np.arange(10.0)
    assert weighted_quantile(y, np.full(10, 0.1), tenths / 10) == tenths - 0.5


@pytest.mark.parametrize("p", [1, 3])
def test_the_width_of_a_kernel_does_not_see_how_far_the_rows_lie(p):
    X = np.random.default_rng(0).integers(0, 16, (1000, p)).astype(float)
    assert scale_gamma(X + 2.0**52) == pytest.approx(scale_gamma(X), rel=1e-9)


def test_neighbours_that_single_precision_cannot_tell_apart_are_the_nearest():
    rng = np.random.default_rng(0)
    S = np.repeat([[-1.0], [1.0]], 200, axis=0) + 1e-3 * rng.normal(size=(400, 16))
    found = Neighbours(S, search="brute").nearest(S[:50], 4)
    apart = ((S[:50, None] - S) ** 2).sum(axis=2)
    np.testing.assert_array_equal(found.rows, np.argsort(apart, axis=1, kind="stable")[:, :4])


def test_each_of_many_equal_rows_has_as_many_others():
    found = Neighbours(np.zeros((30, 2))).others(3)
    assert found.rows.shape == (30, 3)
    assert (found.rows != np.arange(30)[:, None]).all()


def test_a_row_exactly_at_the_threshold_is_a_member():
    fit = NeighbourMembership(n_neighbors=1, threshold=3.0).fit([[9.0], [0], [0]], [0, 1, 1])
    np.testing.assert_array_equal(fit.predict([[3.0], [3.5]]), [1, 0])


def test_rows_of_few_directions_have_no_axis_of_rounding():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3)) @ rng.normal(size=(3, 40))
    assert len(PCA(solver=Gram()).fit(X).axes) == 3


def test_an_axis_that_products_cannot_see_is_left_out():
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(40, 3)))[0]
    X = np.array([[1, 0, 0], [-1, 0, 0], [0, 1e-3, 0], [0, -1e-3, 0], [0, 0, 1e-6], [0, 0, -1e-6]])
    assert len(PCA(solver=Gram()).fit(X @ turned.T).axes) == 2


def test_later_axes_of_the_power_method_do_not_turn_back_to_earlier_ones():
    X = np.random.default_rng(0).normal(size=(60, 6)) @ np.diag(10.0 ** -np.arange(6))
    axes = PCA(solver=Power()).fit(X).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(len(axes)), atol=1e-14)


def test_few_axes_of_many_columns_have_the_same_bits_each_time():
    X = np.random.default_rng(0).normal(size=(520, 520))
    one, two = (PCA(n_components=2, solver=Gram()).fit(X).axes for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_a_class_in_no_rule_takes_nothing_from_the_others():
    P = coupled(np.array([[0.7]]), np.array([[1.0], [-1.0], [0.0]]))
    np.testing.assert_allclose(P.sum(), 1)
    assert P[0, 0] / P[0, 1] == pytest.approx(7 / 3, rel=1e-6)


def test_probabilities_of_rules_that_contradict_each_other_are_not_negative():
    code = code_matrix(5, ErrorCorrecting(kind="exhaustive")).matrix
    P = coupled(np.random.default_rng(0).uniform(size=(50, code.shape[1])), code)
    assert P.min() == 0.0
    np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize("gamma", [0.0, 1e-13, 0.5])
@pytest.mark.parametrize("effort", [0.0, 1.0])
def test_the_regulator_solves_its_equation_also_where_the_future_hardly_counts(gamma, effort):
    found = LinearQuadratic(gamma=gamma, effort=effort).optimum()
    P = found.curvature
    future = gamma * effort * P / (effort + gamma * P) if gamma else 0.0
    assert pytest.approx(1 + future, rel=1e-15) == P
    assert found.gain == pytest.approx(gamma * P / (effort + gamma * P) if gamma else 0.0)


def loop():
    """Two states with large rewards, from each to each."""
    into = [
        [[(0.7, 0, 1e6 / 3, False), (0.3, 1, -1e6, False)], [(1.0, 1, -7e5, False)]],
        [
            [(0.4, 0, 1e6 / 7, False), (0.6, 1, 0.1, False)],
            [(0.5, 0, -3e5, False), (0.5, 1, 1.0, False)],
        ],
    ]
    names = ("a", "b")
    return from_transitions(
        "loop", into, gamma=0.9, initial=np.array([1.0, 0]), max_steps=99, state_names=names,
        action_names=names,
    )  # fmt: skip


def test_sweeps_never_lower_a_value():
    values = [step.state.values for step in PolicyIteration(n_sweeps=5).steps(loop())]
    assert len(values) > 3
    assert all((b >= a - 1e-9 * np.abs(a)).all() for a, b in pairwise(values))


@pytest.mark.parametrize("seed", range(20))
def test_of_columns_that_tie_but_for_rounding_the_first_comes_in(seed):
    half = np.arange(1.0, 9)
    y = np.concatenate([half, half[::-1]])  # goes as well with a column as with its mirror
    x = np.random.default_rng(seed).normal(size=16)
    first, *_ = Lars().steps(np.column_stack([x, x[::-1]]), y)
    assert first.note.startswith("x1 comes in")
