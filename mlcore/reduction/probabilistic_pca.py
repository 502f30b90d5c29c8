"""Probabilistic PCA and factor analysis: rows as few normal factors, and noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log, pi
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import constant_columns, vanishing
from mlcore.maths.linear import eigen_falling, scatter, signed
from mlcore.reduction.rotations import at_random, varimax
from mlcore.reduction.way_back import coordinates
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step, Stop, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator
from mlcore.spine.wording import listed

HEYWOOD = 1e-3  # share of the variance of a column below which its noise runs to zero
NOTHING = 1e-10  # share of the first squared loading below which a factor is none


@dataclass(frozen=True, eq=False)
class FactorState:
    """The model so far."""

    loadings: np.ndarray  # (p, q)
    noise: np.ndarray  # (p,) variances


class Posterior(NamedTuple):
    """Factors of rows, given the rows."""

    means: np.ndarray  # (m, q)
    covariance: np.ndarray  # (q, q), the same for every row


class Cause(NamedTuple):
    """What the E step needs: how rows lead to factors."""

    beta: np.ndarray  # (q, p) from centred rows to the means of their factors
    covariance: np.ndarray  # (q, q) of the factors given a row
    log_det: float  # of W W' + noise


@dataclass(frozen=True, eq=False, kw_only=True)
class FactorFit(Fit):
    """A normal density whose covariance is W W' and a diagonal."""

    mean: np.ndarray  # (p,)
    axes: np.ndarray  # (q, p) the loadings W, transposed: what one unit of a factor adds
    noise: np.ndarray  # (p,) variances that no factor explains; all the same if isotropic
    variances: np.ndarray  # (q,) that each factor adds to all columns together
    shares: np.ndarray  # (q,) of the variance of the training rows
    log_likelihood: float  # of the training rows, in nats
    n_rows: int
    out_columns: tuple[Column, ...]  # Factor1, Factor2, ...
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there is a loading and noise for each column."""
        is_wide = self.axes.shape == (len(self.out_columns), self.n_columns)
        return is_wide and self.noise.shape == (self.n_columns,)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters that were estimated: a rotation of the factors is none."""
        q, p = self.axes.shape
        is_one = self._method.noise == "isotropic"
        return p + p * q - q * (q - 1) // 2 + (1 if is_one else p)

    @property
    def _method(self) -> ProbabilisticPCA:
        assert isinstance(self.made_by, ProbabilisticPCA)
        return self.made_by

    def with_factors(self, q: int) -> ProbabilisticPCA:
        """The same method for q factors."""
        return replace(self._method, n_components=q)

    @property
    def aic(self) -> float:
        """Akaike's criterion 2 k - 2 log L of the training rows: the lower, the better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion k log n - 2 log L of the training rows: the lower, the better."""
        return log(self.n_rows) * self.n_parameters - 2 * self.log_likelihood

    def posterior(self, X: Any) -> Posterior:
        """Means of the factors of rows, shape (m, q), and their covariance, shape (q, q)."""
        cause = caused(self.axes.T, self.noise)
        return Posterior((self._rows(X) - self.mean) @ cause.beta.T, cause.covariance)

    def transform(self, X: Any) -> np.ndarray:
        """Means of the factors of rows, given the rows, shape (m, q)."""
        return self.posterior(X).means

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The rows W a + mean whose factors have the means Z, shape (m, q): shape (m, p).

        Means are drawn towards zero, so `a` is longer; with equal noise these are the rows of PCA.
        """
        beta = caused(self.axes.T, self.noise).beta
        longer = np.linalg.solve(beta @ self.axes.T, coordinates(self, Z).T)
        return self.mean + longer.T @ self.axes

    def log_density(self, X: Any) -> np.ndarray:
        """Natural logarithm of the density at each row, shape (m,)."""
        X, W = self._rows(X) - self.mean, self.axes.T
        cause = caused(W, self.noise)
        left = X - (X @ cause.beta.T) @ W.T
        squares = (X * left / self.noise).sum(axis=1)
        return -0.5 * (len(W) * log(2 * pi) + cause.log_det + squares)

    def sample(self, n: int, seed: int = 0) -> np.ndarray:
        """n new rows, shape (n, p)."""
        rng = generator(seed, "sample")
        factors = rng.standard_normal((n, len(self.axes)))
        noise = rng.standard_normal((n, self.n_columns)) * np.sqrt(self.noise)
        return self.mean + factors @ self.axes + noise


def _cost(n: int, p: int, method: ProbabilisticPCA) -> tuple[float, float]:
    iterations = 1 if method.is_closed else min(method.max_iter, 300)
    each = 1e-4 + 1e-8 * p**2 * (p if method.noise == "diagonal" else method.n_components)
    return 2e-3 + 2e-10 * n * p**2 + 1e-8 * p**3 + iterations * each, 8.0 * (2 * n * p + 5 * p**2)


@enter(
    Card(
        "probabilistic_pca",
        "Probabilistic PCA",
        ("reduction", "scorer"),
        paper="Tipping and Bishop (1999), Journal of the Royal Statistical Society B 61(3)",
        sources=(
            "epfl:ppca_ml", "epfl:ppca_em", "epfl:ppca_posterior", "epfl:ppca_marginal",
            "epfl:ppca_generate", "epfl:latent_diag_noise", "mi2:em_continuous_latent",
            "s841:ppca", "s841:factor_analysis",
        ),
        scores=("log_likelihood", "reconstruction", "map_neighbours"),
        random=True,
        cost=_cost,
        units="directions of variance",
        formula=r"x = W z + \mu + \varepsilon, \quad z \sim \mathcal N(0, I)",
        synonyms=("PPCA", "factor analysis", "FactorAnalysis", "latent factors", "EFA",
            "varimax", "rotated factors",
        ),
        line="few normal factors, and noise",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class ProbabilisticPCA(IterativeMethod):
    r"""Explains the covariance of the columns by few normal factors, and noise of each column.

    $x = W z + \mu + \varepsilon$ with $z \sim \mathcal N(0, I)$ and noise of one variance
    (probabilistic PCA) or of one for each column (factor analysis): a density with covariance
    $W W^\top + \Psi$, of maximum likelihood. With one variance there is a closed form: the
    principal axes, and the mean variance of those left out as noise; else EM.

    Use it to choose the number of components by held-out likelihood, for new rows, and with
    noise for each column where units or precision differ. O(n p^2) once, then O(p^3) an iteration.
    Fails on rows far from normal; the variance of a column may run to zero (Heywood).
    """

    n_components: int = integer(
        2, low=1, soft=(1, 20), symbol="q", label="Number of factors", doc="Fewer than columns."
    )
    noise: str = choice(
        "isotropic",
        "isotropic",
        "diagonal",
        label="Noise",
        doc="One variance for all columns, or one each: factor analysis.",
    )
    method: str = choice(
        "ml", "ml", "em", label="Found by",
        doc="The closed form, or EM, which it is compared with; noise of each column has EM alone.",
    )  # fmt: skip
    init: str = choice(
        "pca", "pca", "random", label="Start", doc="Of EM: the closed form, or random loadings.",
        advanced=True,
    )  # fmt: skip
    rotation: str = choice(
        "none", "none", "varimax", "random",
        doc="The factors as they are, the first of which explain most; turned so that each column "
        "loads on few of them; or by chance: the likelihood is the same.",
    )  # fmt: skip
    max_iter: int = integer(
        1000, low=1, soft=(10, 10_000), log=True, label="Most iterations",
        doc="Passes of EM after which it stops.", advanced=True,
    )  # fmt: skip
    tol: float = real(
        1e-8, low=0.0, soft=(1e-12, 1e-3), log=True, label="Tolerance",
        doc="Stop when the log-likelihood rises by no more than this share of it.", advanced=True,
    )  # fmt: skip
    noise_floor: float = real(
        1e-6, above=0.0, high=1.0, soft=(1e-9, 1e-2), log=True, label="Least noise",
        doc="Share of the variance of a column that stays noise.", advanced=True,
    )  # fmt: skip

    @property
    def is_closed(self) -> bool:
        """Whether no iteration is needed."""
        return self.noise == "isotropic" and self.method == "ml"

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse a single column, rows without variance, and differences whose squares vanish."""
        if X.shape[1] < 2:
            return f"{self.title()} needs at least two columns; there is 1. Choose more."
        if reason := vanishing(X, self.title()):
            return reason
        if constant_columns(X).all():
            return f"{self.title()} needs rows that differ; here all are equal. Choose others."
        return None

    def _steps(self, given: Given) -> Iterator[Step]:
        C = scatter(given.X, given.X.mean(axis=0)) / given.n
        q, floor = min(self.n_components, given.p - 1), self._floor(C)
        state = self._begun(C, q, given)
        before = likelihood(C, state) * given.n
        if self.is_closed:
            stop = Stop("converged", "Solved in closed form.")
            yield Step(0, before, state, stop, f"The log-likelihood is {before:.6g}.")
            return
        stop, k = None, 0
        while stop is None:
            state = self._improved(C, state, floor)
            now = likelihood(C, state) * given.n
            stop = verdict(
                k, (now - before) / max(abs(now), 1e-300), tol=self.tol, max_iter=self.max_iter,
                what="the rise of the log-likelihood, as a share of it,",
            )  # fmt: skip
            yield Step(k, now, state, stop, f"The log-likelihood is {now:.6g}.")
            before, k = now, k + 1

    def _floor(self, C: np.ndarray) -> np.ndarray:
        """Least noise of each column, (p,); where it never changes that of an average one."""
        variances = C.diagonal()
        mean = variances.mean()
        if self.noise == "isotropic":
            return np.full(len(C), self.noise_floor * mean)
        return self.noise_floor * np.where(variances > 0, variances, mean)

    def _begun(self, C: np.ndarray, q: int, given: Given) -> FactorState:
        p, floor = len(C), float(self._floor(C).max())
        if self.init == "random" and not self.is_closed:
            level = C.trace() / p
            drawn = given.rng("start").standard_normal((p, q)) * np.sqrt(level)
            return FactorState(drawn, np.full(p, level))
        if self.noise == "isotropic":
            return closed_form(C, q, floor)
        # Of the correlations, so that units of the columns do not matter.
        units = np.where(C.diagonal() > 0, np.sqrt(C.diagonal()), 1.0)
        state = closed_form(C / units / units[:, None], q, self.noise_floor)
        return FactorState(units[:, None] * state.loadings, units**2 * state.noise)

    def _improved(self, C: np.ndarray, state: FactorState, floor: np.ndarray) -> FactorState:
        """An E and an M step; for noise of each column after the best loadings for it."""
        if self.noise == "diagonal":
            state = FactorState(best_loadings(C, state), state.noise)
        cause = caused(state.loadings, state.noise)
        products = C @ cause.beta.T
        moments = cause.covariance + cause.beta @ products
        W = np.linalg.solve(moments, products.T).T
        noise = C.diagonal() - (W * products).sum(axis=1)
        if self.noise == "isotropic":
            noise = np.full(len(C), noise.mean())
        return FactorState(W, np.maximum(noise, floor))

    def _finished(self, given: Given, end: Step) -> FactorFit:
        state: FactorState = end.state
        C = scatter(given.X, given.X.mean(axis=0)) / given.n
        W = turned(state)
        squares = (W**2).sum(axis=0)
        W = self._rotated(W[:, squares > NOTHING * squares.max(initial=0.0)], given)
        return FactorFit(
            made_by=self, columns=given.columns, n_iter=end.k + 1, stop=end.stop,
            mean=given.X.mean(axis=0), axes=signed(W.T), noise=state.noise,
            variances=(W**2).sum(axis=0), shares=(W**2).sum(axis=0) / C.trace(),
            log_likelihood=end.objective, n_rows=given.n,
            out_columns=tuple(Column(f"Factor{j + 1}") for j in range(W.shape[1])),
            notes=(
                *self._notes(W.shape[1], state.noise <= self._floor(C), given),
                *_falling(end, C.diagonal(), given),
            ),
        )  # fmt: skip

    def _rotated(self, W: np.ndarray, given: Given) -> np.ndarray:
        """The loadings, shape (p, q), as the setting says; those that add most come first."""
        if self.rotation == "none":
            return W
        is_simple = self.rotation == "varimax"
        W = varimax(W) if is_simple else at_random(W, given.rng("rotation"))
        return W[:, np.argsort(-(W**2).sum(axis=0), kind="stable")]

    def _notes(self, q: int, is_least: np.ndarray, given: Given) -> tuple[str, ...]:
        notes = []
        if q < self.n_components:
            notes.append(f"Only {q} of {self.n_components} factors can be told from noise here.")
        if is_least.all():
            notes.append("The factors explain all variance: the noise is the least allowed.")
        elif is_least.any():
            names = [c.name for c, least in zip(given.columns, is_least, strict=True) if least]
            notes.append(
                f"The noise of {listed(names)} ran to zero and is the least allowed, so the "
                "likelihood says little: take fewer factors, or noise of one variance."
            )
        return tuple(notes)


