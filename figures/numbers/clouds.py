"""Rows as points: where they lie, what they are, and how they are counted when there are many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.spine.wording import count, plural

MOST_POINTS = 20_000  # above this many marks hide each other and the browser stutters
BINS = 48  # cells along an axis of the aggregated picture
MOST_OF_CELL = 20  # rows that a cell can select: nobody looks at a million of them


class Cloud(NamedTuple):
    """Rows as points, by class or by a quantity. Rows without a value on an axis are left out."""

    x: np.ndarray  # (n,)
    y: np.ndarray  # (n,)
    rows: np.ndarray  # (n,) row numbers of the table
    klass: np.ndarray  # (n,) codes of `names`, -1 for none
    names: tuple[str, ...]  # empty where the rows have no classes
    value: np.ndarray | None = None  # (n,) the quantity that colours the points
    value_name: str = ""

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.x)

    @property
    def is_crowded(self) -> bool:
        """Whether the rows are counted in cells rather than drawn one by one."""
        return self.n > MOST_POINTS


def cloud_of(dataset: Dataset, x: np.ndarray, y: np.ndarray) -> Cloud:
    """The rows of a data set at x and y, shape (n,), coloured by its target if it has one."""
    klass, value = np.zeros(dataset.n, dtype=np.int64), None
    if dataset.task == "classification":
        klass = np.asarray(dataset.y)
    elif dataset.task == "regression":
        value = dataset.y
    name = dataset.target or ""
    return seen(Cloud(x, y, dataset.rows, klass, dataset.classes, value, name))


def seen(cloud: Cloud) -> Cloud:
    """The rows that lie somewhere on both axes."""
    here = np.isfinite(cloud.x) & np.isfinite(cloud.y)
    return cloud if here.all() else taken(cloud, here)


def row_names(dataset: Dataset) -> tuple[str, tuple[str, ...]] | None:
    """The column that names the rows, and the names, (n,); None without one, or with several.

    It holds texts, nearly every row another, and nothing is learned from it.
    """
    roles = dict(dataset.roles)
    naming = [
        column
        for column in dataset.table.columns
        if column.kind == "identifier" and column.is_coded
        and roles.get(column.name) in ("label", "ignore")
    ]  # fmt: skip
    if len(naming) != 1:
        return None
    texts = naming[0].texts()
    return naming[0].name, tuple(texts[row] for row in dataset.rows)


def absent(without: int, names: list[str]) -> str:
    """That rows are not drawn because they lack a value on an axis; empty where none does.

    A picture that counts rows counts these too, or other places would give another number.
    """
    if not without:
        return ""
    are = plural(without, "is", "are")
    return f"{count(without, 'row')} without a value of {' or '.join(names)} {are} not drawn."


def taken(cloud: Cloud, these: np.ndarray) -> Cloud:
    """Some rows of a cloud, by a mask or by position."""
    arrays = {f: getattr(cloud, f)[these] for f in ("x", "y", "rows", "klass")}
    value = None if cloud.value is None else cloud.value[these]
    return cloud._replace(**arrays, value=value)


class Counted(NamedTuple):
    """Rows counted in the cells of a grid; only cells that hold some."""

    x: np.ndarray  # (c,) mean place of the rows of a cell
    y: np.ndarray  # (c,)
    count: np.ndarray  # (c,)
    rows: tuple[np.ndarray, ...]  # (c) row numbers of each cell
    value: np.ndarray | None  # (c,) mean of the quantity


def counted(cloud: Cloud, bins: int = BINS) -> Counted:
    """The rows of a cloud counted in `bins` by `bins` cells."""
    cell = _bin(cloud.x, bins) * bins + _bin(cloud.y, bins)
    order = np.argsort(cell, kind="stable")
    _, starts, count = np.unique(cell[order], return_index=True, return_counts=True)

    def mean(values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values[order], starts) / count

    value = None if cloud.value is None else mean(cloud.value)
    members = tuple(np.split(cloud.rows[order], starts[1:]))
    return Counted(mean(cloud.x), mean(cloud.y), count, members, value)


def some_of(members: np.ndarray) -> np.ndarray:
    """The rows of a cell that it can select: all, or as many as it may from first to last."""
    drawn = min(len(members), MOST_OF_CELL)
    return members[np.linspace(0, len(members) - 1, drawn).astype(np.int64)]


def _bin(values: np.ndarray, bins: int) -> np.ndarray:
    wide = np.ptp(values)
    if wide == 0.0:
        return np.zeros(len(values), dtype=np.int64)
    return np.minimum((values - values.min()) / wide * bins, bins - 1).astype(np.int64)
