"""Learners at a cliff: their returns while they explore, and the ways that they would go."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import grids
from figures.drawing.curves import curve_columns, curve_traces
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.numbers.grids import GridMap, grid_map
from figures.numbers.trials import ReplicateCurve, replicated
from figures.view import TableColumn, View
from mlcore.decisions.lookahead import TARGETS
from mlcore.labs.decisions.cliff import CLIFF, Cliffs
from mlcore.spine.wording import count, listed, rough, spelled

NAMES = tuple(spelled(target) for target in TARGETS)
APART = 0.16  # of a cell, between ways along the same row


def pictures(c: Cliffs) -> tuple[View, ...]:
    """Returns, then the map with a way a learner."""
    n = count(c.online.shape[1], "replicate")
    return (
        picture("Return while exploring", c, draw, reading, table, note=f"mean of {n}"),
        picture("Greedy ways", c, draw_ways, ways_reading, ways_table, note=f"first of {n}"),
    )


def _curves(c: Cliffs) -> tuple[ReplicateCurve, ...]:
    return tuple(
        replicated(name, c.episodes, own) for name, own in zip(NAMES, c.online, strict=True)
    )


def draw(c: Cliffs) -> go.Figure:
    """A line a learner; the first episodes, which fall often, leave the picture below."""
    curves = _curves(c)
    traces = [t for k, own in enumerate(curves) for t in curve_traces(own, k, lines=False)]
    fig = plot(*traces, x="Episode", y="Return")
    low = min(float(np.median(own.mean[len(own.mean) // 2 :])) for own in curves)
    fig.update_yaxes(range=[1.6 * low + 0.6 * abs(c.best), 0.3 * c.best])
    return named_line(fig, f"best {rough(c.best)}", y=c.best)


def reading(c: Cliffs) -> str:
    """What each earns at the end, with and without exploring."""
    means = [
        f"{name} earns {rough(float(late.mean()))}, without exploring "
        f"{rough(float(np.median(greedy)))} (median)"
        for name, late, greedy in zip(NAMES, c.late, c.greedy, strict=True)
    ]
    return f"In the last fifth of its episodes {listed(means)}."


def table(c: Cliffs) -> tuple[TableColumn, ...]:
    """One line an episode that was noted."""
    return curve_columns("episode", _curves(c), "return")


def _map() -> GridMap:
    world = CLIFF.world()
    return grid_map(world, np.zeros(world.n_states), np.zeros(world.n_states, dtype=np.int64))


def draw_ways(c: Cliffs) -> go.Figure:
    """From the start to the goal, a little apart where two go the same way."""
    columns = _map().shape[1]
    ways = []
    for k, (name, way) in enumerate(zip(NAMES, c.ways, strict=True)):
        own, off = way[way >= 0], APART * (k - 1)
        trace = line(own % columns + off, own // columns + off, k, name)
        ways.append(trace.update(line_width=3, hoverinfo="name"))
    fig = grids.base(_map(), *ways)
    return fig.update_layout(showlegend=True, legend_y=1.15)


def _rows_away(c: Cliffs) -> list[int]:
    """The mean number of rows between each way and the cliff, rounded."""
    rows, columns = _map().shape
    return [
        int(np.round(np.mean(rows - 2 - way[way >= 0][1:-1] // columns))) for way in c.ways
    ]  # fmt: skip


def ways_reading(c: Cliffs) -> str:
    """How far from the edge each goes."""
    away = [
        f"{name} goes {count(n, 'row')} away from it" if n > 0 else f"{name} goes along the edge"
        for name, n in zip(NAMES, _rows_away(c), strict=True)
    ]
    return f"Of these three {listed(away)}."


def ways_table(c: Cliffs) -> tuple[TableColumn, ...]:
    """One line a learner."""
    return (
        TableColumn("learner", NAMES),
        TableColumn("moves of its way", np.array([(way >= 0).sum() - 1 for way in c.ways])),
        TableColumn("rows away from the cliff", np.array(_rows_away(c))),
        TableColumn("return while exploring", c.late.mean(axis=1)),
        TableColumn("return without exploring", c.greedy.mean(axis=1)),
    )
