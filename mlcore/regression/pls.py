"""Partial least squares: least squares on the directions that vary most with the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.maths.arrays import vanishing
from mlcore.optimisation.rows import ENOUGH, rows
from mlcore.regression.linear import LinearFit, linear_fields
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop, last
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import flag, integer, real
from mlcore.spine.wording import count, percent, plural

AHEAD = 5  # components that are found beyond those used, so that a picture can say what they hold
ROUNDING = 10.0  # times what one rounding leaves of a direction: no more than that is none


@dataclass
class PLSState:
    """The plane of the components so far."""

    coefficients: np.ndarray  # (p,)
    intercept: float
    latent: _Latent  # all components that were found, used or not


@dataclass(frozen=True, eq=False, kw_only=True)
class PLSFit(LinearFit):
    """A plane that rises in a few directions, each found with a look at the target."""

    made_by: PLSRegression
    mean: np.ndarray  # (p,) of the columns
    scale: np.ndarray  # (p,) what columns are divided by; ones where they are not
    # (k, p) weights of the columns over their scale, w' G v = 1 for w = v and 0 for others, with
    # G = (1 - gamma) C + gamma I and their covariances C
    axes: np.ndarray
    loadings: np.ndarray  # (k, p) what one unit of a component adds to the columns over their scale
    rotations: np.ndarray  # (k, p) a component is these times the columns over their scale
    target_loadings: np.ndarray  # (k,) what one unit of a component adds to the target
    column_shares: np.ndarray  # (r,) of the columns' variance that each found component explains
    target_shares: np.ndarray  # (r,) of the target's

    @property
    def n_used(self) -> int:
        """How many of the components that were found the plane uses."""
        return len(self.axes)

    def latent(self, X: Any) -> np.ndarray:
        """The components of rows, shape (m, k), in units of the columns over their scale."""
        return ((self._rows(X) - self.mean) / self.scale) @ self.rotations.T


def _cost(n: int, p: int, method: PLSRegression) -> tuple[float, float]:
    short, sought = min(n, p + 1), method.n_components + AHEAD
    return 1e-3 + (2.0 * n * p * short + 6.0 * short * p * sought) / 1e10, 8.0 * (2 * n * p + p * p)


@enter(
    Card(
        "pls_regression",
        "Partial least squares",
        ("regression",),
        paper="Wold, Ruhe, Wold and Dunn (1984), SIAM Journal on Scientific Computing 5",
        task="regression",
        peer="sklearn.cross_decomposition.PLSRegression",
        sources=("epfl:pls_regression", "epfl:pls", "epfl:pls_cca_continuum"),
        takes=("weights",),
        weigh="copies",
        cost=_cost,
        units="directions of variance",
        formula=r"w_a = \arg\max_{\|w\| = 1} \operatorname{cov}(X_a w, y), \quad t_a = X_a w_a, "
        r"\quad \hat y = \bar y + \sum_{a \le k} \frac{t_a^\top y}{t_a^\top t_a} t_a",
        synonyms=(
            "PLS",
            "PLS1",
            "NIPALS",
            "SIMPLS",
            "projection to latent structures",
            "continuum regression",
            "regularised canonical correlation",
        ),
        line="components that covary with the target",
    )
)
@dataclass(frozen=True, kw_only=True)
class PLSRegression(IterativeMethod):
    r"""Least squares on a few components, each the direction that covaries most with the target.

    $w_a$ of length 1 maximises the covariance of $t_a = X_a w_a$ with $y$; then $t_a$ is taken out
    of the columns, $X_{a+1} = X_a - t_a t_a^\top X_a / t_a^\top t_a$, and the next is sought. The
    plane is least squares of $y$ on $t_1 \ldots t_k$. For one target NIPALS and SIMPLS find the
    same; with all components it is least squares of the columns. With a shrinkage $\gamma_x < 1$
    directions have $w^\top ((1 - \gamma_x) C + \gamma_x I) w = 1$ instead of length 1: from
    covariance, at 1, to correlation, at 0, where the first component is least squares itself. That
    of one target would only stretch all alike. *Multi-output regression* around it finds components
    for several targets at once.

    Use it where columns rise together or are more than the rows, as spectra do; standardise columns
    of different units. It needs fewer components than principal component regression, which does
    not look at the target. O(n p min(n, p)). Too many components fit the noise, sooner than those
    of PCA would: choose their number on rows left out.
    """

    followed: ClassVar[str] = "mean squared residual"

    n_components: int = integer(
        2,
        low=1,
        soft=(1, 20),
        symbol="k",
        label="Number of components",
        doc="Directions in which the plane may rise; at most those that there are.",
    )
    gamma_x: float = real(
        1.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\gamma_x",
        label="Shrinkage",
        doc="How far the covariance of the columns, by which directions are measured, is drawn to "
        "the identity: 1 seeks covariance with the target, 0 correlation.",
        advanced=True,
    )
    scale: bool = flag(
        False, doc="Divide columns by their standard deviation first.", advanced=True
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer, which seeks covariance."""
        settings = {"n_components": self.n_components, "scale": self.scale}
        return self.beyond_peer(gamma_x=1.0) or settings

    def _steps(self, given: Given) -> Iterator[Step]:
        most = self.n_components + AHEAD
        latent = _latent(given, scaled=self.scale, most=most, gamma=self.gamma_x)
        return self._one_by_one(latent)

    def fit_together(self, given: Given) -> tuple[PLSFit, ...]:
        """One fit an output of the target, (n, q), all on the components that covary most with
        them, each output in units of its own spread."""
        most = self.n_components + AHEAD
        each = _latents(given, scaled=self.scale, most=most, gamma=self.gamma_x)
        return tuple(
            self._finished(
                replace(given, y=np.ascontiguousarray(given.target[:, j])),
                last(self._one_by_one(latent)),
            )
            for j, latent in enumerate(each)
        )

    def _one_by_one(self, latent: _Latent) -> Iterator[Step]:
        used = min(self.n_components, latent.rank)
        if not used:
            stop = Stop("converged", "No column varies with the target: the plane is level.")
            yield latent.step(0, stop, "No component.")
        for k in range(used):
            stop = Stop("converged", f"Stopped with {count(used, 'component')}.")
            share = percent(latent.target_shares[k])
            note = f"Component {k + 1} explains {share} of the variance of the target."
            yield latent.step(k + 1, stop if k + 1 == used else None, note)

    def _finished(self, given: Given, end: Step) -> PLSFit:
        latent: _Latent = end.state.latent
        used = min(end.k + 1, latent.rank)
        fields = linear_fields(self, given, end)
        if latent.rank < self.n_components:
            few = f"{count(latent.rank, 'component')} of {self.n_components}"
            vary = plural(latent.rank, "varies", "vary")
            fields["notes"] += (f"Only {few} {vary} with the target.",)
        return PLSFit(
            **fields,
            mean=latent.mean,
            scale=latent.scale,
            axes=latent.W[:used],
            loadings=latent.P[:used],
            rotations=latent.R[:used],
            target_loadings=latent.q[:used],
            column_shares=latent.column_shares,
            target_shares=latent.target_shares,
        )


