"""Kernel ridge regression: ridge regression in the features of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from mlcore.gaussian_process.center_system import CenterSystem, center_system, without
from mlcore.gaussian_process.kernel_system import (
    NONE_TRIED,
    KernelSystem,
    Tried,
    factored,
    kernel_system,
    left_out,
    shortest,
    solved,
)
from mlcore.kernels.kernel import LARGEST, Kernel, why_not
from mlcore.kernels.validity import notes_of_rows
from mlcore.maths.conflicts import note_of_interpolation
from mlcore.optimisation.conjugate_gradient import conjugate_gradient
from mlcore.optimisation.path import falling
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop, last, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, integer, part, real
from mlcore.spine.wording import count

BLOCK = 2048  # rows that are predicted together
MOST_ROWS = 10_000  # whose matrix has a place in memory (0.8 GB, twice with its factor)
MOST_VALUES = MOST_ROWS**2 // 2  # rows times centers; what centers are picked among takes as much
MOST, LEAST = 10.0, 1e-8  # ends of the grid of alpha, in mean eigenvalues of the Gram matrix


@dataclass
class KernelRidgeState:
    """Where the iteration stands; closed forms have one such state."""

    system: KernelSystem | CenterSystem
    scaled: np.ndarray  # (n,) duals over the roots of the weights, or (m,) of centers
    alpha: float
    tried: Tried


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelRidgeFit(Fit):
    """A sum of kernels at the training rows, or at m of them, the centers."""

    made_by: KernelRidge
    kernel: Any  # with what was chosen from the rows
    rows: np.ndarray  # (n, p) the training rows of positive weight, or (m, p) the centers
    duals: np.ndarray  # (n,) or (m,) what each adds to the prediction, times its kernel
    intercept: float  # units of the target
    alpha: float  # given, or chosen
    residuals: np.ndarray  # (n,) target minus prediction
    row_weights: np.ndarray  # (n,)
    learned: np.ndarray  # (n, p) all training rows where `rows` are centers among them, else (0, p)
    notes: tuple[str, ...] = ()

    def predict(self, X: Any) -> np.ndarray:
        """intercept + sum of duals times k, in units of the target, shape (m,)."""
        X, against = self._rows(X), self.kernel.against(self.rows)
        parts = [against(X[i : i + BLOCK]) @ self.duals for i in range(0, len(X), BLOCK)]
        return self.intercept + np.concatenate(parts)

    def contributions(self, X: Any) -> np.ndarray:
        """What each of `rows` adds to the prediction at q rows X, shape (q, n); without intercept.

        In units of the target.
        """
        return self.kernel.against(self.rows)(self._rows(X)) * self.duals

    def left_one_out(self) -> np.ndarray:
        """Target minus the prediction without that row, shape (n,), in closed form.

        Exact for this alpha, kernel and centers; NaN for a row that is fitted by itself.
        """
        if len(self.learned):
            return self._left_out_of_centers()
        system = kernel_system(
            self.rows, self.residuals, self.row_weights, self.kernel, self.made_by.offset
        )
        own = np.diag(np.linalg.inv(system.raised(self.alpha)))
        own = own - system.along**2 / (system.size + self.alpha)
        return left_out(self.duals / system.root, own, system.root, self.alpha)

    def _left_out_of_centers(self) -> np.ndarray:
        made = self.made_by
        assert made.n_centers is not None
        system = center_system(
            self.learned, self.residuals, self.row_weights, self.kernel, made.offset, made.n_centers
        )
        left = system.root * self.residuals
        return np.asarray(without(left, system.missing(self.alpha), system.root))


@dataclass(frozen=True, eq=False, kw_only=True)
class ChosenKernelRidgeFit(KernelRidgeFit):
    """One whose strength was chosen by rows left out."""

    tried: np.ndarray  # (A,) strengths that were tried, ascending
    tried_errors: np.ndarray  # (A,) mean squared error of rows left out under each
    tried_df: np.ndarray  # (A,) effective number of parameters under each
    tried_name: ClassVar[str] = "alpha"

    @property
    def chosen(self) -> float:
        """The strength that was chosen."""
        return self.alpha


def _cost(n: int, p: int, method: KernelRidge) -> tuple[float, float]:
    m = method.n_centers
    if m is not None and m < n:
        return 2e-3 + n * m * (1e-8 + 1e-10 * p) + 3.0 * n * m**2 / 5e9, 8.0 * n * (4 * m + p)
    by = 1.0 / 3 if method.alpha_rule == "fixed" and method.solver != "eigh" else 10.0
    return 2e-3 + (by * n**3) / 2e10 + n**2 * (1e-8 + 1e-10 * p), 8.0 * (4 * n**2 + n * p)


@enter(
    Card(
        "kernel_ridge",
        "Kernel ridge regression",
        ("gaussian_process", "regression"),
        paper="Saunders, Gammerman and Vovk (1998), ICML",
        task="regression",
        sources=(
            "prac:krr", "prac:krr_hat_matrix", "prac:krr_loo", "prac:krr_loo_eig",
            "prac:krr_select_C", "prac:krr_cg", "prac:krr_large_scale", "s841:ls_svm",
        ),
        takes=("weights",),
        weigh="copies",
        cost=_cost,
        units="distances",
        formula=r"\min_{f, b} \sum_i \omega_i (y_i - f(x_i) - b)^2 + \alpha \|f\|_k^2, \quad "
        r"f(x) = \sum_i \beta_i k(x_i, x)",
        synonyms=(
            "KRR", "least squares support vector machine", "LS-SVM", "regularisation network",
            "kernel regression", "smoothing spline", "Nystroem", "Nyström", "subset of regressors",
            "incomplete Cholesky",
        ),
        line="ridge regression in the space of a kernel",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class KernelRidge(IterativeMethod):
    r"""Least squares of a sum of kernels at the training rows, kept smooth by a penalty.

    Minimises $\sum_i \omega_i (y_i - f(x_i) - b)^2 + \alpha \|f\|_k^2$ over all f in the space of
    the kernel: $f = \sum_i \beta_i k(x_i, \cdot)$ with $(K + \alpha I) \beta = y - b$.
    It is the mean of a Gaussian process with noise $\alpha$; with a free offset it is the least
    squares support vector machine with $C = 1 / \alpha$.

    Use it on up to some thousand rows of standardised columns for curves of any shape; alpha may be
    chosen by leaving each row out, in closed form. O(n^3), and O(n) a prediction: all rows carry
    the solution, where a support vector machine keeps a few. With m centers (Nystroem) the kernels
    stand at m rows that explain the others best, and it is O(n m^2) for many more rows. Fails where
    the width of the kernel does not suit the rows: too narrow it remembers them, too wide it misses
    the shape.
    """

    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    alpha: float = real(
        1.0,
        low=1e-12,
        soft=(1e-4, 1e3),
        log=True,
        symbol=r"\alpha",
        label="Strength of the penalty",
        doc="How much the squared length of the function in the features costs.",
        only_if={"alpha_rule": "fixed"},
    )
    alpha_rule: str = choice(
        "fixed",
        "fixed",
        "loo",
        "gcv",
        label="Choice of the strength",
        doc="Take the strength as given, or that of the least squared error of rows left out one "
        "by one, or of the least generalised cross-validation.",
    )
    offset: bool = flag(
        True,
        label="Free offset",
        doc="Add an intercept that the penalty does not touch; without one the prediction is drawn "
        "to zero.",
    )
    n_centers: int | None = integer(
        None,
        low=1,
        soft=(10, 1000),
        log=True,
        or_none="all rows",
        symbol="m",
        label="Number of centers",
        doc="Rows that kernels stand at, picked so that they leave least of the others unexplained "
        "(Nystroem): fewer are faster and smoother.",
        advanced=True,
    )
    n_alphas: int = integer(
        50,
        low=2,
        high=1000,
        soft=(10, 200),
        label="Number of strengths",
        doc="Strengths that are tried, even on a log scale.",
        advanced=True,
        only_if={"alpha_rule": other_than("fixed")},
    )
    solver: str = choice(
        "cholesky",
        "cholesky",
        "eigh",
        "cg",
        doc="Factor the matrix, take it apart into eigenvalues, which also serves where rounding "
        "swallows the strength, or follow conjugate gradients, one direction a step.",
        advanced=True,
        only_if={"alpha_rule": "fixed"},
    )
    tol: float = real(
        1e-10,
        above=0.0,
        below=1.0,
        soft=(1e-14, 1e-2),
        log=True,
        symbol=r"\tau",
        label="Tolerance",
        doc="Stop conjugate gradients when what is left of the system is this share of the whole.",
        advanced=True,
        only_if={"alpha_rule": "fixed", "solver": "cg"},
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse kernels that are no inner product, and more rows than there is room for."""
        if reason := why_not(self.kernel, X, self.title()):
            return reason
        is_met = self.offset and self.kernel.definite == "conditional" and self.n_centers is None
        if not (is_met or self.kernel.is_definite(X.shape[1])):
            return (
                f"{self.title()} needs a kernel that is an inner product; {self.kernel.title()} is "
                "none for these columns. Choose another kernel, such as the Gaussian."
            )
        return self._too_many(len(X))

    def _too_many(self, n: int) -> str | None:
        if self.n_centers is not None and n * min(n, self.n_centers) > MOST_VALUES:
            return (
                f"{self.title()} keeps rows times centers, at most {MOST_VALUES:.0e}; these are "
                f"{n} rows with {self.n_centers} centers. Take fewer centers."
            )
        if self.n_centers is None and n > MOST_ROWS:
            return (
                f"{self.title()} takes at most {MOST_ROWS} rows, because it factors the matrix of "
                f"all pairs; these are {n}. Set the number of centers, or draw a sample."
            )
        return None

    def fit_class(self) -> type[Fit]:
        """With what was tried, where the strength is chosen."""
        return KernelRidgeFit if self.alpha_rule == "fixed" else ChosenKernelRidgeFit

    def _steps(self, given: Given) -> Iterator[Step]:
        system = self._system(given)
        return self._walk(system, self._decomposed(system))

    def fit_outputs(self, given: Given) -> Callable[[np.ndarray], KernelRidgeFit]:
        """What fits each output, (n,): the Gram matrix and its decomposition serve all of them."""
        system = self._system(given)
        parts, used = self._decomposed(system), given.w > 0

        def fitted(y: np.ndarray) -> KernelRidgeFit:
            own = system.of_output(self._bearable(y[used]))
            return self._finished(replace(given, y=y), last(self._walk(own, parts)))

        return fitted

    def _bearable(self, y: np.ndarray) -> np.ndarray:
        if not float(np.abs(y).max()) <= LARGEST:
            raise DataError(f"{self.title()}: the target overflows. Standardise it.")
        return y

    def _system(self, given: Given) -> KernelSystem | CenterSystem:
        used = given.w > 0
        X, y, w = given.X[used], self._bearable(given.target[used]), given.w[used]
        kernel = self.kernel.resolve(X, w)
        if self.n_centers is None:
            return kernel_system(X, y, w, kernel, self.offset)
        return center_system(X, y, w, kernel, self.offset, self.n_centers)

    def _decomposed(self, system: KernelSystem | CenterSystem) -> tuple[np.ndarray, ...]:
        """Eigenvalues and vectors, Cholesky's factor, or nothing: what no target changes."""
        if self.alpha_rule != "fixed" or self.solver == "eigh":
            values, U = np.linalg.eigh(system.K)
            return np.maximum(values, 0.0), U  # rounding leaves small negative ones
        if self.solver == "cg":
            return ()
        return (factored(system, self.alpha, self.title()),)

    def _walk(
        self, system: KernelSystem | CenterSystem, parts: tuple[np.ndarray, ...]
    ) -> Iterator[Step]:
        if self.alpha_rule != "fixed":
            return iter([self._chosen(system, *parts)])
        if self.solver == "cg":
            return self._by_gradients(system)
        if self.solver == "eigh":
            return iter([self._by_values(system, *parts)])
        stop = Stop("converged", "Solved in closed form by Cholesky decomposition.")
        scaled = solved(system, *parts)
        return iter([_step(system, scaled, self.alpha, stop, "The minimum, at once.")])

    def _by_values(
        self, system: KernelSystem | CenterSystem, values: np.ndarray, U: np.ndarray
    ) -> Step:
        """The minimum from K = U diag(values) U'; the shortest, where rounding swallows alpha."""
        scaled, n_lost = shortest(system, values, U, self.alpha)
        why = "Solved in closed form by eigenvalues."
        if n_lost:
            why += (
                f" {count(n_lost, 'direction')} of the features, which rounding swallows beside "
                "the others, got nothing."
            )
        return _step(system, scaled, self.alpha, Stop("converged", why), "The minimum, at once.")

    def _by_gradients(self, system: KernelSystem | CenterSystem) -> Iterator[Step]:
        """Conjugate gradients on (K + alpha I) b = y, one direction a step."""
        directions = conjugate_gradient(lambda v: system.K @ v + self.alpha * v, system.y)
        for k, (b, left) in enumerate(directions):
            what = "what is left of the system, relative to the whole,"
            stop = verdict(k, left, tol=self.tol, max_iter=10 * len(b), what=what)
            note = f"Direction {k + 1}: {left:.2g} of the system is left."
            yield _step(system, b, self.alpha, stop, note, k=k)
            if stop:
                return

    def _chosen(
        self, system: KernelSystem | CenterSystem, values: np.ndarray, U: np.ndarray
    ) -> Step:
        """The minimum at the strength of the least criterion, by one decomposition for all."""
        top = system.mean_value(values) or 1.0
        alphas = falling(MOST * top, LEAST / MOST, self.n_alphas)[::-1]
        tried = system.tried(values, U, alphas, by=self.alpha_rule)
        if np.isnan(tried.errors).all():
            raise DataError(
                f"{self.title()} cannot choose alpha here: without any one of the rows the others "
                "do not say what it should be. Set alpha_rule to fixed or add rows."
            )
        best = int(np.nanargmin(tried.errors))
        alpha = float(alphas[best])
        scaled = U @ ((U.T @ system.y) / (values + alpha))
        stop = Stop("converged", f"Solved at each of {self.n_alphas} values of alpha at once.")
        note = f"alpha = {alpha:.3g} has the least {self.alpha_rule} error."
        return _step(system, scaled, alpha, stop, note, tried=tried)

    def _finished(self, given: Given, end: Step) -> KernelRidgeFit:
        state: KernelRidgeState = end.state
        system, used = state.system, given.w > 0
        has_centers = isinstance(system, CenterSystem)
        residuals = system.residuals(state.scaled)
        fields: dict[str, Any] = {
            "made_by": self,
            "columns": given.columns,
            "n_iter": end.k + 1,
            "stop": end.stop,
            "kernel": self.kernel.resolve(given.X[used], given.w[used]),
            "rows": given.X[used][system.centers],
            "duals": system.duals(state.scaled),
            "intercept": system.intercept(state.scaled),
            "alpha": state.alpha,
            "residuals": residuals,
            "row_weights": given.w[used],
            "learned": given.X[used] if has_centers else np.zeros((0, given.p)),
            "notes": (
                *notes_of_rows(given.X[used]),
                *(_of_centers(system) if has_centers else ()),
                *note_of_interpolation(given.X[used], given.target[used], residuals),
            ),
        }
        if self.alpha_rule == "fixed":
            return KernelRidgeFit(**fields)
        alphas, errors, df = state.tried
        return ChosenKernelRidgeFit(**fields, tried=alphas, tried_errors=errors, tried_df=df)


def _of_centers(system: CenterSystem) -> tuple[str, ...]:
    """What the centers are worth, as a note."""
    share = 100.0 * (1.0 - system.left)
    many = f"{len(system.centers)} of {len(system.target)} rows are centers"
    return (f"{many} and hold {share:.4g} % of the trace of the Gram matrix.",)


def _step(
    system: KernelSystem | CenterSystem,
    scaled: np.ndarray,
    alpha: float,
    stop: Stop | None,
    note: str,
    *,
    k: int = 0,
    tried: Tried = NONE_TRIED,
) -> Step:
    state = KernelRidgeState(system, scaled, alpha, tried)
    return Step(k, system.objective(scaled, alpha), state, stop, note)
