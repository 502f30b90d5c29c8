"""How far back a chain looks: its orders compared on the same rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaincc, xlogy

from mlcore.sequences.markov_chain import context_keys, tallied
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


class Order(NamedTuple):
    """One order beside the next lower one."""

    order: int
    log_likelihood: float  # of all rows, in nats, without pseudo-counts
    n_parameters: int  # free probabilities of the contexts that occur
    statistic: float  # G^2 = 2 (log L - log L of the order below); NaN for order 0
    freedom: int  # of its distribution if the lower order is true; 0 for order 0
    p_value: float  # NaN for order 0, and where nothing is free
    bic: float
    aic: float


@function(
    "compare_orders",
    title="Test of the order of a chain",
    sources=("epfl:markov_chain",),
    synonyms=("likelihood ratio test", "Markov order", "test of independence of a sequence"),
)
def compare_orders(
    codes: np.ndarray, lengths: np.ndarray, n_states: int, highest: int = 3
) -> tuple[Order, ...]:
    """The orders 0 .. `highest` of a chain of states `codes`, shape (n,).

    `lengths`, shape (k,), are those of the sequences, one after the other.

    G^2 is the likelihood-ratio statistic of Anderson and Goodman (1957): if the lower order is true
    it is about chi-squared distributed, with degrees of freedom that are counted over what occurs:
    a context that is seen can only be followed by what was seen after its younger part. With few
    rows a context the approximation is far off, and the criteria are the better guide. All orders
    are judged on the rows that have `highest` rows before them; raises DataError where there is
    none."""
    place = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    judged = place >= highest
    n, orders = int(judged.sum()), []
    if not n:
        raise DataError(f"No sequence is longer than {highest} rows, so no order can be compared.")
    for order in range(highest + 1):
        keys = context_keys(codes, lengths, order, n_states)
        contexts, counts = tallied(keys[judged], codes[judged], n_states)
        P = counts / counts.sum(axis=1, keepdims=True)
        value = float(xlogy(counts, P).sum())
        free = len(contexts) * (n_states - 1)
        statistic, freedom, p = np.nan, 0, np.nan
        if order:
            statistic = max(2 * (value - orders[-1].log_likelihood), 0.0)
            freedom = _freedom(contexts, counts, order, n_states)
            p = float(gammaincc(freedom / 2, statistic / 2)) if freedom else np.nan
        criteria = float(np.log(n) * free - 2 * value), 2 * free - 2 * value
        orders.append(Order(order, value, free, float(statistic), freedom, p, *criteria))
    return tuple(orders)


def _freedom(contexts: np.ndarray, counts: np.ndarray, order: int, V: int) -> int:
    """(contexts that share their younger part - 1) times (states seen after it - 1), summed."""
    younger = contexts % (V + 1) ** (order - 1)
    total = 0
    for part in np.unique(younger):
        own = younger == part
        seen = int((counts[own].sum(axis=0) > 0).sum())
        total += (int(own.sum()) - 1) * (seen - 1)
    return total
