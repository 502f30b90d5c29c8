"""The leak before the split: accuracy of every table, and what the choice has seen, both ways."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import named_line
from figures.graph import make_subplots
from figures.lab import picture
from figures.theme import LIGHT, NO_TEMPLATE, SHARE, class_color, figure
from figures.view import TableColumn, View
from mlcore.labs.preparation.leak_switch import Leak
from mlcore.spine.wording import count, percent, rough

HEIGHT = 320
WAYS = ("inside each fold", "before the split")
SEEN = ("unseen", "seen")  # test rows, by the choice of columns each way
ROOM, ROW = 130, 30  # pixels around the folds, and of one of them


def pictures(leak: Leak) -> tuple[View, ...]:
    """The scores, then the folds of one table."""
    note = "one of the tables, the rows that a fold leaves out drawn together"
    return (
        picture("Accuracy on test rows", leak, draw, reading, table),
        picture("What the choice has seen", leak, draw_folds, folds_reading, folds_table,
                note=note),
    )  # fmt: skip


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
    points = rough(100 * (leaky - safe), 1.0)
    return text + f"The leak alone brings {points} points that no new row will show."


def table(leak: Leak) -> tuple[TableColumn, ...]:
    """One line a table."""
    return (
        TableColumn("table", np.arange(1, len(leak.safe) + 1)),
        TableColumn(WAYS[0], leak.safe),
        TableColumn(WAYS[1], leak.leaky),
    )


def draw_folds(leak: Leak) -> go.Figure:
    """A line a fold: the rows that it learns from, and those left out with their accuracy."""
    titles = [
        f"{way[:1].upper()}{way[1:]}:<br>left out rows {seen}"
        for way, seen in zip(WAYS, SEEN, strict=True)
    ]
    fig = make_subplots(1, 2, subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.05)
    fold = leak.first
    k = len(fold.sizes)
    fig.update_layout(template=NO_TEMPLATE, height=ROOM + ROW * k, showlegend=False, margin_t=52)
    fig.update_annotations(font={"size": 13, "color": LIGHT.quiet})
    for way, seen in enumerate(SEEN):
        fig.add_trace(_strips(leak, way, seen), row=1, col=way + 1)
    ends = np.append(0, fold.sizes.cumsum()) - 0.5
    fig.update_xaxes(title_text="Row", range=[ends[0], ends[-1]], showgrid=False)
    plain = {"showgrid": False, "showline": False, "ticks": "", "autorange": "reversed"}
    return fig.update_yaxes(**plain)


def _strips(leak: Leak, way: int, seen: str) -> go.Heatmap:
    """Folds down, rows across: 0 learned from, 1 left out."""
    fold = leak.first
    k, ends = len(fold.sizes), np.append(0, fold.sizes.cumsum())
    texts = [percent(share) for share in fold.right[way] / fold.sizes]
    z = np.eye(k)
    words = [[f"left out, {seen} by the choice" if z[a, b] else "learned from" for b in range(k)]
             for a in range(k)]  # fmt: skip
    return go.Heatmap(
        z=z,
        x=ends - 0.5,
        y=[f"fold {a + 1}" for a in range(k)],
        zmin=0,
        zmax=1,
        colorscale=[(0.0, LIGHT.second), (1.0, (SHARE, class_color(1))[way])],
        showscale=False,
        ygap=4,
        text=[[texts[a] if a == b else "" for b in range(k)] for a in range(k)],
        texttemplate="%{text}",
        textfont={"size": 11},
        hovertext=words,
        hovertemplate="%{y}<br>%{hovertext}<extra></extra>",
    )


def folds_reading(leak: Leak) -> str:
    """How far the choices of the folds agree with the one from all rows, and what each brings."""
    fold = leak.first
    safe, leaky = (percent(share) for share in fold.right.sum(axis=1) / fold.sizes.sum())
    return (
        f"Each of the {count(len(fold.sizes), 'fold')} chooses {leak.kept} columns, and on "
        f"average {rough(float(fold.shared.mean()))} of them are also the choice from all rows. "
        f"Of this table {safe} of the test rows are labelled rightly with columns that were "
        f"chosen without them, {leaky} with columns that were chosen with them."
    )


def folds_table(leak: Leak) -> tuple[TableColumn, ...]:
    """One line a fold."""
    fold = leak.first
    return (
        TableColumn("fold", np.arange(1, len(fold.sizes) + 1)),
        TableColumn("test rows", fold.sizes),
        TableColumn(f"right, {WAYS[0]}", fold.right[0]),
        TableColumn(f"right, {WAYS[1]}", fold.right[1]),
        TableColumn("columns shared", fold.shared),
    )
