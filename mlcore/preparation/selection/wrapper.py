"""Wrapper scores: the loss on test rows of a method that is fitted to the subset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.preparation.selection.closed_form import closed_form
from mlcore.preparation.selection.judge import Judge, SubsetScore, Variables
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.method import Given
from mlcore.spine.params import part


class Inner(NamedTuple):
    """Rows of one inner split."""

    X: np.ndarray  # (n, p) fitted
    y: np.ndarray  # (n,)
    X_out: np.ndarray  # (m, p) left out
    y_out: np.ndarray  # (m,)


class WrapperJudge(Judge):
    """J = minus the mean loss on the test rows; the inner splits stay the same."""

    def __init__(self, wrapper: Wrapper, given: Given, variables: Variables) -> None:
        super().__init__(len(variables))
        self.learner, self.given, self.variables = wrapper.learner, given, variables
        self.is_classes = given.classes is not None
        self.inner = [
            Inner(given.X[train], given.target[train], given.X[test], given.target[test])
            for train, test in _splits(wrapper, given)
        ]
        form = closed_form(wrapper.learner)
        self.closed = form(self.inner) if form else None

    def _value(self, members: np.ndarray) -> float:
        at = self.variables.columns(members)
        if not len(at):
            return -float(np.mean([_constant_loss(i, self.is_classes) for i in self.inner]))
        if self.closed is not None and (loss := self.closed.loss(at)) is not None:
            return -loss
        try:
            return -float(np.mean([self._loss(inner, at) for inner in self.inner]))
        except MlcoreError as error:
            self.reason = str(error)
            return -np.inf

    def _loss(self, inner: Inner, at: np.ndarray) -> float:
        columns = tuple(self.given.columns[j] for j in at)
        names = {"columns": columns} if "columns" in self.learner.card.takes else {}
        fit = self.learner.fit(inner.X[:, at], inner.y, seed=self.given.seed, **names)
        return _loss(inner.y_out, fit.predict(inner.X_out[:, at]), self.is_classes)


def _splits(wrapper: Wrapper, given: Given) -> Any:
    y = given.target if given.classes is not None else None
    return wrapper.folds.splits(given.n, y=y, groups=given.groups, seed=given.seed)


def _loss(y: np.ndarray, predicted: np.ndarray, is_classes: bool) -> float:
    return float(np.mean(predicted != y if is_classes else (predicted - y) ** 2))


def _constant_loss(inner: Inner, is_classes: bool) -> float:
    """The loss of what fits best without any variable."""
    constant = np.bincount(inner.y).argmax() if is_classes else inner.y.mean()
    return _loss(inner.y_out, np.full(len(inner.y_out), constant), is_classes)


@enter(
    Card(
        "wrapper",
        "Wrapper (method on inner folds)",
        ("subset_score",),
        paper="Kohavi and John (1997), Artificial Intelligence 97",
        sources=("cs1:vs_wrapper_val", "cs1:vs_wrapper_cv", "cs1:vs_wrapper_boot"),
        formula=r"J(S) = -\frac1F \sum_f \overline{L}(y_f, \hat y_f(S))",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Wrapper(SubsetScore):
    r"""Scores a subset by a method that is fitted to it, on inner folds of the training rows.

    $J(S)$ is minus the mean over the inner folds of the error rate (classes) or of the squared
    error (quantities) on the rows that the fold leaves out; of nothing, minus the loss of the
    best constant. All subsets meet the same inner rows, and none is fitted twice. The inner folds
    may be a hold-out part, folds, or bootstrap samples.

    Finds what suits this very method, also variables that help only together. One fit a subset and
    inner fold: for least squares, ridge regression and linear discriminants sums of squares are
    shared by all subsets. The best of many noisy scores is too good: believe the outer folds, not
    this one.
    """

    learner: Any = part(
        "lda", slot="learner", label="Method", doc="What is fitted to every subset."
    )
    folds: Any = part(
        "k_fold", slot="splits", label="Inner folds", doc="How training rows are left out inside."
    )

    def judge(self, given: Given, variables: Variables) -> Judge:
        """The score on inner folds. Raises DataError if the method predicts no such target."""
        wanted = "regression" if given.classes is None else "classification"
        if self.learner.card.task != wanted:
            kind = "a quantity" if given.classes is None else "classes"
            raise DataError(
                f"The target holds {kind}, which {self.learner.title()} does not predict. Choose a "
                f"{wanted} method for the wrapper."
            )
        return WrapperJudge(self, given, variables)

    def seconds(self, n: int, p: int, subsets: float) -> float:
        """One fit a subset and fold, of half of the columns."""
        fits = self.fits(n, subsets)
        if closed_form(self.learner):
            return fits * (3e-5 + 1e-10 * p**3) + 1e-9 * n * p**2
        cost = self.learner.card.cost
        return fits * (cost(n, max(p // 2, 1), self.learner)[0] if cost else 1e-3)

    def fits(self, n: int, subsets: float) -> float:
        """One a subset and inner fold."""
        if self.folds.card.name == "leave_one_out":
            return subsets * n
        return subsets * getattr(self.folds, "n_splits", 1) * getattr(self.folds, "n_repeats", 1)
