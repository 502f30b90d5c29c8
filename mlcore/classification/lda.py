"""Linear discriminant analysis: one Gaussian a class, with a common covariance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mlcore.classification.discriminants import (
    axis_columns,
    discriminants,
    flat_note,
    too_few_rows,
    white_within,
)
from mlcore.classification.gaussians import log_joint, log_normals, white_map
from mlcore.classification.priors import ClassPrior, refuse_empty
from mlcore.classification.scatter import (
    ClassedRows,
    Remedied,
    SingularScatter,
    Within,
    class_means,
    within_classes,
)
from mlcore.classification.trimming import innermost, share_of_wild_rows
from mlcore.maths.arrays import vanishing
from mlcore.maths.class_scores import best_class, softmax
from mlcore.spine.capabilities_of_sums import LOG_ODDS, Sum, linear_scores
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer, part

MOST_COLUMNS = 200  # whose products a fit keeps: a third of a megabyte


@dataclass(frozen=True, eq=False, kw_only=True)
class LDAFit(Fit):
    """Fitted discriminant axes, and the linear rule that follows from them."""

    classes: np.ndarray  # (K,) sorted labels
    counts: np.ndarray  # (K,) weight of each class
    prior: np.ndarray  # (K,) probabilities of the classes before a row is seen
    means: np.ndarray  # (K, p) of each class
    mean: np.ndarray  # (p,) of all rows
    axes: np.ndarray  # (q, p); scores along them have covariance I within classes
    variances: np.ndarray  # (q,) between classes along the axes: eigenvalues of S_w^-1 S_b, falling
    shares: np.ndarray  # (q,) of all variance between classes
    coefficients: np.ndarray  # (p,) for the second of two classes, else (K, p); log-odds per unit
    intercept: Any  # a number, or (K,)
    rank: int  # directions that vary within classes
    notes: tuple[str, ...] = ()
    within_spreads: np.ndarray | None = (
        None  # (p,) within classes, NaN of a column that does not vary
    )
    # (p, p) within classes, as the rule inverts it; None where it is not kept.
    covariance: np.ndarray | None = None

    @property
    def weights(self) -> np.ndarray:
        """Shares of the classes in the density of all rows, shape (K,)."""
        return self.prior

    @property
    def covariances(self) -> np.ndarray | None:
        """The common covariance, once for each class, shape (K, p, p), or None without one."""
        if self.covariance is None:
            return None
        return np.broadcast_to(self.covariance, (len(self.classes), *self.covariance.shape))

    @property
    def log_density(self) -> Callable[[Any], np.ndarray] | None:
        """Natural logarithm of the density of rows of all classes, as a verb: X to shape (m,).

        None without a common covariance that has an inverse.
        """
        if self.covariance is None:
            return None
        spread = np.sqrt(np.diagonal(self.covariance))
        if not (spread > 0).all():
            return None
        way, log_det, bad = white_map(self.covariance, spread)
        return None if bad else partial(self._log_density, way, log_det)

    def _log_density(self, way: np.ndarray, log_det: float, X: Any) -> np.ndarray:
        K = len(self.classes)
        maps, log_dets = np.broadcast_to(way, (K, *way.shape)), np.full(K, log_det)
        joint = log_joint(self._rows(X), self.prior, self.means, maps, log_dets)
        return np.logaddexp.reduce(joint, axis=1)

    def log_marginals(self, j: int, x: Any) -> np.ndarray:
        """Log of prior times the Gaussian of each class in column j at values x, (m, K).

        NaN where the column does not vary within classes. Raises DataError for a model that was
        saved before spreads were kept.
        """
        if self.within_spreads is None:
            raise DataError("This model was saved without the spreads of its classes; fit it anew.")
        return log_normals(np.asarray(x, dtype=np.float64), self.prior, self.means[:, j],
                           self.within_spreads[j] ** 2)  # fmt: skip

    @property
    def out_columns(self) -> tuple[Column, ...]:
        """One column a discriminant axis."""
        return axis_columns(len(self.axes))

    def transform(self, X: Any) -> np.ndarray:
        """Scores along the axes, in standard deviations within classes, shape (m, q)."""
        return (self._rows(X) - self.mean) @ self.axes.T

    def decision(self, X: Any) -> np.ndarray:
        """Log-odds of the second class, shape (m,), or scores, shape (m, K).

        The scores are log-posteriors up to a number that is the same for all classes.
        """
        # About the mean, where the terms do not cancel.
        return (self._rows(X) - self.mean) @ self.coefficients.T + self._level

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, shape (m,); of classes that tie, the first."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """Posterior probability of each class, shape (m, K)."""
        Z = self.decision(X)
        if Z.ndim == 1:
            Z = np.column_stack([np.zeros(len(Z)), Z])
        return softmax(Z)

    @property
    def as_sum(self) -> Sum:
        """Log-odds of two classes, scores of more: a line a column."""
        return linear_scores(self.coefficients, self.decision, LOG_ODDS)

    @property
    def _level(self) -> Any:
        """The decision at the mean of all rows."""
        return self.intercept + self.coefficients @ self.mean


def _cost(n: int, p: int, method: LDA) -> tuple[float, float]:
    short = min(n, p)
    return 3e-4 + (n * p * short + 10.0 * short**3) / 1e10, 8.0 * (n * p + short**2 + 10 * n)


@enter(
    Card(
        "lda",
        "Linear discriminant analysis",
        ("classification", "reduction"),
        paper="Fisher (1936), Annals of Eugenics 7(2); Rao (1948), J. R. Statistical Society B 10",
        task="classification",
        peer="sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
        sources=(
            "s841:lda", "epfl:lda", "epfl:lda_classifier", "s841:pooled_covariance",
            "s841:reduced_rank_lda",
        ),
        takes=("weights",),
        cost=_cost,
        formula=r"\delta_k(x) = x^\top \Sigma^{-1} \mu_k - \tfrac12 \mu_k^\top \Sigma^{-1} \mu_k "
        r"+ \log \pi_k",
        synonyms=(
            "LDA", "Fisher's discriminant", "Gaussian discriminant analysis",
            "robust discriminant analysis", "minimum covariance determinant",
            "LinearDiscriminantAnalysis",
        ),
        line="Gaussian classes of one common shape",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class LDA(Method):
    r"""Classes as Gaussian clouds of one common shape; borders are planes.

    With class means $\mu_k$, common covariance $\Sigma$ and shares $\pi_k$, the class of a row is
    that with the largest $x^\top \Sigma^{-1} \mu_k - \tfrac12 \mu_k^\top \Sigma^{-1} \mu_k +
    \log \pi_k$. It depends on at most K - 1 directions, the eigenvectors of $S_w^{-1} S_b$; their
    scores are the best picture of the classes.

    Use it when classes are few and roughly Gaussian with similar spread; the scale of the columns
    does not matter. O(n p^2 + p^3), or O(n^2 p) for more columns than rows. It fails when classes
    differ in shape rather than place, and outliers pull means and covariance unless `trim` leaves
    them out.
    """

    prior: ClassPrior = part("empirical", slot="class_prior", doc="How common each class is.")
    divisor: str = choice(
        "ml",
        "ml",
        "unbiased",
        doc="Divide the scatter by n, or by n minus the number of classes.",
        advanced=True,
    )
    singular: SingularScatter = part(
        "pseudo_inverse",
        slot="singular_scatter",
        doc="How the scatter within classes is inverted, also where it is singular.",
    )
    trim: float = share_of_wild_rows()
    n_components: int = integer(
        0,
        low=0,
        soft=(0, 10),
        symbol="q",
        label="Number of directions",
        doc="Discriminant axes that are kept, at most one less than classes; 0 keeps all.",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(
            prior=("empirical", "given"), divisor="ml", singular="pseudo_inverse", trim=0.0
        ):
            return missing
        # Theirs drops directions shorter than tol, by default also such that matter.
        priors = getattr(self.prior, "values", None)
        return {"tol": 1e-10, "priors": priors, "n_components": self.n_components or None}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse too few rows, more axes than the classes have, and squares that vanish."""
        if (reason := vanishing(X, self.title())) or y is None:
            return reason
        n, K = len(X), int(y.max()) + 1
        if reason := too_few_rows(n, K, "Linear discriminants"):
            return reason
        if self.n_components >= K:
            return (
                f"{K} classes have at most {K - 1} discriminant axes; n_components is "
                f"{self.n_components}. Lower it."
            )
        return None

    def _fit(self, given: Given) -> LDAFit:
        K = len(given.labels)
        counts, means = class_means(given.X, given.target, given.weights, K)
        refuse_empty(counts, given.labels, self.title())
        inner, short, notes = innermost(given, self.trim)
        if self.trim:
            _, means = class_means(given.X, given.target, inner.weights, K)
        rows = ClassedRows(given.X, given.target, inner.weights, means)
        within = within_classes(rows)
        remedied = self.singular.remedy(within)
        bias = rows.total / (rows.total - K) if self.divisor == "unbiased" else 1.0
        white = white_within(within, remedied, bias * short, "linear discriminants")
        axes, values, mean = discriminants(counts, means, white)
        most = len(axes)
        spreads = within.scale * np.sqrt(bias * short)
        spreads[within.flat] = np.nan
        prior = self.prior.shares(counts)
        coefficients, level = _rule(axes, (means - mean) @ axes.T, prior)
        q = min(self.n_components or most, most)
        return LDAFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            counts=counts,
            prior=prior,
            means=means,
            mean=mean,
            axes=axes[:q],
            variances=values[:q],
            shares=values[:q] / (values.sum() or 1.0),
            coefficients=coefficients,
            intercept=level - coefficients @ mean,
            rank=within.rank,
            within_spreads=spreads,
            covariance=_covariance(within, remedied, bias * short),
            notes=(*notes, *flat_note(within, given.columns), *remedied.notes),
        )


def _covariance(within: Within, remedied: Remedied, bias: float) -> np.ndarray | None:
    """V diag(values) V' in units of the columns, (p, p), with the values that the remedy gives.

    None of very many columns, and where these outnumber the rows: a remedy may then give variance
    to directions that are not at hand.
    """
    p, r = within.vectors.shape
    if p > MOST_COLUMNS or r < p:
        return None
    half = within.scale[:, None] * within.vectors
    return (half * (bias * remedied.values)) @ half.T


def _rule(axes: np.ndarray, centers: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, Any]:
    """Coefficients, and the decision at the mean; `centers` are the class means on the axes."""
    coefficients = centers @ axes
    level = np.log(prior) - 0.5 * (centers**2).sum(axis=1)
    if len(prior) == 2:
        return coefficients[1] - coefficients[0], float(level[1] - level[0])
    return coefficients, level
