"""Names beside marks that may move, each on a side where no other name stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

# Pixels of a usual picture, of a letter and a line of the names, and between these and a mark.
ACROSS, HIGH, LETTER, LINE, GAP = 480.0, 330.0, 8.0, 14.0, 5.0
SIDES = {
    "top center": (0, 1), "middle right": (1, 0), "middle left": (-1, 0), "bottom center": (0, -1),
    "top right": (1, 1), "bottom right": (1, -1), "top left": (-1, 1), "bottom left": (-1, -1),
}  # fmt: skip
OVER = 32.0  # pixels that a name may reach to the left of all marks for nothing
HIDDEN = 4.0  # times as bad as on a name it is to lie on a mark or an axis
FAR = 1e9  # where nothing is
SWEEPS = 4  # over the names that lie on something, once all have their first place,
MANY = 200  # but of more names than these, which cover each other anyway, none has a second


def sides(
    x: np.ndarray,
    y: np.ndarray,
    names: Sequence[str],
    order: Iterable[int],
    size: tuple[float, float] = (ACROSS, HIGH),
    clear: float = 0.0,
) -> list[str]:
    """On which side of its mark each name stands: where it covers least, of equals the first.

    Names take their places in `order`, which are the marks that have one, or backwards if that
    ends better; then each that lies on something moves to where it covers less, while there is such
    a place. `size` is that between the outermost marks in pixels, `clear` the radius around every
    mark that is not to be covered.
    """
    at = np.column_stack([_across(v, pixels) for v, pixels in zip((x, y), size, strict=True)])
    marks = np.hstack([at - clear, at + clear]) if clear else np.empty((0, 4))
    named = list(order)
    boxes = np.array([_boxes(at[k], LETTER * len(names[k])) for k in named]).reshape(-1, 8, 4)
    alone = np.array([HIDDEN * (_covered(own, marks) + _over_axis(own)) for own in boxes])
    forth = range(len(named))
    ways = [_placed(boxes, alone, forth)]
    if ways[0][1] and len(named) <= MANY:
        ways.append(_placed(boxes, alone, forth[::-1]))
    placed = dict(zip(named, min(ways, key=lambda way: way[1])[0], strict=True))
    kinds = list(SIDES)
    return [kinds[placed.get(k, 0)] for k in range(len(x))]


def _placed(boxes: np.ndarray, alone: np.ndarray, order: Sequence[int]) -> tuple[list[int], float]:
    """The side of each name, (m,), where no other is better while the rest stay, begun in this
    order, and what they cover together; of `boxes` (m, 8, 4), which cover `alone` (m, 8) by
    themselves.
    """
    at, cost = [-1] * len(order), np.zeros(len(order))
    taken, near = np.full((len(order), 4), FAR), _near(boxes)
    for _ in range(1 + SWEEPS * (len(order) <= MANY)):
        before = at.copy()
        for k in order:
            taken[k] = FAR
            costs = alone[k] + _covered(boxes[k], taken[near[k]])
            if at[k] < 0 or costs.min() < costs[at[k]]:
                at[k] = int(costs.argmin())
            taken[k], cost[k] = boxes[k, at[k]], costs[at[k]]
        if at == before:
            break
    return at, float(cost.sum())


def _near(boxes: np.ndarray) -> list[np.ndarray]:
    """The names that each could lie on, wherever both stand; of `boxes` (m, 8, 4)."""
    low, high = boxes[..., :2].min(axis=1), boxes[..., 2:].max(axis=1)
    return [np.flatnonzero(((a < high) & (low < b)).all(axis=1)) for a, b in zip(low, high)]


def _boxes(at: np.ndarray, wide: float) -> np.ndarray:
    """Where a name so wide stands on each side of a mark: left, bottom, right, top, (8, 4)."""
    half = np.array([wide / 2, LINE / 2])
    middles = at + np.array(list(SIDES.values())) * (half + GAP)
    return np.hstack([middles - half, middles + half])


def _covered(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """How much of the others each box covers, in square pixels, (8,)."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return (high - low).clip(min=0).prod(axis=2).sum(axis=1)


def _over_axis(boxes: np.ndarray) -> np.ndarray:
    """How much of each box reaches into the numbers of the axis on the left, (8,)."""
    return LINE * (-OVER - boxes[:, 0]).clip(min=0)


def _across(values: np.ndarray, pixels: float) -> np.ndarray:
    """Where values stand on an axis of so many pixels, (n,)."""
    spread = float(np.ptp(values)) if len(values) else 0.0
    return (values - values.min()) * (pixels / spread) if spread else np.zeros(len(values))
