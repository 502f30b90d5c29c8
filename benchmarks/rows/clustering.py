"""Clusterings against scikit-learn: k-means from the same starts with the same rule for stopping,
DBSCAN with the same radius; trees of merges against scipy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from statistics import mean
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage as reference_linkage
from sklearn.cluster import DBSCAN as ReferenceDBSCAN
from sklearn.cluster import HDBSCAN as ReferenceHDBSCAN
from sklearn.cluster import KMeans as Reference
from sklearn.cluster import MeanShift as ReferenceMeanShift
from sklearn.cluster import MiniBatchKMeans as ReferenceOnline
from sklearn.cluster import SpectralClustering as ReferenceSpectral
from sklearn.neighbors import KernelDensity as ReferenceDensity
from sklearn.neighbors import kneighbors_graph

from benchmarks import THREADS
from benchmarks.pairs import Pair
from mlcore.clustering.agglomerative import Agglomerative
from mlcore.clustering.dbscan import DBSCAN
from mlcore.clustering.density.bandwidths import FixedWidth
from mlcore.clustering.density.reaches import GivenReach
from mlcore.clustering.hdbscan import HDBSCAN
from mlcore.clustering.kernel_density import KernelDensity
from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.mean_shift import MeanShift
from mlcore.clustering.online_kmeans import OnlineKMeans
from mlcore.clustering.quantisation.lattices import Grid
from mlcore.clustering.quantisation.learning import OnlineLearning
from mlcore.clustering.som import SelfOrganisingMap
from mlcore.clustering.spectral_clustering import SpectralClustering
from mlcore.clustering.starts import GivenPoints
from mlcore.evaluation.metrics.groups import adjusted_rand
from mlcore.spine.registry import made

SIZES = ((2_000, 2, 3), (10_000, 10, 8), (50_000, 20, 10), (20_000, 64, 50))
RESTARTS = 5
SEEDS = range(3)  # the ends of a few restarts differ by more than the methods do
PEER = "sklearn.cluster.KMeans (lloyd)"


@lru_cache
def clouds(n: int, p: int, k: int) -> np.ndarray:
    """Rows around k places, wide enough to overlap, shape (n, p)."""
    rng = np.random.default_rng(0)
    places = rng.uniform(-5, 5, (k, p))
    return places[rng.integers(0, k, n)] + 2.5 * rng.normal(size=(n, p))


def _pairs() -> Iterator[Pair]:
    for n, p, k in SIZES:
        X, size = clouds(n, p, k), f"{n} x {p}, k {k}"
        yield _restarted(X, k, f"{size}, {RESTARTS} starts")
        yield _same_start(X, k, f"{size}, one start")


def _restarted(X: np.ndarray, k: int, size: str) -> Pair:
    ours = KMeans(n_clusters=k, n_init=RESTARTS)
    theirs = _theirs(k, "k-means++", RESTARTS)

    return Pair(
        "kmeans", PEER, size,
        ours=lambda: mean(ours.fit(X, seed=seed).distortion for seed in SEEDS),
        theirs=lambda: mean(_reached(theirs.set_params(random_state=s), X) for s in SEEDS),
        gap=lambda a, b: a / b - 1,
    )  # fmt: skip


def _theirs(k: int, init: Any, n_init: Any) -> Any:
    """Their method as ours is; to a checker it takes only the type of each default."""
    return Reference(k, init=init, n_init=n_init, tol=0, algorithm="lloyd")


def _reached(theirs: Any, X: np.ndarray) -> float:
    return theirs.fit(X).inertia_ / len(X)


def _same_start(X: np.ndarray, k: int, size: str) -> Pair:
    centers = X[np.random.default_rng(1).permutation(len(X))[:k]]
    ours = KMeans(n_clusters=k, init=GivenPoints(values=tuple(centers.ravel())))
    theirs = _theirs(k, centers, 1)
    return Pair(
        "kmeans", PEER, size,
        ours=lambda: ours.fit(X).distortion,
        theirs=lambda: _reached(theirs, X),
        gap=lambda a, b: a / b - 1,
    )  # fmt: skip


# Rows, columns, radius: most rows are core, some are noise.
DENSE = ((20_000, 2, 0.3), (5_000, 20, 10.0))


def _dense() -> Iterator[Pair]:
    for n, p, eps in DENSE:
        X = clouds(n, p, 8)
        yield Pair(
            "dbscan", "sklearn.cluster.DBSCAN", f"{n} x {p}, radius {eps:g}",
            ours=lambda X=X, eps=eps: DBSCAN(eps=eps).fit(X).labels,
            theirs=lambda X=X, eps=eps: ReferenceDBSCAN(eps=eps).fit(X).labels_,
            gap=lambda a, b: float((a != b).mean()),
        )  # fmt: skip


# Rows, columns; every linkage that the peer has a quick way for.
MERGED = ((4_000, 10), (1_000, 2))
LINKAGES = ("ward", "single", "complete", "average", "centroid")
VECTORS = ("ward", "single", "centroid")  # those for which theirs needs no matrix of distances


def _trees(linkage: str) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Peers by name."""
    trees: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "scipy.cluster.hierarchy.linkage": lambda X: reference_linkage(X, linkage),
        "fastcluster.linkage": lambda X: _fast_tree().linkage(X, linkage),
    }
    if linkage in VECTORS:
        trees["fastcluster.linkage_vector"] = lambda X: _fast_tree().linkage_vector(X, linkage)
    return trees


