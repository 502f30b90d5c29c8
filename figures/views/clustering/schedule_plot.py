"""What was changed by plan while a method learned: learning rate and radius, step by step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import dash_of
from figures.drawing.words import fitted_on
from figures.graph import make_subplots
from figures.theme import CLASS_COLORS, NO_TEMPLATE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import HasSchedules
from mlcore.spine.wording import rough

PANEL = 150  # pixels of a curve


class SchedulePlot(NamedTuple):
    """Numbers by step."""

    steps: np.ndarray  # (t,)
    curves: tuple[tuple[str, np.ndarray], ...]  # name and values, (t,)


@view(
    "schedule_plot",
    title="Schedules",
    asks=HasSchedules,
    on="clustering report",
    order=138,
    sources=("mi2:kmeans_online", "mi2:som_sigma_annealing"),
    synonyms=("annealing schedule", "learning rate schedule", "cooling"),
)
def schedule_plot(dataset: Dataset, whole: Whole) -> View:
    """The learning rate, and the radius of a map, at every step of the run."""
    s = numbers(whole)
    return joined(s, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(whole: Whole) -> SchedulePlot:
    """The schedules as the fit tells them."""
    fit: Any = whole.fit
    return SchedulePlot(fit.shown, fit.schedules)


def draw(s: SchedulePlot) -> go.Figure:
    """A curve below the other, as their units differ."""
    n = len(s.curves)
    fig = make_subplots(n, 1, shared_xaxes=True, vertical_spacing=0.12)
    for k, (name, values) in enumerate(s.curves):
        line = {"color": CLASS_COLORS[k], "dash": dash_of(k), "width": 2.5, "shape": "hv"}
        curve = go.Scatter(x=s.steps, y=values, mode="lines", line=line, name=name)
        curve.update(hovertemplate=f"{name} %{{y:.4~g}}<extra>step %{{x}}</extra>")
        fig.add_trace(curve, row=k + 1, col=1)
        title = f"{name[0].upper()}{name[1:]}"
        fig.update_yaxes(title={"text": title}, rangemode="tozero", row=k + 1, col=1)
    fig.update_xaxes(title={"text": "Step"}, row=n, col=1)
    return fig.update_layout(template=NO_TEMPLATE, height=PANEL * n + 70, showlegend=False)


def reading(s: SchedulePlot) -> str:
    """From where to where each goes."""
    text = ", ".join(f"the {name} {_way(values)}" for name, values in s.curves)
    return f"{text[0].upper()}{text[1:]}."


def _way(values: np.ndarray) -> str:
    first, last = (rough(float(value)) for value in values[[0, -1]])
    is_level = np.ptp(values) == 0
    return f"is {first} at every step" if is_level else f"goes from {first} to {last}"


def table(s: SchedulePlot) -> tuple[TableColumn, ...]:
    """One line a step that is told."""
    return TableColumn("step", s.steps), *(TableColumn(name, values) for name, values in s.curves)
