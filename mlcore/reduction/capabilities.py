"""What only maps can do, by the names of their fields. p columns, q pairs of coordinates."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import Transforms
from mlcore.spine.capabilities_of_groups import HasInformation


@runtime_checkable
class HasCanonicalPairs(Transforms, Protocol):
    """Coordinates in pairs, one of either block of columns. Positions of these, `first`, (d,), and
    `second`, (e,); the weights of their columns, `first_axes`, (q, d), and `second_axes`, (q, e);
    `correlations` of the pairs in the fitted rows, (q,). `shrunken(gamma)`: the method with this
    shrinkage of both blocks, and `shrinkage` what they have, those of the first and the second."""

    first: np.ndarray
    second: np.ndarray
    first_axes: np.ndarray
    second_axes: np.ndarray
    correlations: np.ndarray

    @property
    def shrinkage(self) -> tuple[float, float]: ...

    def shrunken(self, gamma: float) -> Any: ...


@runtime_checkable
class HasSources(Transforms, Protocol):
    """Coordinates of variance 1 that are far from normal, the farthest first. `negentropies`: how
    far in the fitted rows, shape (q,); `is_normal`: no farther than normal numbers may be, (q,).
    `contrast(S)`: how far coordinates S of mean 0 and variance 1, (m, r), are from normal, (r,);
    `normal_limit(n, q)`: what 95 of 100 samples of n normal rows stay below in the farthest of the
    directions of q coordinates."""

    negentropies: np.ndarray
    is_normal: np.ndarray

    def contrast(self, S: np.ndarray) -> np.ndarray: ...

    def normal_limit(self, n: int, q: int) -> float: ...


@runtime_checkable
class HasFactors(Transforms, HasInformation, Protocol):
    """Coordinates that are normal factors of a density. `posterior(X)`: their means given rows,
    (m, q), and their covariance, (q, q), that of every row; `log_density(X)`, (m,), in nats;
    `with_factors(q)`: the method for q of them; `n_rows` that were fitted."""

    n_rows: int

    def posterior(self, X: np.ndarray) -> Any: ...

    def log_density(self, X: np.ndarray) -> np.ndarray: ...

    def with_factors(self, q: int) -> Any: ...
