"""Patterns of bits for networks that store and complete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real

SIGNS = np.array([-1.0, 1.0])


def _bars(n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    """Square pictures of upright or lying stripes; the side is the root of the bits."""
    side = max(2, int(np.sqrt(p)))
    lines = SIGNS[rng.integers(0, 2, (n, side))]
    lying = np.arange(n) % 2
    upright = np.tile(lines, (1, side))
    return np.where(lying[:, None] == 1, np.repeat(lines, side, axis=1), upright), lying


def _sparse(n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    """Few active bits a row, the same number in each, 0 and 1."""
    active = max(1, round(p / 10))
    ranks = rng.uniform(size=(n, p)).argsort(axis=1).argsort(axis=1)
    return 1.0 * (ranks < active), None


def _random(n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    return SIGNS[rng.integers(0, 2, (n, p))], None


def _segments(n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    """One pattern of four equal segments -1, +1, -1, +1, again and again."""
    return np.tile(SIGNS[np.arange(p) * 4 // p % 2], (n, 1)), None


def _parity(n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    bits = rng.integers(0, 2, (n, p))
    return bits.astype(float), bits.sum(axis=1) % 2


def _labelings(n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    """Points in general position with labels by the toss of a coin."""
    return rng.normal(size=(n, p)), rng.integers(0, 2, n)


PATTERNS = {
    "bars and stripes": (_bars, ("upright", "lying")),
    "sparse": (_sparse, ()),
    "random": (_random, ()),
    "four segments": (_segments, ()),
    "parity": (_parity, ("even", "odd")),
    "random labels": (_labelings, ("minus", "plus")),
}


@enter(Card("bit_patterns", "Patterns of bits", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class BitPatterns(shared.Generator):
    """Rows of bits, as networks of neurons store them.

    Bars and stripes: square pictures of upright or lying lines. Sparse: a tenth of the bits is on.
    Random: a coin for each bit. Four segments: -1, +1, -1, +1, repeated in every row. Parity: bits
    and whether their number is odd. Random labels: normal points whose class is a coin. A share of
    the bits is then flipped.

    Shows how many patterns a memory holds, what it completes, and which labelings a line can have.
    """

    n_samples: int = shared.n_samples(40)
    pattern: str = choice("bars and stripes", *PATTERNS, doc="What the bits show.")
    n_features: int = integer(
        16, low=4, high=1000, soft=(4, 144), log=True, symbol="p", label="Bits",
        doc="Bits of a row; a picture takes the largest square.",
    )  # fmt: skip
    flip: float = real(
        0.0, low=0.0, high=0.5, soft=(0.0, 0.3), doc="Share of the bits that are turned around."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows, with a class where the pattern has one."""
        draw, names = PATTERNS[self.pattern]
        clean, labels = draw(self.n_samples, self.n_features, self.rng(self.pattern))
        X = clean
        if self.pattern != "random labels":
            turned = clean.min() + clean.max() - clean
            X = np.where(self.rng("flip").uniform(size=X.shape) < self.flip, turned, clean)
        columns = [numeric(f"bit{j + 1}", X[:, j]) for j in range(X.shape[1])]
        if labels is not None:
            columns.append(coded("class", np.array(names)[labels], "binary", names))
        truth = shared.Truth(labels=labels, clean=clean)
        target = None if labels is None else "class"
        return Origin(Table.of(*columns), self.title(), target, truth=truth)
