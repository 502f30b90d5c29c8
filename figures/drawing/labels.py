"""Names above and below points, of which none lies on another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LETTER, LINE = 6.5, 15.0  # pixels of a letter's width and of a line's height
AWAY = 3.0  # pixels between a point and its name
TIP = AWAY  # pixels around a point that no name covers
LINES = (0, 1, 2)  # by which a name gives way, away from the origin
SIZES = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)  # of the smallest picture
FLAT = 0.25  # rise of an arrow from the origin under which a name fits on its other side too


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

    No name lies on another, or on a point: back towards the origin it would lie on its own arrow.
    `points`, shape (k, 2), are in units of which one has so many `pixels` in the smallest picture;
    a larger one moves the points apart, but not a name from its point.
    """
    placed: list[Label] = []
    sizes = [points * (pixels * size) for size in SIZES]
    tips = [[_Box(x - TIP, x + TIP, y - TIP, y + TIP) for x, y in size] for size in sizes]
    taken: list[list[_Box]] = [[] for _ in sizes]
    for index, name in enumerate(names):
        others = [[*t, *of[:index], *of[index + 1 :]] for t, of in zip(taken, tips, strict=True)]
        for label in _places(index, points[index] * pixels):
            boxes = [_box(size[index], label, name) for size in sizes]
            if not any(box.meets(b) for box, o in zip(boxes, others, strict=True) for b in o):
                placed.append(label)
                for boxes_of_size, box in zip(taken, boxes, strict=True):
                    boxes_of_size.append(box)
                break
    return placed


def _places(index: int, point: np.ndarray) -> list[Label]:
    """Where a name may stand, the best first."""
    out = _sign(point[1])
    places = [Label(index, out, out * lines * LINE) for lines in LINES]
    is_flat = abs(point[1]) <= FLAT * abs(point[0])
    return [places[0], *([Label(index, -out, 0.0)] if is_flat else []), *places[1:]]


def _sign(x: float) -> int:
    return 1 if x >= 0 else -1


def _box(point: np.ndarray, label: Label, name: str) -> _Box:
    half = 0.5 * LETTER * len(name)
    near = point[1] + label.y_sign * AWAY + label.shift
    far = near + label.y_sign * LINE
    return _Box(point[0] - half, point[0] + half, min(near, far), max(near, far))
