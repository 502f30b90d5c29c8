"""The distribution of curves that a regression leaves: mean, bands and some of the curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE, HEIGHT, dated, named_axis, points_of, value_text
from figures.drawing.words import fitted_on
from figures.options import ANY_AXES, Axes, Options
from figures.recording import Changes
from figures.theme import CLASS_COLORS, LIGHT, faded, faint_marks, figure
from figures.view import TableColumn, View, joined, view
from figures.views.regression import fit_plot
from figures.views.regression.fit_plot import FitPlot
from mlcore.data.dataset import Dataset
from mlcore.regression.capabilities import HasInducingRows
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import weights_of
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesFunctions, GivesPredictiveDeviation, Predicts
from mlcore.spine.params import choice, integer
from mlcore.spine.wording import count, percent, rough

WIDTHS = ((2.0, "2 standard deviations"), (1.0, "1 standard deviation"))
STRENGTHS = {2.0: 0.12, 1.0: 0.26}  # of their fills, which their keys show without what lies below
OBSERVED = "observed"
MANY = 500  # rows that would hide the bands
FAINT = faint_marks(3, 0.4)
SAMPLED = 3  # every so many places of the curve a drawn function is known
OF = {OBSERVED: "of new observations", "function": "of the function, without noise"}


@dataclass(frozen=True, kw_only=True)
class BandOptions(Options):
    """What may be chosen of the picture."""

    of: str = choice(
        OBSERVED,
        OBSERVED,
        "function",
        label="Band",
        doc="Whether the bands are those of what will be observed, or of the function alone.",
    )
    draws: int = integer(
        3,
        low=0,
        high=20,
        soft=(0, 10),
        label="Drawn functions",
        doc="How many functions are drawn at random.",
    )


class Posterior(NamedTuple):
    """The curve with its spread."""

    fit: FitPlot
    deviation: np.ndarray  # (g,) of the bands
    draws: np.ndarray  # (count, h) functions at every few places
    of: str
    inside: float  # share of the fitted rows within two deviations of what is observed
    inducing: np.ndarray | None = None  # (c,) where these rows stand on the axis


@view(
    "posterior_band",
    title="Predicted distribution",
    asks=(Predicts, GivesPredictiveDeviation, GivesFunctions),
    options=BandOptions,
    on="regression gaussian_process report compare",
    order=142,
    sources=("epfl:gpr", "epfl:gp_prior_sample"),
    synonyms=("confidence band", "uncertainty band", "error bars", "sample paths"),
)
def posterior_band(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: BandOptions
) -> View:
    """Mean and bands along one column, over the rows; other columns held at their median."""
    p = numbers(dataset, whole, x=axes.x, options=options)
    return joined(p, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(
    dataset: Dataset, whole: Whole, *, x: str = "", options: BandOptions | None = None
) -> Posterior:
    """The curve of `fit_plot` along column x with its standard deviations."""
    f, chosen, fit = fit_plot.numbers(dataset, whole, x=x), options or BandOptions(), whole.fit
    rows = whole.prepared.transform(dataset.X)
    away = np.abs(np.asarray(dataset.y, dtype=np.float64) - fit.predict(rows))
    inside = float((away <= 2.0 * fit.predictive_deviation(rows)).mean())
    draws = fit.sample_functions(whole.prepared.transform(_few(f)), chosen.draws)
    deviation = _deviation(fit, whole, f, chosen.of)
    return Posterior(f, deviation, draws, chosen.of, inside, _inducing(dataset, whole, f))


def _inducing(dataset: Dataset, whole: Whole, f: FitPlot) -> np.ndarray | None:
    """The places on the axis of the inducing points, of those that are drawn; None without any."""
    fit: Any = whole.fit
    if not can(fit, HasInducingRows):
        return None
    follow = whole.prepared.follow
    weights = weights_of(fit.made_by, dataset, np.arange(dataset.n))
    rows = dataset.rows[follow(np.arange(dataset.n))]
    used = rows if weights is None else rows[follow(weights) > 0]
    return f.cloud.x[np.isin(f.cloud.rows, used[fit.inducing])]


def _few(f: FitPlot) -> np.ndarray:
    """The places at which functions are drawn, shape (h, p)."""
    return f.grid[::SAMPLED]


def _deviation(fit: Any, whole: Whole, f: FitPlot, of: str) -> np.ndarray:
    rows = whole.prepared.transform(f.grid)
    return fit.predictive_deviation(rows) if of == OBSERVED else fit.function_deviation(rows)


def draw(p: Posterior) -> go.Figure:
    """Bands behind the rows, the drawn functions thin, the mean in the accent colour."""
    f = p.fit
    fig = figure(
        *(_band(p, times, name) for times, name in WIDTHS),
        *_rows(f),
        *_drawn(p),
        height=HEIGHT,
        xaxis=named_axis(f.on.column),
        yaxis={"title": {"text": f.target}},
        showlegend=True,
    )
    if f.truth is not None:
        style = {"color": CLASS_COLORS[1], "dash": "dash", "width": 2}
        x, y = f.truth
        fig.add_trace(go.Scatter(x=x, y=y, mode="lines", line=style, name="without noise"))
    if p.inducing is not None:
        fig.add_trace(_ticks(p, p.inducing))
    return fig.add_trace(_mean(f))


def _rows(f: FitPlot) -> list[Any]:
    """The rows; many of them small and faint, so that they leave the bands in sight."""
    traces = points_of(f.cloud, kinds=(f.on.column.kind, "number"))
    if len(f.cloud.x) > MANY:
        for trace in traces:
            trace.update(marker=FAINT)
    return traces


def _ticks(p: Posterior, at: np.ndarray) -> go.Scatter:
    """A tick below the bands where an inducing point stands."""
    low = float(_outline(p.fit.curve, p.deviation, WIDTHS[0][0]).min())
    lowest = min(low, float(p.fit.cloud.y.min(initial=low)))
    return go.Scatter(
        x=dated(at, p.fit.on.column.kind),
        y=np.full(len(at), lowest),
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 12, "color": LIGHT.text, "line": {"width": 1.5}},
        name="inducing points",
        hovertemplate="inducing point at %{x}<extra></extra>",
    )


def _band(p: Posterior, times: float, name: str) -> go.Scatter:
    at = dated(p.fit.at, p.fit.on.column.kind)
    return go.Scatter(
        x=np.concatenate([at, at[::-1]]),
        y=_outline(p.fit.curve, p.deviation, times),
        fill="toself",
        fillcolor=faded(LIGHT.accent, STRENGTHS[times]),
        mode="lines",
        line={"width": 0},
        name=name,
        uid=f"band {times:g}",
        hoverinfo="skip",
    )


def _outline(mean: np.ndarray, deviation: np.ndarray, times: float) -> np.ndarray:
    """There along the lower end and back along the upper one, shape (2g,)."""
    return np.concatenate([mean - times * deviation, (mean + times * deviation)[::-1]])


def _drawn(p: Posterior) -> list[Any]:
    """All drawn functions as one trace with gaps between them."""
    if not len(p.draws):
        return []
    at = dated(p.fit.at, p.fit.on.column.kind)[::SAMPLED]
    gap = np.full((len(p.draws), 1), np.nan)
    x = [*np.asarray(at).tolist(), None] * len(p.draws)
    style = {"color": faded(CLASS_COLORS[2], 0.8), "width": 1.2}
    return [
        go.Scatter(
            x=x, y=np.hstack([p.draws, gap]).ravel(), mode="lines",
            line=style, name="drawn functions", uid="draws", hoverinfo="skip",
        )
    ]  # fmt: skip


def _mean(f: FitPlot) -> go.Scatter:
    return go.Scatter(
        x=dated(f.at, f.on.column.kind),
        y=f.curve,
        mode="lines",
        line={"color": LIGHT.accent, "width": 2.5},
        name="mean",
        uid=CURVE,
        hovertemplate="%{xaxis.title.text} %{x}<br>mean %{y:.5~g}<extra></extra>",
    )


def step(p: Posterior, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: mean, bands and drawn functions, which keep their random numbers."""
    mean = whole.fit.predict(whole.prepared.transform(p.fit.grid))
    deviation = _deviation(whole.fit, whole, p.fit, p.of)
    changes: Changes = {at[CURVE]: {"y": mean}}
    for times, _ in WIDTHS:
        changes[at[f"band {times:g}"]] = {"y": _outline(mean, deviation, times)}
    if len(p.draws):
        rows = whole.prepared.transform(_few(p.fit))
        draws = whole.fit.sample_functions(rows, len(p.draws))
        gap = np.full((len(draws), 1), np.nan)
        changes[at["draws"]] = {"y": np.hstack([draws, gap]).ravel()}
    return changes


def reading(p: Posterior) -> str:
    """Where the prediction is sure and where it is not, and how many rows the band holds."""
    f = p.fit
    sure, unsure = int(p.deviation.argmin()), int(p.deviation.argmax())
    text = (
        f"Bands {OF[p.of]}: one standard deviation is {rough(p.deviation[sure])} at "
        f"{f.on.column.name} = {value_text(f.on.column, f.at[sure])} and "
        f"{rough(p.deviation[unsure])} at {value_text(f.on.column, f.at[unsure])}. "
        f"Two standard deviations of new observations hold {percent(p.inside)} of these rows; "
        "95 % of new ones are expected there."
    )
    if p.inducing is not None:
        text += f" All rows tell of each other through {count(len(p.inducing), 'inducing point')}."
    return f"{text} {f.fixed}".strip()


def table(p: Posterior) -> tuple[TableColumn, ...]:
    """One line a place of the curve."""
    f = p.fit
    at = [f.on.column.levels[int(v)] for v in f.at] if f.on.column.levels else f.at
    return (
        TableColumn(f.on.column.name, at),
        TableColumn(f"mean of {f.target}", f.curve),
        TableColumn(f"standard deviation {OF[p.of]}", p.deviation),
    )
