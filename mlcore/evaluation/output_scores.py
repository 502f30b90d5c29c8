"""Several outputs judged together: each in units of its own standard deviation."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from mlcore.evaluation.metrics import numbers
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring, finite
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

OF_OUTPUTS = (
    Metric(
        "relative_rmse", "RMSE in standard deviations", "lower",
        "Root mean squared error of each output over its standard deviation in the training rows; "
        "mean over the outputs.",
        0,
    ),
    Metric(
        "relative_mae", "MAE in standard deviations", "lower",
        "Mean absolute error, likewise; mean over the outputs.", 0,
    ),
    Metric(
        "r2", "R²", "higher",
        "Mean over the outputs: 1 is perfect, 0 as good as the means of these rows.", most=1,
    ),
    Metric("least_r2", "Least R²", "higher", "That of the output predicted worst.", most=1),
)  # fmt: skip


@enter(Card("output_scores", "Scores of several outputs", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class OutputScores(Scoring):
    """How far the predictions of several quantities are from the truth."""

    baseline_name = "means"

    def metrics(self) -> tuple[Metric, ...]:
        """The root mean squared error in units of the standard deviation first."""
        return OF_OUTPUTS

    def scored(self, case: Case) -> Scored:
        """Means over the outputs, the truth being (m, q) or (m,); NaN where one is undefined.

        The fit tells the `spreads` of its outputs, shape (q,). Raises DataError without targets.
        """
        fit, y = case.fit, case.test.y
        if y is None:
            raise DataError(f"{self.title()} need targets to compare with; choose target columns.")
        predicted = finite(fit.predict(case.test.X, **case.options))
        pairs = list(zip(_columns(y), _columns(predicted), strict=True))
        of_each = [numbers.r2(*pair) for pair in pairs]
        scores = {
            "relative_rmse": _relative([numbers.rmse(*pair) for pair in pairs], fit.spreads),
            "relative_mae": _relative([numbers.mae(*pair) for pair in pairs], fit.spreads),
            "r2": float(np.mean(of_each)),
            "least_r2": float(np.min(of_each)),
        }
        return Scored(self._complete(scores), predicted)

    def baseline_of(self, method: Component) -> Component:
        """The mean of each output in the training rows, whatever the columns say."""
        return lookup("regression", "multi_output_regressor")(regressor="constant_regression")


def _columns(values: np.ndarray) -> np.ndarray:
    """One row an output, shape (q, m)."""
    return values.reshape(len(values), -1).T


def _relative(errors: list[float], spreads: np.ndarray) -> float:
    """Mean of errors over spreads; NaN where an output has none."""
    return float(np.mean(errors / spreads)) if (spreads > 0).all() else nan
