"""DBSCAN: groups as sets of rows connected through dense regions, the rest as noise."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammainc

from mlcore.clustering import _kernels
from mlcore.distances.metrics import Distance, Frame
from mlcore.distances.neighbours import Neighbours
from mlcore.maths.arrays import vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer, part, real
from mlcore.spine.pool import Crew
from mlcore.spine.wording import count, plural

MOST_PAIRS = 2**23  # of a block of rows with all others: 128 MB
MOST_CACHED = 2**24  # pairs kept for the next pass: 128 MB
_NONE = np.empty(0, dtype=np.int64)  # no rows


@dataclass(frozen=True, eq=False, kw_only=True)
class DBSCANFit(Fit):
    """The groups of the training rows, and which rows are inside them."""

    labels: np.ndarray  # (n,), 0..k-1 in the order of their first core rows; -1 for noise
    core: np.ndarray  # (n,) whether enough rows lie around it; a group's other rows are its border
    around: np.ndarray  # (m,) rows around the core row of a step, itself first; none in the end
    stored: np.ndarray  # (c, p) the core rows
    frame: Frame
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there is a row of these columns for every core row, and a space of them."""
        n, c = len(self.labels), int(self.core.sum())
        is_of_rows = self.labels.shape == self.core.shape == (n,) and self.core.dtype == bool
        is_stored = self.stored.shape == (c, self.n_columns)
        return is_of_rows and is_stored and self.frame.is_of(self.n_columns)

    @cached_property
    def _search(self) -> Neighbours:
        return Neighbours(self.frame.placed(self.stored), self.frame.power)

    def __getstate__(self) -> dict[str, Any]:
        """The state without the search, which is quicker to build than to send."""
        return {name: value for name, value in self.__dict__.items() if name != "_search"}

    def predict(self, X: Any) -> np.ndarray:
        """The group of the core row nearest to each row, the first of equals, shape (m,).

        -1 where none lies within the radius. New rows make no row core and join no groups, so this
        is no fit of old and new rows together.
        """
        X = self._rows(X)
        if not len(self.stored):
            return np.full(len(X), -1)
        near = self._search.nearest(self.frame.placed(X), 1)
        groups = self.labels[self.core][near.rows[:, 0]]
        return np.where(near.distances[:, 0] <= self.radius, groups, -1)

    @property
    def enough(self) -> int:
        """Rows within the radius from which on a row is core."""
        return self._method.min_samples

    @property
    def radius(self) -> float:
        """The setting eps."""
        return self._method.eps

    @property
    def _method(self) -> DBSCAN:
        assert isinstance(self.made_by, DBSCAN)
        return self.made_by

    def at_radius(self, eps: float) -> DBSCAN:
        """The method with another radius."""
        return replace(self._method, eps=eps)

    def reaches(self, X: Any, at: np.ndarray) -> np.ndarray:
        """Distance of the last of the `enough` nearest of rows X from rows `at`, shape (m,).

        X, shape (n, p), are the fitted rows, each counted once; infinite where they are too few.
        """
        S = self.frame.placed(self._rows(X))
        if self.enough > len(S):
            return np.full(len(at), np.inf)
        return Neighbours(S, self.frame.power).nearest(S[at], self.enough).distances[:, -1]


@dataclass(frozen=True, eq=False)
class GrowthState:
    """How far the groups have grown."""

    labels: np.ndarray  # (n,), -1 for rows that no group has reached
    core: np.ndarray  # (n,)
    around: np.ndarray  # (m,) rows around the core row of this step, itself first
    frame: Frame


def _cost(n: int, p: int, method: DBSCAN) -> tuple[float, float]:
    """The rows within the radius take most of it: as many as if columns were standard normal."""
    pairs = n**2 * float(gammainc(p / 2, method.eps * method.eps / 4))
    searched = 5e-8 * n * p * log2(n + 1) if p <= 6 else n**2 * (2e-10 + 1.8e-11 * p)
    memory = 16.0 * min(n**2, MOST_PAIRS + MOST_CACHED)
    return 1e-3 + searched + (2.5e-7 if p <= 6 else 5e-8) * pairs, memory


