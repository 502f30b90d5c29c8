"""Gaussian process classification: a latent function is squashed before or after it is averaged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.kernels.composed import Scaled
from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.labs.lab import Lab, row_count
from mlcore.optimisation.composed import Objective, walk
from mlcore.optimisation.losses import Logistic
from mlcore.optimisation.newton import Newton
from mlcore.optimisation.penalties import L2
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real
from mlcore.spine.random import generator

END, BUMP = 100.0, 40.0  # places go from 0 to END; the truth goes up and down once in BUMP
PLACES = np.linspace(0.0, END, 101)
FROM, TO = 5.0, 65.0  # rows lie between, so that beyond nothing is known
NEW = 4000  # rows from everywhere that judge the probabilities
DRAWS, BURN_IN = 600, 100
KERNELS = ("Gaussian", "linear")
CELLS, REACH = 81, 5.0  # of the grid of two weights: cells a side, deviations around the mode


class Weights(NamedTuple):
    """Bayesian logistic regression of an intercept and a slope, the latter from -1 at 5 to 1 at 65.

    Both are normal about zero before the rows.
    """

    prior: float  # standard deviation of either
    path: np.ndarray  # (T + 1, 2) by Newton's method from zero
    covariance: np.ndarray  # (2, 2) at the mode, by Laplace
    intercepts: np.ndarray  # (81,)
    slopes: np.ndarray  # (81,)
    density: np.ndarray  # (81, 81) of the posterior by its largest value, slopes down
    latent: np.ndarray  # (101,) mean of the latent function by these weights
    deviation: np.ndarray  # (101,)

    @property
    def mode(self) -> np.ndarray:
        """The weights of the largest posterior density, shape (2,)."""
        return self.path[-1]


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
    weights: Weights | None  # of a linear latent function

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
        sources=("epfl:gpc_squash", "epfl:gpc_mc", "epfl:logistic_bayes", "epfl:newton_map"),
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
            "Bayesian logistic regression", "weight space",
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
    the other averages the squashed values. With a linear kernel the latent function is a straight
    line, and all of it is Bayesian logistic regression of an intercept and a slope.
    """

    tasks = (
        "Compare the two probabilities by Laplace beyond 65, where there are no rows.",
        "Raise the height of the prior, and compare them among the rows as well.",
        "Take a width of 3, then of 80, and see how far from the rows something is known.",
        "Compare Laplace with the draws where the rows of a stretch all have one class.",
        "Take the linear kernel, look for 0.5 far from the rows, lower the prior's height.",
    )
    seen = (
        "Both say the same class everywhere, and 0.5 far from the rows. In between, and wherever "
        "the band is wide, the squashed mean is nearer to 0 or 1 than is known. Where all rows of "
        "a stretch agree, the latent function may be anything large: the mode lies below the "
        "draws' mean, so Laplace is more cautious than the draws. A line has no 0.5 far from the "
        "rows: its mean grows there as its band does."
    )

    kernel: str = choice(
        KERNELS[0], *KERNELS, doc="What the latent function may be: any smooth one, or a line."
    )
    height: float = real(
        3.0, low=0.0, high=10.0, soft=(0.0, 6.0), symbol="a", label="Height of the truth",
        doc="Of the waves of the latent function, or of its line at 65; 0 tosses a coin for every "
        "row.",
    )  # fmt: skip
    width: float = real(
        10.0, low=0.5, high=500.0, soft=(1.0, 100.0), log=True, symbol=r"\ell",
        doc="Of the kernel: over which the latent function stays alike.",
        only_if={"kernel": "Gaussian"},
    )  # fmt: skip
    prior: float = real(
        5.0, low=0.1, high=30.0, soft=(0.3, 10.0), log=True, symbol="s",
        label="Height of the prior",
        doc="Standard deviation of the latent function before any row; of a line, of its height "
        "at 35 and of its rise from there to 65.",
    )  # fmt: skip
    n_rows: int = row_count(40, (6, 100), doc="Between places 5 and 65.")

    def compute(self, seed: int = 0) -> Squashed:
        """One mode, one chain and three probabilities."""
        x = np.sort(generator(seed, "places").uniform(FROM, TO, self.n_rows))
        y = self._classes(x, generator(seed, "classes"))
        if len(np.unique(y)) == 1:  # a classifier needs both
            y[0] = 1 - y[0]
        method = GPClassifier(
            kernel=Scaled(kernel=self._kernel, factor=self.prior**2), learn="none"
        )
        by_draws = replace(method, inference="mcmc", n_draws=DRAWS, burn_in=BURN_IN)
        X, at = self._columns(x), self._columns(PLACES)
        fit, chain = method.fit(X, y), by_draws.fit(X, y, seed=seed)
        latent, deviation = fit.latent(at)[:, 0], fit.latent_deviation(at)[:, 0]
        three = expit(latent), fit.probabilities(at)[:, 1], chain.probabilities(at)[:, 1]
        losses = np.array([self._loss(P, seed) for P in three])
        return Squashed(
            x, y, self._latent(PLACES), latent, deviation, chain.latent(at)[:, 0],
            chain.latent_deviation(at)[:, 0], *three, losses,
            self._loss(expit(self._latent(PLACES)), seed),
            _weights(X, y, at, self.prior) if self._is_linear else None,
        )  # fmt: skip

    @property
    def _is_linear(self) -> bool:
        return self.kernel == "linear"

    @property
    def _kernel(self) -> Linear | RBF:
        return Linear() if self._is_linear else RBF.from_sigma(self.width)

    def _columns(self, x: np.ndarray) -> np.ndarray:
        """The places; for a line a column of ones, and places from -1 to 1 where rows are."""
        return np.column_stack([np.ones_like(x), _along(x)]) if self._is_linear else x[:, None]

    def _latent(self, x: np.ndarray) -> np.ndarray:
        shape = _along(x) if self._is_linear else np.sin(2 * np.pi * x / BUMP)
        return self.height * shape

    def _classes(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(len(x)) < expit(self._latent(x))).astype(np.int64)

    def _loss(self, P: np.ndarray, seed: int) -> float:
        """Mean negative log-likelihood on new rows from everywhere, in nats."""
        rng = generator(seed, "new rows")
        x = rng.uniform(0, END, NEW)
        of_one = np.clip(np.interp(x, PLACES, P), 1e-12, 1 - 1e-12)
        says = np.where(self._classes(x, rng) == 1, of_one, 1 - of_one)
        return float(-np.log(says).mean())


