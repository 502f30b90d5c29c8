"""How known labels act while labels spread along a graph: fixed, or mixed with neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.distances.graphs import degrees
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real


@dataclass(frozen=True, kw_only=True)
class Clamp(Component):
    """How one sweep passes labels on. F holds the class weights of each row, shape (n, K)."""

    def operator(self, W: Any) -> Any:
        """The matrix by which a sweep multiplies F, shape (n, n), from symmetric weights W."""
        raise NotImplementedError(f"{type(self).__name__} declares no operator")

    def swept(self, passed: np.ndarray, Y: np.ndarray, known: int) -> np.ndarray:
        """F after a sweep, shape (n, K).

        `passed` is the operator times F, and Y holds the labels of the first `known` rows as 0 and
        1; both have the shape of F.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no sweep")

    def energy(self, d: np.ndarray, F: np.ndarray, passed: np.ndarray, Y: np.ndarray) -> float:
        """The objective that no sweep raises.

        d holds the degrees, shape (n,); `passed` is the operator times F, shape (n, K).
        """
        raise NotImplementedError(f"{type(self).__name__} declares no energy")


@enter(
    Card(
        "hard",
        "Hard clamping",
        ("clamp",),
        paper="Zhu and Ghahramani (2002), CMU-CALD-02-107",
        kind="part",
        formula=r"F_u \leftarrow (D^{-1} W F)_u, \quad F_l = Y_l",
    )
)
@dataclass(frozen=True, kw_only=True)
class Hard(Clamp):
    """Known labels are right: every other row becomes the mean of its neighbours.

    The end is harmonic: shares of the label at which a random walk first arrives.
    """

    def operator(self, W: Any) -> Any:
        """Rows that sum to 1: a step of a random walk; zero where nothing is joined."""
        d = degrees(W)
        return _scaled(W, np.divide(1.0, d, out=np.zeros_like(d), where=d > 0))

    def swept(self, passed: np.ndarray, Y: np.ndarray, known: int) -> np.ndarray:
        """The means of the neighbours, and the labels in the known rows."""
        F = passed.copy()
        F[:known] = Y[:known]
        return F

    def energy(self, d: np.ndarray, F: np.ndarray, passed: np.ndarray, Y: np.ndarray) -> float:
        """Half the weighted sum of |F_i - F_j|^2 over all edges in both directions."""
        return float((d[:, None] * F * (F - passed)).sum())


@enter(
    Card(
        "soft",
        "Soft clamping",
        ("clamp",),
        paper="Zhou and others (2004), NIPS 16",
        kind="part",
        formula=r"F \leftarrow \alpha D^{-1/2} W D^{-1/2} F + (1 - \alpha) Y",
    )
)
@dataclass(frozen=True, kw_only=True)
class Soft(Clamp):
    """Known labels pull and neighbours pull: a wrong label among right ones can lose.

    The end is (1 - alpha)(I - alpha S)^-1 Y with the normalised weights S.
    """

    alpha: float = real(
        0.2,
        low=0.0,
        below=1.0,
        soft=(0.0, 0.99),
        symbol=r"\alpha",
        doc="Share of the neighbours in a row; the rest is its own label.",
    )

    def operator(self, W: Any) -> Any:
        """Weights divided by the roots of both degrees."""
        d = degrees(W)
        root = np.divide(1.0, np.sqrt(d), out=np.zeros_like(d), where=d > 0)
        return _scaled(_scaled(W, root).T, root)

    def swept(self, passed: np.ndarray, Y: np.ndarray, known: int) -> np.ndarray:
        """alpha times the neighbours plus 1 - alpha times the own label."""
        return self.alpha * passed + (1 - self.alpha) * Y

    def energy(self, d: np.ndarray, F: np.ndarray, passed: np.ndarray, Y: np.ndarray) -> float:
        """Roughness along the edges and distance from the labels, weighted by alpha."""
        rough = (F * (F - passed)).sum()
        return float((self.alpha * rough + (1 - self.alpha) * ((F - Y) ** 2).sum()) / 2)


def _scaled(W: Any, by: np.ndarray) -> Any:
    """Each row of sparse or dense weights multiplied by a number."""
    if isinstance(W, np.ndarray):
        return W * by[:, None]
    from scipy.sparse import diags_array  # takes a moment to import

    return (diags_array(by) @ W).tocsr()
