"""The dendrogram: where merges stand, which cut holds over which heights, what a step changes."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.merges import laid_out, spans
from figures.numbers.recordings import recording_of
from figures.view import views
from figures.views.clustering import dendrogram as tree
from mlcore.clustering.agglomerative import Agglomerative
from mlcore.clustering.hierarchy.merge_starts import KMeansGroups
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.run import Run

FOUR = np.array([0.0, 1.0, 3.0, 7.0])[:, None]  # single linkage merges at 1, 2 and 4


def test_legs_stand_on_what_they_join():
    layout = laid_out(Agglomerative(linkage="single").fit(FOUR))
    assert layout.feet.tolist() == [[2, 3], [1, 2.5], [0, 1.75]]
    assert layout.low.tolist() == [[0, 0], [0, 1], [0, 2]]
    assert layout.heights.tolist() == [1, 2, 4]
    assert layout.foot_nodes.tolist() == [3, 2, 0, 1]


def test_only_the_last_merges_are_drawn_of_many():
    layout = laid_out(Agglomerative(linkage="single").fit(FOUR), most=1)
    assert layout.first == 2
    assert layout.foot_sizes.tolist() == [1, 3]
    assert layout.low.tolist() == [[0, 2]]


def test_between_which_heights_a_number_of_clusters_holds():
    assert spans(np.array([1.0, 2.0, 4.0]), 9).tolist() == [[4, 4.2], [2, 4], [1, 2], [0, 1]]
    # The second merge lies lower than the first: no height leaves two clusters.
    assert spans(np.array([1.0, 0.8]), 9).tolist() == [[1, 1.05], [1, 1], [0, 1]]


@pytest.fixture(scope="module")
def run():
    """A small run, as its whole, its steps and its data."""
    made = Run(data="iris", method=Agglomerative())
    whole, steps = recording(made)
    return whole, steps, made.data.dataset({}), carried_out(made)


def test_a_cut_moves_the_picture_and_not_the_fit(run):
    whole, _, data, _ = run
    fitted, moved = tree.numbers(data, whole), tree.numbers(data, whole, cut=5)
    assert (fitted.k, moved.k) == (3, 5)
    assert moved.cluster_sizes.tolist() == np.bincount(whole.fit.cut(5)).tolist()
    assert set(moved.cluster[-4:]) == {-1}  # the merges above the cut belong to no cluster
    assert "2 clusters hold" in tree.reading(tree.numbers(data, whole, cut=2))
    assert "the longest stretch" in tree.reading(tree.numbers(data, whole, cut=2))


def test_a_merge_selects_its_rows(run):
    whole, _, data, _ = run
    d = tree.numbers(data, whole)
    assert d.rows is not None
    assert len(d.rows[-1]) == data.n
    assert [len(rows) for rows in d.rows] == whole.fit.sizes.tolist()


def test_the_player_grows_each_cluster_and_lifts_the_cut(run):
    whole, steps, data, _ = run
    drawn = views()["dendrogram"].drawn({"dataset": data, "whole": whole, "fit": whole.fit})
    frames = recording_of(drawn, whole, steps, data).frames
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    levels = [float(frame[at["cut"]]["y"][0]) for frame in frames]
    assert levels == sorted(levels)
    assert len(frames[0][at["curve 0"]]["x"]) == 0
    for k in range(3):  # the last frame is the picture
        final = drawn.figure.data[at[f"curve {k}"]]
        np.testing.assert_array_equal(frames[-1][at[f"curve {k}"]]["x"], final.x)
    assert levels[-1] == drawn.figure.data[at["cut"]].y[0]


def test_merges_of_groups_are_drawn_and_those_inside_them_are_not():
    start = KMeansGroups(n_groups=6)
    made = Run(data="iris", method=Agglomerative(start=start))
    whole, steps = recording(made)
    data = made.data.dataset({})
    d = tree.numbers(data, whole)
    assert len(d.layout.x) == 5
    assert d.layout.foot_sizes.tolist() != [1] * 6 and d.layout.foot_sizes.sum() == data.n
    assert tree.table(d)[0].values.tolist() == [5, 4, 3, 2, 1]
    fig = tree.draw(d)
    assert fig.layout.xaxis.title.text == "6 groups of 150 rows"
    assert "Merge 1 of 5" in fig.data[-3].text[0]
    drawn = views()["dendrogram"].drawn({"dataset": data, "whole": whole, "fit": whole.fit})
    frames = recording_of(drawn, whole, steps, data).frames
    assert len(frames) == 4  # 6 groups, then 5, 4 and 3
    drawn_at = [sum(len(v["x"]) for v in frame.values() if "x" in v) // 5 for frame in frames]
    assert drawn_at == [0, 1, 2, 3]
