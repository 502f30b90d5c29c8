"""A table that is one sequence: it is cut into blocks, which are left out whole.

A method that learns sequences may meet a table in which no column names them, or names only one.
All rows are then one sequence. Rows left out one by one would tear it to pieces; blocks of
neighbours leave it whole but for their ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.splits import Splitter

BLOCKS = 20  # as many folds as anybody asks for, and few ends


class Together(NamedTuple):
    """What splits leave out together, (n,) codes or None for single rows, and what it is called."""

    codes: np.ndarray | None
    unit: str
    remark: str = ""


def together(method: Any, dataset: Dataset, splitter: Splitter) -> Together:
    """What stays together where rows are left out: as the data set says, or blocks."""
    if not is_one_sequence(method, dataset) or splitter.cuts_units:
        return Together(dataset.together, dataset.unit)
    n_blocks = min(BLOCKS, dataset.n)
    remark = (
        f"All rows are one sequence. It is cut into {n_blocks} blocks of neighbouring rows, which "
        "are left out whole; each is scored as if nothing were known of the rows before it."
    )
    return Together(np.arange(dataset.n) * n_blocks // dataset.n, "block", remark)


def is_one_sequence(method: Any, dataset: Dataset) -> bool:
    """Whether a method that learns sequences meets a table that names none, or one alone."""
    if "lengths" not in method.card.takes:
        return False
    if dataset.sequences is None:
        return dataset.together is None
    return bool((dataset.sequences == dataset.sequences[0]).all())


def in_order(rows: np.ndarray) -> np.ndarray:
    """The same rows of one sequence, (m,) positions, as they follow each other; then copies."""
    rows = np.sort(rows)
    copy = np.arange(len(rows)) - np.searchsorted(rows, rows)
    return rows[np.lexsort((rows, copy))]


def pieces(rows: np.ndarray) -> np.ndarray | None:
    """Lengths of what is left of one sequence in rows in its order, (m,) positions; None: one
    piece."""
    ends = np.flatnonzero(np.diff(rows) != 1) + 1
    return np.diff(ends, prepend=0, append=len(rows)) if len(ends) else None


def out_of_order(method: Any, dataset: Dataset) -> str | None:
    """Why rows without names of sequences cannot be taken for one, as a sentence, or None."""
    order = dataset.order
    if order is None or dataset.sequences is not None or not is_one_sequence(method, dataset):
        return None
    if not (order[1:] < order[:-1]).any():
        return None
    return (
        f"{method.title()} takes all rows for one sequence, but they do not lie in the order of "
        "the order column. Give the role sequence to a column that names the sequences, or has "
        "one value where there is one; its rows are put in order."
    )