def _fast_tree() -> Any:
    return import_module("fastcluster")


def _merged() -> Iterator[Pair]:
    for n, p in MERGED:
        X = clouds(n, p, 8)
        for name in LINKAGES:
            method = Agglomerative(linkage=made("linkage", name))
            for peer, theirs in _trees(name).items():
                yield Pair(
                    "agglomerative", peer, f"{n} x {p}, {name}",
                    ours=lambda X=X, method=method: method.fit(X).heights,
                    theirs=lambda X=X, theirs=theirs: theirs(X)[:, 2],
                    gap=lambda a, b: float(abs(a - b).max()),
                    package=peer.partition(".")[0],
                )  # fmt: skip


# Rows, places, columns, bandwidth.
HILLS = ((10_000, 2_000, 2, 0.5), (4_000, 1_000, 8, 3.0))


def _hills() -> Iterator[Pair]:
    for n, m, p, h in HILLS:
        X, Q = clouds(n, p, 8), clouds(n + m, p, 8)[n:]
        for kernel in ("gaussian", "epanechnikov"):
            ours = KernelDensity(kernel=kernel, bandwidth=FixedWidth(h=h)).fit(X)
            theirs = ReferenceDensity(kernel=kernel, bandwidth=h).fit(X)
            yield Pair(
                "kernel_density", "sklearn.neighbors.KernelDensity", f"{n} x {p}, {kernel}",
                ours=lambda ours=ours, Q=Q: np.exp(ours.log_density(Q)),
                theirs=lambda theirs=theirs, Q=Q: np.exp(theirs.score_samples(Q)),
                gap=lambda a, b: float(abs(a - b).max() / b.max()),
            )  # fmt: skip


# Rows, columns, bandwidth: a dozen modes.
CLIMBED = ((10_000, 2, 1.5), (4_000, 6, 6.0))


def _climbed() -> Iterator[Pair]:
    for n, p, h in CLIMBED:
        X, ours = clouds(n, p, 12), MeanShift(bandwidth=GivenReach(h=h))
        theirs = ReferenceMeanShift(bandwidth=h, bin_seeding=True)
        yield Pair(
            "mean_shift", "sklearn.cluster.MeanShift", f"{n} x {p}, bandwidth {h:g}",
            ours=lambda X=X, ours=ours: ours.fit(X).labels,
            theirs=lambda X=X, theirs=theirs: theirs.fit(X).labels_,
            gap=lambda a, b: float((a != b).mean()),
        )  # fmt: skip


# Rows, columns: as many groups as places.
CUT = ((3_000, 10), (1_500, 2))


def _cut() -> Iterator[Pair]:
    """Both cut the same graph; the gap is that of the normalised cut, relative."""
    for n, p in CUT:
        X = clouds(n, p, 4)
        ours = SpectralClustering(n_clusters=4, laplacian="random_walk")
        theirs = ReferenceSpectral(4, affinity="precomputed", random_state=0)
        yield Pair(
            "spectral_clustering", "sklearn.cluster.SpectralClustering", f"{n} x {p}, 10 near",
            ours=lambda X=X, ours=ours: ours.fit(X).labels,
            theirs=lambda X=X, theirs=theirs: theirs.fit(near_rows(X, 10)).labels_,
            gap=lambda a, b, X=X: _normalised_cut(X, a) / _normalised_cut(X, b) - 1,
        )  # fmt: skip


