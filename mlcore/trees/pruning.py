"""Pruning of grown trees: rules as parts, and the nested path of subtrees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given
from mlcore.spine.params import flag, integer, real
from mlcore.spine.records import function
from mlcore.trees.tree import Tree

MOST_ALPHAS = 60  # prices of a leaf that cross-validation compares


class Collapse(NamedTuple):
    """One inner node that becomes a leaf, and why."""

    node: int  # of the grown tree
    why: str


@dataclass(frozen=True, kw_only=True)
class Pruning(Component):
    """Which inner nodes of a grown tree become leaves."""

    def collapses(self, method: Any, given: Given, tree: Tree) -> list[Collapse]:
        """The nodes of the grown tree that become leaves, in order."""
        raise NotImplementedError(f"{type(self).__name__} declares no collapses")

    def held_out(self, given: Given) -> np.ndarray | None:
        """Which rows the tree is not grown on, shape (n,), or None for none."""
        return None


@enter(Card("none", "No pruning", ("pruning",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NoPruning(Pruning):
    """The tree stays as it was grown."""

    def collapses(self, method: Any, given: Given, tree: Tree) -> list[Collapse]:
        """No nodes."""
        return []


@enter(
    Card(
        "cost_penalty",
        "Penalty per leaf",
        ("pruning",),
        kind="part",
        sources=("prac:tree_cost", "prac:tree_prune"),
        formula=r"\min \sum_t (|t| I(t) + \lambda)",
    )
)
@dataclass(frozen=True, kw_only=True)
class CostPenalty(Pruning):
    """Collapses whichever inner node lowers risk plus lambda a leaf most, while any does."""

    lam: float = real(
        1.0,
        low=0.0,
        soft=(0.01, 20.0),
        log=True,
        symbol="λ",
        label="Complexity parameter",
        doc="In units of the risk: weight times impurity.",
    )

    def collapses(self, method: Any, given: Given, tree: Tree) -> list[Collapse]:
        """Every inner node is a candidate in every iteration, not only parents of two leaves."""
        open_tree = _Open(tree)
        collapses = []
        while open_tree.inner.any():
            saved = self.lam * (open_tree.leaves - 1) - (tree.risk - open_tree.below)
            saved[~open_tree.inner] = -np.inf
            node = int(saved.argmax())
            if not saved[node] > 0:
                break
            collapses.append(Collapse(node, f"which lowers risk and price by {saved[node]:.4g}"))
            open_tree.collapse(node)
        return collapses


class _Open:
    """A tree while nodes are collapsed: leaves and risk below every node."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.inner = tree, ~tree.is_leaf
        self.leaves, self.below = tree.leaves_below(), tree.risk_below()
        self.parent = tree.parents()

    def collapse(self, node: int) -> tuple[list[int], list[int]]:
        """Make a leaf of a node; the nodes that are no longer inner, and those above them."""
        gone, stack, above = [], [node], []
        while stack:
            t = stack.pop()
            if self.inner[t]:
                self.inner[t] = False
                gone.append(t)
                stack += [self.tree.left[t], self.tree.left[t] + 1]
        fewer, saved = self.leaves[node] - 1, self.tree.risk[node] - self.below[node]
        while node >= 0:
            self.leaves[node] -= fewer
            self.below[node] += saved
            node = self.parent[node]
            above.append(node)
        return gone, above[:-1]


class CostComplexityPath(NamedTuple):
    """Nested subtrees: which node goes at which price of a leaf."""

    alphas: np.ndarray  # (s,) rising; share of the weight, in units of the impurity
    nodes: np.ndarray  # (s,) collapsed from there on
    leaves: np.ndarray  # (s + 1,) of the tree before the first and after each collapse
    risks: np.ndarray  # (s + 1,) sum over leaves of share x impurity


@function("cost_complexity_path", title="Cost-complexity path", sources=("cs2:tree_prune",))
def cost_complexity_path(tree: Tree) -> CostComplexityPath:
    """Collapses the weakest link, of least (R(t) - R(T_t)) / (leaves of T_t - 1), until one leaf.

    Breiman, Friedman, Olshen and Stone (1984), section 3.3.
    """
    risk = tree.risk / tree.weight[0]
    open_tree = _Open(replace(tree, risk=risk))
    alphas, nodes = [], []
    leaves, risks = [int(open_tree.leaves[0])], [float(open_tree.below[0])]
    price = np.full(len(tree), np.inf)
    changed = np.flatnonzero(open_tree.inner)
    while open_tree.inner[0]:
        price[changed] = (risk - open_tree.below)[changed] / (open_tree.leaves[changed] - 1)
        node = int(price.argmin())
        alphas.append(max(float(price[node]), alphas[-1] if alphas else 0.0))
        nodes.append(node)
        gone, changed = open_tree.collapse(node)
        price[gone] = np.inf
        leaves.append(int(open_tree.leaves[0]))
        risks.append(float(open_tree.below[0]))
    return CostComplexityPath(
        np.array(alphas), np.array(nodes, dtype=np.int64), np.array(leaves), np.array(risks)
    )


