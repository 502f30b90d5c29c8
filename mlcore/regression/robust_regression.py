"""Robust regression: a plane that a few wild rows cannot pull away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from mlcore.maths.arrays import vanishing, weighted_median
from mlcore.optimisation.quantile_plane import pinball, planes
from mlcore.regression.linear import LinearFit, linear_fields
from mlcore.regression.robust_losses import HuberErrors, RobustLoss, ScaledLoss
from mlcore.regression.robust_rows import EXACT, Rows, rows_of
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part, real

MEDIAN_OF_NORMAL = float(ndtri(0.75))  # median size of a normal error of standard deviation 1
CELLS = 200_000  # up to which the start by absolute errors costs no more than what follows
NEAR = 1e-3  # change, in scales, from which on Tukey's loss may follow Huber's


@dataclass
class RobustState:
    """Where the iteration stands."""

    coefficients: np.ndarray  # (p,)
    intercept: float
    scale: float  # of the errors, in units of the target; NaN for losses without one


@dataclass(frozen=True, eq=False, kw_only=True)
class RobustFit(LinearFit):
    """A fitted robust regression."""

    made_by: RobustRegression


@dataclass(frozen=True, eq=False, kw_only=True)
class ReweightedFit(RobustFit):
    """A fit that says how much it trusts each row."""

    scale: float  # of the errors, in units of the target; 0 if most rows are fitted exactly
    scaled_errors: np.ndarray  # (n,) target minus prediction, in scales; NaN where that is 0
    trust: np.ndarray  # (n,) in [0, 1], how much each fitted row counts beside its given weight


def _cost(n: int, p: int, method: RobustRegression) -> tuple[float, float]:
    rounds = 25.0 if method.loss.level is None else 20.0
    return 2e-3 + n * (p + 1) * (1e-8 * rounds + (p + 1) * 6e-10 * rounds), 40.0 * n * (p + 2)


@enter(
    Card(
        "robust_regression",
        "Robust regression",
        ("regression",),
        paper="Huber (1973), Annals of Statistics 1(5)",
        task="regression",
        peer="sklearn.linear_model.HuberRegressor",
        sources=("prac:linear_tail_loss", "cs1:loss_l1"),
        takes=("weights",),
        weigh="copies",
        cost=_cost,
        formula=r"\min_{w, b} \sum_i \omega_i \, \rho\bigl((y_i - x_i^\top w - b) / s\bigr)",
        synonyms=(
            "M-estimator", "Huber regression", "HuberRegressor", "RLM", "IRLS",
            "least absolute deviations", "LAD", "median regression", "quantile regression",
            "QuantileRegressor", "outliers",
        ),
        line="rows far off lose their pull",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class RobustRegression(IterativeMethod):
    r"""The plane of least loss, for losses that grow slowly: rows far off it count less.

    Minimises $\sum_i \omega_i \rho(r_i / s)$ for errors $r_i = y_i - x_i^\top w - b$ and their
    scale s. Huber's and Tukey's loss are solved by least squares with ever new weights
    $\rho'(u) / u$; absolute errors and quantiles, which have no scale, by an interior point method.

    Use it where some targets are wild; the weights say which rows were mistrusted. O(n p^2) a
    reweighting, some ten of them. It guards against wild targets, not against rows that are remote
    in the columns, which still pull the plane to themselves (only Tukey's loss may drop them); with
    as many columns as rows there is no error to judge by.
    """

    loss: RobustLoss = part("huber", slot="robust_loss", doc="What an error costs.")
    scale: str = choice(
        "mad",
        "mad",
        "joint",
        "given",
        doc="Scale of the errors: their median size over 0.6745, found with the plane as another "
        "unknown of Huber's loss, or given. Unused by absolute errors and quantiles.",
    )
    given_scale: float = real(
        1.0,
        above=0.0,
        soft=(1e-2, 1e2),
        log=True,
        symbol="s",
        doc="Scale in units of the target.",
        advanced=True,
        only_if={"scale": "given"},
    )
    alpha: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 1e3),
        symbol=r"\alpha",
        doc="Strength of a penalty on the squared coefficients, as in ridge regression, which this "
        "is for errors that are all small.",
        advanced=True,
    )
    start: str = choice(
        "auto",
        "auto",
        "absolute",
        "least_squares",
        doc="Plane to begin with: that of least absolute errors, which wild rows do not move, or "
        "of least squares; auto takes the first with the scale mad for up to 200 000 cells.",
        advanced=True,
    )
    max_iter: int = integer(
        100,
        low=1,
        soft=(10, 1000),
        label="Most reweightings",
        doc="Stop after this many reweightings.",
        advanced=True,
    )
    tol: float = real(
        1e-8,
        above=0.0,
        soft=(1e-12, 1e-2),
        log=True,
        label="Tolerance",
        doc="Stop when fitted values change by less than this share of the scale, as a root mean "
        "square.",
        advanced=True,
    )

    @property  # the sentence of all others is the same for every setting
    def peer_differs(self) -> str:  # pyrefly: ignore[bad-override]  # else a text of the class
        """That the scale is another, or where both stop."""
        if self.scale == "joint":
            return "Theirs stops at a slope of 1e-5, which leaves some digits open."
        return "Theirs finds the scale with the plane, as ours does with scale set to joint."

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(loss="huber", scale=("mad", "joint"), alpha=0.0):
            return missing
        threshold = self._huber().threshold
        if threshold < 1.0:
            return f"{self.title()} with a threshold below 1 is not written for scikit-learn."
        return {"epsilon": threshold, "alpha": 0.0, "max_iter": 10_000}

    def conflict(self) -> str | None:
        """Refuse a scale or a penalty that the loss does not know."""
        who = self.title()
        if self.loss.level is not None and self.alpha > 0:
            return f"{who} with {self.loss.title().lower()} has no penalty; set alpha to 0."
        if self.scale != "joint" or self.loss.level is not None:
            return None
        if not isinstance(self.loss, HuberErrors) or self.loss.threshold <= 1.0:
            return f"{who} finds a joint scale for Huber's loss with a threshold above 1; else mad."
        return f"{who} with a joint scale has no penalty; set alpha to 0." if self.alpha else None

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def fit_class(self) -> type[Fit]:
        """With the trust in each row where the loss has weights."""
        return RobustFit if self.loss.level is not None else ReweightedFit

    def _steps(self, given: Given) -> Iterator[Step]:
        table = rows_of(given, self.alpha)
        if self.loss.level is not None:
            return self._by_planes(table, self.loss.level)
        return self._by_weights(table)

    def _finished(self, given: Given, end: Step) -> RobustFit:
        fields = linear_fields(self, given, end)
        if not isinstance(self.loss, ScaledLoss):
            return RobustFit(**fields)
        left = given.target - given.X @ end.state.coefficients - end.state.intercept
        if end.state.scale == 0:  # the rows that are fitted exactly are those that are trusted
            trust = (np.abs(left) <= EXACT * np.abs(given.target).max()).astype(np.float64)
            return ReweightedFit(
                **fields, scale=0.0, scaled_errors=np.full(given.n, np.nan), trust=trust
            )
        u = left / end.state.scale
        trust = self.loss.weights(u)
        return ReweightedFit(**fields, scale=end.state.scale, scaled_errors=u, trust=trust)

    def _huber(self) -> HuberErrors:
        return self.loss if isinstance(self.loss, HuberErrors) else HuberErrors()

    # Absolute errors and quantiles.

    def _by_planes(self, table: Rows, level: float) -> Iterator[Step]:
        if table.is_interpolated:
            yield self._interpolated(table, table.shortest())
            return
        for k, plane in enumerate(planes(*table.weighted, level)):
            why = f"Converged: the loss is at most {plane.gap:.2g} of all of it above the least."
            stop = Stop("converged", why) if plane.is_last else None
            loss = float(table.w @ pinball(table.left(plane.w), level))
            note = f"The loss is {loss:.5g}; the least is at most a share of {plane.gap:.2g} off."
            yield _step(table, k, loss, plane.w, float("nan"), stop, note)

    def _interpolated(self, table: Rows, w: np.ndarray) -> Step:
        why = "Every row is fitted exactly: there are no errors to judge rows by."
        scale = float("nan") if self.loss.level is not None else 0.0
        return _step(table, 0, 0.0, w, scale, Stop("collapsed", why), "The plane goes through all.")

    # Losses with weights.

    def _by_weights(self, table: Rows) -> Iterator[Step]:
        w = self._start(table)
        assert isinstance(self.loss, ScaledLoss)
        loss = self.loss if self.loss.is_convex else self._huber()
        left, k = table.left(w), 0
        scale = self._scale(left, table)
        while not scale <= table.exact:
            by, used = table.reweighted(w, left, scale, loss), scale
            change = float(np.linalg.norm(by)) / table.w.sum() ** 0.5 / scale
            w = w + by
            left = table.left(w)
            scale = self._scale(left, table)
            stop, note = self._judged(k, change), f"Scale {scale:.4g}; moved by {change:.2g}."
            if loss is not self.loss:
                note = f"Huber's loss, to begin with. {note}"
                stop, loss = None, self.loss if change <= NEAR else loss
            if scale <= table.exact:
                break
            yield _step(table, k, self._objective(table, w, left, used), w, scale, stop, note)
            if stop:
                return
            k += 1
        why = (
            "More than half of the rows are fitted exactly, so nothing says how large an error is: "
            "the plane stays where it is."
        )
        yield _step(table, k, 0.0, w, 0.0, Stop("collapsed", why), "The scale is zero.")

    def _judged(self, k: int, change: float) -> Stop | None:
        what = "the change of the fitted values, in scales,"
        return verdict(k, change, tol=self.tol, max_iter=self.max_iter, what=what)

    def _start(self, table: Rows) -> np.ndarray:
        by_size = self.start == "absolute"
        if self.start == "auto":  # a scale that moves with the errors may hold on to a bad start
            by_size = self.scale == "mad" and table.Q.size <= CELLS
        if not by_size or table.is_interpolated:
            return table.shortest()
        *_, end = planes(*table.weighted, 0.5)
        return end.w

    def _scale(self, left: np.ndarray, table: Rows) -> float:
        if self.scale == "given":
            return self.given_scale
        if self.scale == "joint":
            return _joint_scale(np.abs(left), table.w, self._huber().threshold)
        size = np.abs(left)
        middle = np.median(size) if table.is_plain else weighted_median(size[:, None], table.w)[0]
        return float(middle) / MEDIAN_OF_NORMAL

    def _objective(self, table: Rows, w: np.ndarray, left: np.ndarray, scale: float) -> float:
        """The loss in squared units of the target, as least squares and ridge count it."""
        assert isinstance(self.loss, ScaledLoss)
        loss = float(table.w @ self.loss.value(left / scale))
        if self.scale == "joint":
            return scale * (2.0 * loss + float(table.w.sum()))
        return 2.0 * scale**2 * loss + float(w @ table.penalty @ w)


def _step(
    table: Rows, k: int, objective: float, w: np.ndarray, scale: float, stop: Stop | None, note: str
) -> Step:
    """The step at the plane w, shape (r,), in units of the columns."""
    return Step(k, objective, RobustState(*table.split(w), scale), stop, note)


def _joint_scale(size: np.ndarray, w: np.ndarray, threshold: float) -> float:
    """The s that minimises sum_i w_i (s + 2 s rho(r_i / s)) for Huber's loss, sizes r, shape (n,).

    There the mean of min(r / s, c)^2 is 1. It is concave in 1 / s^2, so Newton's steps from the
    root mean square, which is too large, come down to it and never pass it.
    """
    squares, total = w * size**2, float(w.sum())
    s, before = float(np.sqrt(squares.sum() / total)), np.inf
    while s < before:
        is_small = size <= threshold * s
        spare = total - threshold**2 * (total - float(w @ is_small))  # what the small ones sum to
        before, s = s, float(np.sqrt(squares @ is_small / spare)) if spare > 0 else 0.0
    return s
