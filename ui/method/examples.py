"""Examples: presets that show a method well, or show it fail, behind one button."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlcore.spine import codec
from mlcore.spine.component import Component
from mlcore.spine.wording import typeset
from ui import controls
from ui.reading import pen


def examples(
    presets: Sequence[Any],
    use: Callable[[Any], None],
    order: Callable[[Any], Any] | None = None,
) -> None:
    """A popover with each preset and the sentence that says what it shows.

    `order` says of a preset where it stands. It is asked while they are seen alone: it may have to
    read every one of them.
    """
    if not presets:
        return
    place = controls.dropped_down("Examples", "lightbulb", "examples")
    if not place.open:
        return
    with place:
        for preset in sorted(presets, key=order) if order else presets:
            with pen().container(gap=None, key=f"example-{preset.name}"):
                key = f"preset.{preset.name}"
                pen().button(preset.title, type="tertiary", key=key, on_click=use, args=(preset,))
                pen().caption(typeset(preset.why))


def looked_at(preset: Any, view: Component) -> Component:
    """What of a page an example shows: its own view, else that of the page as it is."""
    if not preset.view:
        return view
    return codec.Reading(preset.view_pairs(), 1).component(type(view), "view.")
