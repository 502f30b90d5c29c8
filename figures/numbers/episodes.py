"""Numbers of an episode on a map: where the agent is at each moment, and what it does there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from figures.numbers.grids import GridMap, grid_map, grid_of
from mlcore.decisions.capabilities import HasStages
from mlcore.decisions.episodes import Episode, followed
from mlcore.decisions.mdp import FiniteMDP
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.asking import can
from mlcore.spine.random import generator
from mlcore.spine.wording import count, rough

EXITS = "GX"  # letters of cells that end an episode


class Walk(NamedTuple):
    """An episode of T moves on the maps of its world."""

    maps: tuple[GridMap, ...]  # (m,) one for each layer that is met
    shown: np.ndarray  # (T + 1,) which of the maps is seen
    cells: np.ndarray  # (T + 1,) where the agent is, row by row
    earned: np.ndarray  # (T + 1,) sum of the rewards until then
    done: tuple[str, ...]  # (T,) names of the actions
    states: tuple[str, ...]  # (T + 1,) names of the states
    episode: Episode
    discounted: float  # sum of the rewards with the discount of the world
    mean: float  # of that over all episodes of the policy, exactly

    @property
    def n(self) -> int:
        """Moves."""
        return self.episode.n


def walk(trial: TrialOutcome, which: int, number: int) -> Walk:
    """An episode under the policy that the first replicate of a method ended with."""
    world: FiniteMDP = trial.world
    grid, fit = grid_of(world), trial.results[which].fits[0]
    policies = fit.stage_policies if can(fit, HasStages) else fit.policy[None]
    # By its number alone, so that all methods begin alike.
    e = followed(world, policies, generator(trial.run.seed, f"episode {number}"))
    layers = _layers(world, e.states)
    met, shown = np.unique(layers, return_inverse=True)
    return Walk(
        tuple(grid_map(world, fit.values, fit.policy, int(layer)) for layer in met),
        shown,
        np.append(grid.cells[e.states[:-1]], _end(world, e)),
        np.concatenate([[0.0], np.cumsum(e.rewards)]),
        tuple(world.action_names[a] for a in e.actions),
        tuple(world.state_names[s] for s in e.states),
        e,
        e.earned(world.gamma),
        fit.score,
    )


def _layers(world: FiniteMDP, states: np.ndarray) -> np.ndarray:
    """The layer of each of the states, (T + 1,); of one that is in none, that of the one before."""
    layer_of = np.full(world.n_states, -1)
    for k, layer in enumerate(grid_of(world).layers):
        layer_of[layer.states] = k
    layers = layer_of[states]
    for t in np.flatnonzero(layers < 0):
        layers[t] = layers[t - 1] if t else 0
    return layers


def _end(world: FiniteMDP, e: Episode) -> int:
    """The cell behind the last move.

    Ends of a drawn map have no state of their own: the only one beside the last cell is meant, or
    on the whole map, where a wind carries farther.
    """
    grid = grid_of(world)
    here, there = (int(cell) for cell in grid.cells[e.states[-2:]])
    if not e.is_over or here != there:
        return there
    rows, columns = grid.shape
    row, column = divmod(here, columns)
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    beside = [r * columns + c for r, c in around if 0 <= r < rows and 0 <= c < columns]
    for cells in (beside, range(len(grid.letters))):
        exits = [cell for cell in cells if grid.letters[cell] in EXITS]
        if len(exits) == 1:
            return exits[0]
    return there


def sentence(w: Walk, t: int) -> str:
    """What is done in move t + 1 and what follows; behind the last move, how it ended."""
    if t == w.n:
        how = "The episode is over" if w.episode.is_over else "The time limit ends it"
        return f"{how} after {count(w.n, 'move')}: the rewards sum up to {rough(w.earned[-1])}."
    chance = float(w.episode.chances[t])
    luck = f", with a probability of {chance:.3g}" if chance < 1 - 1e-9 else ""
    is_last = t + 1 == w.n and w.episode.is_over
    to = "ends the episode" if is_last else f"leads to {w.states[t + 1]}"
    if not is_last and w.states[t + 1] == w.states[t]:
        to = "changes nothing"
    reward = rough(float(w.episode.rewards[t]))
    return f"Move {t + 1}, in {w.states[t]}: {w.done[t]} {to}{luck}. Reward {reward}."
