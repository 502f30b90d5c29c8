"""Online k-means: centers move row by row, each row pulls the center that is nearest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from mlcore.clustering.counted import CountedClusters
from mlcore.clustering.memberships import Gibbs
from mlcore.clustering.quantisation import _kernels
from mlcore.clustering.quantisation.presenting import MOST_SHOWN, Shown, blocks, course, leaps
from mlcore.clustering.restarts import fewer_than_asked, too_few
from mlcore.clustering.sharing import squares_to
from mlcore.clustering.starts import Start
from mlcore.distances.nearest_center import nearest
from mlcore.maths.arrays import distinct_rows, read_only, vanishing
from mlcore.optimisation.schedules import Schedule
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part, real
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False)
class Way:
    """Where the centers were at t points of the run."""

    center_paths: np.ndarray  # (K, t, p)
    shown: np.ndarray  # (t,) rows shown until then, repeats counted
    running_costs: np.ndarray  # (t - 1,) mean squared distance that the rows met from one to next


@dataclass(frozen=True, eq=False)
class OnlineState:
    """Where online k-means stands after some rows."""

    labels: np.ndarray  # (n,)
    centers: np.ndarray  # (K, p)
    reached: int  # points of the way that lie behind
    way: Way | None  # all of it, in the last step


@dataclass(frozen=True, eq=False, kw_only=True)
class OnlineKMeansFit(Fit):
    """Centers as they stand after the last row, and the way that they went."""

    labels: np.ndarray  # (n,), 0 .. K - 1
    centers: np.ndarray  # (K, p); fewer than asked for where fewer rows differ
    distortion: float  # mean squared distance to the nearest center
    center_paths: np.ndarray  # (K, t, p): at the start and at t - 1 later points
    shown: np.ndarray  # (t,) rows shown until then, repeats counted
    running_costs: np.ndarray  # (t - 1,) mean squared distance that the rows met from one to next
    reached: int  # points of the paths that lie behind, the start among them

    def holds_together(self) -> bool:
        """Whether there are centers, of these columns."""
        return self.centers.shape == (max(len(self.centers), 1), self.n_columns)

    def predict(self, X: Any) -> np.ndarray:
        """The nearest center of each row, shape (m,); the lowest on ties."""
        return nearest(self._rows(X), self.centers)

    @property
    def schedules(self) -> tuple[tuple[str, np.ndarray], ...]:
        """The learning rate at the points of `shown`, (t,); a power of the wins divides it."""
        rates = course(cast(Any, self.made_by).learning_rate, int(self.shown[-1]))
        return (("learning rate", rates.at(self.shown)),)


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedOnlineKMeansFit(OnlineKMeansFit):
    """The fit where rows pull all centers, each by its share."""

    memberships: np.ndarray  # (n, K), rows of sum 1

    def responsibilities(self, X: Any) -> np.ndarray:
        """The share of each center in each row, shape (m, K)."""
        return cast(Any, self.made_by).shares(self._rows(X), self.centers)


def _cost(n: int, p: int, method: OnlineKMeans) -> tuple[float, float]:
    shown, k = n * method.n_epochs, method.n_clusters
    each = 2e-8 + 1.5e-9 * k * (p + 2) + (8e-9 * k if method.beta is not None else 0.0)
    return 2e-3 + shown * each, 8.0 * n * (p + 6)


@enter(
    Card(
        "online_kmeans",
        "Online k-means",
        ("clustering", "scorer"),
        paper="MacQueen (1967), Fifth Berkeley Symposium on Mathematical Statistics 1",
        sources=(
            "mi2:kmeans_online", "mi2:soft_kmeans_online", "cs1:kmeans_online",
            "cs2:kmeans_online",
        ),
        scores=("distortion", "stability", "silhouette", "group_information"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"c_{k(x)} \leftarrow c_{k(x)} + \eta_t\,(x - c_{k(x)}), \quad "
        r"k(x) = \arg\min_k \|x - c_k\|^2",
        synonyms=(
            "sequential k-means", "stochastic k-means", "MacQueen's k-means", "MiniBatchKMeans",
            "mini-batch k-means", "competitive learning", "winner takes all",
        ),
        line="centers that move a little with every row",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class OnlineKMeans(CountedClusters, IterativeMethod):
    r"""Shows the rows one by one; each moves its nearest center a little towards itself.

    $c_{k(x)} \leftarrow c_{k(x)} + \eta_t (x - c_{k(x)})$ is a step of stochastic gradient descent
    on the distortion. A center is a running mean of the rows that it wins: a large learning rate
    $\eta$ forgets quickly and shakes, a small one is steady and slow, so it starts large and is
    annealed. Divided by the number of wins, power 1, it is the exact mean of them (MacQueen). With
    a finite stiffness each row moves all centers, by its Gibbs shares.

    Use it for many rows and for streams, and where batch k-means stays in a bad start: the noise
    helps it out. O(p K) a row. Fails with a rate that stays large, which leaves the centers
    shaking, and one that falls too soon, which leaves them where they began; rows in the order of
    a drift leave centers at what came last. As k-means it wants compact groups of similar width.
    """

    n_clusters: int = integer(
        3, low=1, soft=(2, 12), symbol="K", label="Number of clusters", doc="Number of centers."
    )
    learning_rate: Schedule = part(
        "stages_schedule",
        slot="schedule",
        symbol=r"\eta",
        label="Learning rate",
        doc="Share of the way to a row that its center goes, from 0 to 1, row by row.",
    )
    n_epochs: int = integer(
        5, low=1, high=10_000, soft=(1, 50), log=True, label="Epochs", doc="Passes over all rows."
    )
    beta: float | None = real(
        None,
        above=0.0,
        soft=(0.1, 100.0),
        log=True,
        or_none="infinite: the nearest center alone moves",
        symbol=r"\beta",
        label="Stiffness",
        doc="1 over the squared radius within which centers share a row, in squared units of the "
        "prepared columns.",
        advanced=True,
    )
    init: Start = part(
        "plus_plus",
        slot="centers",
        label="Initialisation",
        doc="How the first centers are chosen.",
    )
    order: str = choice(
        "random",
        "random",
        "given",
        doc="Rows are shuffled anew in every epoch, or come in the order of the table.",
    )

    def conflict(self) -> str | None:
        """Refuse rates above 1."""
        return leaps(self.learning_rate)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more clusters than rows, too long a run, and differences whose squares vanish."""
        if len(X) < self.n_clusters:
            return too_few(self.n_clusters, len(X))
        if len(X) * self.n_epochs > MOST_SHOWN:
            return (
                f"{count(self.n_epochs, 'epoch')} of {len(X):,} rows are more than {MOST_SHOWN:,} "
                "steps. Lower the number of epochs."
            )
        if reason := vanishing(X, self.title()):
            return reason
        return self.init.applies(X, self.n_clusters)

    def fit_class(self) -> type[OnlineKMeansFit]:
        """With a finite stiffness the fit has memberships."""
        return OnlineKMeansFit if self.beta is None else SharedOnlineKMeansFit

    def shares(self, X: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """The Gibbs share of each center in each row, shape (m, K), for a finite stiffness."""
        assert self.beta is not None
        none = np.empty((len(centers), 0, X.shape[1]))
        return Gibbs(beta=self.beta).shares(squares_to(X, centers, none))

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given, _Run(self, given))

    def _end(self, given: Given) -> Step:
        run = _Run(self, given)
        for start, end in blocks(run.total):
            run.show(start, end)
        return self._step(given, run)

    def _played(self, given: Given, run: _Run) -> Iterator[Step]:
        yield self._step(given, run)
        for start, end in blocks(run.total):
            run.show(start, end)
            yield self._step(given, run)

    def _step(self, given: Given, run: _Run) -> Step:
        labels = nearest(given.X, run.centers)
        distortion = float(((given.X - run.centers[labels]) ** 2).sum(axis=1).mean())
        stop, way = None, None
        if run.shown[-1] == run.total:
            why = f"Stopped after {count(self.n_epochs, 'epoch')}, as planned."
            stop = Stop("limit", why + fewer_than_asked(len(run.centers), self.n_clusters, "group"))
            way = Way(np.stack(run.path, axis=1), np.array(run.shown), np.array(run.costs))
        state = OnlineState(labels, run.centers, len(run.path), way)
        return Step(len(run.costs), distortion, state, stop, run.told(distortion))

    def _finished(self, given: Given, end: Step) -> OnlineKMeansFit:
        state: OnlineState = end.state
        assert state.way is not None  # the last step has it
        more = {} if self.beta is None else {"memberships": self.shares(given.X, state.centers)}
        return self.fit_class()(
            made_by=self,
            columns=given.columns,
            n_iter=self.n_epochs,
            stop=end.stop,
            labels=state.labels,
            centers=state.centers,
            distortion=end.objective,
            reached=state.reached,
            center_paths=state.way.center_paths,
            shown=state.way.shown,
            running_costs=state.way.running_costs,
            **more,
        )


