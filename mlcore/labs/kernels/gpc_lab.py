"""Gaussian process classification: a latent function is squashed before or after it is averaged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.kernels.composed import Scaled
from mlcore.kernels.rbf import RBF
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real
from mlcore.spine.random import generator

END, BUMP = 100.0, 40.0  # places go from 0 to END; the truth goes up and down once in BUMP
PLACES = np.linspace(0.0, END, 101)
FROM, TO = 5.0, 65.0  # rows lie between, so that beyond nothing is known
NEW = 4000  # rows from everywhere that judge the probabilities
DRAWS, BURN_IN = 600, 100


class Squashed(NamedTuple):
    """A latent function that labels leave open, and three probabilities made of it."""

    x: np.ndarray  # (n,)
    y: np.ndarray  # (n,) 0 or 1
    truth: np.ndarray  # (101,) latent
    latent: np.ndarray  # (101,) mean by Laplace
    deviation: np.ndarray  # (101,)
    drawn_latent: np.ndarray  # (101,) mean of the draws
    drawn_deviation: np.ndarray  # (101,)
    plug_in: np.ndarray  # (101,) squashed mean
    averaged: np.ndarray  # (101,) mean of the squashed
    drawn: np.ndarray  # (101,) mean over the draws of a Markov chain
    losses: np.ndarray  # (3,) of these three on new rows from everywhere, nats a row
    least: float  # that loss of the true probabilities

    @property
    def truth_probability(self) -> np.ndarray:
        """The squashed truth, shape (101,)."""
        return expit(self.truth)


@enter(
    Card(
        "gpc_lab",
        "Latent function and class probabilities",
        ("lab",),
        paper="Williams and Barber (1998), IEEE Trans. Pattern Analysis and Machine Intelligence "
        "20",
        sources=("epfl:gpc_squash", "epfl:gpc_mc", "epfl:newton_map"),
        random=True,
        cost=lambda n, p, it: (0.3 + 4e-3 * it.n_rows, 2e7),
        formula=r"\sigma(\operatorname{E} f(x)) \quad\text{(plug-in)}\qquad"
        r"\operatorname{E} \sigma(f(x)) = \int \frac{q(f \mid x)}{1 + e^{-f}}\, df"
        r"\quad\text{(averaged)}",
        kind="lab",
        pages=("kernels", "classification"),
        synonyms=(
            "Gaussian process classification", "Laplace approximation", "overconfidence",
            "plug-in probability", "elliptical slice sampling", "predictive probability",
        ),
        line="squash and average, or average and squash",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GPCLab(Lab):
    r"""A probability made of the mean latent value is too sure; one averaged over all is not.

    A latent function $f$ goes up and down, and a row has class 1 with probability
    $1 / (1 + e^{-f})$. Rows come from places 5 to 65 only. What they leave of $f$ is a normal
    distribution about the mode (Laplace), or draws of a Markov chain, which are right up to chance.
    Both curves of probability by Laplace use the same distribution of $f$: one squashes its mean,
    the other averages the squashed values.
    """

    tasks = (
        "Compare the two probabilities by Laplace beyond 65, where there are no rows.",
        "Raise the height of the prior, and compare them among the rows as well.",
        "Take a width of 3, then of 80, and see how far from the rows something is known.",
        "Compare Laplace with the draws where the rows of a stretch all have one class.",
    )
    seen = (
        "Both say the same class everywhere, and 0.5 far from the rows. In between, and wherever "
        "the band is wide, the squashed mean is nearer to 0 or 1 than is known. Where all rows of "
        "a stretch agree, the latent function may be anything large: the mode lies below the "
        "draws' mean, so Laplace is more cautious than the draws."
    )

    height: float = real(
        3.0, low=0.0, high=10.0, soft=(0.0, 6.0), symbol="a", label="Height of the truth",
        doc="Of the waves of the latent function; 0 tosses a coin for every row.",
    )  # fmt: skip
    width: float = real(
        10.0, low=0.5, high=500.0, soft=(1.0, 100.0), log=True, symbol=r"\ell",
        doc="Of the kernel: over which the latent function stays alike.",
    )  # fmt: skip
    prior: float = real(
        5.0, low=0.1, high=30.0, soft=(0.3, 10.0), log=True, symbol="s",
        label="Height of the prior",
        doc="Standard deviation of the latent function before any row.",
    )  # fmt: skip
    n_rows: int = row_count(40, (6, 100), doc="Between places 5 and 65.")

    def compute(self, seed: int = 0) -> Squashed:
        """One mode, one chain and three probabilities."""
        x = np.sort(generator(seed, "places").uniform(FROM, TO, self.n_rows))
        y = self._classes(x, generator(seed, "classes"))
        if len(np.unique(y)) == 1:  # a classifier needs both
            y[0] = 1 - y[0]
        method = GPClassifier(
            kernel=Scaled(kernel=RBF.from_sigma(self.width), factor=self.prior**2), learn="none"
        )
        by_draws = replace(method, inference="mcmc", n_draws=DRAWS, burn_in=BURN_IN)
        fit, chain = method.fit(x[:, None], y), by_draws.fit(x[:, None], y, seed=seed)
        at = PLACES[:, None]
        latent, deviation = fit.latent(at)[:, 0], fit.latent_deviation(at)[:, 0]
        three = expit(latent), fit.probabilities(at)[:, 1], chain.probabilities(at)[:, 1]
        losses = np.array([self._loss(P, seed) for P in three])
        return Squashed(
            x, y, self._latent(PLACES), latent, deviation, chain.latent(at)[:, 0],
            chain.latent_deviation(at)[:, 0], *three, losses,
            self._loss(expit(self._latent(PLACES)), seed),
        )  # fmt: skip

    def _latent(self, x: np.ndarray) -> np.ndarray:
        return self.height * np.sin(2 * np.pi * x / BUMP)

    def _classes(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(len(x)) < expit(self._latent(x))).astype(np.int64)

    def _loss(self, P: np.ndarray, seed: int) -> float:
        """Mean negative log-likelihood on new rows from everywhere, in nats."""
        rng = generator(seed, "new rows")
        x = rng.uniform(0, END, NEW)
        of_one = np.clip(np.interp(x, PLACES, P), 1e-12, 1 - 1e-12)
        says = np.where(self._classes(x, rng) == 1, of_one, 1 - of_one)
        return float(-np.log(says).mean())
