"""Signs, colours and planes: what a picture says is what the fit says."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.astray import MANY
from figures.theme import class_color
from figures.view import views
from figures.views.classification import decision_regions
from figures.views.regression import coefficients
from mlcore.evaluation.splits import HoldOut
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.run import Run
from mlcore.spine.wording import rough


@pytest.fixture(scope="module")
def cancer():
    run = Run(data="breast_cancer", method="logistic", evaluation=HoldOut())
    return carried_out(run), run.data.dataset()


def test_coefficients_keep_their_signs_in_the_sentence():
    run = Run(data="diabetes", method="linear_regression", evaluation=HoldOut())
    outcome, dataset = carried_out(run), run.data.dataset()
    found = coefficients.numbers(outcome.whole.fit, dataset)
    said = coefficients.reading(found)
    for name, (value,) in zip(found.names[:3], found.values, strict=False):
        assert f"{name} ({rough(float(value))})" in said
    assert "−" in said


def test_of_several_sets_the_largest_is_named():
    run = Run(data="iris", method="logistic", evaluation=HoldOut())
    whole, dataset = carried_out(run).whole, run.data.dataset()
    found = coefficients.numbers(whole.fit, dataset)
    k = int(np.abs(found.values[0]).argmax())
    largest = f"({rough(float(found.values[0, k]))} for {dataset.classes[k]})"
    assert f"{found.names[0]} {largest}" in coefficients.reading(found)


def test_cells_of_ten_classes_keep_the_width_of_their_numbers_and_of_all_names():
    values = np.full((2, 10), -0.1234)
    heads = tuple(map(str, range(10)))
    ten = coefficients.Coefficients(("a", "b"), values, heads, np.zeros(10), np.arange(2))
    layout = coefficients.draw(ten).layout
    assert layout.meta["least"] > 10 * 6.5 * len(rough(-0.1234)) and (
        layout.xaxis.type,
        layout.xaxis.dtick,
    ) == ("category", 1)
    short = ten._replace(values=values[:, :3], heads=heads[:3], intercept=np.zeros(3))
    assert coefficients.draw(short).layout.meta["least"] < 300  # as wide as any phone


def test_a_bar_has_the_colour_of_the_class_that_it_raises(cancer):
    outcome, dataset = cancer
    view = views()["coefficients"].make(outcome.whole.fit, dataset)
    (bars,) = view.figure.data
    for value, color in zip(bars.x, bars.marker.color, strict=True):
        assert color == class_color(1 if value >= 0 else 0)
    assert f"raises {dataset.classes[1]}" in view.reading
    whole, steps = recording(outcome.run)
    changes = view.step(view.numbers, {"bars 0": 0}, whole, dataset) if steps else {}
    assert [*changes[0]["marker.color"]] == list(bars.marker.color)


def test_regions_bear_the_names_of_classes_whose_colours_come_again():
    run = Run(data="digits8", method="knn", evaluation=HoldOut())
    whole, dataset = carried_out(run).whole, run.data.dataset()
    view = views()["decision_regions"].make(dataset, whole)
    (names,) = (trace for trace in view.figure.data if trace.mode == "text")
    regions, plane = view.numbers.regions, view.numbers.shown.plane
    assert [dataset.classes[k] for k in np.unique(regions.klass)] == list(names.text)
    for x, y, text in zip(names.x, names.y, names.text, strict=True):
        cell = np.argmin(np.abs(plane.y.cells - y)), np.argmin(np.abs(plane.x.cells - x))
        assert dataset.classes[regions.klass[cell]] == text
    again = view.step(view.numbers, {"cells": 0, decision_regions.NAMES: 1}, whole, dataset)
    assert list(again[1]["text"]) == list(names.text)
    few = Run(data="iris", method="knn", evaluation=HoldOut())
    drawn = views()["decision_regions"].make(few.data.dataset(), carried_out(few).whole)
    assert not [trace for trace in drawn.figure.data if trace.mode == "text"]


def test_a_plane_that_contradicts_its_points_warns_and_offers_two_columns():
    run = Run(data="digits8", method="knn", evaluation=HoldOut())
    outcome, dataset = carried_out(run), run.data.dataset()
    view = views()["decision_regions"].make(dataset, outcome.whole, outcome)
    assert "% of the variance of the prepared rows." in view.reading
    assert "Careful: " in view.reading
    assert view.numbers.astray > MANY
    names = {column.name for column in dataset.columns}
    assert len(view.offer) == 2 and set(view.offer) <= names
    assert " and ".join(view.offer) in view.reading
    chosen = decision_regions.numbers(
        dataset, outcome.whole, outcome, x=view.offer[0], y=view.offer[1]
    )
    assert chosen.telling == ()


def test_a_plane_of_all_columns_has_nothing_to_warn_of():
    run = Run(data="moons", method="knn", evaluation=HoldOut())
    outcome, dataset = carried_out(run), run.data.dataset()
    view = views()["decision_regions"].make(dataset, outcome.whole, outcome)
    assert view.numbers.astray < 0.03
    assert (view.offer, "Careful" in view.reading) == ((), False)


def test_a_ring_around_an_error_is_the_row_that_it_surrounds():
    """It fades with the row where others are selected."""
    run = Run(data="moons", method="lda", evaluation=HoldOut())
    outcome, dataset = carried_out(run), run.data.dataset()
    view = views()["decision_regions"].make(dataset, outcome.whole, outcome)
    (ring,) = (trace for trace in view.figure.data if (trace.name or "").startswith("Errors"))
    d = view.numbers
    assert ring.meta == "rows" and d.errors.any()
    np.testing.assert_array_equal(ring.customdata, d.cloud.rows[d.errors])
    np.testing.assert_allclose(ring.x, d.cloud.x[d.errors], rtol=1e-6)
