"""Quadratic discriminant analysis: one Gaussian a class, each with a covariance of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.classification.gaussians import (
    REMEDY,
    Scatters,
    Whitening,
    log_joint,
    log_normals,
    scatters,
    whitening,
)
from mlcore.classification.priors import ClassPrior, GivenShares, refuse_empty
from mlcore.classification.scatter import class_means
from mlcore.classification.trimming import share_of_wild_rows, trimmed
from mlcore.maths.arrays import vanishing
from mlcore.maths.class_scores import best_class, decision_of, softmax
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import ParamError
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, part, real
from mlcore.spine.records import function


@dataclass(frozen=True, eq=False, kw_only=True)
class QDAFit(Fit):
    """A Gaussian a class."""

    classes: np.ndarray  # (K,) sorted labels
    counts: np.ndarray  # (K,) weight of each class
    prior: np.ndarray  # (K,) probabilities of the classes before a row is seen
    means: np.ndarray  # (K, p)
    covariances: np.ndarray  # (K, p, p), or variances, (K, p), where columns are taken one by one
    maps: np.ndarray  # (K, p, p), or (K, p): rows about a mean, times its map, are white
    log_dets: np.ndarray  # (K,) of the covariances
    notes: tuple[str, ...] = ()

    @property
    def weights(self) -> np.ndarray:
        """Shares of the classes in the density of all rows, shape (K,)."""
        return self.prior

    def log_marginals(self, j: int, x: Any) -> np.ndarray:
        """Log of prior times the Gaussian of each class in column j at values x, (m, K)."""
        own = self.covariances[:, j] if self.covariances.ndim == 2 else self.covariances[:, j, j]
        return log_normals(np.asarray(x, dtype=np.float64), self.prior, self.means[:, j], own)

    @property
    def mixture(self) -> tuple[float, float]:
        """Pooling and shrinkage."""
        return self._method.pooling, self._method.shrinkage

    def mixed(self, pooling: float, shrinkage: float) -> QDA:
        """The same method with other shares."""
        return replace(self._method, pooling=pooling, shrinkage=shrinkage)

    @property
    def _method(self) -> QDA:
        assert isinstance(self.made_by, QDA)
        return self.made_by

    def holds_together(self) -> bool:
        """Whether there is one Gaussian a class, of as many columns as there are."""
        K, p = len(self.classes), self.n_columns
        shape = (K, p, p) if self.maps.ndim == 3 else (K, p)
        vectors = (self.prior.shape, self.log_dets.shape) == ((K,), (K,))
        return vectors and self.means.shape == (K, p) and self.maps.shape == shape

    def decision(self, X: Any) -> np.ndarray:
        """Log-odds of the second class, shape (m,), or the log of prior times density, (m, K)."""
        return decision_of(self._joint(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, shape (m,); of classes that tie, the first."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """Posterior probability of each class, shape (m, K)."""
        return softmax(self._joint(X))

    def log_density(self, X: Any) -> np.ndarray:
        """Natural logarithm of the density of rows of all classes, shape (m,)."""
        return np.logaddexp.reduce(self._joint(X), axis=1)

    def _joint(self, X: Any) -> np.ndarray:
        """Log of prior times density, shape (m, K)."""
        return log_joint(self._rows(X), self.prior, self.means, self.maps, self.log_dets)


def _cost(n: int, p: int, method: QDA) -> tuple[float, float]:
    # How many classes there are is not known yet: three are likely.
    full = method.covariance == "full"
    steps = 1 if not method.trim else 40 if full else 15  # as many covariances until none is less
    return (
        3e-4 + steps * (n * p * (p if full else 10) + (9.0 * p**3 if full else 0.0)) / 1e10,
        8.0 * (n * p / 3 + 6 * (p * p if full else p) + 100),
    )


@enter(
    Card(
        "qda",
        "Quadratic discriminant analysis",
        ("classification",),
        paper="Smith (1947), Annals of Eugenics 13; Friedman (1989), J. American Statistical "
        "Association 84",
        task="classification",
        peer="sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
        sources=(
            "s841:qda", "s841:rda", "s841:gaussian_mle", "s841:spherical_nearest_centroid",
            "epfl:bayes_gauss_isotropic", "epfl:bayes_gauss_diag", "epfl:bayes_gauss_full",
            "epfl:bayes_multiclass", "epfl:estimate_mean_cov",
        ),
        takes=("weights",),
        cost=_cost,
        formula=r"\delta_k(x) = -\tfrac12 \log|\Sigma_k| - \tfrac12 (x - \mu_k)^\top "
        r"\Sigma_k^{-1} (x - \mu_k) + \log \pi_k",
        synonyms=(
            "QDA", "RDA", "robust discriminant analysis", "minimum covariance determinant", "MCD",
            "regularized discriminant analysis", "Gaussian Bayes classifier",
            "Gaussian discriminant analysis", "QuadraticDiscriminantAnalysis",
        ),
        line="every class with a shape of its own",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class QDA(Method):
    r"""Classes as Gaussian clouds, each of its own shape; borders are conics.

    With class means $\mu_k$, covariances $\Sigma_k$ and shares $\pi_k$, the class of a row is that
    with the largest $-\tfrac12 \log|\Sigma_k| - \tfrac12 (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k)
    + \log \pi_k$. `pooling` draws the covariances towards the common one of linear discriminants,
    `shrinkage` towards a sphere: $(1 - \gamma) \Sigma_k + \gamma \tfrac{\operatorname{tr}
    \Sigma_k}{p} I$ (regularised discriminant analysis).

    Use it when classes differ in spread or direction and have many more rows than columns; without
    shrinkage the scale of the columns does not matter. O(n p^2 + K p^3). It fails when a class has
    few rows, as K p (p + 1) / 2 covariances are learned, and when classes are not like clouds. Wild
    rows swell a cloud, unless `trim` leaves them out.
    """

    covariance: str = choice(
        "full",
        "full",
        "diagonal",
        "spherical",
        doc="Full: clouds in any direction. Diagonal: along the columns. Spherical: round.",
    )
    pooling: float = real(
        0.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\lambda",
        doc="Share of the common covariance: 0 leaves each class its own, 1 gives linear borders.",
    )
    shrinkage: float = real(
        0.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\gamma",
        doc="Share of a sphere of the same total variance, in units of the columns.",
    )
    trim: float = share_of_wild_rows()
    prior: ClassPrior = part("empirical", slot="class_prior", doc="How common each class is.")
    divisor: str = choice(
        "ml",
        "ml",
        "unbiased",
        doc="Divide the scatter of a class by its rows, or by one less.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer, which shrinks towards I instead of a sphere of equal size."""
        if missing := self.beyond_peer(
            covariance="full",
            pooling=0.0,
            shrinkage=0.0,
            trim=0.0,
            prior=("empirical", "given"),
            divisor="ml",
        ):
            return missing
        # Theirs refuses directions that are shorter than tol, whatever their units.
        return {
            "tol": 1e-12,
            "priors": self.prior.values if isinstance(self.prior, GivenShares) else None,
        }

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse classes with too few rows for a covariance, and squares that vanish."""
        if (reason := vanishing(X, self.title())) or y is None:
            return reason
        least, p = int(np.bincount(y).min()), X.shape[1]
        if self.covariance == "full" and not (self.pooling or self.shrinkage) and least <= p:
            return (
                f"A covariance of {p} columns needs at least {p + 1} rows of each class; the "
                f"smallest class has {least}. {REMEDY}"
            )
        return None

    def _fit(self, given: Given) -> QDAFit:
        counts, means = class_means(given.X, given.target, given.weights, len(given.labels))
        refuse_empty(counts, given.labels, self.title())
        if self.trim:
            covariances, means, notes = self._trimmed(given)
        else:
            covariances, notes = self._covariances(given, counts, means), ()
        white = self._white(given, covariances, means)
        return QDAFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            counts=counts,
            prior=self.prior.shares(counts),
            means=means,
            covariances=covariances,
            maps=white.maps,
            log_dets=white.log_dets,
            notes=notes,
        )

    def _trimmed(self, given: Given) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        """Covariances and means of the rows that are kept, and how many are not."""
        rows = trimmed(given, self.trim, self.covariance)
        inner = replace(given, weights=rows.weights)
        counts, means = class_means(given.X, given.target, rows.weights, len(rows.factors))
        return self._covariances(inner, counts, means, rows.factors), means, (rows.note,)

    def _covariances(
        self, given: Given, counts: np.ndarray, means: np.ndarray, factors: Any = 1.0
    ) -> np.ndarray:
        """Covariances of the classes, shape (K, p, p), or variances of columns, (K, p).

        `factors`, (K,), make those of trimmed rows what all rows would have, were they normal.
        """
        by_column = self.covariance != "full"
        sums = scatters(given.X, given.target, given.weights, means, by_column)
        sums *= np.reshape(factors, (-1, *[1] * (sums.ndim - 1)))
        if self.covariance == "spherical":
            sums[:] = sums.mean(axis=1, keepdims=True)
        scatter = Scatters(sums, counts)
        return scatter.covariances(self.pooling, self.shrinkage, float(self.divisor == "unbiased"))

    def _white(self, given: Given, covariances: np.ndarray, means: np.ndarray) -> Whitening:
        return whitening(covariances, means, given.labels, [c.name for c in given.columns])


@function(
    "parameter_count",
    title="Parameters of discriminants",
    sources=("s841:lda_parameter_count", "s841:qda_parameter_count"),
)
def parameter_count(rule: str, p: int, K: int) -> int:
    """How many numbers the borders of a rule between K classes of p columns depend on.

    `rule` is "lda", (K - 1)(p + 1), "qda", (K - 1)(p (p + 3) / 2 + 1), "logistic", as for "lda", or
    "lda, generative": the means, the covariance and the shares of all classes. Raises ParamError
    for any other.
    """
    counts = {
        "lda": (K - 1) * (p + 1),
        "qda": (K - 1) * (p * (p + 3) // 2 + 1),
        "logistic": (K - 1) * (p + 1),
        "lda, generative": K * p + p * (p + 1) // 2 + K - 1,
    }
    if rule not in counts:
        raise ParamError(f"Parameters are counted of {', '.join(counts)}; got {rule!r}.")
    return counts[rule]
