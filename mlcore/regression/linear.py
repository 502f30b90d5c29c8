"""What the linear regressors share: the fit that predicts, and notes about the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.optimisation.rows import constant_columns
from mlcore.spine.capabilities_of_sums import Sum, weighted_columns
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given, Method
from mlcore.spine.wording import plural


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearFit(Fit):
    """A weighted sum of the columns."""

    coefficients: np.ndarray  # (p,), units of the target for one unit of the column
    intercept: float  # units of the target
    notes: tuple[str, ...] = ()  # sentences about what was decided while fitting

    def predict(self, X: Any) -> np.ndarray:
        """intercept + X coefficients, in units of the target, shape (m,)."""
        return self._rows(X) @ self.coefficients + self.intercept

    @property
    def as_sum(self) -> Sum:
        """A line a column."""
        return Sum(curve=weighted_columns(self.coefficients[:, None]))


def linear_fields(method: Method, given: Given, end: Step) -> dict[str, Any]:
    """The fields of `LinearFit`, from the last step of a linear regressor."""
    return {
        "made_by": method,
        "columns": given.columns,
        "n_iter": end.k + 1,
        "stop": end.stop,
        "coefficients": end.state.coefficients,
        "intercept": end.state.intercept,
        "notes": constant_note(given),
    }


def constant_note(given: Given) -> tuple[str, ...]:
    """A sentence that names the columns that cannot tell rows apart, if there are any."""
    names = [given.columns[j].name for j in constant_columns(given.X, given.weights)]
    if not names:
        return ()
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return (f"Constant {plural(len(names), 'column', 'columns')} {shown}: coefficient 0.",)
