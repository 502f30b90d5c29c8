"""Variance along every direction before whitening, and which directions were left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across, log_axis
from figures.drawing.traces import empty
from figures.numbers.whitening import white_step
from figures.theme import LIGHT, SHARE, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.capabilities import Whitens
from mlcore.preparation.chain import Prepared
from mlcore.spine.wording import count, percent, rough

HEIGHT = 320
MOST_MARKS = 200
AFTER = "1, as those kept are afterwards"
NOTHING = 1e-15  # of the largest: smaller ones are rounding, and have no mark


class Spectrum(NamedTuple):
    """Variances, largest first."""

    variances: np.ndarray  # (p,)
    kept: int
    floor: float  # up to which a direction is left out


@view(
    "spectrum",
    title="Eigenvalue spectrum",
    of_step=Whitens,
    sources=("epfl:whiten_reduce", "mi2:whitening"),
)
def spectrum(dataset: Dataset, prepared: Prepared) -> View:
    """How long each direction was before it was scaled to 1, and what was dropped."""
    note = f"step fitted on all {count(dataset.n, 'row')}"
    return joined(numbers(prepared), draw, reading, table, note=note)


def numbers(prepared: Prepared) -> Spectrum:
    """The eigenvalues of the covariance that the first whitening step fitted; none without one."""
    k = white_step(prepared)
    if k is None:
        return Spectrum(np.array([]), 0, 0.0)
    fit = prepared.fits[k]
    floor = fit.made_by.eig_floor * float(fit.spectrum[0])
    return Spectrum(np.maximum(fit.spectrum, 0.0), len(fit.variances), floor)


def draw(s: Spectrum) -> go.Figure:
    """Marks on a log axis, open where the direction was left out."""
    if not len(s.variances):
        return empty("No step of the preparation whitens.", HEIGHT)
    k = np.arange(1, min(len(s.variances), MOST_MARKS) + 1)
    values = s.variances[: len(k)]
    is_seen = values > NOTHING * s.variances[0]
    fig = figure(
        showlegend=s.kept < len(s.variances),
        height=HEIGHT,
        xaxis={"title": {"text": "Direction"}, "showgrid": False, "tickformat": "d"},
        yaxis={"title": {"text": "Variance"}} | log_axis(values[is_seen]),
    )
    for name, own, symbol in (("kept", k <= s.kept, "circle"), ("left out", k > s.kept, "x")):
        if own.any():
            fig.add_scatter(
                x=k[own & is_seen], y=values[own & is_seen], mode="markers", name=name,
                marker={"color": SHARE, "symbol": symbol, "size": 9},
                hovertemplate="direction %{x}<br>variance %{y:.4~g}<extra></extra>",
            )  # fmt: skip
    across(fig, y=1.0, line={"color": LIGHT.quiet, "dash": "dot", "width": 1.5})
    # On a log axis annotations stand at powers of ten.
    fig.add_annotation(x=1, xref="paper", xanchor="right", y=0.0, yanchor="bottom", text=AFTER)
    return fig.update_xaxes(dtick=1) if len(k) <= 12 else fig


def reading(s: Spectrum) -> str:
    """How unlike the directions were, and what those left out held."""
    if not len(s.variances):
        return "No step of the preparation whitens."
    p, last = len(s.variances), float(s.variances[s.kept - 1])
    if p == 1:
        return f"A single direction, with a variance of {rough(last)} before."
    ratio = float(np.sqrt(s.variances[0] / last))
    text = f"Among the {s.kept} kept directions " if s.kept < p else f"Among all {p} directions "
    text += f"the longest is {rough(ratio)} times as long as the shortest. "
    if s.kept == p:
        return f"{text}None is left out: noise in the short ones is now as loud as the rest."
    lost = float(s.variances[s.kept :].sum() / s.variances.sum())
    many = "1 is" if p - s.kept == 1 else f"{p - s.kept} are"
    text += f"{many} left out, with {percent(lost)} of the variance."
    return text + (f" The first {MOST_MARKS} are drawn." if p > MOST_MARKS else "")


def table(s: Spectrum) -> tuple[TableColumn, ...]:
    """One line a direction."""
    k = np.arange(len(s.variances))
    return (
        TableColumn("direction", k + 1),
        TableColumn("variance", s.variances),
        TableColumn("kept", k < s.kept),
    )
