"""How the columns go together, and with the target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import SIGNED, empty
from figures.drawing.words import drawn_of
from figures.numbers.planes import NO_QUANTITIES, between_share, correlation
from figures.numbers.sampled import sampled
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.wording import count, fixed, listed

MOST_COLUMNS = 40
MOST_NAMED = 14  # columns up to which the values stand in the cells
ROW = 30  # pixels a column
STRONG = 0.9


class Correlations(NamedTuple):
    """Correlations of the columns that hold quantities, the target first."""

    names: tuple[str, ...]  # (m,)
    r: np.ndarray  # (m, m)
    has_target: bool  # whether the first of them is the target
    is_ratio: bool  # whether the target has several classes: its entries are then not signed
    left_out: tuple[str, ...]  # columns of names
    n_columns: int  # of quantities, those that are not drawn too


@view(
    "correlation_map",
    title="Correlation matrix",
    on="data",
    order=20,
    synonyms=("heatmap", "Pearson correlation", "corr"),
)
def correlation_map(dataset: Dataset) -> View:
    """Pearson correlation of every two columns of quantities, the target in the first row."""
    some = sampled(dataset)
    note = f"{drawn_of(some.n, dataset.n)}; missing values left out pair by pair"
    return joined(numbers(some), draw, reading, table, note=note)


def numbers(dataset: Dataset) -> Correlations:
    """Correlations; for a target of several classes the root of the share between them.

    Of more columns than are drawn those that go best with the target, or the first without one.
    """
    every = [j for j, c in enumerate(dataset.columns) if c.kind not in NO_QUANTITIES]
    left_out = tuple(c.name for c in dataset.columns if c.kind in NO_QUANTITIES)
    y = dataset.y
    is_ratio = dataset.task == "classification" and len(dataset.classes) > 2
    first = np.zeros(len(every))
    if y is not None:
        first = np.array([_with_target(dataset.X[:, j], y, is_ratio) for j in every])
    best = np.sort(np.argsort(-np.abs(first), kind="stable")[:MOST_COLUMNS])
    X = dataset.X[:, [every[k] for k in best]]
    names = tuple(dataset.columns[every[k]].name for k in best)
    r = _pairwise(X)
    if y is None:
        return Correlations(names, r, False, False, left_out, len(every))
    first = first[best]
    whole = np.block([[np.ones((1, 1)), first[None, :]], [first[:, None], r]])
    return Correlations(
        (dataset.target or "", *names), whole, True, is_ratio, left_out, len(every)
    )  # fmt: skip


def _pairwise(X: np.ndarray) -> np.ndarray:
    """Of every two columns over the rows where both are known, shape (m, m)."""
    r = np.eye(X.shape[1])
    for a in range(len(r)):
        for b in range(a):
            r[a, b] = r[b, a] = correlation(X[:, a], X[:, b])
    return r


def _with_target(values: np.ndarray, y: np.ndarray, is_ratio: bool) -> float:
    if is_ratio:
        return float(np.sqrt(between_share(values, y)))
    return correlation(values, np.asarray(y, dtype=np.float64))


def draw(c: Correlations) -> go.Figure:
    """Blue goes together, orange against each other."""
    m = len(c.names)
    if m < 2:
        return empty("Correlations need two columns of quantities.")
    heat = go.Heatmap(
        z=c.r,
        x=list(c.names),
        y=list(c.names),
        zmin=-1,
        zmax=1,
        colorscale=SIGNED,
        xgap=1,
        ygap=1,
        hovertemplate="%{y}, %{x}<br>r = %{z:.3f}<extra></extra>",
    )
    if m <= MOST_NAMED:
        heat.update(text=[[fixed(v) for v in row] for row in c.r], texttemplate="%{text}")
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    return figure(
        heat,
        height=int(np.clip(ROW * m + 110, 260, 800)),
        xaxis=plain | {"tickangle": -45},
        yaxis=plain | {"autorange": "reversed"},
    )


def reading(c: Correlations) -> str:
    """The column that goes best with the target, and the pairs that say the same."""
    if len(c.names) < 2:
        return "There are fewer than two columns of quantities."
    text = ""
    if c.has_target:
        best = int(np.abs(c.r[0, 1:]).argmax()) + 1
        what = "correlation ratio" if c.is_ratio else "r"
        text = f"{c.names[best]} goes best with {c.names[0]} ({what} {fixed(c.r[0, best])}). "
    pairs = strong_pairs(c)
    if pairs:
        texts = [f"{a} with {b} ({fixed(r)})" for a, b, r in pairs]
        text += f"{count(len(pairs), 'pair')} of columns beyond {STRONG}: {listed(texts, 3)}."
    else:
        text += f"No two columns correlate beyond {STRONG}."
    drawn = len(c.names) - int(c.has_target)
    if drawn < c.n_columns:
        which = f"that go best with {c.names[0]}" if c.has_target else "that come first"
        text += f" Of {c.n_columns} columns the {drawn} {which} are drawn and compared."
    return text + (f" Columns of names are left out: {listed(c.left_out)}." if c.left_out else "")


def strong_pairs(c: Correlations) -> list[tuple[str, str, float]]:
    """Pairs of columns, not the target, that correlate beyond 0.9, the strongest first."""
    start = 1 if c.has_target else 0
    pairs = [
        (c.names[a], c.names[b], float(c.r[a, b]))
        for a in range(start, len(c.names))
        for b in range(a + 1, len(c.names))
        if abs(c.r[a, b]) > STRONG
    ]
    return sorted(pairs, key=lambda pair: -abs(pair[2]))


def table(c: Correlations) -> tuple[TableColumn, ...]:
    """The matrix, one line a column."""
    return (
        TableColumn("column", c.names),
        *(TableColumn(name, c.r[:, k]) for k, name in enumerate(c.names)),
    )
