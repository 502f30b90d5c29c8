"""What is learned of a hidden chain: its states in rows, what they show, what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np

from mlcore.sequences import chains
from mlcore.sequences.emissions import (
    Shown,
    drawn,
    log_emissions,
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
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.random import generator


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

    made_by: Any  # an HMM, which is declared beside its iteration
    labels: np.ndarray  # (n,) state of each row by the decoder
    memberships: np.ndarray  # (n, N) posterior of the states, given all rows of the sequence
    start: np.ndarray  # (N,)
    transitions: np.ndarray  # (N, N)
    moves: np.ndarray  # (N, N) expected number of moves in the training rows
    means: np.ndarray  # (N M, q) of the columns of numbers: M components a state, state by state
    covariances: np.ndarray  # (N M, q, q), or (N M, q) variances where the axes are kept
    frequencies: tuple[np.ndarray, ...]  # (N, L) of the levels of each column of names
    mixture_weights: np.ndarray  # (N, M) of the components in each state
    pairs: np.ndarray  # (p, 2) the values of columns of numbers that hold no others, else NaN
    log_likelihood: float  # total of the training rows, in nats
    traces: np.ndarray  # (R, t) log-likelihoods of all runs; NaN where one had ended

    @property
    def shown(self) -> Shown:
        """What each state shows."""
        return Shown(self.means, self.covariances, self.frequencies, self.mixture_weights)

    @property
    def state_names(self) -> tuple[str, ...]:
        """What the states are called: state 1 .. state N, or as somebody named them."""
        return self.made_by.called(len(self.start))

    @property
    def long_run(self) -> np.ndarray:
        """The share of time in each state in the long run, (N,)."""
        return chains.long_run_shares(self.start, self.transitions)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: what a topology forbids is none."""
        (N, M), q = self.mixture_weights.shape, self.means.shape[1]
        begins, mask = self.made_by.allowed(N)
        tables = sum(N * (table.shape[1] - 1) for table in self.frequencies)
        normal = N * M * q + N * (M - 1) + self.made_by.covariance.free(N * M, q) if q else 0
        return int(begins.sum()) - 1 + int(mask.sum()) - N + normal + tables

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
        sizes, C = [size for size in every.tolist() if size], self.mixture_weights.size
        return (
            self.start.shape == (N,)
            and self.transitions.shape == (N, N)
            and self.mixture_weights.shape[:1] == (N,)
            and self.means.shape == (C, q)
            and self.covariances.shape in ((C, q, q), (C, q))
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
