"""What stacking of classes and of quantities shares: members, and who joins them out of folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlcore.ensembles.members import fitted, know_the_same, names_of, rows_with_weight, shares_of
from mlcore.maths.dealing import RowsToSplit, folds
from mlcore.spine.errors import ClassError, DataError, MlcoreError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.inner import naming_classes, refuse_weights
from mlcore.spine.method import Given, Method
from mlcore.spine.outer import OuterFit
from mlcore.spine.params import integer


@dataclass(frozen=True, eq=False, kw_only=True)
class StackedFit(OuterFit):
    """Members fitted to all rows, and the method that joins what they say."""

    made_by: Stacked
    members: tuple[Any, ...]  # (B,) fits that know codes of classes, or say a number
    final: Any  # a fit to what they say, which knows codes of classes, or says a number
    member_errors: np.ndarray  # (B,) of each in the folds that it has not learned from
    joined_error: float  # the same of the final method, learned on the other folds

    @property
    def member_names(self) -> tuple[str, ...]:
        """The titles of the members, (B,)."""
        return names_of(self.made_by.estimators)

    def _stacked(self, X: Any) -> np.ndarray:
        return stacked(self.members, self._rows(X), self._n_classes)

    @property
    def _n_classes(self) -> int:
        return 0

    def holds_together(self) -> bool:
        """Whether members and final method know these classes and fit together."""
        K = self._n_classes
        return (
            know_the_same(self.members, K, self.n_columns)
            and isinstance(self.final, Fit)
            and know_the_same((self.final,), K, len(self.members) * (K - 1 if K else 1))
        )


class _OutOfFold(NamedTuple):
    """What members say of rows that they have not learned from."""

    Z: np.ndarray  # (n, B (K - 1)), of quantities (n, B)
    errors: np.ndarray  # (B,)
    fold_of: np.ndarray  # (n,)


def cost_of(n: int, p: int, it: Stacked) -> tuple[float, float]:
    own = [m.card.cost(n, p, m) if m.card.cost else (1e-3, 8.0 * n * p) for m in it.estimators]
    final, q = it.final, 2 * len(it.estimators)
    last = final.card.cost(n, q, final)[0] if final.card.cost else 1e-3
    seconds = (it.folds + 1) * (sum(s for s, _ in own) + last)
    return 1e-3 + seconds, sum(size for _, size in own) + 16.0 * n * q


@dataclass(frozen=True, kw_only=True)
class Stacked(Method):
    """Members and a final method that learns from what they say of rows left out."""

    if TYPE_CHECKING:
        estimators: tuple[Any, ...]  # each declares its own, of another slot
        final: Method

    folds: int = integer(
        5, low=2, high=50, soft=(2, 10), doc="Parts of the training rows, each left out once."
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse fewer rows than folds."""
        if len(X) >= self.folds:
            return None
        return f"{self.title()} on {self.folds} folds needs as many rows; there are {len(X)}."

    def _with_weight(self, given: Given) -> Given:
        """The rows that have weight."""
        return rows_with_weight(given)

    def _joined(self, given: Given) -> dict[str, Any]:
        """What all fits hold, for the rows that were given."""
        given = self._with_weight(given)
        refuse_weights(self.final, given, self.title())
        out = self._out_of_fold(given)
        return {
            "made_by": self,
            "columns": given.columns,
            "members": fitted(self.estimators, given, self.title()),
            "final": self._final(given, out.Z, np.arange(given.n)),
            "member_errors": out.errors,
            "joined_error": self._joined_error(given, out),
        }

    def _out_of_fold(self, given: Given) -> _OutOfFold:
        K = _classes_of(given)
        # Rows of one group are left out together, so that no member knows a sibling of a row.
        y = given.target if K else None
        rows = RowsToSplit(given.n, y, given.groups, None, given.seed, "row")
        fold_of = folds(rows, y, self._n_folds(given), given.rng("folds"))
        outputs: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for k in np.unique(fold_of):
            out, learned = np.flatnonzero(fold_of == k), np.flatnonzero(fold_of != k)
            self._refuse_one_class(given, learned, out)
            members = fitted(self.estimators, given, self.title(), learned)
            answers = np.column_stack([member.predict(given.X[out]) for member in members])
            outputs.append((out, stacked(members, given.X[out], K) if K else answers, answers))
        order = np.argsort(np.concatenate([out for out, _, _ in outputs]))
        Z, answers = (np.vstack([each[i] for each in outputs])[order] for i in (1, 2))
        return _OutOfFold(Z, _errors(given, answers), fold_of)

    def _refuse_one_class(self, given: Given, learned: np.ndarray, out: np.ndarray) -> None:
        """Refuse a fold that has all rows of all classes but one."""
        if given.classes is None or len(np.unique(given.target[learned])) > 1:
            return
        gone = np.setdiff1d(given.target[out], given.target[learned])
        raise ClassError(
            f"{self.title()} leaves out a fold with all rows of ", given.labels[gone].tolist(),
            ", and nothing is learned from one class. Bring more rows, or leave these out.",
        )  # fmt: skip

    def _n_folds(self, given: Given) -> int:
        """The folds that were asked for, if there are as many rows or groups."""
        n, what = (given.n, "rows") if given.groups is None else (_many(given.groups), "groups")
        if n >= self.folds:
            return self.folds
        raise DataError(
            f"{self.title()} on {self.folds} folds needs as many {what}; there are {n}."
        )

    def _final(self, given: Given, Z: np.ndarray, rows: np.ndarray) -> Any:
        """The final method, learned from what is said of some rows."""
        names, about = names_of(self.estimators), {}
        if given.classes is not None:
            about = {f"{name}: {c}": c for name in names for c in given.labels[:-1].tolist()}
            names = tuple(about)
        columns = tuple(Column(name) for name in names)
        more = {} if given.weights is None else {"weights": given.weights[rows]}
        try:
            with naming_classes(given):
                return self.final.fit(
                    Z[rows], given.target[rows], columns=columns, seed=given.seed, **more
                )
        except MlcoreError as error:
            kind = "classifier" if given.classes is not None else "model"
            raise error.telling(about).inside(f"The final {kind} of stacking") from None

    def _joined_error(self, given: Given, out: _OutOfFold) -> float:
        """The error of the final method where it left out the fold of a row."""
        answers = np.empty((given.n, 1))
        for k in np.unique(out.fold_of):
            at = out.fold_of == k
            final = self._final(given, out.Z, np.flatnonzero(~at))
            answers[at, 0] = final.predict(out.Z[at])
        return float(_errors(given, answers)[0])


def stacked(members: tuple[Any, ...], X: np.ndarray, K: int) -> np.ndarray:
    """What members say: of K classes but the last, whose share is the rest, (m, B (K - 1)).

    Without classes the number that each says, (m, B).
    """
    if not K:
        return np.column_stack([member.predict(X) for member in members])
    return np.hstack([shares_of(member, X, K)[:, :-1] for member in members])


def _errors(given: Given, answers: np.ndarray) -> np.ndarray:
    """Share of wrong rows by weight, or the root mean square, of each column of answers."""
    gaps, w = answers - given.target[:, None], given.w / given.w.sum()
    return w @ (gaps != 0) if given.classes is not None else np.sqrt(w @ gaps**2)


def _classes_of(given: Given) -> int:
    return 0 if given.classes is None else len(given.labels)


def _many(groups: np.ndarray) -> int:
    return len(np.unique(groups))
