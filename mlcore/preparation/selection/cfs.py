"""Correlation-based selection: variables that follow the target and not one another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.component import Card, enter
from mlcore.method import Given
from mlcore.preparation.selection.judge import Judge, SubsetScore, Variables

RANK = 1e-10  # relative length below which a direction of a block is rounding


class MeritJudge(Judge):
    """J = sum of r_y over the root of the sum of all r_xx, kept up per move."""

    def __init__(self, with_target: np.ndarray, between: np.ndarray) -> None:
        super().__init__(len(with_target))
        self.with_target = with_target  # (d,)
        self.between = between  # (d, d), ones on the diagonal

    def added(self, members: np.ndarray) -> np.ndarray:
        """All at once: one sum more for each candidate."""
        self.evaluations += int((~members).sum())
        top, below = self._sums(members)
        across = self.between[:, members].sum(axis=1)
        J = (top + self.with_target) / np.sqrt(below + 1 + 2 * across)
        return np.where(members, -np.inf, J)

    def removed(self, members: np.ndarray) -> np.ndarray:
        """All at once: one sum less for each member."""
        self.evaluations += int(members.sum())
        if members.sum() == 1:
            return np.where(members, 0.0, -np.inf)
        top, below = self._sums(members)
        across = self.between[:, members].sum(axis=1) - 1
        with np.errstate(invalid="ignore"):  # of those that are not members, which are not asked
            J = (top - self.with_target) / np.sqrt(below - 1 - 2 * across)
        return np.where(members, J, -np.inf)

    def every(self) -> np.ndarray:
        """J of all 2^d subsets; variable 0 is the highest bit of the place, shape (2^d,)."""
        top, below = np.zeros(1), np.zeros(1)
        for v in reversed(range(self.d)):
            across = np.zeros(1)
            for u in reversed(range(v + 1, self.d)):
                across = np.concatenate([across, across + self.between[v, u]])
            top = np.concatenate([top, top + self.with_target[v]])
            below = np.concatenate([below, below + 1 + 2 * across])
        self.evaluations += len(top) - 1
        return np.divide(top, np.sqrt(below), out=np.zeros_like(top), where=below > 0)

    def _value(self, members: np.ndarray) -> float:
        top, below = self._sums(members)
        return float(top / np.sqrt(below)) if below > 0 else 0.0

    def _sums(self, members: np.ndarray) -> tuple[float, float]:
        inside = self.between[np.ix_(members, members)]
        return float(self.with_target[members].sum()), float(inside.sum())


@enter(
    Card(
        "cfs",
        "Correlation merit (CFS)",
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

    A filter: no method is fitted, so it is quick and suits any method afterwards. Sees straight
    lines and pairs only: two variables that tell classes apart only together are both passed over.
    Printed without the root, or without the k under it, the formula depends on the units or is 0/0
    for a single variable. O(n d^2) once, then O(d) a subset.
    """

    def judge(self, given: Given, variables: Variables) -> Judge:
        """Correlations are computed once; a variable that never changes has 0."""
        bases = [_basis(given.X[:, at]) for at in variables.blocks]
        with_target = np.array([_with_target(Q, given) for Q in bases])
        return MeritJudge(with_target, _between(bases))

    def seconds(self, n: int, p: int, subsets: float) -> float:
        """Correlations, then a few sums a subset."""
        return 1e-9 * n * p**2 + 2e-7 * subsets


def _basis(X: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the centered columns of X, shape (n, rank)."""
    about = X - X.mean(axis=0)
    size = np.sqrt((about**2).sum(axis=0))
    floor = RANK * np.sqrt(len(X)) * np.abs(X).max(axis=0)
    about = about[:, size > floor] / size[size > floor]
    if about.shape[1] < 2:
        return about
    U, s, _ = np.linalg.svd(about, full_matrices=False)
    return U[:, s > RANK * s[0]]


def _with_target(Q: np.ndarray, given: Given) -> float:
    if given.classes is None:
        return _canonical(Q.T @ _basis(given.target[:, None]))
    of_class = (given.target[:, None] == np.arange(len(given.classes))).astype(float)
    if Q.shape[1] > 1:
        return _canonical(Q.T @ _basis(of_class))
    r = [_canonical(Q.T @ _basis(one[:, None])) for one in of_class.T]
    return float(of_class.mean(axis=0) @ r)


def _canonical(products: np.ndarray) -> float:
    """The largest canonical correlation of two bases, from their products."""
    return float(min(np.linalg.norm(products, 2), 1.0)) if products.size else 0.0


def _between(bases: list[np.ndarray]) -> np.ndarray:
    """Correlations between the variables, shape (d, d)."""
    starts = np.cumsum([0, *(Q.shape[1] for Q in bases)])
    stacked = np.hstack(bases)
    products = stacked.T @ stacked
    out = np.eye(len(bases))
    single = [v for v, Q in enumerate(bases) if Q.shape[1] == 1]
    at = starts[single]
    out[np.ix_(single, single)] = np.minimum(np.abs(products[np.ix_(at, at)]), 1.0)
    for v in (v for v, Q in enumerate(bases) if Q.shape[1] > 1):
        rows = products[starts[v] : starts[v + 1]]
        for u in range(len(bases)):
            out[v, u] = out[u, v] = _canonical(rows[:, starts[u] : starts[u + 1]])
    np.fill_diagonal(out, 1.0)
    return out
