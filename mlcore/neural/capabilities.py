"""What only networks can do, by the names of their fields."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class HasLayers(Protocol):
    """A layered network. `layers`: weights and offsets of each (`mlcore/neural/network.py`), the
    linear outputs last; `skips`: weights from the p inputs straight to the K outputs, (K, p), or
    (K, 0) if there are none; `values(X)`: what each says of m rows, shape (units, m), activations
    of hidden layers and the sums of the last; `ends`: below and above which activations never
    come; `between_ends(outputs)`: what sums of the last, (K, m), say, from -1 to 1."""

    @property
    def layers(self) -> tuple[Any, ...]: ...

    @property
    def skips(self) -> np.ndarray: ...

    @property
    def ends(self) -> tuple[float, float]: ...

    def values(self, X: Any) -> list[np.ndarray]: ...

    def between_ends(self, outputs: np.ndarray) -> np.ndarray: ...

    def silenced(self, layer: int, unit: int) -> HasLayers:
        """The same network in which a unit of a hidden layer, both from 0, says 0."""
        ...


@runtime_checkable
class HasHiddenUnits(HasLayers, Protocol):
    """A network that has some. `strongest`: layer and place, from 0, of that unit of the last
    hidden layer with the largest weights to the outputs; None, and so no such capability, without
    hidden layers."""

    @property
    def strongest(self) -> tuple[int, int] | None: ...


@runtime_checkable
class HasEpochs(Protocol):
    """What was noted after each of k epochs: `losses` on the rows that taught, with the penalty,
    shape (k,), and `gradient_sizes`, root mean squares of the last gradient in each of L layers,
    shape (k, L)."""

    losses: np.ndarray
    gradient_sizes: np.ndarray
