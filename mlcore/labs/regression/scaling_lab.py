"""Scaling: the unit of one column decides how gradients walk and what a penalty charges."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab, row_count
from mlcore.optimisation.composed import Objective
from mlcore.optimisation.gradient import GradientDescent
from mlcore.optimisation.losses import Squared
from mlcore.optimisation.penalties import NoPenalty
from mlcore.regression.elastic_net import ElasticNet
from mlcore.regression.ridge import Ridge
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real
from mlcore.spine.random import generator

MOST = 2000  # steps of a descent
CLOSE = 1e-3  # share of the first excess at which a descent counts as done
FACTORS = np.logspace(-2, 2, 41)
GRID = 61
AROUND = 1.3  # half the side of the picture over the longer coefficient of the minimum


class Descent(NamedTuple):
    """A gradient descent from zero on two coefficients, and the surface under it."""

    path: np.ndarray  # (k + 1, 2) coefficients in the units of the columns
    excess: np.ndarray  # (k + 1,) mean squared residual above the least
    first: np.ndarray  # (GRID,) places of the first coefficient
    second: np.ndarray  # (GRID,)
    surface: np.ndarray  # (GRID, GRID) excess, columns along the first coefficient
    condition: float  # largest over smallest eigenvalue of X'X
    steps: int  # until the excess is CLOSE; MOST + 1 if it is not within MOST steps


class Scaling(NamedTuple):
    """Two descents, and what two penalties leave of the second column in every unit."""

    raw: Descent
    standardised: Descent
    factors: np.ndarray  # (f,) of the numbers in the second column
    ridge: np.ndarray  # (f,) change of y for one standard deviation of the second column
    lasso: np.ndarray  # (f,)
    fair: tuple[float, float]  # both after standardising
    least_squares: float
    factor: float


@enter(
    Card(
        "scaling_lab",
        "Feature scaling, gradients and penalties",
        ("lab",),
        sources=("cs1:scaling_gd_demo", "cs1:scaling_penalty_demo", "cs2:input_standardization"),
        random=True,
        cost=lambda n, p, it: (0.4 + 1e-4 * it.n_rows, 1e6),
        formula=r"w \leftarrow w - \eta\, X^\top (X w - y),\qquad"
        r" \kappa = \frac{\lambda_{\max}(X^\top X)}{\lambda_{\min}(X^\top X)},\qquad"
        r" \hat\beta_{\text{ridge}} = \frac{f^2}{f^2 + \alpha}\, \hat\beta,\quad"
        r" \hat\beta_{\text{lasso}} = \max\left(\hat\beta - \tfrac{\alpha}{f}, 0\right)",
        kind="lab",
        pages=("regression",),
        synonyms=("condition number", "gradient descent", "feature scaling", "learning rate"),
        line="units make valleys and penalties unfair",
    )
)
@dataclass(frozen=True, kw_only=True)
class ScalingLab(Lab):
    r"""A change of units turns a round valley into a ditch and makes a penalty unfair.

    Two uncorrelated columns of equal standard deviation matter equally for y. Then the numbers of
    the second are multiplied by $f$, as a change of units does; its coefficient becomes $1/f$ of
    what it was. Least squares predicts the same. Descent now needs steps small enough for the steep
    direction and crawls along the flat one, $\kappa = f^2$ times flatter; and a penalty, which
    looks at coefficients, charges the column with small numbers most.
    """

    tasks = (
        "Raise the factor from 1 to 30 and compare the steps of both descents.",
        "Take steps of 1.9 safe lengths: see the path jump from one slope of the ditch to the "
        "other.",
        "Read off in which units the lasso drops the second column, though it matters as much as "
        "the first.",
    )
    seen = (
        "The steps grow with the square of the factor, and one step suffices after standardising "
        "if the columns are uncorrelated. In large units, which make small numbers, ridge and "
        "lasso shrink the second column to nothing; in small units they leave it alone. After "
        "standardising the penalty treats both alike, whatever the units were."
    )

    factor: float = real(
        5.0, low=0.01, high=100.0, soft=(0.01, 100.0), log=True, symbol="f",
        doc="By which the numbers of the second column are multiplied.",
    )  # fmt: skip
    step: float = real(
        1.0, low=0.05, high=1.99, soft=(0.05, 1.99), symbol=r"\eta L",
        doc="Length of a step, in units of the safe length; from 2 on it diverges.",
    )  # fmt: skip
    alpha: float = real(
        0.3, low=0.0, high=10.0, soft=(0.0, 2.0), symbol=r"\alpha",
        doc="Strength of the penalties, for a mean over the rows.",
    )  # fmt: skip
    noise: float = real(
        0.5, low=0.0, high=5.0, soft=(0.0, 2.0), symbol=r"\sigma", doc="Spread of the noise in y."
    )
    n_rows: int = row_count(100, (10, 1000))

    def compute(self, seed: int = 0) -> Scaling:
        """Both descents, and the penalised coefficients in all units."""
        X = _uncorrelated(generator(seed, "columns").normal(size=(self.n_rows, 2)))
        y = X.sum(axis=1) + self.noise * generator(seed, "noise").normal(size=self.n_rows)
        coefficients = np.array([self._penalised(X, y, f) for f in FACTORS])
        return Scaling(
            self._descent(X * [1.0, self.factor], y), self._descent(X, y),
            FACTORS, coefficients[:, 0], coefficients[:, 1], self._penalised(X, y, 1.0),
            float(X[:, 1] @ y / self.n_rows), self.factor,
        )  # fmt: skip

    def _descent(self, X: np.ndarray, y: np.ndarray) -> Descent:
        problem = Objective(Squared(), NoPenalty(), X, y)
        steps = GradientDescent(step=self.step).steps(
            problem, problem.zero(), tol=1e-12, max_iter=MOST
        )
        path = np.vstack([np.zeros(2), *[s.state.coefficients for s in islice(steps, MOST)]])
        gram, best = X.T @ X / len(X), np.linalg.lstsq(X, y - y.mean(), rcond=None)[0]
        excess = _excess(path, gram, best)
        done = np.flatnonzero(excess <= CLOSE * excess[0])
        steps_taken = int(done[0]) if len(done) else MOST + 1
        window = np.linspace(-AROUND, AROUND, GRID) * np.abs(best).max()
        first, second = (b + window for b in best)
        square = np.stack(np.meshgrid(first, second), axis=-1)
        values = np.linalg.eigvalsh(gram)
        return Descent(
            path[: steps_taken + 1], excess[: steps_taken + 1], first, second,
            _excess(square, gram, best), float(values[-1] / values[0]), steps_taken,
        )  # fmt: skip

    def _penalised(self, X: np.ndarray, y: np.ndarray, factor: float) -> tuple[float, float]:
        """Change of y for one standard deviation of column 2, by ridge and by the lasso."""
        scaled = X * [1.0, factor]
        fits = [Ridge(alpha=self.alpha * len(X)).fit(scaled, y)]
        # The lasso takes no penalty of zero, at which both are least squares.
        lasso = ElasticNet(alpha=self.alpha, tol=1e-12) if self.alpha > 0 else Ridge(alpha=0.0)
        fits.append(lasso.fit(scaled, y))
        ridge_effect, lasso_effect = (factor * float(fit.coefficients[1]) for fit in fits)
        return ridge_effect, lasso_effect


def _uncorrelated(X: np.ndarray) -> np.ndarray:
    """Uncorrelated columns of mean 0 and variance 1, from the same directions."""
    Q, R = np.linalg.qr(X - X.mean(axis=0))
    return Q * np.sign(np.diagonal(R)) * np.sqrt(len(X))


def _excess(at: np.ndarray, gram: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Mean squared residual above the least, at coefficients of shape (..., 2)."""
    off = at - best
    return np.einsum("...i,ij,...j->...", off, gram, off)
