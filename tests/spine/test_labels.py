"""What methods are called side by side: by the settings in which they differ, in words."""

from __future__ import annotations

import pytest

from mlcore.decisions.td_control import TDControl
from mlcore.optimisation.schedules import ConstantSchedule
from mlcore.regression.constant import ConstantRegressor
from mlcore.runs.labels import noun_at, told_apart
from mlcore.runs.run import Run


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (TDControl(learning_rate=ConstantSchedule(value=0.1)), "learning rate 0.1"),
        (TDControl(), "learning rate Power of the visit count"),
    ],
)
def test_the_value_of_a_constant_is_called_by_what_is_constant(other, name):
    """ "Q-learning, value 0.5" says nothing of what has that value."""
    items = (TDControl(learning_rate=ConstantSchedule(value=0.5)), other)
    assert told_apart(("Q", "Q"), items) == ("Q, learning rate 0.5", f"Q, {name}")


def test_the_value_of_a_method_keeps_its_name():
    assert noun_at(Run(method=ConstantRegressor(strategy="given")), "method.value") == "value"
