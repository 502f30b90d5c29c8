"""Ordinal encoding: one number a level, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import Encoding, StepFit, as_number, coded
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, choices, levels


@dataclass(frozen=True, eq=False, kw_only=True)
class OrdinalFit(StepFit):
    """A number for each level of the columns of ordered names."""

    made_by: Ordinal
    numbers: tuple[np.ndarray, ...]  # p, (L,) in the order of the codes; (0,) for other columns

    def transform(self, X: Any) -> np.ndarray:
        """Rows in which ordered names are numbers, shape (m, p)."""
        X = self._rows(X).copy()
        for j in self._encoded():
            codes = coded(X[:, j], self.columns[j], self.made_by.title())
            X[:, j] = np.append(self.numbers[j], np.nan)[codes]
        return X

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The code of the level whose number is nearest, shape (m, p)."""
        X = self._prepared_rows(Z).copy()
        for j in self._encoded():
            z = X[:, j]
            nearest = np.abs(z[:, None] - self.numbers[j]).argmin(axis=1)
            X[:, j] = np.where(np.isnan(z), np.nan, nearest)
        return X

    def summary(self) -> StepSummary:
        """The number that the lowest level of each column becomes."""
        values = tuple(
            (self.columns[j].name, "lowest level", float(self.numbers[j].min()))
            for j in self._encoded()
        )
        note = "" if values else "No column holds ordered names."
        return StepSummary(self.made_by.title(), values, note)

    @property
    def encodings(self) -> tuple[Encoding, ...] | None:
        """The number of each level; None where no column holds ordered names."""
        return tuple(self._encoding(j) for j in self._encoded()) or None

    def _encoding(self, j: int) -> Encoding:
        name = self.out_columns[j].name
        return Encoding(j, self.columns[j].levels, (name,), self.numbers[j][:, None])

    def _encoded(self) -> list[int]:
        return [j for j, numbers in enumerate(self.numbers) if len(numbers)]


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
        synonyms=("label encoding", "integer encoding", "OrdinalEncoder", "categorical encoding"),
        line="ordered levels as equally spaced numbers",
    )
)
@dataclass(frozen=True, kw_only=True)
class Ordinal(Method):
    """Gives the levels of an ordered column equally spaced numbers that keep the order.

    With L levels the k-th (from 0) becomes k - (L - 1)/2 (centred), k (from zero) or k/(L - 1)
    (unit interval): poor, fair, excellent become -1, 0, 1. Missing values stay missing. The order
    is that of the column's levels in the table, or the one given here: a column all of whose levels
    stand in it is encoded whatever its kind.

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

    order: tuple[str, ...] = levels(
        (),
        label="Order of the categories",
        doc="Levels from the lowest on, for columns that have no others; none: that of the table.",
    )

    def _fit(self, given: Given) -> OrdinalFit:
        numbers = tuple(self._numbers(column) for column in given.columns)
        out = zip(given.columns, numbers, strict=True)
        return OrdinalFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(as_number(c) if len(of_levels) else c for c, of_levels in out),
            numbers=numbers,
        )

    def _numbers(self, column: Column) -> np.ndarray:
        """The number of each level of a column, (L,); (0,) where it is not encoded."""
        if column.levels and set(column.levels) <= set(self.order):
            place = {level: k for k, level in enumerate(self.order)}
            return self._spaced(np.array([place[level] for level in column.levels]), len(place))
        if column.levels and column.kind in self.kinds:
            return self._spaced(np.arange(len(column.levels)), len(column.levels))
        return np.empty(0)

    def _spaced(self, places: np.ndarray, n_levels: int) -> np.ndarray:
        """Places from 0 to n_levels - 1 as the coding has them."""
        if self.coding == "centred":
            return places - (n_levels - 1) / 2
        return places / (max(n_levels - 1, 1) if self.coding == "unit_interval" else 1.0)
