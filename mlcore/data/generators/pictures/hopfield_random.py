"""Networks of random weights that are left to themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer

SOURCES = ("cs2:random Hopfield net",)
MOST = 1000  # rows; each is a network that is run to its end


@enter(
    Card("hopfield_random", "Networks coming to rest", ("source",), sources=SOURCES, random=True,
         kind="data")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class HopfieldRandom(shared.Generator):
    """Every row is a random network with random states of -1 and 1, run until no neuron turns.

    Weights w_ij = w_ji and biases b_i are uniform on [-1, 1], w_ii on [0, 1]. As long as there are
    neurons with s_i (sum_j w_ij s_j + b_i) < 0, one of them, drawn evenly, turns. Each iteration
    lowers E = -sum_i s_i b_i - 1/2 sum_{i != j} w_ij s_i s_j - sum_i w_ii s_i, so the run ends.

    Shows how deep such networks fall and after how many iterations: 34 to 79 for 100 neurons, 55 in
    the mean, in one sample of 200.
    """

    n_samples: int = shared.n_samples(100, MOST)
    n_neurons: int = integer(
        100, low=2, high=200, soft=(10, 150), symbol="N", label="Neurons", doc="Of each network."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """Energies before and after, iterations, and how many states are +1 at the end."""
        rng = self.rng("networks")
        rows = np.array([_run(self.n_neurons, rng) for _ in range(self.n_samples)])
        names = ("start_energy", "iterations", "end_energy")
        kinds = ("number", "count", "number")
        columns = [numeric(name, rows[:, j], kinds[j]) for j, name in enumerate(names)]
        return Origin(Table.of(*columns), self.title(), "end_energy", truth=shared.Truth())


def _run(n: int, rng: np.random.Generator) -> tuple[float, int, float]:
    """Energy of the start, number of iterations, and energy of the end of a new network."""
    upper = np.triu(rng.uniform(-1, 1, (n, n)), 1)
    W, self_weights, b = upper + upper.T, rng.uniform(0, 1, n), rng.uniform(-1, 1, n)
    s = rng.choice([-1.0, 1.0], n)
    before, n_flips = _energy(W, self_weights, b, s), 0
    field = W @ s + b
    while len(unstable := np.flatnonzero(s * field + self_weights < 0)):
        i = unstable[int(rng.integers(len(unstable)))]
        s[i] = -s[i]
        field += 2 * s[i] * W[:, i]
        n_flips += 1
    return before, n_flips, _energy(W, self_weights, b, s)


def _energy(W: np.ndarray, self_weights: np.ndarray, b: np.ndarray, s: np.ndarray) -> float:
    return float(-s @ b - s @ W @ s / 2 - self_weights @ s)
