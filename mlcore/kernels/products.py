"""Kernels of the inner product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.kernels.kernel import Block, Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer, real

FARTHEST = 1e150  # of k(x, z): its square is a number
GAMMA = {"above": 0.0, "high": 1e6, "soft": (0.01, 10.0), "log": True, "symbol": r"\gamma"}


def _largest(X: np.ndarray) -> float:
    """The largest absolute value, 0 of no rows."""
    return float(np.abs(X).max(initial=0.0))


@dataclass(frozen=True, kw_only=True)
class _OfProduct(Kernel):
    """A kernel of x . z; subclasses write `shape`."""

    def shape(self, products: np.ndarray) -> np.ndarray:
        """The kernel at inner products of any shape; may write into them."""
        raise NotImplementedError(f"{type(self).__name__} declares no shape")

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """Inner products, then the shape; the block raises DataError for rows too far away."""
        side, near = np.ascontiguousarray(Z.T, dtype=dtype), _largest(Z)

        def block(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
            if (value := _largest(X)) > near:  # what is nearer is bounded by k(z, z)
                self._refuse(value, near * Z.shape[1])
            return self.shape(np.matmul(X.astype(dtype, copy=False), side, out=room))

        return block

    def _refuse(self, value: float, reach: float) -> None:
        """Raise DataError if the kernel of a row with this value may overflow; `reach` of others.

        No value is larger than the shape of the product of the two, whatever the other columns.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            largest = self.shape(np.array([value * reach]))[0]
        if not abs(largest) <= FARTHEST:
            raise DataError(
                f"{self.title()} kernel overflows for the row that holds {value:.3g} or its "
                "negative. Mend the value, or choose a bounded kernel such as the Gaussian."
            )

    def diag(self, X: np.ndarray) -> np.ndarray:
        """The shape of the squared lengths."""
        return self.shape(np.einsum("ij,ij->i", X, X))


@enter(
    Card(
        "linear",
        "Linear",
        ("kernel",),
        sources=(
            "epfl:kernel_linear", "cs1:k_linear", "prac:kernel_linear", "mi2:kernel_linear",
            "s841:kernel_linear",
        ),
        formula=r"k(x, z) = x^\top z",
        kind="part",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Linear(_OfProduct):
    """The inner product of the columns: straight boundaries."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"kernel": "linear"}

    def shape(self, products: np.ndarray) -> np.ndarray:
        """As they are."""
        return products


@enter(
    Card(
        "polynomial",
        "Polynomial",
        ("kernel",),
        sources=(
            "epfl:kernel_poly_hom", "epfl:kernel_poly_inhom", "cs1:k_poly",
            "prac:kernel_polynomial", "mi2:kernel_polynomial", "s841:kernel_polynomial",
        ),
        formula=r"k(x, z) = (\gamma\, x^\top z + c)^d",
        kind="part",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Polynomial(_OfProduct):
    r"""All products of up to d columns at once: $(\gamma\, x^\top z + c)^d$.

    $c = 0$ keeps the products of exactly d columns; a larger c favours those of few.
    """

    degree: int = integer(
        3, low=1, high=10, soft=(1, 6), symbol="d", doc="Most columns that are multiplied together."
    )
    gamma: float = real(1.0, doc="Factor of the inner product.", advanced=True, **GAMMA)
    coef0: float = real(
        1.0,
        low=0.0,
        high=1e6,
        soft=(0.0, 5.0),
        symbol="c",
        label="Constant",
        doc="Added to the inner product: 0 keeps the highest degree alone.",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        own = {"gamma": self.gamma, "coef0": self.coef0}
        return {"kernel": "poly", "degree": self.degree, **own}

    def shape(self, products: np.ndarray) -> np.ndarray:
        """(gamma t + c)^d."""
        return (self.gamma * products + self.coef0) ** self.degree

    def settings_text(self) -> str:
        """Degree and constant."""
        return f"degree {self.degree}, constant {self.coef0:.3g}"


@enter(
    Card(
        "sigmoid",
        "Sigmoid",
        ("kernel",),
        sources=("epfl:kernel_tanh", "mi2:kernel_tanh", "s841:kernel_tanh"),
        formula=r"k(x, z) = \tanh(\gamma\, x^\top z + c)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Sigmoid(_OfProduct):
    r"""The response of a neuron, $\tanh(\gamma\, x^\top z + c)$: not a valid kernel.

    Its Gram matrices may have negative eigenvalues at any setting; a solver ends with it in
    a stationary point and perhaps not the best one.
    """

    definite = "never"
    bounded = True

    gamma: float = real(0.1, doc="Factor of the inner product.", **GAMMA)
    coef0: float = real(
        0.0,
        low=-1e3,
        high=1e3,
        soft=(-2.0, 2.0),
        symbol="c",
        label="Constant",
        doc="Added to the inner product.",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"kernel": "sigmoid", "gamma": self.gamma, "coef0": self.coef0}

    def shape(self, products: np.ndarray) -> np.ndarray:
        """tanh(gamma t + c)."""
        return np.tanh(self.gamma * products + self.coef0)

    def settings_text(self) -> str:
        """Factor and constant."""
        return f"factor {self.gamma:.3g}, constant {self.coef0:.3g}"
