"""The elastic net: least squares with a penalty of absolute values and squares; the lasso too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.optimisation.composed import Objective, walk
from mlcore.optimisation.coordinate import POLISH, DescentState, descend, duality_gap, least_squares
from mlcore.optimisation.fista import Fista
from mlcore.optimisation.gradient import GradientDescent
from mlcore.optimisation.losses import Squared
from mlcore.optimisation.path import Path
from mlcore.optimisation.penalties import ElasticNetPenalty
from mlcore.optimisation.rows import Design, rows
from mlcore.regression.lasso_path import AlphaCurve, by_criterion, by_folds, falling_path, grid
from mlcore.regression.linear import LinearFit, linear_fields
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.iterate import Step, Stop, last, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, integer, real
from mlcore.spine.wording import plural


@dataclass
class ElasticNetState:
    """Where the iteration stands."""

    coefficients: np.ndarray  # (p,)
    intercept: float
    gap: float  # the minimum is at most this far below the objective, in its units
    playing: int  # columns that may change at present


@dataclass(frozen=True, eq=False, kw_only=True)
class ElasticNetFit(LinearFit):
    """A fitted elastic net."""

    made_by: ElasticNet
    alpha: float  # given, or chosen
    gap: float  # duality gap at the end, in units of the objective
    curve: AlphaCurve | None  # the criterion that chose alpha; None where alpha was given

    @property
    def support(self) -> np.ndarray:
        """Numbers of the columns whose coefficient is not zero, shape (s,)."""
        return np.flatnonzero(self.coefficients)

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients along alpha on these rows."""
        return self.made_by.path(X, y, weights=weights)


def _cost(n: int, p: int, method: ElasticNet) -> tuple[float, float]:
    alphas = 1 if method.alpha_rule == "fixed" else method.n_alphas
    fits = alphas * (method.cv + 1 if method.alpha_rule == "cv" else 1)
    products = n * p * min(p, max(n, 100)) if p <= max(n, 100) else 10.0 * n * p
    return 3e-4 + (products + fits * 30.0 * min(n, p) * p) / 1e9, 24.0 * n * p


