"""What fits know of the time before their rows: the prior that the rows changed."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import GivesFunctions, GivesPredictiveDeviation


@runtime_checkable
class GivesPriorFunctions(GivesFunctions, GivesPredictiveDeviation, Protocol):
    """A distribution of functions before the rows, with the settings that were given or learned.
    `prior_mean(X)` and `prior_deviation(X)`: its mean and standard deviation, shape (m,), and
    `prior_functions(X, count, seed)`: some drawn from it, shape (count, m); all without noise and
    in units of the target."""

    def prior_mean(self, X: Any) -> np.ndarray: ...

    def prior_deviation(self, X: Any) -> np.ndarray: ...

    def prior_functions(self, X: Any, count: int, seed: int = 0) -> np.ndarray: ...


@runtime_checkable
class HasWeightPosterior(Protocol):
    """A normal distribution of p coefficients and, last, the intercept. `weight_mean`, (p + 1,),
    and `weight_covariance`, (p + 1, p + 1): after the rows; `weight_prior`, (p + 1,): standard
    deviations before them, around 0, infinite where nothing was known."""

    @property
    def weight_mean(self) -> np.ndarray: ...

    @property
    def weight_covariance(self) -> np.ndarray: ...

    @property
    def weight_prior(self) -> np.ndarray: ...
