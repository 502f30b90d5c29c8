"""The pictures of labs: `mlcore/labs/AREA/NAME.py` has its pictures in `figures/labs/AREA/NAME.py`.

The module has `pictures(numbers)`, which makes one or more views of what the lab computed, each
with its title, its reading and its table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeVar

import figures.graph as go
from figures.drawing import marks
from figures.recording import Recording
from figures.theme import figure
from figures.view import TableColumn, View, joined
from mlcore.spine.component import Component

HEIGHT = 340
N = TypeVar("N")


def pictures_of(lab: Component, numbers: Any) -> tuple[View, ...]:
    """The pictures of a lab, in order, from the numbers that its `compute` returned."""
    module = type(lab).__module__.replace("mlcore.labs.", "figures.labs.", 1)
    made = import_module(module).pictures(numbers)
    return tuple(replace(view, name=f"{lab.card.name}-{k + 1}") for k, view in enumerate(made))


def picture(
    title: str,
    numbers: N,
    draw: Callable[[N], go.Figure],
    reading: Callable[[N], str],
    table: Callable[[N], tuple[TableColumn, ...]],
    *,
    note: str = "",
    player: Callable[[], Recording] | None = None,
) -> View:
    """One picture of a lab; `note` stands in grey beside its title, `player` plays its steps."""
    made = joined(numbers, draw, reading, table, note=note, player=player)
    return replace(made, title=title, figure=marks.log_axes(marks.hovered(made.figure)))


def plot(*traces: Any, x: str, y: str, **layout: Any) -> go.Figure:
    """A figure with these traces, both axes named, and a legend where traces have names."""
    fig = figure(*traces, height=HEIGHT, xaxis={"title": {"text": x}}, yaxis={"title": {"text": y}})
    fig.for_each_trace(lambda trace: trace.update(showlegend=False), lambda t: not t.name)
    if len([trace for trace in traces if trace.name]) > 1:
        # Room between the legend and the names of lines across the picture.
        fig.update_layout(showlegend=True, margin_t=56, legend_y=1.1)
    return fig.update_layout(**layout)
