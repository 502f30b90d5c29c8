"""Whether a map comes again, from the page of a method: the verdict, the pictures, the address."""

from __future__ import annotations

from functools import partial

import pytest

from tests.pages.conftest import address, shown

SMALL = {"view__map_movement__refits": "3"}


@pytest.fixture
def drawing(opened):
    """`drawing(method="pca")`: the page of iris with the tab open, and few maps."""
    page = "dimensionality_reduction"
    return partial(opened, page, data="iris", view__tab="stability", **SMALL)


def verdict(at):
    """The sentence above the pictures."""
    return next(h.proto.body for h in at.get("html") if 'class="verdict"' in h.proto.body)


def test_the_map_is_drawn_again_and_judged(drawing):
    at = drawing(method="pca")
    assert not at.exception, at.exception[0].stack_trace
    assert "The map comes again" in verdict(at)
    assert "over 3 maps from resamples of 80 % of the rows" in verdict(at)
    said = shown(at)
    assert "How far rows move" in said
    assert "How alike the maps are" in said
    assert address(at)["view.map_movement.refits"] == "3"
    files = {f.label for f in at.get("download_button")}
    assert files >= {"How far each row moves", "Report, one HTML file"}


def test_what_is_shown_of_each_row_is_chosen(drawing):
    chosen = {"show": "lines", "coordinates": "3", "second": "3"}
    named = {f"view__map_movement__{name}": value for name, value in chosen.items()}
    at = drawing(method="pca", **named)
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.map_movement.second"] == "3"


def test_other_starts_of_a_method_without_chance_are_refused_in_a_sentence(drawing):
    at = drawing(method="pca", view__map_movement__again="starts")
    assert not at.exception, at.exception[0].stack_trace
    assert "draws no random numbers" in shown(at)


def test_groups_have_no_such_tab(opened):
    at = opened("clustering", data="iris", method="kmeans")
    assert "Stability" not in [tab.label for tab in at.tabs]
