"""How a policy that is given to a predictor is named; declared once for all worlds."""

from __future__ import annotations

from typing import Any

from mlcore.decisions.world import Episodic
from mlcore.spine.params import choice, integer, real
from mlcore.spine.wording import count

EXPLORING, ONE = "epsilon_greedy", "one_action"  # policies that settings of their own tell more of


def followed_policy(default: str, steady: str, words: str) -> Any:
    """Declare which policy is followed; `words` say what the `steady` one does."""
    return choice(
        default, "uniform", steady, EXPLORING, ONE,
        doc=f"Which policy is followed: all actions alike, {words}, {words} but for some actions "
        "at random, or one action always.",
    )  # fmt: skip


def random_share(words: str) -> Any:
    """Declare the share of actions at random of a policy that else does what `words` say."""
    return real(
        0.1, low=0.0, high=1.0, soft=(0.0, 1.0), symbol=r"\epsilon", label="Random actions",
        only_if={"policy": EXPLORING},
        doc=f"Share of the moves with an action at random, {words} among them.",
    )  # fmt: skip


def single_action() -> Any:
    """Declare the one action that is always taken."""
    return integer(
        1, low=1, soft=(1, 6), label="Action", only_if={"policy": ONE},
        doc="Number of the action that is always taken, in the order of the world's names.",
    )  # fmt: skip


def predicted_of() -> Any:
    """Declare whether states or their actions are valued."""
    return choice(
        "v", "v", "q", label="Values",
        doc="What is learned: v, a value a state, or q, a value of each action in each state.",
        advanced=True,
    )  # fmt: skip


def no_such_action(title: str, world: Episodic, action: int) -> str | None:
    """Why an action, counted from 1, cannot be followed in a world, or None."""
    if action <= world.n_actions:
        return None
    return (
        f"{title} should follow action {action} of the {world.name}, which has "
        f"{count(world.n_actions, 'action')}: {', '.join(world.action_names)}. "
        "Choose one of these."
    )
