"""The sentence that compares the score on new rows with the cross-validated one."""

from __future__ import annotations

from types import SimpleNamespace

from mlcore.evaluation.intervals import Interval
from ui.predict.score import compared


def test_without_an_interval_nothing_is_said_of_a_prediction() -> None:
    metric = SimpleNamespace(better="higher")
    known = Interval(0.8, 0.7, 0.9, "Wilson", "")
    unknown = Interval(0.8, float("nan"), float("nan"), "none", "No interval.")
    told = compared(metric, known, unknown, 3)  # type: ignore[arg-type]  # only `better` is read
    assert told.startswith("Whether they differ cannot be told: ")
