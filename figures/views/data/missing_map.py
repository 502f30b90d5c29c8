"""Which cells are missing together: one line a pattern."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import empty
from figures.drawing.words import selects
from figures.names import cut
from figures.numbers.sampled import drawn_rows
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.data.missing import missing_patterns
from mlcore.data.table import Table
from mlcore.preparation.chain import Prepared
from mlcore.spine.wording import count, listed, percent, plural

MOST_PATTERNS = 25
MOST_COLUMNS = 60
LETTERS = 16  # of a name above its column
SOME_ROWS = 1000
ROW = 24  # pixels a pattern
ROOM = 120  # pixels for names and margins


class Missing(NamedTuple):
    """Patterns of missing values, the most frequent first."""

    names: tuple[str, ...]  # (c,) columns
    patterns: np.ndarray  # (q, c) bool: the cell is missing
    counts: np.ndarray  # (q,) rows with this pattern
    rows: tuple[np.ndarray, ...]  # of the drawn patterns, their row numbers in all pictures
    by_column: np.ndarray  # (c,) missing values
    n: int
    filled: np.ndarray | None = None  # (c,) whether a preparation fills them; None without one

    @property
    def drawn(self) -> np.ndarray:
        """Columns that are drawn, rising: all, or of many those with most missing values."""
        return np.sort(np.argsort(-self.by_column, kind="stable")[:MOST_COLUMNS])


@view(
    "missing_map",
    title="Missing values",
    on="data",
    order=50,
    synonyms=("missingness pattern", "missing data"),
)
def missing_map(dataset: Dataset, *, prepared: Prepared | None = None) -> View:
    """Every pattern of missing cells with the number of its rows; filled ones marked."""
    if prepared is None:
        m, note = numbers(dataset.table), "all rows of the table"
        return joined(m, draw, reading, table, note=note + selects(m.n))
    m = numbers_after(dataset, prepared)
    note = f"{count(m.n, 'row')} before preparation"
    return joined(m, draw, reading, table, note=note + selects(m.n))


def numbers_after(dataset: Dataset, prepared: Prepared) -> Missing:
    """Missing values of the columns that are learned from, and whether they are filled."""
    names = [column.name for column in dataset.columns]
    m = _grouped(tuple(names), [dataset.X[:, j] for j in range(len(names))])
    rows = tuple(dataset.rows[own] for own in m.rows)
    # Rows with missing values show what becomes of them; a thousand are enough to see any.
    some = np.flatnonzero(np.isnan(dataset.X).any(axis=1))[:SOME_ROWS]
    if not len(some):
        return m._replace(rows=rows)
    after = prepared.transform(dataset.X[some])
    still = {
        c.variable for c, v in zip(prepared.columns, after.T, strict=True) if np.isnan(v).any()
    }
    made = {c.variable for c in prepared.columns}
    filled = np.array([name in made and name not in still for name in names])
    return m._replace(rows=rows, filled=filled)


def numbers(table: Table) -> Missing:
    """Rows grouped by which of their cells are missing."""
    return _grouped(table.names, [column.values for column in table.columns])


def _grouped(names: tuple[str, ...], columns: list[np.ndarray]) -> Missing:
    patterns, n = missing_patterns(columns), len(columns[0])
    some = drawn_rows(n)
    drawn = range(min(len(patterns.counts), MOST_PATTERNS))
    rows = tuple(some[patterns.which[some] == q] for q in drawn)
    by_column = (patterns.counts[:, None] * patterns.patterns).sum(axis=0)
    return Missing(names, patterns.patterns, patterns.counts, rows, by_column, n)


def draw(m: Missing) -> go.Figure:
    """Filled cells are missing; the number of rows stands at the left."""
    if not m.by_column.any():
        return empty("No cell is missing.", height=ROOM)
    q, at = min(len(m.counts), MOST_PATTERNS), m.drawn
    c = len(at)
    is_filled = np.zeros(c, dtype=bool) if m.filled is None else m.filled[at]
    shades = m.patterns[:q, at] * np.where(is_filled, 1, 2)  # 0 known, 1 filled, 2 missing
    names = [m.names[j] for j in at]
    words = np.array(["known", "filled", "missing"])[shades]
    heat = go.Heatmap(
        z=shades.astype(np.uint8),
        x=list(range(c)),
        y=list(range(q)),
        zmin=0,
        zmax=2,
        colorscale=[(0.0, LIGHT.second), (0.5, CLASS_COLORS[2]), (1.0, CLASS_COLORS[1])],
        showscale=False,
        xgap=2,
        ygap=2,
        text=np.where(shades == 1, "+", ""),  # seen without colour too
        texttemplate="%{text}",
        hovertext=[
            [
                f"{name}<br>{count(int(n), 'row')}, {word}"
                for name, word in zip(names, line, strict=True)
            ]
            for n, line in zip(m.counts[:q], words, strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    rows = [[own.tolist()] * c for own in m.rows]
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    labels = [count(int(n), "row") for n in m.counts[:q]]
    return figure(
        marks.numbered(heat, rows),
        height=ROOM + ROW * q,
        xaxis=plain
        | {"side": "top", "tickangle": -45 if c > 6 else None, "tickvals": list(range(c))}
        | {"ticktext": [cut(name, LETTERS) for name in names]},
        yaxis=plain | {"autorange": "reversed", "tickvals": list(range(q)), "ticktext": labels},
    )


def reading(m: Missing) -> str:
    """How many cells and rows have missing values, and in which columns."""
    if not m.by_column.any():
        return "No cell is missing."
    whole = int(m.counts[~m.patterns.any(axis=1)].sum())
    order = np.argsort(-m.by_column, kind="stable")
    worst = [f"{m.names[j]} ({m.by_column[j]})" for j in order if m.by_column[j]]
    share = percent(m.by_column.sum() / (m.n * len(m.names)))
    text = (
        f"{count(int(m.by_column.sum()), 'cell')} ({share}) "
        f"{plural(m.by_column.sum(), 'is', 'are')} "
        f"missing; {whole} of {count(m.n, 'row')} are complete. Most: {listed(worst)}."
    )
    if m.filled is not None:
        text += _filled(m)
    if len(m.counts) > MOST_PATTERNS:
        text += f" The {MOST_PATTERNS} most frequent of {len(m.counts)} patterns are drawn."
    if len(m.names) > MOST_COLUMNS:
        text += (
            f" Of {len(m.names)} columns the {MOST_COLUMNS} with the most missing values are drawn."
        )
    return text


def _filled(m: Missing) -> str:
    """Which missing values the preparation fills, and which stay."""
    assert m.filled is not None
    columns = [j for j in range(len(m.names)) if m.by_column[j]]
    stay = [m.names[j] for j in columns if not m.filled[j]]
    if not stay:
        return " The preparation fills all of them."
    if len(stay) == len(columns):
        return " The preparation fills none of them."
    return f" The preparation fills those of all columns but {listed(stay)}."


def table(m: Missing) -> tuple[TableColumn, ...]:
    """One line a pattern."""
    names = np.array(m.names)
    texts = [", ".join(names[pattern]) or "none" for pattern in m.patterns]
    return (TableColumn("missing columns", texts), TableColumn("rows", m.counts))
