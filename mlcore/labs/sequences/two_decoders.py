"""Two answers to "which states?": the likeliest path, and the likeliest state of each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.draws import paths
from mlcore.labs.lab import Lab
from mlcore.sequences.recursions import forward_backward, log_probability_of_path, viterbi
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator

N_STATES = 3


class Decoded(NamedTuple):
    """Many sequences of T steps, decoded twice: by Viterbi and by the posterior, in this order."""

    first: np.ndarray  # (T,) what is seen in the first sequence, or the first that differs
    truth: np.ndarray  # (T,) its states
    paths: np.ndarray  # (2, T)
    posterior: np.ndarray  # (T, N)
    logs: np.ndarray  # (2,) joint log-probability of the paths; minus 1e6 stands for impossible
    right_steps: np.ndarray  # (2,) share of all steps whose state is right
    right_paths: np.ndarray  # (2,) share of the sequences that are right throughout
    impossible: np.ndarray  # (2,) share of the sequences that no move of the chain allows
    differ: float  # share of the sequences on which the two differ
    n_sequences: int


@enter(
    Card(
        "two_decoders",
        "Viterbi or posterior decoding",
        ("lab",),
        "Rabiner (1989), Proceedings of the IEEE 77(2)",
        sources=("epfl:hmm_posterior_decode", "epfl:hmm_viterbi"),
        random=True,
        cost=lambda n, p, it: (0.03 + 4e-7 * it.n_sequences * it.length, 1e7),
        formula=r"\hat s = \arg\max_s P(s \mid x)\quad\text{or}\quad"
        r"\hat s_t = \arg\max_i P(s_t = i \mid x)",
        kind="lab",
        pages=("sequences",),
        synonyms=("MAP path", "maximum posterior marginals", "impossible path"),
        line="whole paths right, or single steps right",
    )
)
@dataclass(frozen=True, kw_only=True)
class TwoDecodersLab(Lab):
    """The path that is likeliest as a whole, or at each step the state that is likeliest there.

    A chain of three states is hidden; each shows a number around its own. Both decoders know the
    chain exactly. In a ring a state can only be kept or left for the next one, in a row not even
    the last one is left, in a free chain every move is possible.
    """

    tasks = (
        "Compare in the second picture which decoder has more steps right, and which more whole "
        "sequences.",
        "Look in the first picture for a move of the posterior states that the ring does not have.",
        "Take the free chain: are there impossible paths?",
        "Make the noise small, then large, and see where the two differ at all.",
    )
    seen = (
        "The posterior has more single steps right, always in the mean, since that is what it "
        "maximises; Viterbi has more sequences right from end to end. The difference is small. But "
        "the states of the posterior need be no path: in a ring they may jump over a state that is "
        "never the likeliest, and the whole has probability 0. In a free chain that cannot happen. "
        "With little noise both are the same."
    )

    chain: str = choice("ring", "ring", "row", "free", label="Chain", doc="Which moves it has.")
    stay: float = real(
        0.6, low=0.0, high=0.99, soft=(0.0, 0.99), label="Probability to stay",
        doc="Of a state, at each step; the last one of a row always stays.",
    )  # fmt: skip
    noise: float = real(
        0.8, above=0.0, high=10.0, soft=(0.1, 3.0), log=True, symbol=r"\sigma",
        doc="Standard deviation of what a state shows; their means are 1 apart.",
    )  # fmt: skip
    length: int = integer(
        12, low=2, high=200, soft=(2, 100), log=True, symbol="T", label="Steps",
        doc="Of each sequence.",
    )  # fmt: skip
    n_sequences: int = integer(
        2000, low=100, high=10_000, soft=(100, 10_000), log=True, label="Sequences",
        doc="That are decoded.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> Decoded:
        """The same sequences for both."""
        start, A = self._chain()
        states = paths(start, A, (self.n_sequences, self.length), generator(seed, "states"))
        seen = states + self.noise * generator(seed, "noise").normal(size=states.shape)
        logs = -((seen.reshape(-1, 1) - np.arange(N_STATES)) ** 2) / (2 * self.noise**2)
        lengths = np.full(self.n_sequences, self.length)
        sums, path = forward_backward(logs, start, A, lengths), viterbi(logs, start, A, lengths)
        both = np.stack([path.states, sums.posterior.argmax(axis=1)])
        joint = [log_probability_of_path(own, logs, start, A, lengths) for own in both]
        decoded = both.reshape(2, *states.shape)
        impossible = np.isneginf(joint)
        k = _most_telling(decoded, impossible[1])
        posterior = sums.posterior.reshape(*states.shape, N_STATES)
        return Decoded(
            seen[k], states[k], decoded[:, k], posterior[k],
            np.maximum(np.array(joint)[:, k], -1e6), (decoded == states).mean(axis=(1, 2)),
            (decoded == states).all(axis=2).mean(axis=1), impossible.mean(axis=1),
            float((decoded[0] != decoded[1]).any(axis=1).mean()), self.n_sequences,
        )  # fmt: skip

    def _chain(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of the first state, (3,), and of moves, (3, 3)."""
        step = np.roll(np.eye(N_STATES), 1, axis=1)
        if self.chain == "free":
            step = (1 - np.eye(N_STATES)) / (N_STATES - 1)
        A = self.stay * np.eye(N_STATES) + (1 - self.stay) * step
        if self.chain == "row":
            A[-1] = np.eye(N_STATES)[-1]
        return np.full(N_STATES, 1 / N_STATES), A


def _most_telling(decoded: np.ndarray, impossible: np.ndarray) -> int:
    """The first sequence with an impossible path, else the first where the two differ."""
    if impossible.any():
        return int(impossible.argmax())
    return int((decoded[0] != decoded[1]).any(axis=1).argmax())
