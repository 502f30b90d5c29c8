"""Linear discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.special import log_softmax

from mlcore.component import Card, enter
from mlcore.fit import Column, Fit
from mlcore.maths.linear import signed
from mlcore.method import Given, Method
from mlcore.params import choice, integer, real

# Directions whose spread within the classes is below this share of the largest are dropped.
FLOOR = 1e-10


@dataclass(frozen=True, eq=False, kw_only=True)
class LDAFit(Fit):
    """Class means in the space where the classes are round, and the axes that part them."""

    classes: np.ndarray  # (K,) sorted labels
    priors: np.ndarray  # (K,)
    means: np.ndarray  # (K, p)
    mean: np.ndarray  # (p,) of the classes, weighted by the priors
    coefficients: np.ndarray  # (K, p); (p,) for two classes: those of the second minus the first
    intercept: Any  # (K,); a number for two classes
    axes: np.ndarray  # (q, p), by falling variance
    variances: np.ndarray  # (q,) between the classes, in units of that within
    shares: np.ndarray  # (q,) of their total
    out_columns: tuple[Column, ...]
    rank: int  # directions with spread within the classes

    def decision(self, X: Any) -> np.ndarray:
        """Log-posteriors up to a constant of the row, shape (m, K); (m,) for two classes."""
        return self._rows(X) @ self.coefficients.T + self.intercept

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest posterior, shape (m,)."""
        scores = self.decision(X)
        best = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes[best]

    def probabilities(self, X: Any) -> np.ndarray:
        """Posterior of each class, shape (m, K)."""
        scores = self.decision(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        return np.exp(log_softmax(scores, axis=1))

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates on the discriminant axes, shape (m, q)."""
        return (self._rows(X) - self.mean) @ self.axes.T


def _cost(n: int, p: int, it: LDA) -> tuple[float, float]:
    k = min(n, p)
    return 2e-4 + 3e-9 * n * p * k + 1e-8 * k**3, 24.0 * n * p + 32.0 * k * p


@enter(
    Card(
        "lda",
        "Linear discriminant analysis",
        ("classification", "reduction"),
        paper="Fisher (1936), Annals of Eugenics 7(2); Rao (1948), JRSS B 10(2)",
        task="classification",
        peer="sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
        sources=("s841:lda", "epfl:lda", "epfl:lda_sb_inverse", "epfl:lda_classifier"),
        takes=("weights",),
        cost=_cost,
        formula=r"\hat y = \arg\max_k\; x^\top \Sigma^{-1}\mu_k"
        r" - \tfrac12 \mu_k^\top\Sigma^{-1}\mu_k + \ln \pi_k",
    )
)
@dataclass(frozen=True, kw_only=True)
class LDA(Method):
    r"""Parts classes by straight lines, as if each were a cloud of one common shape.

    Each class is a Gaussian with its own mean $\mu_k$ and one covariance $\Sigma$ for all; the
    class with the largest posterior wins. The axes along which the means lie apart the most, in
    units of the spread within the classes, are at most K - 1: rows are drawn on them.

    Use it as a first classifier and to look at classes. O(n p min(n, p)). Fails where classes have
    different shapes or curved borders, and a wild row pulls its class mean. Directions without
    spread within the classes are left out (pseudo-inverse); shrinkage keeps them.
    """

    prior: str = choice(
        "empirical", "empirical", "equal", doc="Shares of the classes: as in the rows, or equal."
    )
    shrinkage: float = real(
        0.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\gamma",
        doc="Share of a round covariance of the same size that is mixed in; 1 is nearest mean.",
    )
    n_components: int | None = integer(
        None,
        low=1,
        soft=(1, 9),
        symbol="q",
        label="Axes",
        or_none="all",
        advanced=True,
        doc="Discriminant axes to keep for drawing; the prediction uses all.",
    )
    divisor: str = choice(
        "ml",
        "ml",
        "unbiased",
        advanced=True,
        doc="Covariance divided by the rows (ml), or by the rows minus the classes.",
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows without spread within the classes."""
        if y is not None and len(X) <= int(y.max()) + 1:
            return (
                f"Linear discriminant analysis needs more rows than classes; got {len(X)} rows of "
                f"{int(y.max()) + 1} classes. Use more rows."
            )
        return None

    def _fit(self, given: Given) -> LDAFit:
        K, found = len(given.labels), given.labels  # type: ignore[arg-type]
        sizes = np.bincount(given.target, given.w, K)  # type: ignore[arg-type]
        means = _means(given, sizes)
        priors = sizes / sizes.sum() if self.prior == "empirical" else np.full(K, 1 / K)
        mean = priors @ means
        sphere = self._sphere(given, means, sizes.sum() - K * (self.divisor == "unbiased"))
        apart = (means - mean) @ sphere  # (K, r)
        axes, variances = _axes(apart, priors, sphere)
        q = min(self.n_components or len(axes), len(axes))
        coefficients, intercept = _rule(apart, mean, sphere, priors)
        return LDAFit(
            made_by=self,
            columns=given.columns,
            classes=found,
            priors=priors,
            means=means,
            mean=mean,
            coefficients=coefficients,
            intercept=intercept,
            axes=axes[:q],
            variances=variances[:q],
            shares=variances[:q] / variances.sum() if variances.any() else variances[:q],
            out_columns=tuple(Column(f"LD{j + 1}") for j in range(q)),
            rank=sphere.shape[1],
        )

    def _sphere(self, given: Given, means: np.ndarray, divisor: float) -> np.ndarray:
        """The map, shape (p, r), under which the covariance within the classes is the identity."""
        Z = (given.X - means[given.target]) * np.sqrt(given.w / max(divisor, 1.0))[:, None]
        if self.shrinkage > 0 or given.n >= given.p:
            S = Z.T @ Z
            round_size = np.trace(S) / given.p
            S = (1 - self.shrinkage) * S
            S[np.diag_indices(given.p)] += self.shrinkage * round_size
            values, vectors = linalg.eigh(S)
        else:
            # With fewer rows than columns the rank is at most n: no p x p matrix is formed.
            _, spread, rows = linalg.svd(Z, full_matrices=False)
            values, vectors = spread[::-1] ** 2, rows[::-1].T
        kept = values > FLOOR * max(values[-1], np.finfo(float).tiny)
        return vectors[:, kept] / np.sqrt(values[kept])


def _means(given: Given, sizes: np.ndarray) -> np.ndarray:
    """Mean of each class, shape (K, p)."""
    members = np.zeros((len(sizes), given.n))
    members[given.target, np.arange(given.n)] = given.w
    return members @ given.X / np.maximum(sizes, np.finfo(float).tiny)[:, None]


def _axes(
    apart: np.ndarray, priors: np.ndarray, sphere: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Axes in the space of the columns, shape (q, p), and the variance between along each."""
    _, spread, rows = linalg.svd(np.sqrt(priors)[:, None] * apart, full_matrices=False)
    # K means about their mean span K - 1 directions: the last is rounding.
    q = max(1, min(len(priors) - 1, sphere.shape[1]))
    return signed(rows[:q] @ sphere.T), spread[:q] ** 2


def _rule(
    apart: np.ndarray, mean: np.ndarray, sphere: np.ndarray, priors: np.ndarray
) -> tuple[np.ndarray, Any]:
    """Coefficients and intercepts of the linear scores; one of each for two classes."""
    weights = apart @ sphere.T  # (K, p)
    with np.errstate(divide="ignore"):  # a class of weight zero has prior 0 and is never chosen
        offsets = np.log(priors) - 0.5 * (apart**2).sum(axis=1) - weights @ mean
    if len(priors) > 2:
        return weights, offsets
    return weights[1] - weights[0], float(offsets[1] - offsets[0])
