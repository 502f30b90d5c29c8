"""Distances of rows, sets and graphs: by hand, against the peers, and what a distance must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.spatial.distance import cdist
from sklearn import neighbors as sk

from mlcore.distances import pairwise
from mlcore.distances.dissimilarity import check_distances, confusion_distances, path_distances
from mlcore.distances.mahalanobis import Mahalanobis
from mlcore.distances.metrics import Cosine, Minkowski
from mlcore.distances.neighbourhoods import kneighbors, neighborhood_graph
from mlcore.distances.pairwise import half_squared_distances, pairwise_distances, set_distance
from mlcore.kernels.centring import distance_to_mean, kernel_distance
from mlcore.kernels.rbf import RBF
from mlcore.maths.squared_distances import product, sq_distances
from mlcore.spine import registry
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.random import generator
from tests.contract.subjects import is_sentence

SETTINGS = {"blurred_euclidean": {"height": 1}}  # where rows of any width must do
METRICS = [
    pytest.param(registry.lookup("metric", name)(**SETTINGS.get(name, {})), id=name)
    for name in registry.names("metric")
]
X = generator(0, "distances").normal(size=(60, 3)) @ [[2, 1, 0], [0, 1, 0], [0, 0, 3]]
FEW = arrays.arrays(float, (3, 2), elements=st.integers(-5, 5).map(float))


@pytest.mark.parametrize(
    ("metric", "peer"),
    [
        ("euclidean", "euclidean"),
        ("manhattan", "cityblock"),
        ("chebyshev", "chebyshev"),
        ("hamming", "hamming"),
    ],
)
def test_norms_are_those_of_scipy(metric, peer):
    rows = np.round(X)  # so that some entries are equal
    found = pairwise_distances(rows, rows[:7], metric)
    np.testing.assert_allclose(found, cdist(rows, rows[:7], peer))


def test_mahalanobis_is_in_units_of_the_spread():
    VI = np.linalg.inv(np.cov(X.T, ddof=0))
    np.testing.assert_allclose(
        pairwise_distances(X, X[:7], "mahalanobis"), cdist(X, X[:7], "mahalanobis", VI=VI),
        atol=1e-12,
    )  # fmt: skip


@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0])
def test_mahalanobis_takes_a_given_spread_and_shrinks_any(shrinkage):
    S = np.cov(X.T, ddof=0)
    ball = np.trace(S) / 3 * np.eye(3)
    VI = np.linalg.inv((1 - shrinkage) * S + shrinkage * ball)
    wanted = cdist(X, X[:7], "mahalanobis", VI=VI)
    given_one = Mahalanobis(scope="given", covariance=tuple(S.ravel()), shrinkage=shrinkage)
    for metric in (Mahalanobis(shrinkage=shrinkage), given_one):
        found = pairwise_distances(X, X[:7], metric)
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_shrinking_keeps_directions_that_few_rows_do_not_show():
    few = X[:3]
    assert "vary in 2 of 3 directions" in Mahalanobis().frame(few, None).note
    assert Mahalanobis(shrinkage=0.1).frame(few, None).note == ""
    spread = few.std(axis=0)
    along = np.diff(few / spread, axis=0)
    beside = few + spread * np.cross(along[0], along[1])  # across what the rows show, in any units
    np.testing.assert_allclose(
        np.diag(pairwise_distances(few, beside, Mahalanobis())), 0, atol=1e-9
    )
    assert (np.diag(pairwise_distances(few, beside, Mahalanobis(shrinkage=0.1))) > 1).all()
    same = pairwise_distances(np.ones((3, 2)), metric=Mahalanobis(shrinkage=0.5))
    assert not same.any()


def test_a_row_without_direction_is_one_away_from_all_others_and_said():
    rows = np.vstack([X[:3], np.zeros((2, 3))])
    D = pairwise_distances(rows, metric="cosine")
    np.testing.assert_allclose(D[3:], [[1, 1, 1, 0, 0]] * 2)
    assert "have no direction: 2 of 5." in Cosine().frame(rows, None).note
    assert Cosine().frame(X, None).note == ""


def test_far_from_zero_nothing_cancels():
    assert pairwise_distances([[1e8]], [[1e8 + 1]])[0, 0] == 1.0


def test_products_lose_nothing_of_rows_that_are_near_but_far_from_the_mean():
    rows = np.array([[1e8], [1e8 + 1], [-1e8], [-1e8 + 2], [-1e8]])
    np.testing.assert_array_equal(sq_distances(rows)[[0, 2, 2], [1, 3, 4]], [1.0, 4.0, 0.0])
    np.testing.assert_array_equal(sq_distances(rows, rows[:2]), sq_distances(rows)[:, :2])
    np.testing.assert_allclose(sq_distances(X, X[:7]), cdist(X, X[:7], "sqeuclidean"), rtol=1e-9)


def table_for(metric, rows):
    """The rows as the metric wants them: those that compare given distances get some."""
    return pairwise_distances(rows) if metric.card.name == "precomputed" else rows


@pytest.mark.parametrize("metric", METRICS)
@given(rows=FEW)
def test_every_metric_is_a_distance(metric, rows):
    D = pairwise_distances(table_for(metric, rows), metric=metric)
    found = check_distances(D)
    assert found.is_metric, found


@given(FEW)
def test_a_norm_of_higher_power_gives_no_larger_distance(rows):
    order = ["manhattan", "euclidean", "minkowski", "chebyshev"]
    found = [pairwise_distances(rows, metric=metric) for metric in order]
    for nearer, further in zip(found[1:], found[:-1], strict=True):
        assert (nearer <= further * (1 + 1e-12)).all()


@pytest.mark.parametrize(("op", "apart"), [("min", 2.0), ("max", 7.0), ("mean", 4.5)])
def test_sets_on_a_line(op, apart):
    assert set_distance([[0], [1]], [[3], [7]], op=op) == apart


def test_half_squares_average_to_the_variance():
    assert half_squared_distances([[0.0], [2.0]]).tolist() == [[0, 2], [2, 0]]
    assert half_squared_distances(X).mean() == pytest.approx(X.var(axis=0).sum())


def test_the_shortest_path_takes_the_detour():
    A = np.array([[0, 1, 9, 0], [1, 0, 1, 0], [9, 1, 0, 0], [0, 0, 0, 0.0]])
    found = path_distances(A)
    assert found[0].tolist() == [0, 1, 2, np.inf]
    assert check_distances(found[:3, :3]).is_metric


def test_what_is_confused_is_near():
    P = [[0.6, 0.4, 0.0], [0.2, 0.8, 0.0], [0.0, 0.0, 1.0]]
    np.testing.assert_allclose(confusion_distances(P), [[0, 0.7, 1], [0.7, 0, 1], [1, 1, 0]])


def test_the_worst_triangle_is_named():
    D = np.array([[0, 1, 9], [1, 0, 2], [9, 2, 0.0]])
    found = check_distances(D)
    assert found.n_shortcuts == 1
    assert set(found.worst or ()) == {0, 1, 2}
    assert found.worst is not None
    assert found.worst[2] == 1
    assert found.saved == 6.0
    assert found.negative > 0
    assert not found.is_metric


def test_what_else_a_distance_must_not_have():
    assert check_distances([[1.0, 2.0], [2.0, 0.0]]).diagonal == 1.0
    assert check_distances([[0.0, 2.0], [1.0, 0.0]]).asymmetry == 1.0
    assert check_distances([[0.0, -1.0], [-1.0, 0.0]]).lowest == -1.0
    assert check_distances(np.zeros((2, 2))).is_metric


def test_points_have_no_negative_eigenvalues_and_a_metric_may():
    assert check_distances(pairwise_distances(X)).negative == 0.0
    star = 2.0 - 2.0 * np.eye(4)  # three leaves two apart ...
    star[0, 1:] = star[1:, 0] = 1.0  # ... each one from the middle: no points lie so
    found = check_distances(star)
    assert found.is_metric
    assert found.negative > 0


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_neighbours_are_those_of_scikit_learn(metric):
    peer = sk.NearestNeighbors(n_neighbors=4, metric=metric).fit(X)
    for queries in (None, X[:9] + 0.1):
        far, rows = peer.kneighbors(queries)
        found = kneighbors(X, queries, 4, metric)
        assert found.rows.tolist() == rows.tolist()
        np.testing.assert_allclose(found.distances, far)


@pytest.mark.parametrize("metric", METRICS)
def test_neighbours_are_the_least_of_all_distances(metric):
    rows = table_for(metric, X)
    D = pairwise_distances(rows, metric=metric)
    np.fill_diagonal(D, np.inf)
    found = kneighbors(rows, k=3, metric=metric)
    np.testing.assert_allclose(found.distances, np.sort(D, axis=1)[:, :3])


def test_a_row_leaves_itself_out_but_not_its_duplicates():
    found = kneighbors([[0.0], [0.0], [5.0]], k=1)
    assert found.rows.ravel().tolist() == [1, 0, 0]
    assert found.distances.ravel().tolist() == [0, 0, 5]


def test_graphs_are_those_of_scikit_learn_made_symmetric():
    for graph, peer in [
        (neighborhood_graph(X, k=3), sk.kneighbors_graph(X, 3, mode="distance")),
        (neighborhood_graph(X, radius=1.5), sk.radius_neighbors_graph(X, 1.5, mode="distance")),
    ]:
        np.testing.assert_allclose(graph.lengths.toarray(), peer.maximum(peer.T).toarray())


def test_the_parts_of_a_graph_are_counted():
    line = [[0.0], [0.0], [1.0], [5.0], [6.0], [20.0]]
    assert neighborhood_graph(line, radius=1.0).components.tolist() == [0, 0, 0, 1, 1, 2]
    assert neighborhood_graph(line, radius=0.0).components.tolist() == [0, 0, 1, 2, 3, 4]
    assert neighborhood_graph(line, k=1).components.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: pairwise_distances(X, metric="euclid"),
        lambda: pairwise_distances(X, [[1.0]]),
        lambda: pairwise_distances(X, metric=Mahalanobis(scope="given", covariance=(1.0,))),
        lambda: Mahalanobis(scope="given"),
        lambda: Mahalanobis(scope="given", covariance=(1.0, 2.0, 2.0, 1.0)),
        lambda: Mahalanobis(covariance=(1.0,)),
        lambda: sq_distances(X, [[1.0]]),
        lambda: kernel_distance(RBF(), X, [[1.0]]),
        lambda: distance_to_mean(RBF(), X, [], X),
        lambda: distance_to_mean(RBF(), X, [60], X),
        lambda: set_distance(X, X, op="median"),
        lambda: set_distance(X, [[1.0]]),
        lambda: path_distances([[0.0, -1.0], [-1.0, 0.0]]),
        lambda: path_distances([[0.0, 1.0]]),
        lambda: confusion_distances([[0.5, 0.6], [0.0, 1.0]]),
        lambda: check_distances(np.zeros((1501, 1501))),
        lambda: kneighbors(X, k=60),
        lambda: kneighbors(X, k=0),
        lambda: kneighbors(X, k=1.5),  # type: ignore[arg-type]
        lambda: neighborhood_graph(X),
        lambda: neighborhood_graph(X, k=2, radius=1.0),
        lambda: neighborhood_graph(X, radius=-1.0),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong):
    with pytest.raises((DataError, ParamError)) as caught:
        wrong()
    assert is_sentence(str(caught.value))


@pytest.mark.parametrize("m", [3, 700])  # one block, and several with a rest
@pytest.mark.parametrize("has_room", [False, True])
def test_a_product_in_blocks_is_the_product(m, has_room):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(m, 20)), rng.normal(size=(20, 500))
    room = np.empty((m, 500)) if has_room else None
    found = product(A, B, room)
    assert room is None or found is room
    np.testing.assert_allclose(found, A @ B, atol=1e-13)  # sums of 20 products in another order


def test_products_of_few_numbers_wake_no_threads(monkeypatch):
    """Each block stays below what the library of matrix products does on the thread that asks."""
    sizes, matmul = [], np.matmul
    monkeypatch.setattr(np, "matmul", lambda a, b, out: sizes.append(a.size) or matmul(a, b, out))
    product(np.ones((700, 20)), np.ones((20, 500)))
    assert max(sizes) * 500 <= 2**19 and len(sizes) == 14


@pytest.mark.parametrize("metric", [Minkowski(p=3.0), "manhattan", "chebyshev", "hamming"])
def test_threads_share_the_rows_without_a_change_of_a_bit(metric, monkeypatch):
    X, Z = np.random.default_rng(1).normal(size=(2, 7, 3))
    alone = pairwise_distances(X, Z, metric=metric)
    monkeypatch.setenv("MLSCOPE_THREADS", "3")
    monkeypatch.setattr(pairwise, "SHARED", 1)
    used = []
    monkeypatch.setattr(pairwise, "cdist", lambda *a, **k: used.append(len(a[0])) or cdist(*a, **k))
    assert np.array_equal(pairwise_distances(X, Z, metric=metric), alone)
    assert np.array_equal(pairwise_distances(X[:1], Z, metric=metric), alone[:1])
    assert sorted(used) == [1, 2, 2, 3]
