"""Clusterings against scikit-learn, from the same start."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage as reference_linkage
from scipy.spatial.distance import pdist
from scipy.stats import gaussian_kde
from sklearn.cluster import DBSCAN as ReferenceDBSCAN
from sklearn.cluster import AgglomerativeClustering as ReferenceAgglomerative
from sklearn.cluster import KMeans as Reference
from sklearn.cluster import MeanShift as ReferenceMeanShift
from sklearn.cluster import estimate_bandwidth
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
)
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KernelDensity as ReferenceDensity
from sklearn.neighbors import NearestNeighbors

from mlcore.clustering.agglomerative import Agglomerative
from mlcore.clustering.dbscan import DBSCAN
from mlcore.clustering.density.bandwidths import FixedWidth as Width
from mlcore.clustering.density.reaches import GivenReach, QuantileReach
from mlcore.clustering.density.shapes import SHAPES
from mlcore.clustering.hierarchy.cuts import AtHeight, AtNumber
from mlcore.clustering.hierarchy.linkages import (
    Average,
    Centroid,
    Complete,
    Median,
    Single,
    Ward,
    Weighted,
)
from mlcore.clustering.kernel_density import KernelDensity
from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.mean_shift import MeanShift
from mlcore.clustering.starts import GivenPoints, PlusPlus
from mlcore.distances.metrics import Chebyshev, Euclidean, Manhattan, Minkowski

# Iris is measured in tenths, so that rows lie exactly between two centers and rounding decides;
# a thousandth of noise tells them apart.
JITTER = np.random.default_rng(0).normal(scale=1e-3, size=(150, 4))
TABLES = {
    "iris": load_iris().data + JITTER,
    "wine": load_wine().data,
    "breast cancer": load_breast_cancer().data,
    "digits": load_digits().data,
    "blobs": make_blobs(3000, 12, centers=7, cluster_std=6.0, random_state=0)[0],
    "noise": np.random.default_rng(0).normal(size=(2500, 3)),
}


def start(X, k, seed):
    """k different rows."""
    return np.unique(X, axis=0)[np.random.default_rng(seed).permutation(len(X) // 2)[:k]]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("k", [2, 5, 11])
def test_the_same_labels_and_distortion(name, k):
    X = TABLES[name]
    centers = start(X, k, seed=k)
    ours = KMeans(n_clusters=k, init=GivenPoints(values=tuple(centers.ravel()))).fit(X)
    theirs = Reference(k, init=centers, n_init=1, tol=0, algorithm="lloyd").fit(X)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)
    # Both end at the same partition; what is left is the order of additions.
    np.testing.assert_allclose(ours.distortion * len(X), theirs.inertia_, rtol=1e-10)
    np.testing.assert_allclose(ours.centers, theirs.cluster_centers_, rtol=1e-9, atol=1e-10)
    new = X[::3] + 0.01
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))


def test_weights_mean_the_same():
    X, w = TABLES["blobs"], np.random.default_rng(1).random(3000)
    centers = start(X, 6, seed=0)
    ours = KMeans(n_clusters=6, init=GivenPoints(values=tuple(centers.ravel())))
    fit = ours.fit(X, weights=w)
    theirs = Reference(6, init=centers, n_init=1, tol=0).fit(X, sample_weight=w)
    np.testing.assert_array_equal(fit.labels, theirs.labels_)
    np.testing.assert_allclose(fit.distortion * w.sum(), theirs.inertia_, rtol=1e-10)


def test_plus_plus_starts_are_as_good():
    X = TABLES["blobs"]

    def charged(centers):
        return ((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum()

    from sklearn.cluster import kmeans_plusplus

    ones = np.ones(len(X))
    ours = [
        charged(PlusPlus().centers(X, ones, 7, np.random.default_rng(seed))) for seed in range(40)
    ]
    theirs = [charged(kmeans_plusplus(X, 7, random_state=seed)[0]) for seed in range(40)]
    # Means of 40 draws; the band is three standard errors of their difference.
    band = 3 * np.sqrt((np.var(ours) + np.var(theirs)) / 40)
    assert abs(np.mean(ours) - np.mean(theirs)) < band


RADII = {"iris": 0.5, "wine": 40.0, "breast cancer": 100.0, "digits": 24.0, "blobs": 16.0,
         "noise": 0.3}  # fmt: skip


@pytest.mark.parametrize("name", RADII)
@pytest.mark.parametrize("m", [1, 4, 12])
def test_dbscan_gives_the_same_labels(name, m):
    X = TABLES[name]
    ours = DBSCAN(eps=RADII[name], min_samples=m).fit(X)
    theirs = ReferenceDBSCAN(eps=RADII[name], min_samples=m).fit(X)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)
    np.testing.assert_array_equal(np.flatnonzero(ours.core), theirs.core_sample_indices_)


@pytest.mark.parametrize("metric", [Euclidean(), Manhattan(), Chebyshev(), Minkowski(p=3.0)])
@pytest.mark.parametrize("eps", [0.05, 0.3, 1.0, 30.0])
def test_dbscan_gives_the_same_labels_by_every_norm(metric, eps):
    X = TABLES["noise"]
    power = metric.frame(X, None).power
    ours = DBSCAN(eps=eps, min_samples=5, metric=metric).fit(X)
    told = {"metric": "chebyshev"} if power == np.inf else {"metric": "minkowski", "p": power}
    theirs = ReferenceDBSCAN(eps=eps, **told).fit(X)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)


def test_new_rows_of_dbscan_join_the_nearest_core_row_of_the_reference():
    X = TABLES["blobs"]
    theirs = ReferenceDBSCAN(eps=16.0, min_samples=12).fit(X[:2000])
    core = theirs.core_sample_indices_
    (away,), (nearest,) = (
        each.T for each in NearestNeighbors(n_neighbors=1).fit(X[core]).kneighbors(X[2000:])
    )
    expected = np.where(away <= 16.0, theirs.labels_[core][nearest], -1)
    assert 0 < (expected == -1).mean() < 1
    ours = DBSCAN(eps=16.0, min_samples=12).fit(X[:2000])
    np.testing.assert_array_equal(ours.predict(X[2000:]), expected)


def test_weights_of_dbscan_mean_the_same():
    X, w = TABLES["blobs"], 0.2 + 2 * np.random.default_rng(1).random(3000)
    ours = DBSCAN(eps=16.0, min_samples=20).fit(X, weights=w)
    theirs = ReferenceDBSCAN(eps=16.0, min_samples=20).fit(X, sample_weight=w)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)


LINKAGES = (Ward(), Single(), Complete(), Average(), Weighted(), Centroid(), Median())


@pytest.mark.parametrize("name", ["iris", "wine", "noise"])
@pytest.mark.parametrize("linkage", LINKAGES, ids=lambda it: it.card.name)
def test_agglomerative_makes_the_same_merges(name, linkage):
    X = TABLES[name][:400]
    ours = Agglomerative(linkage=linkage).fit(X)
    theirs = reference_linkage(X, linkage.card.name)
    np.testing.assert_array_equal(ours.children, np.sort(theirs[:, :2], axis=1))
    # Sums of squares of differences on both sides; theirs updates squares, ours means for Ward.
    np.testing.assert_allclose(ours.heights, theirs[:, 2], rtol=1e-10)
    np.testing.assert_array_equal(ours.sizes, theirs[:, 3])


@pytest.mark.parametrize("metric", [Manhattan(), Chebyshev(), Minkowski(p=3.0)])
@pytest.mark.parametrize("linkage", [Single(), Average()], ids=lambda it: it.card.name)
def test_agglomerative_makes_the_same_merges_by_every_norm(metric, linkage):
    X = TABLES["noise"][:300]
    name = {"manhattan": "cityblock"}.get(metric.card.name, metric.card.name)
    more = {"p": 3.0} if name == "minkowski" else {}
    theirs = reference_linkage(pdist(X, name, **more), linkage.card.name)
    ours = Agglomerative(linkage=linkage, metric=metric).fit(X)
    np.testing.assert_array_equal(ours.children, np.sort(theirs[:, :2], axis=1))
    np.testing.assert_allclose(ours.heights, theirs[:, 2], rtol=1e-12)


@pytest.mark.parametrize("cut", [AtNumber(n_clusters=4), AtHeight(distance_threshold=3.0)])
@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "single"])
def test_agglomerative_is_cut_as_theirs(cut, linkage):
    X = TABLES["iris"]
    ours = Agglomerative(linkage=linkage, cut=cut).fit(X).labels
    asked = {"n_clusters": None, "distance_threshold": None}
    asked |= {name: getattr(cut, name) for name in asked if hasattr(cut, name)}
    theirs = ReferenceAgglomerative(linkage=linkage, **asked).fit(X).labels_
    assert adjusted_rand_score(ours, theirs) == 1.0


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("kernel", SHAPES[:6])
def test_kernel_densities_are_the_same(kernel, p):
    if kernel == "cosine" and p % 2 == 0:
        pytest.skip("theirs does not integrate to 1 in an even number of columns")
    rng = np.random.default_rng(p)
    X, Q, w = rng.normal(size=(1200, p)), rng.normal(size=(150, p)), rng.random(1200)
    ours = KernelDensity(kernel=kernel, bandwidth=Width(h=0.7)).fit(X, weights=w)
    theirs = ReferenceDensity(kernel=kernel, bandwidth=0.7).fit(X, sample_weight=w)
    found, expected = np.exp(ours.log_density(Q)), np.exp(theirs.score_samples(Q))
    # Theirs adds and takes away bounds of whole branches, which leaves 1e-15 where nothing is.
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_for_the_bandwidth_are_those_of_scipy(rule):
    X, w = TABLES["noise"][:200, :1], np.random.default_rng(2).random(200)
    theirs = gaussian_kde(X.T, bw_method=rule, weights=w)
    ours = KernelDensity(bandwidth=rule).fit(X, weights=w)
    assert ours.bandwidth == pytest.approx(float(np.sqrt(theirs.covariance[0, 0])), rel=1e-12)
    np.testing.assert_allclose(np.exp(ours.log_density(X)), theirs(X.T), rtol=1e-10)


SHIFTED = {"iris": 0.9, "wine": 200.0, "breast cancer": 300.0, "noise": 1.2}


@pytest.mark.parametrize("name", SHIFTED)
@pytest.mark.parametrize("bin_seeding", [True, False])
@pytest.mark.parametrize("noise", [True, False])
def test_mean_shift_finds_the_same_modes(name, bin_seeding, noise):
    X, h = TABLES[name][:200], SHIFTED[name]
    ours = MeanShift(bandwidth=GivenReach(h=h), bin_seeding=bin_seeding, noise=noise).fit(X)
    theirs = ReferenceMeanShift(bandwidth=h, bin_seeding=bin_seeding, cluster_all=not noise).fit(X)
    np.testing.assert_allclose(ours.centers, theirs.cluster_centers_, rtol=1e-6)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)


@pytest.mark.parametrize("share", [0.1, 0.3, 1.0])
def test_the_quantile_rule_gives_the_same_bandwidth(share):
    X = TABLES["iris"]
    expected = estimate_bandwidth(X, quantile=share)
    assert QuantileReach(share=share).width(X) == pytest.approx(expected, rel=1e-7)
