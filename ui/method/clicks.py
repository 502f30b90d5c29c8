"""What a click on a mark does that stands for no row: open a thing, take over a setting."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from figures.drawing.marks import marked, number_of
from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.runs.run import Run
from mlcore.spine.errors import ParamError
from mlcore.spine.params import params_of
from ui import selection, state
from ui.method import options
from ui.method.panels import open_view


def follow(run: Run, dataset: Dataset) -> None:
    """Do what was clicked on, before anything is drawn; the page then begins afresh."""
    things = {number: marked(dataset, number) for number in selection.selected()}
    done = {kind: k for kind, k in filter(None, things.values()) if kind in DOES}
    if not done:
        return
    selection.answer(number for number, thing in things.items() if thing is None)
    for kind, k in done.items():
        with suppress(ParamError):  # a number that cannot be set is none of the picture
            DOES[kind](run, k)
    state.rerun()


def _open(view: str, option: str, value: Callable[[int], int | None]) -> Callable[[Run, int], None]:
    """Look at thing k in a view, by this option of it."""

    def opened(run: Run, k: int) -> None:
        entry = views()[view]
        # pyrefly: ignore[not-callable]  # it has some
        chosen: Any = options.of(open_view(), view) or entry.options()
        options.choose(entry, replace(chosen, **{option: value(k)}))

    return opened


def _take(setting: str, value: Callable[[int], Any]) -> Callable[[Run, int], None]:
    """Take thing k over as this setting, where the method has it."""

    def take(run: Run, k: int) -> None:
        if setting in params_of(type(run.method)):
            state.change(method=replace(run.method, **{setting: value(k)}))

    return take


DOES = {
    "sequence": _open("opened_sequence", "sequence", lambda k: k + 1 if k else None),
    "unit": _open("pinned_unit", "unit", int),
    "states": _take("n_states", int),
    "radius": _take("eps", number_of),
}
