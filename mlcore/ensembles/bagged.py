"""What bagging of classes and of quantities shares: members on rows and columns drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlcore.ensembles.members import are_sums, mean_of_sums, rows_with_weight, votes_of
from mlcore.ensembles.out_of_bag import Answers, OutOfBag, are_votes
from mlcore.ensembles.random_members import MembersState, RandomMembers, longer
from mlcore.ensembles.row_draws import drawn
from mlcore.spine.capabilities_of_sums import Sum, promises_trees
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.fit import Fit
from mlcore.spine.inner import naming_classes, refuse_weights
from mlcore.spine.method import Given, Method
from mlcore.spine.params import flag, integer, real
from mlcore.spine.pool import side_by_side

Answer = Callable[[Any, np.ndarray, int], np.ndarray]  # of a member, its rows and K classes
MOST_DRAWS = 1_000  # of rows in which two classes are looked for


@dataclass(frozen=True, eq=False, kw_only=True)
class BaggingState(MembersState):
    """The members so far, and what they say of rows that they have not learned from."""

    members: tuple[Any, ...]  # (t,)
    features: np.ndarray  # (t, q) positions of the columns of each
    member_errors: np.ndarray | None  # (t,)

    @property
    def size(self) -> int:
        """How many members there are, t."""
        return len(self.members)


@dataclass(frozen=True, eq=False, kw_only=True)
class BaggingFit(Fit):
    """Members whose answers are averaged. Without rows left out the three errors are None."""

    made_by: Bagged
    members: tuple[Any, ...]  # (B,) fits that know codes of classes, or say a number
    features: np.ndarray  # (B, q) positions of the columns of each
    oob_errors: np.ndarray | None  # (B,) of the first 1, 2 ... members
    oob_rows: np.ndarray | None  # (B,) rows that some of these have left out
    member_errors: np.ndarray | None  # (B,) of each by itself, on the rows that it has left out

    @property
    def member_names(self) -> tuple[str, ...]:
        """The members by their numbers, (B,)."""
        return tuple(str(b + 1) for b in range(len(self.members)))

    @property
    def joined_error(self) -> float | None:
        """The error of all members together on rows left out."""
        return None if self.oob_errors is None else float(self.oob_errors[-1])

    def holds_together(self) -> bool:
        """Whether each member has its columns, and holds together itself."""
        inside = (self.features >= 0) & (self.features < self.n_columns)
        return (
            len(self.features) == len(self.members) > 0
            and bool(inside.all())
            and all(
                isinstance(member, Fit)
                and member.n_columns == self.features.shape[1]
                and member.holds_together()
                for member in self.members
            )
        )

    @property
    def as_sum(self) -> Sum | None:
        """The mean of the members, if these are sums of what they predict."""
        if not self.made_by.is_sum:
            return None
        shares = np.full(len(self.members), 1.0 / len(self.members))
        return mean_of_sums(self.members, shares, self._n_classes, self.features)

    @property
    def _n_classes(self) -> int:
        return 0

    def _mean(self, X: Any, K: int, answers: Answer | None = None) -> np.ndarray:
        """What the members say of each row on average, or other `answers`, (m, max(K, 1))."""
        X, ask = self._rows(X), answers or self.made_by.answers

        def of_member(b: int) -> np.ndarray:
            return ask(self.members[b], X[:, self.features[b]], K)

        total = np.zeros((len(X), max(K, 1)))
        for values in side_by_side(of_member, range(len(self.members))):
            total += values
        return total / len(self.members)

    def _by_member(self, X: Any, K: int) -> np.ndarray:
        """What each member says of each row, shape (m, B, max(K, 1))."""
        X, members = self._rows(X), zip(self.members, self.features, strict=True)
        answers = [self.made_by.answers(member, X[:, at], K) for member, at in members]
        return np.stack(answers, axis=1)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassBaggingFit(BaggingFit):
    """Members that say how likely each class is, or vote."""

    classes: np.ndarray  # (K,) sorted labels
    oob_votes: np.ndarray | None = None  # (n, K) shares among the members that left a row out

    @property
    def _n_classes(self) -> int:
        return len(self.classes)

    def probabilities(self, X: Any) -> np.ndarray:
        """The mean of the probabilities of the members, or of their votes, shape (m, K)."""
        return self._mean(X, len(self.classes))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, shape (m,); the first on ties."""
        return self.classes[self.probabilities(X).argmax(axis=1)]

    def member_probabilities(self, X: Any) -> np.ndarray:
        """The probabilities of each member, or its vote, shape (m, B, K)."""
        return self._by_member(X, len(self.classes))

    def vote_shares(self, X: Any) -> np.ndarray:
        """The share of the members that predict each class, shape (m, K)."""
        return self._mean(X, len(self.classes), votes_of)

    def holds_together(self) -> bool:
        """Whether the members know no other classes either."""
        known = range(len(self.classes))
        return (
            super().holds_together()
            and are_votes(self.oob_votes, len(self.classes))
            and all(np.isin(member.classes, known).all() for member in self.members)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberBaggingFit(BaggingFit):
    """Members that say a number."""

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the members, in units of the target, shape (m,)."""
        return self._mean(X, 0)[:, 0]

    def member_values(self, X: Any) -> np.ndarray:
        """What each member says, in units of the target, shape (m, B)."""
        return self._by_member(X, 0)[:, :, 0]


class _Grown(NamedTuple):
    """A member, and what it says of the rows that it has not learned from."""

    member: Any
    features: np.ndarray  # (q,)
    left_out: Answers


def cost_of(n: int, p: int, it: Bagged) -> tuple[float, float]:
    own, q = it.estimator.card.cost, max(round(it.max_features * p), 1)
    size = max(round(it.max_samples * n), 1)
    seconds, room = own(size, q, it.estimator) if own else (1e-3, 8.0 * n * p)
    each = seconds + 1e-4 + 1e-8 * n * q
    return 1e-3 + it.n_estimators * each, 16.0 * n * p + room * (1 + 0.1 * it.n_estimators)


@dataclass(frozen=True, kw_only=True)
class Bagged(RandomMembers):
    """Members that differ by the rows and columns that they are given."""

    peer_differs = "It draws other lots."

    if TYPE_CHECKING:
        estimator: Method  # each declares its own, of another slot

    n_estimators: int = integer(
        10,
        low=1,
        high=10_000,
        soft=(1, 200),
        symbol="B",
        label="Number of members",
        doc="More members never harm; they cost time in proportion.",
    )
    max_samples: float = real(
        1.0,
        above=0.0,
        high=1.0,
        soft=(0.1, 1.0),
        label="Rows drawn",
        doc="Rows drawn for each member, as a share of all.",
    )
    bootstrap: bool = flag(
        True,
        label="Bootstrap",
        doc="Draw the rows of each member with replacement; else each row at most once (pasting).",
    )
    max_features: float = real(
        1.0,
        above=0.0,
        high=1.0,
        soft=(0.1, 1.0),
        label="Columns drawn",
        doc="Columns drawn for each member, as a share of all (random subspaces).",
    )

    @property
    def is_sum(self) -> bool:
        """Whether the members are sums of what they predict."""
        return are_sums((self.estimator,))

    @property
    def sums_trees(self) -> bool:
        """Whether the members are sums of trees alone."""
        return promises_trees(self.estimator)

    def answers(self, member: Any, X: np.ndarray, K: int) -> np.ndarray:
        """What a member says of rows of its columns X, (m, q), for K classes, (m, K), or (m, 1)."""
        return member.predict(X)[:, None]

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if self.estimator.card.peer.startswith("sklearn.neural_network."):
            return (
                f"{self.title()} of {self.estimator.title()} is not written for scikit-learn, "
                "whose own divides by zero where no row of a batch was drawn."
            )
        return {
            "estimator": self.estimator,
            "n_estimators": self.n_estimators,
            "max_samples": self.max_samples,
            "bootstrap": self.bootstrap,
            "max_features": self.max_features,
        }

    def _shared(self, given: Given) -> Given:
        """The rows that have weight."""
        refuse_weights(self.estimator, given, self.title())
        return rows_with_weight(given)

    def _out_of_bag(self, shared: Given) -> OutOfBag:
        return OutOfBag(shared.target, shared.w, _classes_of(shared))

    def _of_all(self, shared: Given, state: BaggingState) -> np.ndarray:
        X = shared.X[:, state.features[-1]]
        return self.answers(state.members[-1], X, _classes_of(shared))

    def _grown(self, shared: Given, some: range) -> _Grown:
        """A member, from the rows, columns and lots that are its own."""
        (i,) = some
        rng = shared.rng("member", i)
        q = max(round(self.max_features * shared.p), 1)
        features = np.arange(shared.p)
        if q < shared.p:
            features = np.sort(rng.choice(shared.p, size=q, replace=False))
        counts = self._counts(shared, rng)
        X = shared.X if q == shared.p else np.ascontiguousarray(shared.X[:, features])
        member = self._member(shared, X, features, counts, int(rng.integers(2**31)), i)
        rows = np.flatnonzero(counts == 0)
        K = _classes_of(shared)
        nothing = np.zeros((0, max(K, 1)))  # a method is asked of one row or more
        left_out = self.answers(member, X[rows], K) if len(rows) else nothing
        votes = votes_of(member, X[rows], K) if K and len(rows) else None
        return _Grown(member, features, Answers(rows, left_out, votes))

    def _counts(self, some: Given, rng: np.random.Generator) -> np.ndarray:
        """How often each row is drawn, (n,); drawn anew where a single class was."""
        for _ in range(MOST_DRAWS):
            counts = drawn(rng, some.n, self.max_samples, self.bootstrap)
            here = some.target[counts > 0]
            if some.classes is None or (here != here[0]).any():
                return counts
        raise DataError(
            f"{self.title()} draws rows of a single class again and again. Draw a larger share."
        )

    def _member(
        self,
        some: Given,
        X: np.ndarray,
        features: np.ndarray,
        counts: np.ndarray,
        seed: int,
        i: int,
    ) -> Any:
        """The method fitted to drawn rows: weighed by how often, or as often there."""
        columns = tuple(some.columns[j] for j in features)
        takes = "weights" in self.estimator.card.takes
        at = np.flatnonzero(counts) if takes else np.repeat(np.arange(some.n), counts.astype(int))
        more = {"weights": (counts * some.w)[at]} if takes else {}
        try:
            with naming_classes(some):
                return self.estimator.fit(
                    X[at], some.target[at], columns=columns, seed=seed, **more
                )
        except MlcoreError as error:
            raise error.inside(f"Member {i + 1}") from None

    def _joined(
        self, shared: Given, before: BaggingState | None, some: _Grown, known: OutOfBag
    ) -> BaggingState:
        alone = self._out_of_bag(shared)
        for each in (known, alone):
            each.add(some.left_out)
        errors = longer(before.member_errors if before else None, np.array([alone.error]))
        joined = np.array([known.error]), np.array([known.n_rows])
        return BaggingState(
            members=(*(before.members if before else ()), some.member),
            features=longer(before.features if before else None, some.features[None]),
            member_errors=errors if self._leaves_out else None,
            **self._errors(before, known, *joined),
        )

    def _common(self, given: Given, state: BaggingState) -> dict[str, Any]:
        own = {"members": state.members, "features": state.features}
        return super()._common(given, state) | own | {"member_errors": state.member_errors}


def _classes_of(given: Given) -> int:
    return 0 if given.classes is None else len(given.classes)
