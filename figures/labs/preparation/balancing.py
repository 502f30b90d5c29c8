"""Balancing: class bars, confusion squares, and the share of true alarms by base rate."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.graph import make_subplots
from figures.lab import picture, plot
from figures.theme import LIGHT, NO_TEMPLATE, class_color, faded, figure
from figures.view import TableColumn, View
from mlcore.labs.preparation.balancing import PEOPLE, Alarms
from mlcore.spine.wording import percent, rough, spaced

WHERE = ("rows judged on", "reality")
CLASSES = ("negative", "positive")
JUDGED_AND_REAL = tuple(where.capitalize() for where in WHERE)
BEARS_TEXT = 0.35  # of a cell: across a square that its number fits into
BARS, SQUARES = 190, 320


def pictures(a: Alarms) -> tuple[View, ...]:
    """Who there is, who raises an alarm, and what an alarm is worth."""
    return (
        picture("Classes", a, draw_classes, read_classes, table_classes),
        picture("Alarms among 100,000", a, draw_squares, read_squares, table_squares),
        picture("True alarms by base rate", a, draw_curve, read_curve, table_curve),
    )


def draw_classes(a: Alarms) -> go.Figure:
    """A bar of both classes for the rows judged on, and one for reality."""
    bars = [
        go.Bar(
            x=a.shares[:, k],
            y=list(WHERE),
            orientation="h",
            name=name,
            marker_color=class_color(k),
            text=[f"{name} {percent(share)}" for share in a.shares[:, k]],
            textposition="inside",
            hovertemplate="%{y}<br>%{text}<extra></extra>",
        )
        for k, name in enumerate(CLASSES)
    ]
    return figure(
        *bars,
        height=BARS,
        barmode="stack",
        xaxis={"title": {"text": "Share of the rows"}, "tickformat": ".0%", "range": [0, 1]},
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
        showlegend=False,
        margin={"r": 28},
    )


def read_classes(a: Alarms) -> str:
    """How common positives are, and how often "never" is right."""
    judged, real = a.shares[:, 1]
    return (
        f"Positives are {percent(judged)} of the rows judged on and {percent(real)} in reality. "
        f"There, always saying no is right for {percent(a.accuracy[1])} of the rows, the rule for "
        f"{percent(a.accuracy[0])}."
    )


def table_classes(a: Alarms) -> tuple[TableColumn, ...]:
    """One line for the rows judged on, one for reality."""
    shares = (TableColumn(f"share {c}", a.shares[:, k]) for k, c in enumerate(CLASSES))
    return (TableColumn("where", WHERE), *shares)


def draw_squares(a: Alarms) -> go.Figure:
    """Squares whose areas are the numbers of rows; false alarms and misses in another colour."""
    fig = make_subplots(
        1, 2, horizontal_spacing=0.04, shared_yaxes=True, subplot_titles=JUDGED_AND_REAL
    )
    fig.update_layout(template=NO_TEMPLATE, height=SQUARES, showlegend=False, margin_t=32)
    fig.update_annotations(font={"size": 13, "color": LIGHT.quiet})
    for col, counts in enumerate(a.counts, start=1):
        sides = 0.94 * np.sqrt(counts / PEOPLE)  # nearly 1 for all rows: squares never touch
        for (true, predicted), side in np.ndenumerate(sides):
            half, color = side / 2, faded(class_color(int(true != predicted)), 0.6)
            fig.add_shape(
                x0=predicted - half, x1=predicted + half, y0=true - half, y1=true + half,
                fillcolor=color, line={"width": 0}, layer="below", row=1, col=col,
            )  # fmt: skip
        fig.add_trace(_numbers(counts, sides), row=1, col=col)
    plain = {"showgrid": False, "zeroline": False, "ticks": "", "range": [-0.6, 1.6]}
    fig.update_xaxes(**plain, tickvals=[0, 1], ticktext=["no alarm", "alarm"])
    return fig.update_yaxes(**plain, tickvals=[0, 1], ticktext=list(CLASSES))


def _numbers(counts: np.ndarray, sides: np.ndarray) -> go.Scatter:
    """The numbers inside their squares, or below where these are small."""
    below = np.where(sides > BEARS_TEXT, 0.0, sides / 2 + 0.12)
    return go.Scatter(
        x=np.array([0, 1, 0, 1]),
        y=np.array([0, 0, 1, 1]) - below.ravel(),
        mode="text",
        text=[f"<b>{spaced(round(n))}</b>" for n in counts.ravel()],
        hovertemplate="%{text} rows<extra></extra>",
    )


def read_squares(a: Alarms) -> str:
    """True and false alarms, where the rule is judged and in reality."""
    sentences = [
        f"{spaced(round(c[1, 1]))} true and {spaced(round(c[0, 1]))} false alarms" for c in a.counts
    ]
    return (
        f"Of 100,000 rows judged on, {sentences[0]}; in reality {sentences[1]}. Both times the "
        "rule finds the same share of the positives and errs on the same share of the negatives."
    )


def table_squares(a: Alarms) -> tuple[TableColumn, ...]:
    """One line a square."""
    return (
        TableColumn("where", np.repeat(WHERE, 4)),
        TableColumn("class", np.tile(np.repeat(CLASSES, 2), 2)),
        TableColumn("said", np.tile(["no alarm", "alarm"], 4)),
        TableColumn("rows", a.counts.ravel()),
    )


def draw_curve(a: Alarms) -> go.Figure:
    """The curve over all base rates, the two places marked."""
    places = [
        go.Scatter(
            x=[a.shares[k, 1]],
            y=[a.precision[k]],
            mode="markers",
            name=name,
            marker={"size": 12, "symbol": symbol, "color": class_color(k)},
            hovertemplate="base rate %{x:.3~g}<br>%{y:.1%} of the alarms are true<extra></extra>",
        )
        for k, (name, symbol) in enumerate(zip(WHERE, ("circle", "diamond"), strict=True))
    ]
    curve = line(a.rates, a.precisions, 2, "alarms that are true")
    fig = plot(curve, *places, x="Base rate", y="Alarms that are true")
    fig.update_xaxes(type="log")
    return fig.update_yaxes(range=[0, 1.03], tickformat=".0%")


def read_curve(a: Alarms) -> str:
    """What an alarm is worth in both places, and that shifted priors tell one by the other."""
    if np.isnan(a.precision).any():
        return "The rule never raises an alarm, so none is true or false."
    judged, real = (float(p) for p in a.precision)
    return (
        f"{percent(judged)} of the alarms are true among the rows judged on, {percent(real)} in "
        f"reality. Shifting the priors turns {rough(judged)} into {rough(a.corrected)}."
    )


def table_curve(a: Alarms) -> tuple[TableColumn, ...]:
    """One line a base rate."""
    return (TableColumn("base rate", a.rates), TableColumn("alarms that are true", a.precisions))
