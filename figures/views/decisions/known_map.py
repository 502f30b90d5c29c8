"""The model that a learner has of its world, state by state."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import grids
from figures.numbers.grids import GridMap, MapOptions, grid_map, titled
from figures.numbers.trials import one_of
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasModel, HasPolicy
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.model_based import estimated, model_errors
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, rough, spaced


class Transitions(NamedTuple):
    """Everything that may follow an action, as it is and as it was counted."""

    states: tuple[str, ...]  # (e,)
    actions: tuple[str, ...]  # (e,)
    nexts: tuple[str, ...]  # (e,)
    counts: np.ndarray  # (e,)
    learned: np.ndarray  # (e,) probabilities; NaN of actions never taken
    true: np.ndarray  # (e,)


class Known(NamedTuple):
    """How far a learned model is off."""

    grid: GridMap
    errors: np.ndarray  # (c, A) by cell and action, from 0 to 1; 1 where it was never taken
    visits: np.ndarray  # (c, A)
    can_be_reached: np.ndarray  # (c,)
    action_names: tuple[str, ...]
    entries: Transitions


@view(
    "known_map",
    title="Learned model",
    asks=(HasModel, HasPolicy),
    options=MapOptions,
    on="mdp",
    order=42,
    sources=("cs2:rmax",),
    synonyms=("transition probabilities", "Dyna", "maximum likelihood model"),
)
def known_map(trial: TrialOutcome, which: int = 0, *, options: MapOptions) -> View:
    """How far the counted probabilities are from the true ones, in each state."""
    row = trial.results[which]
    k = numbers(trial, which, options.layer)
    note = f"{one_of(row)}; distance of learned and true probabilities{titled(k.grid)}"
    return joined(k, draw, reading, table, note=note)


def numbers(trial: TrialOutcome, which: int = 0, layer: int = 0) -> Known:
    """Of the first replicate."""
    world: FiniteMDP = trial.world
    fit = trial.results[which].fits[0]
    g = grid_map(world, fit.values, fit.policy, layer)
    errors = model_errors(world, fit.counts, fit.visits)
    return Known(
        g, errors[g.states], fit.visits[g.states], world.reachable[g.states], world.action_names,
        _transitions(world, fit, np.isin(world.pairs // world.n_actions, g.states)),
    )  # fmt: skip


def _transitions(world: FiniteMDP, fit: Any, shown: np.ndarray) -> Transitions:
    here = np.flatnonzero(shown)
    states, actions = np.divmod(world.pairs[here], world.n_actions)
    ends, nexts = world.ends[here], world.successors[here]
    return Transitions(
        tuple(world.state_names[s] for s in states),
        tuple(world.action_names[a] for a in actions),
        tuple("end" if e else world.state_names[s] for s, e in zip(nexts, ends, strict=True)),
        fit.counts[here],
        estimated(world, fit.counts)[here],
        world.chances[here],
    )


def draw(k: Known) -> go.Figure:
    """Darker is farther off; the number is the mean over the actions."""
    g, means = k.grid, k.errors.mean(axis=1)
    texts = [rough(error) if g.shape[1] <= grids.FEW else "" for error in means]
    heat = grids.heat(g, means, grids.COUNTS, 0.0, 1.0, "error")
    return grids.base(g, heat, grids.words(g, texts), grids.places(g, _hover(k)))


def _hover(k: Known) -> list[str]:
    """Each action of a cell with its visits and its error."""
    texts = []
    for name, errors, visits in zip(k.grid.names, k.errors, k.visits, strict=True):
        lines = [
            f"{action}: taken {spaced(int(n))} times, error {rough(error)}" if n else
            f"{action}: never taken"
            for action, n, error in zip(k.action_names, visits, errors, strict=True)
        ]  # fmt: skip
        texts.append("<br>".join([name, *lines]))
    return texts


def reading(k: Known) -> str:
    """How much was never tried, and how far the rest is off."""
    visits, errors = k.visits[k.can_be_reached], k.errors[k.can_be_reached]
    never = int((visits == 0).sum())
    text = (
        f"{never} of {count(visits.size, 'action')} of states that can be reached were never taken"
    )
    if never == visits.size:
        return f"{text}."
    known = errors[visits > 0]
    if known.max() < 1e-12:
        return f"{text}; what follows each of the others is known exactly."
    return (
        f"{text}; of the others the learned probabilities are {rough(float(known.mean()))} from "
        f"the true ones in the mean, at most {rough(float(known.max()))} (0 is exact, 1 as far as "
        "can be)."
    )


def table(k: Known) -> tuple[TableColumn, ...]:
    """One line a transition."""
    e = k.entries
    return (
        TableColumn("state", e.states),
        TableColumn("action", e.actions),
        TableColumn("next state", e.nexts),
        TableColumn("times seen", e.counts),
        TableColumn("learned probability", e.learned),
        TableColumn("true probability", e.true),
    )
