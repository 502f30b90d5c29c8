"""Ranked pairs of columns: the planes in which near rows have like targets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import BETWEEN, HEIGHT, empty, row_texts
from figures.graph import make_subplots
from figures.names import cut
from figures.numbers.standardised import TOO_FEW, Quantities, quantities
from figures.options import Options
from figures.theme import LIGHT, NO_TEMPLATE, SEQUENTIAL, class_color, class_symbol, faded
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.params import integer
from mlcore.spine.wording import count, percent, rough

MOST_COLUMNS = 10  # 45 pairs
MOST_ROWS = 400
SHOWN, ACROSS = 6, 2  # small pictures, how many stand in a row
ROW, GAP, TOP = 240, 90, 80  # pixels of one, between two for the name of an axis, above all
NEIGHBOURS = 10
LETTERS = 20
NO_TARGET = "Pairs are ranked by what they tell of a target; choose the column to be predicted."


class Ranked(NamedTuple):
    """Pairs by falling score."""

    cells: Quantities
    pairs: np.ndarray  # (r, 2) places among the columns
    scores: np.ndarray  # (r,) share of right classes, or R squared
    chance: float  # what the largest class gets; 0 for a quantity
    rank: int  # the pair that is drawn large, from 1; 0 is none
    asked: int  # the pair that was to be drawn large: there may be fewer


@dataclass(frozen=True, kw_only=True)
class PairOptions(Options):
    """What may be chosen of the picture."""

    rank: int = integer(
        0, low=0, high=SHOWN, soft=(0, SHOWN), label="Pair drawn large",
        doc="The place of the pair that is drawn alone; 0 draws the first six.",
    )  # fmt: skip


@view(
    "informative_pairs",
    title="Informative pairs",
    options=PairOptions,
    on="data",
    order=32,
    synonyms=("ranked projections", "VizRank", "scatter plot ranking"),
)
def informative_pairs(dataset: Dataset, *, options: PairOptions) -> View:
    """Pairs of columns by how well the nearest rows in their plane tell the target."""
    r = numbers(dataset, options.rank)
    return joined(r, draw, reading, table, note=r.cells.note)


def numbers(dataset: Dataset, rank: int = 0) -> Ranked:
    """Every two of at most ten columns, scored on at most 400 complete rows.

    The score of a pair is that of ten nearest neighbours in the plane of the two standardised
    columns, each row left out of its own neighbourhood: the share of right classes, or R squared
    (Leban, Zupan, Vidmar and Bratko, VizRank, Data Mining and Knowledge Discovery 13, 2006).
    """
    cells = quantities(dataset, MOST_COLUMNS, MOST_ROWS)
    y = cells.y
    known = np.zeros(0, dtype=bool) if y is None else (y >= 0 if cells.classes else np.isfinite(y))
    if y is None or known.sum() < 3 or len(cells.names) < 2:
        return Ranked(cells, np.zeros((0, 2), dtype=np.int64), np.zeros(0), 0.0, 0, rank)
    cells = cells._replace(Z=cells.Z[known], rows=cells.rows[known], y=y[known])
    squared = (cells.Z.T[:, :, None] - cells.Z.T[:, None, :]) ** 2
    pairs = np.array(list(combinations(range(len(cells.names)), 2)))
    scores = np.array([_score(squared[i] + squared[j], cells) for i, j in pairs])
    order = np.argsort(-scores, kind="stable")
    chance = float(np.bincount(cells.klass).max() / len(cells.rows)) if cells.classes else 0.0
    return Ranked(cells, pairs[order], scores[order], chance, min(rank, len(pairs)), rank)


def _score(D: np.ndarray, cells: Quantities) -> float:
    """Of the squared distances D, shape (m, m), which is changed."""
    np.fill_diagonal(D, np.inf)
    k = min(NEIGHBOURS, len(D) - 1)
    near = np.argpartition(D, k - 1, axis=1)[:, :k]
    if cells.classes:
        votes = np.eye(len(cells.classes))[cells.klass][near].sum(axis=1)
        return float((votes.argmax(axis=1) == cells.klass).mean())
    y = np.asarray(cells.y, dtype=float)
    spread = float(((y - y.mean()) ** 2).sum())
    return 1.0 - float(((y - y[near].mean(axis=1)) ** 2).sum()) / spread if spread > 0 else 0.0


def draw(r: Ranked) -> go.Figure:
    """The best as small pictures with their scores, or one of them large."""
    if not len(r.pairs):
        return empty(_why(r))
    at = [r.rank - 1] if r.rank else list(range(min(len(r.pairs), SHOWN)))
    across = 1 if len(at) == 1 else ACROSS
    down = -(-len(at) // across)
    titles = [f"{k + 1}. {_score_text(r, k)}" for k in at]
    height = ROW * down + TOP if down > 1 else HEIGHT
    gap = GAP / (height - TOP) if down > 1 else 0.0
    fig = make_subplots(
        down, across, subplot_titles=titles, vertical_spacing=gap, horizontal_spacing=BETWEEN
    )
    # The legend has one line above the titles, two on a phone.
    fig.update_layout(template=NO_TEMPLATE, height=height, margin_t=TOP)
    fig.update_layout(showlegend=bool(r.cells.classes))
    # Within the panels: a phone draws the picture lower, and there is no room between them.
    fig.update_annotations(font_size=13, yanchor="top", bgcolor=faded(LIGHT.background, 0.75))
    for place, k in enumerate(at):
        _panel(fig, r, k, place // across + 1, place % across + 1)
    return fig


def _panel(fig: go.Figure, r: Ranked, k: int, row: int, col: int) -> None:
    i, j = r.pairs[k]
    for code in np.unique(r.cells.klass).tolist():
        own = r.cells.klass == code
        name = r.cells.classes[code] if r.cells.classes else "rows"
        trace = marks.points(
            r.cells.Z[own, i], r.cells.Z[own, j], klass=code, rows=r.cells.rows[own], name=name,
            legendgroup=name, showlegend=row == col == 1, text=row_texts(r.cells.rows[own]),
            hovertemplate=f"%{{text}}<extra>{cut(name, LETTERS)}</extra>",
            marker={"size": 8 if r.rank else 5, "line": {"width": 0.4}},
        )  # fmt: skip
        if not r.cells.classes:
            values = np.asarray(r.cells.y)[own].astype(np.float32)
            trace.update(marker={"color": values, "colorscale": SEQUENTIAL})
        else:
            trace.update(marker={"color": class_color(code), "symbol": class_symbol(code)})
        fig.add_trace(trace, row=row, col=col)
    names = [cut(r.cells.names[at], LETTERS) for at in (i, j)]
    fig.update_xaxes(title_text=names[0], row=row, col=col)
    fig.update_yaxes(title_text=names[1], row=row, col=col)


def _score_text(r: Ranked, k: int) -> str:
    score = float(r.scores[k])
    return f"{percent(score)} right" if r.cells.classes else f"R² {rough(score)}"


def _why(r: Ranked) -> str:
    return NO_TARGET if r.cells.y is None else TOO_FEW


def reading(r: Ranked) -> str:
    """The best pair, chance beside it, and that the ranking saw all rows."""
    if not len(r.pairs):
        return _why(r)
    i, j = r.pairs[0]
    text = (
        f"Of {count(len(r.pairs), 'pair')}, {r.cells.names[i]} and {r.cells.names[j]} tell most of "
    )
    text += f"{r.cells.target}: {_score_text(r, 0)} by the nearest rows"
    text += f", {percent(r.chance)} by the largest class." if r.cells.classes else "."
    text += (
        " The ranking has seen the targets of these rows, and the first of many is flattered: "
        "no score for rows to come."
    )
    if r.asked > r.rank:
        text += f" There is no pair {r.asked}; the last is drawn."
    return text + r.cells.which


def table(r: Ranked) -> tuple[TableColumn, ...]:
    """One line a pair."""
    names = np.array(r.cells.names, dtype=object)
    first, second = (names[r.pairs[:, k]].tolist() if len(r.pairs) else [] for k in (0, 1))
    return (
        TableColumn("column", first),
        TableColumn("other column", second),
        TableColumn("share right" if r.cells.classes else "R²", r.scores),
    )
