"""What a fit of trees, or of several members, can do.

As in `mlcore/spine/capabilities.py`, m is the number of rows that are given, p of columns, K of
classes; B that of members, v of variables.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import HasClasses


@runtime_checkable
class HasImportances(Protocol):
    """`importances`: share of each column in what the method gains, shape (p,)."""

    importances: np.ndarray


@runtime_checkable
class HasImportanceSpread(HasImportances, Protocol):
    """`importance_spread`: standard deviation of `importances` from member to member, (p,)."""

    importance_spread: np.ndarray


@runtime_checkable
class HasPermutationImportances(Protocol):
    """`permuted`: how much larger the error of a member gets on the rows that it has not learned
    from when the values of one variable are shuffled among them, shape (B, v), in the order in
    which variables come in `columns`; a share of rows, or a mean square of the target."""

    permuted: np.ndarray


@runtime_checkable
class HasTree(Protocol):
    """`tree`: the nodes of a decision tree as arrays (`mlcore/trees/tree.py`)."""

    tree: Any


@runtime_checkable
class HasMembers(Protocol):
    """`members`: the fits of which this one is made, in their order."""

    members: tuple[Any, ...]


@runtime_checkable
class HasCodeMatrix(HasClasses, HasMembers, Protocol):
    """`code`: which classes each of B binary members parts, shape (K, B) of -1, 0 and 1, and
    `scores(X)`: what they say, shape (m, B), positive for the classes at 1."""

    code: np.ndarray

    def scores(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasMemberErrors(HasMembers, Protocol):
    """`errors`: share of its own fitted rows that each member gets wrong, shape (B,), and
    `counts` of these rows, shape (B,)."""

    errors: np.ndarray
    counts: np.ndarray


@runtime_checkable
class CountsVotes(HasClasses, Protocol):
    """Voters that each name a class: trees, classifiers, rules or neighbours. `vote_shares(X)`: the
    share of the votes that goes to each class, each counting as much as its voter does in the
    whole, shape (m, K), rows of sum 1."""

    def vote_shares(self, X: Any) -> np.ndarray: ...
