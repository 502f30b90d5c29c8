"""Rows cut once into two or three parts: to learn from, to choose by, to test on."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine import checks, random
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

WHO = "A split of rows"
THIRDS = (2 / 3, 1 / 3)  # to learn from, and to test on


@function(
    "split_rows",
    sources=(
        "epfl:split_two_way", "epfl:split_three_way", "cs1:train_test", "cs1:validation_split",
        "mi2:test_set_method", "prac:holdout_split", "s841:three_way_split",
        "s841:holdout_validation",
    ),
)  # fmt: skip
def split_rows(
    n: int,
    fractions: tuple[float, ...] = THIRDS,
    *,
    stratify: Any = None,
    groups: Any = None,
    order: Any = None,
    seed: int = 0,
) -> tuple[np.ndarray, ...]:
    """Positions of the rows of each part, rising: disjoint, together all n rows, none empty.

    `fractions` sum to 1. `stratify`, shape (n,), holds classes of which every part gets its share
    but for less than one row; `groups` what stays in one part, the largest dealt first; `order` a
    time by which the parts follow one another, shapes (n,). Raises ParamError for more than one of
    the three, DataError if a part would be empty.
    """
    shares = _shares(n, fractions)
    criteria = [v for v in (stratify, groups, order) if v is not None]
    if len(criteria) > 1:
        raise ParamError(f"{WHO} keeps either classes, groups or an order; give one of them.")
    for values in criteria:
        checks.same_length(values, n, WHO, "values")
    rng = random.generator(checks.seed(seed), "split rows")
    if groups is not None:
        part_of = _of_groups(np.unique(groups, return_inverse=True)[1], shares, rng)
    elif order is not None:
        part_of = np.empty(n, dtype=int)
        part_of[np.argsort(order, kind="stable")] = np.repeat(
            np.arange(len(shares)), _quotas(np.array([n]), shares)[0]
        )
    else:
        classes = (
            np.zeros(n, int) if stratify is None else np.unique(stratify, return_inverse=True)[1]
        )
        part_of = _of_classes(classes, shares, rng)
    parts = tuple(np.flatnonzero(part_of == at) for at in range(len(shares)))
    if not all(len(part) for part in parts):
        raise DataError(f"{WHO} leaves a part empty with {n} rows. Use more rows or larger parts.")
    return parts


def _shares(n: int, fractions: tuple[float, ...]) -> np.ndarray:
    shares = np.asarray(fractions, dtype=float)
    if shares.ndim != 1 or len(shares) < 2 or not (shares > 0).all():
        raise ParamError(f"{WHO} needs two fractions or more, all above 0; got {fractions}.")
    if abs(shares.sum() - 1.0) > 1e-9:
        raise ParamError(f"{WHO} needs fractions that sum to 1; these sum to {shares.sum():.6g}.")
    if n < len(shares):
        raise DataError(f"{WHO} in {len(shares)} parts needs as many rows; got {n}. Add rows.")
    return shares


def _quotas(sizes: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Rows of each class in each part, shape (K, parts), each its share rounded up or down.

    What a class must round goes to the parts that are furthest behind so far.
    """
    behind, quotas = np.zeros(len(shares)), []
    for size in sizes:
        fair = size * shares
        quota = np.floor(fair + 1e-9).astype(int)
        behind += fair - quota
        # A part whose share is whole gets no row beyond it.
        next_parts = np.lexsort((-behind, fair - quota <= 1e-9))[: size - quota.sum()]
        quota[next_parts] += 1
        behind[next_parts] -= 1
        quotas.append(quota)
    return np.array(quotas)


def _of_classes(codes: np.ndarray, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    part_of = np.empty(len(codes), dtype=int)
    for code, quota in enumerate(_quotas(np.bincount(codes), shares)):
        part_of[codes == code] = rng.permutation(np.repeat(np.arange(len(shares)), quota))
    return part_of


def _of_groups(codes: np.ndarray, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each group, the largest first, to the part that lacks most; none stays without a group."""
    sizes = np.bincount(codes)
    if len(sizes) < len(shares):
        raise DataError(
            f"{WHO} in {len(shares)} parts needs as many groups; there are {len(sizes)}."
        )
    order = rng.permutation(len(sizes))
    lacks, part_of = shares * len(codes), np.full(len(sizes), -1)
    for left, group in zip(
        range(len(sizes), 0, -1), order[np.argsort(-sizes[order], kind="stable")]
    ):
        empty = ~np.isin(np.arange(len(shares)), part_of)
        must = empty if left <= empty.sum() else np.ones(len(shares), dtype=bool)
        part_of[group] = np.where(must, lacks, -np.inf).argmax()
        lacks[part_of[group]] -= sizes[group]
    return part_of[codes]
