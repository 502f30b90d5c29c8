"""Returns of simulations that are cut or end by chance, and the bias of cutting."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.decisions.rollout_horizon import RolloutReturns
from mlcore.spine.wording import count, rough, spaced

BINS = 50
NAMES = ("cut", "ended by chance")


def pictures(r: RolloutReturns) -> tuple[View, ...]:
    """Both histograms, then the bias by horizon."""
    return (
        picture("Return of a simulation", r, draw, reading, table,
                note=f"{spaced(len(r.cut))} simulations, cut after {count(r.horizon, 'move')}"),
        picture("Bias of cutting", r, draw_bias, bias_reading, bias_table),
    )  # fmt: skip


def _counts(r: RolloutReturns) -> tuple[np.ndarray, np.ndarray]:
    """Middles of the bins, (BINS,), and the share of simulations in each, (2, BINS)."""
    both = np.stack([r.cut, r.geometric])
    edges = np.linspace(0.0, float(np.quantile(both[1], 0.995)) + 1e-9, BINS + 1)
    counts = np.array([np.histogram(each, edges)[0] for each in both])
    return (edges[1:] + edges[:-1]) / 2, counts / both.shape[1]


def draw(r: RolloutReturns) -> go.Figure:
    """Two histograms as steps; the far tail of the wild one is left out."""
    middles, shares = _counts(r)
    lines = [line(middles, own, k, NAMES[k], line_shape="hvh") for k, own in enumerate(shares)]
    fig = plot(*lines, x="Return", y="Share of the simulations")
    return named_line(fig, "true value", x=r.true)


def reading(r: RolloutReturns) -> str:
    """Means and widths of both beside the truth."""
    each = [
        f"{name} {rough(float(own.mean()))} (standard deviation {rough(float(own.std()))})"
        for name, own in zip(NAMES, (r.cut, r.geometric), strict=True)
    ]
    return f"The state is worth {rough(r.true)}. Means of the simulations: {each[0]}, {each[1]}."


def table(r: RolloutReturns) -> tuple[TableColumn, ...]:
    """One line a bin."""
    middles, shares = _counts(r)
    return TableColumn("return", middles), *(
        TableColumn(f"share, {name}", own) for name, own in zip(NAMES, shares, strict=True)
    )


def draw_bias(r: RolloutReturns) -> go.Figure:
    """Both are negative; 0 is never quite reached."""
    fig = plot(
        line(r.horizons, r.biases, 0, "bias"), line(r.horizons, r.bounds, 1, "bound"),
        x="Moves", y="Expected return less the value",
    )  # fmt: skip
    fig.update_xaxes(type="log")
    return named_line(fig, "here", x=r.horizon, is_log=True)


def bias_reading(r: RolloutReturns) -> str:
    """At the horizon that was chosen, against the scatter of the other kind."""
    bias = float(np.interp(r.horizon, r.horizons, r.biases))
    bound = r.gamma**r.horizon / (1 - r.gamma)
    return (
        f"Cut after {count(r.horizon, 'move')} the return is about {rough(-bias)} too small; "
        f"theory allows {rough(bound)}. The mean of as many simulations that end by chance is off "
        f"by about {rough(float(r.geometric.std() / np.sqrt(len(r.geometric))))}."
    )


def bias_table(r: RolloutReturns) -> tuple[TableColumn, ...]:
    """One line a horizon."""
    return (
        TableColumn("moves", r.horizons),
        TableColumn("bias", r.biases),
        TableColumn("bound", r.bounds),
    )
