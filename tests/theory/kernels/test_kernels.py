"""What the theory says of kernels and Gram matrices, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.kernels.centring import (
    center_cross,
    center_gram,
    distance_to_mean,
    kernel_distance,
    kernel_variance,
)
from mlcore.kernels.composed import Exponential, Normalised, Product, Scaled, Sum
from mlcore.kernels.gram import Bordered, GramMatrix, GramSource, TwiceGram, gram
from mlcore.kernels.products import Linear, Polynomial, Sigmoid
from mlcore.kernels.radial import Compact, Laplacian, Matern
from mlcore.kernels.rbf import RBF
from mlcore.kernels.similarity import alignment, hsic, polarization
from mlcore.kernels.validity import mercer_check, monomial_count, psd_report, stationarity_check
from mlcore.kernels.widths import sigma_median, sigma_nearest
from mlcore.maths.squared_distances import sq_distances
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.registry import entries

NAMES = tuple(entries("kernel"))
CORNERS = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
CROSSED = np.array([-1.0, 1, 1, -1])


def rows(n=40, p=3, seed=0):
    """Positive amounts, so that every kernel has a value."""
    return np.abs(np.random.default_rng(seed).normal(size=(n, p)))


@pytest.mark.parametrize("name", NAMES)
def test_a_gram_matrix_is_symmetric_with_the_diagonal_that_is_said(name):
    kernel, X = entries("kernel")[name](), rows()
    fixed = kernel.resolve(X)
    K = gram(kernel, X)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(np.diag(K), fixed.diag(X), atol=1e-12)
    np.testing.assert_allclose(gram(fixed, X, X[:7]), K[:, :7], atol=1e-7)  # sqrt of a rounding
    if kernel.bounded:
        assert np.abs(K).max() <= 1 + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_a_source_are_rows_of_the_matrix(name):
    X = rows()
    kernel = entries("kernel")[name]().resolve(X)
    K, index = gram(kernel, X), np.array([3, 30, 17])
    np.testing.assert_allclose(GramSource(kernel, X).rows(index), K[index], atol=1e-10)
    np.testing.assert_allclose(GramSource(kernel, X).single().rows(index), K[index], atol=2e-4)


@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), Linear(), Polynomial(degree=3)])
def test_all_rows_at_once_are_the_rows_and_nobody_writes_to_them(kernel):
    X = np.random.default_rng(4).normal(size=(1300, 3))  # more than a strip
    source, every = GramSource(kernel, X), np.arange(len(X))
    matrix = GramMatrix(source.rows(every))
    for each in (source, matrix, matrix.sub(every[::-3]), TwiceGram(source), Bordered(matrix)):
        np.testing.assert_array_equal(each.whole(), each.rows(np.arange(each.n)))
        with pytest.raises(ValueError, match="read-only"):
            each.whole()[0, 0] = 1.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_source_adds_rows_up_and_gives_some_among_themselves(dtype):
    rng = np.random.default_rng(5)
    source = GramSource(RBF(gamma=0.3), rng.normal(size=(700, 3)), dtype)
    matrix, twice = GramMatrix(source.whole()), TwiceGram(source)
    for each in (source, matrix, twice, Bordered(source), Bordered(twice)):
        index = np.array([0, 3, 30, each.n // 2, each.n // 2 + 3, each.n - 1])
        by, rows_of = rng.normal(size=len(index)), each.rows(index).astype(float)
        near = 1e-12 if dtype == np.float64 else 1e-5
        np.testing.assert_allclose(each.times(index, by), by @ rows_of, atol=near)
        np.testing.assert_allclose(each.sub(index).whole(), rows_of[:, index], atol=near)
        inner = index[:-1]  # without the border
        np.testing.assert_allclose(each.sub(inner).whole(), rows_of[:-1, inner], atol=near)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("p", [1, 2, 4])
def test_the_table_of_validity_holds(name, p):
    kernel = entries("kernel")[name]()
    found = mercer_check(kernel, p, draws=20)
    if kernel.is_definite(p):
        assert found.passed, found.smallest
    elif kernel.definite == "conditional":
        assert not found.passed
        K = center_gram(gram(kernel, rows(p=p)))[0]
        assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.abs(K).max()
    elif name in ("sigmoid", "multiquadric"):
        assert not found.passed
        assert psd_report(gram(kernel, found.counter_example)).n_negative


def test_the_circular_kernel_fails_on_a_lattice_that_chance_does_not_find():
    kernel = Compact(shape="circular", sigma=1.0)
    grid = np.array([[a, b, c] for a in range(7) for b in range(7) for c in range(7)], dtype=float)
    found = psd_report(gram(kernel, 0.68 * grid))
    assert -0.06 < found.smallest < -0.04
    assert not kernel.is_definite(3)


@pytest.mark.parametrize("name", NAMES)
def test_stationary_kernels_are_those_that_say_so(name):
    kernel = entries("kernel")[name]()
    if kernel.stationary:
        assert stationarity_check(kernel)
    elif name in ("linear", "polynomial", "sigmoid", "histogram_intersection", "chi_square"):
        assert not stationarity_check(kernel)


def test_far_from_zero_nothing_is_lost():
    X = rows()
    for kernel in (RBF(gamma=0.5), Laplacian(), Matern()):
        np.testing.assert_allclose(gram(kernel, X + 1e6), gram(kernel, X), atol=1e-6)
    assert np.diag(sq_distances(X + 1e8)).max() == 0


def test_one_bell_in_three_units():
    assert RBF.from_sigma(0.5) == RBF.from_width(0.25) == RBF(gamma=2.0)
    assert (RBF(gamma=2.0).sigma, RBF(gamma=2.0).width, RBF().sigma) == (0.5, 0.25, None)
    assert "sigma 0.5 or width 0.25" in RBF(gamma=2.0).settings_text()


def test_the_smoothest_matern_and_the_roughest_are_known():
    X = rows()
    np.testing.assert_allclose(
        gram(Matern(smoothness="0.5", length_scale=2.0), X), gram(Laplacian(gamma=0.5), X)
    )


def test_rules_are_sums_and_products_of_matrices():
    X = rows()
    a, b = RBF(gamma=0.5), Polynomial(degree=2)
    A, B = gram(a, X), gram(b, X)
    np.testing.assert_allclose(gram(Sum(first=a, second=b), X), A + B, rtol=1e-12)
    np.testing.assert_allclose(gram(Product(first=a, second=b), X), A * B, rtol=1e-12)
    np.testing.assert_allclose(gram(Scaled(kernel=b, factor=3.0), X), 3 * B, rtol=1e-12)
    np.testing.assert_allclose(gram(Exponential(kernel=a), X), np.exp(A), rtol=1e-12)
    lengths = np.sqrt(np.diag(B))
    expected = B / lengths[:, None] / lengths
    np.testing.assert_allclose(gram(Normalised(kernel=b), X), expected, rtol=1e-12)
    nested = Sum(first=Normalised(kernel=Sum()), second=Scaled())
    assert np.linalg.eigvalsh(gram(nested, X))[0] > -1e-10
    assert nested.resolve(X).second.kernel.gamma == RBF().resolve(X).gamma


def test_a_row_of_length_zero_is_alike_to_nothing():
    X = np.array([[0.0, 0.0], [1.0, 2.0]])
    np.testing.assert_array_equal(gram(Normalised(kernel=Linear()), X), [[0, 0], [0, 1]])


def test_centred_rows_sum_to_zero_and_new_ones_are_treated_alike():
    X, new = rows(), rows(n=5, seed=1)
    K, about = center_gram(gram(Linear(), X))
    mean = X.mean(axis=0)
    np.testing.assert_allclose(K, (X - mean) @ (X - mean).T, atol=1e-12)
    np.testing.assert_allclose(K.sum(axis=0), 0, atol=1e-10)
    crossed = center_cross(gram(Linear(), new, X), about)
    np.testing.assert_allclose(crossed, (new - mean) @ (X - mean).T, atol=1e-12)


def test_distances_in_the_features_of_the_linear_kernel_are_plain():
    X, Z = rows(), rows(n=6, seed=2)
    plain = np.sqrt(((X[:, None] - Z) ** 2).sum(axis=2))
    np.testing.assert_allclose(kernel_distance(Linear(), X, Z), plain, atol=1e-7)
    np.testing.assert_allclose(kernel_variance(gram(Linear(), X)), X.var(axis=0).sum())
    found = distance_to_mean(Linear(), X, [0, 1, 2], Z)
    np.testing.assert_allclose(found, np.linalg.norm(Z - X[:3].mean(axis=0), axis=1), atol=1e-7)


def test_distances_in_the_features_of_a_gaussian_end_at_the_root_of_two():
    X = rows()
    found = kernel_distance(RBF(gamma=0.7), X, X)
    np.testing.assert_allclose(found, np.sqrt(2 - 2 * np.exp(-0.7 * sq_distances(X))), atol=1e-7)
    assert kernel_distance(RBF(gamma=0.7), X, X + 1e3).min() == pytest.approx(np.sqrt(2))


def test_agreement_with_the_labels_of_crossed_corners():
    K, L = gram(Polynomial(degree=2), CORNERS), np.outer(CROSSED, CROSSED)
    np.testing.assert_allclose(alignment(K, L, centred=False), 0.436436, atol=1e-6)
    np.testing.assert_allclose(alignment(K, L), 1 / np.sqrt(3), atol=1e-12)
    assert polarization(K, CROSSED) == 32
    np.testing.assert_allclose(hsic(K, L).value, 32 / 9)
    assert np.isnan(hsic(K, L).p_value)


def test_permutations_tell_dependence_from_chance():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(40, 1)), rng.normal(size=(40, 1))
    K = gram(RBF(gamma=1.0), x)
    assert hsic(K, gram(RBF(gamma=1.0), x**2), n_permutations=99).p_value == 0.01
    assert hsic(K, gram(RBF(gamma=1.0), noise), n_permutations=99).p_value > 0.05


def test_products_of_columns_are_counted():
    assert monomial_count(2, 3) == 4
    assert monomial_count(2, 2, up_to=True) == 6
    K = gram(Polynomial(degree=2), np.random.default_rng(0).normal(size=(30, 2)))
    assert np.linalg.matrix_rank(K) == 6
    with pytest.raises(ParamError, match="at least 1 column"):
        monomial_count(0, 2)


def test_widths_of_a_lattice():
    line = np.arange(5.0)[:, None]
    assert (sigma_nearest(line), sigma_median(line)) == (1.0, 2.0)
    with pytest.raises(DataError, match="at least two rows"):
        sigma_median(line[:1])


def test_matrices_that_are_none_are_refused():
    with pytest.raises(DataError, match="square"):
        psd_report(np.ones((2, 3)))
    with pytest.raises(DataError, match="symmetric"):
        psd_report(np.array([[1.0, 2.0], [0.0, 1.0]]))
    assert not psd_report(np.array([[1.0, 2.0], [2.0, 1.0]])).is_definite
    assert mercer_check(Sigmoid(gamma=0.1, coef0=1.0)).counter_example is not None


@pytest.mark.parametrize("n", [3, 128, 300])
def test_half_of_a_gram_matrix_is_all_of_it(n):
    X = np.random.default_rng(0).normal(size=(n, 4)) + 1e3
    for kernel in (RBF(gamma=0.2), Scaled(kernel=Matern(), factor=3.0), Laplacian(gamma=0.3)):
        K = gram(kernel, X)
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_array_equal(np.diag(K), kernel.diag(X))
        wanted = kernel.against(X)(X)
        np.fill_diagonal(wanted, kernel.diag(X))  # roots of rounding, where distances are taken
        np.testing.assert_allclose(K, wanted, rtol=1e-9)
