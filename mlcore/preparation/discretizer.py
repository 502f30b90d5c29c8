"""Discretisation: numbers become the number of the bin in which they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import StepFit, as_number, holds_names, present
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer, part


@dataclass(frozen=True, kw_only=True)
class _Bins(Component):
    bins: int = integer(5, low=2, high=1000, soft=(2, 20), symbol="B", doc="Number of bins.")

    needs_classes = False


@enter(
    Card(
        "equal_width",
        "Equal width",
        ("discretiser",),
        formula=r"c_k = \min + k \, \frac{\max - \min}{B}",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class EqualWidth(_Bins):
    """Bins of one width over the training range; one outlier leaves most of them empty."""

    def cuts(self, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
        """Where the values x, shape (n,), are cut: rising, at most B - 1 places."""
        return _between(np.linspace(x.min(), x.max(), self.bins + 1))


@enter(
    Card(
        "equal_frequency",
        "Equal frequency",
        ("discretiser",),
        formula=r"c_k = \hat F^{-1}(k / B)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class EqualFrequency(_Bins):
    """Bins of as many training rows each; equal quantiles count once, so there may be fewer."""

    def cuts(self, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
        """Where the values x, shape (n,), are cut: rising, at most B - 1 places."""
        return _between(np.quantile(x, np.linspace(0, 1, self.bins + 1)))


def _between(edges: np.ndarray) -> np.ndarray:
    """The edges that part any two bins: each once, without the ends."""
    return np.unique(edges)[1:-1]


@dataclass(frozen=True, eq=False, kw_only=True)
class DiscretizerFit(StepFit):
    """The cuts of each column."""

    made_by: Discretizer
    cuts: tuple[np.ndarray, ...]  # p, rising, in the units of the column
    binned: np.ndarray  # (p,) whether a column holds numbers

    def transform(self, X: Any) -> np.ndarray:
        """Numbers of bins, or 1 for the bin of each row, shape (m, q); missing values stay."""
        X = self._rows(X)
        return np.hstack([self._column(X[:, j], j) for j in range(self.n_columns)])

    def summary(self) -> StepSummary:
        """The cuts of each column."""
        values = tuple(
            (self.columns[j].name, f"cut {k}", float(cut))
            for j, cuts in enumerate(self.cuts)
            for k, cut in enumerate(cuts, start=1)
        )
        note = "" if values else "No column of numbers varies enough to be cut."
        return StepSummary(self.made_by.title(), values, note)

    def _column(self, x: np.ndarray, j: int) -> np.ndarray:
        if not self.binned[j]:
            return x[:, None]
        is_missing = np.isnan(x)
        # A value on a cut lies in the upper bin.
        at = np.searchsorted(self.cuts[j], x, side="right")
        if self.made_by.encode == "ordinal":
            return np.where(is_missing, np.nan, at)[:, None]
        ones = (at[:, None] == np.arange(len(self.cuts[j]) + 1)) * 1.0
        ones[is_missing] = np.nan
        return ones


@enter(
    Card(
        "discretizer",
        "Discretisation",
        ("preparation",),
        paper="Dougherty, Kohavi and Sahami (1995), ICML 12",
        peer="sklearn.preprocessing.KBinsDiscretizer",
        sources=("s841:nb_discretisation",),
        takes=("columns", "missing", "target"),
        cost=lambda n, p, self: (1e-4 + 1e-7 * n * p, 8.0 * n * p * 5),
        formula=r"z_{ij} = |\{k : c_{jk} \le x_{ij}\}|",
        synonyms=("binning", "bucketing", "quantisation", "KBinsDiscretizer"),
        line="a number becomes the number of its bin",
    )
)
@dataclass(frozen=True, kw_only=True)
class Discretizer(Method):
    """Replaces a number by the number of the bin in which it lies, or by a column for each bin.

    z = the count of cuts that are not above x. The cuts of a column are learned from the training
    rows, by one of the rules from their classes too; new values beyond the range belong to the
    first or the last bin. Missing values stay missing; columns with levels pass as they are.

    For bent relations with methods that know only straight lines (one column a bin), or with
    naive Bayes where no density fits. It forgets what lies within a bin, and values just beside a
    cut are separated as if they were far. O(p n log n).
    """

    rule: Any = part("equal_frequency", slot="discretiser", doc="Where columns are cut.")
    encode: str = choice(
        "ordinal",
        "ordinal",
        "onehot",
        doc="One column with the number of the bin (ordinal), or one of 0 and 1 for each (onehot).",
    )

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        if not self.rule.needs_classes:
            return None, None
        if y is None or np.asarray(y).dtype.kind == "f":
            raise DataError(
                f"{self.rule.title()} cuts where classes part; this target has none. Choose a "
                "target with classes, or cut by equal width or frequency."
            )
        return super()._target(y, n)

    def _fit(self, given: Given) -> DiscretizerFit:
        binned = np.array([not (c.levels or holds_names(c)) for c in given.columns])
        cuts = tuple(
            self._cuts(given, j, x) if number and len(x) else np.empty(0)
            for j, (x, number) in enumerate(zip(present(given.X), binned, strict=True))
        )
        out = (
            self._names(column, len(cut) + 1) if number else (column,)
            for column, cut, number in zip(given.columns, cuts, binned, strict=True)
        )
        return DiscretizerFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(column for columns in out for column in columns),
            cuts=cuts,
            binned=binned,
        )

    def _cuts(self, given: Given, j: int, x: np.ndarray) -> np.ndarray:
        y = None if given.y is None else given.y[~np.isnan(given.X[:, j])]
        return self.rule.cuts(x, y)

    def _names(self, column: Column, bins: int) -> tuple[Column, ...]:
        if self.encode == "ordinal":
            return (as_number(column),)
        names = (f"{column.name} bin {k + 1}" for k in range(bins))
        return tuple(Column(name, "number", (), column.variable) for name in names)