class _Latent(NamedTuple):
    """Components of the scaled and centred rows, in the order in which they are found."""

    W: np.ndarray  # (r, p) weights of the rows without the components before
    P: np.ndarray  # (r, p) loadings
    R: np.ndarray  # (r, p) weights of the rows as they are
    q: np.ndarray  # (r,) least squares of the target on the components
    column_shares: np.ndarray  # (r,)
    target_shares: np.ndarray  # (r,)
    square: float  # y'y
    total: float  # weight of all rows
    mean: np.ndarray  # (p,)
    scale: np.ndarray  # (p,)
    y_mean: float

    @property
    def rank(self) -> int:
        """How many there are, or were sought."""
        return len(self.q)

    def step(self, k: int, stop: Stop | None, note: str) -> Step:
        """The plane of the first k components."""
        w = (self.q[:k] @ self.R[:k]) / self.scale
        state = PLSState(w, float(self.y_mean - self.mean @ w), self)
        left = max(1.0 - float(self.target_shares[:k].sum()), 0.0)
        return Step(max(k - 1, 0), left * self.square / self.total, state, stop, note)


def _latent(given: Given, *, scaled: bool, most: int, gamma: float) -> _Latent:
    design = rows(given.X, given.target, given.weights, "centering")
    if given.n > given.p + 1:
        A, b = np.split(design.reduced(enough=ENOUGH), [given.p], axis=1)
    else:
        A, b = design.X, design.y
    square = float(design.y @ design.y)  # with what no column reaches, which short rows have not
    A, scale = _scaled(A, design.rounding, design.total) if scaled else (A, np.ones(given.p))
    parts = _parts(A, b.ravel(), square, _most(given, most), gamma, design.total)
    return _Latent(
        *parts, square=square, total=design.total, mean=design.x_mean, scale=scale,
        y_mean=design.y_mean,
    )  # fmt: skip


def _latents(given: Given, *, scaled: bool, most: int, gamma: float) -> tuple[_Latent, ...]:
    """The components that covary most with all columns of the target, (n, q), in units of their
    spread, and what each output has of them."""
    Y, p = given.target, given.p
    joint = np.column_stack([given.X, Y[:, :-1]])
    design = rows(joint, np.ascontiguousarray(Y[:, -1]), given.weights, "centering")
    whole = np.column_stack([design.X, design.y])
    short = design.reduced(enough=ENOUGH) if given.n > joint.shape[1] + 1 else whole
    square, total = (whole[:, p:] ** 2).sum(axis=0), design.total
    spread = np.sqrt(square / total)
    spread = np.where(spread > 0, spread, 1.0)  # a constant output teaches nothing
    A, B = short[:, :p], short[:, p:] / spread
    A, scale = _scaled(A, design.rounding[:p], total) if scaled else (A, np.ones(p))
    parts = _parts(A, B, square / spread**2, _most(given, most), gamma, total)
    W, P, R, q, column_shares, target_shares = parts
    y_means = np.append(design.x_mean[p:], design.y_mean)
    return tuple(
        _Latent(
            W, P, R, q[:, j] * spread[j], column_shares, target_shares[:, j], float(square[j]),
            total, design.x_mean[:p], scale, float(y_means[j]),
        )
        for j in range(Y.shape[1])
    )  # fmt: skip


