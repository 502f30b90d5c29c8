"""Collinear columns: proportional to another column, or nearly linear combinations of others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlcore.data.findings import NOTE, WARNING, Finding
from mlcore.data.table import ColumnData, Table
from mlcore.maths.arrays import deviations
from mlcore.spine.random import generator
from mlcore.spine.wording import listed, plural

ALIKE = 0.999  # correlation above which one of two columns is enough
INFLATED = 10.0  # variance inflation above which coefficients are hardly told apart
JITTER = 1e-10  # keeps sums of other columns from a division by zero; their inflation is then vast
VAST = 1e6
SAMPLE = 10_000
MOST_COLUMNS = 100  # beyond it, as in pixels, everything follows from its neighbours
MUCH_MISSING = 0.3
ROWS_A_COLUMN = 2  # fewer rows make any column a sum of the others by chance


def of_others(table: Table, target: str | None) -> Iterator[Finding]:
    """Findings on correlated columns of numbers, the target aside, on at most 10,000 rows."""
    columns = [c for c in table.columns if c.name != target and _is_judged(c)]
    if not 2 <= len(columns) <= MOST_COLUMNS:
        return
    X = _complete(table, columns)
    if len(X) < max(ROWS_A_COLUMN * X.shape[1], 10):
        return
    spread = deviations(X)
    usable = np.flatnonzero(np.isfinite(spread) & (spread > 0))
    columns = [columns[at] for at in usable]
    scaled = (X[:, usable] - X[:, usable].mean(axis=0)) / spread[usable]
    R = scaled.T @ scaled / len(X)
    kept = []
    for j, column in enumerate(columns):
        twin = next((i for i in kept if abs(R[i, j]) > ALIKE), None)
        if twin is None:
            kept.append(j)
        elif not np.array_equal(columns[twin].values, column.values, equal_nan=True):
            yield _alike(columns[twin].name, column.name, float(R[twin, j]))
    yield from _inflated([columns[at].name for at in kept], R[np.ix_(kept, kept)])


def _is_judged(c: ColumnData) -> bool:
    return c.kind in ("number", "count") and c.missing <= MUCH_MISSING * len(c.values)


def _complete(table: Table, columns: list[ColumnData]) -> np.ndarray:
    """The values of at most 10,000 rows, those without a missing value, shape (n, p)."""
    rows = np.arange(table.n_rows)
    if len(rows) > SAMPLE:
        rows = np.sort(generator(0, "columns that follow").choice(rows, SAMPLE, replace=False))
    X = np.column_stack([c.values[rows] for c in columns])
    return X[~np.isnan(X).any(axis=1)]


def _alike(first: str, other: str, correlation: float) -> Finding:
    sentence = (
        f"Column {other!r} says what column {first!r} says, but for its scale: their correlation "
        f"is {correlation:.5f}. One of them is enough."
    )
    return Finding(WARNING, other, "Same but for the scale", sentence, ("role", other, "ignore"))


def _inflated(names: list[str], R: np.ndarray) -> Iterator[Finding]:
    """A finding on columns of large variance inflation; R, (p, p), holds their correlations."""
    if not names:
        return
    inflation = np.diag(np.linalg.inv(R + JITTER * np.eye(len(R))))
    worst = int(np.argmax(inflation))
    if inflation[worst] < INFLATED:
        return
    name = names[worst]
    others = [n for n, v in zip(names, inflation, strict=True) if v >= INFLATED and n != name]
    how = "a sum of other columns" if inflation[worst] > VAST else "nearly a sum of other columns"
    size = "" if inflation[worst] > VAST else f" (its variance inflation is {inflation[worst]:.0f})"
    so_are = f" So {plural(len(others), 'is', 'are')} {listed(others)}." if others else ""
    sentence = (
        f"Column {name!r} is {how}{size}, so that their coefficients cannot be told apart.{so_are} "
        f"Use a penalty, or leave one of them out."
    )
    yield Finding(NOTE, name, "Follows from the others", sentence, ("role", name, "ignore"))
