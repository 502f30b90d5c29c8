"""Principal component regression: least squares on the directions in which rows vary most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlcore.maths.arrays import vanishing
from mlcore.maths.linear import signed
from mlcore.optimisation.closed_form import ThinSVD, spectrum
from mlcore.optimisation.rows import ENOUGH, rows
from mlcore.regression.linear import LinearFit, linear_fields
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import flag, integer
from mlcore.spine.wording import count, percent, plural

CLEAR, ABSENT = 1e-5, 1e-13  # squares, over the largest, from which on and up to which one is sure


@dataclass
class PCRState:
    """The plane of the components so far."""

    coefficients: np.ndarray  # (p,)
    intercept: float
    directions: _Directions  # all of them, kept or not


@dataclass(frozen=True, eq=False, kw_only=True)
class PCRFit(LinearFit):
    """A plane that is level in all but a few directions."""

    made_by: PrincipalComponentRegression
    mean: np.ndarray  # (p,) of the columns
    scale: np.ndarray  # (p,) what columns are divided by; ones where they are not
    axes: np.ndarray  # (k, p) orthonormal, of the columns over their scale, by falling variance
    variances: np.ndarray  # (k,) of the training rows along the axes
    shares: np.ndarray  # (k,) of the total variance
    spectrum: np.ndarray  # (r,) variances along every direction, kept or not
    target_shares: np.ndarray  # (r,) of the variance of the target that each direction explains


def _cost(n: int, p: int, method: PrincipalComponentRegression) -> tuple[float, float]:
    short = min(n, p)
    return 5e-4 + (3.0 * n * p * short + 25.0 * short**3) / 1e10, 8.0 * (3 * n * p + 3 * short * p)


@enter(
    Card(
        "pcr",
        "Principal component regression",
        ("regression",),
        paper="Massy (1965), Journal of the American Statistical Association 60",
        task="regression",
        sources=("epfl:pcr",),
        takes=("weights",),
        weigh="copies",
        cost=_cost,
        units="directions of variance",
        formula=r"\hat y = \bar y + \sum_{j \le k} \frac{u_j^\top y}{s_j} v_j^\top (x - \bar x), "
        r"\quad X = \sum_j s_j u_j v_j^\top",
        synonyms=("PCR", "PCA regression", "principal components regression", "truncated SVD"),
        line="least squares on principal components",
    )
)
@dataclass(frozen=True, kw_only=True)
class PrincipalComponentRegression(IterativeMethod):
    r"""Least squares on the first principal components, so that unsteady directions are left out.

    With centred rows $X = \sum_j s_j u_j v_j^\top$ the plane rises by $u_j^\top y / s_j$ along
    $v_j$ for the k largest s, and not at all along the others, where few digits of the rows would
    decide. With all components it is least squares; ridge regression shrinks what this cuts off.

    Use it where columns rise together, or are more than the rows; standardise columns of different
    units. O(n p min(n, p)). Components are chosen without a look at the target: where it depends on
    a direction of small variance, the first ones miss it.
    """

    followed: ClassVar[str] = "mean squared residual"

    n_components: int = integer(
        2,
        low=1,
        soft=(1, 20),
        symbol="k",
        label="Number of components",
        doc="Directions of largest variance in which the plane may rise; at most those that there "
        "are.",
    )
    scale: bool = flag(
        False, doc="Divide columns by their standard deviation first.", advanced=True
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        directions = _directions(given, scaled=self.scale)
        return self._one_by_one(directions)

    def _one_by_one(self, directions: _Directions) -> Iterator[Step]:
        kept = min(self.n_components, len(directions.s))
        w, left = np.zeros(len(directions.mean)), directions.square
        if not kept:
            stop = Stop("converged", "The rows vary in no direction: the plane is level.")
            yield directions.step(0, w, left, stop, "No component.")
        for k in range(kept):
            w = w + directions.V[:, k] * (directions.toward[k] / directions.s[k])
            left = max(left - directions.toward[k] ** 2, 0.0)
            is_last = k + 1 == kept
            stop = Stop("converged", f"Stopped with {count(kept, 'component')}.")
            share = directions.target_shares[k]
            note = f"Component {k + 1} explains {percent(share)} of the variance of the target."
            yield directions.step(k, w, left, stop if is_last else None, note)

    def _finished(self, given: Given, end: Step) -> PCRFit:
        directions: _Directions = end.state.directions
        kept = min(end.k + 1, len(directions.s))
        fields = linear_fields(self, given, end)
        fields["notes"] += self._few(len(directions.s))
        variances = directions.s**2 / directions.spare
        return PCRFit(
            **fields,
            mean=directions.mean,
            scale=directions.scale,
            axes=signed(directions.V[:, :kept].T),
            variances=variances[:kept],
            shares=variances[:kept] / max(float(variances.sum()), np.finfo(float).tiny),
            spectrum=variances,
            target_shares=directions.target_shares,
        )

    def _few(self, rank: int) -> tuple[str, ...]:
        if rank >= self.n_components:
            return ()
        have = plural(rank, "has", "have")
        return (f"Only {count(rank, 'component')} of {self.n_components} {have} any variance.",)


class _Directions(NamedTuple):
    """Scaled and centred rows as U s V', and the target along U."""

    s: np.ndarray  # (r,) falling
    V: np.ndarray  # (p, r)
    toward: np.ndarray  # (r,) U'y
    square: float  # y'y
    total: float  # weight of all rows
    mean: np.ndarray  # (p,)
    scale: np.ndarray  # (p,)
    y_mean: float

    @property
    def spare(self) -> float:
        """The divisor of a variance."""
        return max(self.total - 1.0, 1.0)

    @property
    def target_shares(self) -> np.ndarray:
        """Of the variance of the target, shape (r,); zeros where it has none."""
        return self.toward**2 / self.square if self.square > 0 else np.zeros(len(self.toward))

    def step(self, k: int, w: np.ndarray, left: float, stop: Stop | None, note: str) -> Step:
        """The step at coefficients w, shape (p,), of the scaled columns."""
        w = w / self.scale
        state = PCRState(w, float(self.y_mean - self.mean @ w), self)
        return Step(k, left / self.total, state, stop, note)


def _directions(given: Given, *, scaled: bool) -> _Directions:
    design = rows(given.X, given.target, given.weights, "centering")
    n, p = given.n, given.p
    short = design.shortened(ENOUGH)
    A, scale = short[:, :-1], np.ones(p)
    if scaled:
        size = np.sqrt((A**2).sum(axis=0) / max(design.total - 1.0, 1.0))
        scale = np.where(size > 0, size, 1.0)
        A = A / scale
    svd = (_by_rows(A) if n < p else None) or spectrum(A, np.finfo(float).eps * max(n, p))
    return _Directions(
        s=svd.s,
        V=svd.V,
        toward=svd.U.T @ short[:, -1],
        square=float(design.y @ design.y),
        total=design.total,
        mean=design.x_mean,
        scale=scale,
        y_mean=design.y_mean,
    )


def _by_rows(A: np.ndarray) -> ThinSVD | None:
    """The decomposition of few rows, shape (n, p), by the products of these.

    None unless each direction is clearly there or clearly absent, as that of the offset is: the
    products square what tells them apart.
    """
    squares, U = np.linalg.eigh(A @ A.T)
    squares, U = squares[::-1], U[:, ::-1]
    present = squares > CLEAR * squares[0]
    if not present.any() or (np.abs(squares[~present]) > ABSENT * squares[0]).any():
        return None
    s = np.sqrt(squares[present])
    return ThinSVD(U[:, present], s, (A.T @ U[:, present]) / s)
