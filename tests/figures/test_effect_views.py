"""The effect of a variable: the row of What if among the curves, and where there were no rows."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import figures.graph as go
from figures.drawing.handle import Handle, has_handle, with_handle
from figures.drawing.traces import dated
from figures.theme import LIGHT
from figures.views.explaining import importance_dots, what_if_answer
from figures.views.explaining.effect_curves import EffectOptions, draw, effect_curves, numbers
from figures.views.explaining.nearness import NearnessBars
from figures.views.explaining.nearness import draw as draw_nearness
from figures.views.explaining.nearness import reading as read_nearness
from mlcore.runs.carry_explanation import carried_out
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.what_if import WhatIf
from tests.figures.explained import explained

OPTIONS = EffectOptions(output="Gentoo")


@pytest.fixture(scope="module")
def beside() -> dict[str, Any]:
    """The effect of the bill, and the answer about a row."""
    both = explained("effect_curves")
    changes = (("bill_length_mm", "44"),)
    asked = Explanation.of(both["explanation"].run.run(), WhatIf(row=8, changes=changes))
    return both | {"what_if": carried_out(asked).joined}


def test_the_row_is_black_with_its_handle_on_its_curve_and_on_the_axis(beside):
    e = numbers(**{**beside, "options": OPTIONS})
    assert e is not None and e.own is not None
    answer = beside["what_if"]
    assert (e.own.row, e.own.values[e.own.at]) == (8, 44.0)
    says = float(answer.after[answer.outputs.index("Gentoo")])
    assert e.own.y[e.own.at] == pytest.approx(says)
    line, handle, below = draw(e).data[-4:-1]
    assert (line.name, line.line.color) == ("row 8", LIGHT.text)
    assert [list(handle.x), list(handle.y)] == [[44.0], [pytest.approx(says)]]
    assert (list(below.x), below.yaxis) == ([44.0], "y2")
    # Not by its colour, which is another one in each theme.
    assert "ring: row 8, which has 44.0 now" in effect_curves(**beside, options=OPTIONS).reading
    centred = numbers(**{**beside, "options": EffectOptions(output="Gentoo", way="centred")})
    assert centred is not None and centred.own is not None
    assert centred.own.y[0] == 0
    assert numbers(**{**beside, "options": EffectOptions(way="accumulated")}).own is None


def test_a_sample_of_the_rows_left_out_is_said_to_be_one(beside):
    assert effect_curves(**explained("effect_curves")).note.endswith("39 of 344 rows left out")


def test_the_handle_carries_the_answer_for_each_value_where_it_may_stand(beside):
    """So that nobody is asked while it is moved; people set numbers that people write."""
    answer = beside["what_if"]
    e = numbers(**{**beside, "options": OPTIONS})
    assert e is not None
    handle = json.loads(str(draw(e).to_json()))["layout"]["meta"]["handle"]
    j = [column.name for column in answer.variables].index("bill_length_mm")
    profile = answer.profiles[j]
    assert handle["x"] == handle["values"] == profile.grid.tolist()
    assert handle["y"] == profile.curve[:, answer.outputs.index("Gentoo")].tolist()
    assert handle["values"][handle["at"]] == 44.0
    best = profile.curve[handle["at"]]
    assert handle["says"][handle["at"]] == f"44.0: {answer.outputs[best.argmax()]} {best.max():.3g}"
    assert all(value == round(value, 1) for value in handle["values"])
    alone = numbers(**{**beside, "what_if": None, "options": OPTIONS})
    assert not has_handle(draw(alone))


def test_dates_of_a_handle_are_written_as_on_the_axis():
    days = np.array([0.0, 19_723.5])
    places = Handle("day", dated(days, "datetime"), days, days, ("a", "b"), 0)
    handle = json.loads(str(with_handle(go.Figure(), places).to_json()))["layout"]["meta"]["handle"]
    assert handle["x"] == ["1970-01-01T00:00:00.000", "2024-01-01T12:00:00.000"]


def test_curves_fade_where_no_training_row_is_near(beside):
    answers = beside["explanation"].joined
    near = np.array([True, True, True, False, False, True, True, True])
    spoiled = replace(beside["explanation"], joined=answers._replace(near=near))
    given = {"explanation": spoiled, "dataset": beside["dataset"]}
    drawn = [t for t in draw(numbers(**given, options=OPTIONS)).data if t.name]
    solid = next(t for t in drawn if t.name == "mean of all rows")
    faint = next(t for t in drawn if t.name == "mean of all rows, no rows")
    np.testing.assert_array_equal(np.isnan(solid.y), ~near)
    np.testing.assert_array_equal(~np.isnan(faint.y), [0, 0, 1, 1, 1, 1, 0, 0])
    assert "2 of the 8 values asked are near no training row" in (
        effect_curves(**given, options=OPTIONS).reading
    )
    whole = draw(numbers(**{**given, "explanation": beside["explanation"]}, options=OPTIONS))
    assert not any(t.name and t.name.endswith("no rows") for t in whole.data)


def test_the_limit_of_nearness_is_named_inside_the_picture():
    typical = np.append(np.linspace(0.0, 0.2, 99), 5.0)
    bars = NearnessBars(
        typical, 0.1, limit=0.2, n_near=5, rows=np.arange(1), distances=np.zeros(1), truths=("",),
        variables=("x",), beyond=np.zeros(1, dtype=bool),
    )  # fmt: skip
    where = [
        draw_nearness(bars._replace(limit=x)).layout.annotations[0].xanchor for x in (0.2, 3.0)
    ]
    assert where == ["left", "center"]


def test_only_what_lies_beyond_the_training_rows_is_called_extrapolated():
    bars = NearnessBars(
        np.linspace(0.0, 0.2, 99), 0.5, limit=0.2, n_near=5, rows=np.arange(1),
        distances=np.zeros(1), truths=("",), variables=("x",), beyond=np.array([False]),
    )  # fmt: skip
    assert read_nearness(bars).endswith("rows. It lies between them, where they are few.")
    two = bars._replace(variables=("x", "z"), beyond=np.array([False, False]))
    assert read_nearness(two).endswith(
        "Each of its values lies among theirs; together they are rare."
    )
    out = read_nearness(two._replace(beyond=np.array([False, True])))
    assert out.endswith("Its value of z lies beyond all of theirs: the prediction is extrapolated.")


def test_an_error_is_added_by_a_shuffle_and_a_score_is_lost():
    both = explained("importance_dots")
    d = importance_dots.numbers(both["explanation"], both["dataset"])
    assert importance_dots.draw(d).layout.xaxis.title.text == "Accuracy lost by shuffling it"
    d = d._replace(title="RMSE", better="lower")
    assert importance_dots.draw(d).layout.xaxis.title.text == "RMSE added by shuffling it"
    assert importance_dots.table(d)[1].name == "RMSE added, mean"


def test_the_interval_of_an_answer_lies_between_its_ends():
    answer = SimpleNamespace(
        outputs=("cost",), is_class=False, after=[208.0], before=[208.0], row=1, truth="151",
        n_folds=0, interval=(103.0, 313.0), is_far=False,
    )  # fmt: skip
    assert "95 % of such rows lie between 103 and 313." in what_if_answer.reading(answer)


def test_each_cost_in_the_sentence_is_that_of_a_variable_it_names():
    both = explained("importance_dots")
    d = importance_dots.numbers(both["explanation"], both["dataset"])
    size = np.full(len(d.mean), 0.001)
    size[:3] = 0.10, 0.09, 0.08
    unsure = np.full(len(d.mean), 0.01)
    unsure[0] = 1.0
    text = importance_dots.reading(d._replace(mean=size, sd=unsure))
    names = f"{d.variables[1]} and {d.variables[2]}"
    assert text.startswith(f"{names} carry the prediction (0.090 and 0.080 of accuracy,")


def test_what_was_before_a_change_is_told_where_there_is_one():
    answer = explained("what_if_answer")
    numbers = what_if_answer.numbers(**answer)
    assert "before the change" in what_if_answer.reading(numbers)
    same = numbers._replace(before=numbers.after)
    assert "before the change" not in what_if_answer.reading(same)
