"""The settings of additive models, and the columns that their curves are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.additive.interplay import COARSE, coarse, pairs_of, products
from mlcore.additive.smoothing import Normal, by_cross_validation, by_likelihood
from mlcore.additive.working import End
from mlcore.basis.splines import Curve
from mlcore.optimisation.rows import means
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, columns, integer, real
from mlcore.spine.wording import count

FEW_VALUES = 5  # of a column that stays a line: levels of a factor and the like
MOST_STEPS = 20  # values of a column that has a step from each to the next
MOST_WEIGHTS = 3000  # of one system of equations


@dataclass(frozen=True, eq=False)
class Design:
    """The bases of all curves and surfaces at the fitted rows."""

    degree: int
    curves: tuple[Curve, ...]  # (p,)
    pairs: np.ndarray  # (s, 2)
    margins: tuple[np.ndarray, ...]
    free: tuple[int, ...]  # (p + s,) weights of each, the first ones, that are not charged
    widths: tuple[int, ...]  # (p + s,)
    Z: np.ndarray  # (n, q) centred
    centres: np.ndarray  # (q,)

    @property
    def starts(self) -> np.ndarray:
        """Where the weights of each begin, shape (p + s + 1,)."""
        return np.concatenate([[0], np.cumsum(self.widths)])

    @property
    def smooth(self) -> list[int]:
        """Which of them have weights that are charged."""
        return [b for b, width in enumerate(self.widths) if width > self.free[b]]

    @property
    def charged(self) -> tuple[slice, ...]:
        """The charged weights of each of `smooth`."""
        starts = self.starts
        return tuple(slice(starts[b] + self.free[b], starts[b + 1]) for b in self.smooth)

    def fields(self, end: End) -> dict[str, Any]:
        """The fields of `Curves` whose last working model is `end`."""
        strengths = np.full(len(self.widths), np.nan)
        strengths[self.smooth] = end.strengths
        dof = np.concatenate([[0.0], np.cumsum(end.solved.dof)])
        return {
            "degree": self.degree,
            "intercept": end.intercept,
            "lows": np.array([curve.low for curve in self.curves]),
            "highs": np.array([curve.high for curve in self.curves]),
            "pairs": self.pairs,
            "margins": self.margins,
            "starts": self.starts,
            "weights": end.solved.weights,
            "centres": self.centres,
            "covariance": end.dispersion * end.solved.inverse,
            "strengths": strengths,
            "dof": np.diff(dof[self.starts]),
            "gcv": end.gcv,
            "cuts": tuple(curve.cuts for curve in self.curves),
        }


@dataclass(frozen=True, kw_only=True)
class AdditiveMethod(Method):
    """Curves of columns that add up to what is linked."""

    smoothing: str = choice(
        "reml", "reml", "gcv", "given",
        doc="How strongly each curve is smoothed: by the greatest restricted likelihood, by the "
        "least generalised cross-validation, or all as given.",
    )  # fmt: skip
    strength: float = real(
        1.0, above=0.0, soft=(1e-3, 1e5), log=True, symbol=r"\lambda",
        doc="Penalty on squared second differences of the weights.",
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
        "levels, have a step from each to the next, whose squares are penalised as bends are.",
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

    def weights_of(self, p: int) -> int:
        """Of curves of p columns and the surfaces, at most."""
        return p * (self.n_splines - 1) + self.n_surfaces * COARSE**2

    def _too_many(self, p: int) -> str | None:
        """A sentence on more weights than are solved for, or None."""
        if self.weights_of(p) <= MOST_WEIGHTS:
            return None
        return (
            f"{self.title()} solves for {MOST_WEIGHTS} weights at most; {p} columns of "
            f"{self.n_splines} splines and {count(self.n_surfaces, 'surface')} are more. "
            "Use fewer columns or splines, or name fewer for surfaces."
        )

    def _design(self, given: Given, left_out: int | None = None) -> Design:
        """The bases at the given rows, with none of column `left_out`."""
        curves = [self._curve(given.X[given.w > 0, j], j == left_out) for j in range(given.p)]
        own = [c.of(x, self.degree) for c, x in zip(curves, given.X.T, strict=True)]
        pairs, margins, surfaces = self._surfaces(given, curves, left_out)
        free = [curve.n_free for curve in curves]
        free += [free[j] * free[k] for j, k in pairs]
        Z = np.hstack([*own, *surfaces])
        centres = means(Z, given.weights)
        Z -= centres
        widths = tuple(block.shape[1] for block in (*own, *surfaces))
        return Design(
            self.degree, tuple(curves), pairs, margins, tuple(free), widths, Z, centres
        )  # fmt: skip

    def _surfaces(
        self, given: Given, curves: list[Curve], left_out: int | None
    ) -> tuple[np.ndarray, tuple[np.ndarray, ...], list[np.ndarray]]:
        """Pairs of columns, (s, 2), means of the bases of columns in them, and their products."""
        if not self.surfaces:
            return np.empty((0, 2), dtype=np.int64), (), []
        pairs = pairs_of(given.columns, self.surfaces, self.title())
        pairs = pairs[(pairs != (-1 if left_out is None else left_out)).all(axis=1)]
        bases = [coarse(c).of(x, self.degree) for c, x in zip(curves, given.X.T, strict=True)]
        margins = tuple(means(basis, given.weights) for basis in bases)
        bases = [basis - mean for basis, mean in zip(bases, margins, strict=True)]
        return pairs, margins, [products(bases[j], bases[k]) for j, k in pairs]

    def _curve(self, x: np.ndarray, is_left_out: bool) -> Curve:
        low, high = float(x.min()), float(x.max())
        if is_left_out:
            return Curve(low, high, 0)
        values = np.unique(x)
        if self.few_values == "steps" and 2 < len(values) <= MOST_STEPS:
            cuts = (values[1:] + values[:-1]) / 2
            return Curve(low, high, len(cuts), cuts)
        count = min(self.n_splines, max(self.degree + 2, len(values) // 2))
        is_smooth = len(values) > FEW_VALUES and count > self.degree
        return Curve(low, high, count - 1 if is_smooth else 1)

    def _strengths(
        self, normal: Normal, before: np.ndarray, known: float | None, rounds: int
    ) -> np.ndarray:
        if self.smoothing == "given" or not len(before):
            return np.full(len(before), self.strength)
        start = normal.units * 1.0 if np.isnan(before).any() else before
        start = by_likelihood(normal, start, known, rounds)
        return start if self.smoothing == "reml" else by_cross_validation(normal, start)
