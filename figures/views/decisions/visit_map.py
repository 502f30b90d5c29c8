"""Where a learner has been."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import grids
from figures.numbers.grids import GridMap, MapOptions, grid_map, titled
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import CountsVisits
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, percent, spaced


class Visits(NamedTuple):
    """Mean number of moves out of each cell of the map."""

    grid: GridMap
    counts: np.ndarray  # (c,)
    can_be_reached: np.ndarray  # (c,)


@view(
    "visit_map",
    title="State visits",
    asks=CountsVisits,
    options=MapOptions,
    on="mdp",
    order=40,
    sources=("cs2:maze_env",),
)
def visit_map(trial: TrialOutcome, which: int = 0, *, options: MapOptions) -> View:
    """How often a learner left each state, in the mean over the replicates."""
    row = trial.results[which]
    v = numbers(trial, which, options.layer)
    note = f"{row.label}, mean of {count(len(row.fits), 'replicate')}{titled(v.grid)}"
    return joined(v, draw, reading, table, note=note)


def numbers(trial: TrialOutcome, which: int, layer: int = 0) -> Visits:
    """Visits of the states that are drawn."""
    world, row = trial.world, trial.results[which]
    g = grid_map(world, row.fits[0].values, row.fits[0].policy, layer)
    counts = row.stacked("visits").sum(axis=2).mean(axis=0)
    return Visits(g, counts[g.states], world.reachable[g.states])


def draw(v: Visits) -> go.Figure:
    """Darker is more often, on a scale of powers of ten; the number stands in the cell."""
    g = v.grid
    level = np.log10(1.0 + v.counts)
    texts = [_short(count) if g.shape[1] <= grids.FEW else "" for count in v.counts]
    hover = [f"{n}<br>{spaced(round(c))} visits" for n, c in zip(g.names, v.counts, strict=True)]
    high = max(float(level.max(initial=0.0)), 1.0)
    heat = grids.heat(g, level, grids.COUNTS, 0.0, high, "visits")
    ticks = list(range(int(high) + 1))
    heat.update(colorbar={"tickvals": ticks, "ticktext": [spaced(10**k) for k in ticks]})
    return grids.base(g, heat, grids.words(g, texts), grids.places(g, hover))


def _short(count: float) -> str:
    return spaced(round(count)) if count < 1e5 else f"{count:.1e}"


def reading(v: Visits) -> str:
    """How evenly the visits are spread."""
    total = float(v.counts.sum())
    if not total:
        return "No move began here."
    seen = v.counts[v.can_be_reached]
    few = int((seen < 1).sum())
    top = int(np.argmax(v.counts))
    text = (
        f"{percent(float(v.counts[top]) / total)} of {spaced(round(total))} moves began in "
        f"{v.grid.names[top]}."
    )
    if few:
        return f"{text} {count(few, 'state')} that can be reached saw hardly a visit."
    return f"{text} Every state of the map that can be reached was visited."


def table(v: Visits) -> tuple[TableColumn, ...]:
    """One line a state."""
    return (TableColumn("state", v.grid.names), TableColumn("visits", v.counts))
