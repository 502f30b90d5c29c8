"""The leak before the split: accuracy of every table, both ways."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from figures import marks
from figures.lab import picture
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View
from figures.views.drawing import named_line, percent
from mlcore.labs.leak_switch import Leak

HEIGHT = 320
WAYS = ("inside each fold", "before the split")


def pictures(leak: Leak) -> tuple[View, ...]:
    """One strip a way, a dot a table."""
    return (picture("Accuracy on rows left out", leak, draw, reading, table),)


def draw(leak: Leak) -> go.Figure:
    """Dots of the tables, a bar at each mean, a line at chance."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Columns were chosen"}, "tickvals": [0, 1], "ticktext": WAYS,
               "range": [-0.6, 1.6], "showgrid": False},
        yaxis={"title": {"text": "Accuracy"}, "tickformat": ".0%", "range": [0, 1.03]},
        showlegend=False,
    )  # fmt: skip
    for k, (way, scores) in enumerate(zip(WAYS, (leak.safe, leak.leaky), strict=True)):
        # A fixed spread sideways, so that equal scores do not hide each other.
        x = k + np.linspace(-0.18, 0.18, len(scores) + 2)[1:-1]
        fig.add_trace(marks.points(x, scores, klass=k, name=way))
        style = {"color": LIGHT.text, "width": 3}
        mean = [scores.mean()] * 2
        fig.add_trace(go.Scatter(x=[k - 0.3, k + 0.3], y=mean, mode="lines", line=style))
    return named_line(fig, "chance", y=leak.chance)


def reading(leak: Leak) -> str:
    """Both means, and what the leak alone brought."""
    safe, leaky = float(leak.safe.mean()), float(leak.leaky.mean())
    text = f"Chosen inside each fold: {percent(safe)} right; before the split: {percent(leaky)}. "
    if leaky - safe < 0.02:
        return text + "Here the leak brings next to nothing."
    return text + f"The leak alone brings {percent(leaky - safe)} that no new row will show."


def table(leak: Leak) -> tuple[TableColumn, ...]:
    """One line a table."""
    return (
        TableColumn("table", np.arange(1, len(leak.safe) + 1)),
        TableColumn(WAYS[0], leak.safe),
        TableColumn(WAYS[1], leak.leaky),
    )
