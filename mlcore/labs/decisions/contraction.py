"""Two value functions come closer with every sweep, by the discount at least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

MOST = 400  # sweeps
ENOUGH = 5000  # sweeps after which the exact values are taken to be reached


class Contraction(NamedTuple):
    """Largest differences by sweep, beside what theory allows."""

    sweeps: np.ndarray  # (T,) 0, 1, ...
    apart: np.ndarray  # (T,) of the two value functions, in units of the first
    allowed: np.ndarray  # (T,) gamma^k
    error: np.ndarray  # (T,) of the first one against the exact values
    certificate: np.ndarray  # (T,) gamma / (1 - gamma) times the last change; NaN at first
    loss: np.ndarray  # (T,) of acting greedily on the first one, in the worst state
    gamma: float
    needed: int  # sweeps until no state loses more than wanted; -1 if not within these
    wanted: float


def _cost(n: int, p: int, it: ContractionLab) -> tuple[float, float]:
    return 0.03 + 2e-6 * it.n_states**2, 1e6


@enter(
    Card(
        "contraction",
        "Contraction of value iteration",
        ("lab",),
        sources=("cs2:vi_bounds", "cs2:bellman_T_star", "cs2:bellman_T_pi"),
        random=True,
        cost=_cost,
        formula=r"\|T u - T v\|_\infty \le \gamma \|u - v\|_\infty,\qquad"
        r"\|v^* - v_k\|_\infty \le \frac{\gamma}{1 - \gamma} \|v_k - v_{k-1}\|_\infty",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("Banach fixed point", "Bellman operator", "convergence of value iteration"),
        line="sweeps end at the same values from anywhere",
    )
)
@dataclass(frozen=True, kw_only=True)
class ContractionLab(Lab):
    r"""Whatever values one begins with, sweeps of value iteration end at the same ones.

    A world of random transitions and rewards, two random value functions to begin with. Each sweep
    replaces the value of a state by the best of its actions,
    $T v(s) = \max_a r(s, a) + \gamma \sum_{s'} P(s' \mid s, a) v(s')$.
    """

    tasks = (
        "Compare the true distance with what theory allows, for a discount of 0.5 and of 0.95.",
        "Count the sweeps until acting greedily loses nothing worth speaking of.",
        "Look how early that is, against the time at which the values themselves are right.",
    )
    seen = (
        "The distance falls at least by the discount each sweep, so about 1 / (1 - discount) "
        "sweeps make it e times as small. Worlds that mix well are much faster than the bound. "
        "Acting is right long before the values are."
    )

    gamma: float = real(
        0.9, low=0.0, high=0.98, soft=(0.0, 0.98), symbol=r"\gamma", label="Discount",
        doc="What a reward is worth one move later.",
    )  # fmt: skip
    n_states: int = integer(20, low=2, high=200, soft=(2, 100), label="States", doc="Of the world.")
    branching: int = integer(
        3,
        low=1,
        high=20,
        soft=(1, 20),
        label="Successor states",
        doc="States an action may lead to.",
    )
    wanted: float = real(
        0.01, low=1e-6, high=1.0, soft=(1e-4, 1.0), log=True, symbol=r"\eta", label="Loss allowed",
        doc="Value that acting greedily may lose in any state.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> Contraction:
        """Sweeps from both starts, and the loss of the greedy policy after each."""
        rng = generator(seed, "world")
        P, r = self._world(rng)
        u, v = rng.normal(size=(2, self.n_states)) * 5
        best = self._optimum(P, r)
        first, second = [u], [v]
        for _ in range(self._count()):
            first.append(self._swept(P, r, first[-1]))
            second.append(self._swept(P, r, second[-1]))
        us, vs = np.array(first), np.array(second)
        apart = np.abs(us - vs).max(axis=1)
        change = np.abs(np.diff(us, axis=0)).max(axis=1)
        bound = self.gamma / (1 - self.gamma) * np.concatenate([[np.nan], change])
        loss = np.array([(best - self._of_greedy(P, r, each)).max() for each in us])
        small = np.flatnonzero(loss <= self.wanted)
        sweeps = np.arange(len(us))
        return Contraction(
            sweeps, apart / apart[0], self.gamma**sweeps, np.abs(us - best).max(axis=1), bound,
            np.maximum(loss, 0.0), self.gamma, int(small[0]) if len(small) else -1, self.wanted,
        )  # fmt: skip

    def _count(self) -> int:
        """Sweeps that the bound needs for a distance of a thousandth, within reason."""
        needed = np.log(1e-3) / np.log(max(self.gamma, 1e-3))
        return int(min(max(np.ceil(needed), 5), MOST))

    def _world(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (A, S, S) and rewards (A, S) of two actions."""
        n, ways = self.n_states, min(self.branching, self.n_states)
        P = np.zeros((2, n, n))
        for a in range(2):
            for s in range(n):
                P[a, s, rng.choice(n, ways, replace=False)] = rng.dirichlet(np.ones(ways))
        return P, rng.random((2, n))

    def _swept(self, P: np.ndarray, r: np.ndarray, v: np.ndarray) -> np.ndarray:
        return (r + self.gamma * P @ v).max(axis=0)

    def _optimum(self, P: np.ndarray, r: np.ndarray) -> np.ndarray:
        """Policy iteration: exact, after a few iterations."""
        v = np.zeros(self.n_states)
        for _ in range(ENOUGH):
            better = self._of_greedy(P, r, v)
            if np.abs(better - v).max() < 1e-12:
                break
            v = better
        return v

    def _of_greedy(self, P: np.ndarray, r: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Exact values of the policy that is greedy for v, shape (S,)."""
        policy = (r + self.gamma * P @ v).argmax(axis=0)
        s = np.arange(self.n_states)
        return np.linalg.solve(np.eye(len(s)) - self.gamma * P[policy, s], r[policy, s])
