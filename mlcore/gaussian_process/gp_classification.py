"""Gaussian process classification: a latent function of which the labels leave some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit

from mlcore.gaussian_process.averages import averaged_logistic
from mlcore.gaussian_process.laplace import Labelled, Laplace, LatentClimb, Mode, newton
from mlcore.gaussian_process.learning import started
from mlcore.gaussian_process.settings import (
    further_starts,
    learned_settings,
    most_steps,
    steepest_slope,
    why_no_process,
)
from mlcore.kernels.kernel import Kernel
from mlcore.maths.class_scores import best_class
from mlcore.spine import checks
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, part

BLOCK = 2048  # rows that are predicted together


@dataclass(frozen=True, eq=False)
class GPClassifierState:
    """The machines so far; those that follow have weights of zero, which say one half of all."""

    kernels: tuple[Kernel, ...]  # (M,)
    weights: np.ndarray  # (M, n)
    evidences: np.ndarray  # (M,)


@dataclass(frozen=True, eq=False, kw_only=True)
class GPClassifierFit(Fit):
    """A latent function for two classes, one a class against the rest for more."""

    made_by: GPClassifier
    classes: np.ndarray  # (K,) sorted labels
    kernels: tuple[Any, ...]  # (M,) with what was learned
    rows: np.ndarray  # (n, p) the training rows of positive weight
    signs: np.ndarray  # (M, n) 1 for the rows of the class of a machine, -1 for others
    row_weights: np.ndarray  # (n,)
    weights: np.ndarray  # (M, n) the mode is the sum of weights times k
    roots: np.ndarray  # (M, n) roots of the curvature of each row's log likelihood
    factors: np.ndarray  # (M, n, n) lower Cholesky factors of I + R K R, R the roots
    log_evidences: np.ndarray  # (M,) of the Gaussian about each mode, in nats
    learned: tuple[str, ...]  # paths of the settings that were learned
    notes: tuple[str, ...] = ()

    @property
    def log_evidence(self) -> float:
        """The mean over the machines, in nats."""
        return float(self.log_evidences.mean())

    def evidence_at(self, m: int, kernel: Kernel) -> float:
        """The log evidence of machine m with another kernel, in nats; some times O(n^3)."""
        rows = Labelled(self.rows, self.signs[m], self.row_weights)
        return Laplace(rows, kernel, self.weights[m]).evidence

    def latent(self, X: Any) -> np.ndarray:
        """Mean of the latent function of each machine, shape (m, M)."""
        return self._latent(self._rows(X))[0]

    def latent_deviation(self, X: Any) -> np.ndarray:
        """Standard deviation of the latent function of each machine, shape (m, M)."""
        return self._latent(self._rows(X))[1]

    def decision(self, X: Any) -> np.ndarray:
        """The latent mean, (m,), positive for the second class; of more the log-odds of each."""
        X = self._rows(X)
        if len(self.classes) == 2:
            return self._latent(X)[0][:, 0]
        P = self._each(X)
        return np.log(P) - np.log1p(-P)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, shape (m,)."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (m, K); those of more than two sum to 1 by scaling."""
        P = self._each(self._rows(X))
        if len(self.classes) == 2:
            return np.column_stack([1.0 - P[:, 0], P[:, 0]])
        return P / P.sum(axis=1, keepdims=True)

    def _each(self, X: np.ndarray) -> np.ndarray:
        """Probability of the class of each machine, shape (m, M), away from 0 and 1."""
        mean, deviation = self._latent(X)
        if self.made_by.average == "plug_in":
            P = expit(mean)
        else:
            columns = zip(mean.T, deviation.T, strict=True)
            P = np.column_stack([averaged_logistic(*column) for column in columns])
        return np.clip(P, 1e-15, 1.0 - 1e-15)  # a logarithm of it stays finite

    def _latent(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation. Rasmussen and Williams, algorithm 3.2, lines 4 to 6."""
        mean, variance = np.empty((2, len(X), len(self.kernels)))
        for m, kernel in enumerate(self.kernels):
            against = kernel.against(self.rows)
            for i in range(0, len(X), BLOCK):
                cross = against(X[i : i + BLOCK])
                mean[i : i + BLOCK, m] = cross @ self.weights[m]
                taken = solve_triangular(
                    self.factors[m], self.roots[m][:, None] * cross.T, lower=True,
                    check_finite=False,
                )  # fmt: skip
                variance[i : i + BLOCK, m] = -np.einsum("ij,ij->j", taken, taken)
            variance[:, m] += kernel.diag(X)
        return mean, np.sqrt(np.maximum(variance, 0.0))


def _cost(n: int, p: int, method: GPClassifier) -> tuple[float, float]:
    # How many classes there are is not known yet: three are likely.
    rounds = 60.0 * (1 + method.n_restarts) if method.learn == "evidence" else 8.0
    return 3e-3 + 3 * rounds * (n**3 / 4e10 + n**2 * 3e-8), 8.0 * (9 * n**2 + n * p)


@enter(
    Card(
        "gp_classification",
        "Gaussian process classification",
        ("gaussian_process", "classification"),
        paper="Williams and Barber (1998), IEEE Trans. Pattern Analysis and Machine Intelligence "
        "20",
        task="classification",
        sources=("epfl:gpc_laplace", "epfl:gpc_squash"),
        takes=("weights",),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"p(y = 1 \mid x) = \int \sigma(f)\, q(f \mid x)\, df",
        synonyms=(
            "GPC", "Gaussian process classifier", "GaussianProcessClassifier",
            "Laplace approximation",
        ),
        line="class probabilities, one half far from rows",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GPClassifier(IterativeMethod):
    r"""Gives each place a probability of the classes, near one half where no rows are near.

    A latent function is normal with covariance $k(x, z)$, and $p(y = 1 \mid x) = \sigma(f(x))$.
    What the labels leave of it is taken for a Gaussian about its mode (Laplace), and the
    probability is the mean of $\sigma(f)$ under it. Settings of the kernel are those of the
    largest evidence. Several classes have one function each against the rest.

    Use it on up to a thousand rows of standardised columns, where it matters how sure a
    prediction is. O(n^3) some times a step of learning, for each class. A kernel that is not
    learned and too narrow knows nothing between the rows; labels that are wrong far inside a
    class flatten the function everywhere.
    """

    kernel: Kernel = part("scaled", slot="kernel", doc="Covariance of the latent function.")
    learn: str = learned_settings(
        "Choose the kernel's settings by the evidence of the training rows, or take them as given."
    )
    average: str = choice(
        "quadrature",
        "quadrature",
        "plug_in",
        label="Probability",
        doc="The mean of the logistic function over the latent normal, or its value at the latent "
        "mean, which names the same class and is surer of it.",
    )
    n_restarts: int = further_starts()
    tol: float = steepest_slope()
    max_iter: int = most_steps()

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse kernels that are no covariance, and more rows than their matrix has room for."""
        return why_no_process(self.kernel, X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        each = self._labelled(given)
        kernel = self.kernel.resolve(each[0].X, each[0].w)
        if self._learns(kernel):
            return self._learned(given, each, kernel)
        return self._sought(given, each, kernel)

    def _learns(self, kernel: Kernel) -> bool:
        return self.learn == "evidence" and kernel.has_gradient

    def _labelled(self, given: Given) -> list[Labelled]:
        """The rows of positive weight with the signs of each machine."""
        used = given.w > 0
        X, y, w = given.X[used], given.target[used], given.w[used]
        checks.every_class(y, given.labels, self.title())
        codes = [1] if len(given.labels) == 2 else range(len(given.labels))
        return [Labelled(X, np.where(y == k, 1.0, -1.0), w) for k in codes]

    def _learned(self, given: Given, each: list[Labelled], kernel: Kernel) -> Iterator[Step]:
        """Each step of each start of each machine; the state is the best so far."""
        state, k, stops = _begun(each, kernel), 0, []
        for m, rows in enumerate(each):
            climb = LatentClimb(rows, kernel)
            best: Laplace | None = None
            starts = started(climb, given.rng("starts", m), 1 + self.n_restarts)
            for number, start in enumerate(starts, 1):
                for at in climb.walk(start, tol=self.tol, max_iter=self.max_iter):
                    if best is None or at.value >= best.evidence:
                        best, stop = at.process, at.stop
                        state = _with(state, m, best.kernel, best.mode)
                    if at.stop is not None and number == len(starts):
                        stops.append(stop or at.stop)
                    note = at.note if len(starts) == 1 else f"Start {number}: {at.note}"
                    done = _together(stops) if len(stops) == len(each) else None
                    value = float(state.evidences.sum())
                    yield Step(k, value, state, done, _named(given, len(each), m, note))
                    k += 1

    def _sought(self, given: Given, each: list[Labelled], kernel: Kernel) -> Iterator[Step]:
        """Each step of Newton to the mode of each machine."""
        state, k, before = _begun(each, kernel), 0, 0.0
        for m, rows in enumerate(each):
            K = kernel.against(rows.X)(rows.X)
            modes = newton(K, rows, np.zeros(len(rows.w)))
            mode, following = next(modes), next(modes, None)
            while True:
                state = _with(state, m, kernel, mode)
                is_last = following is None and m + 1 == len(each)
                note = _named(given, len(each), m, _note(mode))
                yield Step(
                    k, before + mode.log_posterior, state, AT_MODE if is_last else None, note
                )
                k += 1
                if following is None:
                    break
                mode, following = following, next(modes, None)
            before += mode.log_posterior

    def _finished(self, given: Given, end: Step) -> GPClassifierFit:
        state: GPClassifierState = end.state
        each = self._labelled(given)
        modes = [
            next(newton(kernel.against(rows.X)(rows.X), rows, weights))
            for kernel, rows, weights in zip(state.kernels, each, state.weights, strict=True)
        ]
        start = self.kernel.resolve(each[0].X, each[0].w)
        learns = self._learns(start)
        climb = LatentClimb(each[0], start)
        notes = [note for kernel in state.kernels for note in climb.notes(kernel)]
        return GPClassifierFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k + 1,
            stop=end.stop,
            classes=given.labels,
            kernels=state.kernels,
            rows=each[0].X,
            signs=np.array([rows.sign for rows in each]),
            row_weights=each[0].w,
            weights=np.array([mode.weights for mode in modes]),
            roots=np.array([mode.root for mode in modes]),
            factors=np.array([mode.factor for mode in modes]),
            log_evidences=np.array([mode.evidence for mode in modes]),
            learned=climb.paths if learns else (),
            notes=tuple(dict.fromkeys(notes)) if self.learn == "evidence" else (),
        )


AT_MODE = Stop("converged", "The mode of the posterior was found for the settings that are given.")


def _begun(each: list[Labelled], kernel: Kernel) -> GPClassifierState:
    M, n = len(each), len(each[0].w)
    return GPClassifierState((kernel,) * M, np.zeros((M, n)), np.zeros(M))


def _with(state: GPClassifierState, m: int, kernel: Kernel, mode: Mode) -> GPClassifierState:
    """The state with another kernel and mode of machine m."""
    kernels = (*state.kernels[:m], kernel, *state.kernels[m + 1 :])
    weights, evidences = state.weights.copy(), state.evidences.copy()
    weights[m], evidences[m] = mode.weights, mode.evidence
    return GPClassifierState(kernels, weights, evidences)


def _together(stops: list[Stop]) -> Stop:
    """The first machine that did not converge, or the last."""
    return next((s for s in stops if s.kind != "converged"), stops[-1])


def _note(mode: Mode) -> str:
    apart = float(np.abs(mode.slope - mode.weights).max())
    halved = f" after {mode.halvings} halvings" if mode.halvings else ""
    note = f"A step of Newton{halved}; the log posterior is {mode.log_posterior:.5g}, its steepest "
    return note + f"slope {apart:.3g}."


def _named(given: Given, many: int, m: int, note: str) -> str:
    return note if many == 1 else f"{given.labels[m]} against the rest: {note[0].lower()}{note[1:]}"
