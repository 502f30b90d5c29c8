"""The quantities of a table on one scale, for pictures that join several columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from figures.numbers.planes import CODED, ranking
from figures.numbers.sampled import drawn_rows, sampled
from mlcore.data.dataset import Dataset
from mlcore.maths.arrays import constant_columns
from mlcore.spine.wording import count

TOO_FEW = "This picture needs two columns of numbers that vary, in two rows without gaps."
HALF = 0.5  # a column known in fewer rows would leave out most rows of all others


class Quantities(NamedTuple):
    """Rows that are complete in the columns drawn, each with mean 0 and standard deviation 1."""

    names: tuple[str, ...]  # (p,) empty where there is too little to draw
    Z: np.ndarray  # (m, p)
    rows: np.ndarray  # (m,) row numbers of the table
    y: np.ndarray | None  # (m,) codes of `classes`, or a quantity
    classes: tuple[str, ...]
    target: str
    n: int  # rows of the data set
    n_columns: int  # columns of quantities that there are

    @property
    def klass(self) -> np.ndarray:
        """The class of each row, 0 where there are no classes."""
        if self.y is None or not self.classes:
            return np.zeros(len(self.rows), dtype=np.int64)
        return self.y.astype(np.int64)

    @property
    def note(self) -> str:
        """On which rows the picture is computed."""
        if len(self.rows) == self.n:
            return "all rows, standardised"
        return f"{count(len(self.rows), 'complete row')} of {self.n:,}, standardised"

    @property
    def which(self) -> str:
        """That some columns are not drawn; empty where all are."""
        if len(self.names) == self.n_columns:
            return ""
        return (
            f" {len(self.names)} of {self.n_columns} columns of "
            "numbers are drawn, those that say most about the target alone."
        )


def quantities(
    dataset: Dataset, most_columns: int, most_rows: int, *, ranked: bool = False
) -> Quantities:
    """At most so many columns and complete rows, in the order of the table or as `ranked`."""
    some = sampled(dataset)
    usable = [j for j in ranking(some) if _is_usable(dataset, j, some.X[:, j])]
    at = usable[:most_columns] if ranked else sorted(usable[:most_columns])
    order = drawn_rows(dataset.n)
    rows = order[np.isfinite(dataset.X[order][:, at]).all(axis=1)]
    rows = rows[drawn_rows(len(rows), most_rows)]
    X = dataset.X[rows][:, at]
    if len(at) and len(rows) > 1:
        varies = ~constant_columns(X)
        at, X = [j for j, so in zip(at, varies, strict=True) if so], X[:, varies]
    y = None if dataset.y is None else dataset.y[rows]
    if len(at) < 2 or len(rows) < 2:
        at, X, rows, y = [], np.zeros((0, 0)), rows[:0], None if y is None else y[:0]
    Z = (X - X.mean(axis=0)) / X.std(axis=0) if len(at) else X
    names = tuple(dataset.columns[j].name for j in at)
    return Quantities(
        names, Z, dataset.rows[rows], y, dataset.classes, dataset.target or "", dataset.n,
        len(usable),
    )  # fmt: skip


def _is_usable(dataset: Dataset, j: int, values: np.ndarray) -> bool:
    seen = values[np.isfinite(values)]
    is_coded = dataset.columns[j].kind in CODED
    return not is_coded and len(seen) >= max(HALF * len(values), 2) and np.ptp(seen) > 0
