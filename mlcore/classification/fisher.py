"""Fisher's discriminant axes: a map in which classes lie as far apart as a straight one can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.classification.discriminants import (
    axis_columns,
    discriminants,
    flat_note,
    too_few_rows,
    white_within,
)
from mlcore.classification.priors import refuse_empty
from mlcore.classification.scatter import (
    ClassedRows,
    SingularScatter,
    class_means,
    within_classes,
)
from mlcore.classification.trimming import innermost, share_of_wild_rows
from mlcore.maths.arrays import vanishing
from mlcore.spine import checks
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer, part
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False, kw_only=True)
class FisherFit(Fit):
    """Discriminant axes, and where the class means lie along them."""

    classes: np.ndarray  # (K,) sorted labels
    means: np.ndarray  # (K, p) of each class
    mean: np.ndarray  # (p,) of all rows
    axes: np.ndarray  # (q, p); rows have covariance I along them within classes, or altogether
    variances: np.ndarray  # (q,) of the class means along the axes: Fisher's criterion, falling
    shares: np.ndarray  # (q,) of all variance between classes
    rank: int  # directions that vary within classes, or altogether
    notes: tuple[str, ...] = ()

    @property
    def out_columns(self) -> tuple[Column, ...]:
        """One column a discriminant axis."""
        return axis_columns(len(self.axes))

    def transform(self, X: Any) -> np.ndarray:
        """Scores along the axes, in standard deviations within classes, shape (m, q)."""
        return (self._rows(X) - self.mean) @ self.axes.T


def cost_of_axes(n: int, p: int, method: Fisher) -> tuple[float, float]:
    short = min(n, p)
    return 3e-4 + (n * p * short + 10.0 * short**3) / 1e10, 8.0 * (n * p + short**2 + 10 * n)


@enter(
    Card(
        "fisher",
        "Fisher's discriminant axes",
        ("reduction",),
        paper="Fisher (1936), Annals of Eugenics 7(2); Rao (1948), J. R. Statistical Society B 10",
        sources=("epfl:fisher_two", "s841:fda_two_class", "s841:mda_canonical", "s841:robust_flda"),
        takes=("target", "weights"),
        scores=("neighbour_scores", "map_neighbours"),
        cost=cost_of_axes,
        formula=r"\max_w \frac{w^\top S_b w}{w^\top S_w w}, \quad S_b w = \lambda S_w w",
        synonyms=(
            "FDA", "Fisher discriminant analysis", "canonical variates", "discriminant projection",
            "supervised reduction", "robust Fisher discriminant",
        ),
        line="class means far apart, classes narrow",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Fisher(Method):
    r"""Projects rows so that class means lie far apart, measured by the spread within classes.

    With $S_w = \sum_k \sum_{i \in k} (x_i - \mu_k)(x_i - \mu_k)^\top$ and $S_b = \sum_k n_k
    (\mu_k - \mu)(\mu_k - \mu)^\top$ the axes solve $S_b w = \lambda S_w w$; K classes have at most
    K - 1. Along them rows have covariance I (divisor n) within classes. The axes are learned
    from labels, so they are judged on rows left out: by whether the nearest is of the same class.

    Use it to see known classes, or before a method for few columns; units do not matter.
    O(n p^2 + p^3). Fails where class means coincide, however different the classes are, and with
    about as many columns as rows parts the fitted rows of any labels, also of such that were drawn.
    """

    n_components: int | None = integer(
        None,
        low=1,
        soft=(1, 10),
        or_none="one fewer than classes",
        symbol="q",
        label="Number of axes",
        doc="Axes to keep, those first along which class means differ most; K classes have at "
        "most K - 1.",
    )
    within: str = choice(
        "pooled",
        "pooled",
        "equal",
        "total",
        label="Compared with",
        doc="The spread about class means, of all rows or with each class counting alike, or the "
        "spread of all rows about their mean.",
    )
    singular: SingularScatter = part(
        "pseudo_inverse",
        slot="singular_scatter",
        doc="How the scatter within classes is inverted, also where it is singular.",
    )
    trim: float = share_of_wild_rows()

    def conflict(self) -> str | None:
        """Trimmed rows have no spread about the mean of all."""
        if self.trim and self.within == "total":
            return (
                f"{self.title()} leaves wild rows out of each class, so it compares with the "
                "spread within classes, not with that of all rows. Choose pooled, which has the "
                "same directions, or a share of 0."
            )
        return None

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        checks.no_quantity(y, self.title())
        return super()._target(y, n)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse too few rows, more axes than the classes have, and squares that vanish."""
        if (reason := vanishing(X, self.title())) or y is None:
            return reason
        K = int(y.max()) + 1
        if reason := too_few_rows(len(X), K, "Discriminant axes"):
            return reason
        if (self.n_components or 0) >= K:
            most = count(K - 1, "axis", "axes")
            return (
                f"{K} classes have at most {most}; n_components is {self.n_components}. Lower it."
            )
        return None

    def _fit(self, given: Given) -> FisherFit:
        K = len(given.labels)
        counts, means = class_means(given.X, given.target, given.weights, K)
        refuse_empty(counts, given.labels, self.title())
        inner, short, notes = innermost(given, self.trim)
        own = counts
        if self.trim:
            own, means = class_means(given.X, given.target, inner.weights, K)
        rows = self._compared(inner, own, means)
        within = within_classes(rows)
        remedied = self.singular.remedy(within)
        white = white_within(within, remedied, short, "discriminant axes")
        if self.within == "equal":
            counts = np.full(K, counts.sum() / K)
        axes, values, mean = discriminants(counts, means, white)
        q = min(self.n_components or len(axes), len(axes))
        return FisherFit(
            made_by=self, columns=given.columns, classes=given.labels, means=means, mean=mean,
            axes=axes[:q], variances=values[:q], shares=values[:q] / (values.sum() or 1.0),
            rank=within.rank, notes=(*notes, *flat_note(within, given.columns), *remedied.notes),
        )  # fmt: skip

    def _compared(self, given: Given, counts: np.ndarray, means: np.ndarray) -> ClassedRows:
        """The rows about the centers from which spread is measured."""
        if self.within == "total":
            mean = (counts @ means / counts.sum())[None]
            return ClassedRows(given.X, np.zeros_like(given.target), given.weights, mean)
        weights = given.weights
        if self.within == "equal":
            weights = given.w * (counts.sum() / (len(counts) * counts))[given.target]
        return ClassedRows(given.X, given.target, weights, means)
