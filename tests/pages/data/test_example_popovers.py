"""The popover of examples on each page that has one: drawn once, though controls are read first."""

from __future__ import annotations

import pytest

from tests.pages.conftest import unfold

PAGES = (
    "preprocessing", "dimensionality_reduction", "clustering", "classification", "regression",
    "kernels", "neural_networks", "sequences", "compare",
    "sequential_decision_making",
)  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_open(opened, page):
    at = unfold(opened(page), "examples")
    assert not at.exception, at.exception[0].stack_trace
    assert [button for button in at.button if str(button.key).startswith("preset.")]
