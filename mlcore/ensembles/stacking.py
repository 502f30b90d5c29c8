"""Stacking: a classifier that learns how to join what others say of rows they have not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.ensembles.members import (
    estimators_of,
    fitted,
    know_the_same,
    named_for_peer,
    names_of,
    shares_of,
    silent,
    with_weight,
)
from mlcore.maths.dealing import RowsToSplit, folds
from mlcore.spine.capabilities import GivesDecision, GivesProbabilities
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.inner import refuse_weights
from mlcore.spine.method import Given, Method
from mlcore.spine.outer import OuterFit, where_inner
from mlcore.spine.params import integer, part


@dataclass(frozen=True, eq=False, kw_only=True)
class StackingFit(OuterFit):
    """Classifiers fitted to all rows, and the one that joins what they say."""

    made_by: Stacking
    classes: np.ndarray  # (K,) sorted labels
    members: tuple[Any, ...]  # (B,) fits that know codes of classes
    final: Any  # a fit to B (K - 1) columns that predicts codes of classes
    member_errors: np.ndarray  # (B,) share of rows that each gets wrong in the folds
    joined_error: float  # the same of the final classifier, learned on the other folds

    @property
    def member_names(self) -> tuple[str, ...]:
        """The titles of the classifiers, (B,)."""
        return names_of(self.made_by.estimators)

    def member_answers(self, X: Any) -> np.ndarray:
        """The class that each member predicts, as its code, shape (m, B)."""
        X = self._rows(X)
        return np.column_stack([member.predict(X) for member in self.members])

    def predict(self, X: Any) -> np.ndarray:
        """The class that the final classifier says, shape (m,)."""
        return self.classes[self.final.predict(self._stacked(X))]

    @where_inner(GivesProbabilities)
    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class by the final classifier, shape (m, K)."""
        return self.final.probabilities(self._stacked(X))

    @where_inner(GivesDecision)
    def decision(self, X: Any) -> np.ndarray:
        """Scores of the final classifier, (m, K), of two classes (m,), positive for the second."""
        return self.final.decision(self._stacked(X))

    def _stacked(self, X: Any) -> np.ndarray:
        return _stacked(self.members, self._rows(X), len(self.classes))

    def holds_together(self) -> bool:
        """Whether members and final classifier know these classes and fit together."""
        K = len(self.classes)
        return (
            know_the_same(self.members, K, self.n_columns)
            and isinstance(self.final, Fit)
            and know_the_same((self.final,), K, len(self.members) * (K - 1))
        )


class _OutOfFold(NamedTuple):
    """What members say of rows that they have not learned from."""

    Z: np.ndarray  # (n, B (K - 1))
    errors: np.ndarray  # (B,) share of the rows, by weight
    fold_of: np.ndarray  # (n,)


def _cost(n: int, p: int, it: Stacking) -> tuple[float, float]:
    own = [m.card.cost(n, p, m) if m.card.cost else (1e-3, 8.0 * n * p) for m in it.estimators]
    final, q = it.final, 2 * len(it.estimators)
    last = final.card.cost(n, q, final)[0] if final.card.cost else 1e-3
    seconds = (it.folds + 1) * (sum(s for s, _ in own) + last)
    return 1e-3 + seconds, sum(size for _, size in own) + 16.0 * n * q


