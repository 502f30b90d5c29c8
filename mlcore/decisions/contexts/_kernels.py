"""Compiled loops of bandits whose rewards are linear in a context.

Inputs are read-only and C-ordered, outputs filled in place.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit


@njit(cache=True, nogil=True)
def _best(values, rng):
    """The position of the largest value; of several, one at random."""
    top, count = values[0], 1
    for i in range(1, len(values)):
        if values[i] > top:
            top, count = values[i], 1
        elif values[i] == top:
            count += 1
    skip = int(rng.random() * count) if count > 1 else 0
    for i in range(len(values)):
        if values[i] == top:
            if skip == 0:
                return i
            skip -= 1
    return 0  # where a value is missing none equals the largest


@njit(cache=True, nogil=True)
def linear_play(
    stacks, contexts, alpha, ridge, anew, rng, pulls, counts, sums, weights, inverses
):  # fmt: skip
    """LinUCB: pull the arm with the largest theta x + alpha sqrt(x A^-1 x) in the context x.

    `weights`, shape (K, d), is filled with the ridge estimates theta, `inverses`, shape (K, d, d),
    with A^-1. These follow rank-one updates; after every `anew` pulls they are inverted again, so
    that rounding does not add up.
    """
    n_arms, d = weights.shape
    grams, moments = np.zeros((n_arms, d, d)), np.zeros((n_arms, d))
    for i in range(n_arms):
        for j in range(d):
            grams[i, j, j], inverses[i, j, j] = ridge, 1.0 / ridge
    index, u = np.empty(n_arms), np.empty(d)
    for t in range(len(pulls)):
        x = contexts[t]
        for i in range(n_arms):
            mean, square = 0.0, 0.0
            for j in range(d):
                mean += weights[i, j] * x[j]
                for k in range(d):
                    square += x[j] * inverses[i, j, k] * x[k]
            index[i] = mean + alpha * np.sqrt(max(square, 0.0))
        arm = _best(index, rng)
        reward, square = stacks[arm, t], 0.0
        for j in range(d):
            u[j] = 0.0
            for k in range(d):
                u[j] += inverses[arm, j, k] * x[k]
            square += x[j] * u[j]
            moments[arm, j] += reward * x[j]
        for j in range(d):
            for k in range(d):
                grams[arm, j, k] += x[j] * x[k]
                inverses[arm, j, k] -= u[j] * u[k] / (1.0 + square)
        sums[arm] += reward
        counts[arm] += 1
        pulls[t] = arm
        if counts[arm] % anew == 0:
            np.positive(np.linalg.inv(grams[arm]), inverses[arm])
        for j in range(d):
            weights[arm, j] = 0.0
            for k in range(d):
                weights[arm, j] += inverses[arm, j, k] * moments[arm, k]


@njit(cache=True, nogil=True)
def _products(features, x, at, z):
    """Fill `z` with the products of features and context that are not 0, `at` with their places.

    Returns how many they are: of the own features of arms in a hybrid model all but one are 0.
    """
    n, d = 0, len(x)
    for c in range(len(features)):
        if features[c] != 0.0:
            for j in range(d):
                at[n], z[n] = c * d + j, features[c] * x[j]
                n += 1
    return n


@njit(cache=True, nogil=True)
def shared_play(
    stacks, contexts, features, alpha, ridge, anew, rng, pulls, counts, sums, weights, inverses
):  # fmt: skip
    """LinUCB with one ridge regression for all arms, on products of arm features and context.

    `features`, shape (K, q), are those of the arms. `weights`, shape (K, d), is filled with what
    the regression says of the context for each arm, `inverses`, shape (K, d, d), with the
    covariance of that for noise of variance 1.
    """
    (n_arms, q), d = features.shape, contexts.shape[1]
    gram, inverse = ridge * np.eye(q * d), np.eye(q * d) / ridge
    theta, moments, u = np.zeros(q * d), np.zeros(q * d), np.empty(q * d)
    z, at, index = np.empty(q * d), np.empty(q * d, dtype=np.int64), np.empty(n_arms)
    for t in range(len(pulls)):
        for i in range(n_arms):
            n, mean, square = _products(features[i], contexts[t], at, z), 0.0, 0.0
            for j in range(n):
                mean += theta[at[j]] * z[j]
                for k in range(n):
                    square += z[j] * inverse[at[j], at[k]] * z[k]
            index[i] = mean + alpha * np.sqrt(max(square, 0.0))
        arm = _best(index, rng)
        n, reward = _products(features[arm], contexts[t], at, z), stacks[arm, t]
        for i in range(q * d):
            u[i] = 0.0
            for k in range(n):
                u[i] += inverse[i, at[k]] * z[k]
        mean, square = 0.0, 0.0
        for j in range(n):
            mean += theta[at[j]] * z[j]
            square += z[j] * u[at[j]]
            moments[at[j]] += reward * z[j]
            for k in range(n):
                gram[at[j], at[k]] += z[j] * z[k]
        for i in range(q * d):
            theta[i] += u[i] * (reward - mean) / (1.0 + square)
            for j in range(q * d):
                inverse[i, j] -= u[i] * u[j] / (1.0 + square)
        sums[arm] += reward
        counts[arm] += 1
        pulls[t] = arm
        if (t + 1) % anew == 0:
            np.positive(np.linalg.inv(gram), inverse)
            theta = inverse @ moments
    for i in range(n_arms):
        told, spread = weights[i], inverses[i]
        for c in range(q):
            told += features[i, c] * theta[c * d : (c + 1) * d]
            for e in range(q):
                block = inverse[c * d : (c + 1) * d, e * d : (e + 1) * d]
                spread += features[i, c] * features[i, e] * block
