"""What each direction of the columns holds: of their variance, and of the target's."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.regression.capabilities import HasLatentShares
from mlcore.spine.asking import any_of, can
from mlcore.spine.capabilities import HasTargetShares
from mlcore.spine.wording import count, percent

MOST = 30  # directions that are drawn
OWN = 0.01  # share of the target's variance that is worth a mention


class Gains(NamedTuple):
    """Shares of each component, in the order in which the method takes them."""

    columns: np.ndarray  # (r,) of the variance of the columns
    target: np.ndarray  # (r,) of the variance of the target
    kept: int  # how many the plane uses
    order: str  # in which they stand
    is_all: bool  # whether there are no others


@view(
    "component_gains",
    title="What each component explains",
    asks=any_of(HasTargetShares, HasLatentShares),
    on="regression report compare",
    order=153,
    sources=("epfl:pcr", "epfl:pls"),
    synonyms=("explained variance", "number of components", "latent components"),
)
def component_gains(fit: Any) -> View:
    """The share of each component in the variance of the columns and of the target."""
    return joined(numbers(fit), draw, reading, table, note="on the training rows")


def numbers(fit: Any) -> Gains:
    """Shares of all directions that were found, kept or not."""
    if can(fit, HasLatentShares):
        is_all = len(fit.target_shares) == len(fit.columns)
        order = "in the order in which they are found"
        return Gains(fit.column_shares, fit.target_shares, fit.n_used, order, is_all)
    total = float(fit.spectrum.sum())
    columns = fit.spectrum / total if total > 0 else fit.spectrum
    order = "by falling variance of the columns"
    return Gains(columns, fit.target_shares, len(fit.variances), order, True)


def draw(g: Gains) -> go.Figure:
    """Two bars a component, and a line behind the last that is used."""
    at = np.arange(1, min(len(g.columns), MOST) + 1)
    names = ("of the columns", "of the target")
    bars = [
        go.Bar(
            x=at,
            y=values[: len(at)],
            name=name,
            marker_color=CLASS_COLORS[k],
            hovertemplate=f"component %{{x}}<br>%{{y:.1%}} {name}<extra></extra>",
        )
        for k, (name, values) in enumerate(zip(names, (g.columns, g.target), strict=True))
    ]
    fig = figure(
        *bars,
        height=340,
        barmode="group",
        showlegend=True,
        xaxis={"title": {"text": f"Component, {g.order}"}},
        yaxis={"title": {"text": "Share of the variance"}, "tickformat": ".0%"},
    )
    if g.kept < len(at):
        style = {"color": LIGHT.text, "dash": "dot", "width": 1.5}
        across(fig, x=g.kept + 0.5, line=style)
    return fig


def reading(g: Gains) -> str:
    """What the used components explain, and what the best of the others would add."""
    if not len(g.columns):
        return "The rows vary in no direction: the plane is level."
    columns, target = (percent(float(v[: g.kept].sum())) for v in (g.columns, g.target))
    used = f"of {len(g.columns)} used" if g.is_all else f"used of {len(g.columns)} looked at"
    text = f"{count(g.kept, 'component')} {used}: {columns} of the variance of the columns, "
    text += f"{target} of that of the target."
    others = g.target[g.kept :]
    if not len(others) or others.max() < OWN:
        return f"{text} No other explains {percent(OWN)} of the target."
    best = g.kept + int(others.argmax())
    return f"{text} Of the others number {best + 1} explains most, {percent(g.target[best])} of it."


def table(g: Gains) -> tuple[TableColumn, ...]:
    """One line a component."""
    return (
        TableColumn("component", np.arange(1, len(g.columns) + 1)),
        TableColumn("share of the columns", g.columns),
        TableColumn("share of the target", g.target),
        TableColumn("target, together", np.cumsum(g.target)),
    )
