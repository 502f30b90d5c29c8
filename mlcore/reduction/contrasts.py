"""Contrasts: even functions whose mean tells how far from normal a source of variance 1 is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri

from mlcore.maths.log_cosh import log_cosh
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real

NODES, MASSES = np.polynomial.hermite_e.hermegauss(100)
MASSES = MASSES / MASSES.sum()  # of a standard normal number at the nodes
RARE = 0.05  # share of normal samples that are taken for something else


class Slopes(NamedTuple):
    """Of G at a block of values."""

    first: np.ndarray  # (m, q)
    second: np.ndarray  # (q,) sums over the rows


@dataclass(frozen=True, kw_only=True)
class Contrast(Component):
    """A function G of sources of mean 0 and variance 1."""

    def value(self, u: np.ndarray) -> np.ndarray:
        """G at each value, of the same shape."""
        raise NotImplementedError(f"{type(self).__name__} declares no value")

    def slopes(self, u: np.ndarray) -> Slopes:
        """First and summed second derivatives of G at values u, shape (m, q)."""
        raise NotImplementedError(f"{type(self).__name__} declares no slopes")

    def of_normal(self) -> float:
        """The mean of G for a standard normal number."""
        return float(MASSES @ self.value(NODES))

    def negentropies(self, S: np.ndarray) -> np.ndarray:
        """Squared distance of the mean of G from that of a normal number, for sources (n, q)."""
        return (self.value(S).mean(axis=0) - self.of_normal()) ** 2

    def normal_limit(self, n: int, q: int = 1) -> float:
        """The negentropy that 95 of 100 samples of n normal rows do not exceed, for large n.

        In a direction that was looked for among q, which has the q degrees of freedom of it. Rows
        are scaled to mean 0 and variance 1 before, which takes the part of G that goes with the
        square.
        """
        G = self.value(NODES)
        square = NODES**2 - 1
        left = G - MASSES @ G - (MASSES @ (G * square)) / 2 * square
        return float(chdtri(q, RARE)) * float(MASSES @ left**2) / n


@enter(Card("log_cosh", "log cosh", ("contrast",), sources=("epfl:ica_contrast_logcosh",),
            kind="part"))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class LogCosh(Contrast):
    """G = log cosh(a u) / a, the general choice: outliers count by their size, not its power."""

    a: float = real(
        1.0, low=1.0, high=2.0, soft=(1.0, 2.0), label="Steepness", doc="Of its slope at zero."
    )

    def value(self, u: np.ndarray) -> np.ndarray:
        """log cosh(a u) / a."""
        return log_cosh(self.a * u) / self.a

    def slopes(self, u: np.ndarray) -> Slopes:
        """tanh(a u), and a (1 - tanh^2)."""
        t = np.tanh(self.a * u)
        return Slopes(t, self.a * (len(t) - np.einsum("ij,ij->j", t, t)))


@enter(Card("gauss", "Gaussian", ("contrast",), sources=("epfl:ica_contrast_exp",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Gauss(Contrast):
    """G = -exp(-u^2 / 2), for sources with long tails, and where outliers must not count."""

    def value(self, u: np.ndarray) -> np.ndarray:
        """-exp(-u^2 / 2)."""
        return -np.exp(-(u**2) / 2)

    def slopes(self, u: np.ndarray) -> Slopes:
        """u exp(-u^2 / 2), and (1 - u^2) exp(-u^2 / 2)."""
        e = np.exp(-(u**2) / 2)
        first = u * e
        return Slopes(first, e.sum(axis=0) - np.einsum("ij,ij->j", u, first))


@enter(Card("kurtosis", "Kurtosis", ("contrast",), sources=("mi2:kurtosis",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Kurtosis(Contrast):
    """G = u^4 / 4, for bounded sources without outliers; a single wild row decides it."""

    def value(self, u: np.ndarray) -> np.ndarray:
        """u^4 / 4."""
        return (u * u) ** 2 / 4

    def slopes(self, u: np.ndarray) -> Slopes:
        """u^3, and 3 u^2."""
        squares = u * u
        return Slopes(squares * u, 3 * squares.sum(axis=0))
