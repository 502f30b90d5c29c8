"""A stroke beside known gestures, its scores, and which strokes each rule lets pass."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.marks import equal_axes
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color, faded
from figures.view import TableColumn, View
from mlcore.labs.sequences.gestures import KNOWN, RULES, STROKES, Gestures
from mlcore.spine.wording import percent, rough

GARBAGE = "garbage model"


def pictures(g: Gestures) -> tuple[View, ...]:
    """The stroke, its scores, and many strokes."""
    return (
        picture("The stroke", g, draw, reading, table, note="it begins at the large dot"),
        picture("Scores of the stroke", g, draw_scores, scores_reading, scores_table,
                note="log-density a point; an upright line is the threshold of its gesture"),
        picture("What is accepted", g, draw_accepted, accepted_reading, accepted_table,
                note="shares of new strokes"),
    )  # fmt: skip


def draw(g: Gestures) -> go.Figure:
    """One example of each gesture, faint, and the stroke, its beginning marked."""
    examples = [
        go.Scatter(x=own[:, 0], y=own[:, 1], name=name, mode="lines",
                   line={"color": faded(class_color(k), 0.6), "width": 2})
        for k, (name, own) in enumerate(zip(KNOWN, g.examples, strict=True))
    ]  # fmt: skip
    x, y = g.stroke.T
    stroke = go.Scatter(
        x=x, y=y, name="the stroke", mode="lines+markers",
        line={"color": LIGHT.text, "width": 2}, marker={"color": LIGHT.text, "size": 5},
    )  # fmt: skip
    begin = go.Scatter(
        x=x[:1], y=y[:1], mode="markers", showlegend=False, hoverinfo="skip",
        marker={"color": LIGHT.text, "size": 12},
    )  # fmt: skip
    fig = plot(*examples, stroke, begin, x="Across", y="Up").update_layout(showlegend=True)
    return equal_axes(fig)


def reading(g: Gestures) -> str:
    """What the stroke is taken for."""
    best = int(g.scores[:3].argmax())
    return f"Of the three gestures {KNOWN[best]} is the likeliest for these {len(g.stroke)} points."


def table(g: Gestures) -> tuple[TableColumn, ...]:
    """One line a point of the stroke."""
    x, y = g.stroke.T
    return (
        TableColumn("point", np.arange(1, len(x) + 1)),
        TableColumn("across", x),
        TableColumn("up", y),
    )


def draw_scores(g: Gestures) -> go.Figure:
    """A bar a model, and the threshold of each gesture."""
    names = [*KNOWN, GARBAGE]
    bars = go.Bar(
        x=g.scores, y=names, orientation="h", showlegend=False,
        marker={"color": [*map(class_color, range(3)), LIGHT.quiet]},
        hovertemplate="%{y}: %{x:.3~g}<extra></extra>",
    )  # fmt: skip
    limits = go.Scatter(
        x=g.limits, y=KNOWN, mode="markers", name="threshold",
        marker={"symbol": "line-ns-open", "size": 22, "color": LIGHT.text, "line": {"width": 3}},
        hovertemplate="threshold of %{y}: %{x:.3~g}<extra></extra>",
    )  # fmt: skip
    fig = plot(bars, limits, x="Log-density a point (nats)", y="").update_layout(showlegend=True)
    return fig.update_yaxes(autorange="reversed")


def scores_reading(g: Gestures) -> str:
    """What each rule makes of the stroke."""
    best = int(g.scores[:3].argmax())
    own, garbage, limit = float(g.scores[best]), float(g.scores[3]), float(g.limits[best])
    return (
        f"{KNOWN[best].capitalize()} has the largest score, {rough(own)}. The garbage model has "
        f"{rough(garbage)}, so it {'rejects' if garbage >= own else 'accepts'} the stroke; the "
        f"threshold is {rough(limit)} and {'rejects' if own < limit else 'accepts'} it."
    )


def scores_table(g: Gestures) -> tuple[TableColumn, ...]:
    """One line a model."""
    return (
        TableColumn("model", (*KNOWN, GARBAGE)),
        TableColumn("log-density a point", g.scores),
        TableColumn("threshold", np.append(g.limits, np.nan)),
    )


def draw_accepted(g: Gestures) -> go.Figure:
    """By rule, the share of known strokes named rightly and of unknown ones taken for a gesture."""
    shares = {"known, named rightly": g.right, "unknown, taken for a gesture": g.accepted[:, 3]}
    bars = [
        go.Bar(x=RULES, y=own, name=name, marker_color=class_color(k),
               hovertemplate="%{x}: %{y:.1%}<extra>%{fullData.name}</extra>")
        for k, (name, own) in enumerate(shares.items())
    ]  # fmt: skip
    fig = plot(*bars, x="Rejected by", y="Share of new strokes", barmode="group")
    return fig.update_layout(showlegend=True).update_yaxes(range=[0, 1.05], tickformat=".0%")


def accepted_reading(g: Gestures) -> str:
    """What rejecting costs and gains."""
    each = (
        f"by {name} {percent(float(right))} and {percent(float(unknown))}"
        for name, right, unknown in zip(RULES[1:], g.right[1:], g.accepted[1:, 3], strict=True)
    )
    return (
        f"Without rejecting, {percent(float(g.right[0]))} of known strokes are named rightly and "
        f"{percent(float(g.accepted[0, 3]))} of unknown ones are taken for a gesture; "
        f"{', '.join(each)}."
    )


def accepted_table(g: Gestures) -> tuple[TableColumn, ...]:
    """One line a rule."""
    shares = (
        TableColumn(f"accepted of {name}", g.accepted[:, k]) for k, name in enumerate(STROKES)
    )
    return TableColumn("rejected by", RULES), TableColumn("named rightly", g.right), *shares
