"""Numbers of a greedy episode in a world of vectors: what moves, and what is done when."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions.continuous.world import ContinuousWorld, Scene
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import rough


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
