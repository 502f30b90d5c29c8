"""Whitening in pictures: the three stages and the directions, by numbers."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.preparation import spectrum, whitening_clouds
from mlcore.preparation.chain import prepare
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup
from tests.figures import made


def whitened(data, *before, **settings):
    """The rows prepared by a whitening step, with others before it."""
    steps = (
        *(lookup("preparation", b)() for b in before),
        lookup("preparation", "whitening")(**settings),
    )
    return prepare(steps, data.X, data.y, data.columns)


@pytest.fixture(scope="module")
def long():
    """Two columns that go together, one apart, and two classes that lie apart."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    a = rng.normal(size=200) + 5 * y
    X = np.column_stack([rng.normal(0, 9, 200), a, a + 0.5 * rng.normal(size=200)])
    return made.dataset(X, y, ("no", "yes"))


@pytest.mark.parametrize("method", ["zca", "pca", "cholesky"])
def test_the_stages_are_the_covariance_its_axes_and_the_identity(long, method):
    s = whitening_clouds.numbers(long, whitened(long, method=method))
    before, turned, white = s.stages
    C = np.cov(long.X.T, ddof=0)
    assert before.axes == ("x2", "x3"), "the two that go together most"
    np.testing.assert_allclose(before.covariance, C[1:, 1:])
    np.testing.assert_allclose(turned.covariance, np.diag(np.linalg.eigvalsh(C)[:0:-1]), atol=1e-9)
    np.testing.assert_allclose(white.covariance, np.eye(2), atol=1e-9)
    assert "every direction has 1" in whitening_clouds.reading(s)


def test_ellipses_lie_one_and_two_deviations_from_the_mean(long):
    stage = whitening_clouds.numbers(long, whitened(long)).stages[0]
    for k, ellipse in enumerate(stage.ellipses, start=1):
        apart = ellipse - long.X[:, 1:].mean(axis=0)
        far = np.einsum("ij,jk,ik->i", apart, np.linalg.inv(stage.covariance), apart)
        np.testing.assert_allclose(far, k**2)


def test_within_classes_and_shrunken_are_told_apart(long):
    within = whitening_clouds.numbers(long, whitened(long, "standardise", scatter="within"))
    assert within.is_within
    assert within.farthest < 1e-9
    assert "about the mean of each class" in whitening_clouds.reading(within)
    shrunken = whitening_clouds.numbers(long, whitened(long, shrinkage=0.5))
    assert shrunken.farthest > 0.1
    assert "not quite white" in whitening_clouds.reading(shrunken)


def test_directions_that_were_left_out_are_counted(long):
    s = spectrum.numbers(whitened(long, method="pca", n_components=2))
    np.testing.assert_allclose(s.variances, np.linalg.eigvalsh(np.cov(long.X.T, ddof=0))[::-1])
    assert spectrum.reading(s).endswith("1 is left out, with 0.1 % of the variance.")
    assert [len(trace.x) for trace in spectrum.draw(s).data] == [2, 1]
    with pytest.raises(DataError, match="two columns before whitening and two after"):
        whitening_clouds.numbers(long, whitened(long, method="pca", n_components=1))
