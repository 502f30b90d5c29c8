"""What fits of regressions know, beside `mlcore/spine/capabilities.py`.

m is the number of rows that are given, p of columns.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import HasTerms


@runtime_checkable
class HasLink(Protocol):
    """`link`: whether `log` or `logit` of the mean is linear, or the mean itself, `identity`."""

    link: str


@runtime_checkable
class CountsRatios(Protocol):
    """`counts_ratios`: True where errors are ratios to the fit, which grow with the prediction;
    None where they are differences."""

    counts_ratios: bool | None


@runtime_checkable
class GivesInfluence(Protocol):
    """`influence(X, y, weights)`: of the fitted rows the leverages `hat_diag` and what rows left
    out miss, `loo_residuals`, NaN where that is undefined, both shape (n,); `df`, parameters."""

    def influence(self, X: Any, y: Any, *, weights: Any = None) -> Any: ...


@runtime_checkable
class HasTried(Protocol):
    """A setting called `tried_name`, of the values `tried`, shape (A,), ascending, that was
    `chosen` by `tried_errors`, mean squares of rows left out in units of the target; `tried_df`:
    effective number of parameters under each."""

    tried_name: str
    tried: np.ndarray
    tried_errors: np.ndarray
    tried_df: np.ndarray

    @property
    def chosen(self) -> float: ...


@runtime_checkable
class HasInducingRows(Protocol):
    """`inducing`: through which of the fitted rows of positive weight all others tell of each
    other, positions, shape (c,)."""

    inducing: np.ndarray


@runtime_checkable
class GivesContributions(Protocol):
    """`contributions(X)`: what each of r fitted rows adds to the prediction, shape (m, r), beside
    the `intercept`; both in units of the target."""

    intercept: Any

    def contributions(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class GivesConcurvity(Protocol):
    """`concurvity(X, which)`: how far the curve of columns `which` can be written by those of the
    others at rows X: shares `worst`, `observed` and `estimate`."""

    def concurvity(self, X: Any, which: Any) -> Any: ...


@runtime_checkable
class HasLocalModels(Protocol):
    """A model anew around each row `at`, (1, p): `window_weights(at, X)`, how much rows X would
    count in it, the most 1, and `local_model(at, X)`, what it says of them, both shape (m,)."""

    def window_weights(self, at: Any, X: Any) -> np.ndarray: ...

    def local_model(self, at: Any, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasLatentShares(Protocol):
    """Components in the order in which they are found, of which the first `n_used` are used: of
    the variance of the columns and of the target that each explains, `column_shares` and
    `target_shares`, shape (r,)."""

    column_shares: np.ndarray
    target_shares: np.ndarray

    @property
    def n_used(self) -> int: ...


@runtime_checkable
class HasSurfaces(HasTerms, Protocol):
    """Curves, and surfaces of two columns beside them: `pairs`, their positions, shape (s, 2).
    `term` of both columns of a pair holds their curves and the surface."""

    pairs: np.ndarray
