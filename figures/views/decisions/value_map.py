"""Values and actions of a world, cell by cell, beside the exact answer."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import grids, marks
from figures.numbers.grids import (
    DIFFERENCE,
    EXACT,
    LEARNED,
    BesideExactOptions,
    GridMap,
    MapOptions,
    grid_map,
    titled,
)
from figures.numbers.trials import one_of
from figures.recording import Changes
from figures.theme import LIGHT
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.agent import PolicyState
from mlcore.decisions.capabilities import HasPolicy, HasStages
from mlcore.decisions.mdp import FiniteMDP
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, plural, rough

RING = 46  # pixels; around arrow and number
FRAME, FRAMED = 56, 0.8  # pixels of the frame of a cell, at most, and its share of a cell
CHANGED = "changed"  # the trace of the cells whose action is another than a step before


@view(
    "value_map",
    title="Value function and policy",
    asks=HasPolicy,
    options=BesideExactOptions,
    on="mdp",
    order=20,
    sources=("cs2:mdp",),
    synonyms=("V", "Q-values", "greedy policy"),
)
def value_map(trial: TrialOutcome, which: int = 0, *, options: BesideExactOptions) -> View:
    """What a method takes each state to be worth, and what it would do there.

    Or the exact values, or by how much it is off.
    """
    row = trial.results[which]
    fit = row.fits[0]
    g = grid_map(trial.world, fit.values, fit.policy, options.layer)._replace(show=options.show)
    is_beside = row.can(HasStages) and not trial.world.unsolvable
    beside = ", beside the best without a horizon" if is_beside else ""
    beside += "" if g.show == LEARNED else f", {g.show}"
    return joined(g, draw, reading, table, note=f"{one_of(row)}{beside}{titled(g)}", step=changes)


@view(
    "exact_map",
    title="Optimal values and policy",
    options=MapOptions,
    on="solved_mdp",
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
    """Colour for the value, an arrow for the action, a ring where another action is better.

    While it is played a frame stands where an action is another than a step before. Learned and
    exact values and their difference have one scale of colours.
    """
    is_wide = g.shape[1] <= grids.FEW
    wrong = marks.rings(*_at(g, _is_wrong(g)), name="not the best action")
    wrong.update(uid=grids.RINGS, marker_size=RING if is_wide else 18)
    changed = marks.rings(*_at(g, _is_changed(g, None)), name="another action than a step before")
    changed.update(uid=CHANGED, marker_symbol="square-open", marker_color=LIGHT.accent)
    changed.update(marker_size=max(min(FRAME, FRAMED * grids.WIDE / g.shape[1]), 12))
    name = "value" if g.show != DIFFERENCE else DIFFERENCE
    return grids.base(
        g,
        grids.heat(g, np.clip(g.shown, -g.size, g.size), grids.SIGNED, -g.size, g.size, name),
        grids.words(g, _words(g)),
        wrong,
        changed,
        grids.places(g, _state_texts(g)),
    )


def _words(g: GridMap) -> list[str]:
    """An action and a number a cell: those of the best policy where the exact values are shown."""
    actions = g.best if g.show == EXACT else g.actions
    size = g.size if g.show == DIFFERENCE else None
    return [grids.cell_text(a, v, g.shape[1], size) for a, v in zip(actions, g.shown, strict=True)]


def _at(g: GridMap, where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where on the map the cells in `where`, (c,), are, shape (w,) each."""
    return g.x[where], grids.middles(g)[where]


def _is_wrong(g: GridMap) -> np.ndarray:
    """Whether a ring stands around a cell, (c,): around none of the best policy."""
    return g.is_wrong & (g.show != EXACT)


def _is_changed(g: GridMap, changed: np.ndarray | None) -> np.ndarray:
    """Whether the action of a cell changed in a step, (c,), by that of all states, (S,)."""
    if changed is None or g.show == EXACT:
        return np.zeros(len(g.states), dtype=bool)
    return changed[g.states]


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
        text = f"The action is among the best in all of {count(n, 'state')}."
    else:
        text = (
            f"The action is among the best in {n - wrong} of {count(n, 'state')}; the "
            f"{plural(wrong, 'other is', 'others are')} ringed."
        )
    at = int(np.argmax(np.abs(g.values - g.exact)))
    gap = abs(float(g.values[at] - g.exact[at]))
    if gap < 1e-6:
        return f"{text} Every value is exact to six decimals."
    return (
        f"{text} The value that is farthest off is {rough(g.values[at])} in {g.names[at]}, "
        f"where the best policy earns {rough(g.exact[at])}."
    )


def reading_exact(g: GridMap) -> str:
    """Where it pays most and least to be."""
    top, low = int(np.argmax(g.values)), int(np.argmin(g.values))
    return (
        f"With the best actions it pays most to be in {g.names[top]} ({rough(g.values[top])}) "
        f"and least in {g.names[low]} ({rough(g.values[low])})."
    )


def table(g: GridMap) -> tuple[TableColumn, ...]:
    """One line a state."""
    return (
        TableColumn("state", g.names),
        TableColumn("value", g.values),
        TableColumn("action", g.actions),
        TableColumn("exact value", g.exact),
        TableColumn("best actions", g.best),
    )


def changes(drawn: GridMap, at: dict[str, int], state: PolicyState, world: FiniteMDP) -> Changes:
    """Values, arrows, rings and frames of the map after a step."""
    g = grid_map(world, state.values, state.policy, drawn.layer)
    g = g._replace(show=drawn.show, size=drawn.size)
    rings, frames = _at(g, _is_wrong(g)), _at(g, _is_changed(g, state.changed))
    return {
        at[grids.VALUES]: {"z": grids.filled(g, np.clip(g.shown, -g.size, g.size))},
        at[grids.ARROWS]: {"text": _words(g)},
        at[grids.RINGS]: {"x": rings[0], "y": rings[1]},
        at[CHANGED]: {"x": frames[0], "y": frames[1]},
        at[grids.PLACES]: {"text": grids.everywhere(g, _state_texts(g))},
    }
