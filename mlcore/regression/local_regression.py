"""Local regression: a mean, a line or a parabola fitted anew around each place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from mlcore.maths.arrays import vanishing, weighted_median
from mlcore.maths.normal import central_interval
from mlcore.regression.windows import PAIRS, RIDGE, WINDOWS, OwnValues, Smoother
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, integer, real
from mlcore.spine.wording import count, rough

TRIED = 25  # bandwidths
NARROWEST, WIDEST = 0.02, 5.0  # in root mean squared distances of the rows from their mean
OWN = 1e-8  # what must be left of a row's own share for its residual to be told without it
NO_SPARE = (
    "The curve runs through its rows and leaves no degrees of freedom: it says nothing about its "
    "own error, and its intervals have no width. Widen the window, or take fewer columns."
)
MEDIANS = 6.0  # absolute residuals from which on robust passes leave a row out


@dataclass
class LocalState:
    """Where the robust passes stand."""

    smoother: Smoother
    target: np.ndarray  # (n,)
    smoothed: OwnValues
    tried: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalFit(Fit):
    """The training rows, and how those around a query are weighted."""

    made_by: LocalRegression
    rows: np.ndarray  # (n, p) of positive weight
    target: np.ndarray  # (n,)
    row_weights: np.ndarray  # (n,)
    row_trust: np.ndarray  # (n,) in [0, 1], by the robust passes; ones without such
    bandwidth: float  # given or chosen, in units of the columns; with a span that of no row
    df: float  # effective number of parameters: the trace of the smoother matrix
    noise: float  # standard deviation of the target about the curve, in its units
    notes: tuple[str, ...] = ()

    @property
    def smoother(self) -> Smoother:
        """The weights that predict."""
        start = self.made_by.smoother(self.rows, self.row_weights, self.bandwidth)
        return replace(start, trust=self.row_trust)

    def predict(self, X: Any) -> np.ndarray:
        """The local polynomial at its own centre, in units of the target, shape (m,)."""
        return self.smoother.values(self._rows(X), self.target).fitted

    def predictive_deviation(self, X: Any) -> np.ndarray:
        """Standard deviation of what will be observed, in units of the target, shape (m,).

        With even noise, and without what the polynomial misses of the curve.
        """
        spread = self.smoother.values(self._rows(X), self.target).squares
        return self.noise * np.sqrt(1.0 + spread)

    def predictive_interval(self, X: Any, level: float) -> np.ndarray:
        """Ends of the central interval of what will be observed, shape (m, 2).

        `level` is its probability, between 0 and 1.
        """
        return central_interval(self.predict(X), self.predictive_deviation(X), level)

    def window_weights(self, at: Any, X: Any) -> np.ndarray:
        """How much rows X, (m, p), would count around one row `at`, (1, p), the most 1: (m,)."""
        return self.smoother.weights(self._rows(at)[0], self._rows(X))

    def local_model(self, at: Any, X: Any) -> np.ndarray:
        """The polynomial that is fitted around one row `at`, (1, p), at rows X: shape (m,)."""
        return self.smoother.polynomial(self._rows(at)[0], self._rows(X), self.target)


@dataclass(frozen=True, eq=False, kw_only=True)
class ChosenLocalFit(LocalFit):
    """One whose bandwidth was chosen by rows left out."""

    tried: np.ndarray  # (A,) bandwidths, ascending
    tried_errors: np.ndarray  # (A,) mean squared error of rows left out under each
    tried_df: np.ndarray  # (A,) effective number of parameters under each
    tried_name: ClassVar[str] = "bandwidth"

    @property
    def chosen(self) -> float:
        """The bandwidth that was chosen."""
        return self.bandwidth


def _cost(n: int, p: int, method: LocalRegression) -> tuple[float, float]:
    terms = 1 + p * (method.degree > 0) + p * (p + 1) // 2 * (method.degree > 1)
    rounds = (TRIED if method.width == "loo" else 1) + method.robust_iter
    if p == 1:  # a compiled loop over the rows of each window
        within = n * method.span if method.width == "span" else n
        return 2e-3 + rounds * n * within * 8e-9, 200.0 * n
    neighbours = 0 if method.window == "gaussian" else PAIRS
    if method.degree == 1:  # matrix products of all rows with many queries at once
        return 2e-3 + rounds * n**2 * (3e-8 + 5e-11 * terms**2), 8.0 * (n * p + 2**23 + neighbours)
    return 2e-3 + rounds * n**2 * (2e-8 + 1e-9 * terms**2), 8.0 * (n * p + 2**21 + neighbours)


@enter(
    Card(
        "local_regression",
        "Local regression",
        ("regression",),
        paper="Cleveland (1979), Journal of the American Statistical Association 74",
        task="regression",
        sources=("s841:grnn", "s841:kernel_smoother_locality"),
        takes=("weights",),
        weigh="copies",
        scores=("regression_scores", "predictive_scores"),
        cost=_cost,
        units="distances",
        formula=r"\hat y(x) = \hat\beta_0, \quad \hat\beta = \arg\min_\beta \sum_i "
        r"k\bigl(\tfrac{\|x_i - x\|}{h}\bigr) \bigl(y_i - \beta_0 - \beta^\top (x_i - x)\bigr)^2",
        synonyms=(
            "LOWESS", "LOESS", "locally weighted regression", "Nadaraya-Watson", "GRNN",
            "kernel smoother", "local linear regression", "scatterplot smoothing",
        ),
        line="a line fitted around every place",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class LocalRegression(IterativeMethod):
    r"""Fits a low polynomial anew around each place, in which near rows count most.

    $\hat y(x)$ is the value at x of the polynomial that minimises the squared errors weighted by a
    window $k(\|x_i - x\| / h)$. Degree 0 is the weighted mean of Nadaraya and Watson; tricube
    windows on a share of the rows with robust passes are LOESS. Where the rows of a window leave a
    slope open, as rows at one place or along a line do, it is the smallest: 0 across them. A window
    with an end that holds too few rows for the degree is widened to hold them. Where the rows that
    a window amounts to, $(\sum_i k_i)^2 / \sum_i k_i^2$, are fewer than degree + 1, the degree may
    fall back; rows left out are told in closed form with the degrees that all rows give.

    Use it to draw a curve through rows of one to three columns without a formula for it. O(n^2) for
    n predictions, or as many as the windows hold where these end; nothing is interpolated. In many
    columns no rows are near, and a Gaussian window needs all rows at each prediction; a mean is
    drawn inwards at the ends of the rows, where a line is not.
    """

    followed: ClassVar[str] = "mean squared residual"

    degree: int = integer(
        1, low=0, high=2, soft=(0, 2), symbol="d", doc="0 fits a mean, 1 a line, 2 a parabola."
    )
    window: str = choice("gaussian", *WINDOWS, doc="How the weight falls with the distance.")
    width: str = choice(
        "loo",
        "loo",
        "fixed",
        "span",
        label="Width of the window",
        doc="The bandwidth of the least squared error of rows left out one by one, a given one, or "
        "as far as a share of the rows reaches.",
    )
    bandwidth: float = real(
        1.0,
        low=1e-6,
        high=1e6,
        soft=(0.01, 10.0),
        log=True,
        symbol="h",
        doc="Half the width of the window, for a Gaussian its standard deviation, in units of the "
        "prepared columns.",
        only_if={"width": "fixed"},
    )
    span: float = real(
        0.5,
        above=0.0,
        high=1.0,
        soft=(0.05, 1.0),
        doc="Share of the rows that each window reaches.",
        only_if={"width": "span"},
    )
    ridge: float = real(
        RIDGE,
        low=RIDGE,
        high=1.0,
        soft=(RIDGE, 0.1),
        log=True,
        label="Price of slopes",
        doc="What slopes cost, of the weight of the window: the least decides only where rows "
        "leave a slope open, more draws the polynomial towards the mean of the window.",
        advanced=True,
        only_if={"degree": other_than(0)},
    )
    fallback: bool = flag(
        False,
        label="Lower degree where few rows are near",
        doc="Fit a line instead of a parabola, a mean instead of a line, where the rows of the "
        "window amount to fewer than the polynomial has terms along one column.",
        advanced=True,
        only_if={"degree": other_than(0)},
    )
    robust_iter: int = integer(
        0,
        low=0,
        high=10,
        soft=(0, 5),
        label="Robust passes",
        doc="How often the curve is fitted again with rows far from it counting less.",
        advanced=True,
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def fit_class(self) -> type[LocalFit]:
        """With what was tried, where the bandwidth is chosen."""
        return ChosenLocalFit if self.width == "loo" else LocalFit

    def smoother(self, X: np.ndarray, w: np.ndarray, bandwidth: float) -> Smoother:
        """The smoother of rows X, shape (n, p), with positive weights, (n,)."""
        span = self.span if self.width == "span" else None
        trust = np.ones(len(X))
        return Smoother(
            X, w, trust, self.degree, self.window, bandwidth, span, self.ridge, self.fallback
        )

    def _steps(self, given: Given) -> Iterator[Step]:
        used = given.w > 0
        return self._passes(given.X[used], given.target[used], given.w[used])

    def _passes(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Iterator[Step]:
        """The curve, and again with the weights of the errors that it leaves."""
        smoother, tried = self.smoother(X, w, self.bandwidth), ()
        if self.width == "loo":
            smoother, tried = _chosen(smoother, y)
        for k in range(self.robust_iter + 1):
            smoothed = smoother.at_own(y)
            left = y - smoothed.fitted
            stop = Stop("converged", _verdict(smoother, k)) if k == self.robust_iter else None
            note = f"{rough(float(smoothed.own.sum()))} effective parameters."
            error = float(np.average(left**2, weights=w))
            yield Step(k, error, LocalState(smoother, y, smoothed, tried), stop, note)
            smoother = replace(smoother, trust=_trust(left, w))

    def _finished(self, given: Given, end: Step) -> LocalFit:
        state: LocalState = end.state
        smoother, smoothed = state.smoother, state.smoothed
        fields: dict[str, Any] = {
            "made_by": self,
            "columns": given.columns,
            "n_iter": end.k + 1,
            "stop": end.stop,
            "rows": smoother.X,
            "target": state.target,
            "row_weights": smoother.w,
            "row_trust": smoother.trust,
            "bandwidth": smoother.bandwidth,
            "df": float(smoothed.own.sum()),
            "noise": _noise(state),
            "notes": () if _spare(state) else (NO_SPARE,),
        }
        if not state.tried:
            return LocalFit(**fields)
        h, errors, df = state.tried
        return ChosenLocalFit(**fields, tried=h, tried_errors=errors, tried_df=df)


def _verdict(smoother: Smoother, passes: int) -> str:
    text = f"A window of width {rough(smoother.bandwidth)}"
    if smoother.span is not None:
        text = f"Windows that reach a share of {smoother.span:g} of the rows"
    return f"{text}, {count(passes, 'robust pass', 'robust passes')}."


def _chosen(start: Smoother, y: np.ndarray) -> tuple[Smoother, tuple[np.ndarray, ...]]:
    """The bandwidth of the least error of rows left out, and all that were tried.

    From the widest on: where each row is alone in its window it is so in all narrower ones.
    """
    mean = np.average(start.X, axis=0, weights=start.w)
    size = float(np.sqrt(np.average(((start.X - mean) ** 2).sum(axis=1), weights=start.w))) or 1.0
    widths = size * np.geomspace(NARROWEST, WIDEST, TRIED)
    # A row that its window holds alone says nothing of others: its error is that of the mean.
    alone = y - np.average(y, weights=start.w)
    errors = np.full(TRIED, np.average(alone**2, weights=start.w))
    df = np.full(TRIED, float(len(y)))
    for j in reversed(range(TRIED)):
        smoothed = replace(start, bandwidth=float(widths[j])).at_own(y)
        spare = 1.0 - smoothed.own
        tells = spare > OWN
        if not tells.any():
            break
        others = np.where(tells, (y - smoothed.fitted) / np.where(tells, spare, 1.0), alone)
        errors[j], df[j] = np.average(others**2, weights=start.w), smoothed.own.sum()
    best = float(widths[int(errors.argmin())])
    return replace(start, bandwidth=best), (widths, errors, df)


def _trust(left: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Tukey's bisquare of errors, shape (n,), 0 beyond six of their absolute medians."""
    far = MEDIANS * float(weighted_median(np.abs(left)[:, None], w)[0])
    if far <= np.finfo(float).eps * float(np.abs(left).max()):
        return np.ones(len(left))
    return np.maximum(1.0 - (left / far) ** 2, 0.0) ** 2


def _noise(state: LocalState) -> float:
    """Standard deviation of errors by the degrees of freedom that the smoother leaves."""
    w, spare = state.smoother.w * state.smoother.trust, _spare(state)
    squares = float(w @ (state.target - state.smoothed.fitted) ** 2)
    return float(np.sqrt(squares / spare)) if spare else 0.0


def _spare(state: LocalState) -> float:
    """The degrees of freedom that the smoother leaves to the errors, 0 within rounding."""
    w, smoothed = state.smoother.w * state.smoother.trust, state.smoothed
    spare = float(w.sum() - 2.0 * smoothed.own.sum() + w @ smoothed.squares)
    return spare if spare > OWN * float(w.sum()) else 0.0