def _weakest_up_to(tree: Tree, alpha: float) -> list[Collapse]:
    path = cost_complexity_path(tree)
    count = int(np.searchsorted(path.alphas, alpha, side="right"))
    return [
        Collapse(int(path.nodes[j]), f"the weakest link, at a price of {path.alphas[j]:.4g} a leaf")
        for j in range(count)
    ]


@enter(
    Card(
        "cost_complexity",
        "Cost complexity",
        ("pruning",),
        kind="part",
        paper="Breiman and others (1984), chapter 3",
        sources=("cs2:tree_prune", "s841:tree_simplification"),
        formula=r"\min_T \; R(T) + \alpha |T|",
        synonyms=("weakest link pruning", "ccp_alpha", "post-pruning"),
    )
)
@dataclass(frozen=True, kw_only=True)
class CostComplexity(Pruning):
    """The smallest of the nested subtrees that minimise risk plus alpha a leaf."""

    alpha: float = real(
        0.01,
        low=0.0,
        soft=(1e-4, 0.5),
        log=True,
        symbol="α",
        label="Complexity parameter",
        doc="In units of the impurity, for the weight of all rows as 1.",
    )

    def collapses(self, method: Any, given: Given, tree: Tree) -> list[Collapse]:
        """The weakest links up to alpha."""
        return _weakest_up_to(tree, self.alpha)


@enter(
    Card(
        "cost_complexity_cv",
        "Cost complexity, by cross-validation",
        ("pruning",),
        kind="part",
        paper="Breiman and others (1984), chapter 3",
        sources=("cs2:tree_prune",),
    )
)
@dataclass(frozen=True, kw_only=True)
class CostComplexityCV(Pruning):
    """Cost complexity with the alpha that predicts test rows best, among the training rows.

    Candidates are geometric means of neighbouring prices of the path. Folds are dealt in the order
    of the target, so they need no seed.
    """

    folds: int = integer(
        5, low=2, soft=(2, 10), doc="Parts of the training rows, each left out once."
    )
    one_se: bool = flag(
        True,
        label="One standard error",
        doc="Take the smallest tree whose error is within one standard error of the least.",
    )

    def collapses(self, method: Any, given: Given, tree: Tree) -> list[Collapse]:
        """The weakest links up to the chosen alpha."""
        path = cost_complexity_path(tree)
        if not len(path.alphas):
            return []
        prices = np.unique(np.append(0.0, np.maximum(path.alphas, 0.0)))
        middles = np.append(np.sqrt(prices[:-1] * prices[1:]), prices[-1])
        if len(middles) > MOST_ALPHAS:
            middles = middles[np.linspace(0, len(middles) - 1, MOST_ALPHAS).round().astype(int)]
        return _weakest_up_to(tree, self.chosen(middles, method, given))

    def chosen(self, alphas: np.ndarray, method: Any, given: Given) -> float:
        """The one of the alphas, shape (A,), with the least error on test rows.

        With `one_se` the largest within one standard error of the least.
        """
        fold = dealt(given, self.folds)
        grows = replace(method, pruning=NoPruning())
        losses = np.empty((len(alphas), given.n))
        for j in range(self.folds):
            out = fold == j
            grown = grows.growing(_part(given, ~out))
            grown.grow()
            tree = grown.tree()
            path = cost_complexity_path(tree)
            for a, alpha in enumerate(alphas):
                count = np.searchsorted(path.alphas, alpha, side="right")
                smaller = tree.collapsed(path.nodes[:count])
                losses[a, out] = _loss(smaller, smaller.leaf_of(given.X[out]), given, out)
        mean = losses @ given.w / given.w.sum()
        best = int(mean.argmin())
        spread = np.sqrt(given.w @ (losses[best] - mean[best]) ** 2 / given.w.sum())
        allowed = mean[best] + (spread / np.sqrt(given.n) if self.one_se else 0.0)
        return float(alphas[np.flatnonzero(mean <= allowed)[-1]])


def dealt(given: Given, folds: int) -> np.ndarray:
    """A fold for each row, shape (n,), dealt in the order of the target: folds are stratified.

    Raises DataError if there are fewer rows than folds.
    """
    if given.n < folds:
        raise DataError(f"{folds} folds need {folds} rows; there are {given.n}. Lower folds.")
    fold = np.empty(given.n, dtype=np.int64)
    fold[np.argsort(given.target, kind="stable")] = np.arange(given.n) % folds
    return fold


