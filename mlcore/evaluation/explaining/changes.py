"""The smallest change of one or two values of a row that changes what is decided about it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mlcore.evaluation.explaining.effects import grid_of
from mlcore.evaluation.explaining.nearness import Scale
from mlcore.spine.records import function

ALONE, TOGETHER = 41, 15  # values of a variable that are tried alone, and beside another one
MOST_PAIRED = 8  # variables that are tried in pairs: those that move the prediction most alone
HALVINGS = 12  # of the way from the row to a change that was found
MOST_MOVED = 8  # of the changes that were found
MOST_SHOWN = 3
WORTH_A_PAIR = 0.95  # of the size of each variable alone: a pair must be smaller than that
DIGITS = 3  # of a standard deviation to which values are rounded, away from the row


class Change(NamedTuple):
    """New values of one or two variables with which the decision differs."""

    columns: tuple[int, ...]
    values: tuple[float, ...]
    size: float  # in standard deviations, another name counts as 1


class Space(NamedTuple):
    """Where changes are looked for."""

    X: np.ndarray  # (n, p) training rows: no value outside their range is tried
    scale: Scale
    is_whole: np.ndarray  # (p,) columns in which only values that occur make sense


@function(
    "smallest_change", title="Smallest change", synonyms=("counterfactual", "counterfactuals")
)
def smallest_changes(
    row: np.ndarray,
    space: Space,
    differs: Callable[[np.ndarray], np.ndarray],
    pull: Callable[[np.ndarray], np.ndarray],
) -> tuple[Change, ...]:
    """At most three changes of one or two variables after which `differs`, the smallest first.

    `differs(rows)` says whether the decision is another one, shape (m,), `pull(rows)` how far the
    prediction has moved, by which the variables that are tried in pairs are chosen. Values on a
    grid inside the range of the training rows are tried; then the way from the row to the nearest
    that was found is halved. Wachter, Mittelstadt and Russell (2018), Harvard Journal of Law and
    Technology 31.
    """
    candidates, moved = [], []
    for j in range(len(row)):
        rows = _grid(row, space, (j,), ALONE)
        moved.append(float(pull(rows).max(initial=0.0)))
        candidates += _nearest(row, rows, (j,), space, differs)
    strongest = sorted(np.argsort(moved)[::-1][:MOST_PAIRED])
    for pair in combinations((int(j) for j in strongest), 2):
        candidates += _nearest(row, _grid(row, space, pair, TOGETHER), pair, space, differs)
    return _few(sorted(candidates, key=lambda change: change.size))


def _grid(row: np.ndarray, space: Space, columns: tuple[int, ...], points: int) -> np.ndarray:
    """The row with every combination of values of these columns, without itself."""
    axes = [_values(space, j, points) for j in columns]
    combined = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], axis=1)
    rows = np.repeat(row[None], len(combined), axis=0)
    rows[:, columns] = combined
    return rows[(rows[:, columns] != row[list(columns)]).all(axis=1)]


def _values(space: Space, j: int, points: int) -> np.ndarray:
    """Values of a column that are tried; of many that must occur, some that do."""
    values = space.X[:, j]
    if not (space.is_whole[j] or space.scale.is_name[j]):
        return grid_of(values, points)
    distinct = np.unique(values[~np.isnan(values)])
    return distinct[np.unique(np.linspace(0, len(distinct) - 1, points).round().astype(int))]


def _nearest(
    row: np.ndarray,
    rows: np.ndarray,
    columns: tuple[int, ...],
    space: Space,
    differs: Callable[[np.ndarray], np.ndarray],
) -> list[Change]:
    """The smallest of these changes that makes a difference, moved as near as it still does.

    Several that were found are moved, because a grid is coarse: the nearest need not end nearest.
    """
    rows = rows[differs(rows)] if len(rows) else rows
    if not len(rows):
        return []
    order = np.argsort([_size(row, other, columns, space) for other in rows], kind="stable")
    there = rows[order[:MOST_MOVED]]
    fixed = space.scale.is_name | space.is_whole | np.isnan(row)
    free = [j for j in columns if not fixed[j]]
    ends = _rounded(row, _halved(row, there, free, differs), free, space, differs)
    sizes = [_size(row, end, columns, space) for end in ends]
    best = int(np.argmin(sizes))
    return [Change(columns, tuple(ends[best, list(columns)].tolist()), sizes[best])]


def _halved(
    row: np.ndarray,
    there: np.ndarray,
    free: list[int],
    differs: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Rows, (m, p), moved towards a row in their `free` columns as far as they still differ."""
    near, far = np.zeros(len(there)), np.ones(len(there))
    for _ in range(HALVINGS if free else 0):
        middle = (near + far) / 2
        does = differs(_on_the_way(row, there, free, middle))
        near, far = np.where(does, near, middle), np.where(does, middle, far)
    return _on_the_way(row, there, free, far)


def _rounded(
    row: np.ndarray,
    ends: np.ndarray,
    free: list[int],
    space: Space,
    differs: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Rows with numbers that can be read, a step farther away, where they still differ so."""
    short = ends.copy()
    for j in free:
        places = DIGITS - 1 - int(np.floor(np.log10(space.scale.units[j])))
        away, step = np.sign(ends[:, j] - row[j]), 10.0**-places
        low, high = np.nanmin(space.X[:, j]), np.nanmax(space.X[:, j])
        farther = np.where(away > 0, np.ceil(ends[:, j] / step), np.floor(ends[:, j] / step))
        # Rounding in decimals: a multiple of 0.1 in binary is 18.700000000000003.
        short[:, j] = np.clip(np.round(farther * step, max(places, 0)), low, high)
    return np.where(differs(short)[:, None], short, ends) if free else ends


def _on_the_way(
    row: np.ndarray, there: np.ndarray, free: list[int], share: np.ndarray
) -> np.ndarray:
    between = there.copy()
    between[:, free] = row[free] + share[:, None] * (there[:, free] - row[free])
    return between


def _size(row: np.ndarray, other: np.ndarray, columns: tuple[int, ...], space: Space) -> float:
    """How large a change is: standard deviations, 1 for another name or in place of none."""
    total = 0.0
    for j in columns:
        is_step = space.scale.is_name[j] or np.isnan(row[j])
        total += float(row[j] != other[j]) if is_step else (
            float(other[j] - row[j]) / float(space.scale.units[j])) ** 2  # fmt: skip
    return float(np.sqrt(total))


def _few(changes: list[Change]) -> tuple[Change, ...]:
    """The smallest ones; a pair only where it is clearly smaller than each of its variables alone.

    Else one of the two would be changed by next to nothing.
    """
    alone = {c.columns[0]: WORTH_A_PAIR * c.size for c in changes if len(c.columns) == 1}
    kept = [
        c for c in changes
        if len(c.columns) == 1 or all(c.size < alone.get(j, np.inf) for j in c.columns)
    ]  # fmt: skip
    return tuple(kept[:MOST_SHOWN])
