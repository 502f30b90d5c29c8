"""The plane of two columns in which a method is looked at: axes, cells and what fills the rest."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree

from mlcore.data.dataset import Dataset
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column
from mlcore.spine.random import generator
from mlcore.spine.wording import plural

CELLS = 120  # cells along an axis: finer than a marker, and 14 400 rows to predict
FEW_CELLS = 30
MARGIN = 0.06  # of the range, beyond the outermost rows
CODED = ("binary", "ordinal", "nominal", "text")
NO_QUANTITIES = ("nominal", "text")  # whose codes stand in no order
ALIKE = 0.97  # columns correlated more than this show the same thing twice
EVEN = 2.5  # ratio of two ranges up to which they are drawn at one scale
ASPECT = 1.6  # width of a picture by its height
OTHERS = ("follow", "median")
NEIGHBOURS = 3  # one lone row makes no neighbourhood of its own


class Axis(NamedTuple):
    """One column as an axis, in its own units."""

    at: int  # which column of the data
    column: Column
    cells: np.ndarray  # (a,) centers of the cells


class Plane(NamedTuple):
    """The plane of two columns, or of one column, whose rows are then spread upwards."""

    x: Axis
    y: Axis | None
    rows: np.ndarray  # (b * a, p) one row of the data a cell, x running fastest
    fixed: str  # what the other columns are held at, as a sentence; empty if there are none

    @property
    def shape(self) -> tuple[int, int]:
        """Cells upwards and across."""
        return (1 if self.y is None else len(self.y.cells), len(self.x.cells))


def plane(
    dataset: Dataset,
    x: str = "",
    y: str = "",
    others: str = "follow",
    *,
    square: bool = False,
    around: np.ndarray | None = None,
) -> Plane:
    """The plane of columns x and y (the two that say most, where not given).

    `others` says what the columns beside these two do: "follow" (go with the axes as in a linear
    regression on them, names at their likeliest level: a tilted slice through the rows, in which
    straight boundaries stay straight), or "median" (names at their most common level: a slice
    along the axes). With `square` a unit is meant to be as long across as up; with `around`,
    (m, 2), places that the axes hold beside the rows.
    """
    if others not in OTHERS:
        raise ParamError(f"Other columns can {' or '.join(OTHERS)}; got {others!r}.")
    shown = [j for j in pair(dataset, x, y) if j is not None]
    spans = [span(reaching(dataset.X[:, j], around, k)) for k, j in enumerate(shown)]
    if square and len(shown) == 2 and is_even(dataset, shown, spans):
        spans = list(boxed(*spans))
    axes = [axis(dataset, j, ends) for j, ends in zip(shown, spans, strict=True)]
    across, up = axes[0], axes[1] if len(axes) == 2 else None
    rest = [j for j in range(len(dataset.columns)) if j not in shown]
    moved = [j for j in rest if dataset.columns[j].kind != "text"]  # nothing lies between texts
    at = _crossed(across, up)[:, : len(shown)]
    rows = np.tile(typical(dataset.X, dataset.columns), (len(at), 1))
    if others == "follow" and moved:
        rows[:, moved] = _following(dataset, shown, moved, at)
    rows[:, shown] = at
    return Plane(across, up, rows, _fixed_text(dataset, rest, others))


def is_even(dataset: Dataset, shown: list[int], spans: list[tuple[float, float]]) -> bool:
    """Whether two columns may share a scale: quantities whose ranges are of similar size."""
    coded = any(dataset.columns[j].kind in (*CODED, "datetime") for j in shown)
    wide, high = (b - a for a, b in spans)
    return not coded and 1 / EVEN < wide / high < EVEN


def boxed(
    across: tuple[float, float], up: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Both ranges, one of them widened so that a picture with equal axes is filled."""
    wide, high = across[1] - across[0], up[1] - up[0]
    more_x, more_y = max(ASPECT * high - wide, 0.0) / 2, max(wide / ASPECT - high, 0.0) / 2
    return (across[0] - more_x, across[1] + more_x), (up[0] - more_y, up[1] + more_y)