@enter(
    Card(
        "dbscan",
        "DBSCAN",
        ("clustering",),
        paper="Ester, Kriegel, Sander and Xu (1996), KDD 2",
        peer="sklearn.cluster.DBSCAN",
        sources=("epfl:dbscan",),
        takes=("weights",),
        scores=("stability", "silhouette", "noise_share", "group_information"),
        cost=_cost,
        units="distances",
        formula=r"\text{core: } |\{j : d(x_i, x_j) \le \varepsilon\}| \ge m",
        line="dense regions, the rest is noise",
    )
)
@dataclass(frozen=True, kw_only=True)
class DBSCAN(IterativeMethod):
    r"""Joins rows that lie densely, and calls the rest noise.

    A row is core if at least m rows, itself among them, lie within $\varepsilon$. Core rows within
    $\varepsilon$ of each other are in one group. Any other row within $\varepsilon$ of a core row
    is border of its group, of several that whose first core row comes first; it joins no groups.
    What is left is noise, -1. With weights the sum of the weights around a row must reach m, and a
    row of weight 0 is never core.

    A new row is given the group of the nearest core row within $\varepsilon$, or noise: it is
    placed, and nothing is fitted anew.

    Use it for groups of any form, of which the number is not known, among stray rows. O(n log n)
    in few columns, else O(n^2 p). Fails where groups are of different density, since one
    $\varepsilon$ serves all, where dense places touch, and in many columns, where all distances
    are alike.
    """

    followed: ClassVar[str] = "rows in groups"

    eps: float = real(
        0.5,
        above=0.0,
        soft=(0.05, 5.0),
        log=True,
        symbol=r"\varepsilon",
        label="Radius",
        doc="How far around a row its neighbours lie, in units of the prepared columns.",
    )
    min_samples: int = integer(
        5,
        low=1,
        soft=(2, 30),
        symbol="m",
        label="Rows around a core row",
        doc="Rows within the radius, itself among them, from which on a row is core.",
    )
    metric: Distance = part(
        "euclidean", slot="metric", label="Distance", doc="How far apart two rows are."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        powers = {"euclidean": 2.0, "manhattan": 1.0}
        if missing := self.beyond_peer(metric=tuple(powers)):
            return missing
        power = powers[self.metric.card.name]
        return {"eps": self.eps, "min_samples": self.min_samples, "p": power, "metric": "minkowski"}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        balls, core, frame = self._balls(given)
        return self._grown(balls, core, frame)

    def _balls(self, given: Given) -> tuple[_Balls, np.ndarray, Frame]:
        """The rows around each row, which rows are core, and the space of the distances."""
        frame = self.metric.frame(given.X, None)
        balls = _Balls(Neighbours(frame.placed(given.X), frame.power), self.eps)
        core = (balls.sums(given.w) >= self.min_samples) & (given.w > 0)
        return balls, core, frame

    def _grown(self, balls: _Balls, core: np.ndarray, frame: Frame) -> Iterator[Step]:
        """Each core row takes those around it into its group: a row that joins looks around next.

        A group is whole before the next begins, so a border row of several joins the first.
        """
        labels, n_core = np.full(balls.n, -1), int(core.sum())
        are = plural(n_core, "is", "are")
        words = f"{count(n_core, 'row')} of {balls.n} {are} core; no group has begun."
        yield self._step(0, labels, core, _NONE, frame, words, n_core)
        k, group = 0, -1
        for seed in np.flatnonzero(core).tolist():
            if labels[seed] >= 0:
                continue
            group, labels[seed], waiting = group + 1, group + 1, deque([seed])
            while waiting:
                row, k = waiting.popleft(), k + 1
                near = balls.around(row)
                fresh = near[labels[near] < 0]
                labels[fresh] = group
                waiting.extend(fresh[core[fresh]].tolist())
                words = _looked(len(near), len(fresh), group, row == seed)
                near = np.concatenate([[row], near[near != row]])
                yield self._step(k, labels, core, near, frame, words, n_core)

    def _step(
        self, k: int, labels: np.ndarray, core: np.ndarray, around: np.ndarray, frame: Frame,
        words: str, last: int,
    ) -> Step:  # fmt: skip
        """Step k of as many as there are core rows; the last of them looks around no more."""
        joined = float((labels >= 0).sum())
        stop = None
        if k == last:
            groups = count(int(labels.max(initial=-1)) + 1, "group")
            why = f"Every core row has looked around: {groups}." if last else "No row is core."
            stop, around = Stop("converged", why), _NONE
        return Step(k, joined, GrowthState(labels, core, around, frame), stop, words)

    def _end(self, given: Given) -> Step:
        balls, core, frame = self._balls(given)
        last = int(core.sum())
        return self._step(last, balls.labels(core), core, _NONE, frame, "", last)

    def _finished(self, given: Given, end: Step) -> DBSCANFit:
        state: GrowthState = end.state
        notes = (state.frame.note, _remark(state.core, self))
        return DBSCANFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            labels=state.labels,
            core=state.core,
            around=state.around,
            stored=given.X[state.core],
            frame=state.frame,
            notes=tuple(note for note in notes if note),
        )


