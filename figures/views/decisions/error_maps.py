"""Where on the map learned values are off, after some of the episodes, side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import grids
from figures.graph import make_subplots
from figures.numbers.grids import GridMap, MapOptions, grid_map, titled
from figures.numbers.trials import one_of
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasValueErrors
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, rough, spaced

TITLE = 36  # pixels above a map


class Stages(NamedTuple):
    """What the values of the c cells are off by, after k stages of learning."""

    grid: GridMap
    episodes: np.ndarray  # (k,)
    off: np.ndarray  # (k, c) learned less exact

    @property
    def size(self) -> float:
        """The end of the one scale of colours."""
        return float(np.abs(self.off).max()) or 1.0


@view(
    "error_maps",
    title="Errors of the values over time",
    asks=HasValueErrors,
    options=MapOptions,
    on="mdp",
    order=51,
    sources=("epfl:rl_td",),
    synonyms=("value error by state",),
)
def error_maps(trial: TrialOutcome, which: int = 0, *, options: MapOptions) -> View:
    """By how much the value of each state is too high or too low, as learning goes on."""
    s = numbers(trial, which, options.layer)
    note = f"{one_of(trial.results[which])}, learned less exact{titled(s.grid)}"
    return joined(s, draw, reading, table, note=note)


def numbers(trial: TrialOutcome, which: int, layer: int = 0) -> Stages:
    """Of the first replicate."""
    world, fit = trial.world, trial.results[which].fits[0]
    g = grid_map(world, fit.values, fit.policy, layer)
    return Stages(g, fit.stages, fit.staged[:, g.states] - g.exact)


def draw(s: Stages) -> go.Figure:
    """Blue is too high, orange too low, on one scale; the first at the left, above."""
    rows, columns = s.grid.shape
    across = 1 if columns > 2 * rows else 2
    names = [f"after {count(int(e), 'episode')}" for e in s.episodes]
    down = -(-len(names) // across)
    height = TITLE * down + down * min(max(420 // across * rows // columns, 60), 260)
    fig = make_subplots(
        down, across, subplot_titles=names, horizontal_spacing=0.06,
        vertical_spacing=TITLE / height,
    )  # fmt: skip
    for k, off in enumerate(s.off):
        at = {"row": k // across + 1, "col": k % across + 1}
        fig.add_trace(grids.land(s.grid.shape, s.grid.letters).update(texttemplate=""), **at)
        fig.add_trace(_heat(s, off, k == 0), **at)
    fig.update_layout(height=height, showlegend=False, margin={"t": TITLE, "b": 8})
    fig.update_xaxes(visible=False, range=[-0.5, columns - 0.5])
    return fig.update_yaxes(visible=False, range=[rows - 0.5, -0.5])


def _heat(s: Stages, off: np.ndarray, is_first: bool) -> go.Heatmap:
    """The errors of one stage; the bar of colours stands beside the first."""
    heat = grids.heat(s.grid, off, grids.SIGNED, -s.size, s.size, "error")
    texts = np.full(len(s.grid.letters), "", dtype=object)
    texts[s.grid.cells] = [
        f"{name}<br>off by {rough(float(d))}" for name, d in zip(s.grid.names, off, strict=True)
    ]
    hover = texts.reshape(s.grid.shape).tolist()
    return heat.update(uid=None, showscale=is_first, hoverinfo="text", hovertext=hover)


def reading(s: Stages) -> str:
    """Where it is farthest off first, and where last."""
    first, last = (int(np.abs(s.off[k]).argmax()) for k in (0, -1))
    at = f"after {spaced(int(s.episodes[-1]))}"
    return (
        f"After {count(int(s.episodes[0]), 'episode')} the value of {s.grid.names[first]} is "
        f"farthest off, by {rough(float(s.off[0, first]))}; {at} that of {s.grid.names[last]}, by "
        f"{rough(float(s.off[-1, last]))}. In the mean over the states the error is "
        f"{rough(float(np.abs(s.off[0]).mean()))} at first and "
        f"{rough(float(np.abs(s.off[-1]).mean()))} in the end."
    )


def table(s: Stages) -> tuple[TableColumn, ...]:
    """One line a state, a column a stage."""
    each = (
        TableColumn(f"error after {count(int(e), 'episode')}", off)
        for e, off in zip(s.episodes, s.off, strict=True)
    )
    return (TableColumn("state", s.grid.names), *each)
