"""Tuning from the page of a method: what it costs, what comes out, and taking it over."""

from __future__ import annotations

import time
from functools import partial

import pytest

from mlcore.runs.run import Run
from mlcore.runs.tuning.search import tunable
from mlcore.runs.tuning.tuned import Chosen
from service import limits
from tests.pages.conftest import address, shown
from ui.method.tune import _label
from ui.runs import running


@pytest.fixture
def tuning(opened):
    """`tuning("regression", method="ridge")`: the page with the tab of tuning open."""
    return partial(opened, view__tab="tune")


def test_members_are_counted_from_one():
    run = Run(data="iris", method="stacking")
    paths = [path for path, _ in tunable(run) if path.startswith("method.")]
    labels = [_label(run, path) for path in paths]
    assert "Estimator 1 penalty: alpha" in labels
    assert not any(" 0" in label for label in labels)


def button(at, label):
    return next(b for b in at.button if b.label == label)


def field(at, label):
    return next(t for t in at.text_input if t.label == label)


def test_a_method_is_tuned_and_its_settings_are_taken_over(tuning):
    at = tuning("regression", data="diabetes", method="ridge")
    said = shown(at)
    assert "5 candidates, 155 fits, " in said
    field(at, "Values of alpha").input("0.1, 10").run()
    assert "2 candidates, 65 fits" in shown(at)
    button(at, "Tune").click().run()
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    assert "All rows choose **alpha = " in said
    assert "over 5 outer folds" in said
    assert "Search by one hyper-parameter" in said
    assert "Optimism of tuning" in said
    chosen = said.partition("All rows choose **alpha = ")[2].partition("**")[0]
    button(at, "Use these settings").click().run()
    assert not at.exception
    assert float(address(at)["method.alpha"]) == float(chosen)


def test_two_settings_give_a_surface_and_the_preparation_can_be_tuned(tuning):
    at = tuning("regression", data="diabetes", method="elastic_net")
    assert "25 candidates" in shown(at)
    field(at, "Values of alpha").input("0.1, 1").run()
    field(at, "Values of L1 ratio").input("0.2, 0.8").run()
    button(at, "Tune").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert "Search by two hyper-parameters" in shown(at)
    options = next(m for m in at.multiselect if m.label == "Settings to vary").options
    assert any(option.startswith("Imputation: ") for option in options)


def test_a_wrong_value_is_a_sentence_and_offers_no_button(tuning):
    at = tuning("regression", data="diabetes", method="ridge")
    field(at, "Values of alpha").input("-3, 1").run()
    assert not at.exception
    assert "must be at least 0" in shown(at)
    assert "Tune" not in [b.label for b in at.button]


def test_too_much_is_refused_before_it_begins(tuning, monkeypatch):
    found = limits.Limits(seconds=1.0)
    monkeypatch.setattr(limits, "current_limits", lambda: found)
    at = tuning("regression", data="diabetes", method="elastic_net")
    field(at, "Values of alpha").input(",".join(str(k) for k in range(1, 200))).run()
    assert "this installation allows" in shown(at)
    assert "Tune" not in [b.label for b in at.button]


@pytest.mark.slow
def test_stopping_half_way_keeps_the_finished_folds(tuning, monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.3)
    at = tuning("clustering", data="penguins", method="kmeans")
    finished(lambda: "Settings to vary" in [m.label for m in at.multiselect], at)
    field(at, "Values of restarts").input(",".join(str(k) for k in range(20, 25))).run()
    button(at, "Tune").click().run()
    job = next(held.job for held in at.session_state["jobs"].values() if held.job.place == "tune")
    finished(lambda: sum(isinstance(e, Chosen) for e in job.events) >= 2)
    button(at, "Stop").click().run()
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    assert "stopped" in said.lower()
    assert "All rows choose" in said
    assert "outer fold" in said.partition("All rows choose")[2]


def finished(is_so, at=None):
    """Wait until something is so, drawing the page again and again where one is given."""
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.2)
        if at is not None:
            at.run()
    raise AssertionError("it never came about")
