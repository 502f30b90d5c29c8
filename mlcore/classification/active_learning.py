"""Active learning: the classifier itself asks for the labels that it learns from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.classification.queries import Query
from mlcore.maths.squared_distances import sq_distances
from mlcore.spine import registry
from mlcore.spine.asking import any_of, promises
from mlcore.spine.capabilities import GivesDecision, GivesProbabilities, HasClasses
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.fit import Fit
from mlcore.spine.inner import fit_to_target
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod, Method
from mlcore.spine.outer import OuterFit, where_inner
from mlcore.spine.params import integer, part
from mlcore.spine.random import generator
from mlcore.spine.records import function
from mlcore.spine.wording import percent

SUPPORT = any_of(GivesProbabilities, GivesDecision)  # what the rules rank by


@dataclass(frozen=True, eq=False)
class ActiveState:
    """The queries so far, and the accuracy after each."""

    inner: Fit  # the classifier, fitted to the rows asked
    order: np.ndarray  # (n,) 0 for rows labelled at the start, k for query k, -1 for hidden ones
    accuracy: np.ndarray  # (q + 1,) after each query, from the start on
    random_accuracy: np.ndarray  # (r, q + 1) the same where rows are asked at random


@dataclass(frozen=True, eq=False, kw_only=True)
class ActiveFit(OuterFit):
    """A classifier fitted to the rows that it asked for."""

    made_by: ActiveLearning
    classes: np.ndarray  # (K,) sorted labels
    inner: Any  # a fit that predicts codes 0 .. K - 1 of the classes
    order: np.ndarray  # (n,) 0 for rows labelled at the start, k for query k, -1 for hidden ones
    accuracy: np.ndarray  # (q + 1,) share of the rows hidden at the start that are predicted right
    random_accuracy: np.ndarray  # (r, q + 1) the same where rows are asked at random

    def holds_together(self) -> bool:
        """Whether the classifier inside does, and knows these classes."""
        inner = self.inner
        if not (isinstance(inner, Fit) and isinstance(inner, HasClasses)):
            return False
        own = np.asarray(inner.classes)
        return np.array_equal(own, np.arange(len(self.classes))) and inner.holds_together()

    @property
    def asked(self) -> np.ndarray:
        """Positions of the labelled rows among the training rows, (a,), in order."""
        first = np.argsort(self.order, kind="stable")
        return first[np.count_nonzero(self.order < 0) :]

    def predict(self, X: Any) -> np.ndarray:
        """The class that the classifier inside predicts, shape (m,)."""
        return self.classes[self.inner.predict(self._rows(X))]

    @where_inner(GivesDecision)
    def decision(self, X: Any) -> np.ndarray:
        """The scores of the classifier inside, shape (m, K), or (m,) for two classes."""
        return self.inner.decision(self._rows(X))

    @where_inner(GivesProbabilities)
    def probabilities(self, X: Any) -> np.ndarray:
        """The probabilities of the classifier inside, shape (m, K)."""
        return self.inner.probabilities(self._rows(X))


def _cost(n: int, p: int, method: ActiveLearning) -> tuple[float, float]:
    """A fit to the labelled rows and a prediction of all rows for each query of each sequence."""
    few = min(n, method.first * 3 + method.budget)  # how many classes there are is not known yet
    own = method.estimator.card.cost
    seconds, size = own(few, p, method.estimator) if own else (1e-3, 8.0 * few * p)
    fits = (1 + method.n_random) * (min(method.budget, n) + 1)
    return fits * (seconds + 5e-4 + 2e-8 * n * p), size + 32.0 * n * p


@enter(
    Card(
        "active_learning",
        "Active learning",
        ("classification",),
        paper="Lewis and Gale (1994), SIGIR 17; Tong and Koller (2001), JMLR 2",
        task="classification",
        sources=("cs1:sampling_active", "s841:svm_active_learning"),
        random=True,
        cost=_cost,
        formula=r"x_{t+1} = \arg\min_{x \in U_t} \; p_{(1)}(x) - p_{(2)}(x)",
        synonyms=("uncertainty sampling", "query by uncertainty", "label acquisition"),
        line="asks for one label at a time",
    )
)
@dataclass(frozen=True, kw_only=True)
class ActiveLearning(IterativeMethod):
    r"""Hides the labels of the training rows and asks for one at a time.

    A few rows of each class are labelled at the start. Then, again and again, a classifier is
    fitted to the labelled rows, ranks the others by a rule such as the margin
    $p_{(1)}(x) - p_{(2)}(x)$ between its two best classes, and gets the label of the first. Beside
    it, the same classifier learns from as many rows asked at random from the same start: what a
    rule is worth is its lead over those. Both are counted on the rows hidden at the start.

    Use it to see how many labels a problem needs, and which. O(budget) fits. The labelled rows no
    longer follow the distribution of the data, so shares of classes and probabilities learned from
    them are off. It fails where the first labels mislead: a classifier that is sure and wrong never
    asks where it is wrong, and outliers look interesting.
    """

    followed: ClassVar[str] = "accuracy on the hidden rows"

    estimator: Method = part(
        "logistic", slot="classification", label="Classifier", doc="What learns from the labels."
    )
    query: Query = part("margin", slot="query", doc="Which row is asked for next.")
    budget: int = integer(
        20, low=0, soft=(0, 100), doc="Labels that may be asked for after the start."
    )
    first: int = integer(
        2, low=1, soft=(1, 20), label="Initial labels per class", doc="Rows labelled at the start."
    )
    n_random: int = integer(
        2,
        low=0,
        soft=(0, 20),
        label="Random sequences",
        doc="How often as many rows are asked at random, to compare with.",
        advanced=True,
    )

    def conflict(self) -> str | None:
        """Refuse a classifier without what the rule ranks by, and active learning inside."""
        if isinstance(self.estimator, ActiveLearning):
            return "Active learning cannot ask for another active learning; choose a classifier."
        needs, inner = self.query.needs, self.estimator
        enough = GivesProbabilities if needs == "probabilities" else SUPPORT
        if needs == "nothing" or promises(inner, enough):
            return None
        what = "probabilities" if needs == "probabilities" else "probabilities or scores"
        return (
            f"{self.query.title()} needs {what}, which {self.estimator.title()} does not give. "
            "Choose another rule or another classifier."
        )

    def fit_class(self) -> type[ActiveFit]:
        """A fit with the capabilities of the classifier."""
        return ActiveFit.around(self.estimator)

    def _steps(self, given: Given) -> Iterator[Step]:
        start = self._first_rows(given)
        own = _Asking(self, given, start, self.query, given.rng("query"))
        at_random: Any = registry.made("query", "random")
        others = [
            _Asking(self, given, start, at_random, given.rng(f"random {r}"))
            for r in range(self.n_random)
        ]
        return self._played(given, own, others)

    def _first_rows(self, given: Given) -> np.ndarray:
        rng = given.rng("first rows")
        each = [np.flatnonzero(given.target == k) for k in range(len(given.labels))]
        return np.concatenate([rng.permutation(rows)[: self.first] for rows in each])

    def _played(self, given: Given, own: _Asking, others: list[_Asking]) -> Iterator[Step]:
        note = f"Started from {len(own.asked)} labelled rows."
        for k in range(self.budget + 1):
            if k:
                note = own.ask()
                for other in others:
                    other.ask()
            accuracy = own.learn()
            for other in others:
                other.learn()
            stop = own.stop(k)
            state = ActiveState(
                own.fit,
                own.order(),
                np.array(own.accuracy),
                np.array([other.accuracy for other in others]).reshape(len(others), k + 1),
            )
            sentence = (
                f"{note} {percent(accuracy)} of the rows hidden at the start are named rightly."
            )
            yield Step(k, accuracy, state, stop, sentence)
            if stop:
                return

    def _finished(self, given: Given, end: Step) -> ActiveFit:
        state: ActiveState = end.state
        return self.fit_class()(
            made_by=self,
            columns=given.columns,
            n_iter=end.k + 1,
            stop=end.stop,
            classes=given.labels,
            inner=state.inner,
            order=state.order,
            accuracy=state.accuracy,
            random_accuracy=state.random_accuracy,
        )


class _Asking:
    """One sequence of queries: which rows are labelled, and the classifier fitted to them."""

    def __init__(
        self, method: ActiveLearning, given: Given, start: np.ndarray, query: Query, rng: Any
    ) -> None:
        self.method, self.given, self.query, self.rng = method, given, query, rng
        self.asked = [int(i) for i in start]
        self.start = len(start)
        self.accuracy: list[float] = []
        hidden = np.setdiff1d(np.arange(given.n), start)
        self.judged = hidden if len(hidden) else start
        self.fit: Any = None

    def order(self) -> np.ndarray:
        """When each row was labelled, (n,); -1 for those that are hidden."""
        order = np.full(self.given.n, -1)
        order[self.asked] = np.maximum(np.arange(len(self.asked)) - self.start + 1, 0)
        return order

    def learn(self) -> float:
        """Fit to the labelled rows; returns the accuracy on the rows hidden at the start."""
        rows = np.array(self.asked)
        try:
            self.fit = fit_to_target(self.method.estimator, self.given, rows)
        except MlcoreError as error:
            raise error.inside(f"With {len(rows)} labels") from None
        predicted = self.fit.predict(self.given.X[self.judged])
        self.accuracy.append(float((predicted == self.given.target[self.judged]).mean()))
        return self.accuracy[-1]

    def ask(self) -> str:
        """Label the row that the rule ranks first, and say which class it is of."""
        pool = self.rng.permutation(self._pool())  # ties are broken at random
        scores = self.query.scores(_support(self.fit, self.given.X[pool]), self.rng)
        row = int(pool[scores.argmax()])
        self.asked.append(row)
        return f"Query {len(self.asked) - self.start} asked for fitted row {row + 1}."

    def stop(self, k: int) -> Stop | None:
        """Why query k is the last, if it is."""
        if k == self.method.budget:
            return Stop("limit", f"All {k} labels of the budget are asked for.")
        if len(self.asked) == self.given.n:
            return Stop("converged", "There is no row left to ask for.")
        if not len(self._pool()):
            return Stop("converged", "Every row left lies too near to a labelled one.")
        return None

    def _pool(self) -> np.ndarray:
        """Rows that may be asked for."""
        left = np.setdiff1d(np.arange(self.given.n), self.asked)
        least = self.query.min_distance
        if not least or not len(left):
            return left
        near = sq_distances(self.given.X[left], self.given.X[self.asked]).min(axis=1)
        return left[near >= least**2]


def _support(fit: Any, X: np.ndarray) -> np.ndarray:
    """Probabilities of the classes, else scores of which the largest wins, shape (m, K)."""
    if isinstance(fit, GivesProbabilities):
        return fit.probabilities(X)
    if not isinstance(fit, GivesDecision):
        return np.zeros((len(X), len(fit.classes)))
    scores = fit.decision(X)
    return np.column_stack([-scores, scores]) / 2 if scores.ndim == 1 else scores


@function("query_scores", title="Query scores", sources=("cs1:sampling_active",))
def query_scores(P: Any, query: Any = "margin", seed: int = 0) -> np.ndarray:
    """Score of each row as a query, shape (m,), from its class probabilities P, shape (m, K).

    `query` is an entry of that slot or its name; the row with the largest score is asked for.
    Raises DataError if P is not a finite matrix of two columns or more.
    """
    P = np.asarray(P, dtype=np.float64)
    if P.ndim != 2 or P.shape[1] < 2 or not np.isfinite(P).all():
        raise DataError(
            f"A query ranks rows by finite numbers for two classes or more; got shape {P.shape}."
        )
    rule: Any = registry.made("query", query)
    return rule.scores(P, generator(seed, "query"))
