"""The actions of each state: what a method takes them to be worth, or how often it takes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import action_tables
from figures.numbers.action_tables import ActionTable, action_table, chance_table, values_in
from figures.numbers.grids import LEARNED, BesideExactOptions, MapOptions, titled
from figures.numbers.trials import one_of
from figures.recording import Changes
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.agent import PolicyState
from mlcore.decisions.capabilities import CountsVisits, HasActionChances, HasActionValues
from mlcore.decisions.mdp import FiniteMDP
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, plural, rough

SURE = 0.95  # of the probability of an action: one draw in twenty is another


class ActionValues(NamedTuple):
    """The table, and how many of its entries nothing was ever learned of."""

    table: ActionTable
    never_tried: int | None  # pairs of states that can be reached; None where nobody acts


@view(
    "q_table",
    title="Action values",
    asks=HasActionValues,
    options=BesideExactOptions,
    on="mdp",
    order=24,
    sources=("cs2:q_learning", "epfl:bellman_optimality"),
    synonyms=("Q-table", "Q-values", "Q-function", "action-value function"),
)
def q_table(trial: TrialOutcome, which: int = 0, *, options: BesideExactOptions) -> View:
    """What a method takes each action of each state to be worth, beside the exact answer."""
    row = trial.results[which]
    v = numbers(trial, which, options)
    shown = "" if options.show == LEARNED else f", {options.show}"
    note = f"{one_of(row)}{shown}{titled(v.table.grid)}"
    return joined(v, draw, reading, table, note=note, step=changes)


@view(
    "action_probabilities",
    title="Action probabilities",
    asks=HasActionChances,
    options=MapOptions,
    on="mdp",
    order=23,
    sources=("cs2:policy_softmax",),
    synonyms=("stochastic policy", "softmax policy"),
)
def action_probabilities(trial: TrialOutcome, which: int = 0, *, options: MapOptions) -> View:
    """How likely each action is in each state under a policy that draws."""
    row = trial.results[which]
    t = chance_table(trial.world, row.fits[0].chances, options.layer)
    note = f"{one_of(row)}{titled(t.grid)}"
    return joined(
        t, draw_chances, reading_chances, table_of_chances, note=note, step=changes_of_chances
    )


def numbers(trial: TrialOutcome, which: int, options: BesideExactOptions) -> ActionValues:
    """The table of the first replicate."""
    world, row = trial.world, trial.results[which]
    fit, untried = row.fits[0], None
    if row.can(CountsVisits):
        untried = int((fit.visits[world.reachable] == 0).sum())
    return ActionValues(
        action_table(world, fit.policy, fit.q, options.show, options.layer), untried
    )


def draw(v: ActionValues) -> go.Figure:
    """Blue is a gain, orange a loss; the arrow in the middle is the best action."""
    return action_tables.draw(v.table, "value" if v.table.show == LEARNED else v.table.show)


def draw_chances(t: ActionTable) -> go.Figure:
    """Darker is likelier; the arrow in the middle is the likeliest action."""
    return action_tables.draw(t, "probability", is_signed=False)


def reading(v: ActionValues) -> str:
    """Where the choice is closest, what is farthest off, what was never tried."""
    return " ".join(filter(None, (_closest(v.table), _farthest(v.table), _untried(v))))


def _closest(t: ActionTable) -> str:
    if len(t.actions) < 2:
        return ""  # there is nothing to choose
    ordered = np.sort(t.own, axis=1)
    margin = np.where(t.is_best.sum(axis=1) > 1, np.inf, ordered[:, -1] - ordered[:, -2])
    tied = int(np.isinf(margin).sum())
    if tied == len(margin):
        return "In every state several actions are equally good."
    s = int(margin.argmin())
    second, first = np.argsort(t.own[s], kind="stable")[-2:]
    return (
        f"The choice is closest in {t.grid.names[s]}: {t.actions[first]} {rough(t.own[s, first])}, "
        f"{t.actions[second]} {rough(t.own[s, second])}."
    )


def _farthest(t: ActionTable) -> str:
    off = np.abs(t.own - t.exact)
    if not np.isfinite(off).all():
        return ""
    s, a = np.unravel_index(off.argmax(), off.shape)
    if off[s, a] < 1e-6:
        return "Every value is exact to six decimals."
    return (
        f"Farthest off is {t.actions[a]} in {t.grid.names[s]}: {rough(t.own[s, a], off[s, a])}, "
        f"where {rough(t.exact[s, a], off[s, a])} is right."
    )


def _untried(v: ActionValues) -> str:
    if not v.never_tried:
        return ""
    pairs = count(v.never_tried, "action")
    were, have = (
        plural(v.never_tried, "was", "were"),
        plural(v.never_tried, "has its", "have their"),
    )
    return f"{pairs} of states that can be reached {were} never tried and {have} initial value."


def reading_chances(t: ActionTable) -> str:
    """Where it is least sure, and in how many states it is sure."""
    top = t.own.max(axis=1)
    s = int(top.argmin())
    return (
        f"The policy is sure (above {SURE:g}) in {int((top > SURE).sum())} of "
        f"{count(len(top), 'state')}. It is least sure in {t.grid.names[s]}, where the likeliest "
        f"action, {t.actions[int(t.own[s].argmax())]}, has a probability of {top[s]:.3g}."
    )


def table(v: ActionValues) -> tuple[TableColumn, ...]:
    """One line a state."""
    t = v.table
    values = (TableColumn(f"value of {a}", t.own[:, k]) for k, a in enumerate(t.actions))
    exact = (TableColumn(f"exact value of {a}", t.exact[:, k]) for k, a in enumerate(t.actions))
    return TableColumn("state", t.grid.names), *values, *exact


def table_of_chances(t: ActionTable) -> tuple[TableColumn, ...]:
    """One line a state."""
    each = (TableColumn(f"probability of {a}", t.own[:, k]) for k, a in enumerate(t.actions))
    return TableColumn("state", t.grid.names), *each


def changes(
    drawn: ActionValues, at: dict[str, int], state: PolicyState, world: FiniteMDP
) -> Changes:
    """Values and best actions after a step."""
    t = drawn.table
    q = values_in(state, world)
    return action_tables.changed(action_table(world, state.policy, q, t.show, t.grid.layer), at)


def changes_of_chances(
    drawn: ActionTable, at: dict[str, int], state: PolicyState, world: FiniteMDP
) -> Changes:
    """Probabilities and likeliest actions after a step, of learners that tell them."""
    if state.chances is None:
        return {}
    return action_tables.changed(chance_table(world, state.chances, drawn.grid.layer), at)
