"""Models of sequences: no installed peer fits them, so each has the time that it may take."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from benchmarks.pairs import Alone
from mlcore.sequences.hmm import HMM
from mlcore.sequences.markov_chain import MarkovChain
from mlcore.sequences.recursions import viterbi

LENGTHS = np.full(100, 1000)


@lru_cache(maxsize=1)
def numbers() -> np.ndarray:
    """A hundred thousand rows of four columns that stay for a while where they are."""
    rng = np.random.default_rng(0)
    places = rng.normal(size=(8, 4)) * 3
    return places[np.repeat(rng.integers(0, 8, 10_000), 10)] + rng.normal(size=(100_000, 4))


@lru_cache(maxsize=1)
def logs() -> np.ndarray:
    """Log-densities of eight states."""
    return np.random.default_rng(0).normal(size=(100_000, 8)) * 3


def iterations() -> object:
    """Ten iterations of Baum and Welch from one start, which costs a run of k-means."""
    return HMM(n_states=8, n_init=1, max_iter=10, tol=0.0).fit(numbers(), lengths=LENGTHS)


def mixtures() -> object:
    """Three iterations of mixtures of two components; hmmlearn 0.3.3 takes twenty times as long."""
    it = HMM(n_states=8, n_components=2, n_init=1, max_iter=3, tol=0.0)
    return it.fit(numbers()[:20_000], lengths=LENGTHS[:20])


def path() -> object:
    """The likeliest path of states."""
    even = np.full((8, 8), 1 / 8)
    return viterbi(logs(), even[0], even, LENGTHS)


def chain() -> object:
    """Three steps back, four columns of three bins."""
    return MarkovChain(order=3).fit(numbers(), lengths=LENGTHS)


PAIRS = [
    Alone("hmm", "100000 x 4, 8 states, at most 10 iterations", iterations, 0.5),
    Alone("hmm, mixtures", "20000 x 4, 8 states of 2 components, 3 iterations", mixtures, 0.5),
    Alone("viterbi", "100000 rows, 8 states", path, 0.05),
    Alone("markov_chain", "100000 x 4, order 3", chain, 0.2),
]
