"""Several sequences, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

WEATHER = ("sunny", "cloudy", "rainy")
SEEN = ("dry", "damp", "wet")
CHANGE = np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])  # tomorrow given today
SHOW = np.array([[0.8, 0.15, 0.05], [0.3, 0.5, 0.2], [0.05, 0.25, 0.7]])  # seen given the weather
RING_STAY, RING_STEP = 0.4, 0.6  # in a ring of states one stays or goes on to the next
RING = 7
FORMANTS = {"a": (7.5, 11.5), "i": (3.0, 23.0), "u": (3.2, 8.0)}  # of vowels, in hundreds of hertz


def _chain(n: int, change: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """States of a Markov chain that starts in state 0, shape (n,)."""
    ends = np.cumsum(change, axis=1)
    states = np.zeros(n, dtype=np.int64)
    for t, u in enumerate(rng.uniform(size=n - 1)):
        states[t + 1] = np.searchsorted(ends[states[t]], u)
    return states


def _gesture(kind: int, t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Waving to and fro, pointing far out and back, or a stop half way up; (T, 2)."""
    size, speed = rng.uniform(0.8, 1.2, 2)
    if kind == 0:
        return size * np.column_stack([np.sin(6 * np.pi * speed * t), 0.8 + 0.1 * np.cos(9 * t)])
    if kind == 1:
        return size * np.column_stack([np.sin(np.pi * t**speed), 0.5 * t])
    return size * np.column_stack([0.1 * np.sin(3 * t), np.minimum(2.5 * speed * t, 1.0)])


def _phoneme(kind: int, t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Two formants that glide from a neutral place to those of the vowel, and stay; (T, 2)."""
    goal = np.array(list(FORMANTS.values())[kind]) * rng.uniform(0.93, 1.07)
    way = np.minimum(t * rng.uniform(2.0, 3.5), 1.0)[:, None]
    return (1 - way) * np.array([5.0, 15.0]) + way * goal


def _stroke(kind: int, t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A figure drawn by a pen that is lifted for part of the way; (T, 3), the last pen down."""
    a, b = ((1, 2), (2, 3), (3, 2))[kind]
    angle = 2 * np.pi * t + rng.uniform(0, 0.3)
    down = 1.0 * ((t < 0.45) | (t > 0.55))
    return np.column_stack([np.sin(a * angle), np.sin(b * angle), down])


def _spikes(kind: int, t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Counts of a neuron that answers in one of three places, jittered; (T, 1)."""
    place = (0.25, 0.5, 0.75)[kind] + 0.04 * rng.normal()
    rate = 0.1 + 1.5 * np.exp(-(((t - place) / 0.06) ** 2) / 2)
    return rng.poisson(rate)[:, None].astype(float)


# What is drawn, the columns, the classes of a sequence, the noise of a column.
DRAWN = {
    "gestures": (_gesture, ("x", "y"), ("waving", "pointing", "stop"), 0.05),
    "phonemes": (_phoneme, ("formant1", "formant2"), tuple(FORMANTS), 0.4),
    "pen": (_stroke, ("x", "y", "down"), ("eight", "knot", "bow"), 0.0),
    "spikes": (_spikes, ("spikes",), ("early", "middle", "late"), 0.0),
}
SOURCES = ("epfl:DS52",)


@enter(Card("sequences", "Sequences", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Sequences(shared.Generator):
    """Sequences one below the other, with the number of the sequence and the time of each row.

    Weather: a chain of three states, of which one sees dry, damp or wet. Ring: a chain that stays
    or goes on around seven states, each shown as a place in three dimensions with noise. Gestures,
    phonemes, strokes of a pen and spike trains come in three classes with a tempo of their own.

    Shows what models of sequences add: the rows are not independent, whole sequences belong into a
    fold, and what matters is the order.
    """

    n_samples: int = shared.n_samples(600)
    pattern: str = choice("gestures", "weather", "ring", *DRAWN, doc="What the sequences are.")
    length: int = integer(
        20, low=2, high=1000, soft=(10, 100), symbol="T", doc="Rows of each sequence."
    )
    asked: int = integer(
        0, low=0, high=100_000, soft=(0, 10), advanced=True,
        doc="How many rows at the end have no target: they are to be told. At most all but two.",
    )  # fmt: skip

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The rows with their sequence, the last one cut where rows run out."""
        n = self.n_samples
        number, time = np.divmod(np.arange(n), self.length)
        columns = [numeric("sequence", number, "count"), numeric("time", time, "count")]
        roles = (("sequence", "sequence"), ("time", "order"))
        shown, target, labels = self._shown(number[-1] + 1)
        columns += shown.take(np.arange(n)).columns
        hidden = np.arange(n) >= max(2, n - self.asked)
        columns = [
            replace(c, values=np.where(hidden, np.nan, c.values)) if c.name == target else c
            for c in columns
        ]
        truth = shared.Truth(labels=labels[:n])
        return Origin(Table.of(*columns), self.title(), target, roles, truth)

    def _shown(self, count: int) -> tuple[Table, str, np.ndarray]:
        """The columns of whole sequences, which of them is the target, and its codes."""
        if self.pattern == "weather":
            return self._weather(count)
        if self.pattern == "ring":
            return self._ring(count)
        draw, names, classes, noise = DRAWN[self.pattern]
        t = np.linspace(0.0, 1.0, self.length)
        kinds = np.arange(count) % len(classes)
        rng = self.rng(self.pattern)
        X = np.vstack([draw(int(kind), t, rng) for kind in kinds])
        X = X + noise * self.rng("noise").normal(size=X.shape)
        labels = np.repeat(kinds, self.length)
        columns = [numeric(name, X[:, j]) for j, name in enumerate(names)]
        columns.append(coded("class", np.array(classes)[labels], "nominal", classes))
        return Table.of(*columns), "class", labels

    def _states(self, count: int, change: np.ndarray) -> np.ndarray:
        rng = self.rng("states")
        return np.concatenate([_chain(self.length, change, rng) for _ in range(count)])

    def _weather(self, count: int) -> tuple[Table, str, np.ndarray]:
        states = self._states(count, CHANGE)
        u = self.rng("seen").uniform(size=(len(states), 1))
        seen = (u > np.cumsum(SHOW, axis=1)[states]).sum(axis=1)
        table = Table.of(
            coded("ground", np.array(SEEN)[np.minimum(seen, 2)], "ordinal", SEEN),
            coded("weather", np.array(WEATHER)[states], "nominal", WEATHER),
        )
        return table, "weather", states

    def _ring(self, count: int) -> tuple[Table, str, np.ndarray]:
        change = RING_STAY * np.eye(RING) + RING_STEP * np.roll(np.eye(RING), 1, axis=1)
        states = self._states(count, change)
        angle = 2 * np.pi * states / RING
        X = np.column_stack([np.cos(angle), np.sin(angle), states % 2])
        X = X + 0.15 * self.rng("noise").normal(size=X.shape)
        names = tuple(f"state {s + 1}" for s in range(RING))
        columns = [numeric(f"x{j + 1}", X[:, j]) for j in range(3)]
        return (
            Table.of(*columns, coded("state", np.array(names)[states], "nominal", names)),
            "state",
            states,
        )
