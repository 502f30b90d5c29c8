"""The tube of a support vector regression, and the rows that hold it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE, HEIGHT, dated, value_text
from figures.drawing.words import fitted_on
from figures.numbers.clouds import taken
from figures.numbers.supports import AT_BOUND, ON_MARGIN, supports_of
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import LIGHT, band
from figures.view import TableColumn, View, joined, view
from figures.views.regression import fit_plot
from figures.views.regression.fit_plot import FitPlot
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Predicts
from mlcore.spine.wording import count, percent, plural, rough
from mlcore.svm.capabilities import HasTube

TUBE = "tube"
KINDS = ((ON_MARGIN, "between the bounds", "cross-thin"), (AT_BOUND, "at the bound", "x-thin"))
MOST_MARKED = 3000  # support vectors whose marks would hide everything else


class Tube(NamedTuple):
    """The curve with its tube, and which rows have a multiplier."""

    fit: FitPlot
    epsilon: float
    kind: np.ndarray  # (n,) of the rows that are drawn: 0 for no support vector, or which kind
    counts: tuple[int, int, int, int]  # rows, support vectors, at the bound, outside the tube


@view(
    "tube",
    title="Tube and support vectors",
    asks=(Predicts, HasTube),
    on="svm regression report",
    order=45,
    sources=("epfl:svr_eps", "cs1:svr_eps"),
    synonyms=("epsilon tube", "epsilon-insensitive zone"),
)
def tube(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Prediction and tube along one column; other columns held at their median."""
    t = numbers(dataset, whole, x=axes.x)
    return joined(t, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "") -> Tube:
    """The curve of `fit_plot` along column x; rows are counted in all columns."""
    f, fit = fit_plot.numbers(dataset, whole, x=x), whole.fit
    kind = supports_of(dataset, whole).kind
    away = np.asarray(dataset.y) - fit.predict(whole.prepared.transform(dataset.X))
    outside = int((np.abs(away) > fit.epsilon * (1 + 1e-6)).sum())
    counts = dataset.n, int((kind > 0).sum()), int((kind == AT_BOUND).sum()), outside
    at = np.searchsorted(dataset.rows, f.cloud.rows)
    return Tube(f, float(fit.epsilon), kind[at], counts)


def draw(t: Tube) -> go.Figure:
    """The curve in its tube, and marks on the support vectors."""
    f = t.fit
    fig = fit_plot.draw(f)
    kind = f.on.column.kind
    at = dated(f.at, kind)
    fig.add_trace(
        go.Scatter(
            x=np.concatenate([at, at[::-1]]), y=_outline(f.curve, t.epsilon), fill="toself",
            fillcolor=band(LIGHT.accent), mode="lines", line={"width": 1, "color": LIGHT.accent},
            name=f"tube of ± {rough(t.epsilon)}", uid=TUBE, hoverinfo="skip",
        )
    )  # fmt: skip
    if not f.cloud.is_crowded and t.counts[1] <= MOST_MARKED:
        fig.add_traces(_marked(t))
    return fig.update_layout(height=HEIGHT, showlegend=True)


def _outline(curve: np.ndarray, epsilon: float) -> np.ndarray:
    return np.concatenate([curve - epsilon, (curve + epsilon)[::-1]])


def _marked(t: Tube) -> list[Any]:
    traces = []
    for kind, name, symbol in KINDS:
        own = taken(t.fit.cloud, t.kind == kind)
        if own.n:
            style = {"symbol": symbol, "size": 9, "line": {"width": 1.4, "color": LIGHT.text}}
            x, named = dated(own.x, t.fit.on.column.kind), f"{name} ({own.n})"
            traces.append(
                go.Scatter(x=x, y=own.y, mode="markers", name=named, marker=style, hoverinfo="skip")
            )
    return traces


def step(t: Tube, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the curve and its tube."""
    curve = whole.fit.predict(whole.prepared.transform(t.fit.grid))
    return {at[CURVE]: {"y": curve}, at[TUBE]: {"y": _outline(curve, t.epsilon)}}


def reading(t: Tube) -> str:
    """How many rows hold the tube, and how many lie outside it."""
    n, support, bound, outside = t.counts
    text = f"Errors up to {rough(t.epsilon)} cost nothing. {count(outside, 'row')} of {n} "
    text += f"{plural(outside, 'lies', 'lie')} outside the tube; {count(support, 'support vector')}"
    text += f" ({percent(support / max(n, 1))}) {plural(support, 'carries', 'carry')} the curve, "
    text += f"{bound} of them at the bound C."
    return f"{text} {t.fit.fixed}".strip()


def table(t: Tube) -> tuple[TableColumn, ...]:
    """One line a place of the curve."""
    f = t.fit
    at = [value_text(f.on.column, v) for v in f.at] if f.on.column.levels else f.at
    return (
        TableColumn(f.on.column.name, at),
        TableColumn(f"predicted {f.target}", f.curve),
        TableColumn("lower edge", f.curve - t.epsilon),
        TableColumn("upper edge", f.curve + t.epsilon),
    )
