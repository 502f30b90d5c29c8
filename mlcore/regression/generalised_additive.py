"""Generalised additive regression: a smooth curve for each column, and their sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.basis.splines import NO_CUTS, Curve
from mlcore.maths.arrays import vanishing
from mlcore.optimisation.deviances import MeanLoss, TweedieLoss
from mlcore.optimisation.rows import means
from mlcore.regression.concurvity import Concurvity, concurvity
from mlcore.regression.interplay import COARSE, coarse, pairs_of, products
from mlcore.regression.linear import constant_note
from mlcore.regression.linked import LinkedFit, LinkedMethod
from mlcore.regression.smoothing import Normal, Solved, by_cross_validation, by_likelihood
from mlcore.spine.capabilities_of_sums import Sum
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given
from mlcore.spine.params import choice, columns, integer, real
from mlcore.spine.wording import count

FEW_VALUES = 5  # of a column that stays a line: levels of a factor and the like
MOST_STEPS = 20  # values of a column that has a step from each to the next
MOST_WEIGHTS = 3000  # of one system of equations
HALVINGS = 30
NEARLY, ENOUGH = 1e-3, 1e-8  # changes of the predictor: strengths stay, all stays
ROUNDS = 50  # of the restricted likelihood on one working model


@dataclass(frozen=True, eq=False, kw_only=True)
class GeneralisedAdditiveFit(LinkedFit):
    """Fitted curves, one a column, then surfaces of two; each has mean 0 over the fitted rows."""

    made_by: GeneralisedAdditive
    intercept: float  # mean of what is linked
    lows: np.ndarray  # (p,) least value of each column among the fitted rows
    highs: np.ndarray  # (p,)
    pairs: np.ndarray  # (s, 2) the two columns of each surface
    starts: np.ndarray  # (p + s + 1,) where the weights of each begin; an exposure has none
    weights: np.ndarray  # (q,)
    centres: np.ndarray  # (q,) means of the basis over the fitted rows
    covariance: np.ndarray  # (q, q) of the weights, given the data
    strengths: np.ndarray  # (p + s,) of the penalty of each; NaN for a line
    dof: np.ndarray  # (p + s,) effective degrees of freedom; 1 for a line, 0 for an exposure
    gcv: float  # generalised cross-validation, of the last working model
    margins: tuple[np.ndarray, ...] = ()  # (p,) means of the basis of each column in surfaces
    cuts: tuple[np.ndarray, ...] = ()  # (p,) where a column of few values steps; empty for others
    notes: tuple[str, ...] = ()

    def predict(self, X: Any) -> np.ndarray:
        """The mean at each row, in units of the target, shape (m,)."""
        return self.made_by.loss().mean(self._linked(X))

    def _linked(self, X: Any) -> np.ndarray:
        X = self._rows(X)
        total = self.intercept + self.offset(X)
        for b in range(len(self.starts) - 1):
            total += self._block(X, b) @ self.weights[self._at(b)]
        return total

    @property
    def as_sum(self) -> Sum | None:
        """The linked mean: its curves; None with surfaces, which are of no single column."""
        if len(self.pairs):
            return None
        return self._sum_of(lambda X, j: (self._block(X, j) @ self.weights[self._at(j)])[:, None])

    def term(self, X: Any, which: Any) -> np.ndarray:
        """What columns `which` add to the linked mean, and its standard deviation: (m, 2).

        With the surfaces that are of these columns alone. An exposure, which is not fitted, adds
        nothing here.
        """
        X, which = self._rows(X), self._within(which)
        Z = np.hstack([self._block(X, b) for b in which])
        at = np.concatenate([np.arange(*self.starts[b : b + 2]) for b in which])
        spread = np.einsum("ij,jk,ik->i", Z, self.covariance[np.ix_(at, at)], Z)
        return np.column_stack([Z @ self.weights[at], np.sqrt(np.maximum(spread, 0.0))])

    def concurvity(self, X: Any, which: Any) -> Concurvity:
        """How far the curve of columns `which` can be written by those of the others at rows X."""
        X = self._rows(X)
        blocks = range(len(self.starts) - 1)
        Z = np.hstack([self._block(X, b) for b in blocks])
        own = np.isin(np.repeat(blocks, np.diff(self.starts)), self._within(which))
        return concurvity(Z[:, own], Z[:, ~own], self.weights[own])

    def _within(self, which: Any) -> list[int]:
        """The curves of columns `which` and the surfaces of two of them, as blocks of weights."""
        own = np.isin(self.pairs, list(which)).all(axis=1)
        return [*which, *(self.n_columns + np.flatnonzero(own)).tolist()]

    def _at(self, b: int) -> slice:
        return slice(self.starts[b], self.starts[b + 1])

    def _block(self, X: np.ndarray, b: int) -> np.ndarray:
        """The centred basis of curve or surface b at rows X, shape (m, width)."""
        if b < self.n_columns:
            Z = self._curve(b).of(X[:, b], self.made_by.degree)
        else:
            j, k = self.pairs[b - self.n_columns]
            Z = products(self._margin(X[:, j], int(j)), self._margin(X[:, k], int(k)))
        return Z - self.centres[self._at(b)]

    def _curve(self, j: int) -> Curve:
        at, cuts = self._at(j), self.cuts[j] if self.cuts else NO_CUTS
        return Curve(float(self.lows[j]), float(self.highs[j]), at.stop - at.start, cuts)

    def _margin(self, x: np.ndarray, j: int) -> np.ndarray:
        return coarse(self._curve(j)).of(x, self.made_by.degree) - self.margins[j]


def _cost(n: int, p: int, method: GeneralisedAdditive) -> tuple[float, float]:
    q = p * (method.n_splines - 1) + method.n_surfaces * COARSE**2
    rounds = 15.0 if method.smoothing == "reml" else 40.0 * p
    return 3e-3 + 6.0 * n * q**2 / 2e10 + rounds * q**3 / 2e9, 24.0 * n * q + 40.0 * q**2


@enter(
    Card(
        "generalised_additive",
        "Generalised additive regression",
        ("regression",),
        paper="Hastie and Tibshirani (1986), Statistical Science 1(3); Wood (2017), Generalized "
        "Additive Models, 2nd edition",
        task="regression",
        takes=("weights",),
        scores=("regression_scores", "deviance_scores"),
        cost=_cost,
        formula=r"\min_f \; \sum_i \omega_i \, d(y_i, \mu_i) + \sum_j \lambda_j "
        r"\|\Delta^2 \beta_j\|^2, \qquad g(\mu_i) = b + \sum_j f_j(x_{ij})",
        synonyms=(
            "GAM", "generalized additive model", "P-splines", "smoothing spline", "B-splines",
            "pyGAM", "GLMGam", "partial effects", "offset", "exposure",
            "additive logistic regression",
        ),
        line="one smooth curve a column",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GeneralisedAdditive(LinkedMethod):
    r"""A sum of smooth curves, one a column, for the mean of the target or its logarithm.

    Every curve is a sum of B-splines (Eilers and Marx 1996); squared second differences of their
    weights are charged, so that strong smoothing leaves a straight line. How strong each is, the
    restricted likelihood or generalised cross-validation chooses. Columns of few values, such as
    those of one-hot encoding, stay lines, or have steps (Gertheiss and Tutz 2009).

    Use it where each column bends the answer in its own way and the curves themselves are to be
    read; of shares it is an additive logistic regression. O(n q^2 + q^3) for q = p K weights. It
    sees no interplay of columns but of those that are named for surfaces, products of two bases.
    Columns that follow from each other share their curve by chance.
    """

    smoothing: str = choice(
        "reml", "reml", "gcv", "given",
        doc="How strongly each curve is smoothed: by the greatest restricted likelihood, by the "
        "least generalised cross-validation, or all as given.",
    )  # fmt: skip
    strength: float = real(
        1.0, above=0.0, soft=(1e-3, 1e5), log=True, symbol=r"\lambda",
        doc="Charge for squared second differences of the weights.",
        only_if={"smoothing": "given"},
    )  # fmt: skip
    n_splines: int = integer(
        20, low=5, high=200, soft=(5, 40), symbol="K", label="Splines a column",
        doc="How finely a curve may bend, at most half as many as the column has values; more cost "
        "time, and the penalty keeps them smooth.",
        advanced=True,
    )  # fmt: skip
    degree: int = integer(
        3, low=1, high=4, soft=(1, 4), doc="Of the pieces: 1 are lines, 3 are cubic.", advanced=True
    )
    few_values: str = choice(
        "line", "line", "steps", label="Columns of few values",
        doc="Columns of at most 5 values are lines, or those of 3 to 20 values, such as ordered "
        "levels, have a step from each to the next, whose squares are charged as bends are.",
        advanced=True,
    )  # fmt: skip
    surfaces: tuple[str, ...] = columns(
        (), label="Columns with surfaces",
        doc="Columns of the table that act together: every two of them add a smooth surface to "
        "their curves. None named: curves alone.",
    )  # fmt: skip
    max_iter: int = integer(
        50, low=1, soft=(5, 200), label="Maximum iterations",
        doc="Most working models, of families and links other than plain least squares.",
        advanced=True,
    )  # fmt: skip

    @property
    def n_surfaces(self) -> int:
        """How many there are, one a pair of the variables that are named."""
        return len(self.surfaces) * (len(self.surfaces) - 1) // 2

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse targets outside the family, too many weights, vanishing differences."""
        if X.shape[1] * (self.n_splines - 1) + self.n_surfaces * COARSE**2 > MOST_WEIGHTS:
            return (
                f"{self.title()} solves for {MOST_WEIGHTS} weights at most; {X.shape[1]} columns "
                f"of {self.n_splines} splines and {count(self.n_surfaces, 'surface')} are more. "
                "Use fewer columns or splines, or name fewer for surfaces."
            )
        return self._unfit(y) or vanishing(X, self.title())

    def _fit(self, given: Given) -> GeneralisedAdditiveFit:
        exposure, (_, offset) = self.exposure_at(given.columns), self._exposed(given)
        curves = [self._curve(given.X[given.w > 0, j], j == exposure) for j in range(given.p)]
        own = [c.of(x, self.degree) for c, x in zip(curves, given.X.T, strict=True)]
        pairs, margins, surfaces = self._surfaces(given, curves, exposure)
        free = [curve.n_free for curve in curves]
        free += [free[j] * free[k] for j, k in pairs]
        widths = [block.shape[1] for block in (*own, *surfaces)]
        starts = np.concatenate([[0], np.cumsum(widths)])
        Z = np.hstack([*own, *surfaces])
        centres = means(Z, given.weights)
        Z -= centres
        smooth = [b for b, width in enumerate(widths) if width > free[b]]
        charged = (slice(starts[b] + free[b], starts[b + 1]) for b in smooth)
        end = self._walked(given, Z, tuple(charged), offset)
        strengths = np.full(len(widths), np.nan)
        strengths[smooth] = end.strengths
        dof = np.concatenate([[0.0], np.cumsum(end.solved.dof)])
        return GeneralisedAdditiveFit(
            **self._judged(given, self.loss().mean(end.predictor), offset),
            intercept=end.intercept,
            lows=np.array([curve.low for curve in curves]),
            highs=np.array([curve.high for curve in curves]),
            pairs=pairs,
            margins=margins,
            starts=starts,
            weights=end.solved.weights,
            centres=centres,
            covariance=end.dispersion * end.solved.inverse,
            strengths=strengths,
            dof=np.diff(dof[starts]),
            dispersion=end.dispersion,
            gcv=end.gcv,
            cuts=tuple(curve.cuts for curve in curves),
            notes=(*constant_note(given), *end.notes),
        )

    def _surfaces(
        self, given: Given, curves: list[Curve], exposure: int | None
    ) -> tuple[np.ndarray, tuple[np.ndarray, ...], list[np.ndarray]]:
        """Pairs of columns, (s, 2), means of the bases of columns in them, and their products."""
        if not self.surfaces:
            return np.empty((0, 2), dtype=np.int64), (), []
        pairs = pairs_of(given.columns, self.surfaces, self.title())
        pairs = pairs[(pairs != (-1 if exposure is None else exposure)).all(axis=1)]
        bases = [coarse(c).of(x, self.degree) for c, x in zip(curves, given.X.T, strict=True)]
        margins = tuple(means(basis, given.weights) for basis in bases)
        bases = [basis - mean for basis, mean in zip(bases, margins, strict=True)]
        return pairs, margins, [products(bases[j], bases[k]) for j, k in pairs]

    def _curve(self, x: np.ndarray, is_exposure: bool) -> Curve:
        low, high = float(x.min()), float(x.max())
        if is_exposure:
            return Curve(low, high, 0)
        values = np.unique(x)
        if self.few_values == "steps" and 2 < len(values) <= MOST_STEPS:
            cuts = (values[1:] + values[:-1]) / 2
            return Curve(low, high, len(cuts), cuts)
        count = min(self.n_splines, max(self.degree + 2, len(values) // 2))
        is_smooth = len(values) > FEW_VALUES and count > self.degree
        return Curve(low, high, count - 1 if is_smooth else 1)

    def _walked(
        self, given: Given, Z: np.ndarray, at: tuple[slice, ...], offset: np.ndarray
    ) -> _End:
        """Working models one after the other until the predictor stays (PIRLS, Wood 2017, 6.1)."""
        loss, w, y = self.loss(), given.w, given.target
        eta = self._start(given, offset) + offset
        rows, strengths, known = int((w > 0).sum()), np.full(len(at), np.nan), self.family.known
        is_plain = isinstance(loss, TweedieLoss) and loss.power == 0 and not loss.has_log
        change = np.inf
        for _ in range(1 if is_plain else self.max_iter):
            weight = w * loss.expected_curvature(eta)
            rise = np.maximum(loss.rise(eta), np.finfo(float).tiny)
            working = eta - offset + (y - loss.mean(eta)) / rise
            shift, at_mean = float(weight @ working / weight.sum()), weight @ Z / weight.sum()
            V = Z - at_mean
            gram = V.T @ (V * weight[:, None])
            left = working - shift
            square = float(weight @ left**2)
            normal = Normal(gram, (weight * left) @ V, square, at, rows)
            if change > NEARLY:  # strengths that follow every working model may never settle
                strengths = self._strengths(normal, strengths, known)
            solved = normal.solved(strengths)
            intercept = shift - float(at_mean @ solved.weights)
            new = Z @ solved.weights + intercept + offset
            change, eta = _nearer(loss, w, y, eta, new)
            if is_plain or change < ENOUGH:
                break
        else:
            note = f"The working models still changed after {count(self.max_iter, 'iteration')}."
            return _end(normal, solved, strengths, intercept, eta, known, (note,))
        return _end(normal, solved, strengths, intercept, eta, known, ())

    def _strengths(self, normal: Normal, before: np.ndarray, known: float | None) -> np.ndarray:
        if self.smoothing == "given" or not len(before):
            return np.full(len(before), self.strength)
        start = normal.units * 1.0 if np.isnan(before).any() else before
        start = by_likelihood(normal, start, known, ROUNDS)
        return start if self.smoothing == "reml" else by_cross_validation(normal, start)


class _End(NamedTuple):
    """What the last working model gave."""

    solved: Solved
    strengths: np.ndarray  # (s,)
    intercept: float
    predictor: np.ndarray  # (n,)
    dispersion: float
    gcv: float
    notes: tuple[str, ...]


def _end(
    normal: Normal, solved: Solved, strengths: np.ndarray, intercept: float, eta: np.ndarray,
    known: float | None, notes: tuple[str, ...],
) -> _End:  # fmt: skip
    dispersion = normal.dispersion(solved) if known is None else known
    gcv = normal.gcv(solved)
    return _End(solved, strengths, intercept, eta, dispersion, gcv, notes)


def _nearer(
    loss: MeanLoss, w: np.ndarray, y: np.ndarray, eta: np.ndarray, new: np.ndarray
) -> tuple[float, np.ndarray]:
    """How far the predictor goes, as a root mean square, and where: half as far while it is lost.

    Raises DataError where no step of 1e-9 of the way has a finite deviance.
    """
    share = 1.0
    for _ in range(HALVINGS):
        there = eta + share * (new - eta)
        if np.isfinite(loss.at(y, there[None, :]).value[w > 0]).all():
            return float(np.sqrt(np.mean((new - eta) ** 2))), there
        share *= 0.5
    raise DataError(
        "Generalised additive regression found no means inside the family. Choose the logarithm "
        "as link."
    )
