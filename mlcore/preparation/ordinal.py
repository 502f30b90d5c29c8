"""Ordinal encoding: one number a level, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.component import Card, enter
from mlcore.method import Given, Method
from mlcore.params import choice, choices
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import Encoding, StepFit, as_number


@dataclass(frozen=True, eq=False, kw_only=True)
class OrdinalFit(StepFit):
    """An offset and a step for each column of ordered names."""

    offset: np.ndarray  # (p,) subtracted from the codes; 0 for other columns
    step: np.ndarray  # (p,) distance between neighbouring levels; 1 for other columns

    def transform(self, X: Any) -> np.ndarray:
        """Rows in which ordered names are numbers, shape (m, p)."""
        return (self._rows(X) - self.offset) * self.step

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The nearest level's code, shape (m, p)."""
        X = self._prepared_rows(Z) / self.step + self.offset
        for j in self._encoded():
            X[:, j] = np.clip(np.round(X[:, j]), 0, len(self.columns[j].levels) - 1)
        return X

    def summary(self) -> StepSummary:
        """The number that the lowest level of each column becomes."""
        values = tuple(
            (self.columns[j].name, "lowest level", float(-self.offset[j] * self.step[j]))
            for j in self._encoded()
        )
        note = "" if values else "No column holds ordered names."
        return StepSummary(self.made_by.title(), values, note)

    @property
    def encodings(self) -> tuple[Encoding, ...] | None:
        """The number of each level; None where no column holds ordered names."""
        return tuple(self._encoding(j) for j in self._encoded()) or None

    def _encoding(self, j: int) -> Encoding:
        levels = self.columns[j].levels
        numbers = (np.arange(len(levels)) - self.offset[j]) * self.step[j]
        return Encoding(j, levels, (self.out_columns[j].name,), numbers[:, None])

    def _encoded(self) -> list[int]:
        return [j for j, column in enumerate(self.columns) if column != self.out_columns[j]]


@enter(
    Card(
        "ordinal",
        "Ordinal encoding",
        ("preparation",),
        stage="encode",
        peer="sklearn.preprocessing.OrdinalEncoder",
        also=("ordinal_encoder",),
        sources=("cs1:enc_ordinal",),
        takes=("columns", "missing"),
        cost=lambda n, p, self: (5e-9 * n * p, 8.0 * n * p),
        formula=r"l_k \mapsto k - \tfrac{L - 1}{2}, \quad k = 0, \dots, L - 1",
    )
)
@dataclass(frozen=True, kw_only=True)
class Ordinal(Method):
    """Gives the levels of an ordered column equally spaced numbers that keep the order.

    With L levels the k-th (from 0) becomes k - (L - 1)/2 (centred), k (from zero) or k/(L - 1)
    (unit interval): poor, fair, excellent become -1, 0, 1. Missing values stay missing. The order
    is that of the column's levels, which the table states.

    For poor, fair, excellent and the like. It claims that neighbouring levels are equally far
    apart; for names without an order (countries) any result would depend on an arbitrary order:
    use one-hot encoding.
    """

    coding: str = choice(
        "centred",
        "centred",
        "from_zero",
        "unit_interval",
        doc="Where the numbers lie: around 0 in steps of 1, from 0 in steps of 1, or in [0, 1].",
    )
    kinds: tuple[str, ...] = choices(
        ("ordinal",),
        "ordinal",
        "nominal",
        "binary",
        doc="Kinds of columns to encode. Names without an order get one that means nothing.",
    )

    def _fit(self, given: Given) -> OrdinalFit:
        offset, step, out = np.zeros(given.p), np.ones(given.p), list(given.columns)
        for j, column in enumerate(given.columns):
            if column.levels and column.kind in self.kinds:
                offset[j], step[j] = self._spacing(len(column.levels))
                out[j] = as_number(column)
        return OrdinalFit(
            made_by=self, columns=given.columns, out_columns=tuple(out), offset=offset, step=step
        )

    def _spacing(self, n_levels: int) -> tuple[float, float]:
        if self.coding == "centred":
            return (n_levels - 1) / 2, 1.0
        return 0.0, 1.0 / max(n_levels - 1, 1) if self.coding == "unit_interval" else 1.0
