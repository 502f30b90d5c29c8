"""Non-negative matrix factorisation: rows as sums of few parts, nothing ever taken away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from mlcore.maths._kernels import sweep
from mlcore.maths.arrays import constant_columns, vanishing
from mlcore.reduction.solvers import of_products
from mlcore.reduction.way_back import coordinates
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, real
from mlcore.spine.wording import count, percent

LEAST = 1e-12  # what a denominator is at least, as a share of the largest of its kind
NEARLY_EXACT = 1e-6  # share of the total below which the quick error has lost its digits
STRIP = 128  # columns of a side that are improved together
SWEEPS = 2  # over the coordinates of a side for each product with the table


@dataclass(frozen=True, eq=False)
class NMFState:
    """Both sides of the product."""

    amounts: np.ndarray  # (k, n) how much of each part is in each row
    parts: np.ndarray  # (k, p)


# One side, (k, m), its products with the table, (k, m), the other's with itself, (k, k): better.
Rule = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Table(NamedTuple):
    """The rows that are factorised."""

    X: np.ndarray  # (n, p), none negative
    total: float  # sum of their squares


@dataclass(frozen=True, eq=False, kw_only=True)
class NMFFit(Fit):
    """Parts of which rows are made, by falling contribution."""

    mean: np.ndarray  # (p,) from which rows are measured: the least values, or zeros
    axes: np.ndarray  # (k, p) the parts, none negative, of length one
    contributions: np.ndarray  # (k,) squared length of each part's amounts in the training rows
    error: float  # mean squared distance between a training row and its sum of parts
    out_columns: tuple[Column, ...]  # Part1, Part2, ...
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether each part has an entry a column."""
        return self.axes.shape == (len(self.out_columns), self.n_columns)

    def transform(self, X: Any) -> np.ndarray:
        """How much of each part is in each row, shape (m, k), none negative.

        The exact least squares solution; what no sum of parts reaches is left out.
        """
        X = self._rows(X)
        Q, R = np.linalg.qr(self.axes.T)
        return np.array([nnls(R, row)[0] for row in (X - self.mean) @ Q])

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The sums of parts with amounts Z, shape (m, k), in the space of the columns, (m, p)."""
        return self.mean + coordinates(self, Z) @ self.axes


def _cost(n: int, p: int, method: NMF) -> tuple[float, float]:
    k, iterations = method.n_components, min(method.max_iter, 150)
    each = 1e-4 + 4e-10 * n * p * k + 1e-9 * SWEEPS * k * k * (n + p)
    return 2e-3 + iterations * each + 2e-10 * n * p * min(n, p), 8.0 * (2 * n * p + 6 * k * (n + p))


@enter(
    Card(
        "nmf",
        "Non-negative matrix factorisation",
        ("reduction",),
        paper="Lee and Seung (1999), Nature 401; Cichocki and Phan (2009), IEICE Transactions",
        sources=("s841:nmf_fda",),
        scores=("reconstruction", "map_neighbours"),
        random=True,
        cost=_cost,
        units="directions of variance",
        formula=r"\min_{W \ge 0,\, H \ge 0} \|X - W H\|_F^2",
        synonyms=(
            "NMF", "NNMF", "non-negative matrix factorization", "nonnegative matrix factorization",
            "parts-based representation", "topic model",
        ),
        line="rows as sums of parts, none subtracted",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class NMF(IterativeMethod):
    r"""Builds every row as a sum of few parts, of which none is ever subtracted.

    $\min_{W \ge 0, H \ge 0} \|X - W H\|_F^2$: k parts H and their amounts W, improved in turn. As
    nothing cancels, parts are local, an eye or a stroke, where principal axes are whole rows with
    both signs. Columns are measured from their least fitted value, or from zero.

    Use it on pixels, counts, spectra and concentrations, to see what rows are made of. O(n p k) an
    iteration. Fails where columns have no natural zero, and where parts come only together; the
    optimum is one of many, so other starts and numbers of parts give other parts.
    """

    n_components: int = integer(
        2, low=1, soft=(1, 30), symbol="k", label="Number of parts", doc="Of which rows are sums."
    )
    origin: str = choice(
        "minimum",
        "minimum",
        "zero",
        label="Measured from",
        doc="The least fitted value of each column, or zero, which refuses negative values.",
    )
    init: str = choice(
        "nndsvda",
        "nndsvda",
        "random",
        label="Start",
        doc="Positive sides of the principal directions, or random amounts and parts.",
    )
    updates: str = choice(
        "coordinates",
        "coordinates",
        "multiplicative",
        label="Updates",
        doc="Exact for one part at a time, or the slower rule of Lee and Seung.",
    )
    max_iter: int = integer(
        500, low=1, soft=(10, 5000), log=True, label="Most iterations",
        doc="Updates of both sides after which it stops.", advanced=True,
    )  # fmt: skip
    tol: float = real(
        1e-5, low=0.0, soft=(1e-10, 1e-3), log=True, label="Tolerance",
        doc="Stop when an update lowers the error by no more than this share of it.",
        advanced=True,
    )  # fmt: skip

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse values below the origin, and rows of which nothing is left."""
        if reason := vanishing(X, self.title()):
            return reason
        if self.origin == "minimum" and constant_columns(X).all():
            return f"{self.title()} needs rows that differ; here all are equal. Choose others."
        if self.origin == "zero" and X.min() < 0:
            return (
                f"{self.title()} from zero takes no negative values; the least here is "
                f"{X.min():.3g}. Measure from the minimum, or leave standardising out."
            )
        if self.origin == "zero" and not X.any():
            return f"{self.title()} needs rows that are not all zero. Choose other columns."
        return None

    def _steps(self, given: Given) -> Iterator[Step]:
        table = _table(given.X - self._origin(given.X))
        k = min(self.n_components, *given.X.shape)
        state = self._begun(table.X, k, given)
        error = _error(table, state)
        note = f"The start: its error is {error / given.n:.4g} a row."
        yield Step(0, error / given.n, state, None, note, is_start=True)
        rule = _swept if self.updates == "coordinates" else _scaled
        stop, at = None, 0
        while stop is None:
            at += 1
            before = error
            state, error = _improved(table, state, rule)
            fall = (before - error) / before if before > 0 else 0.0
            stop = verdict(
                at - 1, max(fall, 0.0), tol=self.tol, max_iter=self.max_iter,
                what="the fall of the error, as a share of it,",
            )  # fmt: skip
            share = percent(error / table.total)
            note = f"The error a row is {error / given.n:.4g}, {share} of all."
            yield Step(at, error / given.n, state, stop, note)

    def _origin(self, X: np.ndarray) -> np.ndarray:
        return X.min(axis=0) if self.origin == "minimum" else np.zeros(X.shape[1])

    def _begun(self, X: np.ndarray, k: int, given: Given) -> NMFState:
        if self.init == "nndsvda":
            return _positive_sides(X, k)
        rng, level = given.rng("start"), np.sqrt(X.mean() / k)
        sides = (level * np.abs(rng.standard_normal((k, size))) for size in X.shape)
        return NMFState(*sides)

    def _finished(self, given: Given, end: Step) -> NMFFit:
        state: NMFState = end.state
        lengths = np.linalg.norm(state.parts, axis=1)
        weights = (state.amounts**2).sum(axis=1) * lengths**2
        order = np.argsort(-weights, kind="stable")
        order = order[weights[order] > 0]
        return NMFFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            mean=self._origin(given.X),
            axes=state.parts[order] / lengths[order, None],
            contributions=weights[order],
            error=end.objective,
            out_columns=tuple(Column(f"Part{j + 1}") for j in range(len(order))),
            notes=self._notes(len(order), given),
        )

    def _notes(self, k: int, given: Given) -> tuple[str, ...]:
        if k == self.n_components:
            return ()
        rows, columns = count(given.n, "row"), count(given.p, "column")
        return (f"{count(k, 'part')} of {self.n_components} hold all of {rows} in {columns}.",)