def _looked(near: int, fresh: int, group: int, begins: bool) -> str:
    """What a core row did, in words."""
    does = "row begins" if begins else "row of"
    rest = "no new one joins" if not fresh else f"{fresh} {plural(fresh, 'joins', 'join')}"
    return f"A core {does} cluster {group + 1}: of the {count(near, 'row')} around it {rest}."


class _Balls:
    """The rows within the radius of each row, in blocks, so that any radius fits in memory.

    Of two rows that are near each other the earlier tells, and every row tells of itself.
    """

    def __init__(self, among: Neighbours, radius: float) -> None:
        self._among, self._radius, self.n = among, radius, len(among.S)
        self._cached: list[tuple[np.ndarray, np.ndarray]] = []
        self._room, self._crew = MOST_CACHED, Crew()

    def __iter__(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """The first row of each block, where the rows around each of its rows start, and these."""
        first = k = 0
        while first < self.n:
            end = first + max(1, MOST_PAIRS // (self.n - first))
            block = self._cached[k] if k < len(self._cached) else self._block(k, first, end)
            yield (first, *block)
            first, k = end, k + 1

    def _block(self, k: int, first: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        near = self._among.within_ahead(first, end, self._radius, self._crew)
        if k == len(self._cached) and len(near.rows) <= self._room:
            self._cached.append((near.starts, near.rows))
            self._room -= len(near.rows)
        return near.starts, near.rows

    def around(self, row: int) -> np.ndarray:
        """The rows within the radius of one, shape (m,), itself among them."""
        if self._whole is None:
            return self._among.within(self._among.S[row : row + 1], self._radius).rows
        starts, rows = self._whole
        return rows[starts[row] : starts[row + 1]]

    @cached_property
    def _whole(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Where the rows around each row start, and these; None where there is no room for them."""
        starts = np.concatenate([[0], *(np.diff(starts) for starts, _ in self._cached)]).cumsum()
        if len(starts) <= self.n or 2 * starts[-1] > MOST_CACHED:
            return None
        return _kernels.mirrored(starts, np.concatenate([rows for _, rows in self._cached]))

    def sums(self, w: np.ndarray) -> np.ndarray:
        """Sum of the weights around each row, shape (n,): every row lies in its own ball."""
        sums = np.zeros(self.n)
        for block in self:
            _kernels.around(*block, w, sums)
        return sums

    def labels(self, core: np.ndarray) -> np.ndarray:
        """The group of each row, shape (n,)."""
        above, labels = np.arange(self.n), np.full(self.n, -1)
        for block in self:
            _kernels.join(*block, core, above)
        _kernels.number(core, above, labels)
        for block in self:
            _kernels.border(*block, core, labels)
        return labels


def _remark(core: np.ndarray, method: DBSCAN) -> str:
    if core.any():
        return ""
    return (
        f"No row has {method.min_samples} rows within {method.eps:g}, itself among them, so every "
        "row is noise. Enlarge the radius."
    )
