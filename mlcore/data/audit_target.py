"""What to look at in a target: missing values, classes, order of the rows, what gives it away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlcore.data import leaks, schema
from mlcore.data.findings import NOTE, STOP, WARNING, Finding, listed, percent, rows_text
from mlcore.data.row_order import order_of
from mlcore.data.table import ColumnData, Table
from mlcore.spine.wording import count

FEW_ROWS = 10
IMBALANCE = 10
ROWS_FOR_ORDER = 30


def of_target(table: Table, target: ColumnData) -> Iterator[Finding]:
    """What is to be said about predicting this column."""
    known = ~np.isnan(target.values)
    if not known.any():
        sentence = f"The target {target.name!r} has no value in any row. Choose another target."
        yield Finding(STOP, target.name, "No target values", sentence)
        return
    if not known.all():
        sentence = (
            f"{count(int((~known).sum()), 'row')} of {len(known):,} "
            f"{'has' if (~known).sum() == 1 else 'have'} no {target.name}: "
            f"{rows_text(np.flatnonzero(~known))}. They are never scored; methods that learn from "
            "rows without a target take them, the others leave them out."
        )
        yield Finding(NOTE, target.name, "Rows without target", sentence)
    is_classes = target.is_coded or schema.task(target).value == "classification"
    yield from _classes(target) if is_classes or target.kind == "constant" else ()
    yield from _row_order(target, is_classes)
    names = [c.name for c in table.columns if c.name != target.name and c.kind != "constant"]
    find = leaks.class_leaks if is_classes else leaks.number_leaks
    for leak in find(table, names, target):
        yield _leak(leak, target.name, table, is_classes)


def _classes(target: ColumnData) -> Iterator[Finding]:
    present = target.values[~np.isnan(target.values)]
    values, counts = np.unique(present, return_counts=True)
    names = [target.cell(int(np.flatnonzero(target.values == value)[0])) for value in values]
    if len(values) == 1:
        sentence = (
            f"Every row with a target has the class {names[0]}, so there is nothing to tell "
            "apart. Choose another target, or bring rows of other classes."
        )
        yield Finding(STOP, target.name, "One class only", sentence)
        return
    few = [f"{name} ({n})" for name, n in zip(names, counts, strict=True) if n < FEW_ROWS]
    if few:
        sentence = (
            f"{count(len(few), 'class', 'classes')} of {target.name!r} "
            f"{'has' if len(few) == 1 else 'have'} fewer than {FEW_ROWS} rows: {listed(few)}. "
            "Scores for them will be rough, and folds may lack them; only more rows of them help."
        )
        yield Finding(WARNING, target.name, "Few rows in a class", sentence)
    if counts.max() > IMBALANCE * counts.min():
        rare, common = int(np.argmin(counts)), int(np.argmax(counts))
        sentence = (
            f"Class {names[common]} has {counts[common]:,} rows and class {names[rare]} has "
            f"{counts[rare]:,}. Always saying {names[common]} is right in "
            f"{percent(counts[common] / counts.sum())} of the rows; look beyond accuracy, or "
            "balance the rows that are learned from."
        )
        fix = ("step", target.name, "balancer")
        yield Finding(WARNING, target.name, "Unequal classes", sentence, fix)


def _row_order(target: ColumnData, is_classes: bool) -> Iterator[Finding]:
    y = target.values[~np.isnan(target.values)]
    if len(y) < ROWS_FOR_ORDER or y.min() == y.max():
        return
    how = order_of(y, is_classes)
    if how == "sorted":
        sentence = (
            f"The rows are sorted by the target {target.name!r}: the row number gives it away. "
            "Shuffle before splitting, as the proposed folds do."
        )
        yield Finding(NOTE, target.name, "Sorted by target", sentence)
    elif how != "independent":
        sentence = (
            f"Neighbouring rows have like values of {target.name!r}, so they are not independent "
            "draws. If they follow time or groups, keep neighbours on one side of a split: give "
            "the column that says so the role order or group."
        )
        yield Finding(NOTE, target.name, "Rows in order", sentence)


def _leak(leak: leaks.Leak, target: str, table: Table, is_classes: bool) -> Finding:
    if is_classes:
        sampled = f" (judged on {leaks.SAMPLE:,} rows)" if table.n_rows > leaks.SAMPLE else ""
        sentence = (
            f"Column {leak.column!r} alone predicts {target} in {100 * leak.accuracy:.1f} % of the "
            f"rows{sampled}. Would it be known before {target} is?"
        )
    else:
        sentence = (
            f"Column {leak.column!r} determines {target} but for its scale. Would it be known "
            f"before {target} is?"
        )
    fix = ("role", leak.column, "ignore")
    return Finding(WARNING, leak.column, "Gives the target away?", sentence, fix)
