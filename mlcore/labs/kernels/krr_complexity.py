"""Kernel ridge regression as a classifier: three widths, and an error that was selected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.gaussian_process.kernel_ridge import KernelRidge, KernelRidgeFit
from mlcore.kernels.centring import center_gram
from mlcore.kernels.kernel import Kernel
from mlcore.kernels.radial import Laplacian
from mlcore.kernels.rbf import RBF
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real
from mlcore.spine.random import generator

GRID = 61  # places along each side of the plane
REACH = 1.0  # half the side
WIDTHS = np.geomspace(0.01, 10.0, 17)
STRENGTHS = np.geomspace(1e-3, 10.0, 5)  # among which, and all widths, the selected is the best
NEW = 1000  # rows that measure the true error
AROUND = (0.1, 1.0, 10.0)  # times the width that is chosen
TABLES = 10  # on which a selection is made
NOISE = 0.15  # share of labels that are wrong: nobody errs less on new rows
KERNELS = ("Gaussian", "Laplacian")


class Panel(NamedTuple):
    """What one width makes of the square, and how often it errs."""

    width: float
    scores: np.ndarray  # (GRID, GRID) of class 1, columns along the first axis
    train: float
    test: float
    left_out: float


class KRRComplexity(NamedTuple):
    """Three panels, errors at every width, and selected errors on many tables."""

    X: np.ndarray  # (n, 2)
    y: np.ndarray  # (n,) 0 or 1
    places: np.ndarray  # (GRID,)
    panels: tuple[Panel, Panel, Panel]  # much narrower, as chosen, much wider
    widths: np.ndarray  # (W,)
    train: np.ndarray  # (W,)
    test: np.ndarray  # (W,)
    left_out: np.ndarray  # (W,)
    selected: np.ndarray  # (TABLES,) least error of rows left out among all widths and strengths
    honest: np.ndarray  # (TABLES,) that of the selected setting on new rows


@enter(
    Card(
        "krr_complexity_lab",
        "Kernel width, overfitting and selection",
        ("lab",),
        paper="Cawley and Talbot (2010), Journal of Machine Learning Research 11",
        sources=("prac:complexity_demo", "prac:krr_select_C"),
        random=True,
        cost=lambda n, p, it: (0.03 + 5e-5 * it.n_rows**2, 2e7),
        formula=r"\operatorname{sign} f(x),\quad f = \arg\min_f \sum_i (y_i - f(x_i))^2 + "
        r"\alpha \|f\|_k^2,\qquad y_i - f^{-i}(x_i) = \frac{y_i - f(x_i)}{1 - h_{ii}}",
        kind="lab",
        pages=("kernels", "classification"),
        synonyms=(
            "overfitting", "underfitting", "kernel ridge regression", "least squares SVM",
            "leave-one-out error", "selection bias", "model selection",
        ),
        line="three widths, and a chosen error flatters",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class KRRComplexityLab(Lab):
    r"""A narrow kernel knows rows by heart, a wide one misses the shape; a selected error flatters.

    Rows inside a circle have class 1, and 15 % of the labels are wrong, so no rule errs less on new
    rows. Kernel ridge regression on labels of -1 and 1 says the class by its sign, at the width
    chosen, and at a tenth and ten times of it. Each row left out costs nothing: it is known
    in closed form. On ten more tables the width and strength with the least error of rows left
    out are selected, and judged on new rows.
    """

    tasks = (
        "Compare the three maps, and the errors below them.",
        "Weaken the penalty to 0.001, and see which map suffers most.",
        "Find the width of the least error of rows left out, and read the error on new rows there.",
        "Take 20 rows, then 150: by how much is a selected error too good?",
    )
    seen = (
        "The narrow kernel makes an island of every row: no error on the training rows, many on "
        "new ones. The wide one does hardly better than chance. Rows left out follow new "
        "rows over all widths. But the least of 85 such errors is least by luck, too: with few "
        "rows the selected error lies below what the same rule does on new rows, on most tables."
    )

    kernel: str = choice(KERNELS[0], *KERNELS, doc="How alike two rows are.")
    width: float = real(
        0.6, low=0.01, high=10.0, soft=(0.03, 3.0), log=True, symbol=r"\sigma",
        label="Width of the kernel", doc="Of the map in the middle; the square has a side of 2.",
    )  # fmt: skip
    alpha: float = real(
        0.1, low=1e-6, high=1e3, soft=(1e-3, 100.0), log=True, symbol=r"\alpha",
        label="Strength of the penalty", doc="Of maps and curves; 1 / C of the notes.",
    )  # fmt: skip
    n_rows: int = row_count(60, (20, 150), doc="That are fitted.")

    def compute(self, seed: int = 0) -> KRRComplexity:
        """Fits at every width on one table, and at every setting on the others."""
        X, y = _rows(self.n_rows, generator(seed, "rows"))
        new, truth = _rows(NEW, generator(seed, "new rows"))
        places = np.linspace(-REACH, REACH, GRID)
        square = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2)
        fits = [self._fit(X, y, float(w), self.alpha) for w in WIDTHS]
        errors = [[_error(fit, X, y), _error(fit, new, truth), _left_out(fit, y)] for fit in fits]
        three = [self._fit(X, y, self.width * times, self.alpha) for times in AROUND]
        panels = [
            Panel(
                self.width * times, fit.predict(square).reshape(GRID, GRID),
                _error(fit, X, y), _error(fit, new, truth), _left_out(fit, y),
            )
            for times, fit in zip(AROUND, three, strict=True)
        ]  # fmt: skip
        chosen = np.array([self._selected(seed, k, new, truth) for k in range(TABLES)])
        return KRRComplexity(
            X, y, places, (panels[0], panels[1], panels[2]), WIDTHS, *np.array(errors).T, *chosen.T
        )

    def _selected(
        self, seed: int, k: int, new: np.ndarray, truth: np.ndarray
    ) -> tuple[float, float]:
        """The least error of rows left out on table k, and what its setting does on new rows."""
        X, y = _rows(self.n_rows, generator(seed, "table", k))
        errors = np.array([_left_out_by(self._kernel(float(w)), X, y) for w in WIDTHS])
        i, j = np.unravel_index(errors.argmin(), errors.shape)
        best = self._fit(X, y, float(WIDTHS[i]), float(STRENGTHS[j]))
        return float(errors[i, j]), _error(best, new, truth)

    def _fit(self, X: np.ndarray, y: np.ndarray, width: float, alpha: float) -> KernelRidgeFit:
        method = KernelRidge(kernel=self._kernel(width), alpha=alpha)
        fit = method.fit(X, 2.0 * y - 1.0)
        assert isinstance(fit, KernelRidgeFit)
        return fit

    def _kernel(self, width: float) -> Kernel:
        return RBF.from_sigma(width) if self.kernel == KERNELS[0] else Laplacian(gamma=1.0 / width)


def _rows(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the square; class 1 inside a circle, but for wrong labels."""
    X = rng.uniform(-REACH, REACH, (n, 2))
    y = (np.hypot(*X.T) < 0.75).astype(np.int64)
    return X, np.where(rng.random(n) < NOISE, 1 - y, y)


def _error(fit: KernelRidgeFit, X: np.ndarray, y: np.ndarray) -> float:
    return float(((fit.predict(X) > 0) != y).mean())


def _left_out_by(kernel: Kernel, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`_left_out` of a fit with each of the strengths, (A,), by one decomposition for all.

    Without a row the residual is its dual over the diagonal of the inverse; the intercept takes the
    direction of ones out of that.
    """
    signs = 2.0 * y - 1.0
    values, U = np.linalg.eigh(center_gram(kernel.against(X)(X))[0])
    inverse = 1.0 / (np.maximum(values, 0.0)[:, None] + STRENGTHS)  # (n, A)
    duals = U @ ((U.T @ (signs - signs.mean()))[:, None] * inverse)
    own = U**2 @ inverse - 1.0 / (len(X) * STRENGTHS)
    return ((signs[:, None] - duals / own) * signs[:, None] <= 0).mean(axis=0)


def _left_out(fit: KernelRidgeFit, y: np.ndarray) -> float:
    """Share of rows whose sign is wrong without them."""
    signs = 2.0 * y - 1.0
    return float(((signs - fit.left_one_out()) * signs <= 0).mean())
