"""Kernels made of kernels, by rules that keep them valid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mlcore.kernels.kernel import Block, Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.params import part, real

TINY = 1e-300  # of k(x, x): below it a row has no direction of its own


def _card(name: str, title: str, formula: str, sources: tuple[str, ...]) -> Card:
    return Card(name, title, ("kernel",), sources=sources, formula=formula, kind="part")


@dataclass(frozen=True, kw_only=True)
class _Composed(Kernel):
    """What all compositions share: answers put together from those of their parts."""

    @property
    def own(self) -> list[Any]:
        """The kernels it is made of."""
        return self.parts()

    @property
    def names(self) -> list[str]:
        """The names of the fields that hold these kernels."""
        return [name for name, value in vars(self).items() if isinstance(value, Kernel)]

    def resolve(self, X: np.ndarray, weights: np.ndarray | None = None) -> Self:
        """The same composition with every part resolved."""
        return replace(self, **{n: getattr(self, n).resolve(X, weights) for n in self.names})

    def applies(self, X: np.ndarray) -> str | None:
        """The reason of the first part that does not apply."""
        return next((reason for kernel in self.own if (reason := kernel.applies(X))), None)

    def is_definite(self, p: int) -> bool:
        """Whether all parts are definite."""
        return all(kernel.is_definite(p) for kernel in self.own)

    def _inner(self, X: np.ndarray, name: str) -> dict[str, np.ndarray]:
        """The gradient of one part, by the path of each setting from this kernel."""
        gradient = getattr(self, name).gradient(X)
        return {f"{name}.{path}": slope for path, slope in gradient.items()}

    def settings_text(self) -> str:
        """The parts, each with its settings."""
        each = (
            f"{kernel.title()} ({kernel.settings_text()})".replace(" ()", "") for kernel in self.own
        )
        return " and ".join(each)


@dataclass(frozen=True, kw_only=True)
class _OfTwo(_Composed):
    """A rule for two kernels."""

    first: Any = part("rbf", slot="kernel", doc="One kernel.")
    second: Any = part("linear", slot="kernel", doc="The other kernel.")

    @property
    def has_gradient(self) -> bool:
        """Whether both parts have a gradient."""
        return self.first.has_gradient and self.second.has_gradient

    def _join(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} declares no rule")

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """Both blocks, joined."""
        a, b = self.first.against(Z, dtype), self.second.against(Z, dtype)
        return lambda X, room=None: self._join(a(X), b(X))

    def diag(self, X: np.ndarray) -> np.ndarray:
        """Both diagonals, joined."""
        return self._join(self.first.diag(X), self.second.diag(X))


@enter(_card("sum", "Sum of two", r"k = k_1 + k_2", ("cs1:k_sum", "s841:kernel_algebra")))
@dataclass(frozen=True, kw_only=True)
class Sum(_OfTwo):
    """Alike in one way or the other: the sum of two kernels, their features side by side."""

    def gradient(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """The gradients of both parts."""
        return self._inner(X, "first") | self._inner(X, "second")

    def _join(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a + b


@enter(_card("product", "Product of two", r"k = k_1 k_2", ("cs1:k_product", "s841:kernel_algebra")))
@dataclass(frozen=True, kw_only=True)
class Product(_OfTwo):
    """Alike in both ways: the product of two kernels and of their features."""

    def gradient(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """The gradient of each part times the other part, by the product rule."""
        others = {"first": self.second.against(X)(X), "second": self.first.against(X)(X)}
        return {
            path: slope * other
            for name, other in others.items()
            for path, slope in self._inner(X, name).items()
        }

    def _join(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a * b


@enter(_card("scaled", "Scaled", r"k = c\, k_1", ("cs1:k_scale", "epfl:kernel_se_gp")))
@dataclass(frozen=True, kw_only=True)
class Scaled(_Composed):
    """A kernel times a positive number."""

    kernel: Any = part("rbf", slot="kernel", doc="The kernel.")
    factor: float = real(
        1.0, above=0.0, high=1e9, soft=(0.01, 100.0), log=True, symbol="c", doc="The number."
    )

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """The block times the number."""
        block = self.kernel.against(Z, dtype)
        return lambda X, room=None: self.factor * block(X)

    def diag(self, X: np.ndarray) -> np.ndarray:
        """The diagonal times the number."""
        return self.factor * self.kernel.diag(X)

    @property
    def has_gradient(self) -> bool:
        """Whether the kernel inside has a gradient."""
        return self.kernel.has_gradient

    def gradient(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """The matrix itself for the number, and that of the kernel times the number."""
        return self.differentiated(X)[1] if self.has_gradient else self.kernel.gradient(X)

    def differentiated(self, X: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Matrix and gradient of the kernel inside, times the number."""
        K, inner = self.kernel.differentiated(X)
        K *= self.factor
        if not self.has_gradient:
            return K, {}
        slopes = {f"kernel.{path}": self.factor * slope for path, slope in inner.items()}
        return K, slopes | {"factor": K}


@enter(
    _card(
        "normalised",
        "Normalised",
        r"k(x, z) = k_1(x, z) / \sqrt{k_1(x, x)\, k_1(z, z)}",
        ("cs1:k_normalised", "epfl:cosine_similarity"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Normalised(_Composed):
    """Directions alone: every row has length 1 in the features of a kernel. Linear: the cosine.

    A row of length zero has the value 0 with every row, itself included.
    """

    bounded = True

    kernel: Any = part("polynomial", slot="kernel", doc="The kernel.")

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """The block over the lengths of both sides."""
        block, side = self.kernel.against(Z), _inverse_length(self.kernel.diag(Z))

        def normalised(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
            cosines = block(X) * _inverse_length(self.kernel.diag(X))[:, None] * side
            return cosines.astype(dtype, copy=False)

        return normalised

    def diag(self, X: np.ndarray) -> np.ndarray:
        """1, or 0 for a row of length zero."""
        return (self.kernel.diag(X) > TINY).astype(float)


def _inverse_length(diag: np.ndarray) -> np.ndarray:
    return np.divide(1.0, np.sqrt(np.abs(diag)), out=np.zeros(len(diag)), where=diag > TINY)


@enter(_card("exponential", "Exponential of", r"k = e^{k_1}", ("cs1:k_exp",)))
@dataclass(frozen=True, kw_only=True)
class Exponential(_Composed):
    """e to the power of a kernel: all its powers, added up."""

    kernel: Any = part("normalised", slot="kernel", doc="The kernel; values above 100 are refused.")

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """The block in the exponent."""
        block = self.kernel.against(Z)

        def exponential(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
            return np.exp(np.minimum(block(X), 700.0)).astype(dtype, copy=False)

        return exponential

    def diag(self, X: np.ndarray) -> np.ndarray:
        """The diagonal in the exponent."""
        return np.exp(np.minimum(self.kernel.diag(X), 700.0))

    def applies(self, X: np.ndarray) -> str | None:
        """Refuse values whose exponentials leave no digits."""
        if reason := super().applies(X):
            return reason
        largest = float(self.kernel.resolve(X).diag(X).max())
        if largest <= 100.0:
            return None
        return (
            f"{self.title()} needs a kernel of small values; the largest here is {largest:.3g}. "
            "Normalise or scale the kernel inside it."
        )
