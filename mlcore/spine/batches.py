"""Learning by batches: what was seen so far is a state, and a fit can be made of it at any time.

A method writes `_begun`, `_learned` and `_settled`; its `fit` takes all rows as one batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

import numpy as np

from mlcore.spine import checks
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method


@dataclass(frozen=True, eq=False)
class Learner:
    """A method and what it has learned from the batches so far; each batch gives a new one."""

    method: BatchMethod
    columns: tuple[Column, ...]
    classes: np.ndarray | None  # (K,) sorted; None for a method that predicts no classes
    state: Any  # the method's own
    n_rows: int = 0
    seed: int = 0

    def learn(self, X: Any, y: Any = None, *, weights: Any = None) -> Learner:
        """What is known after one more batch: rows X, shape (m, p), with y, shape (m,).

        A batch may lack classes. Raises DataError for rows of another width, or a label that
        `begin` was not told.
        """
        given = self._given(X, y, weights)
        state = self.method._learned(self.state, given)
        return replace(self, state=state, n_rows=self.n_rows + given.n)

    def fit(self) -> Any:
        """The fit of all rows seen so far. Raises DataError if these are too few for the method."""
        if not self.n_rows:
            raise DataError(f"{self.method.title()} has seen no rows yet; give it a batch first.")
        return self.method._settled(self.columns, self.classes, self.state)

    def _given(self, X: Any, y: Any, weights: Any) -> Given:
        who, takes = self.method.title(), self.method.card.takes
        names = tuple(column.name for column in self.columns)
        X = checks.matrix(X, who, missing="missing" in takes, names=names)
        if X.shape[1] != len(self.columns):
            raise DataError(
                f"{who} began with {len(self.columns)} columns; got a batch of {X.shape[1]}. Give "
                "the same columns in the same order."
            )
        if weights is not None and "weights" not in takes:
            raise DataError(f"{who} does not take weights; leave them out.")
        if reason := self.method.applies(X):
            raise DataError(reason)
        w = None if weights is None else checks.weights(weights, len(X), who)
        codes = None if self.classes is None else self._codes(y, len(X))
        return Given(X, self.columns, self.seed, codes, self.classes, w)

    def _codes(self, y: Any, n: int) -> np.ndarray:
        assert self.classes is not None
        who = self.method.title()
        codes, labels = checks.classes(y, n, who)
        unknown = labels[~np.isin(labels, self.classes)]
        if len(unknown):
            raise DataError(
                f"{who} was not told of class {str(unknown[0])!r} when it began. Name every class "
                "that may come."
            )
        return np.searchsorted(self.classes, labels)[codes]


@dataclass(frozen=True, kw_only=True)
class BatchMethod(Method):
    """A method whose fit can be made of batches: of all rows seen, whatever their order."""

    def begin(
        self, columns: tuple[Column, ...], classes: Sequence[Any] | None = None, seed: int = 0
    ) -> Learner:
        """A learner that has seen no rows; `classes`, shape (K,), are all labels that may come.

        Raises DataError if a classification method is not told at least two.
        """
        labels = None
        if self.card.task == "classification":
            if classes is None or len(set(classes)) < 2:
                raise DataError(f"{self.title()} needs to be told at least two classes to begin.")
            labels = np.unique(np.asarray(classes))
        state = self._begun(columns, 0 if labels is None else len(labels))
        return Learner(self, columns, labels, state, seed=checks.seed(seed))

    def _fit(self, given: Given) -> Fit:
        state = self._begun(given.columns, 0 if given.classes is None else len(given.classes))
        return self._settled(given.columns, given.classes, self._learned(state, given))

    def fit_class(self) -> type[Fit]:
        """The class of the fit that it settles on."""
        return get_type_hints(self._settled)["return"]

    def _begun(self, columns: tuple[Column, ...], n_classes: int) -> Any:
        """The state before any row."""
        raise NotImplementedError(f"{type(self).__name__} declares no state")

    def _learned(self, state: Any, given: Given) -> Any:
        """The state after one more batch; the old one stays as it is."""
        raise NotImplementedError(f"{type(self).__name__} does not learn")

    def _settled(self, columns: tuple[Column, ...], classes: np.ndarray | None, state: Any) -> Fit:
        """The fit of a state."""
        raise NotImplementedError(f"{type(self).__name__} declares no fit")
