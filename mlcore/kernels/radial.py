"""Kernels of the distance beside the Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.kernels.kernel import Block
from mlcore.kernels.rbf import Radial
from mlcore.maths.squared_distances import squares_against
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real

LENGTH = {"above": 0.0, "high": 1e9, "soft": (0.1, 10.0), "log": True}
EXTRA = ("s841:kernel_extra",)


def _card(name: str, title: str, formula: str, sources: tuple[str, ...] = EXTRA) -> Card:
    return Card(name, title, ("kernel",), sources=sources, formula=formula, kind="part")


@enter(_card("laplacian", "Laplacian", r"k(x, z) = e^{-\gamma \|x - z\|}"))
@dataclass(frozen=True, kw_only=True)
class Laplacian(Radial):
    r"""Falls from the first step on: $e^{-\gamma r}$, with a peak at each row.

    $\gamma = 1/\sigma$ is what lists of kernels call Laplacian, $\gamma = 1/2\sigma^2$ exponential.
    """

    bounded = True

    gamma: float = real(
        1.0, symbol=r"\gamma", label="Inverse width", doc="Larger is narrower.", **LENGTH
    )
    metric: str = choice(
        "l2", "l2", "l1", doc="The distance: Euclidean (l2), or the sum over the columns (l1)."
    )

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """By squares, or for l1 by the sum of differences."""
        if self.metric == "l2":
            return super().against(Z, dtype)

        def block(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
            return np.exp(-self.gamma * cdist(X, Z, "cityblock")).astype(dtype, copy=False)

        return block

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """exp(-gamma r)."""
        return np.exp(-self.gamma * np.sqrt(r2))

    def settings_text(self) -> str:
        """gamma."""
        return f"gamma {self.gamma:.3g}, distance {self.metric}"


@enter(
    _card(
        "matern",
        "Matern",
        r"k(x, z) = \left(1 + \tfrac{\sqrt{2\nu}\, r}{\ell} + \dots\right)"
        r" e^{-\sqrt{2\nu}\, r / \ell}",
        (),
    )
)
@dataclass(frozen=True, kw_only=True)
class Matern(Radial):
    r"""Between the Laplacian and the Gaussian: as smooth as $\nu$ says.

    Functions made of it have $\lceil \nu \rceil - 1$ derivatives.
    """

    bounded = True

    length_scale: float = real(
        1.0, symbol=r"\ell", label="Length scale", doc="Length scale, in data units.", **LENGTH
    )
    smoothness: str = choice("1.5", "0.5", "1.5", "2.5", symbol=r"\nu", doc="How smooth it is.")

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """A polynomial of degree nu - 1/2 times an exponential."""
        t = np.sqrt(r2) * (sqrt(2.0 * float(self.smoothness)) / self.length_scale)
        factor = {"0.5": 1.0, "1.5": 1.0 + t, "2.5": 1.0 + t + t**2 / 3.0}[self.smoothness]
        return factor * np.exp(-t)

    @property
    def has_gradient(self) -> bool:
        """True: the length scale has a derivative."""
        return True

    def gradient(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """t times minus the derivative by t, the scaled distance: by log length scale, (n, n)."""
        t = np.sqrt(squares_against(X)(X)) * (
            sqrt(2.0 * float(self.smoothness)) / self.length_scale
        )
        factor = {"0.5": t, "1.5": t**2, "2.5": t**2 * (1.0 + t) / 3.0}[self.smoothness]
        return {"length_scale": factor * np.exp(-t)}

    def settings_text(self) -> str:
        """Length scale and smoothness."""
        return f"length scale {self.length_scale:.3g}, smoothness {self.smoothness}"


@enter(
    _card(
        "rational_quadratic",
        "Rational quadratic",
        r"k(x, z) = \left(1 + \frac{\|x - z\|^2}{2 \alpha \ell^2}\right)^{-\alpha}",
    )
)
@dataclass(frozen=True, kw_only=True)
class RationalQuadratic(Radial):
    r"""A mixture of Gaussians of all widths: $(1 + r^2 / 2\alpha\ell^2)^{-\alpha}$.

    $\alpha = 1$ is the Cauchy kernel, $\alpha = 1/2$ the inverse multiquadric up to a factor; it
    becomes the Gaussian as $\alpha$ grows.
    """

    bounded = True

    length_scale: float = real(
        1.0, symbol=r"\ell", label="Length scale", doc="Length scale, in data units.", **LENGTH
    )
    alpha: float = real(1.0, symbol=r"\alpha", doc="Small has long tails.", **LENGTH)

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """(1 + r^2 / (2 alpha l^2))^-alpha."""
        return (1.0 + r2 / (2.0 * self.alpha * self.length_scale**2)) ** -self.alpha

    @property
    def has_gradient(self) -> bool:
        """True: both settings have a derivative."""
        return True

    def gradient(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """By the logarithms of both settings, (n, n) each, with u = r^2 / (2 alpha l^2)."""
        u = squares_against(X)(X) / (2.0 * self.alpha * self.length_scale**2)
        K = (1.0 + u) ** -self.alpha
        share = u / (1.0 + u)
        return {
            "length_scale": 2.0 * self.alpha * share * K,
            "alpha": self.alpha * K * (share - np.log1p(u)),
        }

    def settings_text(self) -> str:
        """Length scale and alpha."""
        return f"length scale {self.length_scale:.3g}, alpha {self.alpha:.3g}"


@enter(_card("t_student", "Generalised Student", r"k(x, z) = \frac{1}{1 + \|x - z\|^\delta}"))
@dataclass(frozen=True, kw_only=True)
class TStudent(Radial):
    r"""Falls slowly: $1 / (1 + r^\delta)$. Valid for $\delta \le 2$."""

    bounded = True

    degree: float = real(
        1.0, above=0.0, high=2.0, soft=(0.1, 2.0), symbol=r"\delta", doc="Power of the distance."
    )

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """1 / (1 + r^delta)."""
        return 1.0 / (1.0 + r2 ** (self.degree / 2.0))


@enter(_card("multiquadric", "Multiquadric", r"k(x, z) = \sqrt{\|x - z\|^2 + c^2}"))
@dataclass(frozen=True, kw_only=True)
class Multiquadric(Radial):
    r"""Grows with the distance: $\sqrt{r^2 + c^2}$. Not valid; its negative is, conditionally.

    For study alone: with it no dual has a maximum.
    """

    definite = "never"

    c: float = real(
        1.0, symbol="c", label="Offset", doc="Value at distance 0, in data units.", **LENGTH
    )

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """sqrt(r^2 + c^2)."""
        return np.sqrt(r2 + self.c**2)


@enter(_card("power", "Power", r"k(x, z) = -\|x - z\|^\delta"))
@dataclass(frozen=True, kw_only=True)
class Power(Radial):
    r"""Minus the distance, $-r^\delta$: valid for coefficients that sum to zero."""

    definite = "conditional"

    degree: float = real(
        1.0, above=0.0, high=2.0, soft=(0.1, 2.0), symbol=r"\delta", doc="Power of the distance."
    )

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """-r^delta."""
        return -(r2 ** (self.degree / 2.0))


@enter(_card("log", "Logarithmic", r"k(x, z) = -\ln(\|x - z\|^\delta + 1)"))
@dataclass(frozen=True, kw_only=True)
class Log(Radial):
    r"""Minus the logarithm, $-\ln(r^\delta + 1)$: valid for coefficients that sum to zero."""

    definite = "conditional"

    degree: float = real(
        1.0, above=0.0, high=2.0, soft=(0.1, 2.0), symbol=r"\delta", doc="Power of the distance."
    )

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """-log(1 + r^delta)."""
        return -np.log1p(r2 ** (self.degree / 2.0))


@enter(_card("wave", "Wave", r"k(x, z) = \frac{\theta}{r} \sin \frac{r}{\theta}"))
@dataclass(frozen=True, kw_only=True)
class Wave(Radial):
    r"""Swings around zero: $\frac{\theta}{r} \sin \frac{r}{\theta}$. Valid for up to 3 columns."""

    definite = "never"
    bounded = True

    theta: float = real(1.0, symbol=r"\theta", doc="Length of the wave, in data units.", **LENGTH)

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """theta / r sin(r / theta)."""
        return np.sinc(np.sqrt(r2) / (self.theta * np.pi))

    def is_definite(self, p: int) -> bool:
        """For up to three columns."""
        return p <= 3


@enter(_card("compact", "Circular and spherical", r"k(x, z) = 0 \text{ where } r \ge \sigma"))
@dataclass(frozen=True, kw_only=True)
class Compact(Radial):
    r"""Zero beyond $\sigma$: the overlap of two discs, or balls, of diameter $\sigma$.

    Circular is valid for up to 2 columns, spherical for up to 3.
    """

    definite = "never"
    bounded = True

    shape: str = choice("spherical", "circular", "spherical", doc="Discs or balls.")
    sigma: float = real(
        3.0, symbol=r"\sigma", doc="Distance from which on the kernel is zero.", **LENGTH
    )

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """The overlap at u = r / sigma."""
        u = np.minimum(np.sqrt(r2) / self.sigma, 1.0)
        if self.shape == "spherical":
            return 1.0 - 1.5 * u + 0.5 * u**3
        return (np.arccos(u) - u * np.sqrt(1.0 - u**2)) * (2.0 / np.pi)

    def is_definite(self, p: int) -> bool:
        """In as many dimensions as the shape has."""
        return p <= (2 if self.shape == "circular" else 3)
