"""Both decodings of one sequence, and how right each is over many."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from mlcore.labs.sequences.two_decoders import N_STATES, Decoded
from mlcore.spine.wording import count, percent, rough

NAMES = ("Viterbi", "posterior")
MEASURES = ("steps right", "whole right", "impossible")
APART = 0.06  # of a state, between lines that would lie on one another


def pictures(d: Decoded) -> tuple[View, ...]:
    """One sequence, then all."""
    note = f"{count(d.n_sequences, 'sequence')} of {count(len(d.truth), 'step')}"
    return (
        picture("One sequence", d, draw, reading, table),
        picture("How right each is", d, draw_shares, shares_reading, shares_table, note=note),
    )


def draw(d: Decoded) -> go.Figure:
    """What is seen as crosses; states as steps, a little apart; differences ringed."""
    t = np.arange(1, len(d.truth) + 1)
    lines = [line(t, own + (k - 0.5) * 2 * APART, k, NAMES[k]) for k, own in enumerate(d.paths)]
    truth = go.Scatter(
        x=t, y=d.truth, mode="lines", name="truth", line={"color": LIGHT.hairline, "width": 12}
    )
    for each in (truth, *lines):
        each.update(line_shape="hvh")
    at = d.paths[0] != d.paths[1]
    style = {"color": LIGHT.text, "width": 2}
    rings = go.Scatter(
        x=t[at], y=d.paths[1][at], mode="markers", name="differ",
        marker={"symbol": "circle-open", "size": 20, "line": style, "color": LIGHT.text},
        customdata=d.posterior[at, d.paths[1][at]],
        hovertemplate="posterior %{customdata:.3f}<extra></extra>",
    )  # fmt: skip
    seen = go.Scatter(
        x=t, y=d.first, mode="markers", name="seen",
        marker={"symbol": "x-thin-open", "size": 8, "color": LIGHT.quiet},
    )  # fmt: skip
    fig = plot(truth, seen, *lines, *([rings] if at.any() else []), x="Step", y="State")
    return fig.update_yaxes(tickvals=list(range(N_STATES)), ticktext=["1", "2", "3"])


def reading(d: Decoded) -> str:
    """Where they differ, and whether the posterior's states are a path."""
    n = int((d.paths[0] != d.paths[1]).sum())
    if not n:
        return "The two decoders give the same states here, and in every other sequence drawn."
    text = f"The two differ at {count(n, 'step')}. "
    if d.logs[1] <= -1e6:
        return text + "The posterior's states make a move that the chain does not have."
    ratio = np.exp(d.logs[0] - d.logs[1])
    return text + f"Viterbi's path is {rough(float(ratio))} times as likely as the other."


def table(d: Decoded) -> tuple[TableColumn, ...]:
    """One line a step; states counted from 1."""
    return (
        TableColumn("step", np.arange(1, len(d.truth) + 1)),
        TableColumn("seen", d.first),
        TableColumn("state", d.truth + 1),
        *(TableColumn(name, own + 1) for name, own in zip(NAMES, d.paths, strict=True)),
        *(TableColumn(f"posterior of state {i + 1}", own) for i, own in enumerate(d.posterior.T)),
    )


def _shares(d: Decoded) -> np.ndarray:
    """By measure and decoder, (3, 2)."""
    return np.array([d.right_steps, d.right_paths, d.impossible])


def draw_shares(d: Decoded) -> go.Figure:
    """Two bars a measure, with the number at their end."""
    bars = [
        go.Bar(x=list(MEASURES), y=own, name=NAMES[k], marker_color=class_color(k),
               text=[percent(float(share)) for share in own], textposition="outside")
        for k, own in enumerate(_shares(d).T)
    ]  # fmt: skip
    fig = plot(*bars, x="", y="Share", barmode="group")
    return fig.update_yaxes(tickformat=".0%", range=[0, 1.1])


def shares_reading(d: Decoded) -> str:
    """Each decoder at what it is for."""
    (step_v, step_p), (path_v, path_p), (_, jumps) = _shares(d)
    return (
        f"Single steps are right in {percent(float(step_v))} by Viterbi, {percent(float(step_p))} "
        f"by the posterior; whole sequences in {percent(float(path_v))} and "
        f"{percent(float(path_p))}. They differ on {percent(d.differ)} of the sequences; "
        f"{percent(float(jumps))} of the posterior's are impossible."
    )


def shares_table(d: Decoded) -> tuple[TableColumn, ...]:
    """One line a measure."""
    shares = (TableColumn(name, own) for name, own in zip(NAMES, _shares(d).T, strict=True))
    return TableColumn("share of", MEASURES), *shares
