"""The repulsion of t-SNE between all rows of a map: a convolution on a grid, by FFT."""

from __future__ import annotations

from math import ceil, floor, log2
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.reduction.on_grid import _kernels
from mlcore.spine.pool import threads_left

STEP = 0.35  # between nodes, in units of the map; forces are then no further off than by cells
FEWEST = 64  # steps across a map that is smaller than so many of them
RUNG = 4  # steps of small maps shrink by 2^(1/4): their spectra serve several iterations
BLOCK = 16  # nodes that a side grows by, for the same reason
MOST_NODES = 400_000  # of a grid: a map may become as wide as its rows are thrown


class _Spectra(NamedTuple):
    """Transforms of the kernels on a grid that is padded against wrapping around."""

    sides: tuple[int, int]
    total: np.ndarray  # of 1 / (1 + r^2), real
    across: np.ndarray  # of x / (1 + r^2)^2
    up: np.ndarray  # of y / (1 + r^2)^2
    twice: np.ndarray  # how often each column of a half spectrum counts in the whole


class Field(NamedTuple):
    """What a grid says of the rows that were spread on it."""

    low: np.ndarray  # (2,) the first node
    step: float
    across: np.ndarray  # (a, b) the push along the first coordinate, at each node
    up: np.ndarray  # (a, b)
    total: float  # sum of 1 / (1 + |y_i - y_j|^2) over all pairs of different rows


class Grid:
    """A grid that follows a map, and keeps its spectra while they fit.

    Rows are spread on nodes, the grid is convolved with the kernels, and what the nodes then have
    is taken back to the rows (Linderman, Rachh, Hoskins, Steinerberger and Kluger 2019, Nature
    Methods 16). Unlike there the nodes are shared by neighbouring cells, the pushes have kernels of
    their own, and the sum over all pairs is read from the spectrum: one transform there, two back.
    """

    def __init__(self) -> None:
        self._for: tuple[float, tuple[int, int]] | None = None
        self._spectra: _Spectra | None = None

    def covers(self, Y: np.ndarray, most: float = MOST_NODES) -> bool:
        """Whether a map, (3, n), is no wider than a grid of so many nodes."""
        span = np.ptp(Y[:2], axis=1)
        if not np.isfinite(span).all():
            return False
        return bool(np.prod(span / _step(float(span.max())) + BLOCK) <= most)

    def field(self, Y: np.ndarray) -> Field:
        """Of the rows of a map, (3, n), whose third coordinates are 0."""
        from scipy import fft  # takes a moment to import

        transforms: Any = fft
        least, span = Y[:2].min(axis=1), np.ptp(Y[:2], axis=1)
        step = _step(float(span.max()))
        nodes = [_rounded(ceil(extent / step) + 4) for extent in span]
        low, mass = least - step, np.empty(nodes)
        _kernels.spread(read_only(Y), read_only(low), step, mass)
        spectra, workers = self._at(step, nodes), threads_left()
        sides, own = spectra.sides, np.s_[: nodes[0], : nodes[1]]
        waves = transforms.rfft2(mass, sides, workers=workers)
        power = (waves.real**2 + waves.imag**2) * spectra.total
        total = float((power @ spectra.twice).sum()) / (sides[0] * sides[1]) - Y.shape[1]
        across, up = (
            np.ascontiguousarray(transforms.irfft2(waves * each, sides, workers=workers)[own])
            for each in (spectra.across, spectra.up)
        )
        return Field(low, step, across, up, total)

    def _at(self, step: float, nodes: list[int]) -> _Spectra:
        from scipy import fft

        transforms: Any = fft
        first, second = (transforms.next_fast_len(2 * each - 1, real=True) for each in nodes)
        if self._spectra is None or self._for != (step, (first, second)):
            x, y = (np.fft.fftfreq(side, 1.0 / side) * step for side in (first, second))
            w = 1.0 / (1.0 + x[:, None] ** 2 + y**2)
            twice = np.full(second // 2 + 1, 2.0)
            twice[0] = 1.0
            if second % 2 == 0:
                twice[-1] = 1.0
            made = (transforms.rfft2(kernel) for kernel in (w, w**2 * x[:, None], w**2 * y))
            total, across, up = made
            self._spectra = _Spectra((first, second), total.real.copy(), across, up, twice)
            self._for = (step, (first, second))
        return self._spectra


def _step(span: float) -> float:
    """Between the nodes of a map that is so wide."""
    if span >= FEWEST * STEP:
        return STEP
    rungs = floor(RUNG * log2(max(span, 1e-290) / (FEWEST * STEP)))
    return STEP * 2.0 ** (rungs / RUNG)


def _rounded(nodes: int) -> int:
    return -(-nodes // BLOCK) * BLOCK