def _along(x: np.ndarray) -> np.ndarray:
    return (2 * x - FROM - TO) / (TO - FROM)


def _weights(X: np.ndarray, y: np.ndarray, at: np.ndarray, prior: float) -> Weights:
    """The mode of two weights, and the normal distribution about it, without any kernel."""
    penalty = L2(alpha=prior**-2)
    problem = Objective(Logistic(), penalty, X, y.astype(float), intercept=False)
    steps = walk(problem, Newton(), tol=1e-10, max_iter=100)
    path = np.array([np.zeros(2), *(step.state.coefficients[0] for step in steps)])
    of_one = expit(X @ path[-1])
    covariance = np.linalg.inv((X.T * of_one * (1 - of_one)) @ X + np.eye(2) / prior**2)
    off = REACH * np.sqrt(np.diag(covariance))
    intercepts, slopes = np.linspace(path[-1] - off, path[-1] + off, CELLS).T
    deviation = np.sqrt(np.einsum("ij,jk,ik->i", at, covariance, at))
    return Weights(
        prior, path, covariance, intercepts, slopes, _density(X, y, intercepts, slopes, prior),
        at @ path[-1], deviation,
    )  # fmt: skip


def _density(
    X: np.ndarray, y: np.ndarray, intercepts: np.ndarray, slopes: np.ndarray, prior: float
) -> np.ndarray:
    """Likelihood times prior on a grid, by its largest value, shape (slopes, intercepts)."""
    pairs = np.stack(np.meshgrid(intercepts, slopes), axis=-1)
    misfit = np.logaddexp(0.0, (1 - 2 * y) * (pairs @ X.T)).sum(axis=-1)
    log_density = -misfit - (pairs**2).sum(axis=-1) / (2 * prior**2)
    return np.exp(log_density - log_density.max())
