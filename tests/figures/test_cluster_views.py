"""Pictures of clusters: their numbers by hand, and what they say."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from figures.drawing.marks import marked, number_of, whole_of
from figures.view import views, views_where
from figures.views.clustering import (
    class_cluster_table,
    condensed_tree,
    core_border_map,
    k_distance_curve,
    radius_criteria,
    restart_spread,
)
from mlcore.clustering.dbscan import DBSCAN
from mlcore.clustering.density.reaches import GivenReach
from mlcore.clustering.hdbscan import HDBSCAN
from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.mean_shift import MeanShift
from mlcore.evaluation.group_likelihood import information_elliptical
from mlcore.evaluation.metrics.groups import silhouette_samples
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.wording import rough
from tests.figures import made

NONE: Any = SimpleNamespace(table=SimpleNamespace(n_rows=0))
LINE = np.array([[0.0], [1.0], [2.0], [3.0], [4.5], [10.0], [11.0], [12.0], [20.0]])


def fitted(method: Any, X: np.ndarray) -> Any:
    return SimpleNamespace(fit=method.fit(X), prepared=SimpleNamespace(X=X, rows=None))


def outcome(method: Any, data: str = "iris") -> tuple[Any, Any]:
    run = Run(data=data, preparation=("impute", "one_hot", "standardise"), method=method)
    return carried_out(run).whole, run.data.dataset({})


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("cluster_map", MeanShift(bandwidth=GivenReach(h=0.2))),
        ("climbing_paths", MeanShift(bandwidth=GivenReach(h=0.2))),
        ("core_border_map", DBSCAN(eps=0.2, min_samples=2)),
        ("strength_map", HDBSCAN(min_cluster_size=4)),
        ("condensed_tree", HDBSCAN(min_cluster_size=4)),
    ],
)
def test_of_very_many_clusters_no_legend_takes_the_room_of_the_picture(name, method):
    data = made.dataset(np.add.outer(np.arange(40.0), np.arange(5.0) / 99).reshape(-1, 1))
    whole = made.whole(data, method)
    fig = views()[name].drawn({"dataset": data, "whole": whole, "fit": whole.fit}).figure
    listed = [str(t.name) for t in fig.data if fig.layout.showlegend and t.showlegend is not False]
    assert len(np.unique(whole.fit.labels)) == 40
    assert not [text for text in listed if text.startswith("cluster ")]


def test_branches_of_one_colour_differ_by_their_number():
    data = made.dataset(np.add.outer(3.0 * np.arange(12.0), np.arange(5.0) / 99).reshape(-1, 1))
    fig = condensed_tree.draw(condensed_tree.numbers(made.whole(data, HDBSCAN(min_cluster_size=4))))
    words = next(trace for trace in fig.data if trace.mode == "text")
    assert sorted(words.text, key=int) == [str(k) for k in range(1, 13)]


def test_one_cluster_has_nothing_beside_it():
    data = made.dataset(LINE)
    whole = made.whole(data, KMeans(n_clusters=1))
    with pytest.raises(DataError, match="there is 1 cluster"):
        views()["cluster_profiles"].drawn({"dataset": data, "whole": whole, "fit": whole.fit})


def test_how_far_rows_on_a_line_look_for_three():
    c = k_distance_curve.numbers(NONE, fitted(DBSCAN(eps=1.5, min_samples=3), LINE))
    # Of 0, 1, 2, 3, 4.5, 10, 11, 12 and 20: the second nearest other row.
    np.testing.assert_allclose(c.reaches, [9.0, 2.5, 2.0, 2.0, 2.0, 1.5, 1.0, 1.0, 1.0])
    assert "44 % of the rows" in k_distance_curve.reading(c)
    core = fitted(DBSCAN(eps=1.5, min_samples=3), LINE).fit.core
    assert core.mean() == (c.reaches <= c.radius).mean()


def test_the_curve_bends_where_stray_rows_end():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(scale=0.1, size=(190, 2)), rng.uniform(-9, 9, size=(10, 2))])
    c = k_distance_curve.numbers(NONE, fitted(DBSCAN(min_samples=5), X))
    assert 0.05 <= (c.reaches > c.bend).mean() <= 0.2  # one row in twenty is stray
    assert c.reaches[9] > 5 * c.bend
    many = fitted(DBSCAN(min_samples=300), X)
    with pytest.raises(MlcoreError, match="tells anything"):
        k_distance_curve.numbers(NONE, many)
    assert np.isinf(many.fit.reaches(X, np.arange(3))).all()


def test_each_radius_has_the_groups_and_the_noise_of_its_fit():
    whole, data = outcome(DBSCAN(eps=0.6, min_samples=6))
    c = radius_criteria.numbers(data, whole)
    fit, here = whole.fit, c.here
    assert (c.radii[here], c.groups[here]) == (0.6, fit.labels.max() + 1)
    assert c.noise[here] == (fit.labels < 0).mean()
    own = silhouette_samples(whole.prepared.X, fit.labels)
    assert c.silhouette[here] == pytest.approx(np.nanmean(own))
    assert (np.diff(c.noise) <= 0).all()  # a larger radius takes no row out of a group
    assert (c.groups[-1], c.noise[-1]) == (1, 0) and np.isnan(c.silhouette[-1])
    best = int(np.nanargmax(c.silhouette))
    of = information_elliptical(whole.prepared.X, fit.labels)
    assert (c.bic[here], c.aic[here]) == pytest.approx((of.bic / data.n, of.aic / data.n))
    curves: Any = radius_criteria.draw(c).data
    filled = [curve.marker.size.argmax() for curve in curves]
    assert len(curves) == 6
    assert filled[2:] == [best, np.nanargmax(c.between), c.bic.argmin(), c.aic.argmin()]
    assert f"BIC at {rough(c.radii[c.bic.argmin()])}" in radius_criteria.reading(c)
    assert f"largest at {rough(c.radii[best])}" in radius_criteria.reading(c)


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_how_long_the_radii_take_does_not_depend_on_the_unit(unit):
    X = unit * np.random.default_rng(0).normal(size=(1500, 2))
    fit, radii = DBSCAN(eps=0.1 * unit).fit(X[:50]), unit * np.geomspace(0.01, 1.0, 24)
    radius_criteria._refuse_long(fit, radii, X)
    with pytest.raises(MlcoreError, match="s on 60,000 rows"):
        radius_criteria._refuse_long(fit, radii, np.tile(X, (40, 1)))


def test_trees_by_density_show_their_core_distances():
    method = HDBSCAN(min_cluster_size=3)
    whole = fitted(method, LINE)
    c = k_distance_curve.numbers(NONE, whole)
    np.testing.assert_array_equal(c.reaches, np.sort(whole.fit.core_distances)[::-1])
    assert np.isnan(c.radius)
    assert "core" not in k_distance_curve.reading(c)


def test_core_border_and_noise_are_those_of_the_fit():
    whole, dataset = outcome(DBSCAN(eps=0.6, min_samples=6))
    c = core_border_map.numbers(dataset, whole)
    fit = whole.fit
    assert c.sizes.tolist() == [
        (fit.labels < 0).sum(), ((fit.labels >= 0) & ~fit.core).sum(), fit.core.sum(),
    ]  # fmt: skip
    figure: Any = core_border_map.draw(c)
    (rows,) = (trace for trace in figure.data if trace.uid == "rows")
    # Beside a legend of three lines Plotly cuts rows off where the domain gives way.
    assert figure.layout.xaxis.constrain == "range"
    assert set(np.unique(rows.marker.size)) == {core_border_map.BORDER, core_border_map.CORE}


def test_a_click_on_the_curve_names_the_distance_there():
    dataset: Any = SimpleNamespace(table=SimpleNamespace(n_rows=9))
    whole = fitted(DBSCAN(eps=1.5, min_samples=3), LINE / 7)
    c = k_distance_curve.numbers(dataset, whole)
    named: list[Any] = [marked(dataset, int(mark)) for mark in c.marks]
    assert {kind for kind, _ in named} == {"radius"}
    np.testing.assert_allclose([number_of(k) for _, k in named], c.reaches, rtol=5e-4)
    assert not len(k_distance_curve.numbers(dataset, fitted(HDBSCAN(), LINE)).marks)
    every = np.logspace(-290, 300, 400)
    np.testing.assert_allclose([number_of(int(k)) for k in whole_of(every)], every, rtol=5e-4)


def test_rings_stand_about_the_core_row_that_looks_around():
    whole, dataset = outcome(DBSCAN(eps=0.6, min_samples=6))
    c = core_border_map.numbers(dataset, whole)
    drawn = core_border_map.draw(c)
    at = {trace.uid: k for k, trace in enumerate(cast(Any, drawn).data) if trace.uid}
    near = np.array([3, 1, 7])
    labels = np.full(dataset.n, -1)
    fit = replace(whole.fit, around=near, labels=labels)
    changes = core_border_map.step(c, at, replace(whole, fit=fit), dataset)
    assert (changes[at["rows"]]["class"] == -1).all()
    np.testing.assert_array_equal(changes[at["looked"]]["x"], c.shown.x[[3]])
    np.testing.assert_array_equal(changes[at["around"]]["y"], c.shown.y[near])


def test_classes_in_the_clusters_of_iris():
    whole, dataset = outcome(KMeans(n_clusters=3))
    assert "class_cluster_table" in views_where(dataset, whole)
    c = class_cluster_table.numbers(dataset, whole)
    counts = np.array([[(whole.fit.labels[dataset.y == a] == b).sum() for b in range(3)]
                       for a in range(3)])  # fmt: skip
    order = [int(name.removeprefix("cluster ")) - 1 for name in c.clusters]
    np.testing.assert_array_equal(c.counts, counts[:, order])
    assert c.counts[0].tolist() == [50, 0, 0]
    assert np.trace(c.counts) == c.counts.max(axis=0).sum() == round(150 * c.purity)
    np.testing.assert_allclose(c.shares.sum(axis=1), 1)
    np.testing.assert_allclose(
        class_cluster_table.numbers(dataset, whole, by_cluster=True).shares.sum(axis=0), 1
    )
    assert len(c.rows[0][0]) == 50


def test_noise_has_a_column_of_its_own_and_no_f1():
    whole, dataset = outcome(DBSCAN(eps=0.5, min_samples=6))
    c = class_cluster_table.numbers(dataset, whole)
    assert c.clusters[-1] == "noise"
    assert c.counts[:, -1].sum() == (whole.fit.labels < 0).sum() > 0
    assert c.f1[:, -1].sum() == 0
    np.testing.assert_allclose(c.shares.sum(axis=1), 1)


def test_ends_that_nearly_agree_are_one():
    ends = np.array([2.0, 1.0, 1.00001, 3.0, 1.0])
    r = restart_spread.numbers(cast(Any, SimpleNamespace(fit=SimpleNamespace(restarts=ends))))
    assert r.ends.tolist() == [1.0, 2.0, 3.0]
    assert r.runs.tolist() == [3, 1, 1]
    text = restart_spread.reading(r)
    assert "3 of 5 runs ended at the best" in text
    assert "worse by up to 200 %" in text


def test_ends_that_differ_have_names_that_differ():
    ends = np.array([0.4641, 0.4642, 0.4641, 0.4642])
    r = restart_spread.numbers(cast(Any, SimpleNamespace(fit=SimpleNamespace(restarts=ends))))
    assert restart_spread.draw(r).layout.xaxis.ticktext == ("0.46410", "0.46420")
    far = r._replace(ends=np.array([101.0, 203.0]))
    assert restart_spread.draw(far).layout.xaxis.ticktext == ("101", "203")


def test_likelihoods_are_better_the_larger_and_a_single_run_has_no_picture():
    likely = SimpleNamespace(restarts=np.array([-3.0, -2.0]), aic=0.0, bic=0.0)
    r = restart_spread.numbers(cast(Any, SimpleNamespace(fit=likely)))
    assert r.ends.tolist() == [-2.0, -3.0]
    assert "Found once" in restart_spread.reading(r)
    whole, dataset = outcome(KMeans(n_init=1))
    assert "restart_spread" not in views_where(dataset, whole)
    assert views()["restart_spread"].allowed_by(whole.fit)
