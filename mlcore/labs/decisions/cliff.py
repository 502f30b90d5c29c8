"""Three learners at a cliff: what is learned, and what learning it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.explorers import EpsilonGreedy
from mlcore.decisions.gym_world import GymWorld
from mlcore.decisions.learner import LearnedFit
from mlcore.decisions.lookahead import TARGETS
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.td_control import TDControl
from mlcore.labs.lab import Lab
from mlcore.optimisation.schedules import ConstantSchedule
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

CLIFF = GymWorld(environment="cliff_walking", slippery=False, gamma=1.0)
LONGEST = 60  # moves of a way that is drawn: one that goes round in circles has no end
LATE = 0.8  # share of the episodes after which a learner is judged


class Cliffs(NamedTuple):
    """Returns of Q-learning, SARSA and expected SARSA, in this order."""

    episodes: np.ndarray  # (m,) after which the returns were noted
    online: np.ndarray  # (3, R, m) mean return of the episodes since the note before
    late: np.ndarray  # (3, R) of the last fifth of all episodes
    greedy: np.ndarray  # (3, R) of the greedy policy at the end
    ways: np.ndarray  # (3, LONGEST + 1) states of the greedy way of the first replicate; -1: over
    best: float  # return of the best policy
    epsilon: float


@enter(
    Card(
        "cliff",
        "Learners at a cliff",
        ("lab",),
        "Sutton and Barto (2018), Reinforcement Learning, example 6.6",
        sources=("cs2:sarsa", "cs2:q_learning", "epfl:rl_td"),
        random=True,
        cost=lambda n, p, it: (0.05 + 3 * it.replicates * (8e-3 + 2e-5 * it.episodes), 1e7),
        formula=r"Q \leftarrow Q + \alpha\,[\,r + \gamma \max_{a'} Q(s', a') - Q\,]"
        r"\quad\text{or}\quad Q \leftarrow Q + \alpha\,[\,r + \gamma Q(s', a') - Q\,]",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("cliff walking", "on-policy", "off-policy", "Q-learning against SARSA"),
        line="the best way, and the way that may be missed",
    )
)
@dataclass(frozen=True, kw_only=True)
class CliffLab(Lab):
    r"""What is best for somebody who never errs is costly for somebody who explores.

    Every move costs 1, a step over the cliff 100 and the way back to the start. Q-learning learns
    what the best policy is worth, whatever it does meanwhile; SARSA and expected SARSA learn what
    their own behaviour is worth, with its random moves, one in $1/\epsilon$.
    """

    tasks = (
        "Compare the three returns while exploring, then what each earns without exploring.",
        "Look at which row each goes along in the second picture.",
        "Let one move in a hundred be random in place of one in ten: who gains most?",
        "Set the learning rate to 0.1, and see which of the two SARSAs needs it.",
    )
    seen = (
        "With one random move in ten Q-learning goes along the edge, which is the best way with a "
        "return of -13, and falls so often that its episodes earn about -50. SARSA and expected "
        "SARSA walk a row or two further away and earn about -26 and -21 meanwhile. With one in a "
        "hundred nobody falls much, and the edge costs little. SARSA at a rate of 0.5 may end with "
        "a way that goes round in circles: it learns from single actions, expected SARSA from "
        "their mean."
    )

    epsilon: float = real(
        0.1, low=0.0, high=1.0, soft=(0.0, 0.5), symbol=r"\epsilon",
        doc="Probability of a random move.",
    )  # fmt: skip
    learning_rate: float = real(
        0.5, above=0.0, high=1.0, soft=(0.01, 1.0), symbol=r"\alpha", label="Learning rate",
        doc="How far a value moves towards its target.",
    )  # fmt: skip
    episodes: int = integer(
        500, low=20, high=5000, soft=(20, 5000), log=True, label="Episodes",
        doc="That each learner has.",
    )  # fmt: skip
    replicates: int = integer(
        12, low=1, high=100, soft=(1, 50), label="Replicates", doc="Learners of each kind."
    )

    def compute(self, seed: int = 0) -> Cliffs:
        """The same world for all; each learner by its own chance."""
        world = CLIFF.world()
        fits = [[self._fit(world, t, seed, k) for k in range(self.replicates)] for t in TARGETS]
        late = [[_late(fit) for fit in own] for own in fits]
        return Cliffs(
            fits[0][0].episodes, np.array([[fit.online for fit in own] for own in fits]),
            np.array(late), np.array([[fit.greedy[-1] for fit in own] for own in fits]),
            np.array([_way(world, own[0].policy) for own in fits]), world.best, self.epsilon,
        )  # fmt: skip

    def _fit(self, world: FiniteMDP, target: str, seed: int, replicate: int) -> LearnedFit:
        agent = TDControl(
            target=target,
            explorer=EpsilonGreedy(epsilon=ConstantSchedule(value=self.epsilon)),
            learning_rate=ConstantSchedule(value=self.learning_rate),
        )
        return agent.fit(world, self.episodes, seed=seed, replicate=replicate)


def _late(fit: LearnedFit) -> float:
    """Mean return of the last episodes, while exploring."""
    own = fit.episodes > LATE * fit.episodes[-1]
    return float(np.average(fit.online[own], weights=np.diff(fit.episodes, prepend=0)[own]))


def _way(world: FiniteMDP, policy: np.ndarray) -> np.ndarray:
    """States from the start on by a policy where every move has one outcome, (LONGEST + 1,)."""
    way, s = np.full(LONGEST + 1, -1), int(world.initial.argmax())
    for t in range(LONGEST + 1):
        way[t] = s
        entry = world.offsets[s * world.n_actions + policy[s]]
        if world.ends[entry]:
            if t < LONGEST:
                way[t + 1] = world.successors[entry]
            break
        s = int(world.successors[entry])
    return way
