"""Every page opens for bundled sets of every kind; one that does not apply says why."""

from __future__ import annotations

import pytest

from mlcore.data import bundled
from mlcore.data.glimpses import glimpses
from tests import sampling
from tests.pages.conftest import shown
from tests.pages.test_search import rows

METHOD_PAGES = (
    "dimensionality_reduction", "clustering", "classification", "regression", "kernels",
    "neural_networks", "sequences",
)  # fmt: skip
PAGES = ("data", "preprocessing", *METHOD_PAGES)
LONG, WIDE, SHORT = 1_000, 30, 20


def traits(file: bundled.BundledFile) -> set[str]:
    """What pages make a difference of; which set has it, is none to them."""
    task = glimpses()[file.name].task
    return {
        task,
        *((f"{task}, missing values",) if file.missing else ()),
        *(("long",) if file.rows > LONG else ()),
        *(("short",) if file.rows < SHORT else ()),
        *(("wide",) if file.columns > WIDE else ()),
        *(("single column",) if file.columns == 2 else ()),
    }


def cells(file: bundled.BundledFile) -> int:
    return file.rows * file.columns


FILES = sorted(bundled.files(), key=cells)
PAIRS = [
    pytest.param(page, file.name, id=f"{page}:{file.name}")
    for file, page in dict.fromkeys(
        [*((file, "data") for file in FILES), *sampling.covered(FILES, PAGES[1:], traits)]
    )
]


@pytest.mark.parametrize(("page", "name"), PAIRS)
def test_a_page_opens_for_a_bundled_set(opened, page, name):
    at = opened(page, data=name)
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    # A long run on a wide or long table waits for a press, and says what it will cost.
    has_run = "Not with this data yet" not in said and "Not started yet" not in said
    if page in METHOD_PAGES and has_run:
        assert "How it works" in [tab.label for tab in at.tabs], said
    assert not at.error, [error.value for error in at.error]


@pytest.mark.parametrize("page", ["start", "methods"])
def test_a_page_without_data_opens(opened, page):
    at = opened(page)
    assert not at.exception
    assert len(shown(at) + rows(at)) > 200


@pytest.mark.parametrize(
    ("page", "data", "says", "offers"),
    [
        ("classification", "diabetes", "predicts classes", "Predict sex"),
        ("regression", "iris", "predicts a quantity", "Predict petal_width_cm"),
    ],
)
def test_a_page_that_does_not_apply_says_why_and_offers_targets(opened, page, data, says, offers):
    at = opened(page, data=data)
    assert says in shown(at)
    button = next(b for b in at.button if b.label.replace("\\", "") == offers)
    at = button.click().run()
    assert says not in shown(at)
    assert at.session_state["mlscope"].shared["data"].target == offers.removeprefix("Predict ")
