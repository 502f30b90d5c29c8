"""Columns around a circle, three columns in space, and a tour: what is drawn and said of them."""

from typing import Any

import numpy as np
import plotly.graph_objects as plotly
import pytest

from figures.view import views
from figures.views.data import radial_projection, scatter_3d, tour
from figures.views.data.radial_projection import RadialOptions
from figures.views.data.scatter_3d import SpaceOptions
from figures.views.data.tour import TourOptions
from mlcore.data.describing.circles import anchors
from tests.figures import made

KINDS = ("plain", "classes", "quantity")


def table(n=60, p=6, of="classes"):
    X = np.random.default_rng(5).normal(size=(n, p))
    if of == "classes":
        return made.dataset(X, (X[:, 2] > 0).astype(int), ("a", "b"))
    return made.dataset(X, X[:, 2] if of == "quantity" else None)


class TestRadial:
    def test_spokes_carry_the_columns_in_their_order_and_rows_are_named(self):
        r = radial_projection.numbers(table(), RadialOptions(order="table"))
        assert r.names == ("x1", "x2", "x3", "x4", "x5", "x6")
        traces: Any = radial_projection.draw(r).data
        spokes = next(t for t in traces if t.uid == "spokes")
        np.testing.assert_allclose(spokes.x[1::3], anchors(6)[:, 0], atol=1e-6)
        rows = [row for t in traces if t.meta == "rows" for row in t.customdata]
        assert sorted(rows) == list(range(60))

    def test_similar_columns_stand_beside_each_other_and_it_says_how_much_that_is(self):
        base = np.random.default_rng(0).normal(size=(80, 2))
        X = np.column_stack([base, base + 0.1 * np.random.default_rng(1).normal(size=(80, 2))])
        r = radial_projection.numbers(made.dataset(X))
        assert {r.names[:2], r.names[::-1][:2]} <= {("x1", "x3"), ("x2", "x4"), ("x4", "x2")}
        assert r.alike > r.as_come + 0.3
        assert "as they come by" in radial_projection.reading(r)

    def test_columns_and_rows_are_bounded_and_that_is_said(self):
        drawn = views()["radial_projection"].make(table(n=1300, p=20))
        assert "12 of 20 columns of numbers are drawn" in drawn.reading
        assert drawn.note.startswith("1,000 complete rows of 1,300")
        assert drawn.rows is not None
        assert len(drawn.rows) == 1000


class TestSpace:
    def test_chosen_columns_stand_on_the_axes_and_none_stands_twice(self):
        data = table()
        chosen = scatter_3d.numbers(data, SpaceOptions(x="x5", y="x5", z="x1"))
        assert [c.name for c in chosen.columns][::2] == ["x5", "x1"]
        assert chosen.columns[1].name == "x3"  # what tells most of the target
        scene: Any = scatter_3d.draw(chosen).layout
        (above,) = scene.annotations  # letters on the upright axis would be seen from the side
        assert (scene.scene.xaxis.title.text, above.text) == ("x5", "↑ x1")
        assert not scene.scene.zaxis.title.text

    def test_rows_with_gaps_are_left_out_and_counted(self):
        X = np.random.default_rng(5).normal(size=(30, 3))
        X[[2, 7], [0, 1]] = np.nan
        drawn = views()["scatter_3d"].make(made.dataset(X))
        assert "2 rows without a value on an axis are not drawn." in drawn.reading
        assert drawn.rows is not None
        assert not {2, 7} & set(drawn.rows.tolist())

    @pytest.mark.parametrize("p", [1, 2])
    def test_fewer_than_three_columns_are_a_sentence(self, p):
        drawn = views()["scatter_3d"].make(table(p=p, of="plain"))
        assert drawn.reading == scatter_3d.TOO_FEW.format(n=p)

    def test_symbols_exist_in_space_and_differ(self):
        names = [scatter_3d._symbol(k) for k in range(-1, 7)]
        known: Any = plotly.scatter3d.Marker()
        for name in names:
            known.symbol = name  # refused where Plotly draws no such symbol in space
        assert len(set(names)) == 8


class TestTour:
    @pytest.mark.parametrize("of", KINDS)
    def test_each_frame_moves_the_traces_of_the_picture(self, of):
        drawn = views()["tour"].make(table(of=of))
        assert drawn.player is not None
        traces: Any = drawn.figure.data
        recording = drawn.player()
        assert set(recording.frames[0]) == set(range(len(traces)))
        for k, changes in recording.frames[-1].items():
            for axis in ("x", "y"):
                np.testing.assert_allclose(
                    np.asarray(changes[axis], dtype=float), traces[k][axis], atol=1e-5
                )
        assert recording.sentences[0].startswith("The plane of the first two columns: ")
        assert len(recording.to_json()) < 900_000

    def test_the_largest_tour_is_small(self):
        options = TourOptions(planes=12)
        drawn = views()["tour"].make(table(n=5000, p=30), options=options)
        assert drawn.player is not None
        assert len(drawn.player().frames) <= 201
        assert len(drawn.player().to_json()) < 1_200_000

    def test_a_guided_tour_needs_classes_and_says_that_it_flatters(self):
        guided = TourOptions(kind="guided")
        drawn = views()["tour"].make(table(), options=guided)
        assert "rows to come are parted less well" in drawn.reading
        unguided = views()["tour"].drawn({"dataset": table(of="plain")}, guided)
        assert unguided.problems
        assert "guided" not in unguided.reading

    def test_two_columns_are_a_sentence_and_nothing_to_play(self):
        drawn = views()["tour"].make(table(p=2, of="plain"))
        assert drawn.reading == tour.TOO_FEW
        assert drawn.player is None
        assert len(drawn.table[0].values) == 0
