"""Three maps of kernel ridge regression, its errors by width, and those that were selected."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT, NO_TEMPLATE
from figures.view import TableColumn, View
from mlcore.labs.kernels.krr_complexity import NOISE, KRRComplexity, Panel
from mlcore.spine.wording import count, listed, percent, rough


def pictures(k: KRRComplexity) -> tuple[View, ...]:
    """The maps first."""
    note = count(len(k.X), "row")
    return (
        picture("Three widths", k, draw, reading, table, note=note),
        picture("Error by width", k, draw_errors, errors_reading, errors_table),
        picture("Selected error", k, draw_selected, selected_reading, selected_table,
                note=f"{len(k.selected)} tables of {note}"),
    )  # fmt: skip


def draw(k: KRRComplexity) -> go.Figure:
    """One panel a width, regions as strong as the score is far from zero."""
    titles = [f"width {panel.width:.3g}" for panel in k.panels]
    fig = go.make_subplots(1, 3, horizontal_spacing=0.03, subplot_titles=titles)
    for col, panel in enumerate(k.panels, 1):
        for trace in _panel(k, panel, is_named=col == 1):
            fig.add_trace(trace, row=1, col=col)
    fig.update_layout(template=NO_TEMPLATE, height=220, showlegend=True, margin_t=64)
    fig.update_annotations(font={"size": 13, "color": LIGHT.quiet})
    ends = [k.places[0], k.places[-1]]
    square = {"dtick": 1, "range": ends, "constrain": "domain"}
    fig.update_xaxes(**square).update_yaxes(**square, constraintoward="top")
    for col in (1, 2, 3):
        own = {"scaleanchor": f"x{col if col > 1 else ''}", "showticklabels": col == 1}
        fig.update_yaxes(**own, row=1, col=col)
    return fig


def _panel(k: KRRComplexity, panel: Panel, is_named: bool) -> list[Any]:
    inside = (panel.scores > 0).astype(int)
    sure = np.clip(np.abs(panel.scores), 0.1, 1.0)
    zero = go.Contour(
        x=k.places, y=k.places, z=panel.scores, showscale=False, hoverinfo="skip",
        contours={"coloring": "none", "start": 0, "end": 0, "size": 1},
        line={"color": LIGHT.text, "width": 1.5}, showlegend=False,
    )  # fmt: skip
    points = [
        marks.points(
            *k.X[k.y == c].T, klass=c, name=f"class {c}", showlegend=is_named,
            legendgroup=str(c), marker={"size": 5},
        )
        for c in (0, 1)
    ]  # fmt: skip
    return [marks.regions(k.places, k.places, inside, sure), zero, *points]


def reading(k: KRRComplexity) -> str:
    """The errors of the three."""
    each = (
        f"{percent(p.train)} of the training rows and {percent(p.test)} of new ones at width "
        f"{p.width:.3g}"
        for p in k.panels
    )
    return f"Wrong are {listed(each)}. {percent(NOISE)} of all labels are wrong by themselves."


def table(k: KRRComplexity) -> tuple[TableColumn, ...]:
    """One line a map."""
    return (
        TableColumn("width", [p.width for p in k.panels]),
        TableColumn("training rows", [p.train for p in k.panels]),
        TableColumn("rows left out", [p.left_out for p in k.panels]),
        TableColumn("new rows", [p.test for p in k.panels]),
    )


def draw_errors(k: KRRComplexity) -> go.Figure:
    """Three errors over a log axis."""
    fig = plot(
        line(k.widths, k.train, 0, "training rows"),
        line(k.widths, k.left_out, 2, "rows left out"),
        line(k.widths, k.test, 1, "new rows"),
        x="Width of the kernel",
        y="Share wrong",
    )
    named_line(fig, "wrong labels", y=NOISE)
    named_line(fig, "here", x=k.panels[1].width, is_log=True)
    return fig.update_yaxes(tickformat=".0%", rangemode="tozero").update_xaxes(
        **marks.log_axis(k.widths)
    )


def errors_reading(k: KRRComplexity) -> str:
    """Where rows left out and new rows are served best."""
    left, new = int(k.left_out.argmin()), int(k.test.argmin())
    return (
        f"Rows left out err least, {percent(float(k.left_out[left]))}, at width "
        f"{rough(float(k.widths[left]))}, where new rows err by {percent(float(k.test[left]))}; "
        f"they err least, {percent(float(k.test[new]))}, at width {rough(float(k.widths[new]))}."
    )


def errors_table(k: KRRComplexity) -> tuple[TableColumn, ...]:
    """One line a width."""
    return (
        TableColumn("width", k.widths),
        TableColumn("training rows", k.train),
        TableColumn("rows left out", k.left_out),
        TableColumn("new rows", k.test),
    )


def draw_selected(k: KRRComplexity) -> go.Figure:
    """A line from the selected error to what it is on new rows, a table each, by the latter."""
    order = np.argsort(k.honest)
    rank = np.arange(1, len(order) + 1)
    low, high = k.selected[order], k.honest[order]
    gaps = go.Scatter(
        x=np.column_stack([low, high, np.full(len(order), np.nan)]).ravel(),
        y=np.repeat(rank, 3), mode="lines", line={"color": LIGHT.quiet, "width": 1},
        hoverinfo="skip",
    )  # fmt: skip
    fig = plot(
        gaps,
        marks.points(low, rank, klass=2, name="selected, rows left out"),
        marks.points(high, rank, klass=1, name="selected, new rows"),
        x="Share wrong",
        y="Table",
    )
    return fig.update_xaxes(tickformat=".0%", rangemode="tozero").update_yaxes(
        tickvals=rank[[0, -1]], range=[0.4, len(rank) + 0.6]
    )


def selected_reading(k: KRRComplexity) -> str:
    """By how much it flatters."""
    flattered = int((k.selected < k.honest).sum())
    return (
        f"On average the selected setting errs on {percent(float(k.selected.mean()))} of the rows "
        f"left out and on {percent(float(k.honest.mean()))} of new ones; it says too little on "
        f"{flattered} of {len(k.selected)} tables."
    )


def selected_table(k: KRRComplexity) -> tuple[TableColumn, ...]:
    """One line a table."""
    return (
        TableColumn("table", np.arange(1, len(k.selected) + 1)),
        TableColumn("rows left out", k.selected),
        TableColumn("new rows", k.honest),
    )
