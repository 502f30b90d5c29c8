"""What fits of groups have, by name: graphs, trees, densities and paths of the fitted rows.

As in `mlcore/spine/capabilities.py`, n is the number of fitted rows and p that of columns.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class CountsGroups(Protocol):
    """A method that is told how many groups to make. `with_groups(k)`: the same method for k of
    them, all other settings as they are."""

    def with_groups(self, k: int) -> Any: ...


@runtime_checkable
class HasInformation(Protocol):
    """A likelihood with free parameters. `aic` and `bic`, Akaike's and Schwarz's criterion of the
    training rows, in units of twice a nat: the lower, the better."""

    @property
    def aic(self) -> float: ...

    @property
    def bic(self) -> float: ...


@runtime_checkable
class GivesDevianceInformation(Protocol):
    """`deviance_information(X, weights)`: the deviance information criterion for the training rows
    and its parts: `dic` and the effective number of parameters `p_d`, `is_usable` where that is
    positive."""

    def deviance_information(self, X: Any, weights: Any = None) -> Any: ...


@runtime_checkable
class CostsDeviance(Protocol):
    """A method. `cost_of_deviance(n, p)`: the seconds that this takes on n rows of p columns."""

    def cost_of_deviance(self, n: int, p: int) -> float: ...


@runtime_checkable
class HasDirections(Protocol):
    """Prototypes that are flat pieces: the one through each center goes along its orthonormal
    `directions`, shape (k, r, p), r = 0 for points; in units of the columns."""

    directions: np.ndarray


@runtime_checkable
class HasPaths(Protocol):
    """Places that climb to `centers`. `paths`: where some of them were after 0, 1 .. t - 1 moves,
    shape (s, t, p), in units of the columns."""

    paths: np.ndarray


@runtime_checkable
class HasGraph(Protocol):
    """A graph of the fitted rows: `edges`, the two rows that each joins, shape (e, 2), and their
    `strengths`, shape (e,), positive."""

    edges: np.ndarray
    strengths: np.ndarray


@runtime_checkable
class HasGraphSpectrum(HasGraph, Protocol):
    """`eigenvalues` of the Laplacian of the graph, the least first, shape (m,), and `coordinates`
    of the fitted rows in the eigenvectors of the first K, shape (n, K)."""

    eigenvalues: np.ndarray
    coordinates: np.ndarray


@runtime_checkable
class HasStrengths(Protocol):
    """`strengths`: how firmly each fitted row belongs to its group, shape (n,), from 0 for noise
    to 1, and `outlier_scores`, shape (n,), in [0, 1]: the larger, the less dense than around it."""

    strengths: np.ndarray
    outlier_scores: np.ndarray


@runtime_checkable
class GivesReaches(Protocol):
    """Groups of rows that lie densely. `reaches(X, at)`: how far from rows `at`, shape (m,), of the
    fitted rows X, shape (n, p), the last of the `enough` nearest rows lies, itself counted, as
    (m,). `radius`: within which they make a row core; NaN where no one radius does."""

    @property
    def enough(self) -> int: ...

    @property
    def radius(self) -> float: ...

    def reaches(self, X: Any, at: np.ndarray) -> np.ndarray: ...


@runtime_checkable
class GroupsByRadius(GivesReaches, Protocol):
    """Groups of one radius. `at_radius(eps)`: the method with another, else as it is."""

    def at_radius(self, eps: float) -> Any: ...


@runtime_checkable
class HasCoreRows(Protocol):
    """`core`: whether enough rows lie around each fitted row, shape (n,). The other rows of a group
    are its border. `around`: the rows around the core row at which a step looks, (m,), itself the
    first; none in the end."""

    core: np.ndarray
    around: np.ndarray


@runtime_checkable
class HasRestarts(Protocol):
    """`restarts`: the objective at the end of every run, shape (r,). The run that was kept has the
    largest where it is a likelihood (`HasInformation`), else the least."""

    restarts: np.ndarray


@runtime_checkable
class HasCondensedTree(Protocol):
    """Clusters by density. Cluster c, c = 0 being all rows, splits off its `parents`[c], (c,), at
    the density `births`[c], with `sizes`[c] rows; `chosen` are those that label rows. Row i leaves
    `row_clusters`[i], (n,), its last one, at the density `row_densities`[i]. A density is 1 over a
    distance in units of the method."""

    parents: np.ndarray
    births: np.ndarray
    sizes: np.ndarray
    chosen: np.ndarray
    stabilities: np.ndarray
    row_clusters: np.ndarray
    row_densities: np.ndarray


@runtime_checkable
class HasMerges(Protocol):
    """The tree of an agglomerative clustering. `children`: which two clusters merge, shape
    (n - 1, 2), row i is 0 .. n - 1, the merge k is n + k; `heights`: dissimilarity of the two,
    shape (n - 1,); `sizes`: rows of both, (n - 1,); `inversions`: which lie lower than one that
    they contain, (n - 1,). The first `n_merges` are made, the others lie above the cut. The first
    n - `n_groups`, of height 0, join what was given as one group, and are never undone.
    `cut(k)`, `cut_at(height)`: groups of the rows, (n,), at k of them or there."""

    children: np.ndarray
    heights: np.ndarray
    sizes: np.ndarray
    n_merges: int
    n_groups: int

    @property
    def inversions(self) -> np.ndarray: ...

    def cut(self, k: int) -> np.ndarray: ...

    def cut_at(self, height: float) -> np.ndarray: ...


@runtime_checkable
class HasBandwidth(Protocol):
    """A density of kernels. `bandwidth`, in units of the columns; those that were tried,
    `bandwidths`, shape (g,), ascending, with the mean log-density of rows left out, `held_out`,
    (g,), and how many of these had none, `floored`, (g,)."""

    bandwidth: float
    bandwidths: np.ndarray
    held_out: np.ndarray
    floored: np.ndarray


@runtime_checkable
class HasCenterPaths(Protocol):
    """Centers that were moved. `center_paths`: where each was at t points of the run, shape
    (k, t, p), in units of the columns, `shown`, the steps until then, shape (t,), and how many
    points were `reached`: all, but for a fit as it stood at an earlier step."""

    center_paths: np.ndarray
    shown: np.ndarray
    reached: int


@runtime_checkable
class HasSchedules(Protocol):
    """`schedules`: names and values, (t,), of what was changed by plan while it learned, at the
    steps `shown`, shape (t,)."""

    shown: np.ndarray

    @property
    def schedules(self) -> tuple[tuple[str, np.ndarray], ...]: ...


class MapErrors(NamedTuple):
    """What a map of units gets wrong of some rows."""

    quantisation: float  # mean distance to the nearest prototype, in units of the columns
    topographic: float  # share of rows whose two nearest units do not touch on the lattice


@runtime_checkable
class HasLattice(Protocol):
    """Units on a `lattice` (`mlcore/clustering/quantisation/lattices.py`), each with a prototype in
    `centers`, shape (k, p), and `hits`, the number of fitted rows to which it is the nearest, (k,).
    `map_errors(X)`: what the map gets wrong of rows."""

    lattice: Any
    centers: np.ndarray
    hits: np.ndarray

    def map_errors(self, X: Any) -> MapErrors: ...


@runtime_checkable
class HasNeighbourhood(Protocol):
    """A map whose units learn together: `pulls(apart, steps)`, the share of the pull on the winner
    that reaches units at distances on the lattice, shape (d,), at steps of the run, shape (t,), as
    (t, d). `shown`: steps of the run, rising; `lattice` as of `HasLattice`."""

    lattice: Any
    shown: np.ndarray

    def pulls(self, apart: np.ndarray, steps: np.ndarray) -> np.ndarray: ...