def _most(given: Given, most: int) -> int:
    """How many components there may be: the intercept takes one direction of the rows."""
    return min(most, max(given.n - 1, 0), given.p)


def _scaled(A: np.ndarray, rounding: np.ndarray, total: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows A, (n, p), over the standard deviations of their columns, and these, (p,)."""
    size = np.sqrt((A**2).sum(axis=0) / max(total - 1.0, 1.0))
    scale = np.where(size > rounding, size, 1.0)
    return A / scale, scale


def _parts(
    A: np.ndarray, b: np.ndarray, square: Any, most: int, gamma: float, total: float
) -> tuple[np.ndarray, ...]:
    """As `_components`, of directions by their length or by the covariance of the columns."""
    if gamma == 1.0:
        return _components(A, b, square, most)
    return _shrunken(A, b, square, most, gamma, total)


def _shrunken(
    A: np.ndarray, b: np.ndarray, square: Any, most: int, gamma: float, total: float
) -> tuple[np.ndarray, ...]:
    """As `_components`, of directions w with w' ((1 - gamma) A'A / total + gamma I) w = 1.

    In coordinates in which these have length 1 they are those of plain partial least squares.
    """
    left, s, right = np.linalg.svd(A, full_matrices=False)
    kept = s > ROUNDING * s[0] * max(A.shape) * np.finfo(float).eps
    left, s, right = left[:, kept], s[kept], right[kept]
    lengths = np.sqrt((1.0 - gamma) * s**2 / total + gamma)
    W, P, R, q, _, of_target = _components(left * (s / lengths), b, square, min(most, len(s)))
    back = right / lengths[:, None]
    loadings = (P * lengths) @ right
    # A component has as large a square as its part in the target over its slope.
    reached, slopes = of_target * square, q**2
    if q.ndim > 1:
        reached, slopes = reached.sum(axis=1), slopes.sum(axis=1)
    squares = np.divide(reached, slopes, out=np.zeros(len(q)), where=slopes != 0)
    shares = (loadings**2).sum(axis=1) * squares / (s**2).sum()
    return W @ back, loadings, R @ back, q, shares, of_target


def _components(A: np.ndarray, b: np.ndarray, square: Any, most: int) -> tuple[np.ndarray, ...]:
    """Weights, loadings, rotations, (r, p), target loadings and both shares, (r,); r <= most.

    As NIPALS finds them, but rows A, shape (n, p), keep their components: a new one is freed of
    those before instead, twice, so that it is orthogonal to rounding. Of several targets b, shape
    (n, q), with squares (q,), loadings and shares of the target have the shape (r, q).
    """
    n, p = A.shape
    W, P, R, T = (np.zeros((most, size)) for size in (p, p, p, n))
    q, of_target = np.zeros((2, most, *b.shape[1:]))
    of_columns = np.zeros(most)
    whole, toward = float((A**2).sum()), b.T @ A
    least = ROUNDING * np.finfo(float).eps * max(n, p)
    for a in range(most):
        w = _direction(toward - (toward @ W[:a].T) @ W[:a])
        length = float(np.linalg.norm(w))
        if length <= least * (whole * float(np.sum(square))) ** 0.5:
            return W[:a], P[:a], R[:a], q[:a], of_columns[:a], of_target[:a]
        W[a] = w / length
        t = A @ W[a]
        for _ in range(2):
            t -= (T[:a] @ t) @ T[:a]
        size = float(np.linalg.norm(t))
        if size <= least * whole**0.5:
            return W[:a], P[:a], R[:a], q[:a], of_columns[:a], of_target[:a]
        T[a] = t / size
        P[a] = (T[a] @ A) / size
        R[a] = W[a] - (P[:a] @ W[a]) @ R[:a]
        along = T[a] @ b
        # That of the target without this component.
        toward -= np.multiply.outer(along * size, P[a])
        q[a] = along / size
        of_columns[a] = float(P[a] @ P[a]) * size**2 / whole
        of_target[a] = np.divide(along**2, square, out=np.zeros_like(q[a]), where=square > 0)
    return W, P, R, q, of_columns, of_target


def _direction(toward: np.ndarray) -> np.ndarray:
    """That which covaries most with one target, (p,), or with several, (q, p), times how much."""
    if toward.ndim == 1:
        return toward
    _, covariances, directions = np.linalg.svd(toward, full_matrices=False)
    first = directions[0]
    return covariances[0] * np.copysign(1.0, first[np.abs(first).argmax()]) * first
