"""Removing outliers: which rows go, and by which score."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mlcore.preparation.outlier_remover import OutlierRemover
from mlcore.reduction.pca import PCA
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

SCORES = ("mahalanobis", "knn", "zscore")


def cloud(n: int = 100) -> np.ndarray:
    """A long tilted cloud, whose rows 0 and 1 lie across it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) @ [[3.0, 2.9], [0.2, -0.2]]
    X[:2] = [[4.0, -4.0], [-4.0, 4.0]]
    return X


@pytest.mark.parametrize("score", ["mahalanobis", "knn"])
def test_rows_across_the_cloud_are_the_most_remote(score):
    X = cloud()
    found = OutlierRemover(score=score, share=0.02).fit(X).resample(X, None)
    np.testing.assert_array_equal(found.rows, np.arange(2, 100))
    np.testing.assert_array_equal(found.X, X[2:])


def test_single_columns_do_not_tell_them():
    fit = OutlierRemover(score="zscore", share=0.02).fit(cloud())
    assert set(np.flatnonzero(fit.scores(cloud()) > fit.threshold)).isdisjoint({0, 1})


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("share", [0.0, 0.05, 0.199])
def test_the_share_is_exact(score, share):
    X = cloud()
    fit = OutlierRemover(score=score, share=share).fit(X)
    assert fit.n_removed == int(share * 100)
    assert len(fit.resample(X, None).rows) == 100 - fit.n_removed


def test_scores_are_what_they_are_called():
    X = cloud()
    by = {name: OutlierRemover(score=name, n_neighbors=3).fit(X).scores(X) for name in SCORES}
    squares = PCA().fit(X).hotelling_t2(X)  # with divisor n - 1
    np.testing.assert_allclose(by["mahalanobis"] ** 2, squares * 100 / 99, rtol=1e-9)
    np.testing.assert_allclose(by["knn"], np.sort(cdist(X, X), axis=1)[:, 3], rtol=1e-9)
    expected = np.abs((X - X.mean(axis=0)) / X.std(axis=0)).max(axis=1)
    np.testing.assert_allclose(by["zscore"], expected, rtol=1e-12)


@pytest.mark.parametrize("score", SCORES)
def test_equal_rows_all_stay_and_nothing_is_divided_by_zero(score):
    X = np.ones((20, 3))
    fit = OutlierRemover(score=score, share=0.2).fit(X)
    assert fit.n_removed == 0
    assert np.array_equal(fit.scores(X), np.zeros(20))


def test_what_it_refuses():
    names = Column("island", "nominal", ("a", "b"))
    with pytest.raises(DataError, match="Put one-hot encoding before it"):
        OutlierRemover().fit(cloud(), columns=(names, Column("mass")))
    with pytest.raises(DataError, match="needs more rows than that; got 5"):
        OutlierRemover(score="knn").fit(cloud(5))
