"""Cost-sensitive classification: linear scores that are learned from what errors cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.classification.cost_losses import CostLoss
from mlcore.classification.costs import Costs, PerClass
from mlcore.classification.priors import refuse_empty
from mlcore.maths.class_scores import best_class, decision_of
from mlcore.optimisation.composed import Objective, Point, walk
from mlcore.optimisation.hinges import InteriorPoint
from mlcore.optimisation.lbfgs import LBFGS
from mlcore.optimisation.penalties import Penalty
from mlcore.spine.capabilities_of_sums import Sum, linear_scores
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer, part, real


@dataclass(frozen=True, eq=False, kw_only=True)
class CostSensitiveFit(Fit):
    """A linear score a class, of sum 0, and what errors cost."""

    made_by: CostSensitive
    classes: np.ndarray  # (K,) sorted labels
    coefficients: np.ndarray  # (p,) of two classes the difference, else (K, p)
    intercept: Any  # a number, or (K,)
    costs: np.ndarray  # (K, K) rows true, columns predicted
    objective: float  # loss plus penalty

    def decision(self, X: Any) -> np.ndarray:
        """Score of the second class less that of the first, (m,), or a score a class, (m, K)."""
        return self._rows(X) @ self.coefficients.T + self.intercept

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score, shape (m,); of classes that tie, the first."""
        return self.classes[best_class(self.decision(X))]

    def dearer(self, k: int, ratio: float) -> CostSensitive:
        """The same method, where a miss of class k costs `ratio` and every other error 1."""
        values = [1.0] * len(self.classes)
        values[k] = ratio
        return replace(self.made_by, costs=PerClass(values=tuple(values)))

    @property
    def as_sum(self) -> Sum:
        """Scores: a line a column."""
        return linear_scores(self.coefficients, self.decision)

    def holds_together(self) -> bool:
        """Whether there is a weight for each column and a cost for each pair."""
        K = len(self.classes)
        shape = (self.n_columns,) if K == 2 else (K, self.n_columns)
        return self.coefficients.shape == shape and self.costs.shape == (K, K)


def _cost(n: int, p: int, it: CostSensitive) -> tuple[float, float]:
    if it.loss.of(np.zeros((2, 2))).has_kinks:
        each, square = n * (8e-7 + 5e-10 * p * p), (5.0 * p) ** 2  # of five classes
        # Of some ten to seventy steps, five classes take 14 to 43.
        return 1e-3 + min(it.max_iter, 30) * (each + 1e-10 * square * p), 8.0 * (
            n * (p + 60) + square
        )
    return 1e-3 + min(it.max_iter, 60) * (2e-9 * n * p * 3 + 6e-8 * n), 8.0 * n * (p + 20)


@enter(
    Card(
        "cost_sensitive",
        "Cost-sensitive classification",
        ("classification",),
        paper="Lee, Lin and Wahba (2004), JASA 99; Beijbom and others (2014), ICML 31",
        task="classification",
        sources=("cs1:cs_multiclass", "cs1:cs_multiclass_guess_averse", "cs1:cost_matrix"),
        takes=("weights",),
        scores=("cost_scores", "classification_scores"),
        cost=_cost,
        units="its penalty",
        formula=r"\min_f \sum_i \omega_i \sum_k c_{y_i k}\, \psi(f_k(x_i)) + "
        r"\tfrac{\alpha}{2} \|W\|^2, \quad \sum_k f_k = 0",
        synonyms=(
            "surrogate loss", "cost-weighted loss", "class weights", "guess-averse loss",
            "multicategory support vector machine", "Lee-Lin-Wahba", "MSVM",
        ),
        line="a linear rule for errors of unequal cost",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class CostSensitive(IterativeMethod):
    r"""Learns a linear score for each class from what its errors would cost.

    Minimises $\sum_i \omega_i \sum_k c_{y_i k}\, \psi(f_k(x_i))$ plus the penalty over scores
    $f_k(x) = w_k^\top x + b_k$ of sum 0, with the cost $c_{yk}$ of taking class y for class k, and
    says the class of the highest score. Where the scores are free, that is the class of least
    expected cost at each place; with the guess-averse loss of more than two classes it need not be.

    Use it where errors differ in what they cost and probabilities are not needed or not trusted:
    the straight borders are placed for the costs, and not for the probabilities. O(n p K) a step of
    L-BFGS; of the hinge, with which this is the machine of Lee, Lin and Wahba, O(n p^2 K + p^3 K^3)
    a step of an interior point method, ten to seventy of them. Where a logistic model is right,
    deciding by its probabilities does as well; the exponential function lets a few rows on the
    wrong side outweigh all others, the hinge the fewest.
    """

    loss: CostLoss = part(
        "cost_sum", slot="cost_loss", doc="The convex stand-in for the costs that is minimised."
    )
    costs: Costs = part("zero_one", slot="costs", doc="What taking one class for another costs.")
    penalty: Penalty = part("l2", slot="penalty", doc="Regularisation of large coefficients.")
    tol: float = real(
        1e-6,
        above=0.0,
        soft=(1e-10, 1e-3),
        log=True,
        label="Tolerance",
        doc="Stop when no slope of the objective is steeper than this, by the weight of the rows; "
        "of the hinge, when it is no farther above that of the dual.",
        advanced=True,
    )
    max_iter: int = integer(
        500,
        low=1,
        high=100_000,
        soft=(1, 1000),
        log=True,
        label="Maximum iterations",
        doc="Most steps of the solver.",
        advanced=True,
    )

    def conflict(self) -> str | None:
        """Refuse penalties with corners."""
        if self.penalty.l1 > 0:
            return (
                f"{self.title()} needs a penalty without corners, as its solvers do. Choose L2, "
                "or none."
            )
        return None

    def _steps(self, given: Given) -> Iterator[Step]:
        refuse_empty(np.bincount(given.target, given.w), given.labels, self.title().lower())
        K = len(given.labels)
        loss = self.loss.of(self.costs.matrix(K))
        solver = InteriorPoint(loss.costs[given.target].T * given.w) if loss.has_kinks else LBFGS()
        problem = Objective(loss, self.penalty, given.X, given.target, given.weights, K)
        if not np.isfinite((problem.X - problem.mean) ** 2).all():
            raise DataError(
                f"{self.title()} multiplies the columns, and the values here are too large for "
                "that. Scale the columns."
            )
        return walk(problem, solver, tol=self.tol, max_iter=self.max_iter)

    def _finished(self, given: Given, end: Step) -> CostSensitiveFit:
        at: Point = end.state
        K = len(given.labels)
        W, b = at.coefficients - at.coefficients.mean(axis=0), at.intercept - at.intercept.mean()
        is_pair = K == 2
        return CostSensitiveFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k + 1,
            stop=end.stop,
            classes=given.labels,
            coefficients=decision_of(W.T).copy() if is_pair else W,
            intercept=float(b[1] - b[0]) if is_pair else b,
            costs=self.costs.matrix(K),
            objective=end.objective,
        )
