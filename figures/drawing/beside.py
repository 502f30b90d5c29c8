"""Names beside marks that may move, each on a side where no other name stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

# Pixels of a usual picture, of a letter and a line of the names, and between these and a mark.
ACROSS, HIGH, LETTER, LINE, GAP = 480.0, 330.0, 8.0, 14.0, 5.0
SIDES = {
    "top center": (0, 1), "middle right": (1, 0), "middle left": (-1, 0), "bottom center": (0, -1),
}  # fmt: skip
OVER = 32.0  # pixels that a name may reach to the left of all marks where it can stand elsewhere


def sides(
    x: np.ndarray,
    y: np.ndarray,
    names: Sequence[str],
    order: Iterable[int],
    size: tuple[float, float] = (ACROSS, HIGH),
    clear: float = 0.0,
) -> list[str]:
    """On which side of its mark each name stands: where none of an earlier one does, else above.

    `order` are the marks that have a name, in their order; `size` is that of the picture in pixels,
    `clear` the radius around every mark that no name covers, where there is another place.
    """
    at = np.column_stack([_across(v, pixels) for v, pixels in zip((x, y), size, strict=True)])
    chosen, taken_by = ["top center"] * len(x), np.empty((0, 4))
    if clear:
        taken_by = np.hstack([at - clear, at + clear])
    for k in order:
        wide = LETTER * len(names[k])
        half = np.array([wide / 2, LINE / 2])
        free = {}
        for side, (right, up) in SIDES.items():
            middle = at[k] + (right * (wide / 2 + GAP), up * (LINE / 2 + GAP))
            box = np.concatenate([middle - half, middle + half])
            if not ((box[:2] < taken_by[:, 2:]) & (taken_by[:, :2] < box[2:])).all(axis=1).any():
                free[side] = box
        if free:
            chosen[k] = _best(free)
            taken_by = np.vstack([taken_by, free[chosen[k]]])
    return chosen


def _best(free: dict[str, np.ndarray]) -> str:
    """The first side whose box, (left, bottom, right, top), does not reach into the numbers of the
    axis on the left; the first of all where there is none.
    """
    return next((side for side, box in free.items() if box[0] >= -OVER), next(iter(free)))


def _across(values: np.ndarray, pixels: float) -> np.ndarray:
    """Where values stand on an axis of so many pixels, (n,)."""
    spread = float(np.ptp(values)) if len(values) else 0.0
    return (values - values.min()) * (pixels / spread) if spread else np.zeros(len(values))
