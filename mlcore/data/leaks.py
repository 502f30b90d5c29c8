"""Columns that leak the target: how well the best simple rule on one column predicts it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.data._kernels import best_rules
from mlcore.data.table import ColumnData, Table
from mlcore.maths.ranks import mean_ranks
from mlcore.spine import checks
from mlcore.spine.random import generator
from mlcore.spine.records import function

# A rule on one column that is right this often is rarely honest ...
SUSPICIOUS = 0.98
# ... if the best column that is less often right is this much worse, or the column only tells the
# row, or is another name of the class: at most this share of the errors is left of those without.
GAP = 0.1
LEFT = 0.2
MONOTONE_RANK = 0.999
PERMUTATIONS = 50
MAX_CLASSES = 20
SAMPLE = 1000


class Leak(NamedTuple):
    """A column that gives the target away. `chance` is the best of 50 shuffled targets."""

    column: str
    accuracy: float  # of the best rule, or the absolute rank correlation
    chance: float


class LeakScores(NamedTuple):
    """What each column alone says of the classes."""

    accuracy: np.ndarray  # (p,)
    chance: np.ndarray  # (p,) best of 50 shuffled targets
    suspicious: np.ndarray  # (p,) whether it gives the class away


def interval_accuracies(X: np.ndarray, codes: np.ndarray, k: int) -> np.ndarray:
    """Accuracy of the best rule of at most k intervals on each column of X, shape (p,).

    X has shape (n, p), codes shape (n,) or (n, p): classes 0..k-1. A dynamic programme over the
    sorted values, O(n log n + n k^2) a column.
    """
    n = len(X)
    order = np.argsort(X, axis=0, kind="stable")
    labels = np.take_along_axis(np.broadcast_to(codes.reshape(n, -1), X.shape), order, axis=0)
    border = _borders(np.take_along_axis(X, order, axis=0))
    return _best_rules(labels[..., None], border, k)[:, 0]


def _borders(values: np.ndarray) -> np.ndarray:
    """Where a border may lie between sorted values, (n, p): only between different ones, (n-1, p).

    Missing values, sorted last, count as equal.
    """
    return (values[1:] != values[:-1]) & ~(np.isnan(values[1:]) & np.isnan(values[:-1]))


def _best_rules(labels: np.ndarray, border: np.ndarray, k: int) -> np.ndarray:
    """Accuracies of the best rules on p columns for several targets each, shape (p, times).

    `labels` has the classes in the order of the values, shape (n, p or 1, times).
    """
    correct = np.zeros((border.shape[1], labels.shape[2]), dtype=np.int64)
    classes = np.ascontiguousarray(labels.transpose(1, 2, 0), dtype=np.int64)
    best_rules(classes, np.ascontiguousarray(border.T), k, correct)
    return correct / len(labels)


def majority_accuracy(values: np.ndarray, codes: np.ndarray, k: int) -> float:
    """Accuracy of the majority class among the other rows of a level, for codes 0..k-1.

    `values` and `codes` have the shape (n,); a missing value is a level of its own.
    """
    levels = np.unique(np.where(np.isnan(values), -1.0, values), return_inverse=True)[1]
    counts = np.zeros((levels.max() + 1, k))
    np.add.at(counts, (levels, codes), 1.0)
    others = counts[levels]
    others[np.arange(len(codes)), codes] -= 1
    # A row alone in its level is judged by the rest of the table.
    total = np.bincount(codes, minlength=k) - np.eye(k)[codes]
    votes = np.where(others.any(axis=1, keepdims=True), others, total)
    return float((votes.argmax(axis=1) == codes).mean())


@function("leak_scores", title="Leakage scores", sources=("cs1:leak_detector",))
def leak_scores(X: Any, y: Any, seed: int = 0) -> LeakScores:
    """How well each column of X, shape (n, p), alone tells the K classes y, shape (n,).

    By the best rule of at most K intervals, beside the best on 50 shuffled targets.
    A column is suspicious if its rule is right in more than 98 % of the rows and more often than on
    shuffled targets, and if besides the best of those that are right less often is worse by 0.1, or
    it has at most K values, or it rises or falls with the row number.
    """
    X = checks.matrix(X, "A search for leaks")
    codes, classes = checks.classes(y, len(X), "A search for leaks")
    checks.two_classes(classes, "A search for leaks")
    scores = interval_accuracies(X, codes, len(classes))
    rng = generator(checks.seed(seed), "shuffled targets")
    shuffled = np.column_stack([rng.permutation(codes) for _ in range(PERMUTATIONS)])
    chance = _best_by_chance(X, shuffled, len(classes))
    base = np.bincount(codes).max() / len(codes)
    steps = np.diff(X, axis=0)
    tells_row = np.logical_or((steps > 0).all(axis=0), (steps < 0).all(axis=0))
    has_few = np.array([len(np.unique(x)) <= len(classes) for x in X.T])
    suspicious = _stand_out(scores, float(base), tells_row, has_few) & (scores > chance)
    return LeakScores(scores, chance, suspicious)


def _stand_out(
    scores: np.ndarray, base: float, tells_row: np.ndarray, has_few: np.ndarray
) -> np.ndarray:
    """Which columns, (p,), are right too often to be honest, beside `base`, the commonest class.

    They are compared with those that are right less often: two leaks would hide each other. Where
    all columns are right, as on classes that lie far apart, that says nothing against any of them.
    """
    is_sure = scores > SUSPICIOUS
    others = scores[~is_sure]
    is_alone = scores - max([base, *others]) > GAP
    if not len(others) and len(scores) > 1:
        is_alone[:] = False
    renames = has_few & (1 - scores <= LEFT * (1 - base))
    return is_sure & (tells_row | renames | is_alone)


def class_leaks(table: Table, names: list[str], target: ColumnData) -> list[Leak]:
    """The columns, of those named, whose best rule alone gives the classes away."""
    rows = _sample(~np.isnan(target.values))
    classes, codes = np.unique(target.values[rows], return_inverse=True)
    k = len(classes)
    if not 2 <= k <= MAX_CLASSES or not names:
        return []
    columns = [table.column(name) for name in names]
    scores = _scores(columns, rows, codes, k)
    base = float(np.bincount(codes).max() / len(codes))
    tells_row = np.array([_is_row_number(column) for column in columns])
    has_few = np.array([_n_values(column.values[rows]) <= k for column in columns])
    leaks = []
    for at in np.flatnonzero(_stand_out(scores, base, tells_row, has_few)):
        chance = _chance(columns[at], rows, codes, k)
        if scores[at] > chance:
            leaks.append(Leak(columns[at].name, float(scores[at]), chance))
    return leaks


def _n_values(values: np.ndarray) -> int:
    """Different values, (n,); those that are missing count as one."""
    return len(np.unique(values))


def _sample(usable: np.ndarray) -> np.ndarray:
    """At most 1000 of the usable rows, in order."""
    rows = np.flatnonzero(usable)
    if len(rows) <= SAMPLE:
        return rows
    return np.sort(generator(0, "leaks").choice(rows, SAMPLE, replace=False))


def _is_ordered(column: ColumnData) -> bool:
    """Whether intervals of its values mean something; identifiers are cut in their own order."""
    return column.kind in ("number", "count", "datetime", "ordinal", "identifier")


def _scores(columns: list[ColumnData], rows: np.ndarray, codes: np.ndarray, k: int) -> np.ndarray:
    ordered = [at for at, c in enumerate(columns) if _is_ordered(c)]
    scores = np.empty(len(columns))
    if ordered:
        X = np.column_stack([columns[at].values[rows] for at in ordered])
        scores[ordered] = interval_accuracies(X, codes, k)
    for at, column in enumerate(columns):
        if not _is_ordered(column):
            scores[at] = majority_accuracy(column.values[rows], codes, k)
    return scores


def _is_row_number(column: ColumnData) -> bool:
    """Whether it is an identifier or rises or falls with the row number."""
    return column.kind == "identifier" or column.is_rising


def _chance(column: ColumnData, rows: np.ndarray, codes: np.ndarray, k: int) -> float:
    """The best score under 50 shuffled targets: with few rows, chance separates too."""
    rng = generator(0, "shuffled targets")
    shuffled = np.column_stack([rng.permutation(codes) for _ in range(PERMUTATIONS)])
    values = column.values[rows]
    if _is_ordered(column):
        return float(_best_by_chance(values[:, None], shuffled, k)[0])
    return max(majority_accuracy(values, target, k) for target in shuffled.T)


def _best_by_chance(X: np.ndarray, shuffled: np.ndarray, k: int) -> np.ndarray:
    """The best accuracy of intervals on each column, (n, p), of any shuffled target, (n, times).

    A shuffled target is as good in any order of the rows, so that a column matters by its ties
    alone, and columns with equal ones are asked once.
    """
    ties, which = np.unique(_borders(np.sort(X, axis=0)), axis=1, return_inverse=True)
    return _best_rules(shuffled[:, None], ties, k).max(axis=1)[which]


def number_leaks(table: Table, names: list[str], target: ColumnData) -> list[Leak]:
    """The columns that order the rows as the target does, or of which it is a function."""
    rows = _sample(~np.isnan(target.values))
    y = target.values[rows]
    leaks = []
    for name in names:
        x = table.column(name).values[rows]
        both = ~np.isnan(x)
        if both.sum() < len(rows) / 2 or both.sum() < 10:
            continue
        rank = abs(_rank_correlation(x[both], y[both]))
        if rank > MONOTONE_RANK or _determines(x[both], y[both]):
            leaks.append(Leak(name, max(rank, 0.0), 0.0))
    return leaks


def _rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    ranks = [mean_ranks(v) for v in (x, y)]
    centred = [r - r.mean() for r in ranks]
    scale = np.sqrt(np.prod([r @ r for r in centred]))
    return float(centred[0] @ centred[1] / scale) if scale else 0.0


def _determines(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether equal x always has equal y, in groups of two rows and more on average."""
    _, group = np.unique(x, return_inverse=True)
    if 2 * (group.max() + 1) > len(x) or len(np.unique(y)) <= 2:
        return False
    low, high = np.full(group.max() + 1, np.inf), np.full(group.max() + 1, -np.inf)
    np.minimum.at(low, group, y)
    np.maximum.at(high, group, y)
    return bool((low == high).all())
