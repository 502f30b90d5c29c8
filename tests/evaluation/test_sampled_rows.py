"""Measures that grow with the square of the rows look at some of many."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mlcore.distances.pairwise import frame_of_fit
from mlcore.evaluation import map_scores
from mlcore.evaluation.map_neighbours import MapNeighbours, neighbours_kept
from mlcore.evaluation.map_scores import Stress, stress_1
from mlcore.evaluation.sampled_rows import MOST_ROWS, sampled_map, sampled_rows
from mlcore.evaluation.scoring import Case, Rows
from mlcore.reduction.pca import PCA
from mlcore.reduction.random_projection import RandomProjection
from mlcore.spine.errors import DataError

X = np.random.default_rng(0).normal(size=(MOST_ROWS + 500, 6)) * np.arange(1, 7)


def case(method: Any, n: int) -> Case:
    """A method fitted to the first n rows."""
    train = Rows(X[:n])
    return Case(method=method, fit=method.fit(X[:n], seed=1), train=train, test=train, seed=3)


def test_some_of_many_rows_are_drawn_by_seed_and_purpose_and_all_of_few():
    drawn = sampled_rows(9000, 1, "stress")
    assert len(np.unique(drawn)) == len(drawn) == MOST_ROWS
    assert (np.diff(drawn) > 0).all()
    np.testing.assert_array_equal(drawn, sampled_rows(9000, 1, "stress"))
    assert not np.array_equal(drawn, sampled_rows(9000, 2, "stress"))
    assert not np.array_equal(drawn, sampled_rows(9000, 1, "silhouette"))
    assert np.arange(MOST_ROWS)[sampled_rows(MOST_ROWS, 1, "stress")].sum() == sum(range(MOST_ROWS))


@pytest.mark.parametrize("n", [60, len(X)])
def test_scores_of_a_map_are_those_of_the_rows_drawn(n: int):
    judged = case(PCA(n_components=2), n)
    rows, places = sampled_map(judged, "map_neighbours")
    assert len(rows) == min(n, MOST_ROWS)
    kept = neighbours_kept(rows, places)
    assert MapNeighbours().scored(judged).scores == {
        "trustworthiness": kept.trustworthiness, "continuity": kept.continuity,
    }  # fmt: skip
    judged = case(RandomProjection(n_components=2), n)
    rows, places = sampled_map(judged, "stress")
    expected = stress_1(rows, places, frame_of_fit(judged.fit))
    assert Stress().scored(judged).scores["stress"] == expected


def test_distances_of_all_pairs_of_many_rows_are_never_made(monkeypatch: pytest.MonkeyPatch):
    sizes: list[int] = []
    measured = map_scores.pdist
    monkeypatch.setattr(map_scores, "pdist", lambda Y: sizes.append(len(Y)) or measured(Y))
    Stress().scored(case(RandomProjection(n_components=2), len(X)))
    assert sizes == [MOST_ROWS]


def test_a_place_that_is_not_finite_is_refused():
    places = np.where(np.arange(60)[:, None] == 7, np.inf, X[:60, :2])
    fit = SimpleNamespace(embedding=places)
    judged = Case(method=PCA(), fit=fit, train=Rows(X[:60]), test=Rows(X[:60]), seed=3)
    with pytest.raises(DataError, match="not finite"):
        sampled_map(judged, "stress")
