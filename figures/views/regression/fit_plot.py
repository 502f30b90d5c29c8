"""The curve that a regression draws over one column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE, HEIGHT, dated, named_axis, points_of, value_text
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, absent, seen
from figures.numbers.left_out import of_outputs
from figures.numbers.planes import Axis, axis, pair, places, ranking, span, typical
from figures.numbers.target import target_of
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Predicts
from mlcore.spine.errors import DataError
from mlcore.spine.wording import rough

POINTS = 400  # of the curve


class FitPlot(NamedTuple):
    """The rows, the curve, and the truth where a generator knows it."""

    on: Axis
    at: np.ndarray  # (g,) places of the curve on the axis
    grid: np.ndarray  # (g, p) rows of the data at these places
    curve: np.ndarray  # (g,)
    cloud: Cloud
    truth: tuple[np.ndarray, np.ndarray] | None  # (g,) places and values without noise
    target: str
    fixed: str  # at what the other columns are held, and which rows are not drawn
    of_outputs: str = ""  # which of several outputs it is


@view(
    "fit_plot",
    title="Fitted curve",
    asks=Predicts,
    on="regression report compare",
    order=150,
    synonyms=("regression line", "partial dependence", "prediction curve"),
)
def fit_plot(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Prediction along one column, over the rows; other columns held at their median."""
    f = numbers(dataset, whole, x=axes.x)
    note = fitted_on(dataset, whole) + f.of_outputs
    return joined(f, draw, reading, table, note=note, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "") -> FitPlot:
    """The curve along column x, by default the one that goes best with the target."""
    if dataset.task != "regression":
        raise DataError("A fitted curve needs a target that is a quantity; choose such a column.")
    first = pair(dataset, x)[0] if x else ranking(dataset)[0]
    on = axis(dataset, first)
    fine = on.cells if on.column.levels else np.linspace(*span(dataset.X[:, first]), POINTS)
    rows = np.tile(typical(dataset.X, dataset.columns), (len(fine), 1))
    rows[:, first] = fine
    curve = np.asarray(whole.fit.predict(whole.prepared.transform(rows)), dtype=np.float64)
    curve_of_outputs, curve = of_outputs(curve), curve if curve.ndim == 1 else curve[:, 0]
    klass = np.zeros(dataset.n, dtype=np.int64)
    cloud = seen(Cloud(places(dataset, on), target_of(dataset), dataset.rows, klass, ()))
    return FitPlot(
        on, fine, rows, curve, cloud, _truth(dataset, first), dataset.target or "",
        f"{_fixed_text(dataset)} {absent(dataset.n - cloud.n, [on.column.name])}".strip(),
        curve_of_outputs,
    )  # fmt: skip


def _truth(dataset: Dataset, j: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The signal behind the rows, where it depends on this column alone."""
    signal = getattr(dataset.truth, "signal", None)
    if signal is None or len(dataset.columns) > 1:
        return None
    order = np.argsort(dataset.X[:, j], kind="stable")
    return dataset.X[order, j], np.asarray(signal)[dataset.rows][order]


def _fixed_text(dataset: Dataset) -> str:
    p = len(dataset.columns)
    if p == 1:
        return ""
    others = "the other column" if p == 2 else f"the other {p - 1} columns"
    return f"A slice: {others} held at the median (names at their most common level)."


def draw(f: FitPlot) -> go.Figure:
    """Rows behind, the curve in the accent colour; dashed the truth, where it is known."""
    kind = f.on.column.kind
    fig = figure(
        *points_of(f.cloud, kinds=(kind, "number")),
        height=HEIGHT,
        xaxis=named_axis(f.on.column),
        yaxis={"title": {"text": f.target}},
        showlegend=f.truth is not None,
    )
    fig.update_traces(marker_opacity=0.6)
    if f.truth is not None:
        style = {"color": CLASS_COLORS[1], "dash": "dash", "width": 2}
        x, y = f.truth
        fig.add_trace(go.Scatter(x=x, y=y, mode="lines", line=style, name="without noise"))
    return fig.add_trace(_curve(f))


def _curve(f: FitPlot) -> go.Scatter:
    is_coded = bool(f.on.column.levels)
    return go.Scatter(
        x=dated(f.at, f.on.column.kind),
        y=f.curve,
        mode="markers" if is_coded else "lines",
        marker={"symbol": "line-ew", "size": 40, "line": {"width": 3, "color": LIGHT.accent}},
        line={"color": LIGHT.accent, "width": 2.5},
        name="prediction",
        uid=CURVE,
        hovertemplate="%{xaxis.title.text} %{x}<br>predicted %{y:.5~g}<extra></extra>",
    )


def step(f: FitPlot, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the prediction along the axis."""
    return {at[CURVE]: {"y": whole.fit.predict(whole.prepared.transform(f.grid))}}


def reading(f: FitPlot) -> str:
    """From where to where the curve goes."""
    low, high = int(f.curve.argmin()), int(f.curve.argmax())
    if np.ptp(f.curve) == 0:
        text = f"The prediction of {f.target} is {rough(f.curve[0])} everywhere."
    else:
        text = (
            f"Along {f.on.column.name} the prediction of {f.target} runs from "
            f"{rough(f.curve[low])} (at {value_text(f.on.column, f.at[low])}) to "
            f"{rough(f.curve[high])} (at {value_text(f.on.column, f.at[high])})."
        )
    return f"{text} {f.fixed}".strip()


def table(f: FitPlot) -> tuple[TableColumn, ...]:
    """One line a place of the curve."""
    at = [f.on.column.levels[int(v)] for v in f.at] if f.on.column.levels else f.at
    return (TableColumn(f.on.column.name, at), TableColumn(f"predicted {f.target}", f.curve))
