"""Compiled loops of bandits whose rewards depend on the arm alone.

Inputs are read-only and C-ordered, outputs filled in place. Reward number j of arm i is
stacks[i, j], whoever plays; where a bandit goes `by_round`, j is the round.
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
def _chosen(values, epsilon, temperature, rng):
    """One choice: random with probability epsilon, else softmax, the best at temperature 0."""
    if epsilon > 0.0 and rng.random() < epsilon:
        return int(rng.random() * len(values))
    if temperature == 0.0:
        return _best(values, rng)
    top = values.max()
    total = 0.0
    for i in range(len(values)):
        total += np.exp((values[i] - top) / temperature)
    left = rng.random() * total
    for i in range(len(values)):
        left -= np.exp((values[i] - top) / temperature)
        if left < 0.0:
            return i
    return len(values) - 1


@njit(cache=True, nogil=True)
def _drawn(chances, first, end, u):
    """The entry between `first` and `end` that the uniform number u picks by the probabilities."""
    upto = chances[first]
    k = first
    while k < end - 1 and u >= upto:
        k += 1
        upto += chances[k]
    return k


@njit(cache=True, nogil=True)
def index_play(stacks, by_round, scale, rng, pulls, counts, sums):
    """Pull the arm with the largest mean + scale sqrt(ln t / pulls); each arm once first.

    Reward number j of arm i is stacks[i, j], whoever plays; where a bandit goes `by_round`, j is
    the round. `pulls`, shape (n,), is filled with the arms.
    """
    n_arms = len(counts)
    index = np.empty(n_arms)
    means, widths = np.full(n_arms, np.inf), np.zeros(n_arms)
    for t in range(len(pulls)):
        wide = scale * np.sqrt(np.log(t + 1.0))
        for i in range(n_arms):
            index[i] = means[i] + wide * widths[i]
        arm = _best(index, rng)
        sums[arm] += stacks[arm, t if by_round else counts[arm]]
        counts[arm] += 1
        means[arm], widths[arm] = sums[arm] / counts[arm], 1.0 / np.sqrt(counts[arm])
        pulls[t] = arm


@njit(cache=True, nogil=True)
def _divergence(p, q):
    """Kullback-Leibler divergence of coins with these chances; 0 < q < 1."""
    left = p * np.log(p / q) if p > 0.0 else 0.0
    right = (1.0 - p) * np.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return left + right


@njit(cache=True, nogil=True)
def _upper_chance(mean, most):
    """The largest q from `mean` to 1 whose divergence from `mean` is at most `most`.

    Newton's method from Pinsker's bound, which lies above it; where it leaves what is known to hold
    q, the middle of that takes its place.
    """
    if mean >= 1.0 or mean <= 0.0:
        return 1.0 if mean >= 1.0 else 1.0 - np.exp(-most)
    low, high = mean, 1.0
    q = mean + np.sqrt(most / 2.0)
    if q >= high:
        q = 0.5 * (low + high)
    for _ in range(100):
        off = _divergence(mean, q) - most
        if off > 0.0:
            high = q
        else:
            low = q
        if abs(off) <= 1e-12 * (1.0 + most) or high - low <= 1e-15:
            break
        slope = (q - mean) / (q * (1.0 - q))
        step = q - off / slope if slope > 0.0 else low
        q = step if low < step < high else 0.5 * (low + high)
    return q


@njit(cache=True, nogil=True)
def upper_chances(means, counts, most, upper):
    """Fill `upper`, (K,), with the largest q with pulls * divergence(mean, q) at most `most`."""
    for i in range(len(means)):
        upper[i] = _upper_chance(means[i], most / counts[i])


@njit(cache=True, nogil=True)
def divergence_play(stacks, by_round, alpha, rng, pulls, counts, sums):
    """KL-UCB: pull the arm with the largest chance that its rewards do not speak against."""
    n_arms = len(counts)
    index = np.empty(n_arms)
    for t in range(len(pulls)):
        most = alpha * np.log(t + 1.0)
        for i in range(n_arms):
            if counts[i] == 0:
                index[i] = np.inf
            else:
                index[i] = _upper_chance(sums[i] / counts[i], most / counts[i])
        arm = _best(index, rng)
        sums[arm] += stacks[arm, t if by_round else counts[arm]]
        counts[arm] += 1
        pulls[t] = arm


@njit(cache=True, nogil=True)
def share_play(stacks, by_round, rng, pulls, counts, sums):
    """MOSS: an arm is wide until it has had its share of all n rounds."""
    n_arms, n = len(counts), len(pulls)
    index = np.full(n_arms, np.inf)
    for t in range(n):
        arm = _best(index, rng)
        sums[arm] += stacks[arm, t if by_round else counts[arm]]
        counts[arm] += 1
        left = max(np.log(n / (n_arms * counts[arm])), 0.0)
        index[arm] = sums[arm] / counts[arm] + np.sqrt(left / counts[arm])
        pulls[t] = arm


@njit(cache=True, nogil=True)
def value_play(
    stacks, by_round, first, once, rates, rate_exponent, epsilons, epsilon_exponent, temperatures,
    temperature_exponent, rng, pulls, counts, values,
):  # fmt: skip
    """Pull by the learned values of the arms: at random, softmax or greedy, as the numbers say.

    `values` moves by rate times the error of prediction; with `once` each arm is pulled first.
    """
    n_arms = len(counts)
    values[:] = first
    for t in range(len(pulls)):
        if once and t < n_arms:
            arm = t
        else:
            epsilon = epsilons[t] / (t + 1.0) ** epsilon_exponent
            temperature = temperatures[t] / (t + 1.0) ** temperature_exponent
            arm = _chosen(values, epsilon, temperature, rng)
        reward = stacks[arm, t if by_round else counts[arm]]
        counts[arm] += 1
        rate = rates[t] / counts[arm] ** rate_exponent
        values[arm] += rate * (reward - values[arm])
        pulls[t] = arm


@njit(cache=True, nogil=True)
def beta_play(stacks, by_round, a, b, is_coin, rng, pulls, counts, sums):
    """Thompson sampling with Beta(a, b) priors: pull the arm with the largest draw.

    A reward between 0 and 1 counts as a success with that probability, so that the prior stays
    Beta.
    """
    n_arms = len(counts)
    successes = np.zeros(n_arms)
    draws = np.empty(n_arms)
    for t in range(len(pulls)):
        for i in range(n_arms):
            draws[i] = rng.beta(a + successes[i], b + counts[i] - successes[i])
        arm = _best(draws, rng)
        reward = stacks[arm, t if by_round else counts[arm]]
        if is_coin or rng.random() < reward:
            successes[arm] += reward if is_coin else 1.0
        sums[arm] += reward
        counts[arm] += 1
        pulls[t] = arm


@njit(cache=True, nogil=True)
def normal_play(stacks, by_round, mean, sd, noise, rng, pulls, counts, sums):
    """Thompson sampling with normal priors and known noise: pull the arm with the largest draw."""
    n_arms = len(counts)
    draws = np.empty(n_arms)
    for t in range(len(pulls)):
        for i in range(n_arms):
            precision = 1.0 / sd**2 + counts[i] / noise**2
            middle = (mean / sd**2 + sums[i] / noise**2) / precision
            draws[i] = middle + rng.standard_normal() / np.sqrt(precision)
        arm = _best(draws, rng)
        sums[arm] += stacks[arm, t if by_round else counts[arm]]
        counts[arm] += 1
        pulls[t] = arm


@njit(cache=True, nogil=True)
def weights_play(stacks, by_round, gamma, until, rng, pulls, counts, sums, chances):
    """Exp3: pull by weights that grow with gain / probability, mixed with `gamma` of pure chance.

    `chances`, shape (m, K), is filled with the probabilities of the arms in the rounds `until`,
    counted from 1. Weights are kept as logarithms, or they would overflow.
    """
    n_arms = len(counts)
    logs, mark = np.zeros(n_arms), 0
    for t in range(len(pulls)):
        p = np.exp(logs - logs.max())
        p = (1.0 - gamma) * p / p.sum() + gamma / n_arms
        if t + 1 == until[mark]:
            np.positive(p, chances[mark])
            mark += 1
        arm = _drawn(p, 0, n_arms, rng.random())
        reward = stacks[arm, t if by_round else counts[arm]]
        logs[arm] += gamma * reward / (p[arm] * n_arms)
        sums[arm] += reward
        counts[arm] += 1
        pulls[t] = arm
