"""Models of sequences: against hmmlearn from the same start, without its priors."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from hmmlearn.hmm import CategoricalHMM, GaussianHMM

from benchmarks.pairs import Alone, Pair
from mlcore.sequences.hmm import HMM
from mlcore.sequences.markov_chain import MarkovChain
from mlcore.spine.fit import Column

STATES, ITERATIONS = 8, 10
LENGTHS = np.full(100, 1000)
LEVELS = tuple("abcdef")
FLAT = {
    "startprob_prior": 1.0, "transmat_prior": 1.0, "init_params": "", "tol": -np.inf,
    "implementation": "scaling",  # the faster of its two
}  # fmt: skip
NARROW = {"covars_prior": 0.0, "covars_weight": 1.0, "min_covar": 0.0}


@lru_cache(maxsize=1)
def numbers() -> np.ndarray:
    """A hundred thousand rows of four columns that stay for a while, close enough to be mixed up.

    So no iteration is the last before the limit.
    """
    rng = np.random.default_rng(0)
    places = rng.normal(size=(STATES, 4))
    stays = np.repeat(rng.integers(0, STATES, 10_000), 10)
    return places[stays] + rng.normal(size=(100_000, 4))


@lru_cache(maxsize=1)
def names() -> np.ndarray:
    """As many of one column of names."""
    rng = np.random.default_rng(0)
    frequencies = rng.dirichlet(np.ones(len(LEVELS)), STATES).cumsum(axis=1)
    stays = np.repeat(rng.integers(0, STATES, 10_000), 10)
    above = rng.random((100_000, 1)) >= frequencies[stays]
    return np.minimum(above.sum(axis=1, keepdims=True), len(LEVELS) - 1)


@lru_cache
def begun(method: HMM) -> Any:
    """The model from which ours starts, so that theirs can."""
    X, columns = rows(method)
    return next(iter(method.steps(X, columns=columns, lengths=LENGTHS))).state


def rows(method: HMM) -> tuple[np.ndarray, tuple[Column, ...] | None]:
    """Numbers, or names, of which the first frequencies are drawn."""
    if method.init == "random":
        return names().astype(float), (Column("seen", "nominal", LEVELS),)
    return numbers(), None


def learned(method: HMM) -> float:
    """Ours, its start among it; the log-likelihood a row at the end."""
    X, columns = rows(method)
    return method.fit(X, columns=columns, lengths=LENGTHS).log_likelihood / len(X)


def theirs(model: Any, method: HMM) -> float:
    """hmmlearn's model from the start of ours; the log-likelihood a row at the end."""
    state, X = begun(method), names() if method.init == "random" else numbers()
    model.startprob_, model.transmat_ = state.start, state.transitions
    if isinstance(model, CategoricalHMM):
        model.emissionprob_ = state.frequencies[0]
    else:
        model.means_, model.covars_ = state.means, state.covariances
    return model.fit(X, LENGTHS).score(X, LENGTHS) / len(X)


def _pair(name: str, size: str, model: Any, **settings: Any) -> Pair:
    # A start without k-means, which would take as long as ten iterations and is not theirs.
    own: dict[str, Any] = {"init": "segments", "reg_covar": 0.0} | settings
    method = HMM(n_states=STATES, n_init=1, max_iter=model.n_iter, tol=0.0, **own)
    return Pair(
        name, f"hmmlearn.{type(model).__name__}", f"{size}, {STATES} states",
        ours=lambda: learned(method),
        theirs=lambda: theirs(model, method),
        gap=lambda a, b: b - a,
    )  # fmt: skip


@lru_cache(maxsize=1)
def fitted() -> tuple[Any, Any]:
    """One model in both packages."""
    method = HMM(n_states=STATES, n_init=1, max_iter=1, tol=0.0)
    ours = method.fit(numbers(), lengths=LENGTHS)
    model = GaussianHMM(STATES, "diag")
    model.startprob_, model.transmat_ = ours.start, ours.transitions
    model.means_, model.covars_ = ours.means, ours.covariances
    return ours, model


def mixtures() -> object:
    """Three iterations of mixtures of two components.

    No pair: hmmlearn re-estimates covariances about the old means, so it climbs another way. It
    takes over a minute.
    """
    it = HMM(n_states=STATES, n_components=2, n_init=1, max_iter=3, tol=0.0)
    return it.fit(numbers()[:20_000], lengths=LENGTHS[:20])


def chain() -> object:
    """Three steps back, four columns of three bins."""
    return MarkovChain(order=3).fit(numbers(), lengths=LENGTHS)


PAIRS = [
    _pair(
        "hmm", "100000 x 4, 10 iterations",
        GaussianHMM(STATES, "diag", n_iter=ITERATIONS, means_weight=0, **NARROW, **FLAT),
    ),
    _pair(
        "hmm, names", "100000, 6 levels, 10 iterations",
        CategoricalHMM(STATES, emissionprob_prior=1.0, n_iter=ITERATIONS, **FLAT),
        init="random",
    ),
    Pair(
        "hmm, likeliest path", "hmmlearn.GaussianHMM", f"100000 x 4, {STATES} states",
        ours=lambda: fitted()[0].predict(numbers(), LENGTHS),
        theirs=lambda: fitted()[1].predict(numbers(), LENGTHS),
        gap=lambda a, b: float((a != b).mean()),
    ),
    Alone("hmm, mixtures", "20000 x 4, 8 states of 2 components, 3 iterations", mixtures, 0.5),
    Alone("markov_chain", "100000 x 4, order 3", chain, 0.2),
]  # fmt: skip
