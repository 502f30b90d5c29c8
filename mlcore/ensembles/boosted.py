"""The trees of gradient boosting as flat arrays: rows sent down all of them, what they gained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.ensembles import _kernels as k
from mlcore.ensembles.bins import Bins
from mlcore.ensembles.walks import Packed
from mlcore.spine.capabilities_of_sums import TreeTerm
from mlcore.spine.fit import freeze


@dataclass(frozen=True, eq=False)
class Boosted:
    """Nodes of all trees, one tree after the other, a parent before its children.

    A row goes left where its value is at most `cut`; the right node is the one after the left.
    """

    roots: np.ndarray  # (T, K) where the tree of each round and score begins
    feature: np.ndarray  # (t,) column that is asked about, -1 in a leaf
    cut: np.ndarray  # (t,) infinite where the question is whether a value is there
    missing_left: np.ndarray  # (t,) whether a missing value goes left
    left: np.ndarray  # (t,) node below, -1 in a leaf
    gain: np.ndarray  # (t,) how much the split gains, 0 in a leaf
    value: np.ndarray  # (t,) what a leaf adds to the score, in its units
    rows: np.ndarray  # (t,) training rows of those that were drawn for the tree

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self)

    def __len__(self) -> int:
        return len(self.roots)

    def added_to(self, scores: np.ndarray, X: np.ndarray, rounds: int, nodes: Packed) -> None:
        """Add to scores, shape (K, m), what the first rounds say of rows, shape (m, p); `nodes` are
        the own ones, packed for these rows."""
        nodes.add_answers(X, self.roots[:rounds], self.value[:, None], scores)

    def terms(self, rounds: int) -> tuple[TreeTerm, ...]:
        """What each tree of the first rounds adds to the K scores."""
        n_scores = self.roots.shape[1]
        starts = [*self.roots.ravel().tolist(), len(self.feature)]
        terms = []
        for at in range(min(rounds, len(self)) * n_scores):
            nodes = slice(starts[at], starts[at + 1])
            answers = np.zeros((nodes.stop - nodes.start, n_scores))
            answers[:, at % n_scores] = self.value[nodes]
            left = self.left[nodes].astype(np.int64)
            # Nodes are counted from the root of their own tree.
            left = np.where(left < 0, -1, left - nodes.start)
            own = Questions(
                self.feature[nodes], self.cut[nodes], self.missing_left[nodes], left,
                self.rows[nodes],
            )  # fmt: skip
            terms.append(TreeTerm(own, answers))
        return tuple(terms)

    def importances(self, p: int, rounds: int) -> np.ndarray:
        """Share of each column in what the first rounds gain, shape (p,); zeros without a split."""
        end = len(self.feature) if rounds >= len(self) else int(self.roots[rounds, 0])
        inner = self.feature[:end] >= 0
        sums = np.bincount(self.feature[:end][inner], self.gain[:end][inner], minlength=p)
        return sums / (sums.sum() or 1.0)

    def is_walkable(self, p: int) -> bool:
        """Whether rows of p columns can be sent down: nodes lie below, questions apply."""
        t, inner = len(self.feature), np.flatnonzero(self.left >= 0)
        below, asked = self.left[inner], self.feature[inner]
        return (
            self.roots.ndim == 2
            and self.roots.size > 0
            and all(getattr(self, name).shape == (t,) for name in _BY_NODE)
            and bool((self.roots >= 0).all() and (self.roots < t).all())
            and bool((below > inner).all() and (below + 1 < t).all())
            and bool((asked >= 0).all() and (asked < p).all())
        )


_BY_NODE = ("feature", "cut", "missing_left", "left", "gain", "value", "rows")


@dataclass(frozen=True, eq=False)
class Questions:
    """What one of the trees asks, node by node, the root first."""

    feature: np.ndarray  # (t,) as of `Boosted`
    cut: np.ndarray  # (t,)
    missing_left: np.ndarray  # (t,)
    left: np.ndarray  # (t,)
    weight: np.ndarray  # (t,) training rows

    def answers_to(self, X: np.ndarray) -> np.ndarray:
        """Whether each row, (m, p), would go left at each node, (m, t), also where it never comes.

        Of a leaf, which asks nothing, it means nothing.
        """
        asked = X[:, self.feature]
        return np.where(np.isnan(asked), self.missing_left, asked <= self.cut)


class Planting:
    """Trees as they are grown, one after the other."""

    def __init__(self, n_scores: int, learning_rate: float) -> None:
        self.n_scores, self.learning_rate = n_scores, learning_rate
        self.links: list[np.ndarray] = []
        self.facts: list[np.ndarray] = []

    def add(self, links: np.ndarray, facts: np.ndarray) -> None:
        """Keep a copy of the nodes of a tree, shapes (t, 8) and (t, 6)."""
        self.links.append(links[:, : k.END + 1].astype(np.int32))
        self.facts.append(facts[:, [k.GAIN, k.VALUE]])

    def boosted(self, bins: Bins, scale: float) -> Boosted:
        """All trees, their values in units of the target, of which the score has `scale`."""
        sizes = np.array([len(links) for links in self.links])
        roots = np.cumsum(sizes) - sizes
        links, facts = np.concatenate(self.links), np.concatenate(self.facts)
        left = links[:, k.LEFT]
        feature = links[:, k.FEATURE]
        cut = bins.cut(np.maximum(feature, 0), links[:, k.BIN])
        return Boosted(
            roots=roots.reshape(-1, self.n_scores).astype(np.int32),
            feature=feature.copy(),
            cut=np.where(feature < 0, 0.0, cut),
            missing_left=(links[:, k.MISSING] > 0) & (feature >= 0),
            left=np.where(left < 0, -1, left + np.repeat(roots, sizes)).astype(np.int32),
            gain=np.maximum(facts[:, 0], 0.0),
            value=facts[:, 1] * (self.learning_rate * scale),
            rows=links[:, k.END] - links[:, k.START],
        )
