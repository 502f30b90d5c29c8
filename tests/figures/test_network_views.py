"""Pictures of networks: which units are drawn, what they say, and what a step changes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from figures.drawing.marks import marked
from figures.numbers.networks import MOST_UNITS, diagram
from figures.recording import traces_by_name
from figures.view import views_where
from figures.views.networks import (
    filter_gallery,
    layer_gradients,
    network_diagram,
    pinned_unit,
    weight_histogram,
    weight_matrix,
)
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.moons import Moons
from mlcore.data.generators.quantities.curve import Curve
from mlcore.neural.capabilities import HasHiddenUnits, HasLayers
from mlcore.neural.mlp_classifier import MLPClassifier
from mlcore.neural.mlp_regressor import MLPRegressor
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.run import Run
from mlcore.spine.asking import can
from tests.figures.standins import LETTERS


def outcome(method, source):
    run = Run(
        data=TableData(source=source),
        preparation=("impute", "one_hot", "standardise"),
        method=method,
    )
    return run, run.data.dataset({}), carried_out(run).whole


def drawn_of(dataset, whole, **chosen):
    options = network_diagram.NetworkOptions(**chosen)
    return network_diagram.network_diagram(dataset, whole, options=options)


@pytest.fixture(scope="module")
def moons():
    method = MLPClassifier(hidden_layer_sizes=(12, 3), max_epochs=20)
    return outcome(method, Moons(n_samples=80))


def test_of_many_units_those_are_drawn_that_the_next_layer_hears_most(moons):
    _, dataset, whole = moons
    d = diagram(dataset, whole)
    assert [layer.size for layer in d.layers] == [2, 12, 3, 1]
    drawn = d.layers[1].units
    assert len(drawn) == MOST_UNITS - 1
    heard = np.abs(whole.fit.layers[1].weights).sum(axis=0)
    assert heard[drawn].min() >= np.delete(heard, drawn).max()
    assert d.bundles[1].weights.shape == (3, len(drawn))


def test_a_tile_is_what_the_unit_says_there(moons):
    _, dataset, whole = moons
    d = diagram(dataset, whole)
    said = whole.fit.values(d.cells)
    np.testing.assert_allclose(d.tiles[2].reshape(3, -1), said[1], atol=1e-12)  # tanh: -1 to 1
    likely = whole.fit.probabilities(d.cells)[:, 1]
    np.testing.assert_allclose(d.tiles[3].ravel(), 2 * likely - 1, atol=1e-12)
    assert all(np.abs(tile).max() <= 1 + 1e-12 for tile in d.tiles)


def test_a_step_draws_the_network_as_it_then_stood(moons):
    run, dataset, whole = moons
    drawn = drawn_of(dataset, whole)
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    final = network_diagram.step(drawn.numbers, at, whole, dataset)
    for index, changed in final.items():
        for name, values in changed.items():
            np.testing.assert_array_equal(values, drawn.figure.data[index][name])
    first = recording(run)[1][0].state.theta
    assert not np.array_equal(first, whole.fit.theta)


@pytest.mark.parametrize(("number", "layer", "unit"), [(3, 0, 2), (14, 1, 1)])
def test_a_unit_that_is_set_to_zero_says_nothing_to_those_above(moons, number, layer, unit):
    _, dataset, whole = moons
    drawn = drawn_of(dataset, whole, silent=number)
    d = drawn.numbers
    values = [d.cells.T]  # by hand: up to the unit, without it, and on
    for k, own in enumerate(whole.fit.layers):
        below = values[-1].copy()
        if k == layer + 1:
            below[unit] = 0.0
        values.append(own.weights @ below + own.offsets[:, None])
        if k < 2:
            values[-1] = np.tanh(values[-1])
    np.testing.assert_allclose(d.tiles[-1].ravel(), np.tanh(values[-1][0] / 2), atol=1e-12)
    at = d.layers[layer + 1].units.tolist()
    assert unit not in at or not d.tiles[layer + 1][at.index(unit)].any()
    changed = (whole.fit.silenced(layer, unit).predict(whole.prepared.transform(dataset.X)) !=
               whole.fit.predict(whole.prepared.transform(dataset.X))).sum()  # fmt: skip
    assert (
        f"layer {layer + 1}, unit {unit + 1} at 0 the answer is another for {changed} fitted"
        in (drawn.reading)
    )
    final = network_diagram.step(d, traces_by_name(drawn.figure), whole, dataset)
    for index, changes in final.items():
        for name, values in changes.items():
            np.testing.assert_array_equal(values, drawn.figure.data[index][name])


def test_skip_connections_are_drawn_past_the_hidden_layers():
    method = MLPClassifier(hidden_layer_sizes=(3, 4), max_epochs=5, skip_connections=True)
    _, dataset, whole = outcome(method, Moons(n_samples=40))
    drawn = drawn_of(dataset, whole)
    d = drawn.numbers
    skip = d.bundles[-1]
    assert skip[:2] == (0, 3)
    np.testing.assert_array_equal(skip.weights, whole.fit.skips)
    assert f"2 – 3 – 4 – 1: {len(whole.fit.theta)} weights" in drawn.reading
    values = whole.fit.values(d.cells)  # the outputs by hand
    W, b = whole.fit.layers[-1]
    np.testing.assert_allclose(
        values[-1], W @ values[-2] + whole.fit.skips @ d.cells.T + b[:, None], atol=1e-12
    )
    lowest = -4 / 2  # under four units no line but those of the skip connections
    under = sum(int((np.nan_to_num(t.y) < lowest).any()) for t in drawn.figure.data
                if t.type == "scatter" and t.mode == "lines")  # fmt: skip
    assert under and drawn.figure.layout.yaxis.range[0] < lowest - 0.5
    last = weight_matrix.weight_matrix(
        dataset, whole, options=weight_matrix.OneOfLayers(layer=3)
    ).numbers
    assert last.inputs == ("unit 1", "unit 2", "unit 3", "unit 4", *d.layers[0].names, "offset")
    np.testing.assert_array_equal(last.weights[:, 4:-1], whole.fit.skips)
    final = network_diagram.step(d, traces_by_name(drawn.figure), whole, dataset)
    for index, changes in final.items():
        for name, changed in changes.items():
            np.testing.assert_array_equal(changed, drawn.figure.data[index][name])


def test_the_names_of_the_inputs_have_room_however_narrow_the_picture():
    """A name of so many letters is so wide in pixels, on a phone as on a screen."""
    deep = MLPClassifier(hidden_layer_sizes=(8, 6, 4), max_epochs=2)
    _, dataset, whole = outcome(deep, "wine")
    fig = drawn_of(dataset, whole).figure
    names = [a for a in fig.layout.annotations if a.xanchor == "right"]
    assert max(len(a.text) for a in names) == 12
    across = 330 - fig.layout.margin.l - fig.layout.margin.r  # of a phone
    low, high = fig.layout.xaxis.range
    end = fig.layout.margin.l + (names[0].x - low) / (high - low) * across + names[0].xshift
    assert end >= 6 * 12


def test_a_click_on_a_unit_names_the_unit_that_is_then_drawn_large(moons):
    _, dataset, whole = moons
    drawn = drawn_of(dataset, whole)
    marks = drawn.figure.data[-1].customdata
    assert [len(own) for own in marks] == [0, 0, *[1] * 9, *[1] * 3, 0]
    drawn_units = drawn.numbers.layers[1].units
    assert marked(dataset, marks[4][0]) == ("unit", drawn_units[2] + 1)
    assert marked(dataset, marks[12][0]) == ("unit", 12 + 2)
    n = pinned_unit.numbers(dataset, whole, 14)  # the second of the second layer
    assert n.unit == (1, 1)
    own = whole.fit.values(n.shown.cells)[1][1]
    np.testing.assert_array_equal(n.z.ravel(), own)
    large = pinned_unit.pinned_unit(dataset, whole, options=pinned_unit.PinnedOptions(unit=14))
    above = (whole.fit.values(whole.prepared.transform(dataset.X))[1][1] > 0).sum()
    assert "Layer 2, unit 2 says" in large.reading and f"for {above} rows of 80" in large.reading
    final = pinned_unit.step(n, traces_by_name(large.figure), whole, dataset)
    for index, changes in final.items():
        np.testing.assert_array_equal(changes["z"], large.figure.data[index].z)
    heard = np.abs(whole.fit.layers[-1].weights[0]).argmax()
    assert pinned_unit.numbers(dataset, whole).unit == (1, heard)


def test_a_unit_of_one_column_is_a_curve_and_without_hidden_units_there_is_none():
    _, dataset, whole = outcome(MLPRegressor(max_epochs=3), Curve(n_samples=20))
    large = pinned_unit.pinned_unit(dataset, whole)
    changes = pinned_unit.step(large.numbers, traces_by_name(large.figure), whole, dataset)
    np.testing.assert_array_equal(large.figure.data[0].y, changes[0]["y"])
    _, _, whole = outcome(MLPRegressor(hidden_layer_sizes=(), max_epochs=3), Curve())
    assert not can(whole.fit, HasHiddenUnits) and can(whole.fit, HasLayers)


def test_lines_are_as_many_as_weights_that_are_not_0(moons):
    _, dataset, whole = moons
    drawn = drawn_of(dataset, whole)
    lines = [t for t in drawn.figure.data if (t.name or "").endswith(" weight")]
    ends = sum(int(np.isnan(np.asarray(t.x, dtype=float)).sum()) for t in lines if len(t.x) > 1)
    assert ends == sum(bundle.weights.size for bundle in drawn.numbers.bundles)
    assert "2 – 12 – 3 – 1: 79 weights with the offsets." in drawn.reading


@pytest.mark.parametrize("sizes", [(), (4,)])
def test_a_quantity_and_no_hidden_layer_are_drawn(sizes):
    method = MLPRegressor(hidden_layer_sizes=sizes, max_epochs=3)
    _, dataset, whole = outcome(method, "diabetes")
    drawn = drawn_of(dataset, whole)
    assert drawn.reading.startswith("10 – ")
    assert layer_gradients.layer_gradients(whole.fit).reading


def test_a_network_of_zeros_has_no_strongest_connection():
    method = MLPClassifier(init="zeros", max_epochs=2)
    _, dataset, whole = outcome(method, Moons(n_samples=40))
    drawn = drawn_of(dataset, whole)
    assert "All weights are 0." in drawn.reading or "strongest" in drawn.reading
    frames = drawn.figure.data[traces_by_name(drawn.figure)["frames"]]
    assert np.isnan(frames.x).sum() == 2 + 8 + 1  # each unit is seen, and be it empty


def test_a_unit_that_says_nothing_has_a_scale_that_can_be_read():
    _, dataset, whole = outcome(MLPClassifier(init="zeros", max_epochs=1), Moons(n_samples=40))
    n = pinned_unit.numbers(dataset, whole)
    heat = pinned_unit.draw(n).data[0]
    assert (heat.zmin, heat.zmax) == (n.middle - 1, n.middle + 1)


@pytest.mark.parametrize(("hidden", "heads"), [(3, "2 columns 8 units 1 output"), (4, "2 8 1")])
def test_the_heads_of_many_layers_have_room_on_a_phone(hidden, heads):
    method = MLPClassifier(hidden_layer_sizes=(8,) * hidden, max_epochs=1)
    _, dataset, whole = outcome(method, Moons(n_samples=40))
    texts = [a.text for a in drawn_of(dataset, whole).figure.layout.annotations]
    sizes = [text.split("<br>")[1] for text in texts if "<br>" in text]
    assert " ".join(dict.fromkeys(sizes)) == heads


def test_gradients_are_smoothed_and_a_fade_is_told():
    sizes = np.column_stack([np.full(40, 1e-4), np.full(40, 1e-2)])
    drawn = layer_gradients.layer_gradients(SimpleNamespace(gradient_sizes=sizes))
    np.testing.assert_allclose(drawn.numbers.smooth, sizes, rtol=1e-12)
    assert "fades on its way back: in layer 1 it is 0.0100 of that of the output" in drawn.reading


def test_weights_stand_with_their_offsets(moons):
    _, dataset, whole = moons
    options = weight_matrix.OneOfLayers(layer=2)
    n = weight_matrix.weight_matrix(dataset, whole, options=options).numbers
    layer = whole.fit.layers[1]
    np.testing.assert_array_equal(n.weights[:, :-1], layer.weights)
    np.testing.assert_array_equal(n.weights[:, -1], layer.offsets)
    assert n.inputs[0] == "unit 1" and n.inputs[-1] == "offset"


def test_the_weights_of_each_layer_are_counted_once():
    """In the bins of the largest of all; the offsets are left out, what skips is of the output."""
    method = MLPClassifier(hidden_layer_sizes=(3, 4), max_epochs=5, skip_connections=True)
    _, dataset, whole = outcome(method, Moons(n_samples=40))
    drawn = weight_histogram.weight_histogram(dataset, whole)
    n = drawn.numbers
    last = np.concatenate([whole.fit.layers[2].weights.ravel(), whole.fit.skips.ravel()])
    by_layer = [layer.weights.ravel() for layer in whole.fit.layers[:2]] + [last]
    far = max(np.abs(W).max() for W in by_layer)
    assert n.edges[-1] == -n.edges[0] == far and len(n.edges) == 10  # nine bins for twelve weights
    for shares, size, W in zip(n.shares, n.sizes, by_layer, strict=True):
        inside = [((n.edges[k] <= W) & (n.edges[k + 1] > W)).sum() for k in range(8)]
        np.testing.assert_allclose(shares[:-1] * len(W), inside, atol=1e-9)
        assert shares.sum() == pytest.approx(1.0)
        assert size == pytest.approx(np.linalg.norm(W) / np.sqrt(len(W)))
    assert " of its weights are below " in drawn.reading
    empty = n.shares.copy()
    empty[:, len(n.edges) // 2 - 1] = 0.0
    said = weight_histogram.reading(n._replace(shares=empty))
    assert said.endswith("No weight is below " + said.rpartition("below ")[2])
    assert "most about 0" not in said
    final = weight_histogram.step(n, traces_by_name(drawn.figure), whole, dataset)
    for index, changes in final.items():
        np.testing.assert_array_equal(changes["y"], drawn.figure.data[index].y)
    wild = SimpleNamespace(layers=[(np.array([9 * far, 0.0]), 0)], skips=np.zeros((1, 0)))
    (changes,) = weight_histogram.step(
        n._replace(names=("output",)), {"output": 0}, SimpleNamespace(fit=wild), dataset
    ).values()
    assert changes["y"][-1] == changes["y"][4] == 0.5  # beyond the last bin, and in the middle


def test_where_columns_are_pixels_the_first_layer_is_images(moons):
    _, plain, whole = moons
    assert "filter_gallery" not in views_where(plain, whole)
    method = MLPClassifier(hidden_layer_sizes=(50,), max_epochs=2)
    _, dataset, whole = outcome(method, LETTERS)
    assert "filter_gallery" in views_where(dataset, whole)
    drawn = filter_gallery.filter_gallery(dataset, whole)
    f = drawn.numbers
    assert len(f.at) == 40 and drawn.note.startswith("40 of 50 units")
    heard = np.abs(whole.fit.layers[1].weights).sum(axis=0)
    assert heard[f.at].min() >= np.delete(heard, f.at).max()
    assert f.grid.shown.hover_texts[1] == f"unit {f.at[1] + 1}"
    own = whole.fit.layers[0].weights[f.at[1]]
    np.testing.assert_array_equal(f.grid.shown.images[1].ravel(), own)
    final = filter_gallery.step(f, traces_by_name(drawn.figure), whole, dataset)
    assert len(final) == 40
    for index, changes in final.items():
        np.testing.assert_array_equal(changes["z"], drawn.figure.data[index].z)
    method = MLPClassifier(hidden_layer_sizes=(), max_epochs=2)
    _, dataset, whole = outcome(method, LETTERS)
    f = filter_gallery.numbers(dataset, whole)
    assert f.grid.shown.names == dataset.classes
    assert "blue. Those of class " in filter_gallery.reading(f)
    images = np.repeat(f.grid.shown.images, 3, axis=3)  # what is said of colours where weights are
    coloured = f._replace(grid=f.grid._replace(shown=f.grid.shown._replace(images=images)))
    assert "orange" not in (reading := filter_gallery.reading(coloured))
    assert "Middle grey is 0" in reading
