"""Gradient boosting of a quantity: small trees, each grown on the errors of those before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.ensembles.boosted_losses import BoostedLoss
from mlcore.ensembles.boosting import Boosting, BoostingFit, Task, cost_of
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import part

LOSSES = {"squared": "squared_error", "absolute": "absolute_error", "quantile": "quantile"}


@dataclass(frozen=True, eq=False, kw_only=True)
class GradientBoostingRegressionFit(BoostingFit):
    """A quantity as a sum of trees."""

    made_by: GradientBoostingRegression

    def predict(self, X: Any) -> np.ndarray:
        """The constant and what each tree adds, in units of the target, shape (m,)."""
        return self._scores(X)[0]

    def downhill(self, y: np.ndarray, at: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Minus the slope of the loss of targets y at predictions `at`, shape (n,).

        Of the squared loss that is what is left, y - at. Huber's border between small and large
        errors is that of these rows, with these weights, (n,).
        """
        return -self.made_by.loss.made(y, weights).at(y, at[None]).slope[0]


@enter(
    Card(
        "gradient_boosting_regression",
        "Gradient boosting",
        ("regression",),
        paper="Friedman (2001), Annals of Statistics 29(5)",
        task="regression",
        peer="sklearn.ensemble.HistGradientBoostingRegressor",
        sources=("cs2:gradient_boosting_named", "cs1:boosting_intro"),
        takes=("weights", "missing", "groups", "order"),
        weigh="copies",
        random=True,
        cost=cost_of,
        formula=r"F_t = F_{t-1} + \nu f_t, \qquad "
        r"f_t = \arg\min_f \sum_i L(y_i, F_{t-1}(x_i) + f(x_i))",
        synonyms=(
            "GBM", "GBDT", "gradient boosted trees", "XGBoost", "LightGBM", "CatBoost",
            "HistGradientBoostingRegressor", "GradientBoostingRegressor", "quantile regression",
        ),
        line="trees that fit what is left, one by one",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GradientBoostingRegression(Boosting):
    r"""Adds small trees, each grown on the slope of the loss where those before it stand.

    With the squared loss the slope is the error itself: every tree predicts what is still wrong,
    and the share $\nu$ of it is added. Leaves hold the mean of the errors, their median for the
    absolute loss, a quantile for the quantile loss. Cuts lie between bins; missing values go to
    the side that gains more.

    Among the most accurate methods on tables of many rows; needs no scaling and no imputation.
    Smaller steps need more rounds. O(p n) a level of a tree. With too many rounds it repeats the
    noise, so stop by held-out rows; it draws a slope as fine stairs and goes on level beyond the
    rows. Unlike one tree it may predict more than any row has: a step is added to what stands.
    """

    loss: BoostedLoss = part("squared", slot="boosted_loss", doc="What an error costs.")

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        settings = self.beyond_peer(loss=tuple(LOSSES)) or super().peer_settings()
        if isinstance(settings, str):
            return settings
        name = self.loss.card.name
        more = {"quantile": self.loss.leaf_level} if name == "quantile" else {}
        return settings | {"loss": LOSSES[name]} | more

    def _task(self, given: Given, learn: np.ndarray, w: np.ndarray) -> Task:
        # About the mean and of size 1, neither a large offset nor a tiny scale loses digits.
        offset = float(np.average(given.target[learn], weights=w))
        y = given.target - offset
        scale = float(np.abs(y[learn]).max()) or 1.0
        y = y / scale
        taught = y[learn]
        return Task(
            self.loss.made(taught, w),
            y,
            np.array([self.loss.start(taught, w)]),
            self.loss.leaf_level,
            offset,
            scale,
            scale**self.loss.power,
        )

    def _finished(self, given: Given, end: Step) -> GradientBoostingRegressionFit:
        return GradientBoostingRegressionFit(**self._shared(given, end))
