"""Filters of variables: published numbers, the reference, blocks, and odd rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn import feature_selection
from sklearn.datasets import load_diabetes, load_iris, load_wine

from mlcore.data.dataset import TableData
from mlcore.preparation.chain import prepare
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.selection.dependence import HSIC, ByBins, MutualInformation
from mlcore.preparation.selection.filters import UnivariateFilter, VarianceThreshold
from mlcore.preparation.selection.relevance import FisherScore
from mlcore.preparation.standardise import Standardise
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column


def table(load: Any) -> tuple[np.ndarray, np.ndarray]:
    X, y = load(return_X_y=True)
    return np.asarray(X), np.asarray(y)


def relevance(kind: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return UnivariateFilter(relevance=kind).fit(X, y).relevance


def test_the_published_scores_of_iris():
    X, y = table(load_iris)
    fisher = relevance("fisher_score", X, y)
    np.testing.assert_allclose(fisher, [1.622646, 0.668844, 16.056615, 13.061322], atol=5e-7)
    F = relevance("f_ratio", X, y)
    np.testing.assert_allclose(F, [119.2645, 49.1600, 1180.1612, 960.0071], atol=5e-5)
    np.testing.assert_allclose(F, fisher * 147 / 2, rtol=1e-12)


def test_classes_may_count_alike():
    X, y = table(load_iris)
    kept = np.r_[50:100, 100:125]  # classes of 50 and 25 rows
    by_rows = relevance(FisherScore(), X[kept], y[kept])
    alike = relevance(FisherScore(weighting="classes"), X[kept], y[kept])
    assert not np.allclose(by_rows, alike)
    means = np.array([X[kept][y[kept] == k].mean(axis=0) for k in (1, 2)])
    spreads = np.array([X[kept][y[kept] == k].var(axis=0) for k in (1, 2)])
    wanted = ((means - X[kept].mean(axis=0)) ** 2).mean(axis=0) / spreads.mean(axis=0)
    np.testing.assert_allclose(alike, wanted, rtol=1e-12)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_f_ratio_of_classes_is_that_of_the_reference(load):
    X, y = table(load)
    np.testing.assert_allclose(
        relevance("f_ratio", X, y), feature_selection.f_classif(X, y)[0], rtol=1e-10
    )


def test_quantities_are_ranked_as_by_the_reference():
    X, y = table(load_diabetes)
    np.testing.assert_allclose(
        relevance("f_ratio", X, y), feature_selection.f_regression(X, y)[0], rtol=1e-9
    )
    r = np.abs([np.corrcoef(x, y)[0, 1] for x in X.T])
    np.testing.assert_allclose(relevance("correlation", X, y), r, rtol=1e-10)
    for kind in ("correlation", "f_ratio"):
        ours = UnivariateFilter(relevance=kind, n_features=4).fit(X, y)
        theirs = feature_selection.SelectKBest(feature_selection.f_regression, k=4).fit(X, y)
        np.testing.assert_array_equal(ours.chosen, theirs.get_support())
        np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


@pytest.mark.parametrize("threshold", [0.0, 0.3, 2.0])
def test_the_variance_threshold_is_that_of_the_reference(threshold):
    X, _ = table(load_wine)
    X = np.column_stack([X, np.full(len(X), 0.1)])
    ours = VarianceThreshold(threshold=threshold).fit(X)
    theirs = feature_selection.VarianceThreshold(threshold).fit(X)
    np.testing.assert_array_equal(ours.chosen, theirs.get_support())


def test_a_limit_keeps_fewer_but_at_least_one():
    X, y = table(load_iris)
    assert UnivariateFilter(threshold=0.5).fit(X, y).chosen.sum() < 4
    top = UnivariateFilter(threshold=1.0).fit(X, y)
    assert top.chosen.sum() == 1
    assert top.relevance.argmax() == top.chosen.argmax()


def test_a_block_stays_whole_and_ties_go_to_the_first():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 90)
    X = np.column_stack([rng.normal(size=(90, 2)), level[:, None] == np.arange(3)]).astype(float)
    columns = (Column("a"), Column("b"), *(Column(f"c={k}", source="c") for k in range(3)))
    for kind in ("correlation", "f_ratio", "fisher_score"):
        fit = UnivariateFilter(relevance=kind, n_features=1).fit(X, level, columns=columns)
        assert [c.variable for c in fit.out_columns] == ["c"] * 3
    twice = np.repeat(X[:, :1], 3, axis=1)
    assert UnivariateFilter(n_features=1).fit(twice, level).kept.tolist() == [0]


def test_what_cannot_be_filtered_is_a_sentence():
    X, y = table(load_diabetes)
    with pytest.raises(DataError, match="compares classes"):
        UnivariateFilter(relevance="fisher_score").fit(X, y)
    with pytest.raises(DataError, match="No variable has a variance above 0"):
        VarianceThreshold().fit(np.full((5, 2), 0.1))
    names = (Column("a", "nominal", ("x", "y")),)
    for step in (VarianceThreshold(), UnivariateFilter()):
        with pytest.raises(DataError, match="Put one-hot encoding"):
            step.fit([[0.0], [1.0]], [0, 1], columns=names)


def test_constant_and_perfect_columns_are_ranked_last_and_first():
    y = np.arange(20) % 2
    X = np.column_stack([np.ones(20), np.random.default_rng(1).normal(size=20), y])
    for kind in ("correlation", "f_ratio", "fisher_score"):
        found = relevance(kind, X, y)
        assert found[0] == 0
        assert found.argmax() == 2


def of_simon_and_lesage(rows: int, offset: float) -> tuple[np.ndarray, np.ndarray]:
    """The sets SmLs01 to SmLs09 of NIST: 9 classes, certified with F = rows of a class."""
    centres = offset + np.array([1.4, 1.3, 1.5, 1.3, 1.5, 1.3, 1.5, 1.3, 1.5]) - 1.0 * (offset > 1)
    steps = np.r_[0.0, np.tile([-0.1, 0.1], rows // 2)]
    X = np.round(centres[:, None] + steps, 1)
    return X.reshape(-1, 1), np.repeat(np.arange(9), rows)


def exact_f(x: np.ndarray, y: np.ndarray) -> float:
    """F of the numbers as they are stored, in fractions."""
    values, K = [Fraction(v) for v in x.tolist()], int(y.max()) + 1
    mean = sum(values) / len(values)
    between = within = Fraction(0)
    for k in range(K):
        own = [v for v, of in zip(values, y, strict=True) if of == k]
        centre = sum(own) / len(own)
        between += len(own) * (centre - mean) ** 2
        within += sum((v - centre) ** 2 for v in own)
    return float(between / (K - 1) / (within / (len(x) - K)))


@pytest.mark.parametrize("rows", [21, 201, 2001])
@pytest.mark.parametrize(("offset", "digits"), [(0.0, 13), (1e6, 9), (1e12, 2)])
def test_the_f_ratio_is_certified(rows, offset, digits):
    X, y = of_simon_and_lesage(rows, offset)
    (F,) = relevance("f_ratio", X, y)
    # Of 10^12 + 0.4 only four digits of the 0.4 are stored: no more can agree.
    assert pytest.approx(rows, rel=10.0**-digits) == F
    if rows < 2001:
        assert pytest.approx(exact_f(X[:, 0], y), rel=1e-12) == F


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_f_ratio_of_a_quantity_is_that_of_the_residuals(offset):
    x = np.arange(1.0, 41.0)
    wave = np.tile([1.0, -1.0, -1.0, 1.0], 10)  # at right angles to x and to a constant
    for noise in (2.0**-4, 2.0**-14):
        (F,) = relevance("f_ratio", (x + offset)[:, None], x + noise * wave)
        assert pytest.approx(((x - x.mean()) ** 2).sum() * 38 / (noise**2 * 40), rel=1e-10) == F


# --- relations of any kind ----------------------------------------------------------------------


def test_information_by_neighbours_is_that_of_the_reference():
    X, y = table(load_wine)
    theirs = feature_selection.mutual_info_classif(X, y, random_state=0)
    # Equal values get a random order from both, so with ties only the ranks nearly agree.
    ranks = np.argsort(np.argsort([relevance("mutual_information", X, y), theirs], axis=1), axis=1)
    among: Any = np.corrcoef(ranks)
    assert among[0, 1] > 0.98
    smooth = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0)  # no ties
    theirs = feature_selection.mutual_info_classif(smooth, y, random_state=0)
    np.testing.assert_allclose(relevance("mutual_information", smooth, y), theirs, atol=1e-6)
    z = smooth[:, 0] ** 2 + smooth[:, 1]
    theirs = feature_selection.mutual_info_regression(smooth, z, random_state=0)
    np.testing.assert_allclose(relevance("mutual_information", smooth, z), theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("estimator", "wanted"),
    [
        ("information_by_neighbours", {"eyes": 0.482057, "student": 0.032189, "setting": 0.013844}),
        (ByBins(normalise=True), {"eyes": 0.547198, "student": 0.047829, "setting": 0.015715}),
    ],
)
def test_the_published_information_of_glasses(estimator, wanted):
    """Names reach the filter as one-hot blocks, and are counted by their levels."""
    data = TableData(source="glasses").dataset({})
    step = UnivariateFilter(relevance=MutualInformation(estimator=estimator))
    fit = prepare((OneHot(), Standardise(), step), data.X, data.y, data.columns).fits[-1]
    found = dict(zip(fit.variables, fit.relevance, strict=True))
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("task", ["classes", "quantity"])
@pytest.mark.parametrize(
    "kind", ["mutual_information", MutualInformation(estimator="information_by_bins"), "hsic"]
)
def test_what_no_straight_line_shows_is_found(kind, task):
    """The target follows the size of the second variable, whatever its sign."""
    X = np.random.default_rng(2).uniform(-1, 1, (300, 4))
    y = np.abs(X[:, 1]) if task == "quantity" else (np.abs(X[:, 1]) > 0.5).astype(int)
    X[:, 3] = 1.0
    assert relevance("correlation", X, y)[1] < 0.15
    found = relevance(kind, X, y)
    assert found.argmax() == 1
    assert found[3] == 0
    moved = relevance(kind, (X * [-5, 1e-3, 2, 1] + [0, 3, 1, 0])[::-1], y[::-1])
    np.testing.assert_allclose(moved, found, atol=1e-6)


def test_permutations_leave_nothing_of_what_chance_reaches():
    X = np.random.default_rng(5).normal(size=(80, 6))
    y = X[:, 0] ** 2
    assert (relevance("hsic", X, y) > 0).all()
    tested = relevance(HSIC(permutations=99), X, y)
    assert tested[0] == relevance("hsic", X, y)[0]
    assert (tested[1:] == 0).sum() >= 4


def test_a_kernel_that_does_not_apply_is_a_sentence():
    X, y = table(load_iris)
    with pytest.raises(DataError, match="negative"):
        relevance(HSIC(kernel="chi_square"), X, y)


def test_two_classes_of_iris_count_alike_as_published():
    X, y = table(load_iris)
    found = relevance(FisherScore(weighting="classes"), X[50:], y[50:])
    np.testing.assert_allclose(found, [0.323342, 0.104866, 1.620972, 2.182667], atol=5e-7)


@pytest.mark.parametrize(
    ("kind", "n_classes"),
    [("correlation", 0), ("correlation", 2), ("correlation", 5), ("f_ratio", 0), ("f_ratio", 5),
     ("fisher_score", 5)],
)  # fmt: skip
def test_one_in_twenty_columns_that_say_nothing_lies_above_chance(kind, n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 800))
    shares = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    y = rng.choice(n_classes, 90, p=shares) if n_classes else rng.normal(size=90)
    fit = UnivariateFilter(relevance=kind).fit(X, y)
    above = np.mean(fit.relevance > fit.chance)
    assert above == pytest.approx(0.05, abs=0.025)  # three standard errors of 800 draws


def test_where_no_law_is_known_no_chance_is_said():
    X, y = table(load_iris)
    for kind in ("mutual_information", "hsic", FisherScore(weighting="classes")):
        assert np.isnan(UnivariateFilter(relevance=kind).fit(X, y).chance)
