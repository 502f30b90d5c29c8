"""The contributions of the variables to many predictions: a point a row, or their mean size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.marks import across
from figures.drawing.traces import color_bar, empty, value_text
from figures.numbers.contributions import Contributed, contributed
from figures.numbers.outputs import AUTO, output_option
from figures.options import Options
from figures.theme import LIGHT, NO_CLASS, SEQUENTIAL, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.fit import Column
from mlcore.spine.params import choice
from mlcore.spine.wording import rough

ROW, ROOM, MOST = 38, 96, 20  # pixels a variable, around them; variables that are drawn
LEAST = 380  # pixels, of few variables beside another picture
BINS, STEP, HIGHEST = 60, 0.055, 0.4  # of the swarm: of the axis, of a row of variables
MARK = 6  # pixels
ONE_WAY = 0.3  # rank correlation from which on high values are said to raise or lower
SHOWN = {"points": "A point a row", "bars": "Mean size"}
NOTHING = "No fold has answered yet."


class Swarm(NamedTuple):
    """The contributions, and which output was asked for."""

    c: Contributed
    show: str
    is_every: bool  # whether the outputs are stacked


@dataclass(frozen=True, kw_only=True)
class PointsOptions(Options):
    """What may be chosen of the picture."""

    show: str = choice(
        "points", *SHOWN, doc="A point a row, coloured by the value of the variable; or the mean "
        "size of the contributions as bars, of several classes stacked."
    )  # fmt: skip
    output: str = output_option()


@view(
    "contribution_points",
    title="Contributions to many predictions",
    options=PointsOptions,
    on="shapley_rows",
    order=10,
    synonyms=("SHAP summary plot", "beeswarm", "mean absolute SHAP value", "bee swarm"),
)
def contribution_points(explanation: Any, dataset: Dataset, *, options: PointsOptions) -> View:
    """What each variable adds to the predictions for rows that the models had not seen."""
    c = contributed(explanation, dataset, options.output)
    every = options.output == AUTO and c is not None and len(c.outputs) > 2
    s = None if c is None else Swarm(c, options.show, every and options.show == "bars")
    note = "rows left out" if c is None else f"{len(c.rows):,} of {c.n_left_out:,} rows left out"
    return joined(s, draw, reading, table, note=note)


def draw(s: Swarm | None) -> go.Figure:
    """A line of points, or a bar, a variable; the largest above."""
    if s is None:
        return empty(NOTHING)
    shown = _order(s)[:MOST]
    names = [_short(s.c.variables[j].name) for j in shown]
    traces = _bars(s, shown) if s.show == "bars" else _points(s.c, shown)
    what = s.c.what[:1].lower() + s.c.what[1:]
    text = f"Contribution to the {what}"
    if s.show == "bars":
        of = f"{s.c.wording[:1].lower()}{s.c.wording[1:]} each class" if s.is_every else what
        text = f"Mean size of the contribution to the {of}"
    fig = figure(
        *traces,
        height=max(LEAST, ROOM + ROW * len(names)),
        barmode="stack",
        showlegend=s.is_every,
        xaxis={"title": {"text": text}, "nticks": 7},
        yaxis={"range": [len(names) - 0.5, -0.5], "showgrid": False, "ticktext": names,
               "tickvals": list(range(len(names)))},
    )  # fmt: skip
    return fig if s.show == "bars" else across(fig, x=0, line={"color": LIGHT.quiet, "width": 1})


def _order(s: Swarm) -> np.ndarray:
    return np.argsort(-s.c.every_size.sum(axis=1), kind="stable") if s.is_every else s.c.order


def _short(name: str) -> str:
    return name if len(name) < 24 else f"{name[:22]}…"


def _bars(s: Swarm, shown: np.ndarray) -> list[Any]:
    """A bar a variable, of several classes one on the other."""
    outputs = range(len(s.c.outputs)) if s.is_every else [s.c.outputs.index(s.c.output)]
    return [
        go.Bar(
            x=s.c.every_size[shown, o], y=np.arange(len(shown)), orientation="h", width=0.56,
            name=s.c.outputs[o],
            marker={"color": class_color(o) if s.is_every else LIGHT.accent},
            text=None if s.is_every else [rough(float(v)) for v in s.c.every_size[shown, o]],
            textposition="outside", cliponaxis=False,
            hovertemplate="%{fullData.name}<br>%{x:.4~g}<extra></extra>",
        )
        for o in outputs
    ]  # fmt: skip


def _points(c: Contributed, shown: np.ndarray) -> list[Any]:
    """All points in one trace; what is grey holds names, or no value."""
    x = c.phi[:, shown].T
    width = float(np.ptp(x)) or 1.0
    y = np.stack([at + swarm(phi, width) for at, phi in enumerate(x)])
    ranks = np.stack([_rank(c.variables[j], c.values[:, j]) for j in shown])
    texts = [
        f"{c.variables[j].name} {_in_words(c.variables[j], v)}, row {row + 1}, fold {fold}"
        for j in shown
        for v, row, fold in zip(c.values[:, j], c.rows, c.folds, strict=True)
    ]
    rows, hover = np.tile(c.rows, len(shown)), "%{text}<br>%{x:.4~g}<extra></extra>"
    x, y, ranks, text = x.ravel(), y.ravel(), ranks.ravel(), np.array(texts, dtype=object)
    grey = np.isnan(ranks)
    kind = go.Scattergl if len(x) > marks.WEBGL_ABOVE else go.Scatter
    bar = color_bar("value") | {"tickvals": [0.02, 0.98], "ticktext": ["low", "high"], "len": 0.9}
    scale = {"colorscale": SEQUENTIAL, "cmin": 0, "cmax": 1, "colorbar": bar}
    traces = []
    for here, color in ((grey, {"color": NO_CLASS}), (~grey, {"color": ranks[~grey], **scale})):
        if here.any():
            mark = {"size": MARK, "opacity": 0.85, "line": {"width": 0}, **color}
            own = kind(x=x[here], y=y[here], mode="markers", marker=mark, text=text[here],
                       hovertemplate=hover, showlegend=False)  # fmt: skip
            traces.append(marks.numbered(own, rows[here]))
    return traces


def _rank(column: Column, values: np.ndarray) -> np.ndarray:
    """From the least value, 0, to the greatest, 1; NaN for names without an order, (m,)."""
    ranks = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    if column.kind in ("nominal", "text") or not known.any():
        return ranks
    _, code = np.unique(values[known], return_inverse=True)
    # By rank, so that one remote value does not paint all others alike.
    below = np.concatenate([[0], np.cumsum(np.bincount(code))[:-1]])
    ranks[known] = below[code] / max(int(below[-1]), 1)
    return ranks


def _in_words(column: Column, value: float) -> str:
    return "missing" if np.isnan(value) else value_text(column, value)


def swarm(phi: np.ndarray, width: float) -> np.ndarray:
    """How far each point stands from its line, (m,), so that near ones do not cover each other.

    `phi`, shape (m,), lies on an axis of this width.
    """
    bins = np.floor((phi - phi.min()) / width * BINS).astype(np.int64)
    order = np.argsort(bins, kind="stable")
    first = np.searchsorted(bins[order], bins[order], side="left")
    nth = np.arange(len(phi)) - first  # 0, 1, 2 ... within a bin
    away = np.empty(len(phi))
    away[order] = np.where(nth % 2, 1, -1) * ((nth + 1) // 2)
    fullest = float(np.abs(away).max(initial=0.0))
    return away * min(STEP, HIGHEST / max(fullest, 1.0))


def reading(s: Swarm | None) -> str:
    """What moves the predictions most, and which way, and how exact that is."""
    if s is None:
        return NOTHING
    c, order = s.c, s.c.order
    first = int(order[0])
    text = (
        f"{c.variables[first].name} moves the {c.what[:1].lower()}{c.what[1:]} most, by "
        f"{rough(float(c.sizes[first]))} on average"
    )
    if way := _way(c, first):
        text += f": high values {way} it"
    if len(order) > 1:
        second = int(order[1])
        text += f"; then {c.variables[second].name}, by {rough(float(c.sizes[second]))}"
    more = f" {len(order) - MOST} others are smaller." if len(order) > MOST else ""
    if s.show == "points" and any(one.kind in ("nominal", "text") for one in c.variables):
        more += " Grey: names, which are neither low nor high."
    return f"{text}.{more} These are {c.how}."


def _way(c: Contributed, j: int) -> str:
    """Raise or lower, where the order of the values is nearly that of the contributions."""
    ranks = _rank(c.variables[j], c.values[:, j])
    known = ~np.isnan(ranks)
    if known.sum() < 3 or not (np.ptp(ranks[known]) and np.ptp(c.phi[known, j])):
        return ""
    order = np.argsort(np.argsort(c.phi[known, j], kind="stable"), kind="stable")
    r = float(np.corrcoef(ranks[known], order)[0, 1])
    return "" if abs(r) < ONE_WAY else "raise" if r > 0 else "lower"


def table(s: Swarm | None) -> tuple[TableColumn, ...]:
    """One line a variable, the mean size of its contributions to each output."""
    if s is None:
        return (TableColumn("variable", ()),)
    c, order = s.c, _order(s)
    sizes = (
        TableColumn(f"mean size, {name}", c.every_size[order, o])
        for o, name in enumerate(c.outputs)
    )
    return (
        TableColumn("variable", tuple(c.variables[j].name for j in order)),
        *sizes,
        TableColumn(f"mean, {c.output}", c.phi.mean(axis=0)[order]),
    )
