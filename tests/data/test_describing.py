"""Moments, norms and information: numbers by hand, the peers, and what must always hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats
from sklearn.covariance import shrunk_covariance
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from mlcore.data import bundled
from mlcore.data.describing.information import entropy, mutual_information
from mlcore.data.describing.moments import (
    condition,
    correlation,
    covariance,
    mean,
    pooled_covariance,
    pseudo_inverse,
    shrink,
)
from mlcore.data.describing.norms import matrix_norm, vector_norm
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.random import generator
from tests.contract.subjects import is_sentence

RNG = generator(0, "describing")
X = RNG.normal(size=(40, 4)) @ RNG.normal(size=(4, 4)) + 3.0
BY_HAND = np.array([[4.0, 1.0], [2.0, 5.0]])


def test_moments_by_hand():
    assert mean([[1, 2], [3, 6]]).tolist() == [2, 4]
    assert covariance([[1, 2], [3, 6]]).tolist() == [[1, 2], [2, 4]]
    assert covariance([[1, 2], [3, 6]], ddof=1).tolist() == [[2, 4], [4, 8]]


@pytest.mark.parametrize("far", [0.0, 1e8])
def test_covariances_equal_those_of_numpy_wherever_the_rows_lie(far):
    rows = X + far
    for ddof in (0, 1):
        np.testing.assert_allclose(covariance(rows, ddof), np.cov(rows.T, ddof=ddof), rtol=1e-9)
    np.testing.assert_allclose(correlation(rows), np.corrcoef(rows.T), rtol=1e-9)


def test_a_constant_column_has_no_correlation():
    found = correlation(np.column_stack([X[:, :2], np.full(len(X), 0.1)]))
    assert np.isnan(found[2]).all()
    assert np.isnan(found[:, 2]).all()
    assert np.isfinite(found[:2, :2]).all()


def test_pooling_takes_every_class_about_its_own_mean():
    y = np.arange(len(X)) % 3
    by_class = sum((y == c).sum() * covariance(X[y == c]) for c in range(3))
    np.testing.assert_allclose(pooled_covariance(X, y, ddof=3), by_class / (len(X) - 3))
    moved = X + 100.0 * np.eye(4)[y]  # other means, the same spread
    np.testing.assert_allclose(pooled_covariance(moved, y), pooled_covariance(X, y), rtol=1e-8)


def test_rank_and_condition_number():
    assert condition(np.diag([4.0, 2.0])) == (2, 2.0)
    few = covariance(X[:3])  # three rows span two directions
    assert condition(few) == (2, np.inf)
    assert pseudo_inverse(few).rank == 2


@pytest.mark.parametrize("A", [X, X.T, covariance(X), covariance(X[:3])], ids=str)
def test_the_pseudo_inverse_is_that_of_scipy_and_undoes_what_it_can(A):
    found = pseudo_inverse(A).matrix
    np.testing.assert_allclose(found, linalg.pinv(A), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(A @ found @ A, A, atol=1e-9)
    np.testing.assert_allclose(found @ A @ found, found, rtol=1e-8, atol=1e-9)


def test_small_directions_are_dropped_when_asked():
    assert pseudo_inverse(np.diag([1.0, 0.01]), rcond=0.1).matrix.tolist() == [[1, 0], [0, 0]]
    assert pseudo_inverse(np.zeros((2, 3))).rank == 0


@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0])
def test_shrinking_keeps_the_trace(strength):
    S = covariance(X)
    found = shrink(S, strength)
    np.testing.assert_allclose(found, shrunk_covariance(S, strength))
    assert np.trace(found) == pytest.approx(np.trace(S))
    assert condition(found).number <= condition(S).number * (1 + 1e-12)


def test_shrinking_makes_a_singular_covariance_invertible():
    assert condition(shrink(covariance(X[:3]), 0.01)).rank == 4


@pytest.mark.parametrize(
    ("p", "size"), [(1, 7.0), (2, 5.0), (3, 4.497941), (np.inf, 4.0)], ids=str
)  # fmt: skip
def test_norms_of_three_and_four(p, size):
    assert vector_norm([3, -4], p) == pytest.approx(size, abs=1e-6)


@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=5), st.floats(1, 20))
def test_a_norm_falls_as_p_grows(x, p):
    assert vector_norm(x, p + 1) <= vector_norm(x, p) * (1 + 1e-12)
    assert vector_norm(x, np.inf) <= vector_norm(x, p) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("kind", "order"),
    [("frobenius", "fro"), ("spectral", 2), ("row_sum", np.inf), ("column_sum", 1)],
)
def test_matrix_norms_are_those_of_numpy(kind, order):
    assert matrix_norm(X, kind) == pytest.approx(np.linalg.norm(X, order))
    assert matrix_norm(BY_HAND) ** 2 == pytest.approx(np.trace(BY_HAND.T @ BY_HAND))


def test_entropy_by_hand():
    assert entropy([0.5, 0.5]) == pytest.approx(np.log(2))
    assert entropy([1.0, 0.0]) == 0.0
    joint = np.array([[0.25, 0.25], [0.5, 0.0]])
    assert entropy(joint) == pytest.approx(1.5 * np.log(2))
    # Knowing the row leaves a coin half of the time.
    assert entropy(joint, given=0) == pytest.approx(0.5 * np.log(2))


@given(st.lists(st.integers(0, 50), min_size=6, max_size=6).filter(any))
def test_knowing_something_never_raises_the_entropy(counts):
    P = np.reshape(counts, (2, 3)) / sum(counts)
    np.testing.assert_allclose(entropy(P), stats.entropy(P.ravel()), atol=1e-12)
    for axis in (0, 1):
        assert 0 <= entropy(P, given=axis) <= entropy(P.sum(axis=axis)) + 1e-12


@pytest.mark.parametrize(
    ("column", "said"), [("eyes", 0.482057), ("student", 0.032189), ("setting", 0.013844)]
)
def test_what_the_columns_of_glasses_say_of_the_class(column, said):
    table, entry = bundled.load("glasses"), bundled.entry("glasses")
    values = table.column(column).texts(), table.column(entry.target).texts()
    assert mutual_information(*values, "levels") == pytest.approx(said, abs=1e-6)
    assert mutual_information(*values[::-1], "levels") == pytest.approx(said, abs=1e-6)


def test_information_by_neighbours_is_that_of_scikit_learn():
    x, z = X[:, 0], X[:, 1]
    y = (x + z > np.median(x + z)).astype(int)
    for k in (1, 3, 7):
        peer = mutual_info_classif(x[:, None], y, n_neighbors=k, random_state=0)[0]
        assert mutual_information(x, y, n_neighbors=k) == pytest.approx(peer, abs=1e-6)
        peer = mutual_info_regression(x[:, None], z, n_neighbors=k, random_state=0)[0]
        assert mutual_information(x, z, n_neighbors=k) == pytest.approx(peer, abs=1e-6)


def test_information_of_two_gaussians_comes_near_the_formula():
    x = generator(1, "gaussians").normal(size=(2000, 2))
    z = 0.8 * x[:, 0] + 0.6 * x[:, 1]
    truth = -0.5 * np.log(1 - 0.8**2)
    assert mutual_information(x[:, 0], z) == pytest.approx(truth, abs=0.06)
    assert mutual_information(x[:, 0], z, "binned") == pytest.approx(truth, abs=0.12)
    assert mutual_information(x[:, 0], x[:, 1]) == pytest.approx(0.0, abs=0.05)


def test_constants_and_lone_rows_say_nothing():
    y = np.repeat([0, 1], 20)
    assert mutual_information(np.ones(40), y, "binned") == 0.0
    assert mutual_information(np.ones(40), y) < 0.2
    assert mutual_information(np.arange(5.0), list("abcde")) == 0.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: entropy([0.5, 0.6]),
        lambda: entropy([]),
        lambda: entropy([1.0], given=1),
        lambda: mutual_information([1.0], [1.0]),
        lambda: mutual_information(["a"] * 9, [1] * 9),
        lambda: mutual_information([1.0, np.nan], [1, 2], "binned"),
        lambda: mutual_information([1.0], [1.0, 2.0]),
        lambda: mutual_information([1.0], [1.0], "magic"),
        lambda: covariance([[1.0]], ddof=1),
        lambda: covariance([[1.0]], ddof=-1),
        lambda: shrink(np.eye(2), 1.5),
        lambda: shrink(np.ones((2, 3)), 0.5),
        lambda: pseudo_inverse(np.eye(2), rcond=1.0),
        lambda: vector_norm([1.0], 0.5),
        lambda: matrix_norm(np.eye(2), "largest"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong):
    with pytest.raises((DataError, ParamError)) as caught:
        wrong()
    assert is_sentence(str(caught.value))
