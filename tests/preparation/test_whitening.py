"""Whitening: worked numbers, the identity, the reference, and singular rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA as TheirPCA

from mlcore.preparation.whitening import Whitening
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column

METHODS = ("zca", "pca", "cholesky")
SQUARE = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]])  # population covariance I
A = np.array([[2, 3], [2, 1.0]])


def rows(n: int = 60, p: int = 5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 5


def covariance(X: np.ndarray) -> np.ndarray:
    about = X - X.mean(axis=0)
    return about.T @ about / len(X)


def test_the_worked_example():
    X = SQUARE @ A.T
    np.testing.assert_allclose(covariance(X), [[13, 7], [7, 5]], atol=1e-12)
    fit = Whitening().fit(X)
    np.testing.assert_allclose(fit.white, [[0.441261, -0.343203], [-0.343203, 0.833494]], atol=5e-7)
    np.testing.assert_allclose(fit.white @ A, np.array([[1, 5], [5, -1]]) / np.sqrt(26), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_covariance_becomes_the_identity_and_the_way_back_exists(method):
    X = rows()
    fit = Whitening(method=method).fit(X)
    Z = fit.transform(X)
    np.testing.assert_allclose(covariance(Z), np.eye(5), atol=1e-12)
    np.testing.assert_allclose(fit.inverse_transform(Z), X, atol=1e-10)
    np.testing.assert_allclose(np.vstack([fit.transform(x[None]) for x in X]), Z, atol=1e-12)


def test_the_kinds_differ_by_a_rotation_and_zca_is_nearest_to_the_columns():
    X = rows()
    Z = {m: Whitening(method=m).fit(X).transform(X) for m in METHODS}
    for other in ("pca", "cholesky"):
        turn = np.linalg.lstsq(Z["zca"], Z[other], rcond=None)[0]
        np.testing.assert_allclose(turn @ turn.T, np.eye(5), atol=1e-10)
        # Of all white rotations zca has the largest sum of covariances with its own columns.
        about = X - X.mean(axis=0)
        near = {m: np.trace(Z[m].T @ about) for m in Z}
        assert near["zca"] > near[other]


def test_a_cholesky_column_depends_on_earlier_ones_alone():
    white = Whitening(method="cholesky").fit(rows()).white
    np.testing.assert_array_equal(white, np.tril(white))


def test_pca_is_that_of_the_reference_up_to_the_divisor():
    X = rows(n=40)
    ours = Whitening(method="pca", n_components=3).fit(X).transform(X)
    theirs = TheirPCA(3, whiten=True).fit_transform(X) * np.sqrt(40 / 39)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-10)


def test_within_classes_euclid_is_mahalanobis():
    X, y = load_iris(return_X_y=True)
    fit = Whitening(scatter="within").fit(X, y)
    Z = fit.transform(X)
    X = np.asarray(X)
    pooled = sum(covariance(X[y == k]) * (y == k).sum() for k in range(3)) / len(X)
    difference = X[0] - X[100]
    wanted = difference @ np.linalg.solve(pooled, difference)
    assert ((Z[0] - Z[100]) ** 2).sum() == pytest.approx(wanted, rel=1e-9)
    with pytest.raises(DataError, match="class label"):
        Whitening(scatter="within").fit(X)


def test_the_target_is_not_looked_at_else():
    X, y = load_iris(return_X_y=True)
    np.testing.assert_array_equal(Whitening().fit(X, y).white, Whitening().fit(X).white)


def test_fewer_rows_than_columns_keep_what_they_show():
    X = rows(n=4, p=9)
    fit = Whitening(method="pca").fit(X)
    assert fit.transform(X).shape == (4, 3)
    assert fit.summary().note == "Kept 3 of 9 directions: 4 rows cannot show more than 3."
    projected = covariance(Whitening().fit(X).transform(X))
    np.testing.assert_allclose(projected @ projected, projected, atol=1e-9)
    assert np.trace(projected) == pytest.approx(3)
    with pytest.raises(DataError, match="6 of 9 directions do not vary"):
        Whitening(method="cholesky").fit(X)
    assert Whitening(method="cholesky", shrinkage=0.1).fit(X).transform(X).shape == (4, 9)


def test_a_share_keeps_the_fewest_directions_that_hold_it():
    X = rows(p=6)
    fit = Whitening(method="pca", share=0.8).fit(X)
    held = np.cumsum(fit.spectrum) / fit.spectrum.sum()
    q = len(fit.variances)
    assert held[q - 1] >= 0.8 > (held[q - 2] if q > 1 else 0)


def test_a_share_that_is_held_but_for_rounding_is_held():
    X = np.vstack([np.eye(10), -np.eye(10)])  # ten directions of the same variance
    counts = [len(Whitening(method="pca", share=q / 10).fit(X).variances) for q in range(1, 11)]
    assert counts == list(range(1, 11))


def test_shrinking_all_the_way_divides_by_one_number():
    X = rows()
    Z = Whitening(shrinkage=1.0).fit(X).transform(X)
    ratio = (X - X.mean(axis=0)) / Z
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-9)


def test_wrong_rows_and_settings_are_refused_in_a_sentence():
    with pytest.raises(DataError, match="rows that differ"):
        Whitening().fit(np.ones((5, 2)))
    with pytest.raises(DataError, match="Put one-hot encoding"):
        Whitening().fit([[0.0], [1.0]], columns=(Column("a", "nominal", ("x", "y")),))
    with pytest.raises(ParamError, match="keeps every direction"):
        Whitening(method="cholesky", n_components=2)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 8), st.sampled_from(METHODS))
def test_any_rows_in_general_position_become_white(seed, p, method):
    X = rows(n=4 * p + 4, p=p, seed=seed)
    fit = Whitening(method=method, eig_floor=1e-14).fit(X)
    worst = fit.spectrum[0] / fit.spectrum[-1]
    np.testing.assert_allclose(covariance(fit.transform(X)), np.eye(p), atol=1e-13 * worst + 1e-9)


def test_why_directions_were_left_out_is_said():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 4)
    within = Whitening(scatter="within", method="pca").fit(rng.normal(size=(12, 10)), y)
    assert within.note == "Kept 9 of 10 directions: 12 rows of 3 classes cannot show more than 9."
    X = rng.normal(size=(30, 3))
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    assert Whitening(method="pca").fit(X).note == "Kept 3 of 4 directions: the others do not vary."
    two = Whitening(method="pca", n_components=2).fit(X)
    assert two.note == "Kept 2 of 4 directions: no more were asked for."
    assert "these hold the wanted share." in Whitening(share=0.5).fit(X).note
