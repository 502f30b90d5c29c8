"""Leaky neurons: where they are, and how fast they move from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import ColumnData, Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real

MOST = 20_000  # rows; a run is followed step by step
LONGEST_STEP = 0.1  # of the integration, in time constants


class Circuit(NamedTuple):
    """Neurons with W[i][j] from j to i, biases and inputs; starts lie within `reach` of 0."""

    weights: tuple[tuple[float, ...], ...]
    biases: tuple[float, ...]
    inputs: tuple[float, ...]
    reach: float


CIRCUITS = {
    "leak": Circuit(((0.0,),), (0.0,), (0.0,), 30.0),
    "steady input": Circuit(((0.0,),), (0.0,), (30.0,), 30.0),
    "holds itself back": Circuit(((-20.0,),), (0.0,), (30.0,), 30.0),
    "drives itself": Circuit(((20.0,),), (0.0,), (-10.0,), 15.0),
    "one rest": Circuit(((0.0, 2.0), (-2.0, 0.0)), (0.0, 0.0), (0.0, 0.0), 6.0),
    "either wins": Circuit(((0.0, -8.0), (-8.0, 0.0)), (4.0, 4.0), (0.0, 0.0), 10.0),
    "four rests": Circuit(((8.0, 0.0), (0.0, 8.0)), (-4.0, -4.0), (0.0, 0.0), 10.0),
    "cycle": Circuit(((4.5, 1.0), (-1.0, 4.5)), (-2.75, -1.75), (0.0, 0.0), 8.0),
}


@enter(Card("leaky_neurons", "Leaky neurons", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class LeakyNeurons(shared.Generator):
    """One or two neurons that leak and drive each other, followed from several starts.

    dm/dt = -m + W x + S with x = 1 / (1 + e^-(m + b)), in time constants, by the method of Runge
    and Kutta. The columns m are where a run is, the target is the speed of the first neuron there.

    Shows rest points as zeros of the speed, where it falls if they are stable; and what two
    neurons do that one cannot: go round for ever.
    """

    n_samples: int = shared.n_samples(400, MOST)
    circuit: str = choice("drives itself", *CIRCUITS, doc="Who drives whom.")
    runs: int = integer(8, low=1, high=50, soft=(1, 20), label="Starts", doc="How many runs.")
    span: float = real(
        10.0, above=0.0, high=100.0, soft=(1.0, 30.0), label="Duration",
        doc="How long a run is followed, in time constants.",
    )  # fmt: skip
    noise: float = shared.noise(0.0, "added to the speeds", (0.0, 2.0))

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The runs one after the other, each in the order of time."""
        circuit = CIRCUITS[self.circuit]
        q = len(circuit.biases)
        starts = circuit.reach * self.rng("starts").uniform(-1, 1, (self.runs, q))
        times = np.linspace(0.0, self.span, -(-self.n_samples // self.runs) + 1)[:-1]
        speed = _speed(circuit)
        M = _followed(speed, starts, times).reshape(-1, q)[: self.n_samples]
        clean = speed(M)
        seen = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        place = np.arange(self.n_samples)
        table = Table.of(
            ColumnData("run", "nominal", place // len(times), _numbers(self.runs)),
            numeric("time", times[place % len(times)]),
            *(numeric(f"m{i + 1}", M[:, i]) for i in range(q)),
            *(numeric(f"speed{i + 1}", seen[:, i]) for i in range(q)),
        )  # fmt: skip
        roles = [("run", "sequence"), ("time", "order"), *(("speed2", "label"),) * (q - 1)]
        truth = shared.Truth(signal=clean[:, 0], noise=self.noise)
        return Origin(table, self.title(), "speed1", tuple(roles), truth)


def _speed(circuit: Circuit) -> Callable[[np.ndarray], np.ndarray]:
    W, b, S = (np.array(values) for values in circuit[:3])

    def speed(m: np.ndarray) -> np.ndarray:
        from scipy.special import expit

        return -m + expit(m + b) @ W.T + S

    return speed


def _followed(speed: Callable, starts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Where every run is at the given times, shape (runs, times, q)."""
    path = np.empty((len(starts), len(times), starts.shape[1]))
    path[:, 0] = m = starts
    for t in range(1, len(times)):
        gap = times[t] - times[t - 1]
        n = int(np.ceil(gap / LONGEST_STEP))
        for _ in range(n):
            m = _runge_kutta(speed, m, gap / n)
        path[:, t] = m
    return path


def _runge_kutta(speed: Callable, m: np.ndarray, h: float) -> np.ndarray:
    a = speed(m)
    b = speed(m + h / 2 * a)
    c = speed(m + h / 2 * b)
    return m + h / 6 * (a + 2 * b + 2 * c + speed(m + h * c))


def _numbers(n: int) -> tuple[str, ...]:
    return tuple(str(k + 1) for k in range(n))
