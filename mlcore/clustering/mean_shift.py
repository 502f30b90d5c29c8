"""Mean shift: places climb to the modes of the density, and rows join the mode nearest to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from mlcore.clustering.density import _kernels
from mlcore.clustering.density.reaches import Reach
from mlcore.distances.nearest_center import nearest
from mlcore.maths.arrays import read_only, vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, integer, part, real
from mlcore.spine.wording import count

MOST_PATHS = 150  # seeds whose way is kept: more would hide each other


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanShiftFit(Fit):
    """The modes, and the group of each fitted row."""

    labels: np.ndarray  # (n,) the nearest mode, the densest is 0; -1 is noise
    centers: np.ndarray  # (k, p) the modes
    bandwidth: float  # in units of the columns
    paths: np.ndarray  # (s, t, p) places of some seeds after 0, 1 .. t - 1 moves

    def holds_together(self) -> bool:
        """Whether there are modes of these columns."""
        return self.centers.shape == (max(len(self.centers), 1), self.n_columns)

    def predict(self, X: Any) -> np.ndarray:
        """The nearest mode of each row, shape (m,); -1 beyond the bandwidth if there is noise."""
        method = cast(Any, self.made_by)
        return _joined(self._rows(X), self.centers, self.bandwidth, method.noise)


@dataclass(frozen=True, eq=False)
class ClimbState:
    """Where the seeds are."""

    places: np.ndarray  # (s, p) of all seeds
    paths: np.ndarray  # (some, t, p)
    counts: np.ndarray  # (s,) rows within the bandwidth, before the last move
    bandwidth: float


class Climb(NamedTuple):
    """What a move of places needs."""

    X: np.ndarray  # (n, p) in the order of `column`
    column: int
    width: float
    is_flat: bool

    def moved(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Places, shape (s, p), after a move, the density before it, and the rows near, (s,)."""
        # Seeds that met climb together from then on.
        alone, own = np.unique(places, axis=0, return_inverse=True)
        to = np.empty_like(alone)
        density, counts = np.empty(len(alone)), np.empty(len(alone))
        seeds = read_only(alone)
        _kernels.shifted(self.X, self.column, seeds, self.width, self.is_flat, to, density, counts)
        return to[own], density[own] / len(self.X), counts[own]


def _cost(n: int, p: int, method: MeanShift) -> tuple[float, float]:
    seeds = min(n, 300) if method.bin_seeding else n
    return 2e-3 + 20e-9 * seeds * n * (0.4 + 0.1 * p) + 3e-9 * min(n, 1000) * n, 40.0 * n * p


