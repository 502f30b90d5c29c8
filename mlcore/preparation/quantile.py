"""The quantile transform: each column becomes its empirical distribution function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from mlcore.preparation.chain import Met, StepSummary
from mlcore.preparation.step import StepFit, as_number, holds_names, outside_range, present
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer
from mlcore.spine.wording import listed

# The normal score of the least and the greatest value would be infinite; this share lies beyond.
BEYOND = 1e-7


@dataclass(frozen=True, eq=False, kw_only=True)
class QuantileFit(StepFit):
    """The quantiles of each column among the training rows."""

    made_by: QuantileTransformer
    shares: np.ndarray  # (q,) equally spaced from 0 to 1
    quantiles: np.ndarray  # (p, q) in the units of the column, rising; zeros for names
    scaled: np.ndarray  # (p,) whether a column holds numbers
    constant: np.ndarray  # (p,) whether the training rows have a single value there

    def transform(self, X: Any) -> np.ndarray:
        """Shares or normal scores, shape (m, p); missing values stay missing."""
        Z = self._rows(X).copy()
        for j in np.flatnonzero(self.scaled):
            Z[:, j] = self._scores(Z[:, j].copy(), int(j))
        return Z

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows in the units of the table, shape (m, p), within the training range."""
        X = self._prepared_rows(Z).copy()
        for j in np.flatnonzero(self.scaled):
            X[:, j] = np.interp(self._share_of(X[:, j]), self.shares, self.quantiles[j])
        return X

    def summary(self) -> StepSummary:
        """The median of each column, and where it is constant."""
        middle = {j: np.interp(0.5, self.shares, self.quantiles[j]) for j in self._varying()}
        values = tuple((self.columns[j].name, "median", float(v)) for j, v in middle.items())
        names = [self.columns[j].name for j in np.flatnonzero(self.constant)]
        note = "" if values else "No column of numbers varies in the training rows."
        if names:
            note = f"Constant in the training rows, so set to 0: {listed(names)}."
        return StepSummary(self.made_by.title(), values, note)

    def met(self, X: Any) -> Met:
        """Values beyond the training range, which are put at its ends."""
        quantiles, what = self.quantiles[self.scaled], "values beyond the training range"
        return outside_range(self._rows(X)[:, self.scaled], quantiles[:, 0], quantiles[:, -1], what)

    def _varying(self) -> list[int]:
        return [int(j) for j in np.flatnonzero(self.scaled & ~self.constant)]

    def _scores(self, x: np.ndarray, j: int) -> np.ndarray:
        if self.constant[j]:
            return np.where(np.isnan(x), x, 0.0)
        shares = _below(x, self.quantiles[j], self.shares)
        if self.made_by.output == "uniform":
            return shares
        return ndtri(np.clip(shares, BEYOND, 1 - BEYOND))

    def _share_of(self, z: np.ndarray) -> np.ndarray:
        if self.made_by.output == "uniform":
            return z
        shares = ndtr(z)
        # What was clipped was the least or the greatest value; half of it is room for rounding.
        shares = np.where(shares < 1.5 * BEYOND, 0.0, shares)
        return np.where(shares > 1 - 1.5 * BEYOND, 1.0, shares)


@enter(
    Card(
        "quantile_transformer",
        "Quantile transform",
        ("preparation",),
        stage="scale",
        peer="sklearn.preprocessing.QuantileTransformer",
        sources=("mi2:cdf_uniformisation",),
        takes=("columns", "missing"),
        cost=lambda n, p, self: (2e-7 * n * p, 16.0 * n * p),
        formula=r"z_{ij} = \hat F_j(x_{ij}) \quad \text{or} \quad \Phi^{-1}(\hat F_j(x_{ij}))",
        synonyms=(
            "rank transform",
            "uniformisation",
            "Gaussian rank",
            "QuantileTransformer",
            "normal scores",
        ),
        line="each value by its rank",
    )
)
@dataclass(frozen=True, kw_only=True)
class QuantileTransformer(Method):
    """Replaces each value by the share of training values below it.

    z = F(x) with the empirical distribution function F of the column, a straight line between its
    quantiles, so the training rows are spread evenly over [0, 1]; or the normal score of that
    share, so they look Gaussian. Equal values share the middle of their steps, the least value is
    0 and the greatest 1, and new values beyond them are put there. Missing values stay missing;
    columns of names pass as they are; a constant column becomes 0.

    For skewed columns and outliers, whose size it forgets. It bends distances and the relations
    between columns, and with few rows the steps of F are noise. O(p n log n).
    """

    peer_differs = "A column that is constant in the training rows is 0 here, whatever comes later."

    output: str = choice(
        "uniform", "uniform", "normal", doc="The distribution that the training rows get."
    )
    n_quantiles: int = integer(
        1000,
        low=2,
        soft=(10, 1000),
        log=True,
        label="Number of quantiles",
        doc="Points at which F is held; at most one a training row.",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {
            "output_distribution": self.output,
            "n_quantiles": self.n_quantiles,
            "subsample": None,
        }

    def _fit(self, given: Given) -> QuantileFit:
        shares = np.linspace(0, 1, min(self.n_quantiles, given.n))
        scaled = np.array([not holds_names(c) for c in given.columns])
        quantiles = np.zeros((given.p, len(shares)))
        for j, seen in enumerate(present(given.X)):
            if scaled[j] and len(seen):
                quantiles[j] = _quantiles(seen, len(shares))
        return QuantileFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(c if holds_names(c) else as_number(c) for c in given.columns),
            shares=shares,
            quantiles=quantiles,
            scaled=scaled,
            constant=scaled & (quantiles[:, 0] == quantiles[:, -1]),
        )


def _quantiles(seen: np.ndarray, q: int) -> np.ndarray:
    """q equally spaced quantiles of some values, on straight lines between them, shape (q,)."""
    # Multiplied first and then divided, a place that falls on a value is exactly its number.
    at = np.arange(q) * (len(seen) - 1) / max(q - 1, 1)
    return np.interp(at, np.arange(len(seen)), np.sort(seen))


def _below(x: np.ndarray, quantiles: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The share of training values below x, shape (m,): in the middle of a step where F jumps."""
    below = np.interp(x, quantiles, shares)
    if (np.diff(quantiles) == 0).any():
        # Equal quantiles: read from the right too, which finds the other end of the step.
        below = (below - np.interp(-x, -quantiles[::-1], -shares[::-1])) / 2
    below = np.where(x >= quantiles[-1], 1.0, below)
    return np.where(x <= quantiles[0], 0.0, below)
