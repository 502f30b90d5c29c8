"""Which cells are missing together: one line a pattern."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures import marks
from figures.numbers.sampled import drawn_rows
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.drawing import counted_noun, empty, listed, percent
from mlcore.data.dataset import Dataset
from mlcore.data.missing import hole_patterns
from mlcore.data.table import Table

MOST_PATTERNS = 25
MOST_COLUMNS = 60
ROW = 24  # pixels a pattern
ROOM = 120  # pixels for names and margins


class Missing(NamedTuple):
    """Patterns of holes, the most frequent first."""

    names: tuple[str, ...]  # (c,) columns
    patterns: np.ndarray  # (q, c) bool: the cell is missing
    counts: np.ndarray  # (q,) rows with this pattern
    rows: tuple[np.ndarray, ...]  # of the drawn patterns, their row numbers in all pictures
    by_column: np.ndarray  # (c,) holes
    n: int


@view("missing_map", title="Missing values")
def missing_map(dataset: Dataset) -> View:
    """Every pattern of missing cells with the number of its rows."""
    return joined(numbers(dataset.table), draw, reading, table, note="all rows of the table")


def numbers(held: Table) -> Missing:
    """Rows grouped by which of their cells are missing."""
    found = hole_patterns(held)
    some = drawn_rows(held.n_rows)
    drawn = range(min(len(found.counts), MOST_PATTERNS))
    rows = tuple(some[found.which[some] == q] for q in drawn)
    by_column = np.array([c.missing for c in held.columns])
    return Missing(held.names, found.patterns, found.counts, rows, by_column, held.n_rows)


def draw(m: Missing) -> go.Figure:
    """Filled cells are missing; the number of rows stands at the left."""
    if not m.by_column.any():
        return empty("No cell is missing.", height=ROOM)
    q, c = min(len(m.counts), MOST_PATTERNS), min(len(m.names), MOST_COLUMNS)
    heat = go.Heatmap(
        z=m.patterns[:q, :c].astype(np.uint8),
        x=list(m.names[:c]),
        y=list(range(q)),
        zmin=0,
        zmax=1,
        colorscale=[(0.0, LIGHT.second), (1.0, CLASS_COLORS[1])],
        showscale=False,
        xgap=2,
        ygap=2,
        text=[[counted_noun(int(n), "row")] * c for n in m.counts[:q]],
        hovertemplate="%{x}<br>%{text}<extra></extra>",
    )
    rows = [[own.tolist()] * c for own in m.rows]
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    labels = [counted_noun(int(n), "row") for n in m.counts[:q]]
    return figure(
        marks.numbered(heat, rows),
        height=ROOM + ROW * q,
        xaxis=plain | {"side": "top", "tickangle": -45 if c > 6 else 0},
        yaxis=plain | {"autorange": "reversed", "tickvals": list(range(q)), "ticktext": labels},
    )


def reading(m: Missing) -> str:
    """How many cells and rows have holes, and in which columns."""
    if not m.by_column.any():
        return "No cell is missing."
    whole = int(m.counts[~m.patterns.any(axis=1)].sum())
    order = np.argsort(-m.by_column, kind="stable")
    worst = [f"{m.names[j]} ({m.by_column[j]})" for j in order if m.by_column[j]]
    share = percent(m.by_column.sum() / (m.n * len(m.names)))
    text = (
        f"{counted_noun(int(m.by_column.sum()), 'cell')} ({share}) {_are(m.by_column.sum())} "
        f"missing; {whole} of {counted_noun(m.n, 'row')} are complete. Most: {listed(worst)}."
    )
    if len(m.counts) > MOST_PATTERNS:
        text += f" The {MOST_PATTERNS} most frequent of {len(m.counts)} patterns are drawn."
    return text


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def table(m: Missing) -> tuple[TableColumn, ...]:
    """One line a pattern."""
    names = np.array(m.names)
    said = [", ".join(names[pattern]) or "none" for pattern in m.patterns]
    return (TableColumn("missing columns", said), TableColumn("rows", m.counts))
