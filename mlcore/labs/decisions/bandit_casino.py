"""Arms that one pulls by hand, against strategies that play the same rewards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from mlcore.decisions.action_values import ActionValueBandit
from mlcore.decisions.agent import BanditFit, Strategy
from mlcore.decisions.bandit import Bandit, BanditArms
from mlcore.decisions.explorers import EpsilonGreedy, Greedy
from mlcore.decisions.thompson import ThompsonSampling
from mlcore.decisions.ucb import UCB
from mlcore.labs.lab import Lab
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import flag, integer, sizes

MOST_ARMS = 10
ROUNDS = 100  # that one may play by hand
LONG = 1000  # rounds of the strategies in many casinos
N_CASINOS = 100


class Casino(NamedTuple):
    """One casino of K arms as one has seen it, and what strategies lose there and elsewhere."""

    counts: np.ndarray  # (K,) own pulls
    sums: np.ndarray  # (K,) rewards of these
    last: tuple[int, float] | None  # the arm pulled last, and what it paid
    means: np.ndarray  # (K,) the truth
    regret: np.ndarray  # (t,) own, after each of t pulls
    names: tuple[str, ...]  # of the strategies
    theirs: np.ndarray  # (s, ROUNDS) regret of each here
    long: np.ndarray  # (s, N_CASINOS, m) regret of each in many casinos
    rounds: np.ndarray  # (m,)
    astray: np.ndarray  # (s,) share of the casinos where most pulls went to a worse arm
    is_open: bool


def strategies() -> dict[str, Strategy]:
    """Who plays beside one."""
    return {
        "greedy": ActionValueBandit(explorer=Greedy()),
        "epsilon-greedy": ActionValueBandit(explorer=EpsilonGreedy()),
        "UCB": UCB(),
        "Thompson sampling": ThompsonSampling(),
    }


@enter(
    Card(
        "bandit_casino",
        "A casino of bandits",
        ("lab",),
        "Robbins (1952), Bulletin of the American Mathematical Society 58",
        sources=("cs2:bandit_env", "cs2:bandit_greedy", "cs2:regret"),
        random=True,
        cost=lambda n, p, it: (0.2 + 2e-2 * it.n_arms, 1e7),
        formula=r"R_t = \sum_{s \le t} (\mu^* - \mu_{a_s})",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("multi-armed bandit game", "clinical trial", "regret", "A/B test"),
        line="pull arms by hand, against four strategies",
    )
)
@dataclass(frozen=True, kw_only=True)
class BanditCasino(Lab):
    """Each arm pays 1 or nothing, with a probability that only pulling tells.

    Click an arm to pull it. Four strategies play the same casino: whoever pulls an arm for the
    third time gets the same reward. When you have played, open the arms and see what each pull has
    lost against the best one. The last picture has the strategies in a hundred other casinos.
    """

    tasks = (
        "Pull twenty times, then open the arms: how much did you lose, how much did the others?",
        "Draw another casino, and pull only what looks best so far, from the second pull on.",
        "Look in the last picture how often greedy spends its life at a worse arm.",
        "Take ten arms, and see who suffers most.",
    )
    seen = (
        "Greedy never comes back to an arm that paid badly at first: in about a third of the "
        "casinos with four arms it stays with a worse one, and there its regret grows for ever. In "
        "the others it loses least of all, so its median is low and its mean is high. UCB is not "
        "caught like that, as it never stops looking, and pays for it in every casino, most with "
        "ten arms. Thompson sampling looks less and less where there is little to hope for."
    )

    n_arms: int = integer(
        4, low=2, high=MOST_ARMS, soft=(2, MOST_ARMS), symbol="K", label="Arms", doc="To pull."
    )
    casino: int = integer(
        0, low=0, high=9999, soft=(0, 99), label="Which casino", doc="Which means are drawn."
    )
    pulls: tuple[int, ...] = sizes(
        low=1, high=MOST_ARMS, soft=(1, MOST_ARMS), most=ROUNDS,
        label="Your pulls", item="pull",
        doc="The arms that you have pulled, counted from 1. A click on an arm adds one; Back takes "
        "it back.",
    )  # fmt: skip
    is_open: bool = flag(False, label="Open the arms", doc="Show the true means and your regret.")

    def conflict(self) -> str | None:
        """One cannot pull an arm that is not there."""
        if wrong := [arm for arm in self.pulls if arm > self.n_arms]:
            return f"This casino has {self.n_arms} arms; there is no arm {wrong[0]} to pull."
        return None

    def clicked(self, marks: tuple[int, ...]) -> Self:
        """One pull more of each arm that was clicked, as far as there are rounds."""
        more = tuple(arm + 1 for arm in marks if 0 <= arm < self.n_arms)
        return replace(self, pulls=(*self.pulls, *more)[:ROUNDS])

    def compute(self, seed: int = 0) -> Casino:
        """What was seen of the arms, and what everybody lost."""
        world = self._world(seed, self.casino)
        pulls = np.array(self.pulls, dtype=np.int64) - 1
        paid = np.array(list(self._paid(world, seed)))
        counts = np.bincount(pulls, minlength=self.n_arms)
        here = [it.fit(world, ROUNDS, seed=seed) for it in strategies().values()]
        many = [self._elsewhere(it, seed) for it in strategies().values()]
        return Casino(
            counts, np.bincount(pulls, paid, self.n_arms),
            (int(pulls[-1]), float(paid[-1])) if len(paid) else None,
            world.means, np.cumsum(world.gaps[pulls]), tuple(strategies()),
            np.array([fit.regret for fit in here]),
            np.array([[fit.regret for _, fit in own] for own in many]), many[0][0][1].rounds,
            np.array([np.mean([_is_astray(w, fit) for w, fit in own]) for own in many]),
            self.is_open,
        )  # fmt: skip

    def _world(self, seed: int, casino: int) -> Bandit:
        means = random.generator(seed, "casino", casino).uniform(0.1, 0.9, self.n_arms)
        return BanditArms(means=tuple(means.round(3).tolist())).world()

    def _paid(self, world: Bandit, seed: int) -> Iterator[float]:
        """The reward of each own pull: those that every strategy would have got."""
        stacks = world.stacks(ROUNDS, random.generator(seed, "rewards 0"))
        pulled = [0] * self.n_arms
        for arm in self.pulls:
            yield float(stacks[arm - 1, pulled[arm - 1]])
            pulled[arm - 1] += 1

    def _elsewhere(self, strategy: Strategy, seed: int) -> list[tuple[Bandit, BanditFit]]:
        """In casinos that are none of those that can be chosen."""
        worlds = [self._world(seed, 10_000 + k) for k in range(N_CASINOS)]
        return [(w, strategy.fit(w, LONG, seed=seed, replicate=k)) for k, w in enumerate(worlds)]


def _is_astray(world: Bandit, fit: BanditFit) -> bool:
    """Whether most pulls went to one arm that is not the best."""
    return bool(fit.counts.max() > LONG / 2 and world.gaps[fit.counts.argmax()] > 0)
