"""Facts about quadratic discriminants: golden numbers, the corners of regularisation, borders."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import MinCovDet
from sklearn.datasets import load_iris

from mlcore.classification import trimming
from mlcore.classification.lda import LDA
from mlcore.classification.logits import discriminant_coefficients
from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.classification.qda import QDA, parameter_count
from mlcore.classification.trimming import kept
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesDensity
from mlcore.spine.errors import DataError, ParamError

IRIS, SPECIES = load_iris(return_X_y=True)
LEVELS = np.arange(150) % 7 + 1.0


def with_deviations(*deviations: float) -> tuple[np.ndarray, np.ndarray]:
    """One column, classes of mean 0 with exactly these standard deviations."""
    base = np.array([-1.0, 1.0])
    X = np.concatenate([base * deviation for deviation in deviations])[:, None]
    return X, np.repeat(np.arange(len(deviations)), 2)


def test_golden_counts_of_iris():
    assert (QDA().fit(IRIS, SPECIES).predict(IRIS) == SPECIES).sum() == 147


def test_the_border_of_two_normal_classes_of_unequal_width():
    fit = QDA().fit(*with_deviations(1.0, 3.0))
    # x^2 (1 - 1/9) = 2 log 3; by distances alone 1.0 would be nearer to the wide class.
    np.testing.assert_array_equal(fit.predict([[1.0], [1.572220], [1.572223]]), [0, 0, 1])
    border = discriminant_coefficients(fit, 0, 1)
    np.testing.assert_allclose(border.quadratic, [[-4 / 9]])
    np.testing.assert_allclose(border.constant, np.log(3.0))
    assert border.text(("x",)) == "0 = 1.099 +0 x -0.4444 x x"


def test_the_conic_says_the_log_odds():
    for covariance in ("full", "diagonal"):
        fit = QDA(covariance=covariance, prior="equal").fit(IRIS, SPECIES, weights=LEVELS)
        border, P = discriminant_coefficients(fit, 1, 2), fit.probabilities(IRIS[50:])
        X = IRIS[50:]
        quadratic = np.einsum("ij,jk,ik->i", X, border.quadratic, X)
        odds = border.constant + X @ border.linear + quadratic
        np.testing.assert_allclose(odds, np.log(P[:, 1] / P[:, 2]), atol=1e-8)


@pytest.mark.parametrize("divisor", ["ml", "unbiased"])
def test_the_corners_of_regularisation(divisor):
    def odds(**settings):
        return np.log(QDA(divisor=divisor, **settings).fit(IRIS, SPECIES).probabilities(IRIS))

    linear = LDA(divisor=divisor).fit(IRIS, SPECIES)
    np.testing.assert_allclose(odds(pooling=1.0), np.log(linear.probabilities(IRIS)), atol=1e-8)
    by_column = QDA(covariance="spherical", divisor=divisor).fit(IRIS, SPECIES)
    np.testing.assert_allclose(odds(shrinkage=1.0), np.log(by_column.probabilities(IRIS)))
    fit = QDA(pooling=1.0, shrinkage=1.0, divisor=divisor).fit(IRIS, SPECIES)
    distances = ((IRIS[:, None] - fit.means) ** 2).sum(axis=2)
    np.testing.assert_array_equal(fit.predict(IRIS), distances.argmin(axis=1))


def test_a_diagonal_covariance_is_gaussian_naive_bayes():
    bayes = NaiveBayes(variance_floor=0.0).fit(IRIS, SPECIES)
    fit = QDA(covariance="diagonal").fit(IRIS, SPECIES)
    np.testing.assert_allclose(fit.probabilities(IRIS), bayes.probabilities(IRIS), atol=1e-12)


def test_friedmans_mixture_by_hand():
    X, y = with_deviations(1.0, 3.0)
    fit = QDA(pooling=0.5).fit(X, y, weights=[1.0, 1, 2, 2])
    # Sums of squares 2 and 36, weights 2 and 4: (1 + 19) / (1 + 3) and (18 + 19) / (2 + 3).
    np.testing.assert_allclose(fit.covariances.ravel(), [20 / 4, 37 / 5])


def test_units_of_the_columns_do_not_matter_to_the_last_digits():
    scale = 10.0 ** np.array([-90, 0, 6, 90])
    P, other = (QDA().fit(X, SPECIES).probabilities(X) for X in (IRIS, IRIS * scale))
    np.testing.assert_allclose(other, P, rtol=1e-9)


def test_the_density_of_all_rows_sums_to_one():
    fit = QDA().fit(*with_deviations(1.0, 3.0))
    at = np.linspace(-40, 40, 20_001)
    total = np.exp(fit.log_density(at[:, None])).sum() * (at[1] - at[0])
    assert total == pytest.approx(1.0, abs=1e-9)


def test_a_covariance_without_an_inverse_is_named_with_its_remedy():
    with pytest.raises(DataError, match="at least 5 rows of each class; the smallest class has 4"):
        QDA().fit(IRIS[46:100], SPECIES[46:100])
    twice = np.hstack([IRIS, IRIS[:, :1] - IRIS[:, 1:2]])
    with pytest.raises(DataError, match=r"combination of other columns.*: x5. Raise pooling"):
        QDA().fit(twice, SPECIES)
    still = IRIS.copy()
    still[SPECIES == 1, 2] = 4.1
    with pytest.raises(DataError, match=r"In class '1' a column does not vary.*: x3"):
        QDA(covariance="diagonal").fit(still, SPECIES)
    assert QDA(shrinkage=0.1).fit(twice, SPECIES).predict(twice).shape == (150,)
    with pytest.raises(DataError, match="has weight 0; Quadratic discriminant analysis needs"):
        QDA().fit(IRIS, SPECIES, weights=(SPECIES != 1).astype(float))


@pytest.mark.parametrize(
    ("p", "K", "linear", "quadratic"),
    [(2, 2, 3, 6), (64, 2, 65, 2145), (2, 3, 6, 12), (4, 3, 10, 30)],
)
def test_parameters_are_counted(p, K, linear, quadratic):
    assert parameter_count("lda", p, K) == linear
    assert parameter_count("qda", p, K) == quadratic
    assert parameter_count("lda, generative", 2, 2) == 8
    with pytest.raises(ParamError, match="counted of lda"):
        parameter_count("tree", p, K)


def log_det(X):
    return np.linalg.slogdet(np.cov(X.T, bias=True))[1]


@pytest.mark.parametrize("seed", range(3))
def test_the_determinant_is_as_small_as_that_of_many_random_starts(seed):
    """Of the rows within the raw ellipse, against FAST-MCD of scikit-learn; wild rows are out."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    X[:40] += 8.0 * np.abs(X).max(axis=0)
    peer = MinCovDet(support_fraction=0.75, random_state=0, assume_centered=False).fit(X)
    middle = np.flatnonzero(kept(X, np.ones(200), 0.25, "full").weights)
    assert middle.min() >= 40
    half = innermost(X, 0.25)
    assert half.sum() == 150
    assert log_det(X[half]) <= log_det(X[peer.raw_support_]) + 1e-9


