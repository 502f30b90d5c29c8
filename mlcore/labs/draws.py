"""Draws of hidden chains, many sequences at a time."""

from __future__ import annotations

import numpy as np


def picked(chances: np.ndarray, lots: np.ndarray) -> np.ndarray:
    """The entry of each row of `chances`, (..., N), that a uniform number, (...), falls on."""
    upto = np.cumsum(chances, axis=-1)[..., :-1]
    return (lots[..., None] >= upto).sum(axis=-1)


def paths(
    start: np.ndarray, transitions: np.ndarray, shape: tuple[int, int], rng: np.random.Generator
) -> np.ndarray:
    """States of n walks of T steps, shape (n, T), by (N,) and (N, N) probabilities."""
    lots = rng.random(shape)
    states = np.empty(shape, dtype=np.int64)
    states[:, 0] = picked(start, lots[:, 0])
    for t in range(1, shape[1]):
        states[:, t] = picked(transitions[states[:, t - 1]], lots[:, t])
    return states
