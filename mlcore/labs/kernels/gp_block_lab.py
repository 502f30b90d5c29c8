"""A Gaussian process cut into blocks, and a mixture of Gaussians that does much the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.clustering.gaussian_mixture import GaussianMixture, GaussianMixtureFit
from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.mixtures import Mixture
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.posteriors import GPFit
from mlcore.kernels.kernel import Kernel
from mlcore.kernels.rbf import RBF
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

END = 100.0
PLACES = np.linspace(0.0, END, 101)
POCKETS = (12.0, 36.0, 64.0, 88.0)  # about which rows lie, with spread SPREAD
SPREAD = 4.0
TELLING = 1e-10  # of the least eigenvalue, below which a matrix is no covariance


class Blocks(NamedTuple):
    """Three curves through the same rows, and what the blocks keep of the kernel's matrix."""

    x: np.ndarray  # (n,) ascending
    y: np.ndarray  # (n,)
    block: np.ndarray  # (n,) from left to right
    truth: np.ndarray  # (101,)
    whole: np.ndarray  # (101,) mean of the process of all rows
    deviation: np.ndarray  # (101,) of its function
    parts: np.ndarray  # (m, 101) what each block adds
    blocked: np.ndarray  # (101,) their sum
    mixture: np.ndarray  # (101,) mean of y given x under the mixture
    n_gaussians: int  # components that the mixture has
    kept: np.ndarray  # (n, n) the matrix that is left
    share: float  # of the squares of the whole matrix
    least: float  # eigenvalue of what is left
    noise: float  # variance
    width: float

    @property
    def is_near(self) -> np.ndarray:
        """Which places lie within half a width of a row, (101,)."""
        return np.abs(PLACES[:, None] - self.x).min(axis=1) <= self.width / 2

    @property
    def is_covariance(self) -> bool:
        """Whether what is left is a covariance still."""
        return self.least >= -TELLING


