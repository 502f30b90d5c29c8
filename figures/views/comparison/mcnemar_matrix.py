"""Rows that exactly one of two classifiers gets right, for every pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.words import selects
from figures.names import wrapped
from figures.numbers.sampled import drawn_rows
from figures.theme import SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.comparing.holm import holm
from mlcore.evaluation.comparing.verdict import ALPHA
from mlcore.runs.comparing.pairs import Pairs
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, plural, spaced

ROW, ROOM = 56, 130  # pixels of a method, and of the names above
LONGEST_LABEL = 22  # letters of a line


class McNemars(NamedTuple):
    """Counts of rows that the method of the line gets right and that of the column does not."""

    labels: tuple[str, ...]  # (k,)
    counts: np.ndarray  # (k, k), -1 on the diagonal and where there are no predictions
    p: np.ndarray  # (k, k) adjusted for all pairs; NaN on the diagonal
    rows: tuple[tuple[np.ndarray, ...], ...]  # (k, k) row numbers of the table
    n: int  # rows that were predicted, once each
    is_grouped: bool = False  # rows of a group are not taken for independent


@view(
    "mcnemar_matrix",
    title="McNemar table",
    sources=("prac:significance_test", "s841:error_rate_comparison"),
    synonyms=("McNemar's test", "contingency table"),
)
def mcnemar_matrix(dataset: Dataset, pairs: Pairs) -> View:
    """Rows that the one method gets right and the other wrong, and whether that could be chance."""
    m = numbers(dataset, pairs)
    how = " with the signs of whole groups" if m.is_grouped else ""
    note = f"rows, of {m.n}, one prediction each; below p of McNemar's test{how}, adjusted by Holm"
    note += selects(dataset.n)
    return joined(m, draw, reading, table, note=note)


def numbers(dataset: Dataset, pairs: Pairs) -> McNemars:
    """Counts and rows of all pairs; DataError where there are no predicted classes."""
    judged = [pair for pair in pairs.pairs if pair.mcnemar is not None and pair.rows is not None]
    if not judged:
        raise DataError(
            "This picture compares predicted classes row by row; it needs two classifiers with "
            "predictions on test rows."
        )
    sides = {side.which: side for pair in judged for side in (pair.first, pair.second)}
    order = sorted(sides)
    k = len(order)
    counts, p = np.full((k, k), -1), np.full((k, k), np.nan)
    rows = [[np.empty(0, dtype=np.int64) for _ in order] for _ in order]
    adjusted = holm([pair.mcnemar.p for pair in judged if pair.mcnemar])
    for pair, value in zip(judged, adjusted, strict=True):
        assert pair.rows is not None  # it was chosen for them
        a, b = order.index(pair.first.which), order.index(pair.second.which)
        counts[a, b], counts[b, a] = len(pair.rows.first), len(pair.rows.second)
        for here, there, alone in ((a, b, pair.rows.first), (b, a, pair.rows.second)):
            rows[here][there] = dataset.rows[np.intersect1d(alone, drawn_rows(dataset.n))]
        p[a, b] = p[b, a] = value
    n = max(pair.rows.n for pair in judged if pair.rows)
    labels = tuple(sides[which].label for which in order)
    is_grouped = any(pair.mcnemar.n_groups for pair in judged if pair.mcnemar)
    return McNemars(labels, counts, p, tuple(map(tuple, rows)), n, is_grouped)


def draw(m: McNemars) -> go.Figure:
    """Darker where more rows; the probability below the count."""
    k = len(m.labels)
    names = [wrapped(label, LONGEST_LABEL) for label in m.labels]
    axis = {"tickvals": list(range(k)), "ticktext": names, "showgrid": False, "ticks": "",
            "showline": False}  # fmt: skip
    heat = go.Heatmap(
        z=np.where(m.counts < 0, np.nan, m.counts),
        zmin=0,
        zmax=max(int(m.counts.max()), 1),
        colorscale=SHARES,
        showscale=False,
        xgap=2,
        ygap=2,
        hoverongaps=False,
        text=[[_label(m, a, b) for b in range(k)] for a in range(k)],
        texttemplate="%{text}",
        textfont={"size": 14},
        hovertemplate="%{y} right, %{x} wrong: %{z} rows<extra></extra>",
    )
    return figure(
        marks.numbered(heat, [[cell.tolist() for cell in line] for line in m.rows]),
        height=ROOM + ROW * k,
        xaxis=axis | {"title": {"text": "Wrong"}, "side": "top"},
        yaxis=axis | {"title": {"text": "Right"}, "autorange": "reversed"},
    )


def _label(m: McNemars, a: int, b: int) -> str:
    if m.counts[a, b] < 0:
        return ""
    p_text = "&lt; .001" if m.p[a, b] < 0.001 else f"{m.p[a, b]:.2g}"
    return f"<b>{spaced(int(m.counts[a, b]))}</b><br><span style='font-size:10px'>{p_text}</span>"


def reading(m: McNemars) -> str:
    """The pair that differs most, and how many pairs differ."""
    upper = np.triu(np.isfinite(m.p), 1)
    pairs = np.argwhere(upper)
    odd = int((m.p[upper] < ALPHA).sum())
    a, b = min(pairs.tolist(), key=lambda pair: m.p[pair[0], pair[1]])
    if m.counts[a, b] < m.counts[b, a]:
        a, b = b, a
    text = f"{m.labels[a]} alone is right on {count(int(m.counts[a, b]), 'row')}, "
    text += f"{m.labels[b]} alone on {int(m.counts[b, a])}. "
    differ = plural(len(pairs), "differs", "differ")
    return text + f"{odd} of {count(len(pairs), 'pair')} {differ} by more than chance."


def table(m: McNemars) -> tuple[TableColumn, ...]:
    """One line a pair."""
    at = [(a, b) for a in range(len(m.labels)) for b in range(a) if np.isfinite(m.p[a, b])]
    return (
        TableColumn("first", [m.labels[a] for a, _ in at]),
        TableColumn("second", [m.labels[b] for _, b in at]),
        TableColumn("only the first right", np.array([m.counts[a, b] for a, b in at])),
        TableColumn("only the second right", np.array([m.counts[b, a] for a, b in at])),
        TableColumn("p, adjusted", np.array([m.p[a, b] for a, b in at])),
    )
