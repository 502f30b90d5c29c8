"""Correlation-based selection: variables correlated with the target and not with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.preparation.selection.correlations import (
    correlations_between,
    correlations_with_target,
    kind_of_correlation,
)
from mlcore.preparation.selection.judge import Judge, SubsetScore, Variables
from mlcore.preparation.selection.uncertainty import uncertainties
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given
from mlcore.spine.random import generator

MOST_ALL = 16  # variables whose subsets are all scored for comparison: it takes a few milliseconds


class MeritJudge(Judge):
    """J = sum of r_y over the root of the sum of all r_xx, kept up per move."""

    def __init__(self, with_target: np.ndarray, between: np.ndarray) -> None:
        super().__init__(len(with_target))
        self.with_target = with_target  # (d,)
        self.between = between  # (d, d), ones on the diagonal
        # A subset is identified by the exclusive or of its variables' numbers: quicker than bits.
        self._numbers = generator(0, "numbers of variables").integers(2**63, size=self.d)
        self._scored: set[int] = set()

    def value(self, members: np.ndarray) -> float:
        """J of the variables where `members`, shape (d,), is true."""
        self._count(members, np.zeros(1, dtype=np.int64))
        return self._value(members)

    def added(self, members: np.ndarray) -> np.ndarray:
        """J with one more variable, shape (d,), all at once: one sum more for each candidate."""
        self._count(members, self._numbers[~members])
        return self._added(members)

    def removed(self, members: np.ndarray) -> np.ndarray:
        """J with one variable less, shape (d,), all at once: one sum less for each member."""
        self._count(members, self._numbers[members])
        return self._removed(members)

    def known(self, members: np.ndarray) -> float:
        """J of any subset, `members`, shape (d,): it costs a few sums."""
        return self._value(members)

    def around(self, members: np.ndarray) -> np.ndarray:
        """J with each variable added or removed, shape (d,)."""
        return np.where(members, self._removed(members), self._added(members))

    def optimum(self) -> np.ndarray:
        """The best J of each size, shape (d + 1,), for few variables; (0,) for many."""
        if self.d > MOST_ALL:
            return np.zeros(0)
        best = np.full(self.d + 1, -np.inf)
        np.maximum.at(best, np.bitwise_count(np.arange(2**self.d)), self._every())
        return best

    def _count(self, members: np.ndarray, flipped: np.ndarray) -> None:
        """Take note of the subsets that differ from this one by these numbers."""
        number = np.bitwise_xor.reduce(self._numbers[members])
        self._scored.update((number ^ flipped).tolist())
        self._scored.discard(0)  # nothing
        self.evaluations = len(self._scored)

    def _added(self, members: np.ndarray) -> np.ndarray:
        top, below, across = self._sums(members)
        J = (top + self.with_target) / np.sqrt(below + 1 + 2 * across)
        return np.where(members, -np.inf, J)

    def _removed(self, members: np.ndarray) -> np.ndarray:
        if members.sum() <= 1:
            return np.where(members, 0.0, -np.inf)
        top, below, across = self._sums(members)
        with np.errstate(invalid="ignore"):  # of those that are not members, which are not asked
            J = (top - self.with_target) / np.sqrt(below + 1 - 2 * across)
        return np.where(members, J, -np.inf)

    def every(self) -> np.ndarray:
        """J of all 2^d subsets; variable 0 is the highest bit of the place, shape (2^d,)."""
        self.evaluations = 2**self.d - 1
        return self._every()

    def _every(self) -> np.ndarray:
        top, below = np.zeros(1), np.zeros(1)
        for v in reversed(range(self.d)):
            across = np.zeros(1)
            for u in reversed(range(v + 1, self.d)):
                across = np.concatenate([across, across + self.between[v, u]])
            top = np.concatenate([top, top + self.with_target[v]])
            below = np.concatenate([below, below + 1 + 2 * across])
        return np.divide(top, np.sqrt(below), out=np.zeros_like(top), where=below > 0)

    def _value(self, members: np.ndarray) -> float:
        top, below, _ = self._sums(members)
        return top / np.sqrt(below) if below > 0 else 0.0

    def _sums(self, members: np.ndarray) -> tuple[float, float, np.ndarray]:
        """With the target, among the members, and of every variable with the members, (d,)."""
        across = self.between @ members.astype(float)
        return float(self.with_target[members].sum()), float(across[members].sum()), across


@enter(
    Card(
        "cfs",
        "Correlation-based (CFS)",
        ("subset_score",),
        paper="Hall (2000), ICML 17",
        sources=("cs1:vs_cfs",),
        formula=r"J(S) = \frac{k \bar r_{xy}}{\sqrt{k + k (k - 1) \bar r_{xx}}}",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class CFS(SubsetScore):
    r"""Scores a subset by its correlation with the target against that among its variables.

    $J(S) = k \bar r_{xy} / \sqrt{k + k (k - 1) \bar r_{xx}}$ over the k variables of S, with the
    mean absolute correlations to the target and between pairs; J of nothing is 0. With classes the
    correlation to the target is $\sum_c p_c |r(x, 1[y = c])|$; a variable that is a block of
    columns has the largest canonical correlation.

    A filter: no method is fitted, so it is quick and suits any method afterwards. It sees straight
    lines only, unless it counts uncertainty, and pairs only: two variables that tell classes apart
    only together are both passed over.
    Printed without the root, or without the k under it, the formula depends on the units or is 0/0
    for a single variable. O(n d^2) once, then O(d) a subset.
    """

    kind: str = kind_of_correlation(
        uncertainty="or their symmetric uncertainty 2 I / (H + H) after a cut into ten bins, "
        "which sees any relation"
    )

    def judge(self, given: Given, variables: Variables) -> Judge:
        """All correlations are computed once; those of a constant variable are 0."""
        if self.kind == "uncertainty":
            U = uncertainties(given, variables)
            among = U[:-1, :-1].copy()
            np.fill_diagonal(among, 1.0)
            return MeritJudge(U[:-1, -1], among)
        bases, with_target = correlations_with_target(given, variables, self.kind)
        return MeritJudge(with_target, correlations_between(bases))

    def seconds(self, n: int, p: int, subsets: float) -> float:
        """All pairs, then a few sums a subset."""
        pairs = 1e-8 if self.kind == "uncertainty" else 1e-9  # of levels, or of columns
        return pairs * n * p**2 + 2e-7 * subsets
