"""Points that a person drew: they travel whole in the link."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.sources import Origin, Source
from mlcore.data.table import ColumnData, Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, text

MOST = 800  # points; a link with more would not pass every mail program
LONGEST = MOST * 8  # letters of them
CLASSES = "ABCDEFGH"
STEPS = 65535  # places along an axis, which goes from -1 to 1
_RECORD = np.dtype([("x", ">u2"), ("y", ">u2"), ("class", "u1")])


def packed(x: np.ndarray, y: np.ndarray, klass: np.ndarray) -> str:
    """Points as text: two coordinates of 16 bits and a class byte each, base64url.

    All have the shape (n,). x and y lie in [-1, 1]; what lies outside is moved to the edge. Classes
    count from 0.
    """
    records = np.empty(len(x), dtype=_RECORD)
    records["x"], records["y"] = _places(x), _places(y)
    records["class"] = klass
    return base64.urlsafe_b64encode(records.tobytes()).decode().rstrip("=")


def unpacked(points: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, y in [-1, 1] and class of each point, shape (n,). Raises ValueError for other text."""
    try:
        padded = points.encode("ascii") + b"=" * (-len(points) % 4)
        data = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("is not text that points were packed into") from None
    if len(data) % _RECORD.itemsize:
        raise ValueError("ends in the middle of a point")
    records = np.frombuffer(data, dtype=_RECORD)
    if len(records) > MOST:
        raise ValueError(f"has {len(records)} points; at most {MOST} can be drawn")
    if (records["class"] >= len(CLASSES)).any():
        raise ValueError(f"has a class beyond {CLASSES[-1]}")
    return _coordinates(records["x"]), _coordinates(records["y"]), records["class"].astype(np.int64)


def _places(values: np.ndarray) -> np.ndarray:
    return np.round((np.clip(values, -1.0, 1.0) + 1.0) / 2 * STEPS)


def _coordinates(places: np.ndarray) -> np.ndarray:
    return np.round(places / STEPS * 2 - 1, 4)


def _sketch() -> str:
    """Two crescents that no straight line parts: what an empty pad would only promise."""
    angle = np.linspace(0.1, np.pi - 0.1, 14)
    wobble = 0.06 * np.cos(9 * angle)
    x = np.concatenate([0.55 * np.cos(angle) - 0.2, 0.2 - 0.55 * np.cos(angle)])
    y = np.concatenate([0.6 * np.sin(angle) - 0.1 + wobble, 0.1 - 0.6 * np.sin(angle) + wobble])
    return packed(x, y, np.repeat([0, 1], len(angle)))


@enter(Card("drawn", "Drawn points", ("source",), kind="data"))
@dataclass(frozen=True, kw_only=True)
class Drawn(Source):
    """Points set by hand in the square from -1 to 1, each with a class.

    Shows what a method does with the case that you have in mind: a gap, a bridge, one stray point.
    With the height as target the points are rows of a regression along the horizontal axis.
    """

    points: str = text(
        _sketch(),
        longest=LONGEST,
        doc="The points, five bytes each, in base64url.",
    )
    target: str = choice(
        "class",
        "class",
        "height",
        label="To be predicted",
        doc="The class of a point, or its height over the horizontal axis.",
    )

    def conflict(self) -> str | None:
        """Refuse text that holds no points."""
        try:
            unpacked(self.points)
        except ValueError as problem:
            return f"{self.title()}: points {problem}. Draw them anew."
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The points in the order of drawing. Raises DataError if there are none."""
        x, y, klass = unpacked(self.points)
        if not len(x):
            raise DataError("Nothing is drawn yet. Set some points on the pad of the Data page.")
        place = numeric("x1", x), numeric("x2", y)
        if self.target == "height":
            return Origin(Table.of(*place), self.title(), "x2")
        used, codes = np.unique(klass, return_inverse=True)
        levels = tuple(CLASSES[k] for k in used)
        kind = "binary" if len(levels) == 2 else "nominal"
        return Origin(
            Table.of(*place, ColumnData("class", kind, codes, levels)), self.title(), "class"
        )