@enter(
    Card(
        "stacking",
        "Stacking",
        ("classification",),
        paper="Wolpert (1992), Neural Networks 5; Breiman (1996), Machine Learning 24",
        task="classification",
        peer="sklearn.ensemble.StackingClassifier",
        sources=("cs2:stacking",),
        takes=("weights", "groups"),
        random=True,
        cost=_cost,
        formula=r"\hat y = g\big(\hat p^{(1)}(x), \ldots, \hat p^{(B)}(x)\big)",
        synonyms=("StackingClassifier", "stacked generalization", "blending", "super learner"),
        line="learns how to join classifiers",
    )
)
@dataclass(frozen=True, kw_only=True)
class Stacking(Method):
    r"""Learns how to join different classifiers from what they say of rows they have not seen.

    Each classifier is fitted to all folds but one and asked for that one, so that every row has
    probabilities by members that have not learned from it; from these the final classifier g
    learns. Then the members are fitted to all rows: $\hat y = g(\hat p^{(1)}(x), \ldots)$.

    Use it to squeeze the last out of good but different methods. O(B (folds + 1)) fits. It is as
    good as the best member in what it minimises on these folds, not on new rows. Fails to gain with
    few rows, where its weights are noise, and with one member far ahead. Had g learned from fitted
    rows, it would trust whoever learns by heart.
    """

    peer_differs = (
        "Its folds are not shuffled, and of more than two classes it keeps all probabilities."
    )

    estimators: tuple[Any, ...] = estimators_of(
        "Whose probabilities are joined; of one that gives none, its vote."
    )
    final: Method = part(
        "logistic", slot="classification", label="Final classifier", doc="What joins them."
    )
    folds: int = integer(
        5, low=2, high=50, soft=(2, 10), doc="Parts of the training rows, each left out once."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if mute := silent(self.estimators):
            return (
                f"{self.title()} with votes of {mute} is not written for scikit-learn, which "
                "takes its scores."
            )
        return {
            "estimators": named_for_peer(self.estimators),
            "final_estimator": self.final,
            "cv": self.folds,
        }

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse fewer rows than folds."""
        if len(X) >= self.folds:
            return None
        return f"{self.title()} on {self.folds} folds needs as many rows; there are {len(X)}."

    def fit_class(self) -> type[StackingFit]:
        """A fit with what the final classifier gives."""
        return StackingFit.around(self.final)

    def _fit(self, given: Given) -> StackingFit:
        given = with_weight(given, self.title())
        refuse_weights(self.final, given, self.title())
        out = self._out_of_fold(given)
        return self.fit_class()(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            members=fitted(self.estimators, given, self.title()),
            final=self._final(given, out.Z, np.arange(given.n)),
            member_errors=out.errors,
            joined_error=self._joined_error(given, out),
        )

    def _out_of_fold(self, given: Given) -> _OutOfFold:
        K, B = len(given.labels), len(self.estimators)
        # Rows of one group are left out together, so that no member knows a sibling of a row.
        rows = RowsToSplit(given.n, given.target, given.groups, None, given.seed, "row")
        fold_of = folds(rows, given.target, self._n_folds(given), given.rng("folds"))
        Z, wrong = np.empty((given.n, B * (K - 1))), np.empty((given.n, B), dtype=bool)
        for k in np.unique(fold_of):
            out, learned = np.flatnonzero(fold_of == k), np.flatnonzero(fold_of != k)
            members = fitted(self.estimators, given, self.title(), learned)
            Z[out] = _stacked(members, given.X[out], K)
            for b, member in enumerate(members):
                wrong[out, b] = member.predict(given.X[out]) != given.target[out]
        return _OutOfFold(Z, given.w @ wrong / given.w.sum(), fold_of)

    def _n_folds(self, given: Given) -> int:
        """The folds that were asked for, if there are as many rows or groups."""
        n, what = (given.n, "rows") if given.groups is None else (_many(given.groups), "groups")
        if n >= self.folds:
            return self.folds
        raise DataError(
            f"{self.title()} on {self.folds} folds needs as many {what}; there are {n}."
        )

    def _final(self, given: Given, Z: np.ndarray, rows: np.ndarray) -> Any:
        """The final classifier, learned from what is said of some rows."""
        names = names_of(self.estimators)
        columns = tuple(Column(f"{name}: {c}") for name in names for c in given.labels[:-1])
        more = {} if given.weights is None else {"weights": given.weights[rows]}
        try:
            return self.final.fit(
                Z[rows], given.target[rows], columns=columns, seed=given.seed, **more
            )
        except MlcoreError as error:
            raise DataError(f"The final classifier of stacking: {error}") from None

    def _joined_error(self, given: Given, out: _OutOfFold) -> float:
        """Share of the rows that the final classifier gets wrong where it left out their fold."""
        wrong = np.empty(given.n, dtype=bool)
        for k in np.unique(out.fold_of):
            at = out.fold_of == k
            final = self._final(given, out.Z, np.flatnonzero(~at))
            wrong[at] = final.predict(out.Z[at]) != given.target[at]
        return float(given.w @ wrong / given.w.sum())


def _stacked(members: tuple[Any, ...], X: np.ndarray, K: int) -> np.ndarray:
    """What members say of the classes but the last, whose share is the rest, (m, B (K - 1))."""
    return np.hstack([shares_of(member, X, K)[:, :-1] for member in members])


def _many(groups: np.ndarray) -> int:
    return len(np.unique(groups))
