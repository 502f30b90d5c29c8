"""Tours: ways through the planes onto which rows of several columns can be projected."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.checks import matrix
from mlcore.spine.errors import ParamError
from mlcore.spine.random import generator
from mlcore.spine.records import function

STEP = 0.12  # radians from one frame to the next: small enough that the eye follows a row
MOST_FRAMES = 200
TRIES = 60  # planes around the present one among which a guided tour looks for a better
WIDEST, SHRUNK, LEAST = 1.0, 0.6, 0.02  # radians: how far it looks, and what is left of it after


class Tour(NamedTuple):
    """Planes along a way; those that it was led to, by number of the frame."""

    frames: np.ndarray  # (f, 2, p), rows of each orthonormal
    stops: np.ndarray  # (s,) ascending, the first 0, the last f - 1


@function(
    "geodesic_planes",
    title="Shortest way between two planes",
    synonyms=("geodesic interpolation", "principal angles between planes"),
)
def geodesic(A: Any, B: Any, at: Any) -> np.ndarray:
    """Planes on the shortest way from A to B, both (2, p) with orthonormal rows: (len(at), 2, p).

    `at` are shares of the way. With A B' = U cos(t) V', where t are the principal angles, the
    directions U'A turn by their angle each into V'B, and U turns all back within the plane: it
    begins with A itself and ends in the plane of B, turned so that nothing has spun inside it
    (Buja, Cook, Asimov and Hurley, Computational methods for high-dimensional rotations in data
    visualization, Handbook of Statistics 24, 2005). Raises DataError for what is no finite matrix.
    """
    U, G, across, angles = _principal(matrix(A, "A plane"), matrix(B, "A plane"))
    turned = np.asarray(at, dtype=np.float64)[:, None, None] * angles[:, None]
    return U @ (np.cos(turned) * G + np.sin(turned) * across)


def _principal(
    A: np.ndarray, B: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """U (2, 2), the principal directions of A (2, p), where they turn to (2, p), angles (2,)."""
    U, cosines, Vt = np.linalg.svd(A @ B.T)
    G, H = U.T @ A, Vt @ B
    rest = H - cosines[:, None] * G
    sines = np.linalg.norm(rest, axis=1)
    # Where a direction is common to both planes nothing turns, and the rest is rounding.
    across = rest / np.where(sines > 0, sines, 1.0)[:, None]
    # The arc cosine loses half of the digits near 1, where planes are close.
    return U, G, across, np.arctan2(sines, cosines)


def plane_distance(A: np.ndarray, B: np.ndarray) -> float:
    """The length of the shortest way between two planes of shape (2, p), in radians."""
    return float(np.linalg.norm(_principal(A, B)[3]))


def random_plane(p: int, rng: np.random.Generator) -> np.ndarray:
    """A plane drawn uniformly from all of them, shape (2, p): orthonormalised Gaussians."""
    return np.linalg.qr(rng.normal(size=(p, 2)))[0].T


@function("grand_tour", synonyms=("tour of projections", "random projections in motion"))
def grand_tour(p: int, n_planes: int = 6, seed: int = 0) -> Tour:
    """A way from the plane of the first two of p columns through `n_planes` random planes.

    The planes are drawn uniformly and joined by shortest ways at one speed, so that a long enough
    tour comes near every plane (Asimov, The grand tour: a tool for viewing multidimensional data,
    SIAM Journal on Scientific and Statistical Computing 6, 1985). Raises ParamError for fewer than
    3 columns, where there is one plane only, and for fewer than 1 plane.
    """
    _check(p, n_planes)
    rng = generator(seed, "planes of the grand tour")
    return _through(np.eye(2, p), [random_plane(p, rng) for _ in range(n_planes)])


@function("lda_index", title="LDA index of a projection", synonyms=("projection pursuit index",))
def lda_index(A: Any, within: Any, between: Any) -> np.ndarray:
    r"""$1 - |A W A'| / |A (W + B) A'|$ of planes A, shape (..., 2, p): shape (...).

    W and B are the scatter within and between classes, (p, p). 0 is a plane in which their means
    coincide, 1 one in which the classes are points (Lee, Cook, Klinke and Lumley, Projection
    pursuit for exploratory supervised classification, JCGS 14, 2005). 0 where rows do not spread.
    """
    A, W, B = (np.asarray(M, dtype=np.float64) for M in (A, within, between))
    inner, whole = (np.linalg.det(A @ M @ A.swapaxes(-1, -2)) for M in (W, W + B))
    spreads = whole > 0
    return np.where(spreads, 1.0 - inner / np.where(spreads, whole, 1.0), 0.0)


def scatters(Z: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scatter within and between the classes of rows Z, shape (n, p): two of shape (p, p)."""
    which, at = np.unique(codes, return_inverse=True)
    means = np.array([Z[at == k].mean(axis=0) for k in range(len(which))])
    off, apart = Z - means[at], means[at] - Z.mean(axis=0)
    return off.T @ off, apart.T @ apart


@function("guided_tour", synonyms=("projection pursuit", "projection pursuit guided tour"))
def guided_tour(Z: Any, codes: Any, n_planes: int = 6, seed: int = 0) -> Tour:
    """A way on which the classes of rows Z, shape (n, p), lie farther and farther apart.

    From the plane of the first two columns each part leads to the best of some planes around the
    present one, by the LDA index; where none is better the next are looked for closer by. It ends
    after `n_planes`, or where none is better close by: at a plane that is best among its
    neighbours, not among all (Cook, Buja, Cabrera and Hurley, Grand tour and projection pursuit,
    JCGS 4, 1995). Raises ParamError for fewer than 3 columns or fewer than 1 plane.
    """
    Z = matrix(Z, "A guided tour")
    _check(Z.shape[1], n_planes)
    rng = generator(seed, "planes of the guided tour")
    parts, radius = scatters(Z, np.asarray(codes)), WIDEST
    now, planes = np.eye(2, Z.shape[1]), []
    while len(planes) < n_planes and radius > LEAST:
        around = np.array([_near(now, radius, rng) for _ in range(TRIES)])
        values = lda_index(around, *parts)
        if values.max() <= lda_index(now, *parts):
            radius *= SHRUNK
            continue
        now = around[int(values.argmax())]
        planes.append(now)
    return _through(np.eye(2, Z.shape[1]), planes)


def _check(p: int, n_planes: int) -> None:
    if p < 3 or n_planes < 1:
        raise ParamError(
            f"A tour needs at least 3 columns and 1 plane to go to; got {p} and {n_planes}. With "
            "two columns there is one plane only."
        )


def _near(A: np.ndarray, radius: float, rng: np.random.Generator) -> np.ndarray:
    """A plane at most so far from A, in a random direction."""
    B = random_plane(A.shape[1], rng)
    share = min(radius * rng.uniform() / plane_distance(A, B), 1.0)
    return geodesic(A, B, [share])[0]


def _through(start: np.ndarray, planes: list[np.ndarray]) -> Tour:
    """Frames at one speed from the start through all planes."""
    frames, stops = [start[None]], [0]
    # Where planes are many the steps are longer, so that a tour stays small.
    most = max(MOST_FRAMES // max(len(planes), 1), 1)
    for plane in planes:
        now = frames[-1][-1]
        steps = min(max(round(plane_distance(now, plane) / STEP), 1), most)
        frames.append(geodesic(now, plane, np.arange(1, steps + 1) / steps))
        stops.append(stops[-1] + steps)
    return Tour(np.concatenate(frames), np.array(stops))
