"""What kernel methods cost as rows are added: systems of equations, and moves of multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Method
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator
from mlcore.svm.svc import SVC

FEWEST, SIZES = 50, 8  # rows of the smallest table, and how many tables there are
COLUMNS = 2
METHODS = ("kernel ridge regression", "Gaussian process", "support vector machine")


class KernelCosts(NamedTuple):
    """The work of each method on tables of more and more rows."""

    sizes: np.ndarray  # (S,) rows of each table
    moves: np.ndarray  # (S,) pairs of multipliers that the machine moved
    support: np.ndarray  # (S,) rows that are its support vectors
    work: np.ndarray  # (3, S) multiplications of each of METHODS
    exponents: np.ndarray  # (3,) of the rows, from the middle size to the largest
    seconds: np.ndarray  # (3, S) by the estimates of the methods' cards


@enter(
    Card(
        "cost_lab",
        "Cost of kernel methods",
        ("lab",),
        sources=("epfl:gp_cost",),
        random=True,
        cost=lambda n, p, it: (0.02 + 1e-5 * it.most_rows * (1.0 + it.C**0.6), 4e6),
        formula=r"\text{ridge: } \tfrac{n^2 p}{2} + \tfrac{n^3}{3},\quad"
        r"\text{process: } T \left(\tfrac{n^2 p}{2} + n^3\right),\quad"
        r"\text{machine: } \tfrac{n^2 p}{2} + 4 n M",
        kind="lab",
        pages=("kernels",),
        synonyms=(
            "time complexity", "computational cost", "scaling", "cubic", "quadratic", "big O",
            "Cholesky", "SMO", "run time",
        ),
        line="cubic systems, about quadratic machines",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class CostLab(Lab):
    r"""Kernel ridge regression and Gaussian processes are cubic in the rows, machines less.

    Two round classes in the plane, drawn anew with more and more rows n. All three need the
    similarities of all pairs, p multiplications each. Kernel ridge regression solves one system of
    n equations; a Gaussian process that learns its kernel inverts one at each of T settings. The
    support vector machine is really fitted: M is how many pairs of multipliers it moved, and each
    move looks at all n errors twice and mends them twice.
    """

    tasks = (
        "Read the three exponents, then double the rows: by how much does each line rise?",
        "Push the classes together, and watch the moves and the support vectors.",
        "Raise C with overlapping classes: at which C is the machine no longer the cheapest?",
        "Find the rows from which kernel ridge regression costs ten times the machine.",
    )
    seen = (
        "Twice the rows cost kernel ridge regression and the Gaussian process eight times as much: "
        "a system of n equations is cubic. The machine moves about as many pairs as there are "
        "rows, or fewer, so that it grows roughly with the square. It moves many more where "
        "classes overlap and C is large: how hard a table is counts for it, and not for the others."
    )

    most_rows: int = row_count(800, (100, 2000), doc="Of the largest table; the smallest has 50.")
    distance: float = real(
        2.0, low=0.0, high=20.0, soft=(0.0, 6.0), symbol="d", doc="Of the two class means."
    )
    C: float = real(
        1.0, low=1e-3, high=1e3, soft=(0.01, 100.0), log=True, symbol="C",
        label="Inverse penalty", doc="What the machine pays for a row within its margin.",
    )  # fmt: skip
    tries: int = integer(
        20, low=1, high=1000, soft=(1, 100), log=True, symbol="T", label="Settings tried",
        doc="At how many widths and noises the Gaussian process works out its evidence.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> KernelCosts:
        """Fits the machine to each table, and counts."""
        sizes = np.unique(np.geomspace(FEWEST, self.most_rows, SIZES).round().astype(np.int64))
        machine = SVC(C=self.C)
        fits = [machine.fit(*self._rows(int(n), seed)) for n in sizes]
        moves = np.array([fit.n_iter for fit in fits])
        work = _work(sizes.astype(float), moves, self.tries)
        methods = (KernelRidge(), GPRegressor(), machine)
        seconds = [[_seconds(method, int(n)) for n in sizes] for method in methods]
        return KernelCosts(
            sizes, moves, np.array([len(fit.support) for fit in fits]), work,
            _exponents(sizes, work), np.array(seconds),
        )  # fmt: skip

    def _rows(self, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        y = np.arange(n) % 2
        X = generator(seed, "rows", n).normal(size=(n, COLUMNS))
        X[:, 0] += self.distance * y
        return X, y


def _seconds(method: Method, n: int) -> float:
    """What its card says that a fit of n rows takes."""
    cost = method.card.cost
    assert cost is not None, "every method of kernels says what it costs"
    return cost(n, COLUMNS, method)[0]


def _work(n: np.ndarray, moves: np.ndarray, tries: int) -> np.ndarray:
    """Multiplications of each method on n rows, (S,), to the leading terms, (3, S)."""
    pairs = n**2 * COLUMNS / 2
    return np.array([pairs + n**3 / 3, tries * (pairs + n**3), pairs + 4 * n * moves])


def _exponents(sizes: np.ndarray, work: np.ndarray) -> np.ndarray:
    """The power of the rows with which the work grows, over the upper half of the sizes."""
    upper = slice(len(sizes) // 2, None)
    return np.polyfit(np.log(sizes[upper]), np.log(work[:, upper]).T, 1)[0]
