"""Coefficients of a linear method, the largest first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import BARS, SIGNED
from figures.names import TICK, cut
from figures.recording import Changes
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasCoefficients
from mlcore.spine.wording import count, listed, plural, rough

MOST = 30
ROW = 24  # pixels a column
ROOM = 70  # pixels for the axis
NUMBER = 0.27  # of the picture's width that a number takes at most
EDGE = 0.03  # of the width, beyond the outermost bar
# Pixels of a letter, and of the gaps of a cell: on a phone a map whose cells could not hold their
# numbers, or the names of the classes, is pulled sideways.
LETTER, GAPS = 7, 10
SEVERAL = 3  # classes from which on a map of colours is clearer than bars


class Coefficients(NamedTuple):
    """One coefficient a column, or one a column and class."""

    names: tuple[str, ...]  # (p,) by falling size
    values: np.ndarray  # (p, K); K = 1 for a quantity or two classes
    heads: tuple[str, ...]  # (K,) what each set speaks for
    intercept: np.ndarray  # (K,)
    order: np.ndarray  # (p,) columns of the fit in this order
    raised: int = 0  # class that a positive one speaks for, of two; its colour is theirs

    @property
    def shown(self) -> int:
        """How many are drawn."""
        return min(len(self.names), MOST)


@view(
    "coefficients",
    title="Coefficients",
    asks=HasCoefficients,
    on="classification regression report compare",
    order=190,
    synonyms=("weights", "parameters", "coefficient plot"),
)
def coefficients(fit: Any, dataset: Dataset | None = None) -> View:
    """Coefficients of the prepared columns: comparable where these were standardised."""
    note = "of the columns as prepared"
    return joined(numbers(fit, dataset), draw, reading, table, note=note, step=step)


def numbers(fit: Any, dataset: Dataset | None = None) -> Coefficients:
    """Coefficients by falling size, the largest over the classes where there are several."""
    values = np.atleast_2d(np.asarray(fit.coefficients)).T
    order = np.argsort(-np.abs(values).max(axis=1), kind="stable")
    intercept = np.atleast_1d(np.asarray(fit.intercept, dtype=np.float64))
    heads = _heads(values.shape[1], dataset)
    names = tuple(fit.columns[j].name for j in order)
    is_of_two = values.shape[1] == 1 and dataset is not None and len(dataset.classes) == 2
    return Coefficients(names, values[order], heads, intercept, order, int(is_of_two))


def _heads(k: int, dataset: Dataset | None) -> tuple[str, ...]:
    classes = dataset.classes if dataset is not None else ()
    if k == len(classes):
        return classes
    if k == 1:
        # With two classes the coefficients speak for the second.
        return (classes[1],) if len(classes) == 2 else ((dataset and dataset.target) or "target",)
    return tuple(f"set {j + 1}" for j in range(k))


def draw(c: Coefficients) -> go.Figure:
    """Bars; a map of colours for three classes and more."""
    height = ROOM + ROW * max(c.shown, 3) + (30 if len(c.heads) >= SEVERAL else 0)
    fig = figure(height=height, yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""})
    if len(c.heads) >= SEVERAL:
        # Classes called 0 to 9 would else be a scale of numbers, of which Plotly names 0 and 5.
        names = {"type": "category", "dtick": 1, "tickangle": 0}
        fig.add_trace(_map(c)).update_xaxes(side="top", showgrid=False, ticks="", **names)
        return fig.update_layout(meta={"least": _least(c)})
    for k, head in enumerate(c.heads):
        fig.add_trace(_bars(c, k, head))
    across(fig, x=0, line={"color": LIGHT.quiet, "width": 1})
    fig.update_xaxes(title_text="Coefficient", range=_ends(c.values[: c.shown].ravel()))
    return fig.update_layout(showlegend=len(c.heads) > 1)


def _least(c: Coefficients) -> int:
    """The least width of the map in pixels: the names beside it, and a cell a class."""
    beside = max(len(cut(name, TICK)) for name in c.names[: c.shown])
    numbers = (rough(v) for v in c.values[: c.shown].ravel())
    cell = max(map(len, [*numbers, *(cut(head, TICK) for head in c.heads)]))
    return LETTER * beside + len(c.heads) * (LETTER * cell + GAPS)


def _ends(values: np.ndarray) -> list[float]:
    """The range of bars whose number stands beside them where they are shorter than it.

    On a phone, and beside long names, a number takes a quarter of the picture.
    """
    shown = np.append(values, 0.0)
    wide = float(np.ptp(shown)) or 1.0
    room = NUMBER / (1.0 - NUMBER) * wide  # which widens the picture
    short = values[np.abs(values) < room]
    beside = short + np.where(short < 0, -room, room)
    every = np.concatenate([shown, beside])
    edge = EDGE * wide
    return [every.min() - edge * bool(every.min() < 0), every.max() + edge]


def _bars(c: Coefficients, k: int, head: str) -> go.Bar:
    values = c.values[: c.shown, k]
    return go.Bar(
        x=values,
        y=list(c.names[: c.shown]),
        orientation="h",
        name=head,
        uid=f"{BARS} {k}",
        marker_color=_colors(c, values) if len(c.heads) == 1 else CLASS_COLORS[k],
        text=[rough(v) for v in values],
        textposition="auto",
        hovertemplate=f"%{{y}}<br>{head} %{{x:.5~g}}<extra></extra>",
    )


def _colors(c: Coefficients, values: np.ndarray) -> list[str]:
    """Of two classes the colour of that which a coefficient raises; of a quantity by its sign."""
    return [CLASS_COLORS[c.raised if v >= 0 else 1 - c.raised] for v in values]


def _map(c: Coefficients) -> go.Heatmap:
    values = c.values[: c.shown]
    top = float(np.abs(values).max()) or 1.0
    return go.Heatmap(
        z=values,
        uid=BARS,
        x=list(c.heads),
        y=list(c.names[: c.shown]),
        zmin=-top,
        zmax=top,
        colorscale=SIGNED,
        text=[[rough(v) for v in row] for row in values],
        texttemplate="%{text}",
        xgap=2,
        ygap=2,
        hovertemplate="%{y}, %{x}<br>%{z:.5~g}<extra></extra>",
    )


def step(c: Coefficients, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: bars, or the map of several classes, ordered as finished."""
    values = np.atleast_2d(np.asarray(whole.fit.coefficients)).T[c.order][: c.shown]
    if BARS in at:
        return {at[BARS]: {"z": values, "text": [[rough(v) for v in row] for row in values]}}
    changes = {
        at[f"{BARS} {k}"]: {"x": column, "text": [rough(v) for v in column]}
        for k, column in enumerate(values.T)
    }
    if len(c.heads) == 1:  # a sign may change on the way
        changes[at[f"{BARS} 0"]]["marker.color"] = _colors(c, values[:, 0])
    return changes


