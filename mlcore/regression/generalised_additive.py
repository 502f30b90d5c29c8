"""Generalised additive regression: a smooth curve for each column, and their sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.additive.curves import Curves
from mlcore.additive.settings import AdditiveMethod
from mlcore.additive.working import Problem, walked
from mlcore.maths.arrays import vanishing
from mlcore.regression.linear import constant_note
from mlcore.regression.linked import LinkedFit, LinkedMethod
from mlcore.spine.capabilities_of_sums import Sum
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given


@dataclass(frozen=True, eq=False, kw_only=True)
class GeneralisedAdditiveFit(LinkedFit, Curves):
    """Curves and surfaces that add up to the linked mean."""

    made_by: GeneralisedAdditive
    notes: tuple[str, ...] = ()

    def predict(self, X: Any) -> np.ndarray:
        """The mean at each row, in units of the target, shape (m,)."""
        return self.made_by.loss().mean(self._linked(X))

    def _linked(self, X: Any) -> np.ndarray:
        X = self._rows(X)
        return self.added(X) + self.offset(X)

    @property
    def as_sum(self) -> Sum | None:
        """The linked mean: its curves; None with surfaces, which are of no single column."""
        return None if len(self.pairs) else self._sum_of(self.curve)


def _cost(n: int, p: int, method: GeneralisedAdditive) -> tuple[float, float]:
    q = method.weights_of(p)
    rounds = 15.0 if method.smoothing == "reml" else 40.0 * p
    return 3e-3 + 6.0 * n * q**2 / 2e10 + rounds * q**3 / 2e9, 24.0 * n * q + 40.0 * q**2


@enter(
    Card(
        "generalised_additive",
        "Generalised additive regression",
        ("regression",),
        paper="Hastie and Tibshirani (1986), Statistical Science 1(3); Wood (2017), Generalized "
        "Additive Models, 2nd edition",
        task="regression",
        takes=("weights",),
        weigh="precisions",
        scores=("regression_scores", "deviance_scores"),
        cost=_cost,
        formula=r"\min_f \; \sum_i \omega_i \, d(y_i, \mu_i) + \sum_j \lambda_j "
        r"\|\Delta^2 \beta_j\|^2, \qquad g(\mu_i) = b + \sum_j f_j(x_{ij})",
        synonyms=(
            "GAM", "generalized additive model", "P-splines", "smoothing spline", "B-splines",
            "pyGAM", "GLMGam", "partial effects", "offset", "exposure",
        ),
        line="one smooth curve a column",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GeneralisedAdditive(AdditiveMethod, LinkedMethod):
    r"""A sum of smooth curves, one a column, for the mean of the target or its logarithm.

    Every curve is a sum of B-splines (Eilers and Marx 1996); squared second differences of their
    weights are charged, so that strong smoothing leaves a straight line. How strong each is, the
    restricted likelihood or generalised cross-validation chooses. Columns of few values, such as
    those of one-hot encoding, stay lines, or have steps (Gertheiss and Tutz 2009).

    Use it where each column bends the answer in its own way and the curves themselves are to be
    read; of shares it is an additive logistic regression. O(n q^2 + q^3) for q = p K weights. It
    sees no interplay of columns but of those that are named for surfaces, products of two bases.
    Columns that follow from each other share their curve by chance.
    """

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse targets outside the family, too many weights, vanishing differences."""
        return self._too_many(X.shape[1]) or self._unfit(y) or vanishing(X, self.title())

    def _fit(self, given: Given) -> GeneralisedAdditiveFit:
        exposure, (_, offset) = self.exposure_at(given.columns), self._exposed(given)
        design = self._design(given, exposure)
        problem = Problem(
            design.Z, given.target, given.w, self.loss(), self.family.known, design.charged,
            who=self.title(),
        )  # fmt: skip
        start = self._start(given, offset) + offset
        end = walked(problem, start, offset, self._strengths, self.max_iter)
        return GeneralisedAdditiveFit(
            **self._judged(given, self.loss().mean(end.predictor), start),
            **design.fields(end),
            dispersion=end.dispersion,
            notes=(*constant_note(given), *end.notes),
        )
