"""What all pictures have alike: logarithmic axes, room for numbers, how sentences are set."""

from __future__ import annotations

import numpy as np
import pytest

import figures.graph as go
from figures.drawing.marks import MOST_POWERS, log_axes, log_axis
from figures.drawing.traces import empty
from figures.lab import picture
from figures.numbers.curves import ClassCurve
from figures.theme import TEMPLATE, figure
from figures.view import TableColumn, joined
from figures.views.evaluation import pr, roc
from figures.views.regression import coefficients
from mlcore.evaluation.metrics.ranking import ThresholdCurve
from mlcore.spine.wording import number, typeset


def test_an_axis_of_many_powers_names_whole_ones_alone():
    assert log_axis([1e-3, 1.0, np.nan])["dtick"] == 1
    size = log_axis([1e-3, 1.0, np.nan])["tickfont"]["size"]
    assert 1.25 * size == TEMPLATE.layout.xaxis.tickfont.size  # as large as on other axes
    wide = log_axis([1e-16, 1e3])["dtick"]
    assert wide > 1
    assert 19 / wide <= MOST_POWERS


def test_an_axis_of_one_power_names_2_and_5_in_full():
    axis = log_axis([0.15, 3.0])
    shown = dict(zip(axis["ticktext"], axis["tickvals"], strict=True))
    assert [text for text, at in shown.items() if 0.15 <= at <= 3.0] == ["0.2", "0.5", "1", "2"]
    assert shown["0.2"] == pytest.approx(0.2)


def test_a_large_number_on_an_axis_has_its_digits_below_a_million_and_its_power_above():
    assert log_axis([5e4, 4e5])["ticktext"].count("200,000") == 1
    assert log_axis([5e6, 4e7])["ticktext"].count("2·10⁷") == 1


def test_logarithmic_axes_of_a_view_name_numbers_in_full_too():
    rows = (TableColumn("row", np.zeros(1)),)
    fig = figure(go.Scatter(x=[1, 2], y=[2.0, 90.0])).update_yaxes(type="log")
    axis = joined(0, lambda _: fig, lambda _: ".", lambda _: rows).figure.layout.yaxis
    assert "50" in axis.ticktext


def test_why_nothing_is_drawn_is_said_in_lines_that_fit_a_phone():
    said = "No column reaches the method as it is, or only shifted and scaled, so none is drawn."
    (note,) = empty(said).layout.annotations
    lines = note.text.split("<br>")
    assert " ".join(lines) == said
    assert max(map(len, lines)) * 6.5 < 326  # letters as wide as they come, of the card at 390 px


def test_logarithmic_axes_of_a_lab_name_numbers_by_the_values_of_their_traces():
    fig = figure(go.Scatter(x=[1.0, 30.0], y=[1e-3, 1.0]), go.Scatter(x=[2.0], y=[2.0], yaxis="y2"))
    fig.update_layout(xaxis_type="log", yaxis_type="log", yaxis2_type="linear")
    rows = (TableColumn("row", np.zeros(1)),)
    drawn = picture("p", fig, lambda own: own, lambda _: "", lambda _: rows)
    assert "20" in drawn.figure.layout.xaxis.ticktext
    assert drawn.figure.layout.yaxis.dtick == 1
    assert drawn.figure.layout.yaxis2.dtick is None
    own = log_axes(figure(go.Scatter(x=[1], y=[1e6])).update_yaxes(type="log", tickvals=[1.0]))
    assert own.layout.yaxis.dtick is None


@pytest.mark.parametrize(
    ("y", "named"), [([2e-5, None], "power"), ([2e-5, 0.5], None), ("a", None)]
)
def test_very_small_numbers_of_an_axis_are_set_as_in_sentences(y, named):
    rows = (TableColumn("row", np.zeros(1)),)
    y = [np.nan if v is None else v for v in y]
    fig = figure(go.Scatter(x=np.arange(len(y)), y=y))
    drawn = joined(0, lambda _: fig, lambda _: ".", lambda _: rows)
    assert drawn.figure.layout.yaxis.exponentformat == named
    assert drawn.figure.layout.xaxis.exponentformat is None


@pytest.mark.parametrize("values", [[2.0, 3.0], [], [-1.0, 0.0]])
def test_other_logarithmic_axes_are_left_to_plotly(values):
    assert log_axis(values) == {"type": "log", "exponentformat": "power"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("moved by 1.02e-07, not above 1e-05.", "moved by 1.02·10⁻⁷, not above 10⁻⁵."),
        ("the output, -4.31 (-2 to 3)", "the output, −4.31 (−2 to 3)"),
        ("2007-01-02, k-means, 3-10, file1e-05", "2007-01-02, k-means, 3-10, file1e-05"),
    ],
)
def test_numbers_in_sentences_are_set_as_people_write_them(text, shown):
    assert typeset(text) == shown


def test_every_sentence_of_a_picture_is_set():
    table = (TableColumn("x", np.zeros(1)),)
    drawn = joined(0, lambda _: figure(), lambda _: "It is -1.5, of 2e-06.", lambda _: table)
    assert drawn.reading == "It is −1.5, of 2·10⁻⁶."


def test_scores_have_the_minus_sign_of_the_axis_beside_them():
    assert [number(v) for v in (-1.3021, -2e-7, -0.0001, -12345.0)] == [
        "−1.302", "−2.00·10⁻⁷", "−1.00·10⁻⁴", "−12,345",
    ]  # fmt: skip


def drawn_ends(*values):
    k = len(values)
    names = tuple(f"x{j}" for j in range(k))
    c = coefficients.Coefficients(
        names, np.array(values)[:, None], ("y",), np.zeros(1), np.arange(k)
    )
    return coefficients.draw(c).layout.xaxis.range


def test_a_number_beside_a_short_bar_has_room_on_a_phone():
    low, high = drawn_ends(2.07, 1.59, -0.0369)
    assert -0.0369 - low >= 0.25 * (high - low)
    assert high == pytest.approx(2.07, rel=0.05)  # that of a long one stands in it
    assert drawn_ends(2.0, 1.5)[0] == 0.0


def curves(*areas):
    line = ThresholdCurve(*(np.array([0.0, 1.0]) for _ in ThresholdCurve._fields))
    return tuple(
        ClassCurve(k, name, line, (), area, False, 0.5, area)
        for k, (name, area) in enumerate(zip("abc", areas, strict=False))
    )


def test_areas_that_are_alike_are_told_once():
    said = roc.reading(roc.Roc(curves(0.99999, 0.99998), 2))
    assert said.endswith("is 1.000 for all of them.")
    said = pr.reading(pr.PrecisionRecall(curves(0.99999, 0.99998)))
    assert "as for every class" in said and "lowest" not in said


def test_areas_that_differ_name_their_classes():
    assert "from 0.900 for a to 0.950 for b" in roc.reading(roc.Roc(curves(0.9, 0.95), 2))
    assert "the lowest of the classes" in pr.reading(pr.PrecisionRecall(curves(0.9, 0.95)))
