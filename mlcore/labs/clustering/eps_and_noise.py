"""The radius of DBSCAN: from all noise to one group, and rows that depend on the order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.clustering.dbscan import DBSCAN
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

RADII = np.geomspace(0.05, 5.0, 41)
STRAY = 10  # of which every so many rows is one
APART = 4.5  # from one cloud's center to the other's, whose standard deviation is 1


class EpsAndNoise(NamedTuple):
    """What a radius makes of the rows, and what others would."""

    X: np.ndarray  # (n, 2)
    labels: np.ndarray  # (n,) -1 for noise
    core: np.ndarray  # (n,) whether enough rows lie around
    torn: np.ndarray  # (n,) whether it is no core row and core rows of two groups reach it
    moved: np.ndarray  # (n,) whether it is in another group where the rows come in reverse
    reaches: np.ndarray  # (n,) falling: how far away the last of as many rows as make a core lies
    radii: np.ndarray  # (r,)
    groups: np.ndarray  # (r,)
    noise: np.ndarray  # (r,) share of the rows
    eps: float
    enough: int


def _cost(n: int, p: int, it: EpsAndNoiseLab) -> tuple[float, float]:
    return 0.03 + 4e-7 * it.n_rows**2, 1e6 + 16.0 * it.n_rows**2  # most radii join most pairs


@enter(
    Card(
        "eps_and_noise",
        "DBSCAN: radius and noise",
        ("lab",),
        sources=("epfl:dbscan",),
        random=True,
        cost=_cost,
        formula=r"\text{core: } |\{j : d(x_i, x_j) \le \varepsilon\}| \ge m",
        kind="lab",
        pages=("clustering",),
        synonyms=("eps", "border point", "k-distance", "density-based clustering"),
        line="one radius between all noise and one group",
    )
)
@dataclass(frozen=True, kw_only=True)
class EpsAndNoiseLab(Lab):
    r"""Too small a radius leaves all rows as noise, too large a one joins all; between lies one.

    Two round clouds and stray rows. A row is core if at least m rows lie within $\varepsilon$, and
    core rows that near to each other are one group. A border row near to core rows of two groups
    goes to that which is met first, so the order of the rows decides about it; about core rows and
    noise it decides nothing.
    """

    tasks = (
        "Lower the radius until nearly all rows are noise, then raise it until one group is left.",
        "Set the radius where the curve of distances bends, and count groups and noise.",
        "Look for a radius at which some ring shows: that row belongs to whoever comes first.",
    )
    seen = (
        "Noise only falls as the radius grows, while the number of groups rises from none to many "
        "small ones, falls to the two clouds and ends at one. The curve of distances bends where "
        "the stray rows end. Rings stand between groups that nearly touch, and never on core rows."
    )

    eps: float = real(
        0.8, above=0.0, soft=(0.05, 5.0), log=True, symbol=r"\varepsilon", label="Radius",
        doc="How far around a row its neighbours lie.",
    )  # fmt: skip
    min_samples: int = integer(
        10, low=1, high=50, soft=(2, 30), symbol="m", label="Rows around a core row",
        doc="Rows within the radius, itself among them, from which on a row is core.",
    )  # fmt: skip
    n_rows: int = row_count(300, (50, 1000), high=2000)

    def compute(self, seed: int = 0) -> EpsAndNoise:
        """The groups of the radius, of the rows in reverse, and of other radii."""
        X = self._rows(generator(seed, "rows"))
        method = DBSCAN(eps=self.eps, min_samples=self.min_samples)
        fit, reverse = method.fit(X), method.fit(X[::-1])
        others = [DBSCAN(eps=float(e), min_samples=self.min_samples).fit(X).labels for e in RADII]
        return EpsAndNoise(
            X, fit.labels, fit.core, _torn(X, fit.labels, fit.core, self.eps),
            _moved(fit.labels, reverse.labels[::-1], fit.core),
            np.sort(fit.reaches(X, np.arange(len(X))))[::-1],
            RADII, np.array([each.max() + 1 for each in others]),
            np.array([(each < 0).mean() for each in others]), self.eps, self.min_samples,
        )  # fmt: skip

    def _rows(self, rng: np.random.Generator) -> np.ndarray:
        stray = self.n_rows // STRAY
        of = np.arange(self.n_rows - stray) % 2
        clouds = rng.normal(size=(len(of), 2)) + np.outer(of, [APART, 0.0])
        low, high = np.array([-4.0, -5.0]), np.array([APART + 4.0, 5.0])
        X = np.vstack([clouds, rng.uniform(low, high, size=(stray, 2))])
        return X[rng.permutation(len(X))]


def _torn(X: np.ndarray, labels: np.ndarray, core: np.ndarray, eps: float) -> np.ndarray:
    """Which rows are not core and have core rows of several groups within the radius, (n,)."""
    torn = np.zeros(len(X), dtype=bool)
    for i in np.flatnonzero(~core & (labels >= 0)):
        near = core & (((X - X[i]) ** 2).sum(axis=1) <= eps * eps)
        torn[i] = len(np.unique(labels[near])) > 1
    return torn


def _moved(labels: np.ndarray, reverse: np.ndarray, core: np.ndarray) -> np.ndarray:
    """Which rows are in another group, (n,); the groups are known by their core rows."""
    same = np.full(labels.max() + 2, -1)  # the last is that of noise
    same[labels[core]] = reverse[core]
    return same[labels] != reverse
