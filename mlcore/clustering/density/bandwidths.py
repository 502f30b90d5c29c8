"""How wide a kernel is: by a rule, or by the likelihood of rows that it was not summed over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.distances.neighbours import Neighbours
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, real

N_COARSE, N_FINE = 18, 12  # bandwidths that are tried, the fine ones about the best of the others
WIDEST = 4.0  # of the standard deviation: a compact kernel must reach farther than a Gaussian


@dataclass(frozen=True, kw_only=True)
class Bandwidth(Component):
    """A rule for the bandwidth; `tried` are those among which a search chooses."""

    reads_rows: ClassVar[bool] = True  # whether it says anything only of rows that differ

    def tried(self, X: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Ascending bandwidths for rows X, shape (n, p), of weights w that sum to 1, shape (g,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no bandwidths")

    def finer(self, tried: np.ndarray, best: int) -> np.ndarray:
        """More bandwidths about the best of those that were tried, shape (f,)."""
        return np.empty(0)

    def groups(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Which of n rows are left out together, shape (n,)."""
        return np.arange(n)

    @property
    def is_search(self) -> bool:
        """Whether several are tried."""
        return False


@enter(Card("fixed_width", "Given", ("bandwidth",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class FixedWidth(Bandwidth):
    """A number."""

    reads_rows: ClassVar[bool] = False

    h: float = real(
        0.5,
        above=0.0,
        soft=(0.01, 10.0),
        log=True,
        symbol="h",
        label="Bandwidth",
        doc="Width of the kernel, in units of the prepared columns.",
    )

    def tried(self, X: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The setting."""
        return np.array([self.h])


@enter(
    Card(
        "scott",
        "Scott's rule",
        ("bandwidth",),
        paper="Scott (1992), Multivariate Density Estimation",
        kind="part",
        formula=r"h = s\, n^{-1/(p+4)}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Scott(Bandwidth):
    """What is best for rows of one Gaussian, nearly: too wide where there are several groups.

    s is the standard deviation, over all columns the root of the mean variance.
    """

    def tried(self, X: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The rule."""
        return np.array([spread(X, w) * effective(w) ** (-1 / (X.shape[1] + 4))])


@enter(
    Card(
        "silverman",
        "Silverman's rule",
        ("bandwidth",),
        paper="Silverman (1986), Density Estimation for Statistics and Data Analysis",
        kind="part",
        formula=r"h = s \left(\tfrac{n (p + 2)}{4}\right)^{-1/(p+4)}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Silverman(Bandwidth):
    """The width of least squared error for rows of one Gaussian: too wide for several groups."""

    def tried(self, X: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The rule."""
        p = X.shape[1]
        return np.array([spread(X, w) * (effective(w) * (p + 2) / 4) ** (-1 / (p + 4))])


class _Searched(Bandwidth):
    """The bandwidth under which rows that are left out are likeliest."""

    @property
    def is_search(self) -> bool:
        """Yes."""
        return True

    def tried(self, X: np.ndarray, w: np.ndarray) -> np.ndarray:
        """From the smallest distance of two different rows to four standard deviations.

        Narrower ones would make equal rows infinitely likely, and all others impossible.
        """
        wide = WIDEST * spread(X, w)
        k = min(len(X) - 1, 8)  # so many equal rows may hide the nearest different one
        apart = Neighbours(X).others(k).distances
        apart = apart[apart > 1e-4 * wide]
        narrow = float(apart.min()) if len(apart) else 1e-2 * wide
        return np.geomspace(min(narrow, 0.1 * wide), wide, N_COARSE)

    def finer(self, tried: np.ndarray, best: int) -> np.ndarray:
        """Those between the neighbours of the best one tried, shape (f,)."""
        ends = tried[max(best - 1, 0)], tried[min(best + 1, len(tried) - 1)]
        return np.geomspace(*ends, N_FINE + 2)[1:-1]


@enter(
    Card(
        "leave_one_out",
        "Leaving one row out",
        ("bandwidth",),
        paper="Duin (1976), IEEE Transactions on Computers C-25(11)",
        sources=("mi2:kde_bandwidth",),
        kind="part",
        formula=r"\arg\max_h \sum_i \log \hat f_{-i}(x_i)",
    )
)
@dataclass(frozen=True, kw_only=True)
class LeaveOneOut(_Searched):
    """Each row is judged by the kernels of all others; one stray row asks for a wide kernel."""


@enter(
    Card(
        "cross_validated",
        "Cross-validation",
        ("bandwidth",),
        sources=("mi2:kde_bandwidth",),
        random=True,
        kind="part",
        formula=r"\arg\max_h \sum_i \log \hat f_{-k(i)}(x_i)",
    )
)
@dataclass(frozen=True, kw_only=True)
class CrossValidated(_Searched):
    """Rows are left out in groups, so that equal rows count less for narrow kernels."""

    folds: int = integer(5, low=2, soft=(2, 20), doc="Into how many groups the rows are drawn.")

    def groups(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Groups of nearly equal size, drawn."""
        return rng.permutation(np.arange(n) % min(self.folds, n))


def effective(w: np.ndarray) -> float:
    """How many rows of equal weight say as much as weights w, shape (n,), that sum to 1."""
    return float(1.0 / (w**2).sum())


def spread(X: np.ndarray, w: np.ndarray) -> float:
    """Root of the mean variance of the columns of X, shape (n, p), divisor n - 1.

    Weights w, shape (n,), sum to 1.
    """
    variances = w @ (X - w @ X) ** 2
    n = effective(w)
    return float(np.sqrt(variances.mean() * n / (n - 1)))