@enter(
    Card(
        "elastic_net",
        "Lasso and elastic net",
        ("regression",),
        paper="Zou and Hastie (2005), J. Royal Statistical Society B 67(2); "
        "Tibshirani (1996), J. Royal Statistical Society B 58(1)",
        task="regression",
        peer="sklearn.linear_model.ElasticNet",
        sources=("cs1:reg_l1", "cs1:vs_lasso", "cs1:vs_elastic_net"),
        takes=("weights",),
        weigh="copies",
        random=True,
        cost=_cost,
        units="its penalty",
        formula=r"\min_{w, b} \tfrac{1}{2n} \sum_i (y_i - x_i^\top w - b)^2 + \alpha \left( "
        r"\rho \|w\|_1 + \tfrac{1 - \rho}{2} \|w\|^2 \right)",
        synonyms=(
            "lasso",
            "L1 regularisation",
            "L1",
            "sparse regression",
            "elastic net",
            "basis pursuit denoising",
            "ElasticNet",
            "coordinate descent",
        ),
        line="coefficients, many exactly zero",
    )
)
@dataclass(frozen=True, kw_only=True)
class ElasticNet(IterativeMethod):
    r"""Least squares that sets the coefficients of columns it can do without to exactly zero.

    Minimises $\tfrac{1}{2n} \sum_i (y_i - x_i^\top w - b)^2 + \alpha(\rho \|w\|_1 +
    \tfrac{1-\rho}{2} \|w\|^2)$; the intercept is free, and with weights the mean is weighted.
    $\rho = 1$ is the lasso, $\rho = 0$ is ridge with $n \alpha$ for its alpha.

    Use it when few of many columns matter; standardise them first. A sweep is O(n p) or less; the
    duality gap says how far the end can be from the minimum. The lasso picks one of several nearly
    equal columns by chance and keeps at most n; a share of squares keeps such columns together.
    """

    peer_differs = "Both stop by the same tolerance of the gap, and not at the same coefficients."

    alpha: float = real(
        0.01,
        above=0.0,
        soft=(1e-4, 1e2),
        log=True,
        symbol=r"\alpha",
        doc="Strength of the penalty, in units of the target times those of the columns. "
        "More sets more coefficients to zero.",
        only_if={"alpha_rule": "fixed"},
    )
    l1_ratio: float = real(
        1.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\rho",
        label="L1 ratio",
        doc="Share of the absolute values in the penalty: 1 is the lasso, 0 is ridge.",
    )
    alpha_rule: str = choice(
        "fixed",
        "fixed",
        "cv",
        "aic",
        "bic",
        label="Choice of alpha",
        doc="Take alpha as given, or the one of the path with the least error on folds of the "
        "training rows, or the least information criterion.",
    )
    n_alphas: int = integer(
        100,
        low=2,
        high=1000,
        soft=(10, 200),
        label="Number of alphas",
        doc="Length of the path.",
        advanced=True,
        only_if={"alpha_rule": other_than("fixed")},
    )
    cv: int = integer(
        5,
        low=2,
        high=50,
        soft=(3, 10),
        label="Inner folds",
        doc="How many folds choose the strength.",
        advanced=True,
        only_if={"alpha_rule": "cv"},
    )
    solver: str = choice(
        "cd",
        "cd",
        "fista",
        "subgradient",
        doc="Coordinate descent, proximal gradients, or subgradients, which reach no exact zero.",
        advanced=True,
    )
    intercept: bool = flag(True, doc="Whether a free intercept is fitted.", advanced=True)
    max_iter: int = integer(
        1000,
        low=1,
        high=1_000_000,
        soft=(10, 10_000),
        log=True,
        label="Maximum iterations",
        doc="Most sweeps or steps.",
    )
    tol: float = real(
        1e-4,
        above=0.0,
        soft=(1e-12, 1e-2),
        log=True,
        label="Tolerance",
        doc="Stop when the duality gap is at most this share of the variance of the target.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(alpha_rule="fixed", solver=("cd", "fista")):
            return missing
        return {
            "alpha": self.alpha,
            "l1_ratio": self.l1_ratio,
            "fit_intercept": self.intercept,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse too few rows for the rule that chooses alpha."""
        n, p = X.shape
        if self.alpha_rule in ("aic", "bic") and n <= p + 2:
            return (
                f"The {self.alpha_rule} rule of the elastic net estimates the noise from least "
                f"squares and needs more than {p + 2} rows for {p} columns; there are {n}. "
                "Use the cv rule."
            )
        if self.alpha_rule == "cv" and n < 2 * self.cv:
            return (
                f"The cv rule of the elastic net with {self.cv} folds needs at least "
                f"{2 * self.cv} rows; there are {n}. Use fewer folds."
            )
        return None

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients along falling alpha, each solved from the one before; X, shape (n, p)."""
        given = self._given(X, y, weights=weights)
        design = self._rows_of(given)
        alphas = grid(design, self.l1_ratio, self.n_alphas)
        return falling_path(design, self.l1_ratio, alphas, self.tol)

    def _rows_of(self, given: Given) -> Design:
        offset = "centering" if self.intercept else "none"
        return rows(given.X, given.target, given.weights, offset)

    def _fit(self, given: Given) -> ElasticNetFit:
        chosen, curve = self._chosen(given)
        return chosen._built(given, last(chosen._walk(given, batch=POLISH)), self, curve)

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._chosen(given)[0]._walk(given, batch=1)

    def _chosen(self, given: Given) -> tuple[ElasticNet, AlphaCurve | None]:
        """The method with alpha fixed, and the curve that chose it."""
        if self.alpha_rule == "fixed":
            return self, None
        design = self._rows_of(given)
        alphas = grid(design, self.l1_ratio, self.n_alphas)
        if self.alpha_rule == "cv":
            offset = "centering" if self.intercept else "none"
            curve = by_folds(given, offset, self.l1_ratio, alphas, self.cv, self.tol)
        else:
            curve = by_criterion(design, self.l1_ratio, alphas, self.alpha_rule, self.tol)
        alpha = float(curve.alphas[int(np.argmin(curve.score))])
        return replace(self, alpha_rule="fixed", alpha=alpha), curve

    def _built(
        self, given: Given, end: Step, made_by: ElasticNet, curve: AlphaCurve | None
    ) -> ElasticNetFit:
        fields = linear_fields(made_by, given, end)
        return ElasticNetFit(**fields, alpha=self.alpha, gap=end.state.gap, curve=curve)

    def _walk(self, given: Given, batch: int) -> Iterator[Step]:
        design = self._rows_of(given)
        if self.solver == "cd":
            return self._sweeps(design, batch)
        return self._gradients(design)

    def _sweeps(self, design: Design, batch: int) -> Iterator[Step]:
        """Coordinate descent; a step is at most `batch` sweeps."""
        l1, l2 = self._strengths(design)
        states = descend(
            least_squares(design), l1, l2, tol=self.tol, max_iter=self.max_iter, batch=batch
        )
        for state in states:
            w, b = design.split(state.w)
            result = ElasticNetState(w.copy(), b, state.gap / design.total, state.playing)
            objective = state.objective / design.total
            stop = state.stop and _in_units(state.stop, state, self.tol, design)
            yield Step(state.sweeps - 1, objective, result, stop, _note(state, len(w)))

    def _gradients(self, design: Design) -> Iterator[Step]:
        """Proximal gradients or subgradients; the duality gap is computed after each step."""
        l1, l2 = self._strengths(design)
        penalty = ElasticNetPenalty(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2))
        problem = Objective(Squared(), penalty, design.X, design.y, intercept=False)
        solver = Fista() if self.solver == "fista" else GradientDescent()
        toward, yy = design.y @ design.X, float(design.y @ design.y)
        for step in walk(problem, solver, tol=0.0, max_iter=self.max_iter):
            w = step.state.coefficients[0]
            gap = duality_gap(toward, yy, l1, l2, w, (design.y - design.X @ w) @ design.X)
            stop = verdict(
                step.k,
                gap / design.total,
                tol=self.tol * yy / design.total,
                max_iter=self.max_iter,
                what="the duality gap",
            )
            own, b = design.split(w)
            state = ElasticNetState(own, b, gap / design.total, len(w))
            yield Step(step.k, step.objective / design.total, state, stop, step.note)
            if stop:
                return

    def _strengths(self, design: Design) -> tuple[float, float]:
        """l1 and l2 against half the sum of squares."""
        times = self.alpha * design.total
        return times * self.l1_ratio, times * (1.0 - self.l1_ratio)


def _in_units(stop: Stop, state: DescentState, tol: float, design: Design) -> Stop:
    """The reason in units of the objective, which has a mean where descent has a sum."""
    gap, goal = state.gap / design.total, tol * float(design.y @ design.y) / design.total
    if stop.kind == "converged":
        return Stop(stop.kind, f"Converged: the duality gap is {gap:.3g}, not above {goal:.3g}.")
    return Stop(stop.kind, f"Not converged: the duality gap is {gap:.3g}, above {goal:.3g}.")


def _note(state: DescentState, p: int) -> str:
    on = int(np.count_nonzero(state.w))
    return (
        f"Sweep {state.sweeps} over {state.playing} of {p} columns: "
        f"{on} {plural(on, 'coefficient is', 'coefficients are')} not zero."
    )
