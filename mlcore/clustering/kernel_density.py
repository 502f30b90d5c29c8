"""Kernel density: a hill over every row, added up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from mlcore.clustering.density.bandwidths import Bandwidth, FixedWidth
from mlcore.clustering.density.shapes import SHAPES, drawn, held_out, log_scale, log_sums
from mlcore.maths.arrays import vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, part, real
from mlcore.spine.random import generator
from mlcore.spine.wording import count, plural, rough

MOST_JUDGED = 1_000  # rows of which the density is asked for every bandwidth


@dataclass(frozen=True, eq=False)
class WidthState:
    """One bandwidth, and how well those so far did."""

    bandwidth: float
    best: float  # of those so far
    bandwidths: np.ndarray  # (g,) all that are tried
    held_out: np.ndarray  # (g,)
    floored: np.ndarray  # (g,)


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelDensityFit(Fit):
    """The rows, with how wide a kernel stands over each."""

    rows: np.ndarray  # (n, p)
    weights: np.ndarray  # (n,) positive, of sum 1
    bandwidth: float  # in units of the columns
    # (g,) that were tried, ascending; none of the three where a rule said one.
    bandwidths: np.ndarray | None
    held_out: np.ndarray | None  # (g,) mean log-density of rows that were left out
    floored: np.ndarray | None  # (g,) how many of them had no density
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there is a positive weight for every row, and a width."""
        n = len(self.rows)
        return bool(
            self.rows.shape == (max(n, 1), self.n_columns)
            and self.weights.shape == (n,)
            and (self.weights > 0).all()
            and self.bandwidth > 0
        )

    def log_density(self, X: Any) -> np.ndarray:
        """Logarithm of the density at each row, shape (m,); where there is none, the floor."""
        X, method = self._rows(X), self.made_by
        assert isinstance(method, KernelDensity)
        sums = log_sums(self.rows, self.weights, X, self.bandwidth, method.kernel)
        logarithms = sums - log_scale(method.kernel, self.bandwidth, self.n_columns)
        return np.where(np.isneginf(sums), log(method.log_floor), logarithms)

    def own_log_density(self) -> np.ndarray:
        """Logarithm of the density at each of the rows by the others alone, shape (n,)."""
        method, n = self.made_by, len(self.rows)
        assert isinstance(method, KernelDensity)
        each, width = np.arange(n), np.array([self.bandwidth])
        sums = held_out(self.rows, self.weights, each, each, width, method.kernel)[:, 0]
        scale = log_scale(method.kernel, self.bandwidth, self.n_columns)
        with np.errstate(divide="ignore"):
            logarithms = np.log(sums) - np.log(1.0 - self.weights) - scale
        return np.where(sums > 0, logarithms, log(method.log_floor))

    def sample(self, n: int, seed: int = 0) -> np.ndarray:
        """n new rows, shape (n, p): each a fitted one by its weight, moved as the kernel says."""
        method, rng = self.made_by, generator(seed, "sample")
        assert isinstance(method, KernelDensity)
        around = rng.choice(len(self.rows), n, p=self.weights)
        return self.rows[around] + self.bandwidth * drawn(method.kernel, n, self.n_columns, rng)


def _cost(n: int, p: int, method: KernelDensity) -> tuple[float, float]:
    tried = 30 * 8e-9 * n * min(n, MOST_JUDGED) if method.bandwidth.is_search else 0.0
    return 1e-3 + tried, 8.0 * n * (3 * p + 8) + 8.0 * 30 * min(n, MOST_JUDGED)