def _part(given: Given, here: np.ndarray) -> Given:
    weights = None if given.weights is None else given.weights[here]
    if weights is not None and not weights.any():
        raise DataError("A fold of the pruning holds every row that has weight. Lower folds.")
    return replace(given, X=given.X[here], y=given.target[here], weights=weights)


def _loss(tree: Tree, node: np.ndarray, given: Given, rows: Any) -> np.ndarray:
    """Loss of the predictions of these nodes: 0 or 1 for classes, else the squared error."""
    y = given.target[rows]
    if given.classes is not None:
        return (tree.label[node] != y).astype(np.float64)
    return (tree.values[node, 0] - y) ** 2


@enter(
    Card(
        "reduced_error",
        "Reduced error",
        ("pruning",),
        kind="part",
        paper="Quinlan (1987), Int. J. Man-Machine Studies 27",
        sources=("s841:tree_simplification",),
    )
)
@dataclass(frozen=True, kw_only=True)
class ReducedError(Pruning):
    """Grows on a part of the rows; collapses, from the leaves up, what does not help the rest."""

    fraction: float = real(
        0.3,
        above=0.0,
        below=1.0,
        soft=(0.1, 0.5),
        label="Validation fraction",
        doc="Share of the training rows that judge the tree and do not grow it.",
    )

    def held_out(self, given: Given) -> np.ndarray:
        """Rows held out, spread evenly along the target, shape (n,).

        Raises DataError if no row, or every row that has weight, would be held out.
        """
        rank = np.empty(given.n)
        rank[np.argsort(given.target, kind="stable")] = np.arange(given.n)
        out = np.floor((rank + 1) * self.fraction) > np.floor(rank * self.fraction)
        if not out.any() or not given.w[~out].any():
            raise DataError(
                f"{given.n} rows are too few to hold out a share of {self.fraction:g}. Choose "
                "another pruning."
            )
        return out

    def collapses(self, method: Any, given: Given, tree: Tree) -> list[Collapse]:
        """Nodes whose subtree errs at least as much on the rows held out as a leaf would."""
        out = self.held_out(given)
        X, w = given.X[out], given.w[out]
        own, at, parent = np.zeros(len(tree)), tree.leaf_of(X), tree.parents()
        while (at >= 0).any():  # every row counts in all nodes on its way
            on = at >= 0
            rows = np.flatnonzero(out)[on]
            own += np.bincount(
                at[on], weights=w[on] * _loss(tree, at[on], given, rows), minlength=len(tree)
            )
            at = np.where(on, parent[at], -1)
        return _from_the_leaves(tree, own, "which costs nothing on the rows held out")


@enter(
    Card(
        "pessimistic",
        "Pessimistic",
        ("pruning",),
        kind="part",
        paper="Quinlan (1993), C4.5",
        sources=("s841:tree_simplification", "s841:c45", "cs2:c45"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Pessimistic(Pruning):
    """Collapses, from the leaves up, what does not lower an upper limit of the number of errors."""

    confidence: float = real(
        0.25,
        above=0.0,
        below=1.0,
        soft=(0.05, 0.5),
        doc="Probability that the error rate of a leaf is above its limit; less prunes more.",
    )

    def collapses(self, method: Any, given: Given, tree: Tree) -> list[Collapse]:
        """Nodes whose upper limit as a leaf is not above the sum of the limits below.

        Raises DataError if the target is a quantity.
        """
        if given.classes is None:
            raise DataError(
                "Pessimistic pruning counts errors, which a quantity has not. Choose another one."
            )
        right = tree.values[np.arange(len(tree)), tree.label]
        wrong = np.maximum(tree.weight - right, 0.0)
        # Upper end of the binomial interval (Clopper and Pearson); 1 where every row is an error.
        most = betaincinv(wrong + 1.0, np.maximum(right, 1e-9), 1.0 - self.confidence)
        return _from_the_leaves(tree, tree.weight * most, "which does not raise the likely errors")


def _from_the_leaves(tree: Tree, own: np.ndarray, why: str) -> list[Collapse]:
    """Inner nodes, from below, whose loss as a leaf is not above that of their subtree."""
    below, collapses = own.copy(), []
    for t in range(len(tree) - 1, -1, -1):
        if tree.left[t] < 0:
            continue
        sum_below = below[tree.left[t]] + below[tree.left[t] + 1]
        if own[t] <= sum_below * (1 + 1e-12):
            collapses.append(Collapse(t, why))
        else:
            below[t] = sum_below
    return collapses
