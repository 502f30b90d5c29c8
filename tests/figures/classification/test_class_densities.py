"""The densities of the classes along one column, checked on values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from figures.views.classification import class_densities
from mlcore.classification.lda import LDA
from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.classification.qda import QDA
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from tests.figures import made

# Means 0 and 10, standard deviations 2 and 1, in shares of 2 to 1.
X = np.array([-2.0, 2, -2, 2, -2, 2, -2, 2, 9, 11, 9, 11])[:, None]
Y = [0] * 8 + [1] * 4


@pytest.mark.parametrize("method", [QDA(), NaiveBayes()])
def test_they_are_prior_times_density_and_are_cut_where_they_cross(method):
    data = made.dataset(X, Y, classes=("a", "b"))
    d = class_densities.numbers(data, made.whole(data, method))
    wanted = np.column_stack([norm.pdf(d.at, 0, 2) * 2 / 3, norm.pdf(d.at, 10, 1) / 3])
    np.testing.assert_allclose(d.heights, wanted, rtol=1e-6, atol=1e-12)
    roots = np.roots([0.375, -10, 50 + np.log(2 / 3 * 1 / 2 / (1 / 3))]).real
    inside = roots[(roots > d.at[0]) & (roots < d.at[-1])]
    np.testing.assert_allclose(d.cuts, inside, atol=np.diff(d.at)[0])
    assert d.wrong == 0.0
    assert "That rule would be wrong on 0 %" in class_densities.reading(d)


def test_of_correlated_columns_each_is_seen_without_the_other():
    rng = np.random.default_rng(1)
    data = made.dataset(
        rng.normal(size=(80, 2)) @ [[1, 2], [0, 0.5]], [0, 1] * 40, classes=("a", "b")
    )
    fit = made.whole(data, QDA()).fit
    x = np.linspace(-1, 1, 5)
    spread = np.sqrt(fit.covariances[:, 1, 1])
    wanted = norm.logpdf(x[:, None], fit.means[:, 1], spread) + np.log(fit.prior)
    np.testing.assert_allclose(fit.log_marginals(1, x), wanted)


def test_levels_have_bars_of_their_frequencies():
    kinds = (("nominal", ("red", "blue")),)
    data = made.dataset([[0], [0], [1], [1]], [0, 0, 0, 1], classes=("a", "b"), kinds=kinds)
    d = class_densities.numbers(data, made.whole(data, NaiveBayes(smoothing=1.0)))
    np.testing.assert_allclose(d.heights, [[0.75 * 3 / 5, 0.25 / 3], [0.75 * 2 / 5, 0.25 * 2 / 3]])
    assert "red (a) and blue (a)" in class_densities.reading(d)
    assert d.wrong == 0.25


def test_standardised_columns_are_drawn_in_their_own_units():
    run = Run(data="iris", preparation=("standardise",), method=QDA())
    outcome, data = carried_out(run), run.data.dataset({})
    d = class_densities.numbers(data, outcome.whole, x=data.columns[0].name)
    # Shares of the classes sum to 1, and so does what stands under the curves, but for the tails.
    assert np.trapezoid(d.heights.sum(axis=1), d.at) == pytest.approx(1.0, abs=0.04)
    none = class_densities.numbers(
        data, carried_out(Run(data="iris", preparation=("whitening",), method=QDA())).whole
    )
    assert none.on is None
    assert "No column reaches" in class_densities.reading(none)


def test_of_linear_discriminants_all_classes_have_the_spread_within_them():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2)) * [1.0, 3.0] + np.repeat([[0, 0], [4, 5.0]], 30, axis=0)
    data = made.dataset(X, [0] * 30 + [1] * 30, classes=("a", "b"))
    fit = made.whole(data, LDA(divisor="unbiased")).fit
    pooled = np.sqrt((X[:30].var(axis=0, ddof=1) + X[30:].var(axis=0, ddof=1)) / 2)
    np.testing.assert_allclose(fit.within_spreads, pooled)
    x = np.linspace(-3, 9, 7)
    wanted = norm.logpdf(x[:, None], fit.means[:, 1], pooled[1]) + np.log(0.5)
    np.testing.assert_allclose(fit.log_marginals(1, x), wanted)
    one = made.dataset(X[:, :1], [0] * 30 + [1] * 30, classes=("a", "b"))
    alone = made.whole(one, LDA())
    d = class_densities.numbers(one, alone)
    # One column has the same border by its densities and by the rule.
    edge = -alone.fit.intercept / alone.fit.coefficients[0]
    np.testing.assert_allclose(d.cuts, [edge], atol=np.diff(d.at)[0])


def test_a_column_that_does_not_vary_within_classes_is_passed_over():
    X = np.column_stack([Y, np.tile([0.0, 1, 2, 3], 3)])
    data = made.dataset(X, Y, classes=("a", "b"))
    d = class_densities.numbers(data, made.whole(data, LDA()))
    assert d.on is not None
    assert d.on.column.name == "x2"


def test_ten_classes_keep_names_colours_and_strokes_apart() -> None:
    """The places of digits were written over one another, and 8 and 9 had the lines of 0 and 1."""
    data = made.dataset(X, Y, classes=("a", "b"))
    classes, at = tuple("0123456789"), np.linspace(0.0, 10.0, 50)
    d = class_densities.ClassDensities(
        class_densities.axis(data, 0), at, classes, np.arange(10), np.ones((50, 10)),
        np.array([1.0, 1.1, 1.2, 5.0, 5.5]), np.zeros(4), np.zeros(4, dtype=int), 0.5, 3,
    )  # fmt: skip
    fig = class_densities.draw(d)
    assert [note.text for note in fig.layout.annotations if note.text] == ["1.00", "5.00"]
    lines = {(t.line.color, t.line.dash) for t in fig.data if t.mode == "lines"}
    assert len(lines) == len(classes)
    assert fig.layout.yaxis.range[0] >= -class_densities.STROKES