def near_rows(X: np.ndarray, k: int) -> Any:
    """The graph of rows of which one is among the k nearest of the other, sparse, shape (n, n)."""
    named = kneighbors_graph(X, k)
    return named.maximum(named.T)


def _normalised_cut(X: np.ndarray, labels: np.ndarray) -> float:
    """Share of the edges of each group that leave it, added up."""
    W = near_rows(X, 10)
    inside = [W[labels == g][:, labels == g].sum() / W[labels == g].sum() for g in set(labels)]
    return float(sum(1 - share for share in inside))


# Rows, columns, least size of a group.
CONDENSED = ((10_000, 2, 50), (5_000, 10, 25))


def _condensed() -> Iterator[Pair]:
    """The hdbscan package does not count a row among its own neighbours, and takes a tree that is
    not quite the shortest unless told."""
    for n, p, m in CONDENSED:
        X, ours = clouds(n, p, 8), HDBSCAN(min_cluster_size=m)
        theirs = ReferenceHDBSCAN(m).set_params(copy=True)  # the stub calls it a text
        yield Pair(
            "hdbscan", "sklearn.cluster.HDBSCAN", f"{n} x {p}, least size {m}",
            ours=lambda X=X, ours=ours: ours.fit(X).labels,
            theirs=lambda X=X, theirs=theirs: theirs.fit(X).labels_,
            gap=lambda a, b: 1.0 - adjusted_rand(a, b),
        )  # fmt: skip
        yield Pair(
            "hdbscan", "hdbscan.HDBSCAN", f"{n} x {p}, least size {m}",
            ours=lambda X=X, ours=ours: ours.fit(X).labels,
            theirs=lambda X=X, m=m: import_module("hdbscan").HDBSCAN(
                m, m - 1, approx_min_span_tree=False, core_dist_n_jobs=THREADS
            ).fit(X).labels_,
            gap=lambda a, b: 1.0 - adjusted_rand(a, b), package="hdbscan",
        )  # fmt: skip


# Rows, columns, clusters: ours shows single rows, theirs batches of 1024.
SHOWN = ((20_000, 10, 8), (50_000, 20, 10))


def _shown() -> Iterator[Pair]:
    for n, p, k in SHOWN:
        X = clouds(n, p, k)
        centers = X[np.random.default_rng(1).permutation(n)[:k]]
        ours = OnlineKMeans(n_clusters=k, init=GivenPoints(values=tuple(centers.ravel())))
        theirs = ReferenceOnline(k, max_iter=ours.n_epochs).set_params(init=centers, n_init=1)
        yield Pair(
            "online_kmeans", "sklearn.cluster.MiniBatchKMeans", f"{n} x {p}, k {k}, 5 epochs",
            ours=lambda X=X, ours=ours: mean(ours.fit(X, seed=s).distortion for s in SEEDS),
            theirs=lambda X=X, theirs=theirs: mean(
                _reached(theirs.set_params(random_state=s), X) for s in SEEDS
            ),
            gap=lambda a, b: a / b - 1,
        )  # fmt: skip


# Rows, columns, side of the map, steps.
MAPPED = ((5_000, 10, 20, 10_000), (1_000, 4, 10, 20_000))


def _mapped() -> Iterator[Pair]:
    for n, p, side, steps in MAPPED:
        X, learning = clouds(n, p, 8), OnlineLearning(n_steps=steps)
        ours = SelfOrganisingMap(lattice=Grid(rows=side, columns=side), learning=learning)
        yield Pair(
            "som", "minisom.MiniSom", f"{n} x {p}, {side} x {side} units, {steps} steps",
            ours=lambda X=X, ours=ours: ours.fit(X).quantisation_error,
            theirs=lambda X=X, side=side, steps=steps: _mini_map(X, side, steps),
            gap=lambda a, b: a / b - 1,
            package="minisom",
        )  # fmt: skip


def _mini_map(X: np.ndarray, side: int, steps: int) -> float:
    """Their map from the same kind of start, with their own courses of radius and rate."""
    theirs = import_module("minisom").MiniSom(
        side, side, X.shape[1], sigma=side / 2, learning_rate=0.5, random_seed=0
    )
    theirs.pca_weights_init(X)
    theirs.train(X, steps, random_order=True)
    return float(theirs.quantization_error(X))


INTELEX = ("kmeans", "dbscan")
PAIRS = [
    *_pairs(), *_dense(), *_merged(), *_hills(), *_climbed(), *_cut(), *_condensed(), *_shown(),
    *_mapped(),
]  # fmt: skip
