"""Facts about a chain that follow from its transition probabilities."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, connected_components

from mlcore.spine.records import function


class Class(NamedTuple):
    """States that lead to each other."""

    states: np.ndarray  # (m,) ascending
    is_closed: bool  # whether no move leaves it
    period: int  # greatest common divisor of the lengths of ways back; 0 where none leads back


@function(
    "communicating_classes",
    title="Communicating classes",
    sources=("epfl:markov_chain",),
    synonyms=("irreducible", "recurrent", "transient", "periodic", "absorbing state"),
)
def communicating_classes(transitions: np.ndarray) -> tuple[Class, ...]:
    """The classes of states that lead to each other, by their lowest state; A has shape (N, N)."""
    A = np.asarray(transitions) > 0
    count, label = connected_components(A, connection="strong")
    members = [np.flatnonzero(label == k) for k in range(count)]
    classes = [Class(own, not _leaves(A, own), _period(A, own)) for own in members]
    return tuple(sorted(classes, key=lambda it: int(it.states[0])))


def _leaves(A: np.ndarray, own: np.ndarray) -> bool:
    outside = np.setdiff1d(np.arange(len(A)), own)
    return bool(A[np.ix_(own, outside)].any())


def _period(A: np.ndarray, own: np.ndarray) -> int:
    """By the distances from one state: each move i -> j closes ways of length d_i + 1 - d_j."""
    inside = A[np.ix_(own, own)]
    if not inside.any():
        return 0
    order, above = breadth_first_order(inside, 0)
    depth = np.zeros(len(own), dtype=np.int64)
    for state in order[1:]:
        depth[state] = depth[above[state]] + 1
    i, j = np.nonzero(inside)
    return gcd(*(abs(int(d)) for d in depth[i] + 1 - depth[j]))


@function(
    "long_run_shares",
    title="Long-run shares of states",
    sources=("epfl:markov_chain",),
    synonyms=("stationary distribution", "equilibrium distribution", "ergodic"),
)
def long_run_shares(start: np.ndarray, transitions: np.ndarray) -> np.ndarray:
    """The share of time in each state in the long run, (N,), of a chain that begins by `start`.

    With one closed class this is its stationary distribution pi = pi A, whatever the start; with
    several each counts by the probability of ending in it.
    """
    A = np.asarray(transitions, dtype=np.float64)
    classes = communicating_classes(A)
    closed = [it.states for it in classes if it.is_closed]
    passing = [it.states for it in classes if not it.is_closed]
    ended = _ended(np.asarray(start, dtype=np.float64), A, np.concatenate([*passing, []]))
    shares = np.zeros(len(A))
    for own in closed:
        shares[own] = ended[own].sum() * _stationary(A[np.ix_(own, own)])
    return shares / shares.sum()


def _ended(start: np.ndarray, A: np.ndarray, passing: np.ndarray) -> np.ndarray:
    """By which state a chain comes to those that it never leaves, (N,); 0 at those it passes.

    One passing state is taken out after the other: what comes to it is sent on to where it leads.
    Nothing is subtracted, so a state that is all but never left is one that is left.
    """
    start, A = start.copy(), A.copy()
    for k in passing.astype(np.int64):
        A[k, k] = 0.0
        onward = A[k] / A[k].max()  # a sum of the smallest doubles has no reciprocal
        onward /= onward.sum()
        start += start[k] * onward
        A += np.outer(A[:, k], onward)
        start[k], A[:, k], A[k] = 0.0, 0.0, 0.0
    return start


def _stationary(A: np.ndarray) -> np.ndarray:
    """pi = pi A of one class, by elimination without a subtraction (Grassmann and others 1985)."""
    A, N = A.copy(), len(A)
    for k in range(N - 1, 0, -1):
        A[:k, k] /= A[k, :k].sum()
        A[:k, :k] += np.outer(A[:k, k], A[k, :k])
    shares = np.ones(N)
    for k in range(1, N):
        shares[k] = shares[:k] @ A[:k, k]
    return shares / shares.sum()


@function("steps_ahead", title="Distribution some steps ahead", sources=("epfl:hmm_predict",))
def steps_ahead(distribution: np.ndarray, transitions: np.ndarray, steps: int) -> np.ndarray:
    """The distribution of the state after 0, 1 .. `steps` steps, shape (steps + 1, N).

    `distribution`, shape (N,), is that of now.
    """
    distributions = np.empty((steps + 1, len(distribution)))
    distributions[0] = distribution
    for h in range(steps):
        distributions[h + 1] = distributions[h] @ transitions
    return distributions


def walks(
    start: np.ndarray, transitions: np.ndarray, lengths: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """States of walks of these lengths, one after the other, shape (n,)."""
    first, ends = np.cumsum(start), np.cumsum(transitions, axis=1)
    draws, states = rng.random(int(lengths.sum())), np.empty(int(lengths.sum()), dtype=np.int64)
    begins = np.zeros(len(states), dtype=bool)
    begins[np.cumsum(lengths) - lengths] = True
    for t, u in enumerate(draws):
        bounds = first if begins[t] else ends[states[t - 1]]
        states[t] = min(int(np.searchsorted(bounds, u, side="right")), len(bounds) - 1)
    return states
