"""How a Gaussian process treats its rows: all pairs of them, or all through some of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from mlcore.gaussian_process.posteriors import GPFit, GPRegressionFit, SparseGPFit
from mlcore.gaussian_process.settings import MOST_ROWS
from mlcore.kernels.evidence import Observed, Process
from mlcore.kernels.inducing import SparseProcess, spread_rows
from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, integer

Maker = Callable[[Observed, Kernel, float], Any]  # a process of rows, a kernel and a noise


@dataclass(frozen=True, kw_only=True)
class Approximation(Component):
    """Which process stands for that of all pairs of rows."""

    fit_type: ClassVar[type[GPFit]]
    remedy: ClassVar[str] = ""  # what to do of too many rows, beside drawing a sample

    @property
    def most_rows(self) -> int:
        """For whose matrices there is room."""
        raise NotImplementedError(f"{type(self).__name__} declares no number of rows")

    def kept(self, rows: Observed, rng: np.random.Generator) -> Observed:
        """The rows that count, all of them where nothing else is said."""
        return rows

    def maker(self, rows: Observed) -> Maker:
        """What gives the process of these rows."""
        raise NotImplementedError(f"{type(self).__name__} declares no process")

    def takes(self, n: int, p: int) -> tuple[float, float]:
        """Seconds of one process of n rows with its gradient, and numbers that it holds."""
        raise NotImplementedError(f"{type(self).__name__} declares no cost")


@enter(Card("exact", "All pairs of rows", ("gp_approximation",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Exact(Approximation):
    """The process as it is: the matrix of all pairs of rows is factored. O(n^3)."""

    fit_type = GPRegressionFit
    remedy = ", or approximate by inducing points (FITC)"

    @property
    def most_rows(self) -> int:
        """As settings.py has it for all processes."""
        return MOST_ROWS

    def maker(self, rows: Observed) -> Maker:
        """Of any rows."""
        return Process

    def takes(self, n: int, p: int) -> tuple[float, float]:
        """A factor and its inverse."""
        return n**3 / 2e10 + n**2 * (3e-8 + 1e-10 * p), 6.0 * n**2


@enter(
    Card(
        "subset",
        "Some of the rows",
        ("gp_approximation",),
        kind="part",
        sources=("epfl:gp_sparse",),
        synonyms=("subset of data", "SoD", "subsampling", "active set"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Subset(Exact):
    """The process of some rows, all others forgotten: as fast as few rows are, and as unsure.

    Spread rows are picked as inducing points are, so that none stands beside another for nothing;
    rows at random are any. What the others say of noise and function is lost. O(m^3) with m kept.
    """

    n_kept: int = integer(
        500, low=1, high=5000, soft=(20, 2000), log=True, symbol="m", label="Rows kept",
        doc="Rows that count; with fewer rows these are all.",
    )  # fmt: skip
    pick: str = choice(
        "spread",
        "spread",
        "random",
        label="Choice of rows",
        doc="Rows that stand for those around them, as inducing points do, or any by chance.",
    )

    @property
    def most_rows(self) -> int:
        """Whose matrix against the rows kept is as large as that of all pairs may be."""
        return MOST_ROWS**2 // self.n_kept

    def kept(self, rows: Observed, rng: np.random.Generator) -> Observed:
        """As `pick` says, in rising order."""
        n = len(rows.y)
        if n <= self.n_kept:
            return rows
        if self.pick == "random":
            some = np.sort(rng.choice(n, self.n_kept, replace=False))
        else:
            some = spread_rows(rows.X, self.n_kept)
        return Observed(rows.X[some], rows.y[some], rows.w[some])

    def takes(self, n: int, p: int) -> tuple[float, float]:
        """That of all pairs of the rows kept; picking them costs less than one step of learning."""
        seconds, numbers = super().takes(min(n, self.n_kept), p)
        return seconds, numbers + n * min(n, self.n_kept)


@enter(
    Card(
        "fitc",
        "Inducing points (FITC)",
        ("gp_approximation",),
        paper="Snelson and Ghahramani (2006), NIPS 18; Quiñonero-Candela and Rasmussen (2005), "
        "JMLR 6",
        kind="part",
        sources=("epfl:gp_sparse",),
        formula=r"y \sim \mathcal N\bigl(0,\ Q + \operatorname{diag}(K - Q) + \sigma^2 I\bigr),"
        r"\quad Q = K_{nc} K_{cc}^{-1} K_{cn}",
        synonyms=(
            "FITC", "SPGP", "sparse Gaussian process", "inducing points", "pseudo-inputs",
            "fully independent training conditional",
        ),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class FITC(Approximation):
    """Rows tell of each other only through the function at some of them, the inducing points.

    What these leave open of a row counts as noise of its own; with all rows as inducing points it
    is the process itself. They are picked once, by where the rows lie, and stay.
    O(n c^2) with c of them.
    """

    fit_type = SparseGPFit

    n_inducing: int = integer(
        50, low=1, high=2000, soft=(5, 200), log=True, symbol="c", label="Inducing points",
        doc="Rows through which all others tell of each other; with fewer rows these are all.",
    )  # fmt: skip

    @property
    def most_rows(self) -> int:
        """Whose matrix against the inducing points is as large as that of all pairs may be."""
        return MOST_ROWS**2 // self.n_inducing

    def maker(self, rows: Observed) -> Maker:
        """With inducing points that stay when the kernel changes."""
        return partial(SparseProcess, centers=spread_rows(rows.X, self.n_inducing))

    def takes(self, n: int, p: int) -> tuple[float, float]:
        """Products of n rows with c inducing points, and blocks of the kernel with its slopes."""
        c = min(self.n_inducing, n)
        return 1e-3 + n * c * (1.2e-10 * c + 7e-8 + 3e-10 * p), 8.0 * n * c
