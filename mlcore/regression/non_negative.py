"""Non-negative least squares: a weighted sum of the columns in which no weight is below zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.optimisation.rows import rows
from mlcore.regression.linear import LinearFit, constant_note
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given, Method
from mlcore.spine.params import flag


@dataclass(frozen=True, eq=False, kw_only=True)
class NonNegativeFit(LinearFit):
    """A fitted sum with coefficients of 0 and above."""

    made_by: NonNegativeRegression


def _cost(n: int, p: int, it: NonNegativeRegression) -> tuple[float, float]:
    return 3e-4 + (4.0 * n * p * p + 20.0 * p**4) / 1e10, 8.0 * (n + 4 * p) * (p + 1)


@enter(
    Card(
        "non_negative_regression",
        "Non-negative least squares",
        ("regression",),
        paper="Lawson and Hanson (1974), Solving Least Squares Problems, chapter 23",
        task="regression",
        peer="sklearn.linear_model.LinearRegression",
        sources=("cs2:stacking",),
        takes=("weights",),
        cost=_cost,
        formula=r"\min_{w \ge 0,\, b} \sum_i \omega_i (y_i - x_i^\top w - b)^2",
        synonyms=(
            "NNLS", "nonnegative least squares", "positive least squares", "convex combination",
            "simplex constraint", "mixing weights",
        ),
        line="a plane that falls along no column",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class NonNegativeRegression(Method):
    r"""The plane with the least sum of squares among those that fall along no column.

    Minimises $\sum_i \omega_i (y_i - x_i^\top w - b)^2$ over $w \ge 0$, and over $\sum_j w_j = 1$
    too if so wished. Columns that would need a negative coefficient get exactly 0.

    Use it where a negative share makes no sense: amounts in a mixture, or how much several models
    count when they are stacked. O(n p^2), then few steps of p^3. It fails where the target falls
    along a column, which then counts nothing, and its coefficients have no standard errors.
    """

    sum_to_one: bool = flag(
        False,
        label="Sum of one",
        doc="Whether the coefficients must sum to 1, so that the answer is a mean of the columns.",
    )
    intercept: bool = flag(True, doc="Whether a free intercept is fitted.")

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        missing = self.beyond_peer(sum_to_one=False)
        return missing or {"positive": True, "fit_intercept": self.intercept}

    def _fit(self, given: Given) -> NonNegativeFit:
        offset = "centering" if self.intercept else "none"
        design = rows(given.X, given.target, given.weights, offset)
        short = design.shortened()
        # What rounding leaves of a constant column is no direction.
        A = short[:, :-1] * (np.sqrt((short[:, :-1] ** 2).sum(axis=0)) > design.rounding)
        solve = _mean_of if self.sum_to_one else _sum_of
        w, b = design.split(solve(A, short[:, -1]))
        return NonNegativeFit(
            made_by=self,
            columns=given.columns,
            coefficients=w,
            intercept=b,
            notes=() if self.sum_to_one else constant_note(given),
        )


def _sum_of(A: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The w >= 0 with the shortest A w - y, shape (p,)."""
    size = _lengths(A)
    return _solved(A / size, y) / size


def _mean_of(A: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same among those w of sum 1.

    With them A w - y = C w, C = A - y 1'. Whatever the sum t of u >= 0, the shortest C u is t times
    that of sum 1; so the minimum of |C u|^2 + s^2 (1 - t)^2 lies on the way to it for every s, and
    dividing by its sum is exact. The longest column as s keeps t at one half or more.
    """
    C = A - y[:, None]
    s = float(_lengths(C).max())
    u = _solved(np.vstack([C / s, np.ones(A.shape[1])]), np.append(np.zeros(len(C)), 1.0))
    return u / u.sum()


def _lengths(A: np.ndarray) -> np.ndarray:
    """The length of each column, 1 for one of zeros, shape (p,)."""
    size = np.sqrt((A**2).sum(axis=0))
    return np.where(size > 0, size, 1.0)


def _solved(A: np.ndarray, y: np.ndarray) -> np.ndarray:
    from scipy.optimize import nnls  # a tenth of a second to import

    try:
        return np.asarray(nnls(A, y)[0])
    except RuntimeError:
        raise DataError(
            "Non-negative least squares did not end on these columns, which are nearly dependent. "
            "Leave some of them out."
        ) from None
