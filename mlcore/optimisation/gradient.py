"""Plain gradient descent, on all rows or on a few at a time, and with subgradients at corners."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.optimisation.composed import Objective
from mlcore.optimisation.fista import steepness
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Step, verdict
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator


@enter(
    Card(
        "gradient_descent",
        "Gradient descent",
        ("solver",),
        kind="part",
        formula=r"\theta \leftarrow \theta - \eta\, \partial F(\theta)",
    )
)
@dataclass(frozen=True, kw_only=True)
class GradientDescent(Component):
    """Steps against the gradient of all rows; against a subgradient where there are corners.

    The slowest of the solvers and the plainest. With absolute values in the penalty, sign(w) stands
    for their slope, the steps shrink like 1/sqrt(k), and no coefficient becomes exactly zero.
    """

    squares: ClassVar[bool] = False

    step: float = real(
        1.0,
        above=0.0,
        soft=(0.05, 2.5),
        symbol=r"\eta",
        label="Step size",
        doc="Length of a step, in units of the safe length 1/L; above 2 it may diverge.",
    )

    def steps(
        self, problem: Objective, start: np.ndarray, *, tol: float, max_iter: int
    ) -> Iterator[Step]:
        """Gradient steps; the last slope is at most tol times the weight of the rows.

        `start` has shape (m, p + 1).
        """
        rate = self.step / (steepness(problem) + problem.penalty.l2)
        theta, Z = start, problem.predictor(start)
        slope = problem.slope(problem.loss.at(problem.y, Z))
        limit = tol * problem.total
        for k in range(max_iter):
            shrink = 1.0 / np.sqrt(k + 1.0) if problem.penalty.l1 > 0 else 1.0
            theta = theta - shrink * rate * _subgradient(problem, slope, theta)
            Z = problem.predictor(theta)
            local = problem.loss.at(problem.y, Z)
            slope = problem.slope(local)
            steepest = float(np.abs(problem.subgradient(slope, theta)).max())
            stop = verdict(k, steepest, tol=limit, max_iter=max_iter, what="the steepest slope")
            note = f"Step {k + 1} of length {shrink * rate:.3g}: slope {steepest:.2g}."
            state = problem.point(theta, Z, steepest)
            yield Step(k, problem.value(local, theta), state, stop, note)
            if stop:
                return


def _subgradient(problem: Objective, slope: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """The gradient of loss and squares, and sign(w) for the absolute values."""
    out, W = slope.copy(), theta[:, :-1]
    out[:, :-1] += problem.penalty.l2 * W + problem.penalty.l1 * np.sign(W)
    return out


@enter(
    Card(
        "stochastic",
        "Stochastic gradient descent",
        ("solver",),
        paper="Robbins and Monro (1951), Annals of Mathematical Statistics 22(3)",
        kind="part",
        sources=("cs2:gd_minibatch",),
        random=True,
        synonyms=("SGD", "mini-batch"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Stochastic(Component):
    """Steps against the gradient of a few rows, drawn anew in each pass; prox for the penalty.

    A pass costs as much as one gradient and makes many steps: quick at first, then noisy. The
    length of the steps falls like 1/sqrt(1 + passes), so that the noise settles.
    """

    squares: ClassVar[bool] = False

    step: float = real(
        1.0,
        above=0.0,
        soft=(0.05, 2.5),
        symbol=r"\eta",
        label="Step size",
        doc="First length of a step, in units of the safe length for a batch.",
    )
    batch: int = integer(
        32, low=1, soft=(1, 256), log=True, label="Batch size", doc="Rows in a step."
    )
    seed: int = integer(0, low=0, high=2**31 - 1, soft=(0, 99), doc="Start of the order of rows.")

    def steps(
        self, problem: Objective, start: np.ndarray, *, tol: float, max_iter: int
    ) -> Iterator[Step]:
        """One pass over the rows a step, with the slope of all rows; `start`, shape (m, p + 1)."""
        rng, theta, n = generator(self.seed, "order of rows"), start.copy(), problem.n
        X = problem.X - problem.mean
        w = np.ones(n) if problem.weights is None else problem.weights
        longest = float(np.einsum("ij,ij->i", X, X).max()) + problem.intercept
        safe = 1.0 / (problem.loss.steepest * longest * max(w.max(), 1e-300))
        limit = tol * problem.total
        for k in range(max_iter):
            rate = self.step * safe / np.sqrt(1.0 + k)
            for rows in np.array_split(rng.permutation(n), -(-n // self.batch)):
                theta = _few_rows(problem, X, w, theta, rows, rate)
            Z = problem.predictor(theta)
            local = problem.loss.at(problem.y, Z)
            slope = float(np.abs(problem.subgradient(problem.slope(local), theta)).max())
            stop = verdict(k, slope, tol=limit, max_iter=max_iter, what="the steepest slope")
            note = f"Pass {k + 1} with steps of {rate:.3g}: slope {slope:.2g}."
            yield Step(k, problem.value(local, theta), problem.point(theta, Z, slope), stop, note)
            if stop:
                return


def _few_rows(
    problem: Objective,
    X: np.ndarray,
    w: np.ndarray,
    theta: np.ndarray,
    rows: np.ndarray,
    rate: float,
) -> np.ndarray:
    """One step on the mean loss of some rows, and its share of the penalty."""
    Z = theta[:, :-1] @ X[rows].T + theta[:, -1:]
    slope = problem.loss.at(problem.y[rows], Z).slope * w[rows]
    new = theta.copy()
    new[:, :-1] -= rate / len(rows) * (slope @ X[rows])
    if problem.intercept:
        new[:, -1] -= rate / len(rows) * slope.sum(axis=1)
    new[:, :-1] = problem.penalty.prox(new[:, :-1], rate / problem.n)
    return new
