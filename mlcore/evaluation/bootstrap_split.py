"""Bootstrap samples: rows drawn with replacement are fitted, the rows never drawn are scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.evaluation.splits import Split, Splitter
from mlcore.maths.dealing import RowsToSplit
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer


@enter(
    Card(
        "bootstrap_split",
        "Bootstrap samples",
        ("splits",),
        paper="Efron (1983), J. American Statistical Association 78",
        peer="mlxtend.evaluate.BootstrapOutOfBag",
        sources=("cs2:bootstrap", "cs1:vs_wrapper_boot"),
        kind="part",
        synonyms=("bootstrap", "out-of-bag", "bootstrapping"),
    )
)
@dataclass(frozen=True, kw_only=True)
class BootstrapSplit(Splitter):
    """Draws as many rows as there are, with replacement; those never drawn are scored.

    About 37 % of the rows are left out of a sample, and others are fitted several times. So a
    method learns from fewer different rows than in folds, and its error comes out a little too
    large; neighbours and kernels are misled by the copies. Groups are drawn whole.
    """

    n_splits: int = integer(
        20, low=1, high=10_000, soft=(10, 200), symbol="B", label="Samples",
        doc="How often is drawn.",
    )  # fmt: skip

    def describe(
        self, y: np.ndarray | None = None, groups: np.ndarray | None = None, unit: str = "group"
    ) -> str:
        """How often is drawn, and what."""
        what = "row" if groups is None else unit
        return f"{self.n_splits} bootstrap samples, the {what}s never drawn left out"

    def _count(self, rows: RowsToSplit) -> tuple[int, int]:
        return self.n_splits, 1

    def _drawing(self, rows: RowsToSplit, k: int) -> Split:
        return _sample(rows, random.generator(rows.seed, f"sample {k}"))

    def _cut(self, rows: RowsToSplit, drawn: Split, k: int) -> Split:
        return drawn


def _sample(rows: RowsToSplit, rng: np.random.Generator) -> Split:
    """Positions of the rows drawn, in order and with repeats, and of those never drawn."""
    m = rows.n_groups
    times = np.ones(m, dtype=int)
    while times.all():  # nothing to score: happens where there are very few rows
        times = np.bincount(rng.integers(0, m, m), minlength=m)
    unit = np.unique(rows.groups, return_inverse=True)[1] if rows.groups is not None else slice(m)
    of_row = times[unit]
    return Split(np.repeat(np.arange(rows.n), of_row), np.flatnonzero(of_row == 0))
