"""Kernels that compare rows column by column, where no matrix product helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.kernels.kernel import Block, Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real

LENGTH = {"above": 0.0, "high": 1e6, "soft": (0.1, 10.0), "log": True}
EXTRA = ("s841:kernel_extra",)


def _card(name: str, title: str, formula: str, sources: tuple[str, ...] = EXTRA) -> Card:
    return Card(name, title, ("kernel",), sources=sources, formula=formula, kind="part")


def _signed(X: np.ndarray, who: str) -> str | None:
    """The sentence for rows with a negative value, or None."""
    bad = np.argwhere(X < 0)
    if not len(bad):
        return None
    row, column = bad[0]
    return (
        f"{who} compares amounts, which must not be negative; column {column + 1} holds "
        f"{X[row, column]:.3g}. Scale the columns to the range 0 to 1, or choose another kernel."
    )


@enter(_card("anova", "ANOVA", r"k(x, z) = \Big(\sum_k e^{-\sigma (x_k - z_k)^2}\Big)^d"))
@dataclass(frozen=True, kw_only=True)
class ANOVA(Kernel):
    r"""A bell in each column, added up and raised to d: interactions of up to d columns."""

    stationary = True

    sigma: float = real(1.0, symbol=r"\sigma", doc="Inverse width of the bells.", **LENGTH)
    degree: int = integer(
        2, low=1, high=6, soft=(1, 4), symbol="d", doc="Most columns that act together."
    )

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """One column at a time."""

        def block(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
            values = np.zeros((len(X), len(Z)))
            for x, z in zip(X.T, Z.T, strict=True):
                values += np.exp(-self.sigma * (x[:, None] - z) ** 2)
            return (values**self.degree).astype(dtype, copy=False)

        return block

    def diag(self, X: np.ndarray) -> np.ndarray:
        """p^d: every column agrees with itself."""
        return np.full(len(X), float(X.shape[1]) ** self.degree)


@enter(
    _card(
        "wavelet",
        "Wavelet",
        r"k(x, z) = \prod_k h\left(\tfrac{x_k - z_k}{a}\right),\ h(u) = \cos(1.75 u) e^{-u^2/2}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Wavelet(Kernel):
    """A short wave in each column, multiplied over the columns."""

    stationary = True
    bounded = True

    a: float = real(
        1.0, symbol="a", label="Wavelength", doc="Length of the wave, in data units.", **LENGTH
    )

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """One column at a time."""

        def block(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
            values = np.ones((len(X), len(Z)))
            for x, z in zip(X.T, Z.T, strict=True):
                u = (x[:, None] - z) / self.a
                values *= np.cos(1.75 * u) * np.exp(-(u**2) / 2.0)
            return values.astype(dtype, copy=False)

        return block


@enter(
    _card(
        "histogram_intersection",
        "Histogram intersection",
        r"k(x, z) = \sum_k \min(x_k, z_k)",
        ("s841:kernel_extra", "s841:intersection_kernel_svm"),
    )
)
@dataclass(frozen=True, kw_only=True)
class HistogramIntersection(Kernel):
    """The overlap of two histograms: for columns of amounts, none negative."""

    definite = "domain"

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """2 min(a, b) = a + b - |a - b|."""
        sums = Z.sum(axis=1)

        def block(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
            values = (X.sum(axis=1)[:, None] + sums - cdist(X, Z, "cityblock")) / 2.0
            return values.astype(dtype, copy=False)

        return block

    def diag(self, X: np.ndarray) -> np.ndarray:
        """The sum of the row."""
        return X.sum(axis=1)

    def applies(self, X: np.ndarray) -> str | None:
        """Refuse negative values."""
        return _signed(X, self.title())


@enter(
    _card(
        "chi_square",
        "Chi-square",
        r"k(x, z) = e^{-\gamma \sum_k (x_k - z_k)^2 / (x_k + z_k)}",
    )
)
@dataclass(frozen=True, kw_only=True)
class ChiSquare(Kernel):
    r"""Compares histograms by the chi-square distance: for columns of amounts, none negative.

    Exponential, or additive: $\sum_k 2 x_k z_k / (x_k + z_k)$.
    """

    definite = "domain"

    shape: str = choice("exponential", "exponential", "additive", doc="Which of the two forms.")
    gamma: float = real(
        1.0,
        symbol=r"\gamma",
        doc="Factor of the distance.",
        **LENGTH,
        only_if={"shape": "exponential"},
    )

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """One column at a time; 0 / 0 is 0."""

        def block(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
            values = np.zeros((len(X), len(Z)))
            for x, z in zip(X.T, Z.T, strict=True):
                total = x[:, None] + z
                above = (x[:, None] - z) ** 2 if self.shape == "exponential" else x[:, None] * z
                values += np.divide(above, total, out=np.zeros_like(total), where=total > 0)
            values = np.exp(-self.gamma * values) if self.shape == "exponential" else 2.0 * values
            return values.astype(dtype, copy=False)

        return block

    def diag(self, X: np.ndarray) -> np.ndarray:
        """1, or the sum of the row."""
        return np.ones(len(X)) if self.shape == "exponential" else X.sum(axis=1)

    def applies(self, X: np.ndarray) -> str | None:
        """Refuse negative values."""
        return _signed(X, self.title())
