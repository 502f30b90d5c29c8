"""Variables with missing values: how relevant they are, and how far a missing value is from others.

n is the number of rows, K of classes of which a missing value is likely; one where the target is a
quantity.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.preparation.selection.judge import Variables
from mlcore.spine.method import Given

FEW_ROWS = 10  # with a value: what so few say of a target by chance may be all that there is to say


def known_rows(X: np.ndarray) -> np.ndarray:
    """Which rows of a variable X, shape (n, q), have a value, shape (n,)."""
    return np.logical_and.reduce(~np.isnan(X), axis=1)


def judged(relevance: Any, given: Given, variables: Variables) -> tuple[np.ndarray, float]:
    """The relevance of d variables, shape (d,), and the level that chance reaches.

    A relevance that does not bear missing values judges each variable on the rows that have its
    value; the level is then the largest of those for such rows. A variable whose rows have no two
    values of the target has 0, as has one of which hardly a row has a value.
    """
    if not np.isnan(given.X).any():
        return relevance.of(given, variables), relevance.by_chance(given)
    known = [known_rows(given.X[:, at]) for at in variables.blocks]
    least = max(relevance.least_rows, min(FEW_ROWS, given.n // 2))
    enough = np.array([rows.all() or rows.sum() >= least for rows in known])
    values, level = np.zeros(len(variables)), float("nan")
    if enough.any():
        at = variables.columns(enough)
        columns = tuple(given.columns[j] for j in at)
        some = replace(given, X=given.X[:, at], columns=columns)
        of_known = [rows for rows, is_enough in zip(known, enough, strict=True) if is_enough]
        values[enough], level = _of_enough(relevance, some, Variables.of(columns), of_known)
    return values, level


def _of_enough(
    relevance: Any, given: Given, variables: Variables, known: list[np.ndarray]
) -> tuple[np.ndarray, float]:
    """The same of variables that have values enough; `known` are the rows of each, (n,)."""
    if relevance.bears_missing:
        return relevance.of(given, variables), relevance.by_chance(given)
    alike: dict[bytes, list[int]] = {}
    for v, rows in enumerate(known):
        alike.setdefault(np.packbits(rows).tobytes(), []).append(v)
    values, levels = np.zeros(len(variables)), [float("nan")]
    for some in alike.values():
        part = _part(given, known[some[0]], np.concatenate([variables.blocks[v] for v in some]))
        if part is not None:
            values[some] = relevance.of(part, Variables.of(part.columns))
            levels.append(relevance.by_chance(part))
    return values, float(np.fmax.reduce(levels))


def _part(given: Given, rows: np.ndarray, at: np.ndarray) -> Given | None:
    """Some rows and columns of what is given; None where their targets are all the same."""
    y, classes = given.target[rows], given.classes
    if not len(y) or (y == y[0]).all():
        return None
    if classes is not None:
        present, y = np.unique(y, return_inverse=True)
        classes = classes[present]
    columns = tuple(given.columns[j] for j in at)
    return replace(given, X=given.X[np.ix_(rows, at)], y=y, classes=classes, columns=columns)


class Gap(NamedTuple):
    """How far a missing value of a variable is expected to be from others, given its class.

    Kononenko (1994): 1 - P(the other value | class) for levels, and 1 - the probability that two
    values of their classes are equal where both are missing. That is the expected difference, which
    is taken for numbers too.
    """

    is_missing: np.ndarray  # (n,)
    classes: np.ndarray  # (n,) codes 0 .. K - 1
    from_known: np.ndarray  # (K, n) of a missing value of class k from that of each row
    between: np.ndarray  # (K, K) of two missing values of these classes

    @classmethod
    def of(cls, values: np.ndarray, classes: np.ndarray, *, has_levels: bool) -> Gap:
        """Of values of shape (n,), NaN where missing, and codes of classes, shape (n,).

        A class of which no row has a value is taken for like all others.
        """
        known = ~np.isnan(values)
        own = [known & (classes == k) for k in range(int(classes.max()) + 1)]
        own = [rows if rows.any() else known for rows in own]
        expected = _equal if has_levels else _apart
        from_known = np.array([expected(values[rows], values) for rows in own])
        if not known.any():
            return cls(~known, classes, np.zeros_like(from_known), np.zeros((len(own), len(own))))
        between = np.array([from_known[:, rows].mean(axis=1) for rows in own]).T
        return cls(~known, classes, from_known, between)

    def filled(self, away: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Differences between rows i and j, all three of one shape, with what is expected where a
        value is missing."""
        one, other = self.is_missing[i], self.is_missing[j]
        a, b = self.classes[i], self.classes[j]
        away = np.where(one, self.from_known[a, j], np.where(other, self.from_known[b, i], away))
        return np.where(one & other, self.between[a, b], away)


def _equal(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The share of other levels among the known ones than each of the values, shape (n,)."""
    levels, counts = np.unique(known, return_counts=True)
    same = (values[:, None] == levels) @ counts
    return 1.0 - same / max(len(known), 1)


def _apart(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The mean distance of each of the values from the known numbers, shape (n,)."""
    ranked = np.sort(known)
    below = np.concatenate([[0.0], np.cumsum(ranked)])
    at, m = np.searchsorted(ranked, values), len(ranked)
    return (values * (2 * at - m) + below[m] - 2 * below[at]) / max(m, 1)
