"""What gradient boosting of classes and of quantities share: settings, rounds, the fit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.ensembles import _kernels as k
from mlcore.ensembles.binning._kernels import counted
from mlcore.ensembles.bins import learned_bins
from mlcore.ensembles.boosted import Boosted, Planting
from mlcore.ensembles.walks import in_pieces, packed
from mlcore.maths.arrays import read_only
from mlcore.optimisation.losses import Loss
from mlcore.optimisation.stopping import HeldOutLosses, Stopping, Watch
from mlcore.spine.capabilities_of_sums import Sum
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer, part, real
from mlcore.spine.pool import Crew
from mlcore.spine.wording import count
from mlcore.trees.settings import (
    max_depth_of,
    max_leaf_nodes_of,
    min_samples_leaf_of,
    too_few_leaves,
)


@dataclass(frozen=True, eq=False)
class Task:
    """What is boosted: a loss of scores, and where they start."""

    loss: Loss
    y: np.ndarray  # (n,) codes, or quantities about `offset` in units of `scale`
    start: np.ndarray  # (K,) the constant scores of least loss
    leaf_level: float | None = None  # leaves hold this quantile; None: one Newton step
    offset: float = 0.0
    scale: float = 1.0
    unit: float = 1.0  # of the loss, in units of the target


class Ended(NamedTuple):
    """What all rounds made."""

    start: np.ndarray  # (K,)
    trees: Boosted
    held_out_losses: HeldOutLosses | None


@dataclass(frozen=True, eq=False)
class BoostingState:
    """How many rounds count; after the last one also what all of them made."""

    rounds: int
    ended: Ended | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class BoostingFit(Fit):
    """Constant scores and the trees that were added to them, of which the first `rounds` count."""

    made_by: Boosting
    start: np.ndarray  # (K,) scores before the first round; one for a number or two classes
    trees: Boosted
    rounds: int
    held_out_losses: HeldOutLosses | None = None

    @property
    def importances(self) -> np.ndarray:
        """Share of each column in what the splits gain, shape (p,); zeros without a split."""
        return self.trees.importances(self.n_columns, self.rounds)

    def holds_together(self) -> bool:
        """Whether every walk from a root ends in a leaf, and asks about columns that exist."""
        return (
            self.trees.is_walkable(self.n_columns)
            and 0 < self.rounds <= len(self.trees)
            and self.start.shape == (self.trees.roots.shape[1],)
        )

    @property
    def as_sum(self) -> Sum:
        """What is predicted: the trees of the rounds that count."""
        return Sum(trees=self.trees.terms(self.rounds))

    def after(self, X: Any, rounds: int) -> np.ndarray:
        """Start and the trees of the first rounds, shape (m,), or (m, K) of several scores."""
        return by_row(self._scores(X, rounds))

    def _scores(self, X: Any, rounds: int | None = None) -> np.ndarray:
        """Start and trees together, shape (K, m)."""
        X, rounds = self._rows(X), self.rounds if rounds is None else rounds
        nodes = packed([self.trees], X)

        def scores_of(some: np.ndarray) -> np.ndarray:
            scores = np.repeat(self.start[:, None], len(some), axis=1)
            self.trees.added_to(scores, some, rounds, nodes)
            return scores

        return np.concatenate(in_pieces(X, rounds * len(self.start), scores_of), axis=1)


def by_row(scores: np.ndarray) -> np.ndarray:
    """Scores (K, m) as a fit tells them: (m,) of one, (m, K) of several."""
    return scores[0] if len(scores) == 1 else np.ascontiguousarray(scores.T)


def cost_of(n: int, p: int, it: Boosting, n_scores: int = 1) -> tuple[float, float]:
    """Sorting once, then half of the rows a level of each tree; seconds and bytes."""
    leaves = min(it.max_leaf_nodes or n, 2 ** min(it.max_depth or 60, 60), n)
    levels = 1 + np.log2(leaves + 1)
    tree = 1e-4 + n * (2e-8 + p * 1.5e-9 * levels) + leaves * p * it.max_bins * 5e-9
    histograms = leaves + 1 if it.max_leaf_nodes else 3 + np.log2(n + 1)
    size = 24.0 * histograms * p * (it.max_bins + 1) + n * (p + 60.0 * n_scores)
    return 1e-3 + 2e-7 * n * p + it.n_estimators * n_scores * tree, size


@dataclass(frozen=True, kw_only=True)
class Boosting(IterativeMethod):
    """Trees that are added one by one, each grown on the slope of the loss."""

    peer_differs = "Theirs bins columns of many values at other places, so cuts differ slightly."
    sums_trees: ClassVar[bool] = True

    n_estimators: int = integer(
        100,
        low=1,
        high=10_000,
        soft=(10, 500),
        symbol="T",
        label="Number of rounds",
        doc="Rounds, each of which adds one tree a score; with early stopping the most.",
    )
    learning_rate: float = real(
        0.1,
        above=0.0,
        high=1.0,
        soft=(0.001, 1.0),
        log=True,
        symbol=r"\nu",
        doc="Share of each tree that is added.",
    )
    max_depth: int = max_depth_of(3, soft=(0, 12))
    max_leaf_nodes: int = max_leaf_nodes_of(0)
    min_samples_leaf: int = min_samples_leaf_of(1)
    l2: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 10.0),
        symbol=r"\lambda",
        label="L2 penalty",
        doc="Added to the curvature in a leaf, in rows of the squared loss: draws its value to 0.",
    )
    subsample: float = real(
        1.0,
        above=0.0,
        high=1.0,
        soft=(0.1, 1.0),
        label="Share of the rows",
        doc="Share of the rows on which a round grows its trees, drawn without repeats.",
    )
    max_features: float = real(
        1.0,
        above=0.0,
        high=1.0,
        soft=(0.1, 1.0),
        label="Share of the columns",
        doc="Share of the columns that a split may ask about, drawn anew for each.",
    )
    max_bins: int = integer(
        255,
        low=2,
        high=255,
        soft=(2, 255),
        label="Maximum bins",
        doc="Cuts are looked for between so many bins of each column, of about as many rows each.",
        advanced=True,
    )
    stopping: Stopping = part(
        "none", slot="stopping", label="Early stopping", doc="Which round is the last."
    )

    def conflict(self) -> str | None:
        """One leaf is no tree."""
        return too_few_leaves(self.title(), self.max_leaf_nodes)

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(stopping="none", subsample=1.0):
            return missing
        return {
            "max_iter": self.n_estimators,
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth or None,
            "max_leaf_nodes": self.max_leaf_nodes or NO_LIMIT,
            "min_samples_leaf": self.min_samples_leaf,
            "l2_regularization": self.l2,
            "max_features": self.max_features,
            "max_bins": self.max_bins,
            "early_stopping": False,
        }

    def _task(self, given: Given, learn: np.ndarray, w: np.ndarray) -> Task:
        """The loss of these rows; their weights have mean 1. `y` is that of all given rows."""
        # Classes and numbers have losses and targets of their own; rounds and trees are shared.
        raise NotImplementedError(f"{type(self).__name__} declares no task")

    def _steps(self, given: Given) -> Iterator[Step]:
        learn, judge = self.stopping.parted(given, self.title())
        w = given.w[learn] / given.w[learn].max()
        w = w * (len(w) / w.sum())
        task = self._task(given, learn, w)
        watch = Watch(self.stopping, judge, self.n_estimators, "rounds")
        return self._played(Rounds(self, given, task, learn, judge, w), watch)

    def _played(self, rounds: Rounds, watch: Watch) -> Iterator[Step]:
        """A round a step; the state of the last goes back to the best round."""
        stop, number = None, 0
        while stop is None:
            leaves = rounds.grow()
            number += 1
            training, held_out = rounds.losses()
            stop = watch.seen(training, held_out)
            state = (
                BoostingState(watch.best, rounds.ended(watch)) if stop else BoostingState(number)
            )
            note = _note(number, leaves, training, held_out)
            yield Step(number - 1, training, state, stop, note, held_out)

    def _shared(self, given: Given, end: Step) -> dict[str, Any]:
        """What the fits of classes and of quantities hold both."""
        start, trees, held_out_losses = end.state.ended
        return {
            "made_by": self,
            "columns": given.columns,
            "n_iter": end.k + 1,
            "stop": end.stop,
            "start": start,
            "trees": trees,
            "rounds": end.state.rounds,
            "held_out_losses": held_out_losses,
        }


SHARED = 2**19  # values to sum, some tenths of a millisecond, from which on threads share them
NEVER = 2**62  # the same where each thread has a tree of its own
NO_LIMIT = 2**31 - 1  # leaves: theirs takes its own default where nothing is said


class Bed:
    """Memory for the nodes and histograms of a tree of some rows, used again for each; `counts` are
    those of the bins of all rows, as the compiled loops want them."""

    def __init__(self, it: Boosting, size: int, p: int, counts: np.ndarray) -> None:
        most = min(size, 2 ** min(it.max_depth, 40)) if it.max_depth else size
        leaves = min(it.max_leaf_nodes or most, most)
        n_histograms = max(leaves, 2) + 1 if it.max_leaf_nodes else 3 + size.bit_length()
        drawn = max(round(it.max_features * p), 1)
        rules = (min(it.max_leaf_nodes, max(leaves, 2)), it.max_depth, it.min_samples_leaf, drawn)
        self.rules = read_only(np.array(rules, dtype=np.int64))
        self.links = np.empty((2 * leaves + 1, 8), dtype=np.int64)
        self.facts = np.empty((2 * leaves + 1, 6))
        self.shape = n_histograms, p, counts.shape[1]
        self._bins_of_nodes = np.empty(math.prod(self.shape) * 3)
        self.room = (
            counts, np.empty(size), np.empty(size), np.empty(size, np.int32),
            np.empty((3, counts.shape[1])), np.arange(p),
            np.empty(n_histograms, np.int64), np.empty(n_histograms, np.int64),
            np.empty(6, np.int64),
        )  # fmt: skip

    def histograms(self, is_flat: bool) -> np.ndarray:
        """Room for the sums in each bin, shape (nodes, p, bins, 2 or 3): where every row bends by
        1, curvatures are not summed."""
        shape = *self.shape, 2 if is_flat else 3
        return self._bins_of_nodes[: math.prod(shape)].reshape(shape)


class Rounds:
    """Boosting under way: the scores of all rows so far, and the trees."""

    def __init__(
        self,
        it: Boosting,
        given: Given,
        task: Task,
        learn: np.ndarray,
        judge: np.ndarray,
        w: np.ndarray,
    ) -> None:
        self.it, self.task, self.w = it, task, w
        X, n = given.X[learn], len(learn)
        self.crew = Crew()
        self.bins = learned_bins(X, it.max_bins, self.crew)
        self.codes = read_only(self.bins.of(X, self.crew))
        self.y, self.judged_y = task.y[learn], task.y[judge]
        self.judged_codes = read_only(self.bins.of(given.X[judge], self.crew))
        self.judged_w = given.w[judge]
        self.scores = np.repeat(task.start[:, None], n, axis=1)
        self.judged_scores = np.repeat(task.start[:, None], len(judge), axis=1)
        self.local = task.loss.at(self.y, self.scores)
        self.planting = Planting(len(task.start), it.learning_rate)
        self.is_even = bool((w == w[0]).all())
        self.rng = given.rng("rounds")
        self.size = max(int(it.subsample * n), 1)
        self.shared = SHARED
        # All rows fall into the same bins in every round; rows drawn for a round do not.
        counts = np.empty((given.p if self.size == n else 0, self.bins.missing + 1))
        counted(self.codes[: len(counts)], counts)
        beds = min(self.crew.size, len(task.start))
        self.beds = [Bed(it, self.size, given.p, read_only(counts)) for _ in range(beds)]

    def grow(self) -> list[int]:
        """Add a round: a tree for each score, all on the slopes before it; leaves of each."""
        slopes, rows = self.local.slope * self.w, self._rows()
        lots = self.rng.integers(1, 2**63, len(slopes), dtype=np.uint64)
        nodes = np.zeros(len(slopes), dtype=np.int64)
        made: dict[int, tuple[np.ndarray, np.ndarray]] = {}

        def grow_some(scores: range) -> None:
            bed = self.beds[scores.start % len(self.beds)]
            for j in scores:
                nodes[j] = self._tree(j, slopes[j], rows.copy(), lots[j : j + 1], bed)
                made[j] = bed.links[: nodes[j]].copy(), bed.facts[: nodes[j]].copy()

        # What is left over, or alone, is grown by all threads together.
        size = len(self.beds)
        even = len(slopes) // size * size if size > 1 else 0
        if even:
            self.shared = NEVER
            self.crew.do(grow_some, [range(b, even, size) for b in range(size)])
        self.shared = SHARED
        for j in range(even, len(slopes)):
            grow_some(range(j, j + 1))
        for j in range(len(slopes)):
            self.planting.add(*made[j])
        self.local = self.task.loss.at(self.y, self.scores)
        return [(int(t) + 1) // 2 for t in nodes]

    def _rows(self) -> np.ndarray:
        """The rows on which a round grows its trees, ascending."""
        n = len(self.y)
        if self.size == n:
            return np.arange(n, dtype=np.int32)
        return np.sort(self.rng.choice(n, self.size, replace=False)).astype(np.int32)

    def _tree(self, j: int, slope: np.ndarray, rows: np.ndarray, lot: np.ndarray, bed: Bed) -> int:
        """Grow the tree of one score and add it; returns its nodes."""
        bent = self.task.loss.curvature(self.y, self.local, j, j)
        is_flat = self.is_even and (bent is None or bool((bent == 1.0).all()))
        curvature = self.w if bent is None else bent * self.w
        given = (
            self.codes, read_only(self.bins.widths), rows, read_only(slope), read_only(curvature),
            bed.rules, self.it.l2,
        )  # fmt: skip
        tree = lot, np.empty(2), bed.histograms(is_flat), bed.links, bed.facts
        k.plant(given, tree, bed.room)
        while k.grow(self.shared, given, tree, bed.room):
            self._sum(rows, tree[2], bed)
        nodes = int(bed.room[-1][k.NODES])
        if self.task.leaf_level is None:
            k.newton(nodes, self.it.l2, bed.links, bed.facts)
        else:
            k.quantiles(
                nodes, rows, read_only(self.y - self.scores[j]), read_only(self.w),
                self.task.leaf_level, bed.links, bed.facts,
            )  # fmt: skip
        self._add(j, nodes, rows, bed)
        return nodes

    def _sum(self, rows: np.ndarray, histograms: np.ndarray, bed: Bed) -> None:
        """The histogram that is due, some columns a thread."""
        counts, slopes, curvatures, *_, state = bed.room
        start, end, slot = bed.links[state[k.SMALL], [k.START, k.END, k.SLOT]]
        own, size = rows[start:end], end - start
        known = counts if state[k.SMALL] == 0 else counts[:0]

        def sum_some(at: slice) -> None:
            histogram = histograms[slot, at]
            of_rows = own, slopes[:size], curvatures[:size], known[at]
            k.sum_columns(self.codes[at], *of_rows, histogram)

        self.crew.do(sum_some, self.crew.parts(len(self.codes), 4))
        state[k.READY] = 1

    def _add(self, j: int, nodes: int, rows: np.ndarray, bed: Bed) -> None:
        """Add the tree just grown to the scores of all rows, those that judge too."""
        share, missing = self.it.learning_rate, self.bins.missing
        links, facts = read_only(bed.links), read_only(bed.facts)
        if len(rows) == len(self.y):
            k.add_leaves(nodes, read_only(rows), share, links, facts, self.scores[j])
        else:
            k.add_binned(self.codes, missing, share, links, facts, self.scores[j])
        k.add_binned(self.judged_codes, missing, share, links, facts, self.judged_scores[j])

    def losses(self) -> tuple[float, float | None]:
        """The mean loss on the rows that teach, and on those that judge, if there are."""
        unit = self.task.unit
        training = unit * _mean(self.local.value, self.w)
        if not len(self.judged_y):
            return training, None
        judged = self.task.loss.at(self.judged_y, self.judged_scores).value
        return training, unit * _mean(judged, self.judged_w)

    def ended(self, watch: Watch) -> Ended:
        """What all rounds made, in units of the target."""
        task = self.task
        start = task.start * task.scale + task.offset
        return Ended(start, self.planting.boosted(self.bins, task.scale), watch.losses())


def _mean(values: np.ndarray, w: np.ndarray) -> float:
    """The weighted mean of values, shape (n,); numpy's `average` checks longer than it sums."""
    return float((values * w).sum() / w.sum())


def _note(number: int, leaves: list[int], training: float, held_out: float | None) -> str:
    trees = "a tree" if len(leaves) == 1 else f"{len(leaves)} trees"
    sentence = f"Round {number} added {trees} of {count(sum(leaves), 'leaf', 'leaves')}"
    if held_out is None:
        return f"{sentence}: the loss is {training:.4g}."
    return f"{sentence}: the loss is {training:.4g}, and {held_out:.4g} on the rows held out."