def innermost(X, share):
    """The rows of the raw ellipse: the nearest after the last concentration step."""
    w, most = np.ones(len(X)), (1 - share) * len(X)
    Z = (X - np.median(X, axis=0)) / np.median(np.abs(X - np.median(X, axis=0)), axis=0)
    halves = [
        trimming._concentrated(Z, w, start, most, "full")
        for start in trimming._starts(Z, w, "full")
    ]
    return min(halves, key=lambda half: half.level).weights > 0


@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
def test_wild_rows_move_no_class(covariance):
    """Ten of a hundred rows moved far away; the others are normal and give about their moments."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(4000, 2)), np.repeat([0, 1], 2000)
    X[2000:] += 4.0
    wild = X.copy()
    wild[::10] += 40.0
    fit = QDA(covariance=covariance, trim=0.25).fit(wild, y)
    np.testing.assert_allclose(fit.means, [[0, 0], [4, 4]], atol=0.1)
    variances = fit.covariances if covariance != "full" else fit.covariances[:, [0, 1], [0, 1]]
    np.testing.assert_allclose(variances, 1.0, atol=0.1)
    np.testing.assert_allclose(fit.prior, 0.5)
    assert np.abs(QDA(covariance=covariance).fit(wild, y).means - [[0], [4]]).min() > 3
    out = int(fit.notes[0].split()[0])
    assert 400 <= out <= 400 + 0.05 * 3600
    method, some, w = (
        QDA(covariance=covariance, trim=0.2),
        slice(1850, 2150),
        rng.integers(0, 3, 300),
    )
    plain = method.fit(np.repeat(wild[some], w, 0), np.repeat(y[some], w))
    weighed = method.fit(wild[some], y[some], weights=w)
    np.testing.assert_allclose(weighed.covariances, plain.covariances, rtol=1e-9)


def test_trimmed_moments_do_not_depend_on_units_and_refuse_rows_on_a_plane():
    scale = np.array([1e-6, 1.0, 1e3, 1e6])
    P, other = (QDA(trim=0.2).fit(X, SPECIES).probabilities(X) for X in (IRIS, IRIS * scale))
    np.testing.assert_allclose(other, P, atol=1e-9)
    flat = IRIS.copy()
    flat[SPECIES == 1, 3] = np.where(np.arange(50) < 45, 2 * IRIS[SPECIES == 1, 0], 1.0)
    with pytest.raises(DataError, match="combination"):
        QDA(trim=0.2).fit(flat, SPECIES)
    assert QDA().fit(flat, SPECIES).notes == ()


def test_one_covariance_for_all_has_the_density_of_linear_discriminants():
    linear, pooled = LDA().fit(IRIS, SPECIES), QDA(pooling=1.0).fit(IRIS, SPECIES)
    assert linear.log_density is not None
    np.testing.assert_allclose(linear.log_density(IRIS), pooled.log_density(IRIS), atol=1e-11)


def test_columns_that_depend_on_each_other_leave_linear_discriminants_no_density():
    X = np.column_stack([IRIS, IRIS[:, 0] + IRIS[:, 1]])
    assert LDA(singular="pseudo_inverse").fit(X, SPECIES).log_density is None
    assert not can(LDA(singular="pseudo_inverse").fit(X, SPECIES), GivesDensity)
