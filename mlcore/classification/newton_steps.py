"""What every step of Newton's method knows of a likelihood: where it stood, how steep, how sure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from mlcore.classification.likelihood import standard_errors
from mlcore.optimisation.composed import Objective
from mlcore.spine.iterate import Step


class NewtonSteps(NamedTuple):
    """The start and T steps, in nats and in the units of the columns.

    K is 1 for two classes. `errors` are the roots of the diagonal of the inverse information at
    that step, without the penalty; NaN where it has no inverse, 0 for a reference class. Several
    classes without one have those of coefficients less their mean over the classes.
    """

    coefficients: np.ndarray  # (T + 1, K, p + 1), last the intercept
    errors: np.ndarray  # (T + 1, K, p + 1)
    log_likelihood: np.ndarray  # (T + 1,)
    objective: np.ndarray  # (T + 1,) minus that, plus the penalty
    slope: np.ndarray  # (T + 1,) steepest entry of the score of the objective
    notes: tuple[str, ...]  # (T + 1,)


def newton_steps(problem: Objective, steps: Iterable[Step]) -> NewtonSteps:
    """The table of iteratively reweighted least squares, from steps that begin at zero.

    Each step's `state` has coefficients, (p,) or (K, p), an intercept, the predictor and the slope.
    O(n p^2) a step for the information.
    """
    steps = list(steps)
    shape = np.atleast_2d(steps[0].state.coefficients).shape
    theta = problem.zero()
    Z = problem.predictor(theta)
    local = problem.loss.at(problem.y, Z)
    first = float(np.abs(problem.subgradient(problem.slope(local), theta)).max())
    value = problem.value(local, theta)
    start = np.zeros((shape[0], shape[1] + 1))
    at = [start, *(_side_by_side(step.state) for step in steps)]
    predictors = [Z, *(step.state.predictor for step in steps)]
    objective = np.array([value, *(step.objective for step in steps)])
    penalties = np.array([problem.penalty.value(each[:, :-1]) for each in at])
    return NewtonSteps(
        np.array(at),
        np.array([standard_errors(problem, Z, shape[0]) for Z in predictors]),
        penalties - objective,
        objective,
        np.array([first, *(step.state.slope for step in steps)]),
        ("Every coefficient is zero.", *(step.note for step in steps)),
    )


def _side_by_side(state: Any) -> np.ndarray:
    """Coefficients and intercepts, (K, p + 1)."""
    W, b = np.atleast_2d(state.coefficients), np.atleast_1d(state.intercept)
    return np.column_stack([W, b])
