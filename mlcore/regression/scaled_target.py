"""A quantity learned in units of its own standard deviation, and predicted in its own units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.capabilities_of_members import HasImportances
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.inner import fit_inner, refuse_weights
from mlcore.spine.method import Given, Method
from mlcore.spine.outer import OuterFit, where_inner
from mlcore.spine.params import flag, part
from mlcore.spine.registry import made

LARGEST_EXPONENT = 300.0  # of e: what lies beyond has no finite square


@dataclass(frozen=True, eq=False, kw_only=True)
class ScaledTargetFit(OuterFit):
    """The model of the scaled target, and the way back."""

    made_by: ScaledTarget
    inner: Fit
    mean: float  # of the target, or of its logarithm, over the training rows
    spread: float  # its standard deviation, divisor n; 1 where the target is constant

    def predict(self, X: Any) -> np.ndarray:
        """The target in its own units, shape (m,)."""
        # A regressor is inside.
        # pyrefly: ignore[missing-attribute]
        t = self.mean + self.spread * self.inner.predict(self._rows(X))
        if not self.made_by.logarithm:
            return t
        return np.exp(np.minimum(t, LARGEST_EXPONENT))

    @property
    def counts_ratios(self) -> bool | None:
        """Whether the logarithm was learned, in which a ratio is a difference."""
        return self.made_by.logarithm or None

    @where_inner(HasImportances)
    @property
    def importances(self) -> np.ndarray:
        """The importances of the model inside, shape (p,), which have no unit."""
        # Asked where the model has them.
        return self.inner.importances  # pyrefly: ignore[missing-attribute]


def _cost(n: int, p: int, method: ScaledTarget) -> tuple[float, float]:
    own = method.regressor.card.cost
    seconds, size = own(n, p, method.regressor) if own else (1e-3, 8.0 * n * p)
    return seconds + 1e-4, size + 16.0 * n


@enter(
    Card(
        "scaled_target",
        "Target transformation",
        ("regression",),
        task="regression",
        peer="sklearn.compose.TransformedTargetRegressor",
        sources=("cs1:scale_pipeline",),
        takes=("weights", "columns"),
        random=True,
        cost=_cost,
        formula=r"\hat y = \bar y + \sigma_y f(x), \quad f \text{ from } "
        r"\bigl(x_i, (y_i - \bar y) / \sigma_y\bigr)",
        also=("target_scaler",),
        synonyms=("TransformedTargetRegressor", "log transform of the target", "target scaling"),
        line="learns the target standardised",
    )
)
@dataclass(frozen=True, kw_only=True)
class ScaledTarget(Method):
    r"""Lets a model learn the target standardised, and turns its predictions back.

    The model learns $z = (t - \bar t) / \sigma_t$ with t = y, or t = ln y, and predicts
    $\bar t + \sigma_t z$, or e to that power. Mean and standard deviation (divisor n) are those of
    the training rows, so a fold learns nothing from the rows it leaves out, and every score is
    in the units of the target.

    For whatever depends on the size of the target: penalties and tolerances that are meant in
    spreads, gradients that explode. Least squares do not depend on it, so nothing is gained there.
    With the logarithm errors count as ratios, which suits prices and counts that span decades; the
    prediction is then nearer to the median of a row than to its mean. What the model itself says of
    its coefficients is in scaled units, so its pictures are not shown; shares, such as importances,
    are. O(n) beside the model.
    """

    regressor: Any = part(
        "ridge", slot="regression", label="Model", doc="What learns the scaled target."
    )
    logarithm: bool = flag(
        False, doc="Take the natural logarithm of the target first; it must be positive."
    )

    @property
    def peer_differs(self) -> str:  # pyrefly: ignore[bad-override]  # else a text of the class
        """As that of the model inside."""
        return self.regressor.peer_differs

    def conflict(self) -> str | None:
        """Refuse a model inside that predicts several outputs."""
        if "outputs" in self.regressor.card.takes:
            return (
                f"{self.title()} scales one number a row; {self.regressor.title().lower()} "
                "predicts several. Put the scaled target inside it instead."
            )
        return None

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer, whose scaler is a step of the preparation here."""
        return self.beyond_peer(logarithm=False) or {
            "regressor": self.regressor,
            "transformer": made("preparation", "standardise"),
        }

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse the logarithm of targets that are not positive, and whatever the model refuses."""
        if self.logarithm and y is not None and y.min() <= 0:
            return (
                f"{self.title()} takes the logarithm of the target, which must be positive; the "
                f"least value is {y.min():g}. Turn the logarithm off, or choose another target."
            )
        return self.regressor.applies(X, y)

    def fit_class(self) -> type[ScaledTargetFit]:
        """A fit with the capabilities of the model that have no unit."""
        return ScaledTargetFit.around(self.regressor)

    def _fit(self, given: Given) -> ScaledTargetFit:
        refuse_weights(self.regressor, given, self.title())
        t = np.log(given.target) if self.logarithm else given.target
        mean = float(np.average(t, weights=given.weights))
        spread = float(np.sqrt(np.average((t - mean) ** 2, weights=given.weights))) or 1.0
        return self.fit_class()(
            made_by=self,
            columns=given.columns,
            inner=fit_inner(self.regressor, given, (t - mean) / spread),
            mean=mean,
            spread=spread,
        )
