"""The width of a kernel: from knowing only itself to taking all rows for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.kernels.centring import center_gram
from mlcore.kernels.gram import gram
from mlcore.kernels.rbf import RBF
from mlcore.kernels.similarity import alignment
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import flag, integer, real
from mlcore.spine.random import generator

WIDTHS = 41  # that are tried, evenly on a log axis


class Bench(NamedTuple):
    """One Gram matrix, and what every width makes of the same rows."""

    K: np.ndarray  # (n, n) rows sorted by class
    y: np.ndarray  # (n,) 0 or 1, sorted
    eigenvalues: np.ndarray  # (n,) of it, largest first, over their sum
    sigmas: np.ndarray  # (WIDTHS,)
    likeness: np.ndarray  # (WIDTHS,) mean similarity of two different rows
    alignments: np.ndarray  # (WIDTHS,) with the labels, centred
    sigma: float
    best: float  # the width that is aligned best


@enter(
    Card(
        "gram_bench",
        "Kernel width (bandwidth)",
        ("lab",),
        sources=("epfl:kernel_selection",),
        random=True,
        cost=lambda n, p, it: (8e-3 + 1.2e-6 * it.n_rows**2, 80.0 * it.n_rows**2),
        formula=r"k(x, z) = e^{-\|x - z\|^2 / 2 \sigma^2},\qquad K \to I\ (\sigma \to 0),\quad"
        r"K \to \mathbf 1 \mathbf 1^\top\ (\sigma \to \infty)",
        kind="lab",
        pages=("kernels",),
        synonyms=("RBF width", "gamma", "bandwidth", "Gram matrix"),
        line="the width decides whom a row is like",
    )
)
@dataclass(frozen=True, kw_only=True)
class GramBench(Lab):
    r"""The width decides whom a row takes for its like: nobody, its class, or everybody.

    Two round classes in the plane, sorted by class. The picture is the matrix of similarities
    under a Gaussian kernel. The alignment compares it with the labels: 1 would be a matrix that is
    nothing but the two classes.
    """

    tasks = (
        "Make the width tiny, then huge, and describe both matrices.",
        "Find a width at which two blocks stand out, and compare it with the best alignment.",
        "Move the classes together, and watch the blocks fade.",
    )
    seen = (
        "A tiny width gives the identity: every row is like itself alone, and anything can be "
        "learned by heart. A huge one gives ones everywhere, and nothing can be told apart. In "
        "between lie two blocks, where the kernel already knows the classes."
    )

    sigma: float = real(
        1.0, low=0.01, high=100.0, soft=(0.01, 100.0), log=True, symbol=r"\sigma",
        label="Width", doc="Standard deviation of the bell, in data units.",
    )  # fmt: skip
    distance: float = real(
        4.0, low=0.0, high=20.0, soft=(0.0, 10.0), symbol="d", doc="Of the two class means."
    )
    centred: bool = flag(False, doc="Show the matrix after centring in feature space.")
    n_rows: int = integer(60, low=10, high=300, soft=(10, 200), label="Rows", doc="Rows in all.")

    def compute(self, seed: int = 0) -> Bench:
        """The matrix at one width, likeness and alignment at all."""
        y = np.sort(np.arange(self.n_rows) % 2)
        X = generator(seed, "rows").normal(size=(self.n_rows, 2))
        X[:, 0] += self.distance * y
        K = gram(RBF.from_sigma(self.sigma), X)
        shown = center_gram(K)[0] if self.centred else K
        sigmas = np.geomspace(0.01, 100.0, WIDTHS)
        matrices = [gram(RBF.from_sigma(float(s)), X) for s in sigmas]
        likeness, aligned = self._judged(matrices, 2.0 * y - 1)
        values = np.maximum(np.linalg.eigvalsh(K)[::-1], 0.0)
        best = float(sigmas[aligned.argmax()])
        return Bench(shown, y, values / values.sum(), sigmas, likeness, aligned, self.sigma, best)

    def _judged(self, matrices: list[np.ndarray], y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n, labels = len(y), np.outer(y, y)
        likeness = [(K.sum() - n) / (n * (n - 1)) for K in matrices]
        return np.array(likeness), np.array([alignment(K, labels) for K in matrices])
