"""Strings of bits and how good they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

SOURCES = ("epfl:DS64",)


def _ones(X: np.ndarray) -> np.ndarray:
    return X.sum(axis=1)


def _load(X: np.ndarray) -> np.ndarray:
    lengths = np.arange(1, X.shape[1] + 1)
    first = X @ lengths
    return np.maximum(first, lengths.sum() - first)


SCORES = {"ones": _ones, "schedule": _load}


@enter(
    Card("bit_strings", "Strings of bits", ("source",), sources=SOURCES, random=True, kind="data")
)
@dataclass(frozen=True, kw_only=True)
class BitStrings(shared.Generator):
    """Bits by the toss of a coin, with the score that a search would change.

    Ones: how many bits are 1, a sum in which every bit counts for itself. Schedule: bit j says
    which of two machines does a job of length j, and the score is when the later one is done; at
    best half of all work, rounded up. A bit is good or bad only by what the others are.

    Shows what crossing two strings keeps, and why a linear model has one score and not the other.
    """

    n_samples: int = shared.n_samples(200)
    score: str = choice("ones", *SCORES, doc="What a string is worth.")
    n_features: int = integer(
        12, low=2, high=100, soft=(4, 30), symbol="p", label="Bits", doc="Length of a string."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The strings with their scores."""
        X = self.rng("bits").integers(0, 2, (self.n_samples, self.n_features))
        y = SCORES[self.score](X)
        columns = [numeric(f"bit{j + 1}", X[:, j], "count") for j in range(X.shape[1])]
        table = Table.of(*columns, numeric("score", y))  # a quantity, however few values it takes
        return Origin(table, self.title(), "score", truth=shared.Truth(signal=1.0 * y))
