"""What only fits of sequences can do, by the names of their fields. N is the number of states."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class HasChain(Protocol):
    """A chain of N states: `start`, (N,), the distribution of the first state of a sequence,
    `transitions`, (N, N), that of the next state in the rows of it, `moves`, (N, N), how many moves
    these rest on, and `state_names`, (N,)."""

    @property
    def start(self) -> np.ndarray: ...

    @property
    def transitions(self) -> np.ndarray: ...

    @property
    def moves(self) -> np.ndarray: ...

    @property
    def state_names(self) -> tuple[str, ...]: ...


@runtime_checkable
class HasHiddenStates(HasChain, Protocol):
    """A chain that is not seen. `decoded(X, lengths)`: the likeliest path and the likeliest state
    of each row (`mlcore/sequences/hmm.py`); `shown`: what each state shows
    (`mlcore/sequences/emissions.py`), the columns with `pairs`, (p, 2), being read as two names;
    `traces`: log-likelihood after each iteration of each of R
    runs, (R, t), NaN where a run had ended."""

    traces: np.ndarray
    pairs: np.ndarray

    @property
    def shown(self) -> Any: ...

    def decoded(self, X: Any, lengths: Any = None) -> Any: ...


@runtime_checkable
class HasOrder(Protocol):
    """A chain that is seen: the state `codes` of the fitted rows, (n,), in sequences of `lengths`,
    (k,); the next state hangs on the last `order` of them."""

    codes: np.ndarray
    lengths: np.ndarray

    @property
    def order(self) -> int: ...
