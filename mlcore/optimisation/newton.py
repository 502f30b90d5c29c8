"""Newton's method for smooth losses, with the penalty's corners left to coordinate descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.optimisation import _kernels
from mlcore.optimisation.closed_form import inverse_in_any_units
from mlcore.optimisation.composed import Evaluated, Objective
from mlcore.optimisation.lbfgs import Bend, hidden_by_rounding
from mlcore.optimisation.losses import Observable
from mlcore.optimisation.triangles import HALF_THE_DIGITS, ROUGH, has_six_digits
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Step, verdict
from mlcore.spine.params import flag

ENOUGH = 1e-4  # share of the promised decrease that a step must bring (Armijo)
SHORTEST = 0.5**39  # share of the direction that is no step
ROUNDING = 1e-14  # of a sum over the rows
MOST_STILL = 5  # steps without a lower value or a smaller slope
INNER_SWEEPS = 1000  # of coordinate descent on one quadratic model
DEFINITE = 1e-8  # share of the largest eigenvalue above which an observed curvature is taken
LIFT = 1e-10  # of the mean curvature, where the curvature is singular
KEPT = 0.2  # share of what is left to gain that a step may leave for its curvature to be kept
# Steps that a curvature has to spare to be taken anew, and columns for each further one: so much
# longer than a step it takes. A former one serves two steps at least.
SPARED, OF_COLUMNS, SERVES = 3.0, 40, 2
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
        return self._walk(problem, start, problem.evaluated(start), _move, tol, max_iter)

    def kept_steps(
        self,
        problem: Objective,
        start: np.ndarray,
        first: np.ndarray | None = None,
        guess: Guess | None = None,
        *,
        tol: float,
        max_iter: int,
    ) -> Iterator[Step]:
        """The same for one output and a penalty without corners, by few curvatures, each of which
        costs as much as many slopes.

        `first`, (p + 1, p + 1), is about that of the loss at `start`, (1, p + 1), where it is
        known. The walk begins at the guess instead if that is lower.
        """
        theta, at = start, None
        if guess is not None:
            theta, at = guess.theta, problem.evaluated(guess.theta)
            if not at.value <= guess.value:
                theta, at = start, None
        at = problem.evaluated(start) if at is None else at
        return self._walk(problem, theta, at, _Kept(first, tol * problem.total), tol, max_iter)

    def _walk(
        self,
        problem: Objective,
        theta: np.ndarray,
        at: Evaluated,
        directions: _Directions,
        tol: float,
        most: int,
    ) -> Iterator[Step]:
        still = _Still()
        limit, what = tol * problem.total, "the steepest slope"
        for k in range(most):
            move, before = directions(problem, theta, at), at.value
            t, theta, at = _length(problem, theta, before, move, self.halving)
            steepest = float(np.abs(problem.subgradient(at.slope, theta)).max())
            stop = verdict(k, steepest, tol=limit, max_iter=most, what=what)
            if still.stands(at.value, steepest) and self.halving and stop is None:
                stop = hidden_by_rounding(steepest)
            note = _note(k, t, before - at.value, steepest) + move.note
            yield Step(k, at.value, problem.point(theta, at.Z, steepest), stop, note)
            if stop:
                return


class Guess(NamedTuple):
    """A place to begin at, unless its value is above that of the start."""

    theta: np.ndarray  # (1, p + 1)
    value: float  # of the start


class _Still:
    """Whether a walk goes on although rounding hides where it goes."""

    def __init__(self) -> None:
        self._lowest, self._flattest, self._steps = np.inf, np.inf, 0

    def stands(self, value: float, steepest: float) -> bool:
        """Whether the last few steps led to no lower value and no smaller slope than before."""
        nears = value < self._lowest - ROUNDING * abs(value) or steepest < self._flattest
        self._steps = 0 if nears else self._steps + 1
        self._lowest, self._flattest = min(value, self._lowest), min(steepest, self._flattest)
        return self._steps >= MOST_STILL


class _Move(NamedTuple):
    """A direction, and the decrease that the quadratic model predicts for all of it."""

    by: np.ndarray  # (m, p + 1)
    promise: float  # at most 0
    note: str = ""


# A direction from a theta and the objective there.
_Directions = Callable[[Objective, np.ndarray, Evaluated], _Move]


def _move(problem: Objective, theta: np.ndarray, at: Evaluated) -> _Move:
    slope = at.slope
    H = _curvature(problem, at)
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
    share, or falls so slowly that more steps are left than it takes time for; and at each step
    where it is nearly singular. For penalties without corners.
    """

    def __init__(self, first: np.ndarray | None, limit: float) -> None:
        self._next, self._limit = first, limit  # slopes that end the walk
        self._bend: Bend | None = None
        self._theta, self._gradient, self._promise = np.zeros(0), np.zeros(0), 0.0  # a step ago
        self._served = 0  # steps

    def __call__(self, problem: Objective, theta: np.ndarray, at: Evaluated) -> _Move:
        gradient = problem.subgradient(at.slope, theta)
        if self._bend is not None:
            self._bend.learn(theta - self._theta, gradient - self._gradient)
            move = _bent(self._bend, gradient)
            if self._is_kept(problem, gradient, move):
                return self._went(theta, gradient, move)
        inverse = self._inverse(problem, at)
        if inverse is None:
            self._bend = None
            return _move(problem, theta, at)
        self._bend, self._served = Bend(MEMORY, inverse), 0
        return self._went(theta, gradient, _bent(self._bend, gradient))

    def _is_kept(self, problem: Objective, gradient: np.ndarray, move: _Move) -> bool:
        """Whether so much was gained that what is left is worth no other curvature."""
        share = move.promise / self._promise if self._promise < 0 else 0.0  # both are negative
        if not share <= KEPT or self._served < SERVES:
            return share <= KEPT
        left = float(np.abs(gradient).max()) / max(self._limit, 1e-300)
        pace = -0.5 * np.log(max(share, 1e-300))  # what is left goes by the square of a slope
        return np.log(max(left, 1.0)) <= pace * (SPARED + problem.X.shape[1] / OF_COLUMNS)

    def _went(self, theta: np.ndarray, gradient: np.ndarray, move: _Move) -> _Move:
        self._theta, self._gradient, self._promise = theta, gradient, move.promise
        self._served += 1
        return move

    def _inverse(self, problem: Objective, at: Evaluated) -> np.ndarray | None:
        """Of a curvature in single precision where that is enough: the steps correct it."""
        first, self._next = self._next, None
        for precision, worst in (np.float32, ROUGH), (np.float64, HALF_THE_DIGITS):
            with np.errstate(over="ignore", invalid="ignore"):  # then it is nearly singular
                H = _curvature(problem, at, precision) if first is None else first.copy()
                _charge(problem, H)
                half = inverse_in_any_units(H, worst)
            if half is not None and (worst > ROUGH or has_six_digits(H)):
                return half.T @ half
        return None


