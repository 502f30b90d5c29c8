"""Where rows that a method sees lie in a picture: in the plane of two columns, or of the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from figures.numbers.clouds import absent
from figures.numbers.planes import (
    CELLS,
    Axis,
    Plane,
    boxed,
    is_even,
    places,
    plane,
    reaching,
    span,
)
from mlcore.data.dataset import Dataset
from mlcore.maths.linear import scatter, signed
from mlcore.preparation.chain import Prepared
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

MOST_SLICED = 8  # columns up to which two of them show what a classifier does
RIDGE = 1e-3  # of the mean variance within the classes
EXACT = (
    1e-8  # of its standard deviation: how far a column may lie from a straight line of its original
)


class Projection(NamedTuple):
    """A picture's plane, the rows in it, and the way there for prepared rows."""

    plane: Plane
    cells: np.ndarray  # (b * a, q) prepared rows of the cells
    x: np.ndarray  # (n,)
    y: np.ndarray  # (n,)
    origin: np.ndarray | None  # (q,) the prepared row that lies at (0, 0) ...
    axes: np.ndarray | None  # (2, q) ... and what is added up on the way from it; None: no way
    is_geometric: bool  # whether distances in the picture are distances for the method
    how: str  # what is shown and what is not, in sentences; empty for columns without gaps

    @property
    def here(self) -> np.ndarray:
        """Which rows lie somewhere on both axes, (n,); the others are in no picture."""
        return np.isfinite(self.x) & np.isfinite(self.y)

    def place(self, Z: np.ndarray) -> np.ndarray | None:
        """Prepared rows in the picture, shape (m, 2); None where the columns give no way there."""
        if self.axes is None or self.origin is None:
            return None
        return (Z - self.origin) @ self.axes.T


def spread_projection(
    dataset: Dataset,
    whole: Whole,
    x: str = "",
    y: str = "",
    around: Callable[[Projection], np.ndarray] | None = None,
) -> Projection:
    """The plane of columns x and y, where given or where there are no more than two.

    Otherwise the plane through the mean in which the prepared rows spread most. `around` gives
    places, (m, 2), that the axes hold beside the rows: at most a range of these beyond each end.
    """
    shown = _spread_projection(dataset, whole, x, y, None)
    if around is None or shown.plane.y is None:
        return shown
    at = around(shown)
    ends = np.array([[a.cells[0], a.cells[-1]] for a in (shown.plane.x, shown.plane.y)]).T
    if ((np.nanmin(at, axis=0) >= ends[0]) & (np.nanmax(at, axis=0) <= ends[1])).all():
        return shown
    reach = ends[1] - ends[0]
    return _spread_projection(dataset, whole, x, y, np.clip(at, ends[0] - reach, ends[1] + reach))


def _spread_projection(
    dataset: Dataset, whole: Whole, x: str, y: str, around: np.ndarray | None
) -> Projection:
    if x or y or whole.prepared.X.shape[1] <= 2:
        return of_columns(dataset, whole.prepared, x, y, square=True, around=around)
    Z = whole.prepared.transform(dataset.X)
    directions, shares = _widest(_complete(Z))
    how = (
        "The plane through the mean in which the prepared rows spread most; it holds "
        f"{100 * shares.sum():.0f} % of their variance."
    )
    names = [f"direction {k + 1} ({100 * share:.0f} %)" for k, share in enumerate(shares)]
    return _of_directions(Z, directions, names, how, square=True, around=around)


def _complete(Z: np.ndarray) -> np.ndarray:
    """The rows of Z, shape (n, q), that lack no value: a plane through all columns holds these."""
    rows = Z[np.isfinite(Z).all(axis=1)]
    if len(rows) < 2:
        raise DataError(
            "Fewer than two rows have all their values, so no plane through all columns holds "
            "them. Choose two columns."
        )
    return rows


