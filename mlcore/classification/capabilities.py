"""What fitted classifiers of this family know, beside `mlcore/spine/capabilities.py`.

n is the number of fitted rows, p of columns, T of passes over the rows, u of updates, K of
classes.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import HasClasses


@runtime_checkable
class HasMistakes(Protocol):
    """`mistakes`: in each pass over the fitted rows, shape (T,), each of which was learned from."""

    mistakes: np.ndarray


@runtime_checkable
class HasMistakeBounds(HasMistakes, Protocol):
    """`lengths`: of all weights before and after each update, shape (u + 1,), the first of them
    where there are very many; `bounds(X, y)`: within what they grow on the fitted rows X, (n, p),
    with labels y, (n,) (`mlcore/classification/perceptron_bounds.py`)."""

    lengths: np.ndarray

    def bounds(self, X: Any, y: Any) -> Any: ...


@runtime_checkable
class MixesCovariances(Protocol):
    """Gaussians of classes whose covariances are drawn towards the common one by the share
    `mixture[0]`, then towards a sphere by `mixture[1]`. `mixed(pooling, shrinkage)`: the method
    with other shares, all other settings as they are."""

    @property
    def mixture(self) -> tuple[float, float]: ...

    def mixed(self, pooling: float, shrinkage: float) -> Any: ...


@runtime_checkable
class HasTermsByClass(HasClasses, Protocol):
    """`terms_of(k)`: what adds up to the log odds of class k, by its position in `classes`, with
    all that `HasTerms` says."""

    def terms_of(self, k: int) -> Any: ...


@runtime_checkable
class GivesMarginals(HasClasses, Protocol):
    """Densities of classes that fall on each column. `log_marginals(j, x)`: the logarithm of prior
    times density, or frequency, of the class at values x, (m,), of column j, whatever the other
    columns are, shape (m, K)."""

    def log_marginals(self, j: int, x: Any) -> np.ndarray: ...


@runtime_checkable
class HasNewtonSteps(HasClasses, Protocol):
    """A maximum of a likelihood. `is_by_newton`: whether Newton's method came to it from zero;
    `newton_steps(X, y, weights)`: its steps on the fitted rows X, (n, p), with labels y and weights
    (n,), as `mlcore/classification/newton_steps.py` tells them."""

    @property
    def is_by_newton(self) -> bool: ...

    def newton_steps(self, X: Any, y: Any, *, weights: Any = None) -> Any: ...


@runtime_checkable
class HasOdds(HasClasses, Protocol):
    """`odds_of(k)`: the log odds of class k, by its position in `classes`, as a line of the columns
    with standard errors (`mlcore/classification/odds.py`); `with_odds`: positions of the classes
    that have any, all but one that the others are against."""

    @property
    def with_odds(self) -> tuple[int, ...]: ...

    def odds_of(self, k: int) -> Any: ...


@runtime_checkable
class HasParametersByClass(HasClasses, Protocol):
    """Columns that are independent within each class. `prior`, shape (K,); of the columns
    `numeric`, positions, shape (q,), `centers` and `widths`, (K, q), in units of the column; of
    each column of names in `frequencies` its position `column` and `shares` of its levels, (K, L),
    NaN of a level that no fitted row had."""

    prior: np.ndarray
    numeric: np.ndarray
    frequencies: tuple[Any, ...]

    @property
    def centers(self) -> np.ndarray: ...

    @property
    def widths(self) -> np.ndarray: ...
