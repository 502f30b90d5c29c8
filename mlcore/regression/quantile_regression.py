"""Quantile regression: a plane for each of several quantiles of the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import vanishing
from mlcore.optimisation.quantile_plane import Plane, pinball, planes
from mlcore.optimisation.rows import means
from mlcore.optimisation.smoothed_plane import smoothed_planes
from mlcore.regression.linear import LinearFit, linear_fields
from mlcore.regression.robust_rows import rows_of
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, many, real
from mlcore.spine.wording import count

MOST = 19  # quantiles at once: every twentieth
SOLVERS = {"interior_point": planes, "smoothed_newton": smoothed_planes}
CLOSE = 1e-8  # to the least loss, as a share of all of it, beyond which a plane was not found
NOTHING = 1e-10  # of the target's range over the rows: an effect that is smaller is rounding


class Programme(NamedTuple):
    """Rows whose tilted absolute errors add up to what is minimised, by coordinates of a plane."""

    X: np.ndarray  # (n', r) times the weights, with two rows for each penalised coefficient
    y: np.ndarray  # (n',) less their middle, times the weights
    back: np.ndarray  # (p + 1, r) to coefficients, and the height at the mean of the columns
    x_mean: np.ndarray  # (p,)
    y_mean: float
    smallest: np.ndarray  # (p,) sizes of coefficients that are only rounding; zeros unpenalised
    is_interpolated: bool  # there are as many directions as rows

    def split(self, w: np.ndarray) -> tuple[np.ndarray, float]:
        """Coefficients of the columns, shape (p,), and intercept of the plane w, shape (r,)."""
        v = self.back @ w
        slopes = np.where(np.abs(v[:-1]) <= self.smallest, 0.0, v[:-1])
        return slopes, float(self.y_mean + v[-1] - self.x_mean @ slopes)


@dataclass
class QuantileState:
    """Where the planes stand."""

    planes: np.ndarray  # (k, p)
    heights: np.ndarray  # (k,)
    coefficients: np.ndarray  # (p,) of the quantile nearest to the median
    intercept: float


@dataclass(frozen=True, eq=False, kw_only=True)
class QuantileFit(LinearFit):
    """A plane for each quantile; the one nearest to the median predicts."""

    made_by: QuantileRegression
    levels: np.ndarray  # (k,) ascending
    planes: np.ndarray  # (k, p), units of the target for one unit of the column
    heights: np.ndarray  # (k,) intercepts, units of the target

    def predict_quantiles(self, X: Any) -> np.ndarray:
        """Quantiles of the target, in its units, shape (m, k); in order, unless they may cross."""
        quantiles = self._rows(X) @ self.planes.T + self.heights
        return in_order(quantiles, self.made_by.middle) if self.made_by.no_crossing else quantiles


def in_order(quantiles: np.ndarray, middle: int) -> np.ndarray:
    """Quantiles, (m, k), of which one that crosses one nearer to the middle takes its value."""
    above = np.maximum.accumulate(quantiles[:, middle:], axis=1)
    below = np.minimum.accumulate(quantiles[:, middle::-1], axis=1)[:, ::-1]
    return np.hstack([below[:, :-1], above])


def _cost(n: int, p: int, method: QuantileRegression) -> tuple[float, float]:
    # A step of Newton's method takes half an iteration, and there are four times as many.
    rounds = (20.0 if method.solver == "interior_point" else 40.0) * len(method.quantiles)
    return 2e-3 + n * (p + 1) * rounds * (2e-8 + (p + 1) * 6e-10), 64.0 * n * (p + 2)


@enter(
    Card(
        "quantile_regression",
        "Quantile regression",
        ("regression",),
        paper="Koenker and Bassett (1978), Econometrica 46(1)",
        task="regression",
        peer="sklearn.linear_model.QuantileRegressor",
        sources=("cs1:loss_l1",),
        takes=("weights",),
        weigh="copies",
        scores=("quantile_scores", "regression_scores"),
        cost=_cost,
        units="its penalty",
        formula=r"\min_{w_q, b_q} \tfrac1n \sum_i \rho_q\bigl(y_i - x_i^\top w_q - b_q\bigr) + "
        r"\alpha \|w_q\|_1, \quad \rho_q(r) = q\,(r)_+ + (1 - q)\,(-r)_+",
        synonyms=(
            "QuantileRegressor", "QuantReg", "pinball loss", "check function", "median regression",
            "least absolute deviations", "LAD", "prediction interval", "conditional quantile",
            "heteroscedasticity",
        ),
        line="planes with a given share of rows below",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class QuantileRegression(IterativeMethod):
    r"""A plane for each quantile q of the target, below which a share q of the rows lies.

    Each minimises the pinball loss $\rho_q(r) = q\,(r)_+ + (1 - q)\,(-r)_+$ of its errors, with a
    penalty $\alpha$ on the absolute coefficients: a linear programme, solved exactly by the
    interior point method of Portnoy and Koenker (1997), or by Newton's method on ever narrower
    smoothings of the loss. A plane passes through as many rows as it has coefficients.

    Use it where the spread of the target changes with the columns, or where the ends of its
    distribution matter more than its mean: the outer planes are a prediction interval that assumes
    no normal noise. O(k n p^2) an iteration, some twenty of them. Planes of different slope cross
    somewhere; there the outer one takes the value of the inner one. Far quantiles rest on few rows.
    """

    peer_differs = (
        "Theirs finds one quantile, and where several planes lose as little it may take another."
    )

    quantiles: tuple = many(
        (0.1, 0.5, 0.9),
        symbol="q",
        doc="Shares of the target below each plane, between 0 and 1, ascending.",
    )
    alpha: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 1.0),
        symbol=r"\alpha",
        doc="Strength of the penalty on the absolute coefficients, in units of the columns; more "
        "sets more of them to exactly zero.",
    )
    solver: str = choice(
        "interior_point",
        "interior_point",
        "smoothed_newton",
        doc="Through the inside of the linear programme, or by Newton's method on a loss with a "
        "rounded corner, ever narrower; both end at the least loss.",
        advanced=True,
    )
    no_crossing: bool = flag(
        True,
        label="Quantiles in order",
        doc="Whether a quantile that would cross one nearer to the median takes its value.",
        advanced=True,
    )

    @property
    def middle(self) -> int:
        """The place of the quantile nearest to the median, which predicts; the lower of two."""
        return int(np.argmin(np.abs(np.array(self.quantiles) - 0.5)))

    def conflict(self) -> str | None:
        """Refuse what are no ascending shares."""
        q, who = self.quantiles, self.title()
        if not q or not all(0.0 < level < 1.0 for level in q):
            return f"{who} needs quantiles between 0 and 1; got {q or 'none'}."
        if len(q) > MOST:
            return f"{who} finds at most {MOST} quantiles at once; got {len(q)}."
        if any(a >= b for a, b in pairwise(q)):
            return f"{who} needs ascending quantiles, none of them twice; got {q}."
        return None

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer, which finds one quantile: that which predicts."""
        return {"quantile": self.quantiles[self.middle], "alpha": self.alpha}

    def _steps(self, given: Given) -> Iterator[Step]:
        """An iteration of every plane that is not found yet."""
        programme = _programme(given, self.alpha)
        if programme.is_interpolated:
            return iter([self._interpolated(given, programme)])
        return self._walked(given, programme)

    def _finished(self, given: Given, end: Step) -> QuantileFit:
        state: QuantileState = end.state
        fields = linear_fields(self, given, end)
        raw = given.X @ state.planes.T + state.heights
        fields["notes"] += _crossing_note(raw, given.w > 0, self.no_crossing)
        levels = np.array(self.quantiles)
        return QuantileFit(**fields, levels=levels, planes=state.planes, heights=state.heights)

    def _walked(self, given: Given, programme: Programme) -> Iterator[Step]:
        walked = SOLVERS[self.solver]
        walks = [walked(programme.X, programme.y, level) for level in self.quantiles]
        now: list[Plane | None] = [None] * len(walks)
        k = 0
        while True:
            for j, walk in enumerate(walks):
                now[j] = next(walk, now[j])
            reached = [plane for plane in now if plane is not None]
            gap = max(plane.gap for plane in reached)
            is_last = all(plane.is_last for plane in reached)
            stop = _stop(gap) if is_last else None
            done = sum(plane.is_last for plane in reached)
            note = (
                f"{done} of {count(len(walks), 'plane')} found; at most a share of {gap:.2g} off."
            )
            ways = [programme.split(plane.w) for plane in reached]
            yield self._step(given, k, ways, stop, note)
            if is_last:
                return
            k += 1

    def _interpolated(self, given: Given, programme: Programme) -> Step:
        w = np.linalg.lstsq(programme.X, programme.y, rcond=None)[0]
        why = "Every row is fitted exactly: there are no errors, and all quantiles are one plane."
        ways = [programme.split(w)] * len(self.quantiles)
        return self._step(given, 0, ways, Stop("collapsed", why), "The plane goes through all.")

    def _step(
        self,
        given: Given,
        k: int,
        ways: list[tuple[np.ndarray, float]],
        stop: Stop | None,
        note: str,
    ) -> Step:
        slopes, heights = np.array([w for w, _ in ways]), np.array([b for _, b in ways])
        left = given.target[:, None] - given.X @ slopes.T - heights
        losses = [pinball(left[:, j], level) for j, level in enumerate(self.quantiles)]
        loss = np.average(np.mean(losses, axis=0), weights=given.w)
        objective = float(loss + self.alpha * np.abs(slopes).sum(axis=1).mean())
        middle = slopes[self.middle], float(heights[self.middle])
        return Step(k, objective, QuantileState(slopes, heights, *middle), stop, note)