def _falling(end: Step, variances: np.ndarray, given: Given) -> tuple[str, ...]:
    """That a noise variance is on its way to zero, which takes EM endless iterations."""
    shares = end.state.noise / np.where(variances > 0, variances, np.inf)
    low = (shares < HEYWOOD) & (variances > 0)
    if end.stop is None or end.stop.kind != "limit" or not low.any() or low.all():
        return ()
    names = listed(c.name for c, is_low in zip(given.columns, low, strict=True) if is_low)
    return (
        f"The noise of {names} runs to zero, where the likelihood says little, and EM comes there "
        "ever more slowly: take fewer factors, or noise of one variance.",
    )


def caused(W: np.ndarray, noise: np.ndarray) -> Cause:
    """How rows lead to factors with loadings W, shape (p, q), and noise variances, shape (p,)."""
    weighted = W.T / noise
    inverse = np.eye(W.shape[1]) + weighted @ W
    covariance = np.linalg.inv(inverse)
    log_det = float(np.log(noise).sum() + np.linalg.slogdet(inverse)[1])
    return Cause(covariance @ weighted, (covariance + covariance.T) / 2, log_det)


def likelihood(C: np.ndarray, state: FactorState) -> float:
    """Mean log-likelihood of rows with covariance C, shape (p, p), about their mean."""
    W, noise = state.loadings, state.noise
    cause = caused(W, noise)
    squares = (C.diagonal() / noise).sum() - ((C @ cause.beta.T) * (W / noise[:, None])).sum()
    return -0.5 * (len(C) * log(2 * pi) + cause.log_det + float(squares))


def closed_form(C: np.ndarray, q: int, floor: float) -> FactorState:
    """Of maximum likelihood for C, shape (p, p), with equal noise: the first q axes as loadings.

    The noise is the mean variance along the others, at least the floor.
    """
    values, vectors = eigen_falling(C)
    noise = max(float(values[q:].mean()), floor)
    loadings = vectors[:, :q] * np.sqrt(np.maximum(values[:q] - noise, 0.0))
    return FactorState(loadings, np.full(len(C), noise))


def best_loadings(C: np.ndarray, state: FactorState) -> np.ndarray:
    """Those of maximum likelihood for C, shape (p, p), and this noise: shape (p, q).

    The first axes of columns that are scaled to noise 1.
    """
    deviations, q = np.sqrt(state.noise), state.loadings.shape[1]
    values, vectors = eigen_falling(C / deviations / deviations[:, None])
    return deviations[:, None] * vectors[:, :q] * np.sqrt(np.maximum(values[:q] - 1.0, 0.0))


def turned(state: FactorState) -> np.ndarray:
    """The loadings rotated until W' W / noise is diagonal and falls, shape (p, q)."""
    W = state.loadings
    return W @ eigen_falling((W.T / state.noise) @ W)[1]
