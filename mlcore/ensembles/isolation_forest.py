"""Isolation forest: what few random cuts leave alone is new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.ensembles.isolation.trees import IsolationTrees, grown, mean_length, together
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.novelty import NoveltyFit, contamination, line_at
from mlcore.spine.params import flag, integer
from mlcore.spine.pool import side_by_side
from mlcore.spine.wording import count, rough

SAMPLE = 256  # rows of a tree: the paper finds that more do not help
EVEN = -0.5  # the score of a path as long as the mean, at which the paper draws the line


@dataclass(frozen=True, eq=False)
class IsolationState:
    """The trees so far."""

    trees: tuple[IsolationTrees, ...]  # (t,) one tree each
    total: np.ndarray  # (n,) path lengths of the fitted rows, added up


@dataclass(frozen=True, eq=False, kw_only=True)
class IsolationForestFit(NoveltyFit):
    """Trees grown at random, and the mean path length by which theirs are measured."""

    made_by: IsolationForest
    trees: IsolationTrees  # those of a step, which are one each, are put together
    mean_path: float  # of the rows that each tree was grown on
    score_name: ClassVar[str] = "minus the isolation score"

    def __post_init__(self) -> None:
        if isinstance(self.trees, tuple):
            object.__setattr__(self, "trees", together(list(self.trees)))
        super().__post_init__()

    @property
    def n_members(self) -> int:
        """How many trees there are."""
        return len(self.trees)

    def usualness(self, X: Any) -> np.ndarray:
        """Minus 2 to the power of minus mean path length over `mean_path`, (m,), -1 to 0."""
        return scores(self.trees.lengths(self._rows(X)) / len(self.trees), self.mean_path)

    def path_lengths(self, X: Any, number: int) -> np.ndarray:
        """The path length of each row in one of the trees, counted from 1, shape (m,), in cuts."""
        at = min(number, len(self.trees)) - 1
        return self.trees.taken(slice(at, at + 1)).lengths(self._rows(X))

    def holds_together(self) -> bool:
        """Whether every walk in every tree ends in a leaf."""
        return self.mean_path > 0 and self.trees.is_walkable(self.n_columns)


def scores(path: np.ndarray, mean_path: float) -> np.ndarray:
    """The score of rows of this mean path length, shape (m,): minus that of the paper, eq. 2."""
    return -(2.0 ** (-path / mean_path))


def _cost(n: int, p: int, method: IsolationForest) -> tuple[float, float]:
    drawn = min(n, method.max_samples or SAMPLE)
    nodes = 2.0 * drawn * (p if method.extended else 1)
    grow = 4e-5 + 4e-8 * nodes * np.log2(drawn + 2)
    walk = 4e-8 * n * (p if method.extended else 1)
    return 1e-3 + method.n_trees * (grow + walk), 24.0 * n * p + 32.0 * method.n_trees * nodes


@enter(
    Card(
        "isolation_forest",
        "Isolation forest",
        ("novelty",),
        paper="Liu, Ting and Zhou (2008), ICDM; Hariri, Carrasco Kind and Brunner (2019), IEEE "
        "Transactions on Knowledge and Data Engineering 33",
        peer="sklearn.ensemble.IsolationForest",
        scores=("novelty_scores",),
        random=True,
        cost=_cost,
        formula=r"s(x) = -2^{-\frac{1}{B} \sum_b h_b(x) / c(\psi)}",
        synonyms=("IsolationForest", "iForest", "extended isolation forest", "anomaly forest"),
        line="rows that few random cuts set apart",
    )
)
@dataclass(frozen=True, kw_only=True)
class IsolationForest(IterativeMethod):
    r"""Cuts rows apart at random; those that are soon alone are new.

    A tree draws psi rows and cuts them at random: a column, then a place between its ends in the
    node, until each row is alone or the tree is $\log_2 \psi$ deep. The path of a row is h cuts
    long, with $c(s)$ more where s rows stayed together, and $s(x) = -2^{-\bar h(x) / c(\psi)}$ is
    near -1 where paths are short and about -0.5 where they are as long as on average.

    Use it on many rows and columns, of any scales: no distance is taken. O(B psi log psi), and a
    row is judged in O(B log psi). Cuts along the columns make bands beside the rows look usual,
    which slanted cuts avoid; then scales matter. Fails on rows that are new only among their
    neighbours, where columns matter together, and where many columns tell nothing.
    """

    followed: ClassVar[str] = "change of the scores by a tree"

    n_trees: int = integer(
        100, low=1, high=5000, soft=(1, 300), symbol="B", label="Number of trees",
        doc="More trees make the scores smoother; they cost time in proportion.",
    )  # fmt: skip
    max_samples: int | None = integer(
        None, low=2, high=4096, soft=(16, 1024), log=True, symbol=r"\psi", label="Rows drawn",
        or_none=f"{SAMPLE}, or all of fewer",
        doc="Rows on which a tree is grown; few keep crowds of new rows from hiding each other.",
    )  # fmt: skip
    contamination: float | None = contamination("those with a score below -0.5")
    extended: bool = flag(
        False,
        label="Slanted cuts",
        doc="Whether cuts may have any direction; then columns should be of one scale.",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(extended=False, max_samples=None):
            return missing
        return {
            "n_estimators": self.n_trees,
            "contamination": "auto" if self.contamination is None else self.contamination,
        }

    peer_differs: ClassVar[str] = "It draws other lots, and keeps columns in single precision."

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse a single row, and rows that are all equal: nothing can be cut."""
        if len(X) > 1 and np.ptp(X, axis=0).any():
            return None
        return f"{self.title()} cuts rows apart and needs two that differ. Add rows."

    def _size(self, given: Given) -> int:
        return min(self.max_samples or SAMPLE, given.n)

    def _tree(self, given: Given, i: int) -> IsolationTrees:
        return grown(given.X, self._size(given), given.rng("member", i), slanted=self.extended)

    def _end(self, given: Given) -> Step:
        """All trees are grown side by side: no step is waited for."""
        trees = tuple(side_by_side(lambda i: self._tree(given, i), range(self.n_trees)))
        total = together(list(trees)).lengths(given.X)
        return self._step(IsolationState(trees, total), 0.0)

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given)

    def _played(self, given: Given) -> Iterator[Step]:
        """A tree a step."""
        mean = float(mean_length(np.array(self._size(given))))
        state, before = IsolationState((), np.zeros(given.n)), np.zeros(given.n)
        for i in range(self.n_trees):
            tree = self._tree(given, i)
            state = IsolationState((*state.trees, tree), state.total + tree.lengths(given.X))
            now = scores(state.total / (i + 1), mean)
            moved, before = float(np.sqrt(((now - before) ** 2).mean())), now
            yield self._step(state, moved)

    def _step(self, state: IsolationState, moved: float) -> Step:
        t = len(state.trees)
        note = f"{count(t, 'tree')}: the last one moved the scores by {rough(moved)}."
        stop = Stop("converged", f"All {t} trees are grown.") if t == self.n_trees else None
        return Step(t - 1, moved, state, stop, note)

    def _finished(self, given: Given, end: Step) -> IsolationForestFit:
        state: IsolationState = end.state
        mean = float(mean_length(np.array(self._size(given))))
        own = scores(state.total / len(state.trees), mean)
        line = line_at(own, self.contamination, EVEN)
        return IsolationForestFit(
            made_by=self,
            columns=given.columns,
            n_iter=len(state.trees),
            stop=end.stop,
            trees=together(list(state.trees)),
            mean_path=mean,
            own_usualness=own,
            threshold=line.threshold,
            share_asked=line.share_asked,
        )
