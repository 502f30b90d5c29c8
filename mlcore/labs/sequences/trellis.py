"""The trellis of a hidden Markov model: sums and maxima over all paths, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab
from mlcore.sequences.recursions import enumerate_paths
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

FORWARD, BACKWARD, POSTERIOR, LIKELIEST = SHOWS = ("forward", "backward", "posterior", "likeliest")


class Model(NamedTuple):
    """A chain of N states that shows one of L names at each step."""

    start: np.ndarray  # (N,)
    transitions: np.ndarray  # (N, N)
    shown: np.ndarray  # (N, L)
    states: tuple[str, ...]
    names: tuple[str, ...]


WEATHER = Model(
    np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]]),
    np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]), ("dry", "wet"), ("walk", "shop", "clean"),
)  # fmt: skip
BLIND = Model(
    np.array([0.4, 0.35, 0.25]), np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]),
    np.ones((3, 1)), ("first", "second", "last"), ("anything",),
)  # fmt: skip
MODELS = {"weather": WEATHER, "nothing_seen": BLIND}


class Trellis(NamedTuple):
    """What is known of N states at T steps; all probabilities, not scaled."""

    model: Model
    seen: np.ndarray  # (T,) codes of what is seen
    forward: np.ndarray  # (T, N) of what was seen until here, and the state
    backward: np.ndarray  # (T, N) of what is seen from here on, given the state
    posterior: np.ndarray  # (T, N) of the state, given all
    likeliest: np.ndarray  # (T, N) of what was seen until here, and the likeliest way to the state
    before: np.ndarray  # (T, N) the state before on that way; -1 at the first step
    path: np.ndarray  # (T,) the likeliest path
    states: np.ndarray  # (T,) the likeliest state of each step by itself
    of_path: float  # joint probability with what is seen
    of_states: float
    enumerated: float  # sum of that over all N^T paths
    n_paths: int
    shows: str

    @property
    def likelihood(self) -> float:
        """The probability of what is seen, by the forward recursion."""
        return float(self.forward[-1].sum())

    @property
    def backwards(self) -> float:
        """The same by the backward recursion."""
        m = self.model
        return float((m.start * m.shown[:, self.seen[0]] * self.backward[0]).sum())


@enter(
    Card(
        "trellis",
        "Trellis of a hidden Markov model",
        ("lab",),
        "Rabiner (1989), Proceedings of the IEEE 77(2)",
        sources=(
            "epfl:hmm_enumerate", "epfl:hmm_xi_gamma", "epfl:hmm_posterior_decode",
            "epfl:hmm_viterbi",
        ),
        cost=lambda n, p, it: (0.02 + 3e-5 * 3.0**it.length, 1e6),
        formula=r"\alpha_t(j) = b_j(x_t) \sum_i \alpha_{t-1}(i)\, a_{ij}, \quad"
        r"\delta_t(j) = b_j(x_t) \max_i \delta_{t-1}(i)\, a_{ij}",
        kind="lab",
        pages=("sequences",),
        synonyms=("forward-backward", "Viterbi", "dynamic programming", "two decoders"),
        line="sums over all paths, column by column",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class TrellisLab(Lab):
    r"""How a sum over $N^T$ paths is done in $N^2 T$ steps, and what is read off it.

    Each column of the trellis holds the states at one step. The forward value of a state sums over
    all ways to it, $\alpha_t(j) = b_j(x_t) \sum_i \alpha_{t-1}(i) a_{ij}$; with the largest in
    place of the sum it belongs to the likeliest way, which Viterbi's algorithm follows back.
    """

    tasks = (
        "Play the forward values, and check one of them by hand.",
        "Compare the three sums below the trellis: forward, backward, and over every path.",
        "Lengthen the sequence, and look how the number of paths grows in the second picture.",
        "Take the model in which nothing is seen, with two steps: which path is the likeliest, and "
        "can one walk through the likeliest states?",
    )
    seen = (
        "All three sums are the same, 0.03628 for walk, shop, clean; eight steps of two states "
        "have 256 paths, and the recursion needs 32 products. In the model in which nothing is "
        "seen the likeliest states of two steps are the first, then the last, and no move leads "
        "from one to the other: a probability of each step by itself is no path. The likeliest "
        "path is second, last, with 0.35."
    )

    model: str = choice(
        "weather", *MODELS, label="Model",
        doc="Weather that is guessed from what somebody does, or a chain that shows nothing.",
    )  # fmt: skip
    length: int = integer(
        3, low=1, high=8, soft=(1, 8), symbol="T", label="Steps",
        doc="Length of the sequence: walk, shop, clean, and again.",
    )  # fmt: skip
    shows: str = choice(
        FORWARD, *SHOWS, label="Values",
        doc="Sums over the ways to a state, over those from it, both, or the likeliest way.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> Trellis:
        """Both recursions, the likeliest path, and every path for comparison; nothing is drawn."""
        m = MODELS[self.model]
        seen = np.arange(self.length) % m.shown.shape[1]
        emitted = m.shown.T[seen]  # (T, N)
        forward, backward = _forward(m, emitted), _backward(m, emitted)
        likeliest, before = _likeliest(m, emitted)
        posterior = forward * backward / forward[-1].sum()
        states = posterior.argmax(axis=1)
        with np.errstate(divide="ignore"):
            paths, joint = enumerate_paths(np.log(emitted), m.start, m.transitions)
        return Trellis(
            m, seen, forward, backward, posterior, likeliest, before, _back(likeliest, before),
            states, float(likeliest[-1].max()),
            float(np.exp(joint[(paths == states).all(axis=1)][0])), float(np.exp(joint).sum()),
            len(paths), self.shows,
        )  # fmt: skip


def _forward(m: Model, emitted: np.ndarray) -> np.ndarray:
    alpha = np.empty_like(emitted)
    alpha[0] = m.start * emitted[0]
    for t in range(1, len(emitted)):
        alpha[t] = alpha[t - 1] @ m.transitions * emitted[t]
    return alpha


def _backward(m: Model, emitted: np.ndarray) -> np.ndarray:
    beta = np.ones_like(emitted)
    for t in range(len(emitted) - 2, -1, -1):
        beta[t] = m.transitions @ (emitted[t + 1] * beta[t + 1])
    return beta


def _likeliest(m: Model, emitted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    delta, before = np.empty_like(emitted), np.full(emitted.shape, -1)
    delta[0] = m.start * emitted[0]
    for t in range(1, len(emitted)):
        ways = delta[t - 1][:, None] * m.transitions
        before[t], delta[t] = ways.argmax(axis=0), ways.max(axis=0) * emitted[t]
    return delta, before


def _back(likeliest: np.ndarray, before: np.ndarray) -> np.ndarray:
    path = [int(likeliest[-1].argmax())]
    for row in before[:0:-1]:
        path.append(int(row[path[-1]]))
    return np.array(path[::-1])
