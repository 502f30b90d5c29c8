"""What forests share: trees of rows and columns drawn at random, fitted side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mlcore.ensembles.out_of_bag import Answers, OutOfBag
from mlcore.ensembles.random_members import MembersState, RandomMembers, longer
from mlcore.ensembles.walks import Walks, in_pieces
from mlcore.spine.capabilities_of_sums import Sum, TreeTerm
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given
from mlcore.spine.params import flag, integer, real
from mlcore.spine.pool import threads
from mlcore.spine.wording import count
from mlcore.trees.criteria import Criterion
from mlcore.trees.feature_draws import FeatureDraw
from mlcore.trees.grove import Grove, Lots, Ranked, Stand
from mlcore.trees.growth import Limits, Rows, rescaled
from mlcore.trees.settings import max_depth_of, max_leaf_nodes_of, too_few_leaves
from mlcore.trees.tree import Tree, codes_checked, impurity_importance

# What nodes say, (t, K), of their values, (t, K), and their commonest classes, (t,).
Answering = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False, kw_only=True)
class ForestState(MembersState):
    """The trees so far, and what they say of rows that they have not learned from."""

    trees: tuple[Tree, ...]
    permuted: np.ndarray | None  # (t, v)

    @property
    def size(self) -> int:
        """How many trees there are, t."""
        return len(self.trees)


@dataclass(frozen=True, eq=False, kw_only=True)
class ForestFit(Fit):
    """Trees whose answers are averaged. Without rows left out the last three fields are None."""

    made_by: Forest
    trees: tuple[Tree, ...]  # (B,)
    oob_errors: np.ndarray | None  # (B,) of the first 1, 2 ... trees
    oob_rows: np.ndarray | None  # (B,) rows that some of these have left out
    permuted: np.ndarray | None  # (B, v) what shuffling a variable costs each tree

    def member_tree(self, number: int) -> Tree:
        """One of the trees, counted from 1; the last for a larger number."""
        return self.trees[min(number, len(self.trees)) - 1]

    @property
    def as_sum(self) -> Sum:
        """The trees, each with its share of the mean."""
        answers = ((tree, self.made_by.answers(tree)) for tree in self.trees)
        return Sum(trees=tuple(TreeTerm(tree, A / len(self.trees)) for tree, A in answers))

    @property
    def importances(self) -> np.ndarray:
        """Share of each column in what the splits gain, the mean of the trees, shape (p,)."""
        mean = self._importances.mean(axis=0)
        return mean / (mean.sum() or 1.0)

    @property
    def importance_spread(self) -> np.ndarray:
        """Standard deviation of the importances from tree to tree, shape (p,).

        Of the trees that split: the others have no gain to share.
        """
        return self._importances.std(axis=0)

    @cached_property
    def _importances(self) -> np.ndarray:
        split = [tree for tree in self.trees if len(tree) > 1]
        own = [impurity_importance(tree, self.n_columns) for tree in split]
        return np.array(own) if own else np.zeros((1, self.n_columns))

    def holds_together(self) -> bool:
        """Whether every walk in every tree ends in a leaf that says something."""
        answers = {tree.values.shape[1] for tree in self.trees}
        return answers == {self._n_answers} and all(
            tree.is_walkable(self.columns) for tree in self.trees
        )

    @property
    def _n_answers(self) -> int:
        return 1

    def _mean(self, X: Any, answers: Answering | None = None) -> np.ndarray:
        """What the trees say of each row on average, or other `answers` of their nodes, (m, K)."""
        X = self._rows(X)
        codes_checked(X, self.columns, self.made_by.title())
        values, label = (
            np.concatenate([getattr(tree, name) for tree in self.trees])
            for name in ("values", "label")
        )
        walks = Walks(self.trees, (answers or self.made_by.answers_of)(values, label), X)
        total = np.concatenate(in_pieces(X, len(self.trees), walks.summed), axis=1)
        return np.ascontiguousarray(total.T) / len(self.trees)

    def _by_tree(self, X: Any) -> np.ndarray:
        """What each tree says of each row, shape (m, B, K)."""
        X = self._rows(X)
        codes_checked(X, self.columns, self.made_by.title())
        answers = ((tree, self.made_by.answers(tree)) for tree in self.trees)
        return np.stack([says[tree.leaf_of(X)] for tree, says in answers], axis=1)


class _Shared(NamedTuple):
    """What all trees learn from: the rows that have weight."""

    given: Given
    X: np.ndarray  # (n, p)
    target: np.ndarray  # (n,)
    w: np.ndarray  # (n,) of mean 1
    K: int  # classes, 0 for a quantity
    grove: Grove
    seeds: np.ndarray  # (B,)


class _Grown(NamedTuple):
    """Some trees, and what they say of the rows that they have not learned from."""

    stand: Stand
    answers: np.ndarray  # (t, K) of all nodes
    permuted: np.ndarray | None  # (c, v)


def cost_of(n: int, p: int, method: Forest) -> tuple[float, float]:
    """Seconds and bytes: a pass over the rows for each tried column and level of each tree."""
    drawn_rows = max(n * method.max_samples * (0.64 if method.bootstrap else 1.0), 1.0)
    levels = min(
        method.max_depth or 60, method.max_leaf_nodes or 60, 2 * np.log2(drawn_rows + 1) + 2
    )
    a_row, a_column = (1e-9, 1.5e-9) if method.anywhere else (4e-9, 7e-9)  # random cuts sort none
    if method.anywhere:  # deep, where nothing parts many rows
        a_row, a_column = (a * min(4.0, 1 + drawn_rows / 4e3) for a in (a_row, a_column))
    each = 2e-5 + drawn_rows * levels * (a_row + a_column * method.max_features.tried(p))
    each *= 1 + 0.2 * p * method.permutation
    leaves = min(method.max_leaf_nodes or drawn_rows, drawn_rows / method.min_samples_leaf)
    return (
        1e-3 + 1e-7 * n * p + method.n_estimators * each,
        24.0 * n * p + 150 * method.n_estimators * leaves,
    )


FEW_ROWS = 4_000  # of all trees together, up to which threads only wait for each other
MANY_ROWS = 100_000  # of all trees, from which on a thread that is done early has more to do


@dataclass(frozen=True, kw_only=True)
class Forest(RandomMembers):
    """Trees that differ at random, each fitted by itself."""

    peer_differs = (
        "It draws other lots, tries every cut in nodes of many rows too, and splits also where a "
        "split gains nothing."
    )
    anywhere: ClassVar[bool] = False  # whether a column is cut at random
    member_noun: ClassVar[str] = "tree"
    done: ClassVar[str] = "grown"
    sums_trees: ClassVar[bool] = True

    if TYPE_CHECKING:
        criterion: Criterion  # each declares its own, of another slot
        max_features: FeatureDraw
        min_samples_leaf: int
        bootstrap: bool

    n_estimators: int = integer(
        100,
        low=1,
        high=10_000,
        soft=(1, 500),
        symbol="B",
        label="Number of trees",
        doc="More trees never harm; they cost time in proportion.",
    )
    max_depth: int = max_depth_of(0)
    max_leaf_nodes: int = max_leaf_nodes_of(0, advanced=True)
    max_samples: float = real(
        1.0,
        above=0.0,
        high=1.0,
        soft=(0.1, 1.0),
        label="Rows drawn",
        doc="Rows drawn for each tree, as a share of all.",
        advanced=True,
    )
    permutation: bool = flag(
        False,
        label="Permutation importance",
        doc="Shuffle one variable after the other among the rows that a tree has not learned from, "
        "and keep how much its error grows. Takes longer.",
        advanced=True,
    )

    def conflict(self) -> str | None:
        """One leaf is no tree, and without rows left out there is nothing to shuffle."""
        if reason := too_few_leaves(self.title(), self.max_leaf_nodes):
            return reason
        if self.permutation and not self._leaves_out:
            return (
                f"{self.title()} measures permutation importance on rows that a tree has not "
                "learned from. Switch bootstrap on, or draw a smaller share of rows."
            )
        return None

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(criterion=("gini", "entropy", "squared"), permutation=False):
            return missing
        if not self.bootstrap and (missing := self.beyond_peer(max_samples=1.0)):
            return missing
        criterion = self.criterion.card.name
        return {
            "n_estimators": self.n_estimators,
            "criterion": "squared_error" if criterion == "squared" else criterion,
            "max_depth": self.max_depth or None,
            "min_samples_leaf": self.min_samples_leaf,
            "max_features": self.max_features.theirs(),
            "max_leaf_nodes": self.max_leaf_nodes or None,
            "bootstrap": self.bootstrap,
            "max_samples": self.max_samples if self.bootstrap else None,
        }

    def answers(self, tree: Tree) -> np.ndarray:
        """What each node of a tree says of a row, shape (t, K); the mean, shape (t, 1)."""
        return self.answers_of(tree.values, tree.label)

    def answers_of(self, values: np.ndarray, label: np.ndarray) -> np.ndarray:
        """The same of any nodes, (t, K), whose commonest classes are `label`, (t,)."""
        return values

    def _shared(self, given: Given) -> _Shared:
        codes_checked(given.X, given.columns, self.title())
        X, target, w = given.X, given.target, given.w
        if not (here := w > 0).all():
            X, target, w = X[here], target[here], w[here]
        K, w = 0 if given.classes is None else len(given.classes), rescaled(w)
        rows = (Rows if self.anywhere else Ranked)(X, given.columns)
        grove = Grove(rows, target, w, K, self.criterion.code, self._limits(), self._lots(*X.shape))
        seeds = given.rng("members").integers(2**63, size=self.n_estimators).astype(np.uint64)
        return _Shared(given, X, target, w, K, grove, seeds)

    def _lots(self, n: int, p: int) -> Lots:
        return Lots(
            max(round(self.max_samples * n), 1),
            self.bootstrap,
            self.max_features.tried(p),
            self.anywhere,
        )

    def _is_worth_threads(self, shared: _Shared) -> bool:
        # Of few rows all trees are grown before another thread has begun.
        return len(shared.X) * self.n_estimators >= FEW_ROWS

    def _together(self, shared: _Shared) -> int:
        """So many trees that each thread has some, and their nodes do not take much memory."""
        goes = threads() * (1 if len(shared.X) * self.n_estimators < MANY_ROWS else 4)
        return min(shared.grove.at_once, -(-self.n_estimators // goes))

    def _grown(self, shared: _Shared, some: range) -> _Grown:
        """Trees `some`, from the rows and the lots that are their own."""
        stand = shared.grove.grown(shared.seeds[some.start : some.stop])
        answers = self.answers_of(stand.values, stand.label)
        permuted = self._all_permuted(shared, stand, answers, some) if self.permutation else None
        return _Grown(stand, answers, permuted)

    def _all_permuted(
        self, shared: _Shared, stand: Stand, answers: np.ndarray, some: range
    ) -> np.ndarray:
        """How much the error of each tree grows when a variable is shuffled, shape (c, v)."""
        return np.array([
            self._permuted(
                shared,
                tree,
                Answers(stand.left_out[stand.rows_of(k)], answers[stand.leaf[stand.rows_of(k)]]),
                shared.given.rng("member", i),
            )
            for k, (tree, i) in enumerate(zip(stand.trees, some, strict=True))
        ])  # fmt: skip

    def _permuted(
        self, shared: _Shared, tree: Tree, left_out: Answers, rng: np.random.Generator
    ) -> np.ndarray:
        """The same of a tree, shape (v,); columns of one variable are shuffled together."""
        X, names = shared.X[left_out.rows], [column.variable for column in shared.given.columns]
        before = self._loss(shared, left_out)
        grown = np.zeros(len(dict.fromkeys(names)))
        for v, name in enumerate(dict.fromkeys(names)):
            own = [j for j, other in enumerate(names) if other == name]
            order = rng.permutation(len(X))
            if not len(X) or not np.isin(tree.feature, own).any():
                continue
            shuffled = X.copy()
            shuffled[:, own] = X[order][:, own]
            answers = self.answers(tree)[tree.leaf_of(shuffled)]
            grown[v] = self._loss(shared, Answers(left_out.rows, answers)) - before
        return grown

    def _loss(self, shared: _Shared, left_out: Answers) -> float:
        """Mean loss of one tree: share of wrong rows, or the mean square."""
        w, target = shared.w[left_out.rows], shared.target[left_out.rows]
        if not w.sum() > 0:
            return 0.0
        if shared.K:
            return float(np.average(left_out.values.argmax(axis=1) != target, weights=w))
        return float(np.average((left_out.values[:, 0] - target) ** 2, weights=w))

    def _limits(self) -> Limits:
        return Limits(
            max_leaf_nodes=self.max_leaf_nodes,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
        )

    def _out_of_bag(self, shared: _Shared) -> OutOfBag:
        return OutOfBag(shared.target, shared.w, shared.K)

    def _of_all(self, shared: _Shared, state: ForestState) -> np.ndarray:
        tree = state.trees[-1]
        return self.answers(tree)[tree.leaf_of(shared.X)]

    def _joined(
        self, shared: _Shared, before: ForestState | None, some: _Grown, known: OutOfBag
    ) -> ForestState:
        own = before.permuted if before else None
        permuted = longer(own, some.permuted) if some.permuted is not None else None
        stand = some.stand
        errors = known.add_leaves(stand.left_out, stand.leaf, stand.ends, some.answers, stand.label)
        trees = (*(before.trees if before else ()), *stand.trees)
        return ForestState(trees=trees, permuted=permuted, **self._errors(before, known, *errors))

    def _common(self, given: Given, state: ForestState) -> dict[str, Any]:
        own = {"trees": state.trees, "permuted": state.permuted}
        return super()._common(given, state) | own

    def _last(self, state: ForestState) -> str:
        return f"Tree {state.size} has {count(state.trees[-1].n_leaves, 'leaf', 'leaves')}"
