"""The best of many looks too good: every study, by its inner score, its nested score, its truth."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import named_line
from figures.lab import picture
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View
from mlcore.labs.evaluation.tuning_optimism import Optimism
from mlcore.spine.wording import count, percent

HEIGHT = 340
WAYS = ("best inner score", "nested score", "truth")


def pictures(optimism: Optimism) -> tuple[View, ...]:
    """One strip a way, a dot a study."""
    note = f"of {count(optimism.n_candidates, 'candidate')}"
    return (picture("Accuracy of the choice", optimism, draw, reading, table, note=note),)


def draw(optimism: Optimism) -> go.Figure:
    """Dots of the studies, a bar at each mean, a line at what the best candidate could do."""
    fig = figure(
        height=HEIGHT,
        xaxis={"tickvals": [0, 1, 2], "ticktext": WAYS, "range": [-0.6, 2.6], "showgrid": False},
        yaxis={"title": {"text": "Accuracy"}, "tickformat": ".0%", "range": [0, 1.03]},
        showlegend=False,
    )
    for k, (way, values) in enumerate(zip(WAYS, _ways(optimism))):
        # A fixed spread sideways, so that equal scores do not hide each other.
        x = k + np.linspace(-0.18, 0.18, len(values) + 2)[1:-1]
        fig.add_trace(marks.points(x, values, klass=k, name=way))
        style = {"color": LIGHT.text, "width": 3}
        mean = [values.mean()] * 2
        fig.add_trace(go.Scatter(x=[k - 0.3, k + 0.3], y=mean, mode="lines", line=style))
    return named_line(fig, "best candidate", y=optimism.possible)


def reading(optimism: Optimism) -> str:
    """The three means, and the optimism."""
    inner, nested, truth = (float(values.mean()) for values in _ways(optimism))
    text = (
        f"Inside, the choice looks {percent(inner)} right; scored on rows that had no part in it, "
        f"{percent(nested)}; the truth is {percent(truth)}. "
    )
    if optimism.n_candidates == 1:
        return text + "With one candidate there is no choice, and nothing to be optimistic about."
    if inner - truth < 0.01:
        return text + "The best candidate stands out so far that the choice is hardly optimistic."
    return (
        text + f"The inner score of the winner is optimistic by {100 * (inner - truth):.0f} points."
    )


def table(optimism: Optimism) -> tuple[TableColumn, ...]:
    """One line a study."""
    studies = TableColumn("study", np.arange(1, len(optimism.inner) + 1))
    return (studies, *(TableColumn(way, v) for way, v in zip(WAYS, _ways(optimism))))


def _ways(optimism: Optimism) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return optimism.inner, optimism.nested, optimism.truth