def _table(X: np.ndarray) -> Table:
    return Table(X, float(np.vdot(X, X)))


def _improved(table: Table, state: NMFState, rule: Rule) -> tuple[NMFState, float]:
    """The amounts, then the parts, by a rule; and the summed squared distance to the rows."""
    W = rule(state.amounts, state.parts @ table.X.T, state.parts @ state.parts.T)
    products, gram = W @ table.X, W @ W.T
    H = rule(state.parts, products, gram)
    error = table.total - 2 * float(np.vdot(products, H)) + float(np.vdot(gram, H @ H.T))
    state = NMFState(W, H)
    return state, error if error > NEARLY_EXACT * table.total else _error(table, state)


def _error(table: Table, state: NMFState) -> float:
    return float(((table.X - state.amounts.T @ state.parts) ** 2).sum())


def _swept(side: np.ndarray, products: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """Each row of the side, (k, m), in turn at its best while the others stand."""
    side, least = side.copy(), LEAST * (gram.diagonal().max() or 1.0)
    sweep(side, products, gram, least, SWEEPS, np.empty(STRIP))
    return side


def _scaled(side: np.ndarray, products: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """Lee and Seung (2001): times a factor that is 1 where the slope is zero."""
    under = gram @ side
    return side * products / np.where(under > 0, under, 1.0)


def _positive_sides(X: np.ndarray, k: int) -> NMFState:
    """Of each principal direction the sign that holds more; zeros become the mean of the table.

    Boutsidis and Gallopoulos (2008), Pattern Recognition 41. A zero would stay one under factors.
    The mean is that of the table in units in which it is 1, else it would drown both sides in large
    units: amounts and parts have the square root of a unit each.
    """
    n, p = X.shape
    axes = of_products(n, p).solved(X, np.zeros(p), k).axes[:k]  # a start needs few digits
    W, H = np.zeros((k, n)), np.zeros((k, p))
    for j, v in enumerate(axes):
        W[j], H[j] = _larger_side(X @ v, v)
    level = np.sqrt(X.mean())
    return NMFState(np.where(W > 0, W, level), np.where(H > 0, H, level))


def _larger_side(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positive or the negative parts of u v', whichever is larger, evenly shared."""
    sides = [(np.maximum(s * u, 0.0), np.maximum(s * v, 0.0)) for s in (1.0, -1.0)]
    sizes = [float(np.linalg.norm(a) * np.linalg.norm(b)) for a, b in sides]
    at = int(sizes[1] > sizes[0])
    if sizes[at] == 0:
        return np.zeros_like(u), np.zeros_like(v)
    a, b = sides[at]
    share = np.sqrt(sizes[at])
    return a * (share / np.linalg.norm(a)), b * (share / np.linalg.norm(b))
