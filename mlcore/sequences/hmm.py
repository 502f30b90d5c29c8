"""Hidden Markov model: rows as what a chain of states, itself unseen, shows step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import distinct_rows, vanishing
from mlcore.sequences import chains
from mlcore.sequences.baum_welch import ChainState, Problem, best_run, end_of, played
from mlcore.sequences.emissions import (
    Shown,
    drawn,
    log_emissions,
    pairs_of,
    sides,
    sizes_of,
    values_of,
)
from mlcore.sequences.recursions import (
    ImpossibleRowError,
    filtered,
    forward_backward,
    log_probability_of_path,
    viterbi,
)
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part, real
from mlcore.spine.random import generator

LARGEST = 1e150  # of a value whose square is a number


class Decoded(NamedTuple):
    """What is said of the hidden states of n rows in k sequences."""

    likeliest_path: np.ndarray  # (n,) states of the path with the largest joint probability
    likeliest_states: np.ndarray  # (n,) the likeliest state of each row by itself
    posterior: np.ndarray  # (n, N)
    path_scores: np.ndarray  # (k,) joint log-probability of rows and the likeliest path
    states_scores: np.ndarray  # (k,) of the other; minus infinity where it cannot be taken


@dataclass(frozen=True, eq=False, kw_only=True)
class HMMFit(Fit):
    """The chain and what its states show, and the states of the fitted rows."""

    made_by: HMM
    labels: np.ndarray  # (n,) state of each row by the decoder
    memberships: np.ndarray  # (n, N) posterior of the states, given all rows of the sequence
    start: np.ndarray  # (N,)
    transitions: np.ndarray  # (N, N)
    moves: np.ndarray  # (N, N) expected number of moves in the training rows
    means: np.ndarray  # (N, q) of the columns of numbers
    covariances: np.ndarray  # (N, q, q), or (N, q) variances where the axes are kept
    frequencies: tuple[np.ndarray, ...]  # (N, L) of the levels of each column of names
    pairs: np.ndarray  # (p, 2) the values of columns of numbers that hold no others, else NaN
    log_likelihood: float  # total of the training rows, in nats
    traces: np.ndarray  # (R, t) log-likelihoods of all runs; NaN where one had ended

    @property
    def shown(self) -> Shown:
        """What each state shows."""
        return Shown(self.means, self.covariances, self.frequencies)

    @property
    def state_names(self) -> tuple[str, ...]:
        """state 1 .. state N."""
        return tuple(f"state {k + 1}" for k in range(len(self.start)))

    @property
    def long_run(self) -> np.ndarray:
        """The share of time in each state in the long run, (N,)."""
        return chains.long_run_shares(self.start, self.transitions)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: what a topology forbids is none."""
        N, q = self.means.shape
        begins, mask = self.made_by.allowed(N)
        tables = sum(N * (table.shape[1] - 1) for table in self.frequencies)
        shape = self.made_by.covariance.free(N, q) if q else 0
        return int(begins.sum()) - 1 + int(mask.sum()) - N + N * q + shape + tables

    @property
    def aic(self) -> float:
        """Akaike's criterion 2 B - 2 log L of the training rows: the lower, the better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion B log n - 2 log L of the training rows: the lower, the better."""
        return log(len(self.labels)) * self.n_parameters - 2 * self.log_likelihood

    def holds_together(self) -> bool:
        """Whether each state has moves, a mean, a covariance and frequencies of these columns."""
        if self.pairs.shape != (self.n_columns, 2):
            return False
        every = sizes_of(self.columns, self.pairs)
        N, q = max(len(self.start), 1), int((every == 0).sum())
        sizes = [size for size in every.tolist() if size]
        return (
            self.start.shape == (N,)
            and self.transitions.shape == (N, N)
            and self.means.shape == (N, q)
            and self.covariances.shape in ((N, q, q), (N, q))
            and [table.shape for table in self.frequencies] == [(N, size) for size in sizes]
        )

    def predict(self, X: Any, lengths: Any = None) -> np.ndarray:
        """The state of each row by the decoder, shape (m,), from 0.

        As all verbs it raises DataError for a row that no state allows.
        """
        X = self._rows(X)
        logs, lengths = self._logs(X), self._lengths(lengths, len(X))
        try:
            if self.made_by.decoder == "posterior":
                return self._sums(logs, lengths).posterior.argmax(axis=1)
            return viterbi(logs, self.start, self.transitions, lengths).states
        except ImpossibleRowError as error:
            raise self._refused(error, X) from None

    def responsibilities(self, X: Any, lengths: Any = None) -> np.ndarray:
        """P(state | all rows of the sequence), shape (m, N); raises as `predict`."""
        X = self._rows(X)
        try:
            return self._sums(self._logs(X), self._lengths(lengths, len(X))).posterior
        except ImpossibleRowError as error:
            raise self._refused(error, X) from None

    def log_density(self, X: Any, lengths: Any = None) -> np.ndarray:
        """log p(row | rows before it in its sequence), shape (m,): they sum to the likelihood.

        Raises as `predict`.
        """
        X = self._rows(X)
        logs, lengths = self._logs(X), self._lengths(lengths, len(X))
        try:
            return filtered(logs, self.start, self.transitions, lengths)[0]
        except ImpossibleRowError as error:
            raise self._refused(error, X) from None

    def decoded(self, X: Any, lengths: Any = None) -> Decoded:
        """Both ways to decode m rows, with the joint log-probabilities, shape (k,); raises as
        `predict`.
        """
        X = self._rows(X)
        logs, lengths = self._logs(X), self._lengths(lengths, len(X))
        try:
            path = viterbi(logs, self.start, self.transitions, lengths)
            posterior = self._sums(logs, lengths).posterior
        except ImpossibleRowError as error:
            raise self._refused(error, X) from None
        states = posterior.argmax(axis=1)
        model = (logs, self.start, self.transitions, lengths)
        scores = log_probability_of_path(states, *model)
        return Decoded(path.states, states, posterior, path.scores, scores)

    def forecast(self, X: Any, steps: int, lengths: Any = None) -> np.ndarray:
        """P(state h steps after the last row of each sequence), shape (k, steps + 1, N).

        h = 0 is the last row itself. The further ahead, the nearer to the long run. Raises as
        `predict`.
        """
        X = self._rows(X)
        lengths = self._lengths(lengths, len(X))
        try:
            forward = filtered(self._logs(X), self.start, self.transitions, lengths)[1]
        except ImpossibleRowError as error:
            raise self._refused(error, X) from None
        last = forward[np.cumsum(lengths) - 1]
        return np.array([chains.steps_ahead(one, self.transitions, steps) for one in last])

    def sample(self, lengths: Any, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """New sequences of these lengths: rows, shape (n, p), and their states, shape (n,)."""
        n = int(np.sum(lengths))
        lengths, rng = self._lengths(lengths, n), generator(seed, "sample")
        states = chains.walks(self.start, self.transitions, lengths, rng)
        rows = drawn(self.shown, states, rng)
        return values_of(rows, self.columns, self.pairs), states

    def _logs(self, X: np.ndarray) -> np.ndarray:
        return log_emissions(self.shown, sides(X, self.columns, self.pairs))

    def _sums(self, logs: np.ndarray, lengths: np.ndarray) -> Any:
        return forward_backward(logs, self.start, self.transitions, lengths)

    def _refused(self, error: ImpossibleRowError, X: np.ndarray) -> DataError:
        """The sentence for a row that no state allows, with what stands in it."""
        names = [
            f"{column.name} = {column.levels[int(value)]}"
            for column, value in zip(self.columns, X[error.row], strict=True)
            if column.levels and 0 <= value < len(column.levels)
        ]
        what = f" It holds {', '.join(names)}." if names else ""
        return DataError(f"{error}{what} Raise pseudo_count, which is the way out.")


def _cost(n: int, p: int, method: HMM) -> tuple[float, float]:
    N, iterations = method.n_states, min(method.max_iter, 40)
    is_matrix = method.covariance.card.name in ("full", "tied")
    each = 2e-4 + 1e-9 * n * N * (30 + 2 * N + (0.4 * p * p if is_matrix else 3 * p))
    return 3e-3 + method.n_init * iterations * each, 8.0 * (n * (2 * p + 6 * N) + 4 * N * p * p)


@enter(
    Card(
        "hmm",
        "Hidden Markov model",
        ("sequences",),
        paper="Baum and others (1970), Annals of Mathematical Statistics 41(1); "
        "Rabiner (1989), Proceedings of the IEEE 77(2)",
        sources=(
            "epfl:hmm_discrete", "epfl:hmm_gaussian", "epfl:hmm_topology_full",
            "epfl:hmm_topology_left_right", "epfl:hmm_baum_welch", "epfl:hmm_posterior_decode",
            "epfl:hmm_viterbi", "epfl:hmm_predict", "epfl:em_generic", "mi2:em_hmm",
        ),
        takes=("columns", "lengths"),
        scores=("sequence_likelihood", "state_accuracy", "information"),
        random=True,
        cost=_cost,
        formula=r"p(x, s) = \pi_{s_1} b_{s_1}(x_1) \prod_{t > 1} a_{s_{t-1} s_t} b_{s_t}(x_t)",
        synonyms=(
            "HMM", "Baum-Welch", "Viterbi", "GaussianHMM", "CategoricalHMM", "regime switching",
            "latent states", "hmmlearn",
        ),
        line="a hidden chain of states behind what is seen",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class HMM(IterativeMethod):
    r"""Explains sequences by a chain of hidden states, each with a distribution.

    $p(x, s) = \pi_{s_1} b_{s_1}(x_1) \prod_t a_{s_{t-1} s_t} b_{s_t}(x_t)$. In a state the columns
    of numbers are normal with a mean and a covariance of its own, columns of names, and those that
    hold but two values, have frequencies. The iteration of Baum and Welch counts how often each
    state is visited and each move made, given the rows, and takes the likeliest model for these
    counts: the likelihood never falls, and it ends in a maximum that depends on the start; the
    likeliest of several runs is kept. Sequences share the model and nothing else.

    Use it for rows in an order whose source changes from time to time: regimes, phases, dialogue.
    O(n N^2 + n N p^2) an iteration. Fails where what lasts is no state but a trend, and where the
    number of states is guessed: likelihood on training rows only rises with it.
    """

    n_states: int = integer(
        3, low=1, high=30, soft=(1, 8), symbol="N", label="Number of states",
        doc="Number of hidden states.",
    )  # fmt: skip
    covariance: Any = part(
        "diag", slot="covariance", label="Covariances",
        doc="The shapes that the numbers may have in a state.",
    )  # fmt: skip
    topology: str = choice(
        "full", "full", "left_to_right", symbol="A", label="Moves",
        doc="From every state to every other, or only on to itself and the next.",
    )  # fmt: skip
    start: str = choice(
        "free", "free", "first", symbol="π", label="First state",
        doc="The distribution of the first state is learned, or sequences begin in state 1.",
    )  # fmt: skip
    decoder: str = choice(
        "viterbi", "viterbi", "posterior", label="Decoder",
        doc="States are those of the likeliest path, or the likeliest of each row by itself.",
    )  # fmt: skip
    init: str = choice(
        "kmeans", "kmeans", "random", "segments", label="Start",
        doc="First states: groups of k-means, rows drawn as centers, or equal parts of a sequence.",
        advanced=True,
    )  # fmt: skip
    n_init: int = integer(
        5, low=1, high=100, soft=(1, 20), symbol="R", label="Restarts",
        doc="Runs from different starts, of which the likeliest is kept.",
    )  # fmt: skip
    pseudo_count: float = real(
        0.0, low=0.0, soft=(0.0, 2.0), label="Pseudo-count",
        doc="Added to every count of a move, a first state and a name, so that none gets 0.",
        advanced=True,
    )  # fmt: skip
    reg_covar: float = real(
        1e-6, low=0.0, soft=(1e-9, 0.1), log=True, symbol="ε", label="Ridge",
        doc="Added to every variance, as a share of that of all rows.", advanced=True,
    )  # fmt: skip
    tol: float = real(
        1e-6, low=0.0, soft=(1e-9, 1e-2), log=True, label="Tolerance",
        doc="Stop when the log-likelihood a row rises by no more, in nats.", advanced=True,
    )  # fmt: skip
    max_iter: int = integer(
        200, low=1, soft=(10, 1000), log=True, label="Most iterations",
        doc="Iterations after which a run stops.", advanced=True,
    )  # fmt: skip

    def allowed(self, N: int) -> tuple[np.ndarray, np.ndarray]:
        """Which states may come first, (N,), and which moves may be made, (N, N)."""
        begins, moves = np.ones(N, dtype=bool), np.ones((N, N), dtype=bool)
        if self.start == "first":
            begins[1:] = False
        if self.topology == "left_to_right":
            moves = np.eye(N, dtype=bool) | np.eye(N, k=1, dtype=bool)
        return begins, moves

    def without_memory(self) -> HMM:
        """The same with one state: rows that know nothing of each other."""
        return HMM(n_states=1, n_init=1, covariance=self.covariance, pseudo_count=self.pseudo_count)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse fewer rows than states, and numbers whose squares vanish or overflow."""
        if len(X) < max(self.n_states, 2):
            least = max(self.n_states, 2)
            return f"{self.title()} needs at least {least} rows; there are {len(X)}. Add rows."
        if np.abs(X).max() > LARGEST:
            return f"The squares of values above {LARGEST:g} are no numbers. Scale the columns."
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        problem = self._problem(given)
        return played(problem, best_run(problem))

    def _end(self, given: Given) -> Step:
        return end_of(best_run(self._problem(given)))

    def _problem(self, given: Given) -> Problem:
        problem = Problem(self, given)
        numbers = problem.rows.numbers
        if numbers.shape[1]:
            different = len(distinct_rows(numbers, self.n_states))
            if different < self.n_states:
                raise DataError(
                    f"{self.n_states} states need as many different rows; there are {different}. "
                    "Lower the number of states."
                )
        return problem

    def _finished(self, given: Given, end: Step) -> HMMFit:
        state: ChainState = end.state
        return HMMFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            labels=state.labels,
            memberships=state.memberships,
            start=state.start,
            transitions=state.transitions,
            moves=state.moves,
            means=state.means,
            covariances=state.covariances,
            frequencies=state.frequencies,
            pairs=pairs_of(given.X, given.columns),
            log_likelihood=end.objective,
            traces=state.traces,
        )