@enter(
    Card(
        "mean_shift",
        "Mean shift",
        ("clustering",),
        paper="Comaniciu and Meer (2002), IEEE Transactions on Pattern Analysis 24(5)",
        peer="sklearn.cluster.MeanShift",
        scores=("stability", "silhouette", "noise_share", "group_information"),
        cost=_cost,
        units="distances",
        formula=r"z \leftarrow \sum_i K(x_i - z)\, x_i / \sum_i K(x_i - z)",
        synonyms=("mode seeking", "mode clustering", "MeanShift"),
        line="every row climbs to its mode",
    )
)
@dataclass(frozen=True, kw_only=True)
class MeanShift(IterativeMethod):
    r"""Climbs from many places to the modes of the density; rows join the nearest mode.

    Every seed moves to the mean of the rows about it, $z \leftarrow \sum_i K(x_i - z) x_i / \sum_i
    K(x_i - z)$, again and again. Each move goes up the density whose kernel falls as K says. Modes
    nearer to each other than the bandwidth are one, the denser of the two.

    Use it for groups with a peak each, of which the number is not known. One bandwidth serves all:
    O(s n p) a move of s seeds. Fails where groups are of different width, where a long group has
    several peaks by chance, and in many columns, where the density has peaks everywhere.
    """

    followed: ClassVar[str] = "mean density at the seeds"

    peer_differs = "Theirs gives rows midway between two modes to either by rounding."

    bandwidth: Reach = part(
        "quantile_reach",
        slot="reach",
        label="Bandwidth",
        doc="How far a move looks; the wider, the fewer modes.",
    )
    kernel: str = choice(
        "flat",
        "flat",
        "gaussian",
        doc="Whether all rows within the bandwidth count alike, or nearer ones more.",
    )
    bin_seeding: bool = flag(
        True,
        label="Seeds in cells",
        doc="One seed for each cell, as wide as the bandwidth, that holds rows; else one a row.",
    )
    noise: bool = flag(
        False, label="Noise", doc="Rows farther than the bandwidth from every mode join none."
    )
    tol: float = real(
        1e-3,
        low=0.0,
        soft=(0.0, 0.1),
        label="Tolerance",
        doc="A seed stops when it moves no farther, as a share of the bandwidth.",
        advanced=True,
    )
    max_iter: int = integer(
        300,
        low=1,
        soft=(10, 1000),
        log=True,
        label="Maximum iterations",
        doc="Moves after which the seeds stop.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(kernel="flat", tol=1e-3):
            return missing
        if missing := self.beyond_peer(bandwidth="given_reach"):
            return missing
        given: Any = self.bandwidth
        settings = {"bandwidth": given.h, "bin_seeding": self.bin_seeding}
        return settings | {"cluster_all": not self.noise, "max_iter": self.max_iter}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        width = self.bandwidth.width(given.X)
        if not width > 0:
            if not np.ptp(given.X, axis=0).any():
                raise DataError(
                    f"{self.title()} learns its bandwidth from rows that differ; here all are "
                    "equal. Give a bandwidth."
                )
            raise DataError(
                f"{self.title()} finds no bandwidth: most rows have as many equal ones as the rule "
                "looks for. Give a bandwidth, or a larger share."
            )
        column = int(np.ptp(given.X, axis=0).argmax())
        order = np.argsort(given.X[:, column], kind="stable")
        climb = Climb(read_only(given.X[order]), column, width, self.kernel == "flat")
        return self._climbed(climb, self._seeds(given.X, width))

    def _seeds(self, X: np.ndarray, width: float) -> np.ndarray:
        """Where the climb starts, shape (s, p)."""
        if not self.bin_seeding:
            return X.copy()
        cells = np.unique(np.round(X / width), axis=0)
        return X.copy() if len(cells) == len(X) else cells * width

    def _climbed(self, climb: Climb, places: np.ndarray) -> Iterator[Step]:
        shown = np.unique(np.linspace(0, len(places) - 1, MOST_PATHS).round().astype(np.int64))
        climbing = np.arange(len(places))
        path, density, counts = [places[shown]], np.zeros(len(places)), np.zeros(len(places))
        for k in range(self.max_iter + 1):
            to, density[climbing], counts[climbing] = climb.moved(places[climbing])
            if k == 0:
                climbing, to = climbing[counts > 0], to[counts > 0]
            stop = self._verdict(k, len(climbing))
            note = f"{count(len(climbing), 'seed')} of {len(places)} still climbing."
            state = ClimbState(places, np.stack(path, axis=1), counts, climb.width)
            yield Step(k, float(density.mean()), state, stop, note)
            if stop:
                return
            moved = np.sqrt(((to - places[climbing]) ** 2).sum(axis=1))
            places = places.copy()
            places[climbing] = to
            climbing = climbing[moved > self.tol * climb.width]
            path.append(places[shown])

    def _verdict(self, k: int, left: int) -> Stop | None:
        if left == 0:
            return Stop("converged", f"Converged: no seed moved after {count(k, 'move')}.")
        if k == self.max_iter:
            return Stop(
                "limit",
                f"Not converged after {count(k, 'move')}: {count(left, 'seed')} still rise.",
            )
        return None

    def _finished(self, given: Given, end: Step) -> MeanShiftFit:
        state: ClimbState = end.state
        is_near = state.counts > 0  # a cell's middle may have no row within the bandwidth
        centers = _modes(state.places[is_near], state.counts[is_near], state.bandwidth)
        return MeanShiftFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            labels=_joined(given.X, centers, state.bandwidth, self.noise),
            centers=centers,
            bandwidth=state.bandwidth,
            paths=state.paths,
        )


def _modes(places: np.ndarray, counts: np.ndarray, width: float) -> np.ndarray:
    """The places, shape (s, p), with most rows about them, none within `width` of another."""
    at = np.lexsort((*places.T[::-1], counts))[::-1]
    places = places[at]
    fresh = np.ones(len(places), dtype=bool)
    fresh[1:] = (places[1:] != places[:-1]).any(axis=1)
    kept: list[np.ndarray] = []
    for place in places[fresh]:
        if all(np.sqrt(((place - one) ** 2).sum()) > width for one in kept):
            kept.append(place)
    return np.array(kept)


def _joined(X: np.ndarray, centers: np.ndarray, width: float, noise: bool) -> np.ndarray:
    """The nearest mode of each row, shape (n,); -1 where it is too far and that is noise."""
    labels = nearest(X, centers)
    if noise:
        away = np.sqrt(((X - centers[labels]) ** 2).sum(axis=1))
        labels = np.where(away > width, -1, labels)
    return labels
