"""The effect of a variable: the row of What if among the curves, and where there were no rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from figures.theme import LIGHT
from figures.views.explaining.effect_curves import EffectOptions, draw, effect_curves, numbers
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
    assert (e.own.row, e.own.at) == (8, 44.0)
    assert e.own.says == pytest.approx(float(answer.after[answer.outputs.index("Gentoo")]))
    line, handle, below = draw(e).data[-4:-1]
    assert (line.name, line.line.color) == ("row 8", LIGHT.text)
    assert [list(handle.x), list(handle.y)] == [[44.0], [e.own.says]]
    assert (list(below.x), below.yaxis) == ([44.0], "y2")
    assert "Black: row 8, which has 44.0 now" in effect_curves(**beside, options=OPTIONS).reading
    centred = numbers(**{**beside, "options": EffectOptions(output="Gentoo", way="centred")})
    assert centred is not None and centred.own is not None
    assert centred.own.y[0] == 0
    assert numbers(**{**beside, "options": EffectOptions(way="accumulated")}).own is None


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
    assert "25 % of the 8 values asked are near no training row" in (
        effect_curves(**given, options=OPTIONS).reading
    )
    whole = draw(numbers(**{**given, "explanation": beside["explanation"]}, options=OPTIONS))
    assert not any(t.name and t.name.endswith("no rows") for t in whole.data)
