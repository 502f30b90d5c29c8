"""Limited-memory BFGS for smooth composed problems."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.optimisation import _kernels
from mlcore.optimisation.composed import Objective
from mlcore.optimisation.lines import Line, Trial
from mlcore.optimisation.losses import BendsAlike
from mlcore.optimisation.rows import BLOCK
from mlcore.optimisation.triangles import MENDABLE, ROUGH, has_six_digits, inverse_factor
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Step, Stop, verdict
from mlcore.spine.params import integer

ENOUGH, FLATTER = 1e-4, 0.9  # decrease and flattening that a step must bring (weak Wolfe)
FLAT, FEW_TRIALS = 0.1, 3  # so flat it should be, up or down, in the first few trials
REHEARSED, MOST_REHEARSED = 0.03, 12  # so flat, and so many trials, it is for a few rows of many
MOST_TRIALS = 50  # of step lengths; each shortens an interval
LARGEST = 600  # columns up to which the curvature of one output is inverted
RENEW = 20  # steps after which the curvature has changed
ROUNDS = (np.float32, ROUGH), (np.float64, MENDABLE)  # condition up to which each has digits enough
LIFT = 1e-9  # of the mean curvature
SAMPLE = 8192  # rows that say how long a step will be, where all are several times as many
CACHED = 65_536  # numbers that stay in the cache


@enter(
    Card(
        "lbfgs",
        "L-BFGS",
        ("solver",),
        paper="Liu and Nocedal (1989), Mathematical Programming 45",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class LBFGS(Component):
    """Goes along gradients bent by the curvature seen in the last few steps.

    Starts from the inverse curvature of one output alone, taken anew after 20, 40, 80 ... steps, so
    that the scale of the columns does not matter. More steps than Newton, each O(n p): better for
    many columns and classes. Needs a penalty without corners.
    """

    squares: ClassVar[bool] = False

    memory: int = integer(
        10, low=1, high=100, soft=(3, 30), doc="How many past steps are remembered."
    )

    def steps(
        self, problem: Objective, start: np.ndarray, *, tol: float, max_iter: int
    ) -> Iterator[Step]:
        """A line search a step; the last slope is at most tol times the weight of the rows.

        `start` has shape (m, p + 1).
        """
        line = Line(problem.loss, problem.y, problem.weights, problem.outputs)
        rehearsal, at = Rehearsal.of(problem), _evaluated(problem, line, start)
        bend, renew = Bend(self.memory, _base(problem, at.Z)), RENEW
        limit, steepest = tol * problem.total, float(np.abs(at.gradient).max())
        for k in range(max_iter):
            if k == renew:
                bend.base, renew = _base(problem, at.Z), 2 * renew
            by = -bend.times(at.gradient)
            new, t = _searched(problem, line, at, by, rehearsal)
            fall, before = at.value - new.value, steepest
            bend.learn(new.theta - at.theta, new.gradient - at.gradient)
            at, steepest = new, float(np.abs(new.gradient).max())
            stop = verdict(k, steepest, tol=limit, max_iter=max_iter, what="the steepest slope")
            if stop is None and fall <= 0.0 and steepest >= before:
                stop = hidden_by_rounding(steepest)
            note = f"Step {k + 1}, length {t:.3g}: the objective fell by {fall:.3g}, "
            note += f"slope {steepest:.2g}."
            yield Step(k, at.value, problem.point(at.theta, at.Z, steepest), stop, note)
            if stop:
                return


def hidden_by_rounding(steepest: float) -> Stop:
    """The end of a walk that finds no lower point, though the slope is not yet small."""
    why = f"Stopped: rounding hides any further decrease; the slope is {steepest:.3g}."
    return Stop("limit", why)


class _Evaluated(NamedTuple):
    """A point with value and derivatives of the objective."""

    theta: np.ndarray  # (m, p + 1)
    Z: np.ndarray  # (m, n)
    value: float
    gradient: np.ndarray  # (m, p + 1)


def _evaluated(problem: Objective, line: Line, theta: np.ndarray) -> _Evaluated:
    Z = problem.predictor(theta)
    return _accepted(problem, theta, line.kept(line.at(Z, Z, 0.0)))


def _accepted(problem: Objective, theta: np.ndarray, trial: Trial) -> _Evaluated:
    value = trial.value + problem.penalty.value(theta[:, :-1])
    gradient = problem.subgradient(problem.gathered(trial.slopes), theta)
    return _Evaluated(theta, trial.Z, value, gradient)


class Bend:
    """The inverse curvature estimated from the last steps (Nocedal and Wright, alg. 7.4)."""

    def __init__(self, memory: int, base: np.ndarray) -> None:
        self.pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=memory)
        self.base = base  # of one output: (p + 1,) * 2, or (p + 1,) for a diagonal

    def times(self, gradient: np.ndarray) -> np.ndarray:
        """The inverse curvature times a gradient, of its shape."""
        q, shares = gradient.copy(), []
        for s, y, rho in reversed(self.pairs):
            shares.append(rho * float(np.vdot(s, q)))
            q -= shares[-1] * y
        r = self._start(q)
        if self.pairs:  # scaled to the curvature along the last step
            _, y, rho = self.pairs[-1]
            r /= rho * float(np.vdot(y, self._start(y)))
        for (s, y, rho), share in zip(self.pairs, reversed(shares), strict=True):
            r += (share - rho * float(np.vdot(y, r))) * s
        return r

    def learn(self, s: np.ndarray, y: np.ndarray) -> None:
        """Remember a step and the change of the gradient along it, arrays of one shape."""
        along = float(np.vdot(s, y))
        if along <= 1e-14 * float(np.vdot(y, y)) ** 0.5 * float(np.vdot(s, s)) ** 0.5:
            return  # no curvature above rounding
        self.pairs.append((s, y, 1.0 / along))

    def _start(self, q: np.ndarray) -> np.ndarray:
        return q @ self.base if self.base.ndim == 2 else q * self.base


def _base(problem: Objective, Z: np.ndarray) -> np.ndarray:
    """The inverse curvature averaged over the outputs; of its diagonal if columns are many.

    Of many rows in single precision where that is enough: the steps correct it.
    """
    q, bend = problem.X.shape[1] + 1, _average_bend(problem, Z)
    l2 = np.full(q, problem.penalty.l2)
    l2[-1] = 0.0 if problem.intercept else 1.0
    rounds = ROUNDS if problem.n > BLOCK else ROUNDS[1:]
    for precision, worst in rounds if q <= LARGEST else ():
        with np.errstate(over="ignore", invalid="ignore"):  # then it has no inverse
            curved = problem.gram(bend, precision) + np.diag(l2)
        # Dependent columns leave directions without curvature: lift them out of rounding.
        curved.flat[:: q + 1] += LIFT * curved.trace() / q
        half = inverse_factor(curved, worst)
        if half is not None and (precision is np.float64 or has_six_digits(curved)):
            return half.T @ half
    curved = np.append(_along_columns(problem, bend), bend.sum()) + l2
    return 1.0 / np.maximum(curved, LIFT * curved.max())


def _average_bend(problem: Objective, Z: np.ndarray) -> np.ndarray:
    """The curvature of each row averaged over the outputs, times its weight, shape (n,)."""
    m, n = Z.shape
    # Where a walk begins predictors are alike, and one row may tell of all.
    is_flat = isinstance(problem.loss, BendsAlike) and (Z[:, :1] == Z).all()
    told = 1 if is_flat else n
    bend, few = np.zeros(told), max(CACHED // m, 1)
    for start in range(0, told, few):
        at = slice(start, min(start + few, told))
        y = problem.y[at]
        local = problem.loss.at(y, Z[:, at])
        for a in range(m):
            own = problem.loss.curvature(y, local, a, a)
            bend[at] += 0.0 if own is None else own / m
    bend = np.repeat(bend, n // told)
    return bend if problem.weights is None else bend * problem.weights


def _along_columns(problem: Objective, bend: np.ndarray) -> np.ndarray:
    """The curvature along each column, shape (p,)."""
    out = np.zeros(problem.X.shape[1])
    _kernels.squares(read_only(problem.X), read_only(problem.mean), read_only(bend), out)
    return out


def _searched(
    problem: Objective, line: Line, at: _Evaluated, by: np.ndarray, rehearsal: Rehearsal | None
) -> tuple[_Evaluated, float]:
    """A point along `by` that is low and flat, and how far it is; where rounding hides any lower
    one, the present point.

    Z moves along a line too, so a trial costs no product with X: it pays to find a flat point.
    Where rows are many, a few of them say where to try first.
    """
    along = problem.predictor(by, out=line.by)
    downhill = float(np.vdot(at.gradient, by))
    bracket = Bracket(downhill)
    t = 1.0 if rehearsal is None else rehearsal.length(at, by, along, downhill)
    for trial in range(MOST_TRIALS):
        theta, tried = at.theta + t * by, line.at(at.Z, along, t)
        value = tried.value + problem.penalty.value(theta[:, :-1])
        # Written so that a value that is not a number counts as too high.
        if not value <= at.value + ENOUGH * t * downhill:
            t = bracket.below(t, None)
            continue
        rise = tried.rise + problem.penalty.l2 * float(np.vdot(theta[:, :-1], by[:, :-1]))
        flat_enough = FLAT if trial < FEW_TRIALS else FLATTER
        if rise < flat_enough * downhill:
            t = bracket.above(t, rise)
        elif trial < FEW_TRIALS and rise > -flat_enough * downhill:
            t = bracket.below(t, rise)
        else:
            return _accepted(problem, theta, line.kept(tried)), t
    return at, 0.0


class Rehearsal:
    """A few rows out of many, which find on a line where it is flat before all rows try it."""

    def __init__(self, problem: Objective) -> None:
        self._rows = slice(None, None, problem.n // SAMPLE)
        self._l2 = problem.penalty.l2
        y, weights = problem.y[self._rows], problem.weights
        share = problem.n / len(y)
        sampled = np.ones(len(y)) if weights is None else weights[self._rows]
        self._line = Line(problem.loss, y, share * sampled, problem.outputs)

    @classmethod
    def of(cls, problem: Objective) -> Rehearsal | None:
        """That of a problem; None where it has few rows."""
        return cls(problem) if problem.n >= 4 * SAMPLE else None

    def length(self, at: _Evaluated, by: np.ndarray, along: np.ndarray, downhill: float) -> float:
        """The step from a point along `by`, (m, p + 1), that moves predictors along `along`.

        The line falls by `downhill` there, as all rows say; what changes it these few say.
        """
        Z, along = at.Z[:, self._rows].copy(), along[:, self._rows].copy()
        square = float(np.vdot(by[:, :-1], by[:, :-1]))
        before = self._line.at(Z, along, 0.0).rise
        bracket, t = Bracket(downhill), 1.0
        for _ in range(MOST_REHEARSED):
            rise = downhill + self._line.at(Z, along, t).rise - before + t * self._l2 * square
            if abs(rise) <= REHEARSED * -downhill:
                return t
            t = bracket.above(t, rise) if rise < 0.0 else bracket.below(t, rise)
        return 1.0


class Bracket:
    """Where on a line its lowest point lies, by the slopes seen on it."""

    def __init__(self, downhill: float) -> None:
        self.low, self.falling = 0.0, downhill  # downhill there
        self.high = np.inf
        self.rising: float | None = None  # uphill there, or too high

    def above(self, t: float, slope: float) -> float:
        """The lowest point is above t, where the line falls by `slope`; gives the next trial."""
        steps, bend = t - self.low, slope - self.falling
        ahead = -slope * steps / bend if bend > 0 else np.inf
        self.low, self.falling = t, slope
        return t + min(max(ahead, 0.5 * t), 9.0 * t) if self.high == np.inf else self._within()

    def below(self, t: float, slope: float | None) -> float:
        """The lowest point is below t; gives the next trial."""
        self.high, self.rising = t, slope
        return self._within()

    def _within(self) -> float:
        """Where the slopes at both ends say that it is flat, away from the ends."""
        share = 0.5
        if self.rising is not None:
            share = min(max(self.falling / (self.falling - self.rising), 0.1), 0.9)
        return self.low + share * (self.high - self.low)
