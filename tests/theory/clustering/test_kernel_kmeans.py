"""What the theory says of kernel k-means, without a reference."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from mlcore.clustering.kernel_kmeans import KernelKMeans
from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.starts import GivenPoints
from mlcore.evaluation.metrics.groups import adjusted_rand, rss
from mlcore.kernels.gram import gram
from mlcore.kernels.products import Linear, Polynomial, Sigmoid
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column


def ring(n=150, seed=0):
    """A blob within a ring, and which row lies in which."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    truth = np.arange(n) % 2
    radius = np.where(truth, 4.0, 0.0)[:, None]
    X = radius * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.3 * rng.normal(size=(n, 2))
    return X, truth


def clouds(n=150):
    """Rows about three places."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(n, 3)) + 3.0 * rng.integers(0, 3, (n, 1))


def test_the_linear_kernel_is_k_means():
    X = clouds()
    ours = KernelKMeans(kernel=Linear()).fit(X)
    plain = KMeans(n_init=30).fit(X)
    assert ours.distortion == pytest.approx(plain.distortion)
    assert adjusted_rand(ours.labels, plain.labels) == 1.0
    assert adjusted_rand(ours.predict(X + 0.1), plain.predict(X + 0.1)) == 1.0


def test_the_square_of_products_is_k_means_of_products():
    X, _ = ring()
    squares = np.column_stack([X[:, 0] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
    kernel = Polynomial(degree=2, coef0=0.0)
    ours = KernelKMeans(n_clusters=2, kernel=kernel).fit(X)
    assert ours.distortion == pytest.approx(rss(squares, ours.labels) / len(X))
    # A local optimum there: k-means that starts at these means stays.
    means = [squares[ours.labels == k].mean(axis=0) for k in range(2)]
    start = GivenPoints(values=tuple(np.concatenate(means)))
    again = KMeans(n_clusters=2, init=start).fit(squares)
    np.testing.assert_array_equal(again.labels, ours.labels)


def test_a_blob_within_a_ring_is_found():
    X, truth = ring()
    fit = KernelKMeans(n_clusters=2, kernel=RBF(gamma=0.1)).fit(X)
    assert adjusted_rand(truth, fit.labels) == 1.0
    np.testing.assert_array_equal(fit.predict(X), fit.labels)
    assert adjusted_rand(truth, KMeans(n_clusters=2).fit(X).labels) < 0.5


def test_sums_that_are_corrected_by_the_rows_that_move_are_those_of_all_rows():
    X = np.random.default_rng(2).normal(size=(400, 6))  # in no groups: few move, for long
    w = np.arange(400) % 3 * 1.0
    method = KernelKMeans(n_clusters=4, n_init=1)
    steps = list(method.steps(X, weights=w))
    K, used = gram(method.kernel.resolve(X, w), X), w > 0
    assert len(steps) > 10
    for step, after in pairwise(steps):
        products = K @ step.state.shares
        lengths = (step.state.shares * products).sum(axis=0)
        np.testing.assert_allclose(step.state.lengths, lengths, rtol=1e-12)
        nearest = (lengths - 2 * products).argmin(axis=1)
        np.testing.assert_array_equal(nearest[used], after.state.labels[used])


@pytest.mark.parametrize("init", ["plus_plus", "partition"])
def test_the_distortion_never_rises(init):
    steps = KernelKMeans(n_clusters=5, init=init, n_init=2).steps(clouds())
    objective = np.array([step.objective for step in steps])
    assert len(objective) > 2
    assert np.diff(objective).max() <= 1e-12


def test_distances_are_those_in_the_space_of_features():
    X = clouds(40)
    fit = KernelKMeans(n_init=3).fit(X)
    K = fit.kernel.against(X)(X)
    apart = [
        np.mean([K[i, i] for i in own]) - K[np.ix_(own, own)].mean()
        for own in (np.flatnonzero(fit.labels == k) for k in range(3))
    ]
    sizes = np.bincount(fit.labels)
    assert fit.distortion == pytest.approx(np.average(apart, weights=sizes))


def test_a_tolerance_ends_a_run_that_gains_little_more():
    X = np.random.default_rng(0).uniform(size=(300, 2))
    settings = {"n_clusters": 6, "kernel": Linear(), "init": "partition", "n_init": 1}
    exact = [step.objective for step in KernelKMeans(**settings).steps(X)]
    falls = -np.diff(exact) / exact[:-1]
    k = int(np.argmax(falls <= 0.02))
    assert 0 < k < len(falls) - 2
    early = list(KernelKMeans(tol=0.02, **settings).steps(X))
    assert [step.objective for step in early] == exact[: k + 2]
    assert "the distortion fell by" in early[-1].stop.why


@pytest.mark.parametrize("seed", [0, 2, 5])
def test_where_no_space_has_the_kernel_a_rise_ends_the_run_and_the_best_is_kept(seed):
    X = np.random.default_rng(seed).normal(size=(40, 2))
    method = KernelKMeans(n_clusters=5, kernel=Sigmoid(gamma=2.0, coef0=-1.0), n_init=1)
    reached = [step.objective for step in method.steps(X)]
    fit = method.fit(X)
    assert fit.stop.kind == "cycle" and "not positive semidefinite" in fit.stop.why
    assert fit.distortion == reached[-1] == pytest.approx(min(reached), rel=1e-12)  # sums differ


def beginning_with(labels, X, **settings):
    """Groups that begin with those of a column, of any codes."""
    names = (Column("group"), *(Column(f"x{j}") for j in range(X.shape[1])))
    method = KernelKMeans(kernel=Linear(), init="column", groups="group", **settings)
    return method.fit(np.column_stack([labels, X]), columns=names)


def test_groups_of_a_column_are_where_it_begins():
    X = clouds()
    plain = KernelKMeans(kernel=Linear()).fit(X)
    # From where it ended nothing moves, and the column has no part in the kernel.
    fit = beginning_with(17.5 - plain.labels, X)
    assert fit.n_iter == 0 and fit.distortion == pytest.approx(plain.distortion)
    assert adjusted_rand(fit.labels, plain.labels) == 1.0
    anywhere = np.column_stack([np.full(len(X), 99.0), X])
    np.testing.assert_array_equal(fit.predict(anywhere), fit.labels)
    # A poor start is k-means from its means.
    dealt = np.arange(len(X)) % 3
    means = np.concatenate([X[dealt == k].mean(axis=0) for k in range(3)])
    lloyd = KMeans(init=GivenPoints(values=tuple(means))).fit(X)
    poor = beginning_with(dealt, X)
    assert poor.n_iter > 0 and poor.distortion == pytest.approx(lloyd.distortion)


def test_groups_of_a_column_are_as_many_as_asked_for_or_fewer():
    X = clouds(60)
    assert len(np.unique(beginning_with(np.arange(60) % 2, X).labels)) == 2
    with pytest.raises(DataError, match="groups of group, of which there are 4; 3 are asked for"):
        beginning_with(np.arange(60) % 4, X)
    method = KernelKMeans(init="column", groups="ring")
    assert method.untouched() == ("ring",) and not KernelKMeans(groups="ring").untouched()
    with pytest.raises(DataError, match=r"Kernel k-means needs ring, .* it got 0 of 3"):
        method.fit(X)
