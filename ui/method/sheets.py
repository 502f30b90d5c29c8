"""Pictures as the browser gets them, kept while what they are drawn from is there.

A picture takes ten milliseconds to draw and a page has ten of them, in every run of its script.
What it shows follows from what it is drawn from, and that never changes. So the text of a picture
is kept under these very objects, never under a name or a digest of theirs: whoever asks for it
holds them already. When one of them goes, so does the picture.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from figures.options import Axes, Options
from figures.recording import Recording
from figures.view import Entry, Press, TableColumn, View
from ui.components.picture import written

SIZE = 64 * 2**20  # characters of all that are kept; a picture is a few thousand to some millions
HEIGHT = 420


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A picture as text, with its words; `player` makes a recording of what it is drawn from."""

    title: str
    note: str
    reading: str
    problems: tuple[str, ...]
    offer: tuple[str, ...]
    presses: tuple[Press, ...]
    figure: str
    table: str
    height: int
    is_stepped: bool  # whether the steps of a fit change it
    player: Callable[[], Recording] | None

    @property
    def size(self) -> int:
        """How many characters it is."""
        return len(self.figure) + len(self.table) + len(self.reading)


def sheet_of(drawn: View) -> Sheet:
    """The picture of a view."""
    figure: Any = drawn.figure
    return Sheet(
        title=drawn.title,
        note=drawn.note,
        reading=drawn.reading,
        problems=drawn.problems,
        offer=drawn.offer,
        presses=drawn.presses,
        figure=figure.to_json(),
        table=written({column.name: _values(column) for column in drawn.table}),
        height=int(figure.layout.height or HEIGHT),
        is_stepped=drawn.step is not None,
        player=drawn.player,
    )


def _values(column: TableColumn) -> Any:
    """As pandas has them, which finds out whether texts or numbers are meant."""
    values = column.values
    is_plain = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iuf"
    return values if is_plain else pd.Series(list(values))


def sheet(
    entry: Entry, offered: Mapping[str, Any], chosen: Options | None, make: Callable[[], View]
) -> Sheet:
    """The picture of an entry from what is offered, as `make` draws it where it is not known."""
    chosen = chosen or (entry.options() if entry.options else None)
    chosen_here = (entry.make, chosen, tuple(offered), offered.get("axes"))
    things = tuple(it for it in offered.values() if not isinstance(it, Axes | int | None))
    key = (chosen_here, tuple(it for it in offered.values() if isinstance(it, int)))
    known = _KEPT.get(key, things)
    if known is None:
        known = sheet_of(make())
        _KEPT.put(key, things, known)
    # Its own would hold whatever it was drawn from.
    return replace(known, player=known.player and (lambda: _recording(make())))


def _recording(drawn: View) -> Recording:
    if drawn.player is None:
        raise TypeError(f"The view {drawn.name!r} had a player when it was drawn first.")
    return drawn.player()


def _none() -> Recording:
    """Stands for a player in a picture that is kept."""
    raise TypeError("The player of a picture that is kept is made anew when it is asked for.")


class Kept:
    """Pictures by what they are drawn from; the one unused for longest goes first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.used = 0
        self._entries: OrderedDict[Any, tuple[tuple[weakref.ref, ...], Sheet]] = OrderedDict()
        self._lock = threading.RLock()  # again in the same thread, where a drop lets another go

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Any, things: tuple[Any, ...]) -> Sheet | None:
        """The picture of exactly these things, if it is kept."""
        where = (key, tuple(map(id, things)))
        with self._lock:
            refs, known = self._entries.get(where, ((), None))
            # Another thing may have the number of one that is gone.
            if known is None or any(ref() is not it for ref, it in zip(refs, things, strict=True)):
                return None
            self._entries.move_to_end(where)
            return known

    def put(self, key: Any, things: tuple[Any, ...], picture: Sheet) -> None:
        """Keep a picture while all the things are there; not one that would fill an eighth."""
        if picture.size > self.size / 8 or not all(type(it).__weakrefoffset__ for it in things):
            return
        where = (key, tuple(map(id, things)))
        refs = tuple(weakref.ref(it, lambda _: self._drop(where)) for it in things)
        with self._lock:
            self._drop(where)
            while self._entries and self.used + picture.size > self.size:
                self._drop(next(iter(self._entries)))
            self._entries[where] = refs, replace(picture, player=picture.player and _none)
            self.used += picture.size

    def _drop(self, where: Any) -> None:
        with self._lock:
            if where in self._entries:
                self.used -= self._entries.pop(where)[1].size


_KEPT = Kept(SIZE)
