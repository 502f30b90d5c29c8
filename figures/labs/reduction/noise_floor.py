"""The floor of noise: two spectra over each other."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.reduction.noise_floor import Floor
from mlcore.spine.wording import rough


def pictures(f: Floor) -> tuple[View, ...]:
    """One picture: both spectra and the floor."""
    return (picture("Spectrum without and with noise", f, draw, reading, table),)


def draw(f: Floor) -> go.Figure:
    """Marks on the lines, so that single components can be told."""
    k = np.arange(1, len(f.clean) + 1)
    lines = [line(k, f.clean, 0, "clean"), line(k, f.noisy, 1, "with noise")]
    for trace in lines:
        trace.mode = "lines+markers"
    fig = plot(*lines, x="Component", y="Variance")
    named_line(fig, "variance of the noise", y=f.floor)
    return fig.update_yaxes(rangemode="tozero")


def reading(f: Floor) -> str:
    """How much the spectrum rose, and what both rules keep."""
    rise = float((f.noisy - f.clean).mean())
    return (
        f"The mean rise is {rough(rise)}, the variance of the noise {rough(f.floor)}. The share "
        f"of 95 % keeps {f.by_share[0]} components without noise and {f.by_share[1]} with it, the "
        f"bend {f.by_knee}; {f.rank} are true."
    )


def table(f: Floor) -> tuple[TableColumn, ...]:
    """One line a component."""
    return (
        TableColumn("component", np.arange(1, len(f.clean) + 1)),
        TableColumn("clean", f.clean),
        TableColumn("with noise", f.noisy),
    )
