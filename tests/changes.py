"""A method for the tests that learns from whole sequences: what changes from row to row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine import registry
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangesFit(Fit):
    """A line in the changes of the columns."""

    intercept: float
    slopes: np.ndarray  # (p,)
    learned: np.ndarray  # (k,) lengths of the sequences that it learned from

    def predict(self, X: Any, lengths: Any = None) -> np.ndarray:
        """A number a row, shape (m,), from its change since the row before in its sequence."""
        X = self._rows(X)
        with np.errstate(over="ignore", invalid="ignore"):
            return self.intercept + changes(X, self._lengths(lengths, len(X))) @ self.slopes


@enter(
    Card(
        "changes",
        "Line in changes",
        ("regression",),
        task="regression",
        peer="sklearn.linear_model.LinearRegression",
        takes=("lengths",),
        cost=lambda n, p, it: (1e-5 + 1e-8 * n * p * p, 16.0 * n * p),
    )
)
@dataclass(frozen=True, kw_only=True)
class Changes(Method):
    """Predicts from how far each column moved since the row before in its sequence."""

    def peer_settings(self) -> dict[str, Any]:
        """It has none."""
        return {}

    def _fit(self, given: Given) -> ChangesFit:
        D = changes(given.X, given.sequences)
        scale = np.abs(D).max(axis=0)
        scale[scale == 0] = 1.0
        A = np.column_stack([np.ones(given.n), D / scale])
        found = np.linalg.lstsq(A, given.target, rcond=1e-10)[0]
        return ChangesFit(
            made_by=self,
            columns=given.columns,
            intercept=float(found[0]),
            slopes=found[1:] / scale,
            learned=given.sequences.copy(),
        )


def changes(X: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Each row less the row before it in its sequence, shape (n, p)."""
    D = np.diff(X, axis=0, prepend=X[:1])
    D[np.cumsum(lengths)[:-1]] = 0.0
    return D


@contextmanager
def entered() -> Iterator[None]:
    """The method in the catalogue, so that runs, links and models may name it."""
    held = registry.index()["regression"]
    held["changes"] = "tests.changes:Changes"
    _forget()
    try:
        yield
    finally:
        del held["changes"]
        _forget()


def _forget() -> None:
    registry.names.cache_clear()
    registry.lookup.cache_clear()
