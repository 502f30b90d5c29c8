"""Fisher's rule: a threshold on the axis along which two classes lie farthest apart."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mlcore.classification.fisher import Fisher, FisherFit, cost_of_axes
from mlcore.maths.class_scores import best_class
from mlcore.spine.capabilities_of_sums import Sum, linear_scores
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given
from mlcore.spine.params import choice

ALWAYS = (
    "Along the axis one class is likelier everywhere than the other, so the normal densities have "
    "no threshold; it lies midway between the means."
)
FLAT = (
    "Along the axis one class does not vary, or hardly beside the other, so its normal density is "
    "a spike; the threshold lies midway between the means."
)
LEAST = 1e-12  # share of the larger variance up to which the smaller one is rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class FisherRuleFit(FisherFit):
    """Discriminant axes, and a linear rule on them."""

    coefficients: np.ndarray  # (p,) of two classes, along the axis; else (K, p)
    intercept: Any  # a number, minus the threshold; or (K,)

    def decision(self, X: Any) -> np.ndarray:
        """Distance along the axis beyond the threshold, (m,); of more classes scores, (m, K).

        In standard deviations within classes; a score is largest for the nearest projected mean.
        """
        return self._rows(X) @ self.coefficients.T + self.intercept

    def predict(self, X: Any) -> np.ndarray:
        """The class on this side of the threshold, or of the nearest mean, shape (m,)."""
        return self.classes[best_class(self.decision(X))]

    @property
    def as_sum(self) -> Sum:
        """Scores: a line a column."""
        return linear_scores(self.coefficients, self.decision)

    def holds_together(self) -> bool:
        """Whether there is a weight for each column."""
        return self.coefficients.shape[-1] == self.n_columns


def _cost(n: int, p: int, method: FisherRule) -> tuple[float, float]:
    seconds, size = cost_of_axes(n, p, method)
    return seconds + 1e-4 + 2e-7 * n, size + 40.0 * n


@enter(
    Card(
        "fisher_rule",
        "Fisher's linear discriminant",
        ("classification",),
        paper="Fisher (1936), Annals of Eugenics 7(2)",
        task="classification",
        sources=("epfl:lda_classifier", "epfl:fisher_two", "epfl:fisher_multi"),
        takes=("weights",),
        cost=_cost,
        formula=r"\hat y = [w^\top x > t], \quad w \propto S_w^{-1} (\mu_2 - \mu_1)",
        synonyms=("Fisher classifier", "FLD", "threshold on a projection", "discriminant rule"),
        line="a threshold on the axis that parts classes",
    )
)
@dataclass(frozen=True, kw_only=True)
class FisherRule(Fisher):
    r"""Projects rows on the axis along which classes lie farthest apart, and cuts it.

    Of two classes the axis is $w \propto S_w^{-1} (\mu_2 - \mu_1)$, and a row belongs to the second
    if $w^\top x > t$. The threshold t lies midway between the projected means, where normal
    densities of the projected classes are equally likely, or where the fewest fitted rows are
    wrong. More classes have axes of their own, and a row belongs to the nearest projected mean.

    Use it to see what a linear discriminant rests on: nothing is assumed but that projections tell
    classes apart, and the threshold can follow classes of unequal size or width. O(n p^2 + p^3).
    Fails where class means coincide; the threshold of least error chases single rows.
    """

    threshold: str = choice(
        "midpoint",
        "midpoint",
        "gaussian",
        "least_error",
        symbol="t",
        doc="Of two classes: midway between the means, where normal densities with shares and "
        "widths of the classes meet, or with the fewest errors on the fitted rows.",
    )

    def _fit(self, given: Given) -> FisherRuleFit:
        own = super()._fit(given)
        shared: dict[str, Any] = {f.name: getattr(own, f.name) for f in fields(own)}
        centers = (own.means - own.mean) @ own.axes.T  # (K, q)
        if len(own.classes) == 2:
            w, t, notes = self._cut(given, own, centers[:, 0])
            shared["notes"] += notes
            return FisherRuleFit(coefficients=w, intercept=-(t + float(w @ own.mean)), **shared)
        W = centers @ own.axes
        level = -(centers**2).sum(axis=1) / 2 - W @ own.mean
        return FisherRuleFit(coefficients=W, intercept=level, **shared)

    def _cut(
        self, given: Given, own: FisherFit, centers: np.ndarray
    ) -> tuple[np.ndarray, float, tuple[str, ...]]:
        """The axis towards the second class, (p,), the threshold along it, and what to say."""
        toward = 1.0 if centers[1] >= centers[0] else -1.0
        w, (low, high) = toward * own.axes[0], toward * centers
        middle = float((low + high) / 2)
        if self.threshold == "midpoint":
            return w, middle, ()
        z = (given.X - own.mean) @ w
        if self.threshold == "least_error":
            return w, _least_error(z, given.target, given.w, middle), ()
        return w, *_meeting(z, given.target, given.w, middle)


def _meeting(
    z: np.ndarray, y: np.ndarray, w: np.ndarray, middle: float
) -> tuple[float, tuple[str, ...]]:
    """Where the weighted normal densities of two classes meet, nearest to the middle.

    The middle and a sentence where they do not, or where one has no width.
    """
    own = np.stack([w * (y == 0), w * (y == 1)])  # (2, n)
    share = own.sum(axis=1)
    mean = own @ z / share
    variance = (own * (z - mean[:, None]) ** 2).sum(axis=1) / share
    if variance.min() <= LEAST * variance.max():
        return middle, (FLAT,)
    square = -0.5 / variance
    line = mean / variance
    level = np.log(share) - 0.5 * np.log(variance) - 0.5 * mean**2 / variance
    roots = np.roots([each[1] - each[0] for each in (square, line, level)])
    real = roots[np.isreal(roots)].real
    if not len(real):
        return middle, (ALWAYS,)
    return float(real[np.abs(real - middle).argmin()]), ()


def _least_error(z: np.ndarray, y: np.ndarray, w: np.ndarray, middle: float) -> float:
    """The threshold with the least weight of wrong rows; of several the nearest to the middle."""
    order = np.argsort(z, kind="stable")
    z, wrong = z[order], np.where(y == 1, w, -w)[order]
    # Cut behind row i: rows of the second class up to it are wrong, those of the first no longer.
    errors = w[y == 0].sum() + np.concatenate([[0.0], np.cumsum(wrong)])
    room = max(float(z[-1] - z[0]), 1.0)
    places = np.concatenate([[z[0] - room], (z[:-1] + z[1:]) / 2, [z[-1] + room]])
    places = np.where((places >= np.append(z, np.inf)), np.nan, places)  # between equal rows
    errors[np.isnan(places)] = np.inf
    best = np.flatnonzero(errors <= errors.min() + 1e-12 * w.sum())
    return float(places[best[np.abs(places[best] - middle).argmin()]])
