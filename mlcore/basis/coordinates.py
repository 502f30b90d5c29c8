"""Other coordinates about an origin: radius and angles, and the lift onto a paraboloid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.basis.basis import Basis, Term, squared_lengths
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice


@dataclass(frozen=True, kw_only=True)
class _AboutOrigin(Basis):
    learns = "origin"

    origin: str = choice(
        "mean", "mean", "zero", symbol="o", doc="The mean of the training rows, or 0."
    )

    def points(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The origin, shape (1, p)."""
        return X.mean(axis=0)[None] if self.origin == "mean" else np.zeros((1, X.shape[1]))


def _length(D: np.ndarray) -> np.ndarray:
    return np.sqrt(squared_lengths(D))


@enter(
    Card(
        "polar",
        "Polar coordinates",
        ("basis",),
        sources=("epfl:polar_transform",),
        formula=r"r = \|x - o\|, \quad \theta = \operatorname{atan2}(x_2 - o_2, x_1 - o_1)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Polar(_AboutOrigin):
    """Distance from an origin, and the angles of the direction; rings become straight bands."""

    def count(self, p: int) -> int:
        """A radius and p - 1 angles."""
        return p

    def points(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The origin, shape (1, p). Raises DataError if there is a single column."""
        if X.shape[1] < 2:
            raise DataError("Polar coordinates need at least two columns of numbers; got one.")
        return super().points(X, rng)

    def terms(self, names: tuple[str, ...], points: np.ndarray) -> tuple[Term, ...]:
        """radius, angle (or angle 1 to angle p - 1)."""
        p, every = len(names), tuple(range(len(names)))
        angles = ("angle",) if p == 2 else tuple(f"angle {k}" for k in range(1, p))
        return tuple(Term(name, every) for name in ("radius", *angles))

    def values(self, X: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Radius, and angles in radians: the last in (-pi, pi], those before it in [0, pi]."""
        D = X - points[0]
        p = D.shape[1]
        lead = [np.arctan2(_length(D[:, k + 1 :]), D[:, k]) for k in range(p - 2)]
        return np.column_stack([_length(D), *lead, np.arctan2(D[:, -1], D[:, -2])])


@enter(
    Card(
        "paraboloid",
        "Lift onto a paraboloid",
        ("basis",),
        sources=("cs1:paraboloid_lift",),
        formula=r"\varphi(x) = \bigl(x, \|x - o\|^2\bigr)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Paraboloid(_AboutOrigin):
    """The columns, and the squared distance from an origin: a plane there is a circle here."""

    def count(self, p: int) -> int:
        """One more than there are columns."""
        return p + 1

    def terms(self, names: tuple[str, ...], points: np.ndarray) -> tuple[Term, ...]:
        """The columns, and squared radius."""
        own = (Term(name, (j,)) for j, name in enumerate(names))
        return (*own, Term("squared radius", tuple(range(len(names)))))

    def values(self, X: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Rows with one column more, shape (m, p + 1)."""
        return np.column_stack([X, squared_lengths(X - points[0])])
