"""The largest of sampled values: its draws beside the truth, and its bias by number of actions."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import class_color
from figures.view import TableColumn, View
from mlcore.labs.decisions.sampled_backup_bias import SampledMaxima
from mlcore.spine.wording import count, rough, spaced

BINS = 40
NAMES = ("largest sample", "second sample of the winner")


def pictures(s: SampledMaxima) -> tuple[View, ...]:
    """The draws, then the bias."""
    return (
        picture("Draws of a backup", s, draw, reading, table,
                note=f"of {count(s.n_actions, 'action')}, {spaced(len(s.maxima))} times"),
        picture("Bias by number of actions", s, draw_bias, bias_reading, bias_table,
                note="expected value less the true one"),
    )  # fmt: skip


def _counts(s: SampledMaxima) -> tuple[np.ndarray, np.ndarray]:
    """Middles of the bins, (BINS,), and the share of draws in each, (2, BINS)."""
    both = np.stack([s.maxima, s.doubled])
    edges = np.linspace(both.min(), both.max(), BINS + 1)
    counts = np.array([np.histogram(each, edges)[0] for each in both])
    return (edges[1:] + edges[:-1]) / 2, counts / len(s.maxima)


def draw(s: SampledMaxima) -> go.Figure:
    """Two histograms as lines with steps, their means dashed, the true value a line."""
    middles, shares = _counts(s)
    lines = [line(middles, share, k, NAMES[k]) for k, share in enumerate(shares)]
    for each in lines:
        each.update(line_shape="hvh")
    fig = plot(*lines, x="Value", y="Share of the draws")
    for k, each in enumerate((s.maxima, s.doubled)):
        dashed = {"color": class_color(k), "dash": "dot", "width": 2}
        across(fig, x=float(each.mean()), line=dashed)
    return named_line(fig, "true value", x=s.true)


def reading(s: SampledMaxima) -> str:
    """Both means beside the truth."""
    off, second = float(s.maxima.mean()) - s.true, float(s.doubled.mean()) - s.true
    error = float(s.maxima.std() / np.sqrt(len(s.maxima)))
    return (
        f"The largest sample is off by {rough(off, error)} on average, {rough(s.own_bias)} "
        f"expected; a second sample of the winner by {rough(second, error)}. Where every backup "
        f"has this bias, values end up too large by {rough(s.in_the_end)}."
    )


def table(s: SampledMaxima) -> tuple[TableColumn, ...]:
    """One line a bin."""
    middles, shares = _counts(s)
    named = (TableColumn(f"share, {name}", share) for name, share in zip(NAMES, shares))
    return TableColumn("value", middles), *named


def draw_bias(s: SampledMaxima) -> go.Figure:
    """Above 0 for the largest sample, never above for a second one."""
    fig = plot(
        line(s.actions, s.bias, 0, NAMES[0]), line(s.actions, s.double_bias, 1, NAMES[1]),
        x="Actions", y="Bias",
    )  # fmt: skip
    return named_line(fig, "here", x=s.n_actions)


def bias_reading(s: SampledMaxima) -> str:
    """How the bias grows from two actions to many."""
    return (
        f"With 2 actions the largest sample is too large by {rough(float(s.bias[1]))}, with "
        f"{s.actions[-1]} by {rough(float(s.bias[-1]))}; a second sample of the winner is off by "
        f"{rough(float(s.double_bias[1]))} and {rough(float(s.double_bias[-1]))}."
    )


def bias_table(s: SampledMaxima) -> tuple[TableColumn, ...]:
    """One line a number of actions."""
    return (
        TableColumn("actions", s.actions),
        TableColumn("bias of the largest sample", s.bias),
        TableColumn("bias of a second sample of the winner", s.double_bias),
    )