@enter(
    Card(
        "kernel_density",
        "Kernel density",
        ("clustering", "scorer"),
        paper="Parzen (1962), The Annals of Mathematical Statistics 33(3)",
        peer="sklearn.neighbors.KernelDensity",
        sources=("mi2:kde_box", "mi2:kde_gauss", "mi2:kde_bandwidth", "epfl:parzen_classifier"),
        takes=("weights",),
        scores=("log_likelihood",),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"\hat f(x) = \frac{1}{n h^p} \sum_i K\left(\frac{x - x_i}{h}\right)",
        synonyms=(
            "KDE", "Parzen window", "Parzen density", "kernel density estimation", "bandwidth",
            "KernelDensity", "gaussian_kde",
        ),
        line="a small hill over every row, added up",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class KernelDensity(IterativeMethod):
    r"""Says how densely rows lie at any place, by a small hill over each of them.

    $\hat f(x) = \frac{1}{n h^p} \sum_i K((x - x_i) / h)$, where the kernel K integrates to 1. The
    bandwidth h decides everything: narrow gives a spike a row, wide one flat hill. It is chosen so
    that rows which are left out are likely.

    Use it to see where rows lie, without a word on form or number of groups, on columns of
    comparable scale. A density costs O(n p) a place, the search O(n^2 p). Fails in many columns,
    where all places are far from all rows, and where groups are of different density, since one
    width serves all.
    """

    kernel: str = choice(
        SHAPES[0],
        *SHAPES,
        doc="The form of the hill: all but Gaussian and exponential are 0 beyond the bandwidth; "
        "box is a cube of side h, tophat a ball of radius h.",
    )
    bandwidth: Bandwidth = part(
        "leave_one_out", slot="bandwidth", doc="How wide the hill over a row is."
    )
    log_floor: float = real(
        1e-300,
        above=0.0,
        high=1e-3,
        soft=(1e-300, 1e-3),
        log=True,
        label="Least density",
        doc="What counts for a density of 0, whose logarithm is infinite.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer, whose cosine kernel integrates to 1 in odd dimensions only."""
        if missing := self.beyond_peer(kernel=SHAPES[:5], bandwidth="fixed_width"):
            return missing
        assert isinstance(self.bandwidth, FixedWidth)  # the rule of that name
        return {"kernel": self.kernel, "bandwidth": self.bandwidth.h}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows of which no width can be learned, and differences whose squares vanish."""
        return self._all_equal(X) or vanishing(X, self.title())

    def _all_equal(self, X: np.ndarray) -> str | None:
        if not self.bandwidth.reads_rows or np.ptp(X, axis=0).any():
            return None
        return (
            f"{self.title()} learns its bandwidth from rows that differ; here all are equal. "
            "Give a bandwidth."
        )

    def _steps(self, given: Given) -> Iterator[Step]:
        X, w = _weighted(given)
        if reason := self._all_equal(X):  # those of weight 0 may have been the others
            raise DataError(reason)
        widths = self.bandwidth.tried(X, w)
        if not self.bandwidth.is_search:
            return iter([_ruled(float(widths[0]))])
        return self._searched(given, X, w, widths)

    def _searched(
        self, given: Given, X: np.ndarray, w: np.ndarray, widths: np.ndarray
    ) -> Iterator[Step]:
        means, floored = self._judged(given, X, w, widths)
        more = self.bandwidth.finer(widths, int(means.argmax()))
        also, lost = self._judged(given, X, w, more)
        order = np.argsort(np.concatenate([widths, more]))
        widths, means, floored = (
            np.concatenate(pair)[order] for pair in ((widths, more), (means, also), (floored, lost))
        )
        best = int(means.argmax())
        end = WidthState(float(widths[best]), float(means[best]), widths, means, floored)
        for k, (h, mean) in enumerate(zip(widths, means, strict=True)):
            so_far = float(means[: k + 1].max())
            state = WidthState(float(h), so_far, widths, means, floored)
            note = f"Bandwidth {rough(float(h))}: mean log-density {rough(float(mean))}."
            yield Step(k, -float(mean), state, None, note)
        why = f"Bandwidth {rough(end.bandwidth)} makes the rows left out likeliest."
        note = f"Of {len(widths)} bandwidths the best is kept."
        yield Step(len(widths), -float(means[best]), end, Stop("converged", why), note)

    def _judged(
        self, given: Given, X: np.ndarray, w: np.ndarray, widths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean log-density of rows left out, and how many had none, for each width, (g,)."""
        n = len(X)
        groups = self.bandwidth.groups(n, given.rng("folds"))
        rows = np.arange(n)
        if n > MOST_JUDGED:
            rows = np.sort(given.rng("judged").choice(n, MOST_JUDGED, replace=False))
        sums = held_out(X, w, groups, rows, widths, self.kernel)
        rest = 1.0 - np.bincount(groups, w)[groups[rows]]
        scale = [log_scale(self.kernel, float(h), X.shape[1]) for h in widths]
        with np.errstate(divide="ignore"):
            logs = np.log(sums) - np.log(rest)[:, None] - scale
        least = log(self.log_floor)
        floored = (logs <= least).sum(axis=0)
        own = w[rows] / w[rows].sum()
        return own @ np.maximum(logs, least), floored

    def _finished(self, given: Given, end: Step) -> KernelDensityFit:
        X, w = _weighted(given)
        state: WidthState = end.state
        return KernelDensityFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            rows=X,
            weights=w,
            bandwidth=state.bandwidth,
            **_search(state),
            notes=_remarks(X, state),
        )


def _weighted(given: Given) -> tuple[np.ndarray, np.ndarray]:
    """The rows of positive weight, and these weights with the sum 1."""
    used = given.w > 0
    w = given.w[used]
    return given.X[used].copy(), w / w.sum()


def _search(state: WidthState) -> dict[str, np.ndarray | None]:
    """What was tried, by the names of the fit."""
    names = ("bandwidths", "held_out", "floored")
    return {name: getattr(state, name) if len(state.bandwidths) else None for name in names}


def _ruled(h: float) -> Step:
    none = np.empty(0)
    state = WidthState(h, np.nan, none, none, none.astype(np.int64))
    stop = Stop("converged", f"The bandwidth is {rough(h)}, by rule.")
    return Step(0, 0.0, state, stop, "None is tried.")


def _remarks(X: np.ndarray, state: WidthState) -> tuple[str, ...]:
    notes = []
    doubles = len(X) - len(np.unique(X, axis=0))
    if len(state.bandwidths) and doubles:
        notes.append(
            f"{count(doubles, 'row')} {plural(doubles, 'equals', 'equal')} an earlier one; equal "
            "rows ask for a narrow kernel."
        )
    if len(X) > MOST_JUDGED and len(state.bandwidths):
        notes.append(f"Bandwidths are judged on {MOST_JUDGED} of {len(X)} rows, drawn at random.")
    return tuple(notes)
