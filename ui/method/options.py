"""What may be chosen of a picture: its control beside the heading, its place in the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from figures.options import Look, Offered, Options, Values, settled, values
from figures.view import Entry, optional
from mlcore.spine.component import Component
from ui import controls, state
from ui.reading import pen


def of(view: Any, name: str) -> Options | None:
    """The options of one picture, or None where nothing was chosen."""
    return dict(getattr(view, "options", ())).get(name)


def look(view: Any, offered: Offered) -> Look:
    """How all pictures of a view are looked at, for a report."""
    return Look(offered["axes"], dict(getattr(view, "options", ())))


def control(entry: Entry, view: Any, several: Sequence[Offered]) -> Options | None:
    """The options of a picture as its control says; what was changed goes into the address.

    `several` is what is offered to the picture: once, or for each method of a comparison, which
    share their options. What none of them allows has no control.
    """
    if entry.options is None:
        return None
    chosen = of(view, entry.record.name) or entry.options()
    available = _joined([values(entry.options, offered) for offered in several])
    allowed = {name: them for name, them in available.items() if them is None or len(them) > 1}
    if not allowed:
        return chosen
    path = f"view.{entry.record.name}"
    place = pen().popover(
        "Options", icon=":material/tune:", type="tertiary", key=state.key(path),
        on_change=state.moved,
    )  # fmt: skip
    if not place.open:
        return chosen
    start = settled(chosen, several[0])[0] if len(several) == 1 else chosen
    titles = {name: dict(them) for name, them in allowed.items() if them is not None}
    with place:
        options: Any = controls.form(entry.options, start, path, only=tuple(allowed), titles=titles)
    if options != start:
        choose(entry, options)
    return options if options != start else chosen


def _joined(every: list[dict[str, Values]]) -> dict[str, Values]:
    """What any of several pictures allows."""
    joined: dict[str, Values] = {}
    for name in every[0]:
        each = [one_view[name] for one_view in every]
        union = {value: title for them in each for value, title in (them or {}).items()}
        joined[name] = None if None in each else union
    return joined


def choose(entry: Entry, options: Options) -> None:
    """Put what was chosen into the address: of this picture, or of all that have it in common."""
    if not type(options).is_common:
        _publish({entry.record.name: options})
        return
    _publish(_in_common(options))
    state.rerun()  # some of them stand above this one and are drawn already


def _in_common(options: Options) -> dict[str, Options]:
    """The same choice for all pictures that have it: of this kind, and of kinds with more or less
    to choose, which keep what else was chosen of them."""
    session = state.session()
    others = _of_all(session.states[session.here].view)
    chosen: dict[str, Options] = {}
    for name, kind in optional().items():
        if kind.is_common and (isinstance(options, kind) or issubclass(kind, type(options))):
            own = {f.name for f in fields(kind)} & {f.name for f in fields(options)}
            same: Any = {field: vars(options)[field] for field in own}
            chosen[name] = replace(others.get(name, kind()), **same)
    return chosen


def _of_all(view: Component) -> dict[str, Options]:
    """What was chosen of the pictures of a page, by their names."""
    return dict(getattr(view, "options", ()))


def _publish(chosen: Mapping[str, Options]) -> None:
    """Put the options of pictures into the address of the page that is open."""
    session = state.session()
    now = session.states[session.here]
    view: Component = now.view
    others = _of_all(view)
    changed: Any = {"options": tuple({**others, **chosen}.items())}
    state.publish(session.here, replace(now, view=replace(view, **changed)))
