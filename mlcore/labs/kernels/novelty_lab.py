"""A region around usual rows: what nu promises, and what it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, flag, real
from mlcore.spine.random import generator
from mlcore.svm.one_class_svm import OneClassSVM, OneClassSVMFit

GRID = 81
REACH = 4.0  # half the side of the plane
NEW = 1000  # usual rows, and as many unusual ones, that were not learned
SHARES = np.array([0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7])
KERNELS = ("Gaussian", "linear")


class Region(NamedTuple):
    """One region, and shares outside for every nu."""

    X: np.ndarray  # (n, 2) rows that were learned
    is_odd: np.ndarray  # (n,) bool: learned although it is unusual
    outside: np.ndarray  # (n,) bool
    support: np.ndarray  # (S,) rows that carry the border
    places: np.ndarray  # (GRID,)
    scores: np.ndarray  # (GRID, GRID) of the region: 0 on the border, positive inside
    nu: float
    shares: np.ndarray  # (s,) nu
    learned: np.ndarray  # (s,) share of the learned rows outside
    carrying: np.ndarray  # (s,) share of them that carry the border
    usual: np.ndarray  # (s,) share of new usual rows outside: false alarms
    unusual: np.ndarray  # (s,) share of unusual rows outside: alarms


@enter(
    Card(
        "novelty_lab",
        "Share outside of a one-class region",
        ("lab",),
        paper="Schölkopf and others (2001), Neural Computation 13",
        sources=("cs1:novelty_protocol", "cs1:svm_one_class"),
        random=True,
        cost=lambda n, p, it: (0.1 + 3e-4 * it.n_rows, 1e7),
        formula=r"\frac{\#\{i : x_i \text{ outside}\}}{n} \le \nu \le "
        r"\frac{\#\{i : \alpha_i > 0\}}{n}",
        kind="lab",
        pages=("kernels", "clustering"),
        synonyms=(
            "novelty detection", "anomaly detection", "one-class SVM", "nu", "false alarm rate",
            "outliers", "support of a distribution",
        ),
        line="nu bounds alarms, and the width what is seen",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class NoveltyLab(Lab):
    r"""The share nu bounds who is left outside; what is noticed depends on the kernel.

    Usual rows lie on a bent band. A one-class support vector machine learns a region around them,
    with at most a share $\nu$ of the learned rows outside and at least that share on its border or
    beyond. It is tried on new usual rows, whose share outside is that of false alarms, and on rows
    from the whole square, which are unusual.
    """

    tasks = (
        "Follow the lines over nu: which of them lies below the diagonal, which above?",
        "Make the width 0.1, then 3: compare the false alarms with nu, and count what is noticed.",
        "Learn some unusual rows too, and raise nu until they lie outside.",
        "Take the linear kernel, and see why it needs differences of rows.",
    )
    seen = (
        "The learned rows outside never exceed nu, and those that carry the border are never "
        "fewer. With a medium width false alarms come to little more than nu. A narrow kernel "
        "draws a ring around every row: the learned rows are inside, most new usual ones are not. "
        "A wide one notices little in the bay of the band. A linear kernel draws a line that parts "
        "the rows from the origin, and there is nothing to part when rows lie around it."
    )

    nu: float = real(
        0.1, low=0.01, high=0.9, soft=(0.01, 0.7), log=True, symbol=r"\nu", label="Share outside",
        doc="Most learned rows outside, fewest that carry the border, as shares.",
    )  # fmt: skip
    kernel: str = choice(KERNELS[0], *KERNELS, doc="How alike two rows are.")
    width: float = real(
        1.0, low=0.02, high=20.0, soft=(0.1, 5.0), log=True, symbol=r"\sigma",
        label="Width of the kernel", doc="The band is about 0.6 wide.",
        only_if={"kernel": "Gaussian"},
    )  # fmt: skip
    n_rows: int = row_count(200, (20, 500), doc="That are learned.")
    with_odd: bool = flag(False, label="Unusual rows among them", doc="Every tenth row is unusual.")

    def compute(self, seed: int = 0) -> Region:
        """The region at one nu, and shares at others."""
        rng = generator(seed, "rows")
        X, is_odd = _usual(self.n_rows, rng), np.zeros(self.n_rows, dtype=bool)
        if self.with_odd:
            is_odd[::10] = True
            X[is_odd] = rng.uniform(-REACH, REACH, (int(is_odd.sum()), 2))
        new = generator(seed, "new rows")
        usual, unusual = _usual(NEW, new), new.uniform(-REACH, REACH, (NEW, 2))
        places = np.linspace(-REACH, REACH, GRID)
        square = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2)
        fit = self._fit(X, self.nu)
        fits = [self._fit(X, float(nu)) for nu in SHARES]
        shares = [[_outside(each, rows).mean() for rows in (X, usual, unusual)] for each in fits]
        learned, false_alarms, alarms = np.array(shares).T
        return Region(
            X, is_odd, _outside(fit, X), fit.support, places,
            (fit.usualness(square) - fit.threshold).reshape(GRID, GRID), self.nu, SHARES, learned,
            np.array([len(each.support) / len(X) for each in fits]), false_alarms, alarms,
        )  # fmt: skip

    def _fit(self, X: np.ndarray, nu: float) -> OneClassSVMFit:
        fit = OneClassSVM(nu=nu, kernel=self._kernel()).fit(X)
        assert isinstance(fit, OneClassSVMFit)
        return fit

    def _kernel(self) -> Kernel:
        return Linear() if self.kernel == KERNELS[1] else RBF.from_sigma(self.width)


def _usual(n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows along three quarters of a circle of radius 2, with normal spread 0.3."""
    angle = rng.uniform(0.0, 1.5 * np.pi, n)
    return 2.0 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.3 * rng.normal(size=(n, 2))


def _outside(fit: OneClassSVMFit, X: np.ndarray) -> np.ndarray:
    return fit.usualness(X) < fit.threshold
