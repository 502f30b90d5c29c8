"""Ways to find the principal axes of centered rows; all give the same axes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import get_blas_funcs
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, svds

from mlcore.maths.krylov import BLOCK, first_eigenvectors
from mlcore.maths.linear import CANCELLED, eigen_falling, scatter, thin_svd
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Stop
from mlcore.spine.params import integer, real
from mlcore.spine.registry import lookup
from mlcore.spine.wording import count

FEW = 0.1  # up to this share of the axes it pays to compute only those that are wanted ...
MANY = 500  # ... where there are more than these; else all are, for the scree plot
VERY_FEW = 0.005  # share of the axes that products with the rows give sooner than their scatter
LONG = 2000  # columns up to which all eigenvalues of their products are soon there
EVEN = 1e-6  # share of the first variance from which on products lose few digits of the least
GRAM_FLOOR = 1e-10  # below this share of the first, an axis made of products is mostly rounding


class ScatterAxes(NamedTuple):
    """Axes and the scatter of the rows along them, largest first."""

    squares: np.ndarray  # (q,), sums of squared coordinates along each axis
    axes: np.ndarray  # (q, p), rows orthonormal
    total: float  # sum of squares over all directions, computed or not


class SolverState(NamedTuple):
    """Where a solver stands: the axes so far, the last of them not yet settled."""

    solution: ScatterAxes
    note: str
    stop: Stop | None = None


@dataclass(frozen=True, kw_only=True)
class Solver(Component):
    """Finds the axes of rows X, shape (n, p), about their mean, shape (p,)."""

    def iterations(
        self, X: np.ndarray, mean: np.ndarray, most: int | None
    ) -> Iterator[SolverState]:
        """The states on the way to the first `most` axes, shape (q, p), or to all for None.

        X has shape (n, p), mean shape (p,). A closed form has a single state.
        """
        yield _solved(self.solved(X, mean, most), self.title())

    def solved(self, X: np.ndarray, mean: np.ndarray, most: int | None) -> ScatterAxes:
        """All axes of X, shape (n, p), or at least the first `most`; axes of shape (q, p)."""
        # A closed form is stepped through alike; one that iterates replaces `iterations`.
        raise NotImplementedError(f"{type(self).__name__} declares no solution")


@enter(Card("auto", "the fastest that is exact enough", ("pca_solver",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Auto(Solver):
    """Eigenvalues of the smaller product matrix for tall or wide tables, else singular values.

    Tables with fewer columns than rows try the eigenvalues first, which cost a third: where the
    least variance is at least 1e-6 of the first, ten of its digits are right. Ten axes of thousands
    are looked for by products with the rows, and mostly there before a product matrix would be.
    """

    def iterations(
        self, X: np.ndarray, mean: np.ndarray, most: int | None
    ) -> Iterator[SolverState]:
        """The states of the solver that is chosen for this shape."""
        n, p = X.shape
        if (solution := _by_products(X, mean, most)) is not None:
            return iter([_solved(solution, "products with the rows")])
        chosen = self.chosen(n, p, most)
        if isinstance(chosen, SingularValues) and p < n and p <= LONG:
            (state,) = Covariance().iterations(X, mean, most)
            squares = state.solution.squares
            if squares[-1] >= EVEN * squares[0] and len(squares) == p:
                return iter([state])
        return chosen.iterations(X, mean, most)

    def chosen(self, n: int, p: int, most: int | None = None) -> Solver:
        """The solver for the first `most` axes of n rows of p columns, or all of them."""
        short = min(n, p)
        if are_few(most, short) or (short <= LONG and max(n, p) >= 3 * short):
            return of_products(n, p)
        return SingularValues()


@enter(Card("eigh", "eigenvalues of the covariance", ("pca_solver",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Covariance(Solver):
    """Eigenvectors of the p by p matrix of covariances.

    The fastest for many rows. O(n p^2 + p^3). Variances below 1e-16 of the first are lost.
    """

    def solved(self, X: np.ndarray, mean: np.ndarray, most: int | None) -> ScatterAxes:
        """From the scatter matrix."""
        matrix = scatter(X, mean)
        squares, vectors = _largest(matrix, most)
        return ScatterAxes(squares, np.ascontiguousarray(vectors.T), float(np.trace(matrix)))


@enter(Card("svd", "singular values of the rows", ("pca_solver",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class SingularValues(Solver):
    """Singular value decomposition of the centered rows, without forming products.

    The most exact: sees variances down to 1e-32 of the first. O(n p min(n, p)).
    """

    def solved(self, X: np.ndarray, mean: np.ndarray, most: int | None) -> ScatterAxes:
        """All min(n, p) axes."""
        _, values, axes = thin_svd(X - mean)
        return ScatterAxes(values**2, axes, float((values**2).sum()))


@enter(Card("gram", "eigenvalues of the Gram matrix", ("pca_solver",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Gram(Solver):
    """Eigenvectors of the n by n matrix of products between rows, turned into axes.

    The fastest for more columns than rows, such as images. O(n^2 p + n^3).
    """

    def solved(self, X: np.ndarray, mean: np.ndarray, most: int | None) -> ScatterAxes:
        """At most min(n, p) axes; axes without scatter are left out."""
        about = X - mean
        products = about @ about.T
        squares, vectors = _largest(products, min(most or len(X), *X.shape))
        kept = squares > squares[0] * GRAM_FLOOR
        squares, vectors = squares[kept], vectors[:, kept]
        # |X^T u| is the square root of the eigenvalue; dividing by the length itself is exacter.
        axes = vectors.T @ about
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        return ScatterAxes(squares, axes, float(np.trace(products)))


@enter(
    Card(
        "arpack",
        "Lanczos iteration",
        ("pca_solver",),
        kind="part",
        synonyms=("ARPACK", "partial eigenvalues", "truncated SVD"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Lanczos(Solver):
    """Few axes by products with the rows alone: no matrix of covariances or products is made.

    The fastest for few axes of many rows and many columns. O(n p) a product, some dozens for each
    axis. Where all axes are wanted, or nearly, singular values are computed instead.
    """

    def solved(self, X: np.ndarray, mean: np.ndarray, most: int | None) -> ScatterAxes:
        """The first `most` axes; all where ARPACK needs as many or does not end."""
        about = X - mean
        if most is not None and most < min(X.shape) - 1:
            with suppress(ArpackNoConvergence):
                start = np.cos(np.arange(1.0, min(X.shape) + 1))  # the same bits each time
                first: Any = svds(about, most, v0=start)
                _, values, axes = first
                order = np.flatnonzero(values > 0)[::-1]
                return ScatterAxes(values[order] ** 2, axes[order], float((about**2).sum()))
        return lookup("pca_solver", "svd")().solved(X, mean, most)


@enter(Card("power", "power iteration", ("pca_solver",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Power(Solver):
    """Multiplies a direction by the covariance until it no longer turns; then the next axis.

    Shows how axes are computed. An iteration costs O(n p), but directions of nearly equal variance
    are told apart slowly: the error falls by the ratio of the two variances an iteration.
    """

    max_iter: int = integer(
        1000,
        low=1,
        soft=(10, 5000),
        log=True,
        label="Maximum iterations",
        doc="Iterations for each axis.",
    )
    tol: float = real(
        1e-12,
        above=0.0,
        soft=(1e-14, 1e-4),
        log=True,
        label="Tolerance",
        doc="An axis is found when 1 - cosine of the last iteration is not above this.",
    )

    def iterations(
        self, X: np.ndarray, mean: np.ndarray, most: int | None
    ) -> Iterator[SolverState]:
        """A multiplication an iteration, and a last iteration with the reason to stop."""
        rest = X - mean
        total = float((rest**2).sum())
        floor = total * rounding(*X.shape)
        squares, axes = np.empty(0), np.empty((0, X.shape[1]))
        solution, slow = ScatterAxes(squares, axes, total), []
        while len(axes) < min(most or X.shape[1], *X.shape) and (rest**2).sum() > floor:
            number, change = len(axes) + 1, 0.0
            for iteration, (axis, square, change) in enumerate(self._turned(rest, axes), start=1):
                angle = np.sqrt(2 * change)
                solution = ScatterAxes(np.append(squares, square), np.vstack([axes, axis]), total)
                yield SolverState(
                    solution, f"Axis {number}, iteration {iteration}: it turned by {angle:.2g} rad"
                )
            if change > self.tol:
                slow.append(str(number))
            squares, axes = solution.squares, solution.axes
            rest = rest - np.outer(rest @ axis, axis)  # deflate: take this axis out of the rows
        yield SolverState(
            ScatterAxes(squares, axes, total),
            "Every axis was looked for",
            self._stop(slow),
        )

    def _turned(
        self, rest: np.ndarray, axes: np.ndarray
    ) -> Iterator[tuple[np.ndarray, float, float]]:
        """The direction after each multiplication, its scatter, and 1 - cosine of the iteration."""
        # No axis of a tidy table is orthogonal to this start, as it may be to a row or column.
        axis = rest.T @ (rest @ np.cos(np.arange(1.0, rest.shape[1] + 1)))
        axis /= np.linalg.norm(axis)
        for _ in range(self.max_iter):
            before, axis = axis, rest.T @ (rest @ axis)
            axis -= axes.T @ (axes @ axis)  # rounding would bring earlier axes back
            axis /= np.linalg.norm(axis)
            change = float(((axis - before) ** 2).sum()) / 2
            yield axis, float(((rest @ axis) ** 2).sum()), change
            if change <= self.tol:
                return

    def _stop(self, slow: list[str]) -> Stop:
        if not slow:
            return Stop(
                "converged",
                f"Converged: 1 - cosine of the last iteration is at most {self.tol:g}.",
            )
        which = f"Axis {slow[0]} was" if len(slow) == 1 else f"Axes {', '.join(slow)} were"
        return Stop(
            "limit",
            f"{which} still turning after {count(self.max_iter, 'iteration')}: nearly equal "
            "variances tell directions apart slowly.",
        )


def _solved(solution: ScatterAxes, way: str) -> SolverState:
    return SolverState(solution, f"Solved by {way}", Stop("converged", "Solved in closed form."))


def _by_products(X: np.ndarray, mean: np.ndarray, most: int | None) -> ScatterAxes | None:
    """The first axes of rows X, shape (n, p), or None where those are many or would take long.

    The mean is taken out of each product and not of the rows, unless it would cost digits.
    """
    if most is None or max(most, BLOCK) > VERY_FEW * min(X.shape):
        return None
    raw, level = float(np.vdot(X, X)), float(len(X) * mean @ mean)
    if raw - level < CANCELLED * raw:
        X, mean = X - mean, np.zeros_like(mean)
        raw, level = float(np.vdot(X, X)), 0.0

    def product(V: np.ndarray) -> np.ndarray:
        along = V @ X.T - (V @ mean)[:, None]
        return along @ X - np.outer(along.sum(axis=1), mean)

    first = first_eigenvectors(product, X.shape[1], most)
    return None if first is None else ScatterAxes(*first, raw - level)


def of_products(n: int, p: int) -> Solver:
    """The solver by products of columns or of rows, whichever are fewer; half the digits of svd."""
    return Covariance() if p <= n else Gram()


def rounding(n: int, p: int) -> float:
    """The share of the first variance below which a variance is rounding."""
    return max(n, p) * float(np.finfo(float).eps)


def are_few(most: int | None, size: int) -> bool:
    """Whether computing only the first `most` of `size` axes is faster."""
    return most is not None and size > MANY and most <= FEW * size


def _largest(matrix: np.ndarray, most: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, falling, and eigenvectors, a column each: all, or only a few largest."""
    if most is not None and are_few(most, len(matrix)):
        # Lanczos begins at a fixed vector: a random start would give other bits each time.
        start = np.cos(np.arange(1.0, len(matrix) + 1))
        with suppress(ArpackNoConvergence):  # then all of them are computed, which always ends
            squares, vectors = eigsh(_half_of(matrix), most, v0=start)
            return squares[::-1], vectors[:, ::-1]
    return eigen_falling(matrix)


def _half_of(matrix: np.ndarray) -> LinearOperator:
    """A symmetric matrix, by products of scipy's, as ARPACK's own are: with those of numpy its
    threads would wait for each other."""
    turned, (symv,) = matrix.T, get_blas_funcs(("symv",), dtype=np.float64)
    times: Any = {"matvec": lambda v: symv(1.0, turned, v), "dtype": float}
    return LinearOperator(matrix.shape, **times)
