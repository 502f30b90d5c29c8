"""Values and actions of a world, cell by cell, beside the exact answer."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import grids, marks
from figures.numbers.grids import GridMap, MapOptions, grid_map, titled
from figures.numbers.trials import one_of
from figures.recording import Changes
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.agent import PolicyState
from mlcore.decisions.capabilities import HasPolicy, HasStages
from mlcore.decisions.mdp import FiniteMDP
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, rough

RING = 46  # pixels; around arrow and number


@view(
    "value_map",
    title="Value function and policy",
    asks=HasPolicy,
    options=MapOptions,
    on="mdp",
    order=20,
    sources=("cs2:mdp",),
    synonyms=("V", "Q-values", "greedy policy"),
)
def value_map(trial: TrialOutcome, which: int = 0, *, options: MapOptions) -> View:
    """What a method takes each cell to be worth, and what it would do there."""
    row = trial.results[which]
    fit = row.fits[0]
    g = grid_map(trial.world, fit.values, fit.policy, options.layer)
    is_beside = row.can(HasStages) and not trial.world.unsolvable
    beside = ", beside the best without a horizon" if is_beside else ""
    return joined(g, draw, reading, table, note=f"{one_of(row)}{beside}{titled(g)}", step=changes)


@view(
    "exact_map",
    title="Optimal values and policy",
    options=MapOptions,
    on="mdp",
    order=10,
    sources=("cs2:policy_iteration",),
    synonyms=("optimal policy", "value function"),
)
def exact_map(trial: TrialOutcome, *, options: MapOptions) -> View:
    """The best values and actions, computed from the tables of the world."""
    world = trial.world
    best = world.solution
    g = grid_map(world, best.values, best.policy, options.layer)
    note = f"best values and actions, discount {world.gamma:g}{titled(g)}"
    return joined(g, draw, reading_exact, table, note=note, step=changes)


def draw(g: GridMap) -> go.Figure:
    """Colour for the value, an arrow for the action, a ring where another action is better."""
    columns = g.shape[1]
    texts = [grids.cell_text(a, v, columns) for a, v in zip(g.actions, g.values, strict=True)]
    wrong = marks.rings(g.x[g.is_wrong], grids.middles(g)[g.is_wrong], name="not the best action")
    wrong.update(uid=grids.RINGS, marker_size=RING if columns <= grids.FEW else 18)
    return grids.base(
        g,
        grids.heat(g, g.values, grids.SIGNED, -g.size, g.size, "value"),
        grids.words(g, texts),
        wrong,
        grids.places(g, _state_texts(g)),
    )


def _state_texts(g: GridMap) -> list[str]:
    return [
        f"{name}<br>value {rough(value)}, {action}<br>exact {rough(exact)}, {best}"
        for name, value, action, exact, best in zip(
            g.names, g.values, g.actions, g.exact, g.best, strict=True
        )
    ]


def reading(g: GridMap) -> str:
    """How many actions are right, and how far the values are off."""
    if not np.isfinite(g.exact).any():
        return "There is no exact answer to compare with in this world."
    n, wrong = len(g.cells), int(g.is_wrong.sum())
    if not wrong:
        text = f"The action is among the best in all of {count(n, 'cell')}."
    else:
        text = (
            f"The action is among the best in {n - wrong} of {count(n, 'cell')}; the others "
            "are ringed."
        )
    at = int(np.argmax(np.abs(g.values - g.exact)))
    gap = abs(float(g.values[at] - g.exact[at]))
    if gap < 1e-6:
        return f"{text} Every value is exact to six decimals."
    return (
        f"{text} The value that is farthest off is {rough(g.values[at])} in {g.names[at]}, "
        f"where {rough(g.exact[at])} is right."
    )


def reading_exact(g: GridMap) -> str:
    """Where it pays most and least to be."""
    top, low = int(np.argmax(g.values)), int(np.argmin(g.values))
    return (
        f"With the best actions it pays most to be in {g.names[top]} ({rough(g.values[top])}) "
        f"and least in {g.names[low]} ({rough(g.values[low])})."
    )


def table(g: GridMap) -> tuple[TableColumn, ...]:
    """One line a cell."""
    return (
        TableColumn("cell", g.names),
        TableColumn("value", g.values),
        TableColumn("action", g.actions),
        TableColumn("exact value", g.exact),
        TableColumn("best actions", g.best),
    )


def changes(drawn: GridMap, at: dict[str, int], state: PolicyState, world: FiniteMDP) -> Changes:
    """Values, arrows and rings of the map after a step."""
    g = grid_map(world, state.values, state.policy, drawn.layer)
    columns = g.shape[1]
    texts = [grids.cell_text(a, v, columns) for a, v in zip(g.actions, g.values, strict=True)]
    return {
        at[grids.VALUES]: {"z": grids.filled(g, np.clip(g.values, -g.size, g.size))},
        at[grids.ARROWS]: {"text": texts},
        at[grids.RINGS]: {"x": g.x[g.is_wrong], "y": grids.middles(g)[g.is_wrong]},
        at[grids.PLACES]: {"text": grids.everywhere(g, _state_texts(g))},
    }
