"""Predictions that are sums of simple things, so that Shapley values of them have a short way.

As in `mlcore/spine/capabilities.py`, p is the number of columns; K that of outputs: the classes
of the fit where it gives probabilities, else 1; of two classes that are parted by one score, 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesDecision

LOG_ODDS, SCORE, LOGARITHM = "log-odds", "score", "logarithm"  # what sums are, if not predicted


class TreeTerm(NamedTuple):
    """What a tree adds: of a row the answer of its leaf."""

    tree: Any  # has `left`, `feature`, `weight` and `answers_to`, as `mlcore/trees/tree.py`
    answers: np.ndarray  # (t, K) of its t nodes
    columns: np.ndarray | None = None  # (q,) positions of those that it sees; None: all


class Sum(NamedTuple):
    """Trees, or a curve a column: what they add up to, up to a constant."""

    trees: tuple[TreeTerm, ...] = ()
    curve: Callable[[np.ndarray, int], np.ndarray] | None = None  # of rows and a column, (m, K)
    scale: str = ""  # what the sum is; "" where it is what is predicted
    scores: Callable[[np.ndarray], np.ndarray] | None = None  # the sum at rows, where scale says so


@runtime_checkable
class IsSum(Protocol):
    """What is predicted, or a score from which it follows, is a sum of simple things. `as_sum`:
    of which; None where these members are none."""

    @property
    def as_sum(self) -> Sum | None: ...


@runtime_checkable
class MayBeSum(Protocol):
    """Of a method: `is_sum`, whether its fits are sums with these settings."""

    @property
    def is_sum(self) -> bool: ...


@runtime_checkable
class MayBeTrees(Protocol):
    """Of a method: `sums_trees`, whether its fits are sums of trees alone with these settings."""

    @property
    def sums_trees(self) -> bool: ...


@runtime_checkable
class HasUsedLink(Protocol):
    """Of a method: `used_link`, by which what it predicts follows from the sum; `identity` where
    the sum is predicted."""

    @property
    def used_link(self) -> str: ...


@runtime_checkable
class MixesColumns(Protocol):
    """Of a step of preparation: `mixes_columns`, whether a column that it makes may depend on
    several variables."""

    @property
    def mixes_columns(self) -> bool: ...


def promises_sum(method: Any, *, of_predictions: bool = False) -> bool:
    """Whether the fits of a method are sums, as far as its settings tell; with `of_predictions`
    of what they predict, not of a score or a logarithm."""
    if not promises(method, IsSum) or (isinstance(method, MayBeSum) and not method.is_sum):
        return False
    is_linked = isinstance(method, HasUsedLink) and method.used_link != "identity"
    return not (of_predictions and (promises(method, GivesDecision) or is_linked))


def promises_trees(method: Any) -> bool:
    """Whether the fits of a method are sums of trees alone, as far as its settings tell."""
    return promises_sum(method) and isinstance(method, MayBeTrees) and method.sums_trees


def weighted_columns(weights: np.ndarray) -> Callable[[np.ndarray, int], np.ndarray]:
    """The curves of a weighted sum of columns, by weights of shape (p, K)."""
    return lambda X, j: X[:, [j]] * weights[j]


def linear_scores(coefficients: np.ndarray, scores: Any, scale: str = SCORE) -> Sum:
    """The sum of a classifier with coefficients, (p,) for two classes or (K, p), and `decision`.

    Of two classes the one score is called log-odds where `scale` says so.
    """
    weights = np.atleast_2d(coefficients).T
    is_pair = coefficients.ndim == 1
    return Sum(curve=weighted_columns(weights), scale=scale if is_pair else SCORE, scores=scores)


def multiplied(term: TreeTerm, factor: float) -> TreeTerm:
    """The same tree with answers times a number."""
    return term._replace(answers=term.answers * factor)
