"""AIC and BIC of hard groups as Gaussians of any shape: by a reference, and what they prefer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mlcore.clustering.dbscan import DBSCAN
from mlcore.clustering.kmeans import KMeans
from mlcore.data.generators.classes.two_bars import TwoBars
from mlcore.evaluation.group_likelihood import information_by_scatter, information_elliptical
from mlcore.evaluation.group_stability import bic_spherical
from mlcore.evaluation.metrics.groups import rss
from mlcore.spine.errors import ParamError

EPS = (0.15, 0.6, 2.5)


def test_it_is_the_likelihood_of_its_groups_with_noise_spread_over_the_box():
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(50, 3)) * [1, 2, 3], np.arange(50) % 3
    labels[:4], labels[4:7] = -1, 7  # noise, and a group of fewer rows than 3 + 1
    ridge = 1e-3 * X.var(axis=0).mean()
    wanted = 7 * (np.log(7 / 50) - np.log(np.ptp(X, axis=0)).sum())
    for k in range(3):
        own = X[labels == k]
        shape = np.cov(own.T, bias=True) + ridge * np.eye(3)
        each = multivariate_normal(own.mean(axis=0), shape).logpdf(own)
        wanted += each.sum() + len(own) * np.log(len(own) / 50)
    parameters = 2 + 3 * 3 + 3 * 6 + 1
    found = information_elliptical(X, labels)
    assert found.aic == pytest.approx(2 * parameters - 2 * wanted, rel=1e-12)
    assert found.bic == pytest.approx(np.log(50) * parameters - 2 * wanted, rel=1e-12)


def test_groups_that_have_no_covariance_have_no_criterion():
    line = np.arange(6.0)[:, None]
    for X, labels in (
        (line, np.full(6, -1)), (line, np.arange(6)), (np.ones((6, 2)), np.zeros(6, int))
    ):  # fmt: skip
        assert np.isnan(information_elliptical(X, labels)).all()
    flat = np.column_stack([line, np.zeros(6)])  # all in one line, and one row apart of it
    assert np.isfinite(information_elliptical(flat, [0, 0, 0, 0, 0, -1])).all()


@pytest.mark.parametrize("shape", ["diag", "spherical"])
def test_wrong_shapes_have_fewer_parameters_and_keep_to_the_axes(shape):
    X = np.random.default_rng(4).normal(size=(40, 3)) * [1, 2, 3]
    spread = X.var(axis=0) if shape == "diag" else np.full(3, X.var(axis=0).mean())
    spread = spread + 1e-3 * X.var(axis=0).mean()
    each = multivariate_normal(X.mean(axis=0), np.diag(spread)).logpdf(X)
    of = information_elliptical(X, np.zeros(40, int), shape)
    free = {"diag": 6, "spherical": 4}[shape]
    assert of.aic == pytest.approx(2 * free - 2 * each.sum(), rel=1e-12)
    by_scatter = information_by_scatter(X, np.arange(40) % 2)
    assert by_scatter.bic - by_scatter.aic == pytest.approx(6 * (np.log(40) - 2))


def test_a_shape_that_there_is_not_is_told():
    with pytest.raises(ParamError, match="one of full, diag, spherical; got 'tied'"):
        information_elliptical(np.eye(3), [0, 0, 0], "tied")


def test_long_bars_are_two_to_ellipses_and_crumbs_to_balls_and_scatter():
    """Of five clusterings of two bars, the right one is that of DBSCAN with a middle radius."""
    best = []
    for seed in range(10):
        table = TwoBars(seed=seed).origin({}).table
        X = np.column_stack([c.values for c in table.columns[:2]])
        tried = [KMeans(n_clusters=k).fit(X, seed=0).labels for k in (2, 4)]
        tried += [DBSCAN(eps=eps, min_samples=4).fit(X).labels for eps in EPS]
        each = np.array([[*information_elliptical(X, labels), bic_spherical(X, labels)]
                         for labels in tried])  # fmt: skip
        best.append([*each.argmin(axis=0), np.argmin([rss(X, labels) for labels in tried])])
    chosen = np.array(best).T
    assert (chosen[:2] == 3).all()
    assert (chosen[2] == 2).mean() > 0.8 and (chosen[3] == 2).all()
