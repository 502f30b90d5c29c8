"""The constant baseline of regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, real


@dataclass(frozen=True, eq=False, kw_only=True)
class ConstantFit(Fit):
    """One number for every row."""

    value: float  # in the units of the target

    def predict(self, X: Any) -> np.ndarray:
        """The same number for each row, shape (m,)."""
        return np.full(len(self._rows(X)), self.value)


def _cost(n: int, p: int, method: ConstantRegressor) -> tuple[float, float]:
    return 2e-5 + 2e-8 * n, 16.0 * n


@enter(
    Card(
        "constant_regression",
        "Dummy regressor",
        ("regression",),
        task="regression",
        peer="sklearn.dummy.DummyRegressor",
        sources=("epfl:baseline_compare", "prac:mean_minimises_square"),
        takes=("weights", "columns", "missing"),
        cost=_cost,
        formula=r"\hat y = \arg\min_c \sum_i w_i\, \ell(y_i - c)",
        synonyms=("baseline", "mean predictor", "DummyRegressor"),
        line="one number for every row",
    )
)
@dataclass(frozen=True, kw_only=True)
class ConstantRegressor(Method):
    r"""Predicts one number for every row, whatever its columns say.

    The mean minimises the sum of squares, the median the sum of absolute differences, a quantile
    the sum of tilted absolute differences (pinball loss).

    The line under every score table: a method that does no better has learned nothing from the
    columns. O(n log n). It cannot fail, and it cannot be good.
    """

    strategy: str = choice(
        "mean", "mean", "median", "quantile", "given", doc="Which number is predicted."
    )
    quantile: float = real(
        0.5,
        low=0.0,
        high=1.0,
        soft=(0.05, 0.95),
        symbol="q",
        doc="Share of the target below the number.",
        only_if={"strategy": "quantile"},
    )
    value: float = real(
        0.0,
        soft=(-10.0, 10.0),
        doc="The number itself, in units of the target.",
        only_if={"strategy": "given"},
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        more = {"quantile": {"quantile": self.quantile}, "given": {"constant": self.value}}
        strategy = "constant" if self.strategy == "given" else self.strategy
        return {"strategy": strategy, **more.get(self.strategy, {})}

    def _fit(self, given: Given) -> ConstantFit:
        value = _constant(self, given.target, given.w)
        return ConstantFit(made_by=self, columns=given.columns, value=value)


def _constant(method: ConstantRegressor, y: np.ndarray, w: np.ndarray) -> float:
    if method.strategy == "given":
        return method.value
    if method.strategy == "mean":
        return float(w @ y / w.sum())
    return weighted_quantile(y, w, 0.5 if method.strategy == "median" else method.quantile)


def weighted_quantile(y: np.ndarray, w: np.ndarray, q: float) -> float:
    """The weighted q-quantile of y, shape (n,), with weights w, shape (n,), none negative.

    A minimiser of the pinball loss: the middle of the interval of minimisers, which runs between
    the two values at which the share of weight below reaches q (Koenker and Bassett 1978).
    """
    order = np.argsort(y, kind="stable")
    order = order[w[order] > 0]
    share = np.cumsum(w[order])
    goal = q * share[-1]
    # Sums of weights carry rounding: shares this near count as equal.
    near = 1e-12 * share[-1]
    low = min(int(np.searchsorted(share, goal - near)), len(order) - 1)
    high = min(int(np.searchsorted(share, goal + near, side="right")), len(order) - 1)
    return float(0.5 * (y[order[low]] + y[order[high]]))
