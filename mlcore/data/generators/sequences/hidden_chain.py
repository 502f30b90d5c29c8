"""Sequences of unequal length whose rows are drawn from hidden states that change now and then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real

FACES = ("1", "2", "3", "4", "5", "6")
CASINO = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])  # a fair die, and one that loves the six


class Chain(NamedTuple):
    """Hidden states: their names, their moves, and means and deviations of what they show."""

    column: str  # of the states
    states: tuple[str, ...]
    moves: tuple[tuple[float, ...], ...]
    shown: tuple[str, ...]
    means: tuple[tuple[float, ...], ...] = ()
    deviations: tuple[tuple[float, ...], ...] = ()


CHAINS = {
    "casino": Chain("die", ("fair", "loaded"), ((0.95, 0.05), (0.1, 0.9)), ("face",)),
    "tracks": Chain(
        "doing", ("resting", "walking", "running"),
        ((0.91, 0.09, 0.0), (0.06, 0.86, 0.08), (0.03, 0.09, 0.88)), ("log_step",),
        ((1.0,), (2.6,), (4.1,)), ((0.75,), (0.7,), (0.55,)),
    ),
    "regimes": Chain(
        "market", ("falling", "restless", "calm"),
        ((0.92, 0.08, 0.0), (0.03, 0.92, 0.05), (0.0, 0.02, 0.98)), ("return", "volume"),
        ((-1.2, 2.0), (0.0, 1.0), (0.15, 0.0)), ((1.8, 0.7), (1.2, 0.7), (0.5, 0.7)),
    ),
}  # fmt: skip


@enter(Card("hidden_chain", "Hidden states", ("source",), random=True, kind="data",
            sources=("epfl:DS50",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class HiddenChain(shared.Generator):
    """Sequences of unequal length, each row drawn from a state that is not seen.

    Casino: a fair die that is now and then changed for one that shows the six half of the time.
    Tracks: how far an animal goes in a minute, resting, walking or running. Regimes: return and
    volume of a market that is calm, restless or falling. The target is the hidden state.

    Shows what single rows cannot: which state it was is told by the rows before and after.
    """

    n_samples: int = shared.n_samples(600)
    pattern: str = choice("tracks", *CHAINS, doc="What is drawn.")
    n_sequences: int = integer(
        8, low=1, high=1000, soft=(1, 20), label="Sequences", doc="How many; at most one a row."
    )
    separation: float = real(
        1.0, low=0.0, high=100.0, soft=(0.2, 3.0),
        doc="Distance of the means of the states, in multiples of the usual one; dice stay.",
    )  # fmt: skip

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The sequences one after the other, each in the order of time."""
        it, lengths = CHAINS[self.pattern], self._lengths()
        states = np.concatenate([self._walk(it, k, m) for k, m in enumerate(lengths)])
        number = np.repeat(np.arange(len(lengths)), lengths)
        time = np.concatenate([np.arange(m) for m in lengths])
        table = Table.of(
            numeric("sequence", number + 1, "count"), numeric("time", time, "count"),
            *self._shown(it, states),
            coded(it.column, np.array(it.states)[states], "nominal", it.states),
        )  # fmt: skip
        roles = (("sequence", "sequence"), ("time", "order"))
        return Origin(table, self.title(), it.column, roles, shared.Truth(labels=states))

    def _lengths(self) -> np.ndarray:
        """Lengths that sum to the rows: the longest about three times the shortest, (k,)."""
        k = min(self.n_sequences, self.n_samples)
        shares = self.rng("lengths").uniform(0.5, 1.5, k)
        ends = np.rint(np.cumsum(shares) / shares.sum() * (self.n_samples - k)).astype(np.int64)
        return np.diff(ends, prepend=0) + 1

    def _walk(self, it: Chain, k: int, length: int) -> np.ndarray:
        """The states of sequence k, which begins anywhere."""
        rng = self.rng(f"states {k}")
        ends, states = np.cumsum(it.moves, axis=1), np.zeros(length, dtype=np.int64)
        states[0] = rng.integers(len(it.states))
        for t, u in enumerate(rng.uniform(size=length - 1)):
            states[t + 1] = min(int(np.searchsorted(ends[states[t]], u)), len(it.states) - 1)
        return states

    def _shown(self, it: Chain, states: np.ndarray) -> list:
        rng = self.rng("shown")
        if not it.means:
            above = rng.uniform(size=(len(states), 1)) > np.cumsum(CASINO, axis=1)[states]
            face = np.minimum(above.sum(axis=1), 5)
            return [coded(it.shown[0], np.array(FACES)[face], "nominal", FACES)]
        means, deviations = np.array(it.means), np.array(it.deviations)
        means = means.mean(axis=0) + self.separation * (means - means.mean(axis=0))
        X = means[states] + deviations[states] * rng.normal(size=(len(states), len(it.shown)))
        return [numeric(name, X[:, j]) for j, name in enumerate(it.shown)]
