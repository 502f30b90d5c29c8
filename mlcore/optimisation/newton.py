"""Newton's method for smooth losses, with the penalty's corners left to coordinate descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.optimisation import _kernels
from mlcore.optimisation.closed_form import inverse_in_any_units
from mlcore.optimisation.composed import Objective
from mlcore.optimisation.lbfgs import Bend
from mlcore.optimisation.losses import Local, Observable
from mlcore.optimisation.triangles import HALF_THE_DIGITS, ROUGH, has_six_digits
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Step, verdict
from mlcore.spine.params import flag

ENOUGH = 1e-4  # share of the promised decrease that a step must bring (Armijo)
MOST_HALVINGS = 40  # a step of 1e-12 of the direction is none
INNER_SWEEPS = 1000  # of coordinate descent on one quadratic model
DEFINITE = 1e-8  # share of the largest eigenvalue above which an observed curvature is taken
LIFT = 1e-10  # of the mean curvature, where the curvature is singular
KEPT = 0.1  # share of what is left to gain that a step may leave for its curvature to be kept
MEMORY = 10  # steps by which such a curvature is corrected


@enter(
    Card(
        "newton",
        "Newton (IRLS)",
        ("solver",),
        kind="part",
        sources=("s841:logistic_newton", "s841:logistic_irls"),
        formula=r"\theta \leftarrow \theta - t H^{-1} g",
        synonyms=("IRLS", "Newton-Raphson", "iteratively reweighted least squares"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Newton(Component):
    """Goes to the minimum of the quadratic that fits the objective at the present point.

    For the logistic loss each step is a weighted least squares fit. Few steps, each O(n p^2 + p^3);
    with absolute values in the penalty the quadratic is minimised by coordinate descent.
    """

    squares: ClassVar[bool] = True

    halving: bool = flag(
        True,
        label="Step halving",
        doc="Halve a step that does not lower the objective; plain Newton may diverge.",
    )

    def steps(
        self, problem: Objective, start: np.ndarray, *, tol: float, max_iter: int
    ) -> Iterator[Step]:
        """A quadratic model a step; the last slope is at most tol times the weight of the rows.

        `start` has shape (m, p + 1).
        """
        return self._walk(problem, start, _move, tol, max_iter)

    def kept_steps(
        self,
        problem: Objective,
        start: np.ndarray,
        first: np.ndarray | None = None,
        *,
        tol: float,
        max_iter: int,
    ) -> Iterator[Step]:
        """The same for one output and a penalty without corners, by few curvatures, each of which
        costs as much as many slopes.

        `first`, (p + 1, p + 1), is that of the loss at `start`, (1, p + 1), where it is known.
        """
        return self._walk(problem, start, _Kept(first), tol, max_iter)

    def _walk(
        self, problem: Objective, start: np.ndarray, directions: _Directions, tol: float, most: int
    ) -> Iterator[Step]:
        theta, Z = start, problem.predictor(start)
        local = problem.loss.at(problem.y, Z)
        value, slope = problem.value(local, theta), problem.slope(local)
        limit, what = tol * problem.total, "the steepest slope"
        for k in range(most):
            move = directions(problem, local, slope, theta, Z)
            along = problem.predictor(move.by)
            t, new = _length(problem, theta, Z, move, along, value, self.halving)
            theta, Z, local = theta + t * move.by, new.Z, new.local
            slope = problem.slope(local)
            steepest = float(np.abs(problem.subgradient(slope, theta)).max())
            stop = verdict(k, steepest, tol=limit, max_iter=most, what=what)
            note = _note(k, t, value - new.value, steepest) + move.note
            value = new.value
            yield Step(k, value, problem.point(theta, Z, steepest), stop, note)
            if stop:
                return


class _Move(NamedTuple):
    """A direction, and the decrease that the quadratic model predicts for all of it."""

    by: np.ndarray  # (m, p + 1)
    promise: float  # at most 0
    note: str = ""


# A direction from the loss, its slope, theta and the predictor at the present point.
_Directions = Callable[[Objective, Local, np.ndarray, np.ndarray, np.ndarray], _Move]


class _Tried(NamedTuple):
    Z: np.ndarray  # (m, n)
    local: Local
    value: float


def _move(
    problem: Objective, local: Local, slope: np.ndarray, theta: np.ndarray, Z: np.ndarray
) -> _Move:
    H = _curvature(problem, local, Z)
    _fix_gauge(problem, H)
    if problem.penalty.l1 > 0:
        return _cornered(problem, H, slope, theta)
    gradient = problem.subgradient(slope, theta)
    _charge(problem, H)
    by, note = _solved(H, -gradient.ravel())
    return _Move(by.reshape(theta.shape), float(gradient.ravel() @ by), note)


def _charge(problem: Objective, H: np.ndarray) -> None:
    """Add the curvature of the penalty to that of the loss."""
    q = problem.X.shape[1] + 1
    own = np.full((problem.outputs, q), problem.penalty.l2)
    own[:, -1] = 0.0 if problem.intercept else 1.0
    H.flat[:: len(H) + 1] += own.ravel()


class _Kept:
    """Directions by a curvature that the steps since correct (BFGS).

    It is taken anew where what is left to gain, in any units of the columns, did not fall to a
    share, and at each step where it is nearly singular. For penalties without corners.
    """

    def __init__(self, first: np.ndarray | None) -> None:
        self._next = first
        self._bend: Bend | None = None
        self._theta, self._gradient, self._promise = np.zeros(0), np.zeros(0), 0.0  # a step ago

    def __call__(
        self, problem: Objective, local: Local, slope: np.ndarray, theta: np.ndarray, Z: np.ndarray
    ) -> _Move:
        gradient = problem.subgradient(slope, theta)
        if self._bend is not None:
            self._bend.learn(theta - self._theta, gradient - self._gradient)
            move = _bent(self._bend, gradient)
            if move.promise >= KEPT * self._promise:  # both are negative
                return self._went(theta, gradient, move)
        inverse = self._inverse(problem, local, Z)
        if inverse is None:
            self._bend = None
            return _move(problem, local, slope, theta, Z)
        self._bend = Bend(MEMORY, inverse)
        return self._went(theta, gradient, _bent(self._bend, gradient))

    def _went(self, theta: np.ndarray, gradient: np.ndarray, move: _Move) -> _Move:
        self._theta, self._gradient, self._promise = theta, gradient, move.promise
        return move

    def _inverse(self, problem: Objective, local: Local, Z: np.ndarray) -> np.ndarray | None:
        """Of a curvature in single precision where that is enough: the steps correct it."""
        first, self._next = self._next, None
        for precision, worst in (np.float32, ROUGH), (np.float64, HALF_THE_DIGITS):
            with np.errstate(over="ignore", invalid="ignore"):  # then it is nearly singular
                H = _curvature(problem, local, Z, precision) if first is None else first.copy()
                _charge(problem, H)
                half = inverse_in_any_units(H, worst)
            if half is not None and (worst > ROUGH or has_six_digits(H)):
                return half.T @ half
        return None


def _bent(bend: Bend, gradient: np.ndarray) -> _Move:
    by = -bend.times(gradient)
    return _Move(by, float(np.vdot(gradient, by)))


def _curvature(
    problem: Objective, local: Local, Z: np.ndarray, precision: type = np.float64
) -> np.ndarray:
    """The Hessian; of a loss that gives its expectation the observed one, if that is definite.

    With the expectation steps shrink the distance by a share, which dispersion brings near 1;
    with the second derivative they square it.
    """
    if not isinstance(problem.loss, Observable):
        return problem.curvature(local, precision)
    bend = problem.loss.observed(problem.y, Z[0])
    if bend is None or not np.isfinite(bend).all():
        return problem.curvature(local, precision)
    weights = bend if problem.weights is None else bend * problem.weights
    H = problem.gram(weights, precision)
    is_definite = _definite(H if problem.intercept else H[:-1, :-1])
    return H if is_definite else problem.curvature(local, precision)


def _definite(H: np.ndarray) -> bool:
    """Whether the least eigenvalue is above a share of the largest."""
    above = float(np.abs(H).sum(axis=1).max())  # at least the largest
    try:  # what a factor shows is shown sooner than by eigenvalues
        np.linalg.cholesky(H - DEFINITE * above * np.eye(len(H)))
        return True
    except np.linalg.LinAlgError:
        least, *_, most = np.linalg.eigvalsh(H)
        return bool(least > DEFINITE * most)


def _solved(H: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, str]:
    """H^-1 b, with a sentence where H is singular but for rounding."""
    try:
        np.linalg.cholesky(H)
        return np.linalg.solve(H, b), ""
    except np.linalg.LinAlgError:
        lifted = H + LIFT * max(H.trace() / len(H), 1.0) * np.eye(len(H))
        x = np.linalg.lstsq(lifted, b, rcond=None)[0]
        return x, " The curvature has no inverse here, so it was lifted slightly."


def _fix_gauge(problem: Objective, H: np.ndarray) -> None:
    """Add curvature along the direction that adds one vector to all classes, if the loss has none.

    The gradient has no part along it, so neither has any step: the solution stays the same.
    """
    m = problem.outputs
    if m < 2 or not getattr(problem.loss, "shared", False):
        return
    q = len(H) // m
    charged = problem.penalty.l1 > 0 or problem.penalty.l2 > 0
    free = np.array([q - 1]) if charged else np.arange(q)
    size = H.trace() / len(H)
    for a in range(m):
        for b in range(m):
            H[a * q + free, b * q + free] += size / m


def _cornered(problem: Objective, H: np.ndarray, slope: np.ndarray, theta: np.ndarray) -> _Move:
    """The direction to the minimum of quadratic plus penalty, the intercepts eliminated."""
    m, q = theta.shape
    last_rows = np.arange(m) * q + q - 1
    rest = np.setdiff1d(np.arange(m * q), last_rows)
    g, w = slope.ravel(), theta[:, :-1].ravel()
    inner = H[np.ix_(last_rows, last_rows)] if problem.intercept else np.eye(m)
    cross = H[np.ix_(rest, last_rows)]
    shared = np.linalg.solve(inner, np.column_stack([cross.T, g[last_rows]]))
    model = read_only(H[np.ix_(rest, rest)] - cross @ shared[:, :-1])
    left = -(g[rest] - cross @ shared[:, -1])
    l1, l2 = problem.penalty.l1, problem.penalty.l2
    worst = float(np.abs(problem.subgradient(slope, theta)).max())
    new, toward = w.copy(), read_only(left + model @ w)
    # A tenth of the present slope is accuracy enough for a model that the next step replaces.
    most, small = INNER_SWEEPS, 0.01 * min(worst, 1.0) * worst
    inputs = model, toward, 0.0, float(l1), float(l2), most, -1.0, float(small)
    _kernels.sweeps(*inputs, new, left.copy())
    by = np.empty(m * q)
    by[rest] = new - w
    by[last_rows] = -(shared[:, -1] + shared[:, :-1] @ by[rest])
    by = by.reshape(m, q)
    W, charge = theta[:, :-1], problem.penalty.value
    rise = charge(W + by[:, :-1]) - charge(W)
    return _Move(by, float((slope * by).sum()) + rise)


def _length(
    problem: Objective,
    theta: np.ndarray,
    Z: np.ndarray,
    move: _Move,
    along: np.ndarray,
    value: float,
    halving: bool,
) -> tuple[float, _Tried]:
    """The share of the direction that is taken, and the loss there."""
    t = 1.0
    for _ in range(MOST_HALVINGS if halving else 1):
        at = Z + t * along
        local = problem.loss.at(problem.y, at)
        new = problem.value(local, theta + t * move.by)
        # Near the minimum the promise drowns in the rounding of the value.
        slack = 1e-14 * abs(value)
        if not halving or new <= value + ENOUGH * t * move.promise + slack:
            break
        t *= 0.5
    return t, _Tried(at, local, new)


def _note(k: int, t: float, fall: float, steepest: float) -> str:
    took = "the whole step" if t == 1.0 else f"{t:.3g} of the step"
    return f"Step {k + 1} took {took}: the objective fell by {fall:.3g}, slope {steepest:.2g}."
