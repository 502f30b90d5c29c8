"""Examples on the Data page: picked group by group, opened by link, taken further as a recipe."""

from __future__ import annotations

from mlcore.data import bundled
from mlcore.data.examples import groups
from mlcore.data.sources import Bundled
from tests.pages.conftest import address, shown


def _page(opened, door: str, **pairs: str):
    at = opened("data", **pairs)
    at.session_state["door"] = door
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def test_a_link_to_an_example_shows_it_among_its_group(opened):
    at = _page(opened, "Pick", data="three_blobs")
    cards = {item.value for item in at.markdown}
    first = groups()["Groups"]
    assert {entry.shows for entry in first} <= cards
    assert not {entry.shows for entry in bundled.files()} & cards
    assert at.session_state["mlscope"].states["data"].run.data.source == Bundled(name="three_blobs")


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