def reading(c: Coefficients) -> str:
    """The columns with the largest coefficients, and how many are exactly zero."""
    zero = int((c.values == 0).all(axis=1).sum())
    if zero == len(c.names):
        return "Every coefficient is zero: the prediction is the same for all rows."
    size = np.abs(c.values).max(axis=1)
    named = [f"{name} ({_largest(c, j)})" for j, name in enumerate(c.names[:3])]
    text = f"Largest in size: {listed([n for n, s in zip(named, size, strict=False) if s > 0])}."
    if zero:
        text += f" {zero} of {count(len(c.names), 'coefficient')} "
        text += f"{plural(zero, 'is', 'are')} exactly zero."
    if len(c.heads) == 1:
        text += f" A positive one raises {c.heads[0]}."
    return text + (f" The {MOST} largest are drawn." if len(c.names) > MOST else "")


def _largest(c: Coefficients, j: int) -> str:
    """The coefficient of a column, with its sign; of several the largest, and whose it is."""
    k = int(np.abs(c.values[j]).argmax())
    return rough(float(c.values[j, k])) + (f" for {c.heads[k]}" if len(c.heads) > 1 else "")


def table(c: Coefficients) -> tuple[TableColumn, ...]:
    """One line a column, the intercept last."""
    values = np.vstack([c.values, c.intercept[None, :]])
    heads = (f"coefficient, {h}" if len(c.heads) > 1 else "coefficient" for h in c.heads)
    columns = (TableColumn(head, values[:, k]) for k, head in enumerate(heads))
    return (TableColumn("column", (*c.names, "(intercept)")), *columns)
