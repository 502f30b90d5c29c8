"""Products of many rows with few vectors, and losses at them: passes that the threads share.

Parts are cut by the table, not by the number of threads, and added up in order.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.optimisation import _kernels
from mlcore.optimisation.losses import Over
from mlcore.optimisation.rows import BLOCK
from mlcore.spine.pool import even_parts, side_by_side

FEW = 3  # outputs up to which a loop is as fast as the BLAS on one thread, and shared on more
PART = 2**18  # values of a part; to wake a thread for less costs more


class Sums(NamedTuple):
    """A loss at a predictor, summed over the weighted rows."""

    Z: np.ndarray  # (1, n), the predictor
    value: float
    slope: np.ndarray  # (1, p + 1): slopes by the predictor times the rows, and last themselves


class Passes:
    """Those over rows X, (n, p), for m outputs."""

    def __init__(self, X: np.ndarray, outputs: int) -> None:
        self._X, self._m = read_only(X), outputs
        self._parts = even_parts(len(X), max(PART // X.shape[1], 1))

    @classmethod
    def over(cls, X: np.ndarray, outputs: int) -> Passes | None:
        """Over X, shape (n, p); None where rows are few, or outputs so many that the BLAS wins."""
        is_usual = len(X) > BLOCK and outputs <= FEW and X.flags.c_contiguous
        return cls(X, outputs) if is_usual else None

    def predicted(
        self, W: np.ndarray, start: np.ndarray, out: np.ndarray | None = None
    ) -> np.ndarray:
        """W X' + start, (m, n), of W, (m, p), and start, (m,), perhaps in `out`."""
        Z = np.empty((self._m, len(self._X))) if out is None else out
        inputs = self._X, read_only(W), read_only(start)
        for _ in side_by_side(lambda part: _kernels.predicted(*inputs, *part, Z), self._parts):
            pass
        return Z

    def gathered(self, S: np.ndarray) -> np.ndarray:
        """Sums of S, (m, n), times the rows, and last of S alone: shape (m, p + 1)."""
        S = read_only(S)

        def of_part(part: tuple[int, int]) -> np.ndarray:
            out = self._zeros()
            _kernels.gathered(self._X, S, *part, out)
            return out

        return np.add.reduce(list(side_by_side(of_part, self._parts)))

    def evaluated(
        self, over: Over, y: np.ndarray, weights: np.ndarray, W: np.ndarray, start: np.ndarray
    ) -> Sums:
        """A loss of one output by its compiled loop at W X' + start, in one pass.

        Read-only y and weights, (n,); W, (1, p), and start, (1,).
        """
        inputs = self._X, y, weights, read_only(W), read_only(start)
        Z = np.empty((1, len(self._X)))
        places = Z, read_only(Z), *self._room

        def of_part(part: tuple[int, int]) -> tuple[float, np.ndarray]:
            out, sums = np.empty(2), self._zeros()
            over(*inputs, *part, *places, out, sums)
            return float(out[0]), sums

        values, slope = zip(*side_by_side(of_part, self._parts), strict=True)
        return Sums(Z, sum(values), np.add.reduce(slope))

    def _zeros(self) -> np.ndarray:
        return np.zeros((self._m, self._X.shape[1] + 1))

    @cached_property
    def _room(self) -> np.ndarray:
        # A loop that writes where it reads takes one value at a time, and fresh memory costs more.
        return np.empty((2, 1, len(self._X)))