class _Run:
    """The centers on their way, and where they have been."""

    def __init__(self, method: OnlineKMeans, given: Given) -> None:
        self.method, self.X = method, read_only(given.X)
        k = len(distinct_rows(given.X, method.n_clusters))
        ones = np.ones(given.n)
        self.centers = np.ascontiguousarray(
            method.init.centers(given.X, ones, k, given.rng("start 0")), dtype=np.float64
        )
        self.rows = Shown(given.n, method.order, given.rng("order"))
        self.total = given.n * method.n_epochs
        self.rates = course(method.learning_rate, self.total)
        self.wins, self.squares = np.zeros(k), np.empty(k)
        self.path, self.shown = [self.centers.copy()], [0]
        self.costs: list[float] = []

    def show(self, start: int, end: int) -> None:
        """Show the rows of these steps."""
        rows, rates = self.rows.take(end - start), self.rates.at(np.arange(start, end))
        common = (self.X, rows, rates, self.method.learning_rate.exponent)
        moving = (self.centers, self.wins, self.squares)
        if self.method.beta is None:
            met = _kernels.move_nearest(*common, *moving)
        else:
            met = _kernels.move_shared(*common, self.method.beta, *moving)
        self.path.append(self.centers.copy())
        self.shown.append(end)
        self.costs.append(met / (end - start))

    def told(self, distortion: float) -> str:
        """Where the centers stand, in a sentence."""
        if not self.costs:
            return f"The centers stand at their start; distortion {distortion:.4g}."
        moved = float(np.sqrt(((self.path[-1] - self.path[-2]) ** 2).sum(axis=1).max()))
        rows = count(self.shown[-1] - self.shown[-2], "row")
        return f"{rows} moved the centers by at most {moved:.3g}; distortion {distortion:.4g}."
