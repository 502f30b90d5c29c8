"""Examples on the Data page: picked group by group, opened by link, taken further as a recipe."""

from __future__ import annotations

from html import escape

import pytest

from mlcore.data import bundled
from mlcore.data.examples import groups
from mlcore.data.sources import Bundled
from tests.pages.conftest import address, shown
from ui.data.gallery import AT_ONCE
from ui.method.cards import opening


def _page(opened, door: str, **pairs: str):
    at = opened("data", **pairs)
    at.session_state["door"] = door
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def _cards(at) -> str:
    return " ".join(item.proto.body for item in at.get("html"))


def test_a_link_to_an_example_shows_it_among_its_group(opened):
    at = _page(opened, "Pick", data="three_blobs")
    cards = _cards(at)
    first = groups()["Groups"]
    assert all(escape(entry.shows) in cards for entry in first[:AT_ONCE])
    assert not any(escape(entry.shows) in cards for entry in bundled.files())
    assert at.session_state["mlscope"].states["data"].run.data.source == Bundled(name="three_blobs")


def test_a_search_goes_through_all_groups_and_keeps_to_the_task(opened):
    at = _page(opened, "Pick", data="iris")
    at.text_input(key="gallery.words").set_value("spiral arm").run()
    assert "Three arms" in _cards(at) and "Spirals" in _cards(at)
    assert "Iris" not in _cards(at)
    at.button_group(key="gallery.task").set_value("regression").run()
    assert not at.exception, at.exception[0].stack_trace
    assert "No data set is called that here" in shown(at)


def test_a_generator_is_picked_with_its_knobs_and_a_list_is_shown_in_parts(opened):
    at = _page(opened, "Pick", data="iris")
    groups_of = next(b for b in at.button_group if str(b.key).endswith("pick.group"))
    groups_of.set_value("All").run()
    assert len([b for b in at.button if str(b.key).startswith("pick.")]) == AT_ONCE
    at.button(key="gallery.more").click().run()
    assert len([b for b in at.button if str(b.key).startswith("pick.")]) == 2 * AT_ONCE
    at.text_input(key="gallery.words").set_value("moons").run()
    at.button(key="pick.moons").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert at.session_state["door"] == "Generate"
    assert any(n.label.startswith("Number of rows") for n in at.number_input)


@pytest.mark.parametrize(
    ("entry", "pairs"),
    [({"family": "data", "name": "three_blobs"}, "three_blobs"),
     ({"family": "source", "name": "moons"}, "moons")],
)  # fmt: skip
def test_a_data_set_is_opened_from_the_index(opened, entry, pairs):
    at = opened("data", **opening(entry))
    assert not at.exception and not at.error
    assert address(at)["data"] == pairs


def test_an_example_is_picked_and_named_in_the_address(opened):
    at = _page(opened, "Pick", data="three_blobs")
    next(b for b in at.button if b.key == "pick.elbow100").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["data"] == "elbow100"
    assert "Four blobs of 25 rows" in shown(at)


def test_an_example_opens_its_generator_and_changes_from_there(opened):
    at = _page(opened, "Generate", data="xor_features")
    assert address(at)["data"] == "xor_features"
    number = next(n for n in at.number_input if n.label.startswith("Weak columns"))
    assert number.value == 1
    number.set_value(3).run()
    assert not at.exception, at.exception[0].stack_trace
    source = at.session_state["mlscope"].states["data"].run.data.source
    assert (source.card.name, source.weak, source.irrelevant) == ("xor", 3, 2)