def _stop(gap: float) -> Stop:
    """Why the last step was the last, `gap` above the least loss as a share of all of it."""
    if gap <= CLOSE:
        why = f"Converged: no loss is more than {gap:.2g} of all of it above the least."
        return Stop("converged", why)
    return Stop("limit", f"Not converged: a loss may be {gap:.2g} of all of it above the least.")


def _crossing_note(raw: np.ndarray, used: np.ndarray, is_mended: bool) -> tuple[str, ...]:
    """At how many of the fitted rows planes cross, a sentence; none where they do not."""
    crossed = int((np.diff(raw[used], axis=1) < 0).any(axis=1).sum())
    if not crossed:
        return ()
    then = "there the outer quantile takes the value of the inner one" if is_mended else "as asked"
    return (f"Planes cross at {count(crossed, 'fitted row')}: {then}.",)


def _programme(given: Given, alpha: float) -> Programme:
    """The rows of positive weight, in coordinates in which a plane is found well."""
    if alpha == 0:
        table = rows_of(given, 0.0)
        X, y = table.weighted
        nothing = np.zeros(given.X.shape[1])
        return Programme(
            X, y, table.back, table.x_mean, table.y_mean, nothing, table.is_interpolated
        )
    keep = given.w > 0
    X, y, w = given.X[keep], given.target[keep], given.w[keep]
    x_mean, y_mean = means(X, w), float(means(y[:, None], w)[0])
    away = X - x_mean
    size = np.maximum(np.abs(away).max(axis=0), np.finfo(float).tiny)
    # Powers of two cost no rounding. |b| is the pinball loss of b and -b together, whatever q.
    size = np.ldexp(1.0, np.frexp(size)[1])
    charge = np.diag(alpha * w.sum() / size)
    charge = np.column_stack([charge, np.zeros(len(size))])
    rows = np.column_stack([away / size, np.ones(len(y))]) * w[:, None]
    back = np.diag(np.append(1.0 / size, 1.0))
    smallest = NOTHING * float(np.ptp(y)) / size
    y = np.concatenate([(y - y_mean) * w, np.zeros(2 * len(size))])
    return Programme(np.vstack([rows, charge, -charge]), y, back, x_mean, y_mean, smallest, False)
