"""What a fitted support vector machine knows, beside `mlcore/spine/capabilities.py`.

S is the number of support vectors, M of machines, p of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class HasSupportVectors(Protocol):
    """`kernel`, and `support`: positions of the fitted rows that carry the solution, shape (S,),
    themselves in `support_vectors`, shape (S, p)."""

    kernel: Any
    support: np.ndarray
    support_vectors: np.ndarray


@runtime_checkable
class HasDuals(HasSupportVectors, Protocol):
    """`duals`: signed multiplier of each support vector in each of M machines, shape (S, M), at
    most `bounds`, (S, M)."""

    duals: np.ndarray
    bounds: np.ndarray


@runtime_checkable
class HasOptimum(HasDuals, Protocol):
    """What a solution can be checked by. `ridges`, (S, M): slack of a row over its multiplier where
    slacks are squared, else 0; `dual` and `primal`: what was made large and small, summed over the
    machines, equal at the solution."""

    ridges: np.ndarray
    dual: float
    primal: float


@runtime_checkable
class HasOffset(HasOptimum, Protocol):
    """`has_intercept`: whether an offset was sought, so that signed multipliers sum to zero."""

    has_intercept: bool


@runtime_checkable
class HasMachines(HasOptimum, Protocol):
    """Machines of two classes: `machines`, the codes of both, shape (M, 2), -1 for all others;
    `margins`: half the width of the margin of each, (M,), in the features of the kernel.
    `values(X)`: the output of each, (m, M), -1 and 1 on the margins."""

    machines: np.ndarray
    margins: np.ndarray

    def values(self, X: np.ndarray) -> np.ndarray: ...


@runtime_checkable
class HasTube(HasOptimum, Protocol):
    """`epsilon`: half the width of the tube around the prediction in which errors cost nothing, in
    units of the target."""

    epsilon: float


@runtime_checkable
class HasRegion(HasOptimum, Protocol):
    """`rho`: the `usualness(X)`, (m,), of the rows on the border of a region, which is above it
    inside."""

    rho: float

    def usualness(self, X: np.ndarray) -> np.ndarray: ...


@runtime_checkable
class HasEquivalents(Protocol):
    """`strengths`: the C with which each of M machines is that of the support vector classifier,
    (M,)."""

    strengths: np.ndarray


@runtime_checkable
class HasNu(HasDuals, Protocol):
    """What a chosen share came to in each of M machines: `nu` lies between `beyond`, the share of
    the rows beyond the margin or outside the tube or the region, and `supported`, that of the
    support vectors, (M,) each; `limits` are the largest nu for which there is a solution, (M,). By
    weight of rows."""

    nu: float
    beyond: np.ndarray
    supported: np.ndarray
    limits: np.ndarray


@runtime_checkable
class MovesPairs(HasDuals, Protocol):
    """`moves_pairs`: True where a solver came there by moves of two multipliers. The state of each
    step is a `PairsState` (`mlcore/svm/moves.py`); `groups` names the groups within which pairs
    move, one of no name if there is but one. `settled(levels)`: what of the machine the places
    say where the thresholds of each group meet, in words."""

    @property
    def moves_pairs(self) -> bool | None: ...

    @property
    def groups(self) -> tuple[str, ...]: ...

    def settled(self, levels: Sequence[float]) -> str: ...