@enter(
    Card(
        "gp_block_lab",
        "Gaussian process in blocks",
        ("lab",),
        paper="Rasmussen and Williams (2006), Gaussian Processes for Machine Learning, chapter 8",
        sources=("epfl:gpr_gmr_equivalence",),
        random=True,
        cost=lambda n, p, it: (0.05 + 2e-3 * it.n_gaussians + 1e-6 * it.n_rows**2, 2e6),
        formula=r"\hat f(x) = \sum_{l=1}^m k(x, X^l)\, (K^l + \sigma^2 I)^{-1} y^l,\qquad"
        r"\operatorname{E}(y \mid x) = \sum_j h_j(x)\Bigl(\mu^y_j + \frac{\sigma^{yx}_j}"
        r"{\sigma^{xx}_j}(x - \mu^x_j)\Bigr)",
        kind="lab",
        pages=("kernels", "regression"),
        synonyms=(
            "block-diagonal Gaussian process", "local Gaussian processes", "clustered GP",
            "Gaussian mixture regression", "GMR", "sparse kernel", "thresholded kernel",
        ),
        line="local processes against the whole, and GMR",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GPBlockLab(Lab):
    r"""Rows are parted into blocks that know nothing of each other, and their curves are added.

    The matrix of the kernel is cut: rows of different blocks (k-means) count as unlike, and so do
    places that are less alike than the threshold. What is left of a Gaussian process is a sum of
    local curves $\sum_l k(x, X^l)(K^l + \sigma^2 I)^{-1} y^l$. A mixture of Gaussians of (x, y)
    gives a sum of local lines instead, each weighed by how likely x is under it (Gaussian mixture
    regression).
    """

    tasks = (
        "Take one block and no threshold: where do the curve of the blocks and the whole part?",
        "Take four blocks, then twelve, and look where the second picture rises.",
        "Raise the width: at which width do four blocks count the same thing twice?",
        "Raise the threshold, and read whether what is left is a covariance.",
        "Compare the mixture with both beyond the last rows.",
    )
    seen = (
        "With a block a pocket and a width below the gaps nothing that matters is cut: blocks and "
        "process agree near the rows and return to zero beyond them. Where a pocket is cut in two, "
        "both halves explain the place between them and the sum is too large. A threshold may "
        "leave what is no covariance, and a curve that jumps. The mixture agrees near the rows; "
        "beyond them it follows the line of its nearest Gaussian, where the process returns to its "
        "mean."
    )

    n_blocks: int = integer(
        4, low=1, high=12, soft=(1, 12), symbol="m", label="Blocks",
        doc="Into which k-means parts the places of the rows.",
    )  # fmt: skip
    threshold: float = real(
        0.0, low=0.0, high=0.99, soft=(0.0, 0.9), symbol=r"\delta",
        doc="Similarities below it count as none.",
    )  # fmt: skip
    n_gaussians: int = integer(
        4, low=1, high=12, soft=(1, 12), label="Gaussians",
        doc="Of the mixture that is fitted to places and targets together.",
    )  # fmt: skip
    width: float = real(
        6.0, low=0.5, high=200.0, soft=(1.0, 50.0), log=True, symbol=r"\ell", label="Width",
        doc="Of the kernel; pockets of rows are about 25 apart.",
    )  # fmt: skip
    noise: float = real(
        0.15, low=1e-2, high=2.0, soft=(0.02, 1.0), log=True, symbol=r"\sigma",
        doc="Standard deviation of a target around the curve, which the process knows.",
    )  # fmt: skip
    n_rows: int = row_count(48, (12, 200), doc="In four pockets.")

    def compute(self, seed: int = 0) -> Blocks:
        """All rows at once, by blocks, and by the mixture."""
        x, y = self._rows(seed)
        fit = self._whole(x, y)
        block = self._blocks(x, seed)
        kept = self._cut(x, x) * (block[:, None] == block)
        parts = self._parts(x, y, block, kept)
        mixture = self._mixture(x, y, seed)
        whole, at = self._kernel().against(x[:, None])(x[:, None]), PLACES[:, None]
        return Blocks(
            x, y, block, _curve(PLACES), fit.predict(at), fit.function_deviation(at), parts,
            parts.sum(axis=0), regressed(mixture.mixture, PLACES), len(mixture.weights), kept,
            float((kept**2).sum() / (whole**2).sum()), float(np.linalg.eigvalsh(kept)[0]),
            self.noise**2, self.width,
        )  # fmt: skip

    def _rows(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Places in pockets, ascending, and their targets, (n,) each."""
        rng = generator(seed, "places")
        about = np.resize(POCKETS, self.n_rows)
        x = np.sort(np.clip(about + SPREAD * rng.normal(size=self.n_rows), 0.0, END))
        return x, _curve(x) + self.noise * generator(seed, "noise").normal(size=self.n_rows)

    def _kernel(self) -> Kernel:
        return RBF.from_sigma(self.width)

    def _whole(self, x: np.ndarray, y: np.ndarray) -> GPFit:
        method = GPRegressor(
            kernel=self._kernel(), noise=self.noise**2, learn="none", scaling="none"
        )
        fit = method.fit(x[:, None], y)
        assert isinstance(fit, GPFit)
        return fit

    def _blocks(self, x: np.ndarray, seed: int) -> np.ndarray:
        """The block of each row, (n,), numbered from left to right."""
        fit = KMeans(n_clusters=self.n_blocks).fit(x[:, None], seed=seed)
        _, first = np.unique(fit.labels, return_index=True)
        return np.argsort(np.argsort(first))[fit.labels]  # x is sorted: a block is one stretch

    def _cut(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Similarities of places x and z, (m, n), none of them below the threshold."""
        K = self._kernel().against(z[:, None])(x[:, None])
        return np.where(self.threshold <= K, K, 0.0)

    def _parts(
        self, x: np.ndarray, y: np.ndarray, block: np.ndarray, kept: np.ndarray
    ) -> np.ndarray:
        """What each block adds at all places, (m, 101): no other block has a say in it."""
        weights = np.linalg.solve(kept + self.noise**2 * np.eye(len(x)), y)
        members = np.arange(block.max() + 1)[:, None] == block
        return (members * weights) @ self._cut(PLACES, x).T

    def _mixture(self, x: np.ndarray, y: np.ndarray, seed: int) -> GaussianMixtureFit:
        """Of places in units of ten, so that both columns are of one size."""
        method = GaussianMixture(n_components=self.n_gaussians)
        return method.fit(np.column_stack([x / 10.0, y]), seed=seed)


def _curve(x: np.ndarray) -> np.ndarray:
    return np.sin(x / 8.0) + 0.4 * np.sin(x / 3.5)


def regressed(mixture: Mixture, places: np.ndarray) -> np.ndarray:
    """E(y | x) of a mixture of (x / 10, y) at places x, (m,)."""
    given = (mixture.conditional([0], np.array([x / 10.0])) for x in places)
    return np.array([float(one.weights @ one.means[:, 0]) for one in given])