def _bent(bend: Bend, gradient: np.ndarray) -> _Move:
    by = -bend.times(gradient)
    return _Move(by, float(np.vdot(gradient, by)))


def _curvature(problem: Objective, at: Evaluated, precision: type = np.float64) -> np.ndarray:
    """The Hessian; of a loss that gives its expectation the observed one, if that is definite.

    With the expectation steps shrink the distance by a share, which dispersion brings near 1;
    with the second derivative they square it.
    """
    bend = None
    if isinstance(problem.loss, Observable):
        bend = problem.loss.observed(problem.y, at.Z[0])
    if bend is None or not np.isfinite(bend).all():
        return _expected(problem, at, precision)
    weights = bend if problem.weights is None else bend * problem.weights
    H = problem.gram(weights, precision)
    is_definite = bend.min() >= 0 or _definite(H if problem.intercept else H[:-1, :-1])
    return H if is_definite else _expected(problem, at, precision)


def _expected(problem: Objective, at: Evaluated, precision: type) -> np.ndarray:
    local = problem.loss.at(problem.y, at.Z) if at.local is None else at.local
    return problem.curvature(local, precision)


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
    problem: Objective, theta: np.ndarray, value: float, move: _Move, halving: bool
) -> tuple[float, np.ndarray, Evaluated]:
    """The share of the direction that is taken, and the objective there."""
    t = 1.0
    while True:
        there = theta + t * move.by
        new = problem.evaluated(there)
        # Near the minimum the promise drowns in the rounding of the value.
        slack = ROUNDING * abs(value)
        is_lower = new.value <= value + ENOUGH * t * move.promise + slack
        if not halving or is_lower or t <= SHORTEST:
            return t, there, new
        t *= 0.5


def _note(k: int, t: float, fall: float, steepest: float) -> str:
    took = "the whole step" if t == 1.0 else f"{t:.3g} of the step"
    return f"Step {k + 1} took {took}: the objective fell by {fall:.3g}, slope {steepest:.2g}."
