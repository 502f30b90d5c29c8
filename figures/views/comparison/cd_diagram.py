"""Mean ranks of methods over several data sets, and which of them cannot be told apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.names import cut
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.comparing.tables import OverTables
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, rough

STEP, ROOM = 30, 96  # pixels from name to name, and of the axis
LONGEST_LABEL = 30
BAR_STEP = 0.32  # between bars of groups, in steps of the names


class Ranked(NamedTuple):
    """Methods by their mean rank, the best first."""

    labels: tuple[str, ...]  # (k,)
    ranks: np.ndarray  # (k,)
    groups: tuple[tuple[int, int], ...]  # first and last place of methods not told apart
    critical: float | None  # difference of mean ranks, where one number decides
    tables: int  # that count
    sentence: str


@view(
    "cd_diagram",
    title="Critical difference diagram",
    synonyms=("CD diagram", "mean ranks", "Nemenyi", "Friedman test"),
)
def cd_diagram(over: OverTables) -> View:
    """Mean ranks on an axis, the best at the left; a bar joins methods that are not told apart."""
    r = numbers(over)
    how = "Nemenyi's test" if r.critical else "signed ranks, adjusted by Holm"
    tested = f"; bars by {how}" if over.posthoc else ""
    return joined(r, draw, reading, table, note=f"over {_tables(r.tables)}{tested}")


def numbers(over: OverTables) -> Ranked:
    """Mean ranks in order, and the groups by place; DataError without any ranks."""
    if not len(over.ranks):
        raise DataError(over.sentence)
    order = np.argsort(over.mean_ranks, kind="stable")
    place = {int(which): at for at, which in enumerate(order)}
    groups = over.posthoc.cliques if over.posthoc else ()
    spans = [sorted(place[which] for which in group) for group in groups]
    return Ranked(
        tuple(over.labels[which] for which in order),
        over.mean_ranks[order],
        tuple((span[0], span[-1]) for span in spans),
        over.posthoc.critical_difference if over.posthoc else None,
        len(over.ranks),
        over.sentence,
    )


def draw(r: Ranked) -> go.Figure:
    """The axis of ranks on top; names hang below it, half to either side."""
    k = len(r.labels)
    half = (k + 1) // 2
    bars = BAR_STEP * len(r.groups)
    depth = bars + 0.8 + half
    fig = figure(
        height=int(ROOM + STEP * depth),
        xaxis={"range": [0.6, k + 0.4], "side": "top", "dtick": 1, "showgrid": False,
               "title": {"text": "Mean rank (1 is best)"}},
        yaxis={"range": [-depth, 0.9 if r.critical else 0.1], "visible": False,
               "fixedrange": True},
        showlegend=False,
    )  # fmt: skip
    for at in range(k):
        _hang(fig, r, at, half, bars)
    for at, (first, last) in enumerate(r.groups):
        _bar(fig, r.ranks[first] - 0.03, r.ranks[last] + 0.03, -0.25 - BAR_STEP * at, 5)
    if r.critical:
        _bar(fig, 1, 1 + r.critical, 0.35, 2)
        text = f"critical difference {rough(r.critical)}"
        fig.add_annotation(x=1, y=0.35, text=text, xanchor="left", yanchor="bottom")
    return fig.add_trace(_dots(r))


def _hang(fig: go.Figure, r: Ranked, at: int, half: int, bars: float) -> None:
    """The line from a rank down and out to its name: the better half to the left."""
    is_left = at < half
    level = at if is_left else len(r.labels) - 1 - at
    y, end = -(bars + 0.7 + level), 0.9 if is_left else len(r.labels) + 0.1
    x = float(r.ranks[at])
    fig.add_scatter(
        x=[x, x, end], y=[0, y, y], mode="lines", hoverinfo="skip",
        line={"color": LIGHT.quiet, "width": 1.2},
    )  # fmt: skip
    fig.add_annotation(
        x=end, y=y, text=f"{cut(r.labels[at], LONGEST_LABEL)} {x:.2f}", yanchor="bottom",
        xanchor="left" if is_left else "right", font={"color": LIGHT.text},
    )  # fmt: skip


def _bar(fig: go.Figure, x0: float, x1: float, y: float, width: float) -> None:
    line = {"color": LIGHT.accent, "width": width}
    fig.add_scatter(x=[x0, x1], y=[y, y], mode="lines", line=line, hoverinfo="skip")


def _dots(r: Ranked) -> go.Scatter:
    return go.Scatter(
        x=r.ranks,
        y=np.zeros(len(r.ranks)),
        mode="markers",
        marker={"color": LIGHT.accent, "size": 9},
        text=r.labels,
        hovertemplate="%{text}<br>mean rank %{x:.3~g}<extra></extra>",
    )


def reading(r: Ranked) -> str:
    """What the tests say, or why there are none."""
    first = f"{r.labels[0]} ranks {rough(float(r.ranks[0]))} on average over {_tables(r.tables)}."
    return f"{first} {r.sentence}"


def table(r: Ranked) -> tuple[TableColumn, ...]:
    """One line a method."""
    groups = [
        ", ".join(str(g + 1) for g, (first, last) in enumerate(r.groups) if first <= at <= last)
        for at in range(len(r.labels))
    ]
    return (
        TableColumn("method", r.labels),
        TableColumn("mean rank", r.ranks),
        TableColumn("group", groups),
    )


def _tables(n: int) -> str:
    return count(n, "data set")