def pair(dataset: Dataset, x: str = "", y: str = "") -> tuple[int, int | None]:
    """Positions of the columns named x and y; where not given, of those that say most."""
    names = [c.name for c in dataset.columns]
    for name in filter(None, (x, y)):
        if name not in names:
            raise DataError(f"There is no column {name!r} to draw; choose another axis.")
    chosen = [names.index(name) for name in dict.fromkeys((x, y)) if name]
    ranked = [j for j in ranking(dataset) if j not in chosen]
    while len(chosen) < 2 and ranked:
        unlike = (j for j in ranked if all(not _alike(dataset, j, i) for i in chosen))
        chosen.append(ranked.pop(ranked.index(next(unlike, ranked[0]))))
    if not x and not y:
        chosen = sorted(chosen)  # the order of the table, as people know it
    if y and not x:
        chosen = chosen[::-1]
    if not chosen:
        raise DataError("This picture needs a column of numbers or names; the data has only texts.")
    return chosen[0], chosen[1] if len(chosen) > 1 else None


def ranking(dataset: Dataset) -> list[int]:
    """Columns by what they say about the target alone, numbers before names; no texts.

    For classes the share of the variance that lies between them, for a quantity the squared
    correlation; without a target the order of the table.
    """
    coded = [c.kind in CODED for c in dataset.columns]
    if dataset.y is None:
        shares = [0.0] * len(coded)
    else:
        share = between_share if dataset.task == "classification" else _squared_correlation
        shares = [share(dataset.X[:, j], dataset.y) for j in range(len(coded))]
    usable = (j for j, c in enumerate(dataset.columns) if c.kind != "text")
    return sorted(usable, key=lambda j: (coded[j], -shares[j]))


def between_share(values: np.ndarray, groups: np.ndarray) -> float:
    """Share of the variance of `values` that lies between the groups; 0 for a constant."""
    seen = np.isfinite(values)
    values, groups = values[seen], groups[seen]
    total = ((values - values.mean()) ** 2).sum() if len(values) else 0.0
    if total <= 0.0:
        return 0.0
    parts = [values[groups == k] for k in np.unique(groups)]
    between = sum(len(v) * (v.mean() - values.mean()) ** 2 for v in parts)
    return float(between / total)


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Pearson correlation over the rows where both are known; 0 where either is constant."""
    seen = np.isfinite(a) & np.isfinite(b)
    if seen.sum() < 2:
        return 0.0
    a, b = a[seen] - a[seen].mean(), b[seen] - b[seen].mean()
    size = np.sqrt((a @ a) * (b @ b))
    return float(np.clip(a @ b / size, -1.0, 1.0)) if size > 0 else 0.0


def axis(dataset: Dataset, j: int, ends: tuple[float, float] | None = None) -> Axis:
    """Column j as an axis with its cells: the levels of a column of names, else a fine grid."""
    column = dataset.columns[j]
    if column.kind in CODED:
        return Axis(j, column, np.arange(float(len(column.levels))))
    return Axis(j, column, np.linspace(*(ends or span(dataset.X[:, j])), CELLS))


def span(values: np.ndarray, margin: float = MARGIN) -> tuple[float, float]:
    """The range that shows all values with a margin; never empty."""
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    wide = (high - low) * margin if high > low else max(abs(high), 1.0) * 0.5
    return float(low - wide), float(high + wide)


def reaching(values: np.ndarray, around: np.ndarray | None, k: int) -> np.ndarray:
    """Values, (n,), with coordinate k of the places `around`, (m, 2), if there are any."""
    return values if around is None else np.concatenate([values, around[:, k]])


def typical(X: np.ndarray, columns: tuple[Column, ...]) -> np.ndarray:
    """The median of each column, its most common level where it holds names, shape (p,)."""
    row = np.empty(len(columns))
    for j, column in enumerate(columns):
        values = X[np.isfinite(X[:, j]), j]
        if len(values) == 0:
            row[j] = np.nan
        elif column.kind in CODED:
            row[j] = np.bincount(values.astype(np.int64)).argmax()
        else:
            row[j] = np.median(values)
    return row


def places(dataset: Dataset, on: Axis | None) -> np.ndarray:
    """Where the rows lie on an axis, shape (n,); rows of one level are spread a little."""
    if on is None:
        return _spread(dataset.n, 0)
    values = dataset.X[:, on.at]
    return values + _spread(dataset.n, 1 + on.at) if on.column.kind in CODED else values


def _spread(n: int, column: int) -> np.ndarray:
    """Even steps over a width of 0.6, in another order for each column: two would make a line."""
    return 0.6 * ((generator(column, "spread of levels").permutation(n) + 0.5) / n - 0.5)


def nearness(cells: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How near the data each cell lies: 1 among the rows, falling to 0 far away, shape (m,).

    Both arrays hold (x, y) in units of the range of the axes. The reach shrinks as rows are added.
    """
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) == 0:
        return np.zeros(len(cells))
    reach = 0.06 + 0.5 / np.sqrt(len(points))
    k = min(NEIGHBOURS, len(points))
    distance = KDTree(points).query(cells, k=k)[0].reshape(len(cells), k).mean(axis=1)
    return np.exp(-((distance / reach) ** 2))


