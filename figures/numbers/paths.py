"""Numbers of a world of vectors: a greedy episode, and states across two of their coordinates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from figures.options import among
from mlcore.decisions.continuous.world import ContinuousWorld, Scene
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.params import integer
from mlcore.spine.wording import rough

CELLS = 60  # a side


class Played(NamedTuple):
    """One greedy episode of T moves from a stage of learning."""

    scene: Scene  # of the T + 1 states
    states: np.ndarray  # (T + 1, d)
    actions: np.ndarray  # (T,) of those that are counted the nearest
    done: tuple[str, ...]  # (T,) the action, or by how much was pushed
    scores: np.ndarray  # (T, R)
    score_names: tuple[str, ...]
    state_names: tuple[str, ...]
    action_names: tuple[str, ...]
    shown: int  # the coordinate that tells most
    after: int  # episodes learned from
    is_cut: bool  # whether the time limit ended it
    others: tuple[tuple[int, int], ...]  # episodes learned from and moves, of every stage

    @property
    def n(self) -> int:
        """Moves."""
        return len(self.actions)


def together(trial: TrialOutcome, which: int, after: int) -> str:
    """The text by which players of one episode find each other."""
    return f"{trial.run.short()} {which} {after}"


def played_path(trial: TrialOutcome, which: int, after: int | None) -> Played:
    """The greedy episode of the first replicate after this many episodes of learning."""
    world: ContinuousWorld = trial.world
    paths = trial.results[which].fits[0].paths
    k = len(paths.after) - 1 if after is None else int(np.flatnonzero(paths.after == after)[0])
    n = int(paths.lengths[k])
    states = paths.states[k, : n + 1]
    actions = np.rint(paths.actions[k, :n]).astype(np.int64)
    return Played(
        world.scene(states), states, actions, _done(world, paths.actions[k, :n]),
        paths.scores[k, :n], paths.names,
        world.state_names, world.action_names, world.plane[0], int(paths.after[k]),
        n == world.max_steps,
        tuple(zip(map(int, paths.after), map(int, paths.lengths), strict=True)),
    )  # fmt: skip


def _done(world: ContinuousWorld, actions: np.ndarray) -> tuple[str, ...]:
    """What the actions, (T,), are called."""
    if world.is_pushed:
        return tuple(f"{world.push_name} {rough(push)}" for push in world.pushes(actions))
    return tuple(world.action_names[int(a)] for a in actions)


def stages(offered: Any) -> dict[Any, str]:
    """After how many episodes an episode was kept."""
    row = offered["trial"].results[offered["which"]]
    return {None: "all of them"} | {int(n): str(int(n)) for n in row.fits[0].paths.after[:-1]}


def sentence(p: Played, t: int) -> str:
    """What is there before move t + 1, and what is done; behind the last move, how it ended."""
    at = ", ".join(f"{name} {rough(x)}" for name, x in zip(p.state_names, p.states[t], strict=True))
    if t == p.n:
        return f"The time limit ends it: {at}." if p.is_cut else f"The episode is over: {at}."
    scores = ", ".join(
        f"{name} {rough(q)}" for name, q in zip(p.score_names, p.scores[t], strict=True)
    )
    return f"Move {t + 1}: {p.done[t]}. {_begun(at)}. {_begun(scores)}."


def _begun(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]


def _coordinates(offered: Any) -> dict[Any, str]:
    """The coordinates of a state, by number from 1."""
    names = offered["trial"].world.state_names
    return {None: "what tells most"} | {k + 1: name for k, name in enumerate(names)}


def coordinate(label: str, axis: str) -> Any:
    """Declare which coordinate of a state stands on an axis."""
    declared = integer(
        None, low=1, soft=(1, 8), or_none="what tells most", label=label,
        doc=f"The coordinate of the state on the {axis} axis.",
    )  # fmt: skip
    return among(declared, _coordinates)


def states_across(
    world: ContinuousWorld, i: int, j: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values of coordinates i and j, both (CELLS,), and all their states, (CELLS^2, d), j by i."""
    x, y = (np.linspace(world.lows[k], world.highs[k], CELLS) for k in (i, j))
    states = np.tile((world.lows + world.highs) / 2, (CELLS * CELLS, 1))
    states[:, i], states[:, j] = np.tile(x, CELLS), np.repeat(y, CELLS)
    return x, y, states


def chosen_coordinates(world: ContinuousWorld, x: int | None, y: int | None) -> tuple[int, int]:
    """Two different coordinates: the chosen ones, from 1, with what tells most for the others."""
    first, second = world.plane
    i = first if x is None else x - 1
    j = second if y is None else y - 1
    if i != j:
        return i, j
    return (i, first if i != first else second) if y is None else (
        first if j != first else second, j
    )  # fmt: skip


def met_near(visits: np.ndarray, i: int, j: int, d: int) -> np.ndarray:
    """Whether a state was met in each cell of the picture or beside it, shape (CELLS, CELLS)."""
    low, high = min(i, j), max(i, j)
    pair = sum(d - 1 - k for k in range(low)) + high - low - 1
    met = visits[pair] > 0
    met = met if i < j else met.T
    around = np.pad(met, 1)
    n = len(met)
    wide = np.zeros_like(met)
    for down in range(3):
        for across in range(3):
            wide |= around[down : down + n, across : across + n]
    cells = np.arange(CELLS) * n // CELLS
    return wide[np.ix_(cells, cells)]


class Slice(NamedTuple):
    """A slice through the states; every other coordinate is 0, the middle of its range."""

    names: tuple[str, str]  # of the coordinates across and up
    others: tuple[str, ...]  # names of the other coordinates
    x: np.ndarray  # (CELLS,)
    y: np.ndarray  # (CELLS,)
    states: np.ndarray  # (CELLS^2, d), y by x
    met: np.ndarray  # (CELLS, CELLS) whether anything near was ever met

    @property
    def note(self) -> str:
        """What is empty, and where the other coordinates stand."""
        return "empty: never met" + (f"; {' and '.join(self.others)} 0" if self.others else "")

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Values of the states, (CELLS^2,), in their cells; NaN where nothing was met."""
        return np.where(self.met, values.reshape(CELLS, CELLS), np.nan)

    def ends(self, values: np.ndarray) -> tuple[str, str]:
        """The greatest and the least of spread values, and where they are."""
        best, worst = (
            np.unravel_index(of(values), values.shape) for of in (np.nanargmax, np.nanargmin)
        )
        return self._at(values, best), self._at(values, worst)

    def _at(self, values: np.ndarray, cell: Any) -> str:
        across, up = self.names
        place = f"{across} {rough(float(self.x[cell[1]]))} and {up} {rough(float(self.y[cell[0]]))}"
        return f"{rough(float(values[cell]))}, at {place}"


def slice_of(world: ContinuousWorld, visits: np.ndarray, x: int | None, y: int | None) -> Slice:
    """The slice across two coordinates, by number from 1, where states were met by `visits`."""
    i, j = chosen_coordinates(world, x, y)
    others = tuple(name for k, name in enumerate(world.state_names) if k not in (i, j))
    names = (world.state_names[i], world.state_names[j])
    return Slice(names, others, *states_across(world, i, j), met_near(visits, i, j, world.d))


def on_axes(plane: Slice, world: ContinuousWorld, states: np.ndarray) -> np.ndarray:
    """The coordinates of states, (m, d), that the slice goes across, (m, 2)."""
    return states[:, [world.state_names.index(name) for name in plane.names]]
