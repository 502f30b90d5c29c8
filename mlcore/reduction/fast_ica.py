"""Independent component analysis by fixed points: sources that rows are mixtures of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import constant_columns, vanishing
from mlcore.maths.linear import signed
from mlcore.reduction.contrasts import Contrast
from mlcore.reduction.remarks import of_constant_columns, of_fewer_directions
from mlcore.reduction.solvers import Auto
from mlcore.reduction.way_back import coordinates
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step, Stop, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, many, part, real
from mlcore.spine.wording import count

WHITE = 1e-10  # share of the first variance below which a direction is rounding
AT_ONCE = 1024  # rows whose slopes stay in the cache
ORTHOGONAL = 1e-12  # how far from it products of unmixing rows may be
WHAT = "1 less the cosine between a direction and the one before"


@dataclass(frozen=True, eq=False)
class ICAState:
    """The rotation of the white rows so far."""

    rotation: np.ndarray  # (q, q) rows orthonormal; those not yet looked for are still the start
    negentropies: np.ndarray  # (q,) of the sources, by the contrast
    whitening: np.ndarray  # (q, p) from centred to white rows
    colouring: np.ndarray  # (q, p) and back
    mean: np.ndarray  # (p,) of the columns


class White(NamedTuple):
    """Rows with mean 0 and covariance 1."""

    rows: np.ndarray  # (n, q)
    whitening: np.ndarray  # (q, p)
    colouring: np.ndarray  # (q, p), back to the columns
    mean: np.ndarray  # (p,)


@dataclass(frozen=True, eq=False, kw_only=True)
class FastICAFit(Fit):
    """Sources of variance 1, the least normal first, and how they are mixed."""

    mean: np.ndarray  # (p,) of the columns
    unmixing: np.ndarray  # (q, p) from centred rows to sources
    axes: np.ndarray  # (q, p) what one unit of a source adds to a row: the mixing, transposed
    negentropies: np.ndarray  # (q,) of the sources of the training rows, by the contrast
    is_normal: np.ndarray  # (q,) bool: no farther from normal than normal numbers may be
    out_columns: tuple[Column, ...]  # IC1, IC2, ...
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there is a way to each source and back."""
        return self.unmixing.shape == self.axes.shape == (len(self.out_columns), self.n_columns)

    def contrast(self, S: np.ndarray) -> np.ndarray:
        """How far from normal coordinates S, shape (m, r), of mean 0 and variance 1 are, (r,)."""
        return self._method.contrast.negentropies(S)

    def normal_limit(self, n: int, q: int) -> float:
        """The contrast that 95 of 100 samples of n normal rows stay below, in any direction of q
        coordinates."""
        return self._method.contrast.normal_limit(n, q)

    @property
    def _method(self) -> FastICA:
        assert isinstance(self.made_by, FastICA)
        return self.made_by

    def transform(self, X: Any) -> np.ndarray:
        """The sources of rows, shape (m, q)."""
        return (self._rows(X) - self.mean) @ self.unmixing.T

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Mixtures of sources Z, shape (m, q), in the space of the columns, (m, p)."""
        return self.mean + coordinates(self, Z) @ self.axes


def _cost(n: int, p: int, method: FastICA) -> tuple[float, float]:
    q = min(n, p, method.n_components or p)
    rounds = min(method.max_iter, 40) * (q if method.algorithm == "deflation" else 1)
    width = 1 if method.algorithm == "deflation" else q
    each = 5e-5 + n * width * (1e-8 + 5e-10 * q) + 2e-8 * q**3
    return 2e-3 + rounds * each + 4e-10 * n * p * min(n, p), 8.0 * (2 * n * (p + q) + 4 * p * p)


@enter(
    Card(
        "fast_ica",
        "Independent component analysis",
        ("reduction",),
        paper="Hyvarinen (1999), IEEE Transactions on Neural Networks 10(3)",
        sources=(
            "epfl:fastica_one_unit", "epfl:fastica_deflation", "epfl:fastica_symmetric",
            "epfl:fastica_symmetric_iter", "mi2:ica_unmixing", "mi2:fastica_one_unit",
            "mi2:fastica_symmetric", "s841:ica",
        ),
        scores=("negentropy", "reconstruction", "map_neighbours"),
        random=True,
        cost=_cost,
        units="directions of variance",
        formula=r"w^+ = E\{x\, g(w^\top x)\} - E\{g'(w^\top x)\}\, w",
        synonyms=(
            "FastICA", "ICA", "blind source separation", "BSS", "cocktail party problem",
            "unmixing",
        ),
        line="unmixes sources that were added up",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class FastICA(IterativeMethod):
    r"""Finds the sources whose mixtures the columns are, as independent as rows allow.

    Mixtures are closer to normal than their sources, so the least normal directions are looked
    for. Rows are made white; then $w^+ = E\{x\, g(w^\top x)\} - E\{g'(w^\top x)\}\, w$ with the
    slope g of a contrast turns each direction until it stands, all kept orthogonal at once or one
    after the other. Sources have variance 1; their order, by contrast, and signs are conventions.

    Use it on signals that add up: voices, sensors, images over each other. O(n q^2) an iteration.
    Fails where more than one source is normal, as any rotation of these is as good, and on mixtures
    that do not add up or have more sources than columns. The order of rows is not looked at.
    """

    n_components: int | None = integer(
        None, low=1, soft=(1, 20), or_none="all that have variance", symbol="q",
        label="Number of sources", doc="Principal directions that are kept and turned.",
    )  # fmt: skip
    contrast: Contrast = part(
        "log_cosh", slot="contrast", label="Contrast", doc="What tells a source from a normal one."
    )
    algorithm: str = choice(
        "symmetric",
        "symmetric",
        "symmetric_iterative",
        "deflation",
        label="Directions",
        doc="All at once, made orthogonal by eigenvalues or by iteration; or one by one.",
    )
    w_init: tuple = many(
        (), most=10_000, label="First directions",
        doc="Along the principal directions, q numbers for each of q sources one after the other; "
        "they are made orthogonal. None: drawn at random.", advanced=True,
    )  # fmt: skip
    max_iter: int = integer(
        200, low=1, soft=(10, 2000), log=True, label="Most iterations",
        doc="Turns of all directions, or of each.", advanced=True,
    )  # fmt: skip
    tol: float = real(
        1e-8, low=0.0, soft=(1e-12, 1e-3), log=True, label="Tolerance",
        doc="Stop when 1 less the cosine between a direction and the one before is no larger.",
        advanced=True,
    )  # fmt: skip

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows without variance, and differences whose squares vanish."""
        if reason := vanishing(X, self.title()):
            return reason
        if constant_columns(X).all():
            return f"{self.title()} needs rows that differ; here all are equal. Choose others."
        return None

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given, whitened(given.X, self.n_components))

    def _end(self, given: Given) -> Step:
        """The last step; contrasts on the way there, which nobody looks at, are left out."""
        white = whitened(given.X, self.n_components)
        for update in self._updates(white.rows, given):
            if update.stop is not None:
                return self._step(update, white)
        raise AssertionError("updates end with one that stops")

    def _played(self, given: Given, white: White) -> Iterator[Step]:
        for update in self._updates(white.rows, given):
            yield self._step(update, white)

    def _step(self, update: Update, white: White) -> Step:
        negentropies = self.contrast.negentropies(white.rows @ update.W.T)
        total = float(negentropies.sum())
        note = f"{WHAT} is {update.change:.3g}; the sum of contrasts {total:.4g}."
        state = ICAState(update.W, negentropies, white.whitening, white.colouring, white.mean)
        return Step(update.k, total, state, update.stop, note)

    def _updates(self, Z: np.ndarray, given: Given) -> Iterator[Update]:
        W = self._begun(Z.shape[1], given)
        if self.algorithm == "deflation":
            return self._one_by_one(Z, W)
        return self._all_at_once(Z, W)

    def _begun(self, q: int, given: Given) -> np.ndarray:
        """The first directions, orthonormal, shape (q, q)."""
        if not self.w_init:
            return nearest_orthogonal(given.rng("start").standard_normal((q, q)))
        if len(self.w_init) != q * q:
            raise DataError(
                f"{self.title()} finds {count(q, 'source')} here, whose first directions are "
                f"{q * q} numbers; {len(self.w_init)} are given. Give {q} a source, or none."
            )
        W = np.array(self.w_init).reshape(q, q)
        if np.linalg.matrix_rank(W) < q:
            raise DataError(
                f"{self.title()} needs first directions of which none is a sum of others; those "
                "given are. Change one of them."
            )
        return nearest_orthogonal(W)

    def _all_at_once(self, Z: np.ndarray, W: np.ndarray) -> Iterator[Update]:
        upright = iterated_orthogonal if "iterative" in self.algorithm else nearest_orthogonal
        stop, k = None, 0
        while stop is None:
            turned = upright(self._turned(Z, W))
            change = 1 - float(np.abs((turned * W).sum(axis=1)).min())
            W = turned
            stop = verdict(k, max(change, 0.0), tol=self.tol, max_iter=self.max_iter, what=WHAT)
            yield Update(k, W, change, stop)
            k += 1

    def _one_by_one(self, Z: np.ndarray, W: np.ndarray) -> Iterator[Update]:
        W, k, late = W.copy(), 0, None
        for j in range(len(W)):
            stop, at = None, 0
            while stop is None:
                w = self._turned(Z, W[j : j + 1])[0]
                for _ in range(2):  # once more takes what rounding left of the others
                    w = w - W[:j].T @ (W[:j] @ w)
                w = w / (np.linalg.norm(w) or 1.0)
                change = 1 - abs(float(w @ W[j]))
                # Those still to come stay orthogonal to those that are found.
                W[j] = w
                W[j:] = _completed(W[: j + 1], W[j + 1 :])
                stop = verdict(
                    at, max(change, 0.0), tol=self.tol, max_iter=self.max_iter, what=WHAT
                )
                late = stop if stop is not None and stop.kind != "converged" else late
                is_last = stop is not None and j + 1 == len(W)
                yield Update(k, W.copy(), change, (late or stop) if is_last else None)
                k, at = k + 1, at + 1

    def _turned(self, Z: np.ndarray, W: np.ndarray) -> np.ndarray:
        """E{z g(w'z)} - E{g'(w'z)} w for each row w of W, shape (r, q)."""
        first, second = np.zeros_like(W), np.zeros(len(W))
        for start in range(0, len(Z), AT_ONCE):
            block = Z[start : start + AT_ONCE]
            slopes = self.contrast.slopes(block @ W.T)
            first += slopes.first.T @ block
            second += slopes.second
        return (first - second[:, None] * W) / len(Z)

    def _finished(self, given: Given, end: Step) -> FastICAFit:
        state: ICAState = end.state
        order = np.argsort(-state.negentropies, kind="stable")
        W, negentropies = state.rotation[order], state.negentropies[order]
        mixing = W @ state.colouring
        axes = signed(mixing)
        flips = np.where((axes * mixing).sum(axis=1) < 0, -1.0, 1.0)
        is_normal = negentropies <= self.contrast.normal_limit(given.n, len(W))
        return FastICAFit(
            made_by=self, columns=given.columns, n_iter=end.k + 1, stop=end.stop, mean=state.mean,
            unmixing=flips[:, None] * (W @ state.whitening), axes=axes, negentropies=negentropies,
            is_normal=is_normal, out_columns=tuple(Column(f"IC{j + 1}") for j in range(len(W))),
            notes=self._notes(len(W), int(is_normal.sum()), given),
        )  # fmt: skip

    def _notes(self, q: int, n_normal: int, given: Given) -> tuple[str, ...]:
        notes = [*of_constant_columns(given), *of_fewer_directions(q, self.n_components or q)]
        if n_normal > 1:
            notes.append(
                f"{n_normal} of {count(q, 'source')} look normal: any rotation among these is "
                "equally good, so their directions are arbitrary."
            )
        return tuple(notes)


