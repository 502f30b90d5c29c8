"""Neighbourhoods on a map: how much of the pull on the winner reaches the units around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter

ALONE = 0.1  # steps of the lattice: with a radius below, only the winner moves


@dataclass(frozen=True, kw_only=True)
class Neighbourhood(Component):
    """h(d, r) of the distance d on the lattice and a radius r: 1 at the winner, falling from it."""

    def weights(self, apart: np.ndarray, radii: np.ndarray) -> np.ndarray:
        """h for distances, shape (D,), at each radius, shape (T,): shape (T, D)."""
        radii = radii[:, None]
        with np.errstate(under="ignore"):  # units far from the winner get nothing
            h = self._falling(apart[None, :], np.maximum(radii, ALONE))
        return np.where(radii < ALONE, apart[None, :] == 0.0, h)

    def _falling(self, apart: np.ndarray, radii: np.ndarray) -> np.ndarray:
        # How weights fall with the distance is all in which neighbourhoods differ.
        raise NotImplementedError(f"{type(self).__name__} declares no weights")


@enter(
    Card(
        "gaussian_neighbourhood",
        "Gaussian",
        ("neighbourhood",),
        sources=("mi2:som_neighbourhood", "epfl:som_h_gauss", "cs1:som_h_gaussian"),
        kind="part",
        formula=r"h = e^{-d^2 / 2 r^2}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Gaussian(Neighbourhood):
    """exp(-d²/2r²): every unit is reached, those beyond a few radii hardly."""

    def _falling(self, apart: np.ndarray, radii: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * (apart / radii) ** 2)


@enter(
    Card(
        "triangular_neighbourhood",
        "Triangular",
        ("neighbourhood",),
        sources=("cs1:som_h_triangular", "cs2:som_kernel_linear"),
        kind="part",
        formula=r"h = \max(1 - d / r, 0)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Triangular(Neighbourhood):
    """1 - d/r up to the radius, nothing beyond."""

    def _falling(self, apart: np.ndarray, radii: np.ndarray) -> np.ndarray:
        return np.maximum(1.0 - apart / radii, 0.0)


@enter(
    Card(
        "inverse_neighbourhood",
        "Inverse distance",
        ("neighbourhood",),
        sources=("epfl:som_h_inverse",),
        kind="part",
        formula=r"h = 1 / (1 + d / r)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Inverse(Neighbourhood):
    """1/(1 + d/r): falls slowly, so distant units are always pulled a little."""

    def _falling(self, apart: np.ndarray, radii: np.ndarray) -> np.ndarray:
        return 1.0 / (1.0 + apart / radii)


@enter(
    Card(
        "indicator_neighbourhood",
        "Winner alone",
        ("neighbourhood",),
        sources=("cs2:som_kernel_wta",),
        kind="part",
        synonyms=("winner takes all",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Indicator(Neighbourhood):
    """Only the winner moves, at any radius: online k-means, without order on the lattice."""

    def _falling(self, apart: np.ndarray, radii: np.ndarray) -> np.ndarray:
        return (apart == 0.0) * np.ones_like(radii)
