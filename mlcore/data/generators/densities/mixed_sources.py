"""Independent sources, seen through a mixing matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choices, flag, many

MOST = 4  # sources
SPEECH_RATE = 0.02  # how quickly the loudness of the speech-like source changes, per row


def _speech(n: int, rng: np.random.Generator) -> np.ndarray:
    """Noise whose loudness wanders: sparse, as speech is."""
    steps = np.cumsum(rng.normal(size=n)) * SPEECH_RATE * 5
    loud = np.exp(1.2 * np.sin(steps))
    return loud * rng.normal(size=n)


def _wave(period: float, shape: str, n: int) -> np.ndarray:
    phase = np.arange(n) / period % 1.0
    if shape == "sine":
        return np.sin(2 * np.pi * phase)
    return np.where(phase < 0.5, 1.0, -1.0) if shape == "square" else 2 * phase - 1


# Each with mean 0 and variance about 1; the waves run along the rows.
DRAWN = {
    "uniform": lambda n, rng: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
    "laplace": lambda n, rng: rng.laplace(scale=np.sqrt(0.5), size=n),
    "gauss": lambda n, rng: rng.normal(size=n),
    "logistic": lambda n, rng: rng.logistic(scale=np.sqrt(3) / np.pi, size=n),
    "sine": lambda n, rng: np.sqrt(2) * _wave(37.0, "sine", n),
    "square": lambda n, rng: _wave(53.0, "square", n),
    "saw": lambda n, rng: np.sqrt(3) * _wave(71.0, "saw", n),
    "speech": _speech,
}
SOURCES = ("epfl:DS12", "mi2:marginal_joint_pair")


@enter(
    Card("mixed_sources", "Mixed sources", ("source",), sources=SOURCES, random=True, kind="data")
)
@dataclass(frozen=True, kw_only=True)
class MixedSources(shared.DistributionGenerator):
    """Independent sources of variance one, of which only mixtures are seen.

    x = A s + e with independent sources s, the mixing matrix A and noise e. Sources are uniform,
    Laplace, normal or logistic numbers, or waves along the rows: sine, square, saw, and noise whose
    loudness wanders as that of speech.

    Shows what independent components recover, up to order, sign and scale, and where they cannot:
    two normal sources, or a matrix without an inverse.
    """

    n_samples: int = shared.n_samples(1000)
    sources: tuple = choices(("uniform", "laplace"), *DRAWN, most=MOST, doc="What is mixed.")
    mixing: tuple = many(
        (),
        most=(2 * MOST) ** 2,
        symbol="A",
        doc="Square mixing matrix, row by row; drawn at random where empty.",
    )
    twice: bool = flag(
        False, label="Each source twice", doc="Two independent copies of every source."
    )
    noise: float = shared.noise(0.0, "a source has variance 1")

    def conflict(self) -> str | None:
        """Refuse a matrix that does not fit the sources."""
        q = len(self.sources) * (1 + self.twice)
        if not q:
            return f"{self.title()}: sources must name at least one."
        if self.mixing and len(self.mixing) != q * q:
            return (
                f"{self.title()}: {q} sources need a mixing matrix of {q * q} numbers, or none; "
                f"got {len(self.mixing)}."
            )
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The mixtures, without a target."""
        n, names = self.n_samples, self.sources * (1 + self.twice)
        S = np.column_stack(
            [DRAWN[name](n, self.rng(f"{j} {name}")) for j, name in enumerate(names)]
        )
        q = S.shape[1]
        drawn = self.mixing or self.distribution_rng("mixing").normal(size=(q, q))
        A = np.reshape(drawn, (q, q))
        clean = S @ A.T
        X = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        truth = shared.Truth(coordinates=S, mixing=A, clean=clean, noise=self.noise)
        table = Table.of(*(numeric(f"x{j + 1}", X[:, j]) for j in range(q)))
        return Origin(table, self.title(), truth=truth)
