"""Online k-means against scikit-learn fed row by row; maps against MiniSom, where it is there."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_iris, load_wine

from mlcore.clustering.online_kmeans import OnlineKMeans
from mlcore.clustering.quantisation.lattices import Grid, HexagonalGrid
from mlcore.clustering.quantisation.learning import OnlineLearning
from mlcore.clustering.quantisation.radii import StagedRadius
from mlcore.clustering.som import SelfOrganisingMap, errors_of
from mlcore.clustering.starts import GivenPoints
from mlcore.optimisation.schedules import ConstantSchedule, VisitPowerSchedule

TABLES = {"iris": load_iris().data, "wine": load_wine().data / load_wine().data.std(axis=0)}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("k", [2, 5])
def test_row_by_row_with_one_over_the_wins(name, k):
    # Their first batch must hold k rows: the start itself, of which each wins its own.
    X = TABLES[name][np.random.default_rng(k).permutation(len(TABLES[name]))]
    ours = OnlineKMeans(
        n_clusters=k, n_epochs=1, order="given", init=GivenPoints(values=tuple(X[:k].ravel())),
        learning_rate=VisitPowerSchedule(power=1.0),
    ).fit(X)  # fmt: skip
    theirs = MiniBatchKMeans(k, init=X[:k], n_init=1, reassignment_ratio=0.0, batch_size=k)
    theirs.partial_fit(X[:k])
    for i in range(k, len(X)):
        theirs.partial_fit(X[i : i + 1])
    np.testing.assert_allclose(ours.centers, theirs.cluster_centers_, rtol=1e-10)
    np.testing.assert_array_equal(ours.labels, theirs.predict(X))


@pytest.mark.skipif(find_spec("minisom") is None, reason="MiniSom is not installed")
@pytest.mark.parametrize("hexagonal", [False, True])
def test_a_map_with_constant_rate_and_radius(hexagonal):
    X, lattice = TABLES["wine"], HexagonalGrid(rows=5, columns=6) if hexagonal else None
    lattice = lattice or Grid(rows=5, columns=6)
    method = SelfOrganisingMap(
        lattice=lattice, radius=StagedRadius(stages=(1.3,)),
        learning=OnlineLearning(
            learning_rate=ConstantSchedule(value=0.2), n_steps=2 * len(X), order="given"
        ),
    )  # fmt: skip
    start = next(iter(method.steps(X))).state.centers.reshape(5, 6, -1).copy()
    theirs = import_module("minisom").MiniSom(
        6, 5, X.shape[1], sigma=1.3, learning_rate=0.2,
        topology="hexagonal" if hexagonal else "rectangular",
    )  # fmt: skip
    theirs._weights = start.transpose(1, 0, 2).copy()
    for x in np.vstack([X, X]):  # at step 0 nothing of theirs has decayed
        theirs.update(x, theirs.winner(x), 0, 1)
    ours = method.fit(X)
    reached = theirs.get_weights().transpose(1, 0, 2).reshape(30, -1)
    np.testing.assert_allclose(ours.centers, reached, rtol=1e-8)
    errors = errors_of(X, reached, lattice)
    assert errors.quantisation == pytest.approx(theirs.quantization_error(X))
    if not hexagonal:
        assert errors.topographic == pytest.approx(theirs.topographic_error(X))
