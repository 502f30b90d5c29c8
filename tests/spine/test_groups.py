"""Components by name inside another one, in links and as values."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from mlcore.spine import codec
from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.groups import group
from mlcore.spine.params import integer


@dataclass(frozen=True, kw_only=True)
class Dots(Component):
    """What is grouped."""

    size: int = integer(3, low=1, soft=(1, 9), doc="Size.")


@dataclass(frozen=True, kw_only=True)
class Page(Component):
    """What holds the group."""

    zoom: int = integer(1, soft=(1, 9), doc="Zoom.")
    looks: tuple[tuple[str, Dots], ...] = group(known=lambda: {"a": Dots, "b": Dots}, doc="Looks.")


def test_only_what_differs_is_held_in_order_and_survives_a_link():
    page = Page(looks=(("b", Dots(size=5)), ("a", Dots(size=4))))
    assert page == Page(looks=(("a", Dots(size=4)), ("b", Dots(size=5))))
    assert Page(looks=(("a", Dots()),)) == Page()
    pairs = codec.flatten(page)
    assert pairs == {"a.size": "4", "b.size": "5"}
    assert codec.Reading(pairs, 1).component(Page) == page


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ({"a.size": "0"}, "a.size must be at least 1"),
        ({"a.size": "x"}, "a.size cannot be read from 'x'"),
        ({"a.hue": "1"}, "'a.hue' belongs to nothing"),
        ({"c.size": "1"}, "'c.size' belongs to nothing"),
    ],
)
def test_what_is_wrong_in_a_link_is_a_sentence(pairs, says):
    reading = codec.Reading(pairs, 1)
    assert reading.component(Page) == Page()
    assert says in " ".join([*reading.problems, *reading.unread()])


@pytest.mark.parametrize("pair", [("c", Dots()), ("a", Page())])
def test_components_of_other_classes_are_refused(pair):
    with pytest.raises(ParamError, match="must hold components of the classes that are known"):
        Page(looks=(pair,))