def _widest(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two directions of largest spread, shape (2, q), and their shares of the variance."""
    n, q = Z.shape
    mean = Z.mean(axis=0)
    if n < q:
        _, sizes, directions = np.linalg.svd(Z - mean, full_matrices=False)
        return directions[:2], sizes[:2] ** 2 / ((sizes**2).sum() or 1.0)
    # Squares lose digits that no picture shows, and are ten times as quick for many rows.
    S = scatter(Z, mean)
    spreads, vectors = eigh(S, subset_by_index=[q - 2, q - 1])
    return vectors.T[::-1], np.maximum(spreads[::-1], 0.0) / (np.trace(S) or 1.0)


def class_projection(
    dataset: Dataset, whole: Whole, x: str = "", y: str = "", others: str = "follow"
) -> Projection:
    """The plane of columns x and y, where given or where there are no more than eight columns.

    Otherwise the plane through the mean in which the classes lie farthest apart.
    """
    if x or y or len(dataset.columns) <= MOST_SLICED:
        return of_columns(dataset, whole.prepared, x, y, others)
    Z = whole.prepared.transform(dataset.X)
    whole_rows = np.isfinite(Z).all(axis=1)
    directions = _fisher(_complete(Z), np.asarray(dataset.y)[whole_rows])
    how = (
        "Direction 1 is the one in which the classes lie farthest apart (Fisher), direction 2 the "
        "next; all else goes with them as it does on average in the rows. The plane holds "
        f"{100 * _share(Z[whole_rows], directions):.0f} % of the variance of the prepared rows."
    )
    return _of_directions(Z, directions, ["direction 1", "direction 2"], how)


def of_columns(
    dataset: Dataset,
    prepared: Prepared,
    x: str = "",
    y: str = "",
    others: str = "follow",
    *,
    square: bool = False,
    around: np.ndarray | None = None,
) -> Projection:
    """The plane of columns x and y in the units of the data; with `square` on one scale.

    With `around`, places (m, 2), these lie within its axes too.
    """
    flat = plane(dataset, x, y, others, square=square, around=around)
    across, up = places(dataset, flat.x), places(dataset, flat.y)
    shown = [a for a in (flat.x, flat.y) if a is not None]
    ways = [way for a in shown if (way := straight_way(dataset, prepared, a)) is not None]
    origin, axes = None, None
    if len(ways) == len(shown):
        q = prepared.X.shape[1]
        origin, axes = np.zeros(q), np.zeros((2, q))
        for row, (at, scale, shift) in enumerate(ways):
            axes[row, at], origin[at] = scale, -shift / scale
    cells = prepared.transform(flat.rows)
    spans = [(float(a.cells[0]), float(a.cells[-1])) for a in shown]
    even = square and len(shown) == 2 and is_even(dataset, [a.at for a in shown], spans)
    without = ~(np.isfinite(across) & np.isfinite(up))
    lacking = [a.column.name for a in shown if np.isnan(dataset.X[without, a.at]).any()]
    how = f"{flat.fixed} {absent(int(without.sum()), lacking)}".strip()
    return Projection(flat, cells, across, up, origin, axes, even, how)


def straight_way(
    dataset: Dataset, prepared: Prepared, axis: Axis
) -> tuple[int, float, float] | None:
    """Prepared column, scale and shift that give back an original column, if any does exactly."""
    name = axis.column.name
    columns = [j for j, c in enumerate(prepared.columns) if c.variable == name]
    if len(columns) != 1:
        return None
    way = straight(dataset.X[:, axis.at], prepared.transform(dataset.X)[:, columns[0]])
    return None if way is None else (columns[0], *way)


def straight(original: np.ndarray, z: np.ndarray) -> tuple[float, float] | None:
    """Scale and shift that give back values, (n,), from what became of them, (n,), if any do."""
    seen = np.isfinite(original)
    if seen.sum() < 2 or np.ptp(z[seen]) == 0.0:
        return None
    scale, shift = np.polyfit(z[seen], original[seen], 1)
    off = np.abs(original[seen] - (scale * z[seen] + shift)).max()
    exact = scale != 0.0 and off <= EXACT * np.ptp(original[seen])
    return (float(scale), float(shift)) if exact else None


def _share(Z: np.ndarray, directions: np.ndarray) -> float:
    """The share of the variance of Z, shape (n, q), along orthonormal directions, shape (2, q)."""
    centred = Z - Z.mean(axis=0)
    return float(((centred @ directions.T) ** 2).sum() / ((centred**2).sum() or 1.0))


def _fisher(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Two orthonormal directions with the largest between- by within-class scatter, shape (2, q).

    Two classes have one such direction; the second is then the one of largest spread across it.
    """
    q, total = Z.shape[1], Z.mean(axis=0)
    within, between = np.zeros((q, q)), np.zeros((q, q))
    for k in np.unique(y):
        own = Z[y == k]
        mean = own.mean(axis=0)
        within += scatter(own, mean)
        between += len(own) * np.outer(mean - total, mean - total)
    # Columns that do not vary within the classes must not make it singular.
    within += (RIDGE * np.trace(within) / q or 1.0) * np.eye(q)
    _, vectors = eigh(between, within, subset_by_index=[q - 2, q - 1])
    if len(np.unique(y)) > 2:
        return np.linalg.qr(vectors[:, ::-1])[0].T
    first = vectors[:, -1] / np.linalg.norm(vectors[:, -1])
    across = (Z - total) - np.outer((Z - total) @ first, first)
    return np.vstack([first, np.linalg.svd(across, full_matrices=False)[2][0]])


def _of_directions(
    Z: np.ndarray,
    directions: np.ndarray,
    names: list[str],
    how: str,
    *,
    square: bool = False,
    around: np.ndarray | None = None,
) -> Projection:
    """The rows Z, shape (n, q), along two orthonormal directions; cells follow them on average.

    The prepared row of a cell is the regression of the rows on the two coordinates. For directions
    of largest spread that is the plane they span, for others it is tilted through the rows.
    """
    rows = _complete(Z)
    mean, axes = rows.mean(axis=0), signed(directions)
    at, within = (Z - mean) @ axes.T, (rows - mean) @ axes.T
    ends = tuple(span(reaching(within[:, k], around, k)) for k in range(2))
    ends = boxed(*ends) if square else ends
    across, up = (Axis(k, Column(names[k]), np.linspace(*ends[k], CELLS)) for k in range(2))
    x, y = np.meshgrid(across.cells, up.cells)
    slopes = np.linalg.lstsq(within, rows - mean)[0]
    cells = mean + np.column_stack([x.ravel(), y.ravel()]) @ slopes
    how = f"{how} {absent(len(Z) - len(rows), ['every column'])}".strip()
    flat = Plane(across, up, cells, how)
    return Projection(flat, cells, at[:, 0], at[:, 1], mean, axes, square, how)
