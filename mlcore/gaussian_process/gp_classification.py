"""Gaussian process classification: a latent function of which the labels leave some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.gaussian_process.class_draws import (
    BY_CHAIN,
    DrawsState,
    GPDrawsFit,
    by_draws,
    chained,
    what_draws_say,
)
from mlcore.gaussian_process.class_posteriors import (
    BY_CHANCE,
    GPClassifierFit,
    GPClassifierState,
)
from mlcore.gaussian_process.laplace import Labelled, Laplace, LatentClimb, Mode, newton
from mlcore.gaussian_process.learning import started
from mlcore.gaussian_process.settings import (
    further_starts,
    learned_settings,
    most_steps,
    steepest_slope,
    why_no_process,
)
from mlcore.gaussian_process.slices import SliceChain
from mlcore.kernels.kernel import Kernel
from mlcore.kernels.validity import notes_of_rows
from mlcore.spine import checks
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import CLASS, ClassNote
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop, last
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part


def _cost(n: int, p: int, method: GPClassifier) -> tuple[float, float]:
    # How many classes there are is not known yet: three are likely.
    rounds = 60.0 * (1 + method.n_restarts) if method.learn == "evidence" else 8.0
    moves = method.burn_in + method.n_draws if method.inference == BY_CHAIN else 0
    chain = 3 * moves * (1e-4 + n * 1e-7 + n**2 / 4e9)
    memory = 8.0 * (9 * n**2 + n * p + 6 * n * moves)
    return 3e-3 + 3 * rounds * (n**3 / 4e10 + n**2 * 3e-8) + chain, memory


@enter(
    Card(
        "gp_classification",
        "Gaussian process classification",
        ("gaussian_process", "classification"),
        paper="Williams and Barber (1998), IEEE Trans. Pattern Analysis and Machine Intelligence "
        "20",
        task="classification",
        sources=("epfl:gpc_laplace", "epfl:gpc_mc", "epfl:gpc_squash"),
        takes=("weights",),
        weigh="copies",
        random=True,
        cost=_cost,
        units="distances",
        formula=r"p(y = 1 \mid x) = \int \sigma(f)\, q(f \mid x)\, df",
        synonyms=(
            "GPC", "Gaussian process classifier", "GaussianProcessClassifier",
            "Laplace approximation", "elliptical slice sampling", "MCMC",
        ),
        line="class probabilities, one half far from rows",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GPClassifier(IterativeMethod):
    r"""Gives each place a probability of the classes, near one half where no rows are near.

    A latent function is normal with covariance $k(x, z)$, and $p(y = 1 \mid x) = \sigma(f(x))$.
    What the labels leave of it is taken for a Gaussian about its mode (Laplace), or known by draws
    of a Markov chain (elliptical slice sampling), and the probability is the mean of $\sigma(f)$.
    Settings of the kernel are those of the largest evidence by Laplace. Several classes have one
    function each against the rest.

    Use it on up to a thousand rows of standardised columns, where it matters how sure a
    prediction is. O(n^3) some times a step of learning, for each class. A kernel that is not
    learned and too narrow knows nothing between the rows; labels that are wrong far inside a
    class flatten the function everywhere. Where classes part well the evidence asks for a large
    factor, and the Gaussian about the mode is then too wide on the side of doubt: classes are named
    rightly, probabilities too near one half. Draws are as sure as the rows allow.
    """

    kernel: Kernel = part("scaled", slot="kernel", doc="Covariance of the latent function.")
    learn: str = learned_settings(
        "Choose the kernel's settings by the evidence of the training rows, or take them as given."
    )
    inference: str = choice(
        "laplace", "laplace", BY_CHAIN,
        doc="What the labels leave of the latent function: a Gaussian about its mode, at once, or "
        "draws of what it is in truth, which take time and are off by chance.",
    )  # fmt: skip
    n_draws: int = integer(
        1000, low=20, high=10_000, soft=(100, 10_000), log=True, label="Draws kept",
        doc="Latent functions that are kept for predictions; neighbours in the chain are alike.",
        only_if={"inference": BY_CHAIN},
    )  # fmt: skip
    burn_in: int = integer(
        200, low=0, high=100_000, soft=(0, 10_000), label="Burn-in",
        doc="Draws that are dropped, before the chain has forgotten where it began.",
        only_if={"inference": BY_CHAIN}, advanced=True,
    )  # fmt: skip
    average: str = choice(
        "quadrature",
        "quadrature",
        BY_CHANCE,
        "plug_in",
        label="Probability",
        doc="The mean of the logistic function over the latent normal, to nine digits or over "
        "draws, or its value at the latent mean, which names the same class and is surer of it.",
        only_if={"inference": "laplace"},
    )
    n_samples: int = integer(
        1000, low=4, high=10_000, soft=(10, 10_000), log=True, symbol="S", label="Draws",
        doc="Latent values drawn for an average, in pairs about the mean; its standard error falls "
        "with their root.",
        only_if={"inference": "laplace", "average": BY_CHANCE},
    )  # fmt: skip
    n_restarts: int = further_starts()
    tol: float = steepest_slope()
    max_iter: int = most_steps()

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse kernels that are no covariance, and more rows than their matrix has room for."""
        return why_no_process(self.kernel, X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        each = self._labelled(given)
        kernel = self.kernel.resolve(each[0].X, each[0].w)
        steps = (self._learned if self._learns(kernel) else self._sought)(given, each, kernel)
        return self._chained(given, each, last(steps)) if self.inference == BY_CHAIN else steps

    def fit_class(self) -> type[Fit]:
        """Latent functions about their modes, or draws of them."""
        return GPDrawsFit if self.inference == BY_CHAIN else GPClassifierFit

    def _chained(self, given: Given, each: list[Labelled], end: Step) -> Iterator[Step]:
        """Moves of a chain a machine, from the modes for the settings that were learned."""
        of_each = zip(each, end.state.kernels, end.state.weights, strict=True)
        chains = [SliceChain(*own, given.rng("chain", m)) for m, own in enumerate(of_each)]
        return chained(chains, end, first=self.burn_in, kept=self.n_draws)

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
            stop: Stop | None = None
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
        each = self._labelled(given)
        if self.inference == BY_CHAIN:
            return self._by_chain(given, end, each)
        state: GPClassifierState = end.state
        modes = [
            next(newton(kernel.against(rows.X)(rows.X), rows, weights))
            for kernel, rows, weights in zip(state.kernels, each, state.weights, strict=True)
        ]
        return GPClassifierFit(
            **self._shared(given, end, each, state),
            weights=np.array([mode.weights for mode in modes]),
            roots=np.array([mode.root for mode in modes]),
            factors=np.array([mode.factor for mode in modes]),
            draws=self._draws(given),
        )

    def _by_chain(self, given: Given, end: Step, each: list[Labelled]) -> GPDrawsFit:
        state: DrawsState = end.state
        shared = self._shared(given, end, each, state.about)
        own = by_draws(state, each, given.rng("averages"))
        tells = what_draws_say(own["independent"], own["drawn"].shape[1])
        return GPDrawsFit(**shared | {"notes": (*shared["notes"], tells)}, **own)

    def _shared(
        self, given: Given, end: Step, each: list[Labelled], state: GPClassifierState
    ) -> dict[str, Any]:
        """What either fit has."""
        start = self.kernel.resolve(each[0].X, each[0].w)
        climb = LatentClimb(each[0], start)
        learned = [note for kernel in state.kernels for note in climb.notes(kernel)]
        notes = (*notes_of_rows(each[0].X), *(learned if self.learn == "evidence" else ()))
        return {
            "made_by": self, "columns": given.columns, "n_iter": end.k + 1, "stop": end.stop,
            "classes": given.labels, "kernels": state.kernels, "rows": each[0].X,
            "signs": np.array([rows.sign for rows in each]), "row_weights": each[0].w,
            "log_evidences": state.evidences,
            "learned": climb.paths if self._learns(start) else (),
            "notes": tuple(dict.fromkeys(notes)),
        }  # fmt: skip

    def _draws(self, given: Given) -> np.ndarray:
        if self.average != BY_CHANCE:
            return np.empty(0)
        return given.rng("averages").standard_normal((self.n_samples + 1) // 2)


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
    if many == 1:
        return note
    return ClassNote(f"{CLASS} against the rest: {note[0].lower()}{note[1:]}", [given.labels[m]])
