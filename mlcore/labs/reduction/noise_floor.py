"""The floor of noise: every eigenvalue rises by the variance of the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab, row_count
from mlcore.maths.curves import knee
from mlcore.reduction.pca import PCA
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

WANTED = 0.95  # share of the variance that the threshold rule keeps


class Floor(NamedTuple):
    """Spectra of the same rows without and with noise, and what two rules make of them."""

    clean: np.ndarray  # (p,) variances, largest first
    noisy: np.ndarray  # (p,)
    floor: float  # variance of the noise
    rank: int
    by_share: tuple[int, int]  # components that hold WANTED, without and with noise
    by_knee: int  # components before the bend of the noisy spectrum


def _cost(n: int, p: int, it: NoiseFloor) -> tuple[float, float]:
    return 4e-3 + 4e-9 * it.n_rows * it.n_columns**2, 50.0 * it.n_rows * it.n_columns


@enter(
    Card(
        "noise_floor",
        "Noise floor of a spectrum",
        ("lab",),
        sources=("prac:pca_noise_floor",),
        random=True,
        cost=_cost,
        formula=r"\operatorname{Cov}(x + \varepsilon) = \operatorname{Cov}(x) + \sigma^2 I"
        r"\quad\Rightarrow\quad \lambda_j \to \lambda_j + \sigma^2",
        kind="lab",
        pages=("dimensionality_reduction",),
        synonyms=(
            "Marchenko-Pastur",
            "explained variance",
            "number of components",
            "parallel analysis",
        ),
        line="noise lifts the whole spectrum",
    )
)
@dataclass(frozen=True, kw_only=True)
class NoiseFloor(Lab):
    r"""Noise lifts the whole spectrum, so a share of the variance is a poor rule.

    Rows lie in a subspace of a few directions with variances 1, 1/2, 1/3 and so on; independent
    noise of standard deviation $\sigma$ is added to every column. One rule keeps as many components
    as hold 95 % of the variance, the other looks for the bend of the spectrum.
    """

    tasks = (
        "Raise the noise, and watch how many components the share of 95 % asks for.",
        "Add columns that hold nothing but noise, and compare the two rules again.",
        "Take few rows: see how the flat floor becomes a slope.",
    )
    seen = (
        "Every eigenvalue rises by about the variance of the noise, the small ones as much as the "
        "large ones. The share then asks for nearly all columns, while the bend stays near the "
        "true number until the noise hides the weakest direction."
    )

    rank: int = integer(
        3, low=1, high=10, soft=(1, 10), label="True directions", doc="That the clean rows span."
    )
    noise: float = real(
        0.3, low=0.0, high=3.0, soft=(0.0, 1.5), symbol=r"\sigma", doc="Spread in every column."
    )
    n_columns: int = integer(
        20, low=11, high=200, soft=(11, 100), label="Columns", doc="Columns in all."
    )
    n_rows: int = row_count(400, (20, 2000), high=5000)

    def compute(self, seed: int = 0) -> Floor:
        """The spectra of the rows without and with noise, and where they bend."""
        rng = generator(seed, "rows")
        axes = np.linalg.qr(rng.normal(size=(self.n_columns, self.rank)))[0]
        spreads = 1 / np.sqrt(np.arange(1, self.rank + 1))
        X = rng.normal(size=(self.n_rows, self.rank)) * spreads @ axes.T
        noisy = X + self.noise * generator(seed, "noise").normal(size=X.shape)
        clean, dirty = _spectrum(X), _spectrum(noisy)
        shares = _needed(clean), _needed(dirty)
        return Floor(clean, dirty, self.noise**2, self.rank, shares, knee(dirty))


def _spectrum(X: np.ndarray) -> np.ndarray:
    """All variances, zero where there are fewer rows than columns, shape (p,)."""
    variances = PCA(n_components=min(len(X) - 1, X.shape[1])).fit(X).variances
    return np.maximum(np.pad(variances, (0, X.shape[1] - len(variances))), 0.0)


def _needed(variances: np.ndarray) -> int:
    """How many components hold the wanted share."""
    shares = np.cumsum(variances) / variances.sum()
    return int(np.searchsorted(shares, WANTED - 1e-12)) + 1