class Update(NamedTuple):
    """The rotation after an update."""

    k: int
    W: np.ndarray  # (q, q)
    change: float
    stop: Stop | None


def whitened(X: np.ndarray, most: int | None) -> White:
    """Rows X, shape (n, p), along their first principal directions, at most `most`, as white."""
    n, p = X.shape
    mean = X.mean(axis=0)
    axes = Auto().chosen(n, p, most).solved(X, mean, most)
    kept = np.flatnonzero(axes.squares > WHITE * axes.squares[0])[:most]
    deviations = np.sqrt(axes.squares[kept] / n)[:, None]
    whitening = axes.axes[kept] / deviations
    return White((X - mean) @ whitening.T, whitening, axes.axes[kept] * deviations, mean)


def nearest_orthogonal(W: np.ndarray) -> np.ndarray:
    """(W W')^(-1/2) W, the orthogonal matrix nearest to W, shape (q, q)."""
    U, _, V = np.linalg.svd(W)
    return U @ V


def iterated_orthogonal(W: np.ndarray, most: int = 200) -> np.ndarray:
    """The same of W, shape (q, q), without eigenvalues.

    W by its norm, then 3/2 W - 1/2 W W' W until it stands.
    """
    W = W / np.sqrt(np.abs(W @ W.T).sum(axis=1).max())
    for _ in range(most):
        products = W @ W.T
        if np.abs(products - np.eye(len(W))).max() <= ORTHOGONAL:
            break
        W = 1.5 * W - 0.5 * products @ W
    return W


def _completed(known: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The last of the known directions, and as many more, orthonormal to all that are known."""
    Q = np.linalg.qr(np.vstack([known, others]).T)[0].T
    return np.vstack([known[-1:], Q[len(known) :]])
