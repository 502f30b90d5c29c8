"""Functions drawn before the rows were seen, and after: what the rows have ruled out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import dated, named_axis, points_of, value_text
from figures.drawing.words import fitted_on
from figures.graph import make_subplots
from figures.options import ANY_AXES, Axes, Options
from figures.recording import Changes
from figures.theme import CLASS_COLORS, LIGHT, NO_TEMPLATE, band, faded, faint_marks
from figures.view import TableColumn, View, joined, view
from figures.views.regression import fit_plot
from figures.views.regression.fit_plot import FitPlot
from figures.views.regression.posterior_band import FAINT, MANY
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_priors import GivesPriorFunctions
from mlcore.spine.params import integer
from mlcore.spine.wording import count, rough

HEIGHT = 400
SAMPLED = 4  # every so many places of the curve a drawn function is known
PANELS = ("before", "after")
TITLES = ("Before the rows", "After the rows")


@dataclass(frozen=True, kw_only=True)
class PriorOptions(Options):
    """What may be chosen of the picture."""

    draws: int = integer(
        6, low=1, high=30, soft=(1, 12), label="Drawn functions",
        doc="How many functions are drawn at random in each panel.",
    )  # fmt: skip
    seed: int = integer(
        0, low=0, soft=(0, 20), label="Another draw", doc="Another number draws other functions."
    )


class PriorFunctions(NamedTuple):
    """Functions along a column, twice."""

    fit: FitPlot
    at: np.ndarray  # (g,) places on the axis
    mean: np.ndarray  # (2, g) before and after
    deviation: np.ndarray  # (2, g) of the function, without noise
    draws: np.ndarray  # (2, count, g)
    seed: int


@view(
    "prior_functions",
    title="Functions before and after the rows",
    asks=GivesPriorFunctions,
    options=PriorOptions,
    on="regression gaussian_process report",
    order=145,
    is_wide=True,
    sources=("epfl:gp_prior_sample", "epfl:bayes_linreg"),
    synonyms=("prior samples", "prior predictive", "sample paths", "posterior samples"),
)
def prior_functions(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: PriorOptions
) -> View:
    """What the kernel or the prior holds possible, and what the rows leave of it.

    Along one column, the others at their median. Bands are two standard deviations of the function,
    without noise.
    """
    p = numbers(dataset, whole, x=axes.x, options=options)
    return joined(p, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(
    dataset: Dataset, whole: Whole, *, x: str = "", options: PriorOptions | None = None
) -> PriorFunctions:
    """Along column x, by default the one that goes best with the target."""
    chosen, f = options or PriorOptions(), fit_plot.numbers(dataset, whole, x=x)
    rows = whole.prepared.transform(f.grid[::SAMPLED])
    return _stands(f, whole.fit, rows, chosen.draws, chosen.seed)


def _stands(f: FitPlot, fit: Any, rows: np.ndarray, draws: int, seed: int) -> PriorFunctions:
    return PriorFunctions(
        f,
        f.at[::SAMPLED],
        np.stack([fit.prior_mean(rows), fit.predict(rows)]),
        np.stack([fit.prior_deviation(rows), fit.function_deviation(rows)]),
        np.stack([
            fit.prior_functions(rows, draws, seed), fit.sample_functions(rows, draws, seed)
        ]),
        seed,
    )  # fmt: skip


def draw(p: PriorFunctions) -> go.Figure:
    """Two panels with one height axis: bands, drawn functions, mean; the rows in the second."""
    kind = p.fit.on.column.kind
    fig = make_subplots(1, 2, shared_yaxes=True, horizontal_spacing=0.05, subplot_titles=TITLES)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=False)
    fig.update_annotations(font={"size": 13, "color": LIGHT.quiet})
    at = dated(p.at, kind)
    for k, name in enumerate(PANELS):
        col = k + 1
        fig.add_trace(_band(p, k, at), row=1, col=col)
        if k == 1:
            look = FAINT if len(p.fit.cloud.x) > MANY else faint_marks(4, 0.6)
            for trace in points_of(p.fit.cloud, kinds=(kind, "number")):
                trace.update(marker=look)
                fig.add_trace(trace, row=1, col=col)
        fig.add_trace(_drawn(p, k, at), row=1, col=col)
        style = {"color": LIGHT.accent, "width": 2.5}
        fig.add_trace(
            go.Scatter(
                x=at, y=p.mean[k], mode="lines", line=style, name="mean", uid=f"mean {name}",
                hoverinfo="skip",
            ),
            row=1, col=col,
        )  # fmt: skip
        fig.update_xaxes(**named_axis(p.fit.on.column), row=1, col=col)
    fig.update_yaxes(title={"text": p.fit.target}, row=1, col=1)
    return fig.update_layout(margin_t=44)  # room for the heads


def _band(p: PriorFunctions, k: int, at: Any) -> go.Scatter:
    return go.Scatter(
        x=np.concatenate([at, at[::-1]]), y=_outline(p, k), fill="toself", mode="lines",
        fillcolor=band(LIGHT.accent), line={"width": 0}, hoverinfo="skip",
        name="two standard deviations", uid=f"band {PANELS[k]}",
    )  # fmt: skip


def _outline(p: PriorFunctions, k: int) -> np.ndarray:
    """There along the lower end and back along the upper one, shape (2g,)."""
    wide = 2.0 * p.deviation[k]
    return np.concatenate([p.mean[k] - wide, (p.mean[k] + wide)[::-1]])


def _drawn(p: PriorFunctions, k: int, at: Any) -> go.Scatter:
    """All drawn functions as one trace with gaps between them."""
    return go.Scatter(
        x=[*np.asarray(at).tolist(), None] * p.draws.shape[1], y=_joined(p, k), mode="lines",
        line={"color": faded(CLASS_COLORS[2], 0.8), "width": 1.2}, hoverinfo="skip",
        name="drawn functions", uid=f"draws {PANELS[k]}",
    )  # fmt: skip


def _joined(p: PriorFunctions, k: int) -> np.ndarray:
    gap = np.full((p.draws.shape[1], 1), np.nan)
    return np.hstack([p.draws[k], gap]).ravel()


def step(p: PriorFunctions, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: all but the rows; what is learned of the prior changes it too."""
    rows = whole.prepared.transform(p.fit.grid[::SAMPLED])
    now = _stands(p.fit, whole.fit, rows, p.draws.shape[1], p.seed)
    changes: Changes = {}
    for k, name in enumerate(PANELS):
        changes[at[f"band {name}"]] = {"y": _outline(now, k)}
        changes[at[f"draws {name}"]] = {"y": _joined(now, k)}
        changes[at[f"mean {name}"]] = {"y": now.mean[k]}
    return changes


