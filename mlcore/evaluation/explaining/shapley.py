"""Shapley values: a prediction shared out among the variables.

The worth of a set of variables is the mean prediction of background rows that take these from the
row and keep the others as they are (interventional): v(S) = mean_b f(x_S, b_rest). The value of
variable j is the mean over all orders of v(S with j) - v(S), S what stands before it. The values
add up to f(x) - mean_b f(b). Shapley (1953); Štrumbelj and Kononenko (2014), Knowledge and
Information Systems 41; Lundberg and Lee (2017), NeurIPS.
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import numpy as np

from mlcore.evaluation.explaining.effects import Predict
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

EXACT_UP_TO = 10  # variables: 1024 sets
PIECE = 20_000  # rows that are predicted at a time


class Shapley(NamedTuple):
    """How a prediction is shared out."""

    base: np.ndarray  # (K,) mean prediction of the background rows
    values: np.ndarray  # (p, K)
    errors: np.ndarray  # (p, K) standard errors of the values; 0 where they are exact
    prediction: np.ndarray  # (K,) of the row: base + the sum of the values
    n_sets: int  # sets of variables, or orders, that were looked at

    @property
    def is_exact(self) -> bool:
        """Whether nothing was drawn."""
        return not self.errors.any()


@function("shapley_values", title="Shapley values", synonyms=("SHAP", "Shapley value"))
def shapley_exact(predict: Predict, row: np.ndarray, background: np.ndarray) -> Shapley:
    """Over all 2^p sets of variables, of one row, shape (p,), and background rows, shape (B, p).

    Raises DataError for more variables than can be enumerated.
    """
    p = len(row)
    if p > EXACT_UP_TO:
        raise DataError(
            f"Exact Shapley values need at most {EXACT_UP_TO} variables; there are {p}. "
            "Draw orders."
        )
    sets = (np.arange(2**p)[:, None] >> np.arange(p)) & 1 == 1  # (2^p, p)
    worth = _worth(predict, row, background, sets)
    sizes, codes = sets.sum(axis=1), np.arange(2**p)
    weight = np.array([factorial(s) * factorial(p - s - 1) / factorial(p) for s in range(p)])
    values = np.empty((p, worth.shape[1]))
    for j in range(p):
        without = codes[~sets[:, j]]
        gains = worth[without | (1 << j)] - worth[without]
        values[j] = weight[sizes[without]] @ gains
    return Shapley(worth[0], values, np.zeros_like(values), worth[-1], 2**p)


def shapley_sampled(
    predict: Predict,
    row: np.ndarray,
    background: np.ndarray,
    rng: np.random.Generator,
    rounds: int,
) -> Shapley:
    """Over drawn orders, each followed by its reverse, `rounds` pairs a background row.

    Of one row, shape (p,), and background rows, shape (B, p).

    Every background row is met equally often, so the values add up exactly. The standard errors
    are those of the mean over the pairs, which are drawn independently.
    """
    n_background, p = background.shape
    starts = background[np.tile(np.arange(n_background), rounds)]
    orders = rng.permuted(np.tile(np.arange(p), (len(starts), 1)), axis=1)
    forth = _along(predict, row, starts, orders)
    back = _along(predict, row, starts, orders[:, ::-1])
    drawn = (forth + back) / 2  # (pairs, p, K)
    # Without a second pair there is no spread, and an error of 0 would claim to be exact.
    spread = drawn.std(axis=0, ddof=1) if len(drawn) > 1 else np.full(drawn.shape[1:], np.nan)
    base = predict(background).mean(axis=0)
    errors = spread / np.sqrt(len(drawn))
    return Shapley(base, drawn.mean(axis=0), errors, predict(row[None])[0], 2 * len(drawn))


def _along(predict: Predict, row: np.ndarray, starts: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """What each variable changes on the way from each start, (s, p), in its order: (s, p, K)."""
    p, changes = len(row), []
    at_once = max(1, PIECE // (p + 1))
    ranks = np.argsort(orders, axis=1)  # when a variable is taken over
    for first in range(0, len(starts), at_once):
        start, rank = starts[first : first + at_once], ranks[first : first + at_once]
        taken = rank[:, None, :] < np.arange(p + 1)[:, None]  # (s, p + 1, p)
        rows = np.where(taken, row, start[:, None, :]).reshape(-1, p)
        outputs = predict(rows).reshape(len(start), p + 1, -1)
        changes.append(np.take_along_axis(np.diff(outputs, axis=1), rank[:, :, None], axis=1))
    return np.concatenate(changes)


def _worth(
    predict: Predict, row: np.ndarray, background: np.ndarray, sets: np.ndarray
) -> np.ndarray:
    """The mean prediction with each set of variables taken from the row, shape (sets, K)."""
    at_once = max(1, PIECE // len(background))
    means = []
    for first in range(0, len(sets), at_once):
        some = sets[first : first + at_once]
        rows = np.where(some[:, None, :], row, background[None])  # (sets, B, p)
        outputs = predict(rows.reshape(-1, len(row)))
        means.append(outputs.reshape(len(some), len(background), -1).mean(axis=1))
    return np.concatenate(means)
