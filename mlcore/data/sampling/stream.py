"""Rows in the order and the portions in which a method that learns step by step sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mlcore.spine import checks, random
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

SCHEMES = ("online", "minibatch", "batch")
ORDERS = ("shuffled", "with_replacement", "file", "sorted")


class Batch(NamedTuple):
    """The rows of one update."""

    rows: np.ndarray  # (b,) positions
    update: int  # from 1, one call of the learner each
    epoch: int  # the pass over all rows to which it belongs, from 1


@function(
    "stream",
    sources=("cs1:sampling_batch", "cs1:sampling_online", "cs1:sampling_minibatch"),
    also=("Stream",),
)
def stream(
    n: int,
    scheme: str = "minibatch",
    *,
    batch_size: int = 32,
    order: str = "shuffled",
    passes: int = 1,
    y: Any = None,
    seed: int = 0,
) -> Iterator[Batch]:
    """The positions of n rows, batch by batch: one row, `batch_size` rows or all at once.

    "shuffled" deals a new permutation every pass, "with_replacement" draws n rows a pass; "file"
    and "sorted" by y, shape (n,), are there to show what order does to learning. Every pass but
    one with replacement has each row once; its last batch may be short. Raises DataError for a
    sorted stream without y, ParamError for unknown settings.
    """
    _check(n, scheme, batch_size, order, passes)
    by = None if y is None else np.asarray(y)
    if by is not None:
        checks.same_length(by, n, "A stream", "target values")
    if order == "sorted" and by is None:
        raise DataError("A stream sorted by the target needs a target; give y or another order.")
    size = {"online": 1, "minibatch": batch_size, "batch": n}[scheme]
    rng = random.generator(checks.seed(seed), "stream")
    return _batches(n, size, order, passes, by, rng)


def _check(n: int, scheme: str, batch_size: int, order: str, passes: int) -> None:
    if scheme not in SCHEMES or order not in ORDERS:
        raise ParamError(
            f"A stream has a scheme, {', '.join(SCHEMES)}, and an order, {', '.join(ORDERS)}; "
            f"got {scheme!r} and {order!r}."
        )
    if not all(checks.is_count(count) for count in (n, batch_size, passes)):
        raise ParamError(
            "A stream needs at least one row, one row a batch and one pass; got "
            f"{n}, {batch_size} and {passes}."
        )


def _batches(
    n: int, size: int, order: str, passes: int, y: np.ndarray | None, rng: np.random.Generator
) -> Iterator[Batch]:
    update = 0
    for epoch in range(1, passes + 1):
        rows = _pass(n, order, y, rng)
        for start in range(0, n, size):
            update += 1
            yield Batch(rows[start : start + size], update, epoch)


def _pass(n: int, order: str, y: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    if order == "shuffled":
        return rng.permutation(n)
    if order == "with_replacement":
        return rng.integers(0, n, n)
    return np.arange(n) if order == "file" or y is None else np.argsort(y, kind="stable")