def reading(p: PriorFunctions) -> str:
    """How far functions reach before the rows, and where these leave most and least of it."""
    before, after = p.deviation
    share = np.divide(after, before, out=np.zeros_like(after), where=before > 0)
    least = int(after.argmin())
    text = (
        f"Before the rows, functions reach about {rough(float(np.median(before)))} to either side "
        f"of {rough(float(np.median(p.mean[0])))} (one standard deviation). After them "
        f"{rough(float(after[least]))} is left at {p.fit.on.column.name} = "
        f"{value_text(p.fit.on.column, p.at[least])} and {rough(float(after.max()))} at most"
    )
    if (open_ := float((share > 0.9).mean())) > 0:
        text += f"; in {round(100 * open_)} % of the picture the rows rule nearly nothing out"
    drawn = count(p.draws.shape[1], "function")
    return f"{text}. {drawn} drawn in each panel. {p.fit.fixed}".strip()


def table(p: PriorFunctions) -> tuple[TableColumn, ...]:
    """One line a place of the curve."""
    column = p.fit.on.column
    at = [column.levels[int(v)] for v in p.at] if column.levels else p.at
    return (
        TableColumn(column.name, at),
        TableColumn("mean before", p.mean[0]),
        TableColumn("standard deviation before", p.deviation[0]),
        TableColumn("mean after", p.mean[1]),
        TableColumn("standard deviation after", p.deviation[1]),
    )
