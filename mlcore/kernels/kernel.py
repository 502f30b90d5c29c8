"""The interface of a kernel: a frozen component that gives blocks of a Gram matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mlcore.maths.arrays import vanishing
from mlcore.maths.squared_distances import Block
from mlcore.spine import checks
from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError

LARGEST = 1e100  # of k(x, x): beyond it, sums of products leave no digits
DEFINITE = ("always", "conditional", "domain", "never")


@dataclass(frozen=True, kw_only=True)
class Kernel(Component):
    """How alike two rows are: k(x, z) = k(z, x).

    `definite` says for which inputs every Gram matrix is positive semidefinite: "always", on a
    "domain" of inputs, "conditional" (for coefficients that sum to zero), or "never" guaranteed.
    """

    definite: ClassVar[str] = "always"
    stationary: ClassVar[bool] = False  # depends on x - z alone
    bounded: ClassVar[bool] = False  # |k| <= 1, so that single precision is enough for solvers

    @property
    def has_gradient(self) -> bool:
        """Whether `gradient` gives the derivative by the settings."""
        return False

    def gradient(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """dK / d log(theta) of the Gram matrix of rows X, (n, p), for each positive setting theta.

        By the path of the setting ("gamma", "kernel.gamma"), each of shape (n, n). In logarithms,
        so that a step multiplies a setting and never makes it negative. The kernel must be
        resolved. Raises ParamError if it has no gradient.
        """
        raise ParamError(
            f"{self.title()} does not say how its values change with its settings. Choose a kernel "
            "that does, such as the Gaussian, or search by cross-validation."
        )

    def differentiated(self, X: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The Gram matrix of rows X, (n, p), and its `gradient`, empty for a kernel without one.

        A kernel that computes both in one go says so here.
        """
        return self.against(X)(X), self.gradient(X) if self.has_gradient else {}

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        """The block of X with Z (X itself, if none is given), shape (n, m).

        Settings that are to be chosen from the data are chosen from Z: fix them by `resolve` first
        where the same kernel is to see several sets of rows.
        """
        X = checks.matrix(X, self.title())
        Z = X if Z is None else checks.matrix(Z, self.title())
        return self.resolve(Z).against(Z)(X)

    def against(self, Z: np.ndarray, dtype: Any = np.float64) -> Block:
        """The function that gives the block of any X, shape (m, p), with these rows, (n, p).

        The kernel must be resolved, and the rows checked.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no block")

    def diag(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) of each row, shape (n,)."""
        return np.ones(len(X))

    def resolve(self, X: np.ndarray, weights: np.ndarray | None = None) -> Self:
        """The same kernel with every setting that depends on the data set from rows X.

        X has shape (n, p), the weights shape (n,).
        """
        return self

    def applies(self, X: np.ndarray) -> str | None:
        """Why this kernel is undefined for rows X, shape (n, p), as a sentence, or None."""
        return None

    def is_definite(self, p: int) -> bool:
        """Whether every Gram matrix of rows of p columns that it applies to is semidefinite."""
        return self.definite in ("always", "domain")

    def settings_text(self) -> str:
        """The settings in words, a width in every unit in which it is given in books."""
        return ""


def scale_gamma(X: np.ndarray, weights: np.ndarray | None = None) -> float:
    """1 / (p var(X)) over all values of X, shape (n, p), rows by weights; 1 if nothing varies."""
    w = np.ones(len(X)) if weights is None else weights
    shift = X.mean(axis=0)  # differences before squares: a large mean would take every digit
    centred = X - shift
    columns = w @ centred / w.sum()
    means = (shift - shift[0]) + columns  # of the columns, about one of them
    within = (w @ (centred - columns) ** 2).sum() / (w.sum() * X.shape[1])
    variance = within + ((means - means.mean()) ** 2).mean()
    # Rows that all are equal, or whose squares underflow, have no scale of their own.
    return float(1.0 / (X.shape[1] * variance)) if variance > 1e-300 else 1.0


def why_not(kernel: Kernel, X: np.ndarray, who: str) -> str | None:
    """Why a method cannot work with this kernel on rows X, shape (n, p), as a sentence, or None.

    It may have no value there, or one that overflows.
    """
    if reason := vanishing(X, who) or kernel.applies(X):
        return reason
    with np.errstate(over="ignore"):
        largest = np.abs(kernel.resolve(X).diag(X)).max()
    if largest <= LARGEST:
        return None
    return f"{who}: the kernel overflows on these rows. Standardise the columns."
