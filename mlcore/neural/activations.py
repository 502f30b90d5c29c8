"""Activations: what a unit makes of the weighted sum of its inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real

STEEP = 1.7159, 0.6666  # height and slope of the scaled tanh (LeCun and others 1998)


@dataclass(frozen=True, kw_only=True)
class Activation(Component):
    """A function of one number, with its derivative."""

    @property
    def ends(self) -> tuple[float, float]:
        """Below and above which its values never come; infinite where there is no such end."""
        return -np.inf, np.inf

    def value(self, Z: np.ndarray, out: np.ndarray) -> None:
        """Fill `out` with the values at the sums Z, of the same shape."""
        raise NotImplementedError(f"{type(self).__name__} declares no value")

    def slope(self, Z: np.ndarray, A: np.ndarray) -> np.ndarray | None:
        """The derivative at the sums Z, where the values are A, of their shape; None is 1."""
        raise NotImplementedError(f"{type(self).__name__} declares no derivative")


@enter(Card("linear", "Linear", ("activation",), kind="part", formula="z", synonyms=("identity",)))
@dataclass(frozen=True, kw_only=True)
class Linear(Activation):
    """The sum itself: layers of such units are together no more than one."""

    def value(self, Z: np.ndarray, out: np.ndarray) -> None:
        """Copies Z, of the shape of `out`."""
        np.copyto(out, Z)

    def slope(self, Z: np.ndarray, A: np.ndarray) -> np.ndarray | None:
        """None, for ones of the shape of Z."""
        return None


@enter(
    Card(
        "logistic",
        "Logistic",
        ("activation",),
        kind="part",
        sources=("cs2:act_sigmoid", "epfl:act_logistic"),
        formula=r"\frac{1}{1 + e^{-D z}}",
        synonyms=("sigmoid",),
    )
)
@dataclass(frozen=True, kw_only=True)
class LogisticUnit(Activation):
    """Rises from 0 to 1. Never 0 on average, so layers above learn slower than with tanh."""

    steepness: float = real(
        1.0, above=0.0, soft=(0.1, 10.0), log=True, symbol="D", doc="Steepness; 1 is the usual one."
    )

    @property
    def ends(self) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0

    def value(self, Z: np.ndarray, out: np.ndarray) -> None:
        """(1 + tanh(D z / 2)) / 2, which never overflows; of the shape of `out`."""
        np.multiply(Z, 0.5 * self.steepness, out=out)
        np.tanh(out, out=out)
        out += 1.0
        out *= 0.5

    def slope(self, Z: np.ndarray, A: np.ndarray) -> np.ndarray:
        """D a (1 - a), of the shape of A."""
        return self.steepness * A * (1.0 - A)


@enter(
    Card(
        "tanh",
        "Tanh",
        ("activation",),
        kind="part",
        sources=("cs2:act_tanh", "epfl:act_tanh"),
        formula=r"\tanh z",
        synonyms=("hyperbolic tangent",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Tanh(Activation):
    """Rises from -1 to 1, and is about 0 on average: smooth borders, quick for few layers."""

    @property
    def ends(self) -> tuple[float, float]:
        """-1 and 1."""
        return -1.0, 1.0

    def value(self, Z: np.ndarray, out: np.ndarray) -> None:
        """tanh z, of the shape of `out`."""
        np.tanh(Z, out=out)

    def slope(self, Z: np.ndarray, A: np.ndarray) -> np.ndarray:
        """1 - a^2, of the shape of A."""
        slope = A * A
        return np.subtract(1.0, slope, out=slope)


@enter(
    Card(
        "scaled_tanh",
        "Scaled tanh",
        ("activation",),
        paper="LeCun, Bottou, Orr and Müller (1998), Neural Networks: Tricks of the Trade",
        kind="part",
        sources=("cs2:act_scaled_tanh",),
        formula=r"1.7159 \tanh(0.6666 z)",
    )
)
@dataclass(frozen=True, kw_only=True)
class ScaledTanh(Activation):
    """Tanh stretched so that it is about 1 at 1 and -1 at -1, where it still bends little."""

    @property
    def ends(self) -> tuple[float, float]:
        """-1.7159 and 1.7159."""
        return -STEEP[0], STEEP[0]

    def value(self, Z: np.ndarray, out: np.ndarray) -> None:
        """1.7159 tanh(0.6666 z), of the shape of `out`."""
        np.multiply(Z, STEEP[1], out=out)
        np.tanh(out, out=out)
        out *= STEEP[0]

    def slope(self, Z: np.ndarray, A: np.ndarray) -> np.ndarray:
        """0.6666 (1.7159 - a^2 / 1.7159), of the shape of A."""
        return STEEP[1] * (STEEP[0] - A * A / STEEP[0])


@enter(
    Card(
        "relu",
        "ReLU",
        ("activation",),
        paper="Nair and Hinton (2010), ICML",
        kind="part",
        sources=("cs2:act_relu",),
        formula=r"\max(z, 0)",
        synonyms=("rectified linear unit", "rectifier"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Relu(Activation):
    """0 below 0, then the sum itself: gradients do not fade, and a unit may fall silent."""

    @property
    def ends(self) -> tuple[float, float]:
        """0, and none above."""
        return 0.0, np.inf

    def value(self, Z: np.ndarray, out: np.ndarray) -> None:
        """max(z, 0), of the shape of `out`."""
        np.maximum(Z, 0.0, out=out)

    def slope(self, Z: np.ndarray, A: np.ndarray) -> np.ndarray:
        """1 above 0, else 0, of the shape of A; 0 at 0 itself."""
        return (A > 0).astype(np.float64)


@enter(
    Card(
        "softplus",
        "Softplus",
        ("activation",),
        kind="part",
        sources=("cs2:act_softplus",),
        formula=r"\log(1 + e^z)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Softplus(Activation):
    """A rectifier without its corner."""

    @property
    def ends(self) -> tuple[float, float]:
        """0, and none above."""
        return 0.0, np.inf

    def value(self, Z: np.ndarray, out: np.ndarray) -> None:
        """log(1 + e^z), which does not overflow; of the shape of `out`."""
        np.logaddexp(0.0, Z, out=out)

    def slope(self, Z: np.ndarray, A: np.ndarray) -> np.ndarray:
        """1 - e^{-a}, of the shape of A."""
        return -np.expm1(-A)


@enter(
    Card(
        "rbf",
        "Bump",
        ("activation",),
        kind="part",
        sources=("s841:radbas", "epfl:act_rbf"),
        formula=r"e^{-\alpha z^2}",
        synonyms=("radbas", "radial basis", "Gaussian activation"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Bump(Activation):
    """1 where the sum is 0, and 0 far from it: a unit answers along a strip."""

    alpha: float = real(
        1.0, above=0.0, soft=(0.1, 10.0), log=True, symbol=r"\alpha", doc="Narrowness of the bump."
    )

    @property
    def ends(self) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0

    def value(self, Z: np.ndarray, out: np.ndarray) -> None:
        """exp(-alpha z^2), of the shape of `out`."""
        np.multiply(Z, Z, out=out)
        out *= -self.alpha
        np.exp(out, out=out)

    def slope(self, Z: np.ndarray, A: np.ndarray) -> np.ndarray:
        """-2 alpha z a, of the shape of A."""
        return -2.0 * self.alpha * Z * A
