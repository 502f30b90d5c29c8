"""Names above and below points, of which none lies on another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LETTER, LINE = 6.5, 15.0  # pixels of a letter's width and of a line's height
AWAY = 3.0  # pixels between a point and its name
LINES = (0, 1, -1, 2, -2)  # by which a name gives way, the nearest first


class Label(NamedTuple):
    """Where a name stands: its middle above or below which point, and by how many pixels higher.

    To the side of its point it would take twice the width of the picture.
    """

    index: int
    y_sign: int  # 1 above, -1 below
    shift: float  # pixels further up


class _Box(NamedTuple):
    left: float
    right: float
    low: float
    high: float

    def meets(self, other: _Box) -> bool:
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.high <= other.low or other.high <= self.low)


def labels(points: np.ndarray, names: tuple[str, ...], pixels: float) -> list[Label]:
    """Places for names away from the origin, the first points first; some find none.

    `points`, shape (k, 2), are in units of which one has so many `pixels` in the smallest picture.
    """
    placed: list[Label] = []
    taken: list[_Box] = []
    for index, (point, name) in enumerate(zip(points * pixels, names, strict=True)):
        for shift in LINES:
            label = Label(index, _sign(point[1]), shift * LINE)
            box = _box(point, label, name)
            if not any(box.meets(other) for other in taken):
                placed.append(label)
                taken.append(box)
                break
    return placed


def _sign(x: float) -> int:
    return 1 if x >= 0 else -1


def _box(point: np.ndarray, label: Label, name: str) -> _Box:
    half = 0.5 * LETTER * len(name)
    near = point[1] + label.y_sign * AWAY + label.shift
    far = near + label.y_sign * LINE
    return _Box(point[0] - half, point[0] + half, min(near, far), max(near, far))
