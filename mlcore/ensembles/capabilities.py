"""What a fitted ensemble knows of its members, beside `mlcore/spine/capabilities.py`.

B is the number of members, T of rounds, m of rows that are given, K of classes.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import HasClasses
from mlcore.spine.capabilities_of_members import HasMembers


@runtime_checkable
class HasTrees(Protocol):
    """`trees`: those of a forest, each as `HasTree` has one, and `member_tree(number)`: one of
    them, counted from 1."""

    trees: tuple[Any, ...]

    def member_tree(self, number: int) -> Any: ...


@runtime_checkable
class HasOutOfBag(Protocol):
    """What members say of rows that they have not learned from. `oob_errors`: of the first 1, 2 ...
    B members, the share of rows that they get wrong, or the root mean square in units of the
    target, shape (B,), NaN where none has left a row out; `oob_rows`: how many rows some of them
    have left out, shape (B,)."""

    oob_errors: np.ndarray
    oob_rows: np.ndarray


@runtime_checkable
class CountsVotesLeftOut(HasClasses, Protocol):
    """Members drawn at random that vote. `oob_votes`: of each fitted row, the share of the members
    that have not learned from it and predict each class, shape (n, K), rows of sum 1; NaN where
    all have learned from a row, or it has no weight."""

    oob_votes: np.ndarray


@runtime_checkable
class HasBoostingRounds(HasClasses, HasMembers, Protocol):
    """Weighted votes of members, each fitted in its round to rows that weigh differently. Of each
    round, shape (T,), `alphas`: weight of the vote, `errors`: weighted error of the member, and of
    the votes up to there `losses`: exponential loss, `training_errors`: share of wrong rows.
    `votes(X, rounds)`: for each class, by the first of the rounds, shape (m, K)."""

    alphas: np.ndarray
    errors: np.ndarray
    losses: np.ndarray
    training_errors: np.ndarray

    def votes(self, X: Any, rounds: int | None = None) -> np.ndarray: ...


@runtime_checkable
class HasDescent(Protocol):
    """A sum that grows by a term a round, each fitted to the slope of a loss: a quantity, the
    log-odds of two classes, or a score a class. `rounds`: how many count; `after(X, rounds)`: the
    sum of the first of them, shape (m,), or (m, K) of more than two classes; `downhill(y, at,
    weights)`: minus the slope of the loss of targets or codes y, (n,), at such sums, for rows of
    such weights, shaped as these."""

    rounds: int

    def after(self, X: Any, rounds: int) -> np.ndarray: ...

    def downhill(self, y: np.ndarray, at: np.ndarray, weights: np.ndarray) -> np.ndarray: ...


@runtime_checkable
class ComparesMembers(Protocol):
    """Members beside the whole, on rows from which neither has learned: `member_names`, (B,),
    `member_errors`, shape (B,), and `joined_error` of all together; shares of wrong rows, or root
    mean squares in units of the target. NaN for a member that has left out no row."""

    member_errors: np.ndarray

    @property
    def member_names(self) -> tuple[str, ...]: ...

    @property
    def joined_error(self) -> float | None: ...


@runtime_checkable
class HasMemberAnswers(HasClasses, Protocol):
    """A few classifiers side by side: `member_names`, (B,), and `member_answers(X)`, the class that
    each predicts, as its code in `classes`, shape (m, B)."""

    @property
    def member_names(self) -> tuple[str, ...]: ...

    def member_answers(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasMemberValues(Protocol):
    """A quantity that is the mean of what its members say: `member_values(X)`, what each says of
    the rows, shape (m, B), in units of the target."""

    def member_values(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasMemberProbabilities(HasClasses, Protocol):
    """Probabilities that are the mean of what members say: `member_probabilities(X)`, those of
    each of them, or its vote as 1 and 0, shape (m, B, K)."""

    def member_probabilities(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class WeighsMembers(Protocol):
    """A sum or a vote of several methods: `member_names`, (B,), and `member_weights`, how much each
    counts in it, shape (B,)."""

    @property
    def member_names(self) -> tuple[str, ...]: ...

    @property
    def member_weights(self) -> np.ndarray: ...


@runtime_checkable
class HasPathLengths(Protocol):
    """Trees that part rows at random. `path_lengths(X, number)`: how many cuts a row meets in one
    of `n_members` trees, counted from 1, shape (m,)."""

    @property
    def n_members(self) -> int: ...

    def path_lengths(self, X: Any, number: int) -> np.ndarray: ...
