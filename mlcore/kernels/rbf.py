"""The Gaussian kernel, and the base of all kernels of a distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Self

import numpy as np

from mlcore.kernels.kernel import Block, Kernel, scale_gamma
from mlcore.maths.squared_distances import squares_against
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real


@dataclass(frozen=True, kw_only=True)
class Radial(Kernel):
    """A kernel of the distance r = |x - z| alone. Subclasses write `profile`."""

    stationary = True

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """The kernel at squared distances of any shape; may write into them."""
        raise NotImplementedError(f"{type(self).__name__} declares no profile")

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """Squared distances by one matrix product, then the profile."""
        squares = squares_against(Z, dtype)
        return lambda X, room=None: self.profile(squares(X, room))

    def diag(self, X: np.ndarray) -> np.ndarray:
        """The profile at zero."""
        return self.profile(np.zeros(len(X)))


@enter(
    Card(
        "rbf",
        "Gaussian (RBF)",
        ("kernel",),
        sources=(
            "epfl:kernel_rbf", "epfl:kernel_rbf_gamma", "epfl:kernel_se_gp", "cs1:k_rbf",
            "prac:kernel_gaussian", "mi2:kernel_rbf", "s841:kernel_rbf", "s841:kernel_gaussian",
        ),
        formula=r"k(x, z) = e^{-\gamma \|x - z\|^2}",
        kind="part",
        synonyms=("radial basis function", "Gaussian kernel", "squared exponential"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class RBF(Radial):
    r"""Rows are alike as far as they are near: $e^{-\gamma \|x - z\|^2}$.

    $\gamma = 1 / 2\sigma^2 = 1 / 2w$: a large $\gamma$ is a narrow bell, and every row stands
    alone; a small one makes all rows alike.
    """

    bounded = True

    gamma: float | str = real(
        "scale",
        above=0.0,
        soft=(0.01, 100.0),
        log=True,
        auto="scale",
        symbol=r"\gamma",
        label="Inverse width",
        doc="1 / (2 sigma^2): larger is narrower. scale is 1 / (columns times variance).",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"kernel": "rbf", "gamma": self.gamma}

    @classmethod
    def from_sigma(cls, sigma: float) -> RBF:
        """The kernel whose bell has standard deviation sigma, in data units."""
        return cls(gamma=1.0 / (2.0 * sigma**2))

    @classmethod
    def from_width(cls, width: float) -> RBF:
        """The kernel of width w = sigma^2, as the practical course writes it."""
        return cls(gamma=1.0 / (2.0 * width))

    @property
    def sigma(self) -> float | None:
        """Standard deviation of the bell; None until gamma is a number."""
        return None if isinstance(self.gamma, str) else 1.0 / sqrt(2.0 * self.gamma)

    @property
    def width(self) -> float | None:
        """sigma squared; None until gamma is a number."""
        return None if isinstance(self.gamma, str) else 1.0 / (2.0 * self.gamma)

    def resolve(self, X: np.ndarray, weights: np.ndarray | None = None) -> Self:
        """The kernel with gamma = 1 / (p var(X)) where gamma is "scale"; 1 if nothing varies."""
        if not isinstance(self.gamma, str):
            return self
        return replace(self, gamma=scale_gamma(X, weights))

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """exp(-gamma r^2), in place."""
        assert not isinstance(self.gamma, str)  # resolved
        np.multiply(r2, -self.gamma, out=r2)
        return np.exp(r2, out=r2)

    @property
    def has_gradient(self) -> bool:
        """True: gamma has a derivative."""
        return True

    def gradient(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """-gamma r^2 k: by the logarithm of gamma, shape (n, n)."""
        return self.differentiated(X)[1]

    def differentiated(self, X: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The matrix of rows X, (n, p), and its gradient, from one exponential."""
        assert not isinstance(self.gamma, str)  # resolved
        exponent = squares_against(X)(X)
        exponent *= -self.gamma
        K = np.exp(exponent)
        exponent *= K
        return K, {"gamma": exponent}

    def settings_text(self) -> str:
        """gamma, sigma and width."""
        if self.sigma is None or self.width is None:
            return "gamma by the scale of the rows"
        return f"gamma {self.gamma:.3g}, that is sigma {self.sigma:.3g} or width {self.width:.3g}"
