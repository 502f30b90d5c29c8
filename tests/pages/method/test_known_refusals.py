"""What a method refuses of the rows is told before *Run*, on its page, in Compare and in Tune."""

from __future__ import annotations

import pytest

from service import limits
from tests.pages.conftest import shown

MANY = {"data": "blobs", "data__source__n_samples": "30001", "data__target": "none"}
REASON = "HDBSCAN takes at most 30,000 rows; there are 30,001"


@pytest.fixture
def by_hand(monkeypatch):
    """Nothing begins unasked."""
    never = limits.Limits(autorun_seconds=0.0)
    monkeypatch.setattr(limits, "current_limits", lambda: never)


def buttons(at):
    return {button.label for button in at.button}


def test_the_page_of_a_method_says_it_and_offers_no_run(opened, by_hand):
    at = opened("clustering", method="hdbscan", **MANY)
    assert not at.exception, at.exception[0].stack_trace
    assert "Not with this data yet" in shown(at) and REASON in shown(at)
    assert "Run" not in buttons(at)


def test_a_comparison_names_the_method_that_is_left_out_beside_the_run(opened, by_hand):
    at = opened("compare", methods="kmeans~hdbscan", **MANY)
    assert not at.exception, at.exception[0].stack_trace
    assert "Run" in buttons(at)
    assert f"HDBSCAN is left out. {REASON}" in shown(at)
