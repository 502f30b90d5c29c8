"""Normalisation: each row is divided by its own length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.preparation.chain import StepSummary
from mlcore.preparation.selection.choice import refuse_names
from mlcore.preparation.step import StepFit, as_number
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice

SAFE = 1e-140  # squares of smaller lengths lose digits


@dataclass(frozen=True, eq=False, kw_only=True)
class NormalizerFit(StepFit):
    """Nothing is learned but the columns."""

    made_by: Normalizer

    def transform(self, X: Any) -> np.ndarray:
        """Rows of length 1, shape (m, p); a row of zeros stays what it is."""
        X = self._rows(X)
        length = _lengths(X, self.made_by.norm)
        tiny = length < SAFE
        Z = X / np.where(tiny, 1.0, length)[:, None]
        if tiny.any():
            # Divided by the largest entry first, squares do not vanish.
            largest = np.abs(X[tiny]).max(axis=1, keepdims=True)
            rows = X[tiny] / np.where(largest > 0, largest, 1.0)
            length = _lengths(rows, self.made_by.norm)
            Z[tiny] = rows / np.where(length > 0, length, 1.0)[:, None]
        return Z

    def summary(self) -> StepSummary:
        """That nothing is learned."""
        return StepSummary(
            self.made_by.title(), (), "Each row is divided by its own length: nothing is learned."
        )


@enter(
    Card(
        "normalizer",
        "Normalisation of rows",
        ("preparation",),
        peer="sklearn.preprocessing.Normalizer",
        sources=("epfl:cosine_similarity",),
        takes=("columns",),
        cost=lambda n, p, self: (2e-8 * n * p, 24.0 * n * p),
        formula=r"z_i = x_i / \|x_i\|",
        synonyms=("unit norm", "unit length", "L2 normalisation", "Normalizer"),
        line="every row of length one",
    )
)
@dataclass(frozen=True, kw_only=True)
class Normalizer(Method):
    """Divides each row by its own length, so that only its direction counts.

    z = x / |x| with the Euclidean length, the sum of absolute values, or the largest of them. The
    product of two Euclidean rows is then the cosine of the angle between them, and their squared
    distance is 2 less twice that. A row of zeros stays.

    For counts of words, spectra, and whatever has proportions that matter and a size that does
    not. It needs columns in one unit, and forgets the size, which may be all that tells classes
    apart. O(n p).
    """

    mixes_columns: ClassVar[bool] = True

    norm: str = choice(
        "l2", "l1", "l2", "max", doc="Length: Euclidean (l2), sum (l1) or largest absolute value."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"norm": self.norm}

    def _fit(self, given: Given) -> NormalizerFit:
        refuse_names(given.columns, self.title())
        return NormalizerFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(as_number(c) for c in given.columns),
        )


def _lengths(X: np.ndarray, norm: str) -> np.ndarray:
    """The length of each row, shape (n,)."""
    if norm == "max":
        return np.abs(X).max(axis=1)
    return np.abs(X).sum(axis=1) if norm == "l1" else np.sqrt(np.einsum("ij,ij->i", X, X))
