"""What nu came to: the rows beyond the margin or outside the tube, and the support vectors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import UNDER_NAMES, named_line
from figures.drawing.words import fitted_on
from figures.numbers.nu_words import beyond_what
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.wording import percent, rough
from mlcore.svm.capabilities import HasEquivalents, HasMachines, HasNu, HasRegion, HasTube

LINE, FRAME = 44, 200  # pixels of a machine, and of title and axis
MOST = 15  # machines that are drawn: those of six classes


class NuShares(NamedTuple):
    """Two shares a machine, between which nu lies."""

    names: tuple[str, ...]  # (M,)
    nu: float
    beyond: np.ndarray  # (M,)
    supported: np.ndarray  # (M,)
    limits: np.ndarray  # (M,)
    where: str  # what rows are beyond
    strengths: np.ndarray | None  # (M,) C with which a machine is the same, of a classifier
    epsilon: float | None  # with which the tube is the same, of a regressor


@view(
    "nu_shares",
    title="What nu came to",
    asks=HasNu,
    on="svm regression report",
    order=47,
    sources=("epfl:svm_nu", "cs1:svc_nu"),
    synonyms=("margin errors", "share of support vectors"),
)
def nu_shares(dataset: Dataset, whole: Whole) -> View:
    """Shares of the rows beyond the margin and of the support vectors, with nu between them."""
    return joined(numbers(dataset, whole), draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> NuShares:
    """The shares of the fit, and what its machines part."""
    fit: Any = whole.fit
    names = ("region",) if can(fit, HasRegion) else ("tube",)
    if can(fit, HasMachines):
        names = tuple(_named(dataset.classes, *pair) for pair in fit.machines)
    ended = fit.stop is None or fit.stop.kind == "converged"  # else nothing is the same yet
    return NuShares(
        names,
        fit.nu,
        fit.beyond,
        fit.supported,
        fit.limits,
        beyond_what(fit),
        fit.strengths if ended and can(fit, HasEquivalents) else None,
        fit.epsilon if ended and can(fit, HasTube) else None,
    )


def _named(classes: tuple[str, ...], negative: int, positive: int) -> str:
    return f"{classes[positive]} | {'the rest' if negative < 0 else classes[negative]}"


def draw(s: NuShares) -> go.Figure:
    """A line a machine from one share to the other; nu crosses all of them."""
    names = list(s.names[:MOST])
    spans: list[Any] = []
    for name, low, high in zip(names, s.beyond, s.supported, strict=False):
        spans.append(
            go.Scatter(
                x=[low, high], y=[name, name], mode="lines", hoverinfo="skip", showlegend=False,
                line={"color": LIGHT.quiet, "width": 3},
            )
        )  # fmt: skip
    marks = (
        (s.where, s.beyond, "x", CLASS_COLORS[1]),
        ("support vectors", s.supported, "circle", CLASS_COLORS[0]),
        ("largest possible nu", s.limits, "line-ns-open", LIGHT.text),
    )
    dots = [
        go.Scatter(
            x=values[:MOST], y=names, mode="markers", name=name,
            marker={"symbol": symbol, "size": 11, "color": color, "line": {"width": 2}},
            hovertemplate=f"%{{y}}<br>{name}: %{{x:.3~g}}<extra></extra>",
        )
        for name, values, symbol, color in marks
    ]  # fmt: skip
    fig = figure(
        *spans,
        *dots,
        height=FRAME + LINE * len(names),
        xaxis={"title": {"text": "Share of the rows"}, "range": [-0.02, 1.02]},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False},
        showlegend=True,
    )
    named_line(fig, f"nu = {rough(s.nu)}", x=s.nu)
    return fig.update_layout(margin_t=UNDER_NAMES)


def reading(s: NuShares) -> str:
    """Both shares, and how far nu could be raised."""
    low, high = float(s.beyond.max()), float(s.supported.min())
    most, least = ("at most ", "at least ") if len(s.names) > 1 else ("", "")
    text = f"Nu = {rough(s.nu)} lies between two shares: {most}{percent(low)} of the rows are "
    text += f"{s.where}, {least}{percent(high)} are support vectors. "
    limit = float(s.limits.min())
    if limit < 1.0:
        text += f"Nu can be raised to {rough(limit)}, twice the share of the smaller class. "
    text += _same(s)
    return text.strip() + (f" {MOST} machines are drawn." if len(s.names) > MOST else "")


def _same(s: NuShares) -> str:
    """What without a nu is the same machine."""
    if s.epsilon is not None:
        return f"Support vector regression with epsilon {rough(s.epsilon)} has the same tube. "
    if s.strengths is None:
        return ""
    low, high = float(s.strengths.min()), float(s.strengths.max())
    if len(s.strengths) == 1:
        return f"The support vector classifier with C = {rough(low)} is the same. "
    return (
        f"Its machines are those of support vector classifiers with C from {rough(low)} to "
        f"{rough(high)}. "
    )


def table(s: NuShares) -> tuple[TableColumn, ...]:
    """One line a machine."""
    return (
        TableColumn("machine", s.names),
        TableColumn(s.where, s.beyond),
        TableColumn("support vectors", s.supported),
        TableColumn("largest possible nu", s.limits),
        *([] if s.strengths is None else [TableColumn("C of the same machine", s.strengths)]),
    )
