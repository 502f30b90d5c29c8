"""Tables in which every row is related to every other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

BLOCKS = 4
DENSE, THIN = 0.7, 0.08  # probability of a connection within a block and between blocks
GLANCES = 200  # how often each letter is shown
LETTERS = "CGOQDBPREFLTIJUVYXKNMHWASZ"  # letters that look alike stand together


def _line(n: int, rng: np.random.Generator) -> np.ndarray:
    at = np.arange(n)
    return np.abs(at[:, None] - at)


def _cycle(n: int, rng: np.random.Generator) -> np.ndarray:
    there = _line(n, rng)
    return np.minimum(there, n - there)


def _star(n: int, rng: np.random.Generator) -> np.ndarray:
    far = np.where(np.arange(n) == 0, 0, 1)
    return (far[:, None] + far) * (1 - np.eye(n))


def _letters(n: int, rng: np.random.Generator) -> np.ndarray:
    """How often each letter was read as each: the nearer in looks, the oftener."""
    alike = np.exp(-_line(n, rng) / 1.2) + 0.01 + 1.5 * np.eye(n)
    return np.array([rng.multinomial(GLANCES, row / row.sum()) for row in alike])


def _blocks(n: int, rng: np.random.Generator) -> np.ndarray:
    group = _group(n)
    chance = np.where(group[:, None] == group, DENSE, THIN)
    strength = np.where(rng.uniform(size=(n, n)) < chance, rng.integers(1, 4, (n, n)), 0)
    return strength * (1 - np.eye(n, dtype=int))


def _group(n: int) -> np.ndarray:
    return np.arange(n) * BLOCKS // n


RELATIONS = {
    "line": _line,
    "cycle": _cycle,
    "star": _star,
    "letters": _letters,
    "blocks": _blocks,
}
SOURCES = ("prac:shortcut_graphs",)


@enter(Card("relations", "Relations", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Relations(shared.Generator):
    """A square table: row i and column j say how i is related to j.

    Path lengths along a line, around a cycle, or over the middle of a star; how often each of 26
    letters was read as another in 200 glances, more often where they look alike; or connections of
    strength 1 to 3 that are likely (0.7) within four blocks and rare (0.08) between them.

    Shows what can be done without coordinates: scaling that places the rows, and clusterings that
    need distances only. Distances around a cycle do not fit into any flat space.
    """

    n_samples: int = integer(
        16, low=3, high=300, soft=(4, 60), symbol="n", label="Number of rows",
        doc="How many things are related; there are 26 letters at most.",
    )  # fmt: skip
    pattern: str = choice("blocks", *RELATIONS, doc="What the numbers say.")

    def conflict(self) -> str | None:
        """Refuse more letters than there are."""
        if self.pattern == "letters" and self.n_samples > len(LETTERS):
            return f"{self.title()}: there are {len(LETTERS)} letters; got {self.n_samples} rows."
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The table; the name of a row is a label, and its block the target where there is one."""
        n = self.n_samples
        M = RELATIONS[self.pattern](n, self.rng(self.pattern))
        names = list(LETTERS[:n]) if self.pattern == "letters" else [str(i + 1) for i in range(n)]
        columns = [coded("row", names, "nominal", tuple(names))]
        columns += [numeric(f"to_{name}", M[:, j]) for j, name in enumerate(names)]
        target, labels = None, None
        if self.pattern == "blocks":
            target, labels = "block", _group(n)
            columns.append(coded("block", [f"block {g + 1}" for g in labels]))
        truth = shared.Truth(labels=labels)
        return Origin(Table.of(*columns), self.title(), target, (("row", "label"),), truth)
