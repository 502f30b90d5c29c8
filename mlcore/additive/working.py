"""Working models: the means of a family by penalised least squares, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mlcore.additive.smoothing import Normal, Solved
from mlcore.optimisation.deviances import MeanLoss, TweedieLoss
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count

HALVINGS = 30
NEARLY, ENOUGH = 1e-3, 1e-8  # changes of the predictor: strengths stay, all stays

LEAST_RISE = 1e-100  # squares of what is divided by it stay finite
FAR = 0.1  # change of the predictor above which strengths are only moved towards their best
ROUNDS, FEW = 50, 4  # in which strengths are settled, and only moved
CERTAIN = 1e-9  # of the first working weights: nothing is left in doubt

# Strengths of the charged terms, (s,), from the equations, those before, the known dispersion and
# the most rounds.
Strengths = Callable[[Normal, np.ndarray, float | None, int], np.ndarray]


class Problem(NamedTuple):
    """Rows and what is charged for the weights of their basis."""

    Z: np.ndarray  # (n, q) centred
    y: np.ndarray  # (n,)
    w: np.ndarray  # (n,) weights of the rows
    loss: MeanLoss
    known: float | None  # the dispersion, where the family says it
    charged: tuple[slice, ...]  # the charged weights of each smooth term
    fixed: np.ndarray | None = None  # (q,) charges for squares of weights that are not chosen
    who: str = ""  # whose errors they are


class End(NamedTuple):
    """What the last working model gave."""

    solved: Solved
    strengths: np.ndarray  # (s,)
    intercept: float
    predictor: np.ndarray  # (n,)
    dispersion: float
    gcv: float
    notes: tuple[str, ...]


def walked(
    it: Problem, start: np.ndarray, offset: np.ndarray, strengths_of: Strengths, max_iter: int
) -> End:
    """Working models until the predictor stays (PIRLS, Wood 2017, 6.1).

    `start`, shape (n,), is the first predictor; `offset`, (n,), enters with coefficient 1.
    """
    Z, y, w, loss = it.Z, it.y, it.w, it.loss
    eta, rows, strengths = start, int((w > 0).sum()), np.full(len(it.charged), np.nan)
    is_plain = isinstance(loss, TweedieLoss) and loss.power == 0 and not loss.has_log
    change, first = np.inf, float(w @ loss.expected_curvature(eta))
    for _ in range(1 if is_plain else max_iter):
        weight = w * loss.expected_curvature(eta)
        rise = np.maximum(loss.rise(eta), LEAST_RISE)
        working = eta - offset + (y - loss.mean(eta)) / rise
        shift, at_mean = float(weight @ working / weight.sum()), weight @ Z / weight.sum()
        V = Z - at_mean
        gram = V.T @ (V * weight[:, None])
        left = working - shift
        square = float(weight @ left**2)
        normal = Normal(gram, (weight * left) @ V, square, it.charged, rows, it.fixed)
        if change > NEARLY:  # strengths that follow every working model may never settle
            rounds = FEW if change > FAR and not is_plain else ROUNDS
            strengths = strengths_of(normal, strengths, it.known, rounds)
        solved = normal.solved(strengths)
        intercept = shift - float(at_mean @ solved.weights)
        new = Z @ solved.weights + intercept + offset
        change, eta = _nearer(it, eta, new)
        if is_plain or change < ENOUGH:
            notes = ()
            break
        if w @ loss.expected_curvature(eta) < CERTAIN * first:
            notes = ("Every row is predicted without a doubt, so no curve is the best.",)
            break
    else:
        notes = (f"The working models still changed after {count(max_iter, 'iteration')}.",)
    # pyrefly: ignore[unbound-name]  # there is an iteration at least
    dispersion = normal.dispersion(solved) if it.known is None else it.known
    # pyrefly: ignore[unbound-name]  # as above
    return End(solved, strengths, intercept, eta, dispersion, normal.gcv(solved), notes)


def _nearer(it: Problem, eta: np.ndarray, new: np.ndarray) -> tuple[float, np.ndarray]:
    """How far the predictor goes, as a root mean square, and where: half as far while it is lost.

    Raises DataError where no step of 1e-9 of the way has a finite deviance.
    """
    share = 1.0
    for _ in range(HALVINGS):
        there = eta + share * (new - eta)
        if np.isfinite(it.loss.at(it.y, there[None, :]).value[it.w > 0]).all():
            return float(np.sqrt(np.mean((new - eta) ** 2))), there
        share *= 0.5
    raise DataError(f"{it.who} found no means inside the family. Choose the logarithm as link.")