def near_data(p: Plane, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`nearness` of the cells of a plane to rows at x and y, shape (b, a)."""
    low_x, wide_x = p.x.cells[0], np.ptp(p.x.cells) or 1.0
    up = p.y.cells if p.y is not None else np.zeros(1)
    low_y, wide_y = up[0], np.ptp(up) or 1.0
    height = (y - low_y) / wide_y if p.y is not None else np.zeros(len(x))
    points = np.column_stack([(x - low_x) / wide_x, height])
    # It changes slowly, so a coarser grid will do, with straight lines between its nodes.
    across, upward = _weights(len(p.x.cells)), _weights(len(up))
    nodes = [np.linspace(0.0, 1.0, w.shape[1]) for w in (across, upward)]
    grid = np.column_stack([values.ravel() for values in np.meshgrid(*nodes)])
    near = nearness(grid, points).reshape(upward.shape[1], across.shape[1])
    return upward @ near @ across.T


@cache
def _weights(cells: int) -> np.ndarray:
    """What each of a third as many nodes, or of all if few, counts for cells: (cells, nodes)."""
    nodes = max(cells // 3, min(cells, FEW_CELLS))
    at = np.linspace(0, nodes - 1, cells)
    return np.maximum(1.0 - np.abs(at[:, None] - np.arange(nodes)), 0.0)


def _crossed(across: Axis, up: Axis | None) -> np.ndarray:
    """Every cell as (x, y), x running fastest, shape (b * a, 2)."""
    upward = np.zeros(1) if up is None else up.cells
    x, y = np.meshgrid(across.cells, upward)
    return np.column_stack([x.ravel(), y.ravel()])


def _following(dataset: Dataset, shown: list[int], rest: list[int], at: np.ndarray) -> np.ndarray:
    """What the columns `rest` are on average where the axes are `at`, shape (cells, rest).

    Least squares on the axes; a column of names takes the level of the largest indicator.
    """
    seen = np.isfinite(dataset.X[:, shown]).all(axis=1)
    X = np.where(np.isnan(dataset.X), typical(dataset.X, dataset.columns), dataset.X)[seen]
    design, cells = (_design(dataset, shown, values) for values in (X[:, shown], at))
    out = np.empty((len(at), len(rest)))
    for k, j in enumerate(rest):
        column = dataset.columns[j]
        if column.kind not in CODED:
            out[:, k] = cells @ np.linalg.lstsq(design, X[:, j])[0]
            continue
        indicators = np.eye(max(len(column.levels), 1))[X[:, j].astype(np.int64)]
        out[:, k] = (cells @ np.linalg.lstsq(design, indicators)[0]).argmax(axis=1)
    return out


def _design(dataset: Dataset, shown: list[int], values: np.ndarray) -> np.ndarray:
    """A constant, the axes of quantities in ranges, indicators of the axes of names."""
    parts = [np.ones((len(values), 1))]
    for k, j in enumerate(shown):
        column = dataset.columns[j]
        if column.kind in CODED:
            parts.append(np.eye(max(len(column.levels), 1))[values[:, k].astype(np.int64)])
        else:
            low, high = span(dataset.X[:, j])
            parts.append(((values[:, k] - low) / (high - low))[:, None])
    return np.hstack(parts)


def _fixed_text(dataset: Dataset, rest: list[int], others: str) -> str:
    if not rest:
        return ""
    who = dataset.columns[rest[0]].name if len(rest) == 1 else f"the other {len(rest)} columns"
    if others == "follow" and all(dataset.columns[j].kind == "text" for j in rest):
        others = "median"
    if others == "follow":
        verb, they = ("goes", "it does") if len(rest) == 1 else ("go", "they do")
        return f"A tilted slice: {who} {verb} with the axes as {they} on average in the rows."
    named = [dataset.columns[j].kind in CODED for j in rest]
    value = "most common level" if all(named) else "median"
    value += " or most common level" if any(named) and not all(named) else ""
    return f"A slice: {who} held at {plural(len(rest), 'its', 'their')} {value}."


def _alike(dataset: Dataset, i: int, j: int) -> bool:
    return abs(correlation(dataset.X[:, i], dataset.X[:, j])) > ALIKE


def _squared_correlation(values: np.ndarray, y: np.ndarray) -> float:
    return correlation(values, y) ** 2
