"""Strings of letters that share a motif or an ancestor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real

BASES, ACIDS = "ACGT", "ACDEFGHIKLMNPQRSTVWY"
MOTIFS = ("TATAAT", "GGCCGG")
FAMILIES = ("family 1", "family 2", "family 3")


def _word(letters: str, length: int, rng: np.random.Generator) -> str:
    return "".join(np.array(list(letters))[rng.integers(0, len(letters), length)])


@enter(Card("molecules", "Molecules", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Molecules(shared.DistributionGenerator):
    """Strings of letters whose class lies in what they share, not in single places.

    DNA: random bases into which one of two motifs of six letters is planted at a random place.
    Proteins: three ancestors, from which a row is made by letters that are exchanged, left out or
    put in, each with the probability of a change.

    Shows distances and kernels of strings. How often each letter occurs stands beside the string,
    for methods that need numbers.
    """

    n_samples: int = shared.n_samples(120)
    molecule: str = choice("dna", "dna", "protein", doc="What the strings are.")
    length: int = integer(
        40, low=10, high=400, soft=(20, 100), doc="Letters of a string before it is changed."
    )
    change: float = real(
        0.1, low=0.0, high=0.5, soft=(0.0, 0.4), doc="Probability that a letter is changed."
    )

    def n_columns(self) -> int:
        """One a letter, and the string itself."""
        return len(ACIDS) + self.length // 8

    def row_seconds(self) -> float:
        """Letters of proteins are changed one by one; of others, the motif."""
        return 6e-6 * (self.length if self.molecule == "protein" else 20)

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The strings with their motif or family as target."""
        is_dna = self.molecule == "dna"
        levels, letters = (MOTIFS, BASES) if is_dna else (FAMILIES, ACIDS)
        labels = np.arange(self.n_samples) % len(levels)
        rng = self.rng(self.molecule)
        draw = self._planted if is_dna else self._descended
        words = draw(labels, rng)
        counts = np.array([[word.count(letter) for letter in letters] for word in words])
        columns = [coded("string", words, "text")]
        columns += [numeric(letter, counts[:, j], "count") for j, letter in enumerate(letters)]
        kind = "binary" if is_dna else "nominal"
        columns.append(coded("class", np.array(levels)[labels], kind, levels))
        return Origin(Table.of(*columns), self.title(), "class", truth=shared.Truth(labels=labels))

    def _planted(self, labels: np.ndarray, rng: np.random.Generator) -> list[str]:
        """Random bases with a motif at a random place, some letters of which are exchanged."""
        words = []
        for label in labels:
            word, motif = _word(BASES, self.length, rng), MOTIFS[label]
            at = rng.integers(0, self.length - len(motif) + 1)
            motif = _changed(motif, self.change, BASES, rng, exchange_only=True)
            words.append(word[:at] + motif + word[at + len(motif) :])
        return words

    def _descended(self, labels: np.ndarray, rng: np.random.Generator) -> list[str]:
        ancestors = [_word(ACIDS, self.length, self.distribution_rng(name)) for name in FAMILIES]
        return [_changed(ancestors[label], self.change, ACIDS, rng) for label in labels]


def _changed(
    word: str,
    probability: float,
    letters: str,
    rng: np.random.Generator,
    exchange_only: bool = False,
) -> str:
    """The word with letters exchanged, left out or put in, each way as often as the others."""
    parts = []
    for letter in word:
        way = 0 if exchange_only else rng.integers(0, 3)
        other = letters[rng.integers(0, len(letters))]
        is_changed = rng.uniform() < probability
        parts.append((other, "", letter + other)[way] if is_changed else letter)
    return "".join(parts)
