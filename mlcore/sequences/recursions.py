"""The sums and the maximum over all paths of hidden states, and both by enumeration."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.sequences import _kernels
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

MOST_PATHS = 1_000_000


class Sums(NamedTuple):
    """What the forward and the backward recursion know of n rows in N states."""

    log_density: np.ndarray  # (n,) log p(row t | rows before t in its sequence)
    posterior: np.ndarray  # (n, N) P(state t | all rows of its sequence)
    moves: np.ndarray  # (N, N) expected number of moves, all sequences together


class Path(NamedTuple):
    """The likeliest path of states."""

    states: np.ndarray  # (n,)
    scores: np.ndarray  # (k,) joint log-probability of rows and path, one a sequence


class ImpossibleRowError(DataError):
    """A row that no state allows; `row` is its position."""

    def __init__(self, row: int) -> None:
        super().__init__(f"Row {row + 1} is impossible in every state that can be reached.")
        self.row = row


@function(
    "forward_backward",
    title="Forward-backward recursion",
    sources=("epfl:hmm_forward", "epfl:hmm_backward", "epfl:hmm_xi_gamma"),
    synonyms=("forward algorithm", "backward algorithm", "smoothing of a hidden Markov model"),
)
def forward_backward(
    logs: np.ndarray, start: np.ndarray, transitions: np.ndarray, lengths: np.ndarray
) -> Sums:
    """Likelihood and posterior of the states of sequences that lie one after the other.

    `logs`, shape (n, N), holds log b_i(o_t), `start`, (N,), and `transitions`, (N, N), the
    probabilities of the chain, `lengths` (k,). Scaled row by row, so none underflows; O(n N^2).
    Raises `ImpossibleRowError`, a DataError, for a row that no state allows.
    """
    ends = _ends(lengths)
    log_density, forward, is_log = _forward(logs, start, transitions, ends)
    posterior, moves = np.empty_like(forward), np.empty_like(transitions)
    behind = _kernels.smoothed_in_logs if is_log else _kernels.smoothed
    behind(
        read_only(logs), _probabilities(transitions, is_log), ends, read_only(forward),
        read_only(log_density), posterior, moves,
    )  # fmt: skip
    return Sums(log_density, posterior, moves)


def filtered(
    logs: np.ndarray, start: np.ndarray, transitions: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The forward recursion alone: log p(row t | rows before), (n,), P(state t | to t), (n, N).

    Arguments and errors that it raises as of `forward_backward`.
    """
    log_density, forward, is_log = _forward(logs, start, transitions, _ends(lengths))
    return log_density, np.exp(forward) if is_log else forward


def _forward(
    logs: np.ndarray, start: np.ndarray, transitions: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray, bool]:
    """The densities, the shares of the states, and whether these are logs: they are only where
    doubles would lose a state that the chain never comes back to, and later rows are from it."""
    forward, log_density = np.empty(logs.shape), np.empty(len(logs))
    filled = ends, forward, log_density
    bad = _kernels.filtered(read_only(logs), read_only(start), read_only(transitions), *filled)
    if is_log := bad == _kernels.RETURNED:
        chain = _probabilities(start, is_log), _probabilities(transitions, is_log)
        bad = _kernels.filtered_in_logs(read_only(logs), *chain, *filled)
    if bad >= 0:
        raise ImpossibleRowError(bad)
    return log_density, forward, is_log


def _probabilities(shares: np.ndarray, is_log: bool) -> np.ndarray:
    """Probabilities, of any shape, as they are or as their logs."""
    if not is_log:
        return read_only(shares)
    with np.errstate(divide="ignore"):
        return read_only(np.log(shares))


@function("viterbi", title="Viterbi path", sources=("epfl:hmm_viterbi",))
def viterbi(
    logs: np.ndarray, start: np.ndarray, transitions: np.ndarray, lengths: np.ndarray
) -> Path:
    """The path of states with the largest joint probability, the lowest states on ties.

    Arguments, with `logs` of shape (n, N), and errors that it raises as of `forward_backward`;
    in logarithms, O(n N^2).
    """
    n, N = logs.shape
    log_start, log_A = _probabilities(start, True), _probabilities(transitions, True)
    back, path = np.empty((n, N), dtype=np.int16), np.empty(n, dtype=np.int64)
    scores = np.empty(len(lengths))
    bad = _kernels.likeliest_path(
        read_only(logs), log_start, log_A, _ends(lengths), back, path, scores
    )
    if bad >= 0:
        raise ImpossibleRowError(bad)
    return Path(path, scores)


@function(
    "log_probability_of_path",
    title="Log-probability of a path",
    sources=("epfl:hmm_posterior_decode",),
)
def log_probability_of_path(
    states: np.ndarray, logs: np.ndarray, start: np.ndarray, transitions: np.ndarray,
    lengths: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Joint log-probability of rows and of the path `states`, (n,), one a sequence, (k,).

    Minus infinity for a path that the chain cannot take.
    """
    first = np.cumsum(lengths) - lengths
    steps = logs[np.arange(len(states)), states].astype(np.float64)
    with np.errstate(divide="ignore"):
        moves = np.log(transitions[states[:-1], states[1:]])
        begun = np.log(start[states[first]])
    steps[1:] += np.where(np.isin(np.arange(1, len(states)), first), 0.0, moves)
    steps[first] += begun
    return np.add.reduceat(steps, first)


@function("enumerate_paths", title="Every path of states", sources=("epfl:hmm_enumerate",))
def enumerate_paths(
    logs: np.ndarray, start: np.ndarray, transitions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """All N^n paths of one sequence, shape (N^n, n), and their joint log-probabilities.

    `logs` has shape (n, N). What the recursions do in n N^2 steps, in 2 n N^n: raises DataError
    above a million paths.
    """
    n, N = logs.shape
    if N**n > MOST_PATHS:
        raise DataError(f"{N} states have {N}^{n} paths over {n} rows; at most {MOST_PATHS:,}.")
    paths = np.array(list(product(range(N), repeat=n)), dtype=np.int64).reshape(-1, n)
    length = np.array([n])
    joint = [log_probability_of_path(path, logs, start, transitions, length) for path in paths]
    return paths, np.concatenate(joint)


@function("operation_count", title="Cost of enumeration", sources=("epfl:hmm_enumerate",))
def operation_count(n_states: int, length: int) -> tuple[float, float]:
    """Operations for the likelihood of one sequence: 2 T N^T by enumeration, N^2 T recursively."""
    return 2.0 * length * float(n_states) ** length, float(n_states) ** 2 * length


def _ends(lengths: np.ndarray) -> np.ndarray:
    return read_only(np.cumsum(lengths, dtype=np.int64))
