"""Rules about residuals of test rows: a curve, a fan, and predictions that cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import chdtrc

from mlcore.regression.capabilities import CountsRatios
from mlcore.runs.findings.finding import WARNING, Press, Statement, rule
from mlcore.runs.findings.ran import Ran, small
from mlcore.runs.run import Run
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasDeviance
from mlcore.spine.quantiles import GivesQuantiles
from mlcore.spine.registry import lookup
from mlcore.spine.wording import count, percent, plural, rough

LOOK = Press("Look at the residuals", view="residuals")
# Of both tests: they are asked after every run, and residuals of a fold share one fit.
LEVEL = 0.001
ROWS_OF_RESIDUALS = 30
LEAST_CURVE = 0.03  # share of the squared residuals; less is hardly seen in the picture
LEAST_FAN = 1.5  # of the standard deviations of the outer thirds
LEAST_IMPOSSIBLE = 0.01  # share of the rows
EXPECTS_FAN = (HasDeviance, GivesQuantiles, CountsRatios)
NEAR_ZERO = 0.1  # of the median: where the smallest value is above, 0 is no border of the target


@rule(
    "curved_residuals", WARNING, "Residuals follow a curve", "regression",
    source="Ramsey (1969), Journal of the Royal Statistical Society B 31; White (1980), "
    "Econometrica 48",
)  # fmt: skip
def curved_residuals(ran: Ran) -> Statement | None:
    """The square of the prediction explains residuals: a straight line misses a bend.

    A test of RESET with one power, of residuals of test rows; its standard error is White's, so
    that a fan is not taken for a curve.
    """
    both = ran.residuals
    if both is None or len(both[0]) < ROWS_OF_RESIDUALS or np.ptp(both[0]) == 0:
        return None
    share, p = curve_of(*both)
    if p >= LEVEL or share < LEAST_CURVE:
        return None
    sentence = (
        f"A parabola over the predictions explains {percent(share)} of the squared residuals of "
        f"{count(len(both[0]), 'test row')} ({small(p)}): the method misses a bend that the data "
        "have. Powers of the columns, or a method that bends, would follow it."
    )
    return Statement(sentence, LOOK, {"share": share, "p": p})


def curve_of(predicted: np.ndarray, residuals: np.ndarray) -> tuple[float, float]:
    """Share of the squared residuals that f^2 explains beside 1 and f, and its p-value.

    `predicted` and `residuals` have shape (m,).
    """
    f = (predicted - predicted.mean()) / predicted.std()
    line = np.column_stack([np.ones_like(f), f])
    e, bend = (v - line @ np.linalg.lstsq(line, v, rcond=None)[0] for v in (residuals, f**2))
    squares, total = float(bend @ bend), float(e @ e)
    if squares < 1e-12 * len(f) or total == 0:
        return 0.0, 1.0  # two values of the prediction have no bend
    slope = float(bend @ e) / squares
    left = e - slope * bend
    variance = float((bend**2 * left**2).sum()) * len(f) / (len(f) - 3)
    chi = (slope * squares) ** 2 / variance if variance > 0 else np.inf
    return slope**2 * squares / total, float(chdtrc(1, chi))


@rule(
    "fanning_residuals", WARNING, "Residuals fan out", "regression",
    source="Breusch and Pagan (1979), Econometrica 47; Koenker (1981), Journal of Econometrics 17",
)  # fmt: skip
def fanning_residuals(ran: Ran) -> Statement | None:
    """The size of residuals grows or falls with the prediction: heteroscedasticity.

    Not asked of a method that expects as much: by its family, by quantiles that part as they like,
    or because it learned the logarithm of the target.
    """
    both = ran.residuals
    if both is None or len(both[0]) < ROWS_OF_RESIDUALS or np.ptp(both[0]) == 0:
        return None
    if any(can(ran.fit, each) for each in EXPECTS_FAN):
        return None
    ratio, p = fan_of(*both)
    if p >= LEVEL or max(ratio, 1 / ratio) < LEAST_FAN:
        return None
    where = "largest" if ratio > 1 else "smallest"
    sentence = (
        f"Residuals spread {max(ratio, 1 / ratio):.1f} times as far in the third of the rows with "
        f"the {where} predictions as in the opposite third (Breusch-Pagan test, {small(p)}): "
        "one RMSE is too low for some rows and too high for others, and so are standard errors "
        "that assume one variance. The logarithm of the target, or weights, would even them out."
    )
    return Statement(sentence, LOOK, {"ratio": ratio, "p": p})


def fan_of(predicted: np.ndarray, residuals: np.ndarray) -> tuple[float, float]:
    """Standard deviation in the upper third of the predictions over that in the lower, and p.

    Koenker's form of the test: n R^2 of the squared residuals over the predictions is chi-squared
    with one degree of freedom. Both arrays have shape (m,).
    """
    squares = (residuals - residuals.mean()) ** 2
    if np.ptp(squares) == 0:
        return 1.0, 1.0
    r = float(np.corrcoef(predicted, squares)[0, 1])
    order, third = np.argsort(predicted, kind="stable"), len(predicted) // 3
    low, high = (float(np.sqrt(squares[at].mean())) for at in (order[:third], order[-third:]))
    ratio = high / low if low > 0 else np.inf
    return max(ratio, 1e-6), float(chdtrc(1, len(predicted) * r**2))


@rule(
    "impossible_predictions", WARNING, "Negative predictions of a target that has none",
    "regression", source="McCullagh and Nelder (1989), Generalized Linear Models, 2nd edition, 6.2",
)  # fmt: skip
def impossible_predictions(ran: Ran) -> Statement | None:
    """No target is negative, 0 is near the smallest, and 1 % of the test rows are predicted below.

    At least three rows, so that one odd row says nothing.
    """
    both, y = ran.residuals, ran.dataset.y
    if both is None or y is None or y.min() < 0 or not y.min() <= NEAR_ZERO * np.median(y):
        return None
    negative = int((both[0] < 0).sum())
    if negative < max(3, LEAST_IMPOSSIBLE * len(y)):
        return None
    are_counts = bool((y == np.round(y)).all())
    sentence = (
        f"{count(negative, 'test row')} of {len(both[0]):,} {plural(negative, 'is', 'are')} "
        f"predicted below 0 (lowest {rough(float(both[0].min()))}), where no value of "
        f"{ran.dataset.target!r} is. "
        + ("Counts are" if are_counts else "Amounts are")
        + " predicted above 0 by a model of the logarithm of the mean."
    )
    return Statement(
        sentence, _of_counts(ran.run), {"rows": negative, "lowest": float(both[0].min())}
    )


def _of_counts(run: Run) -> Press:
    """Poisson regression: its estimates are right for any amounts whose mean is an exponential."""
    family = lookup("response_family", "poisson")()
    method = lookup("regression", "generalised_linear")(family=family)
    return Press("Use Poisson regression", run=replace(run, method=method))
