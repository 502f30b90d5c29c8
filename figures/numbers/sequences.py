"""The rows of a result as sequences: their names, places and what is decoded of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from figures.options import Offered, Values
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count

MOST_LISTED = 500  # sequences in a list to choose from


class Sequences(NamedTuple):
    """Prepared rows in sequences that lie one after the other."""

    X: np.ndarray  # (n, p) as the method gets them
    lengths: np.ndarray  # (k,)
    names: tuple[str, ...]  # (k,)

    @property
    def first(self) -> np.ndarray:
        """Where each begins, (k,)."""
        return np.cumsum(self.lengths) - self.lengths

    def span(self, k: int) -> slice:
        """The rows of sequence k."""
        return slice(int(self.first[k]), int(self.first[k] + self.lengths[k]))


def sequences_of(dataset: Dataset, whole: Whole) -> Sequences:
    """The rows of the data set as the fit sees them; one sequence where no column names them."""
    lengths = np.array([dataset.n]) if whole.lengths is None else np.asarray(whole.lengths)
    return Sequences(whole.prepared.transform(dataset.X), lengths, names_of(dataset))


def names_of(dataset: Dataset) -> tuple[str, ...]:
    """What the sequences of a data set are called, in their order."""
    if dataset.sequences is None:
        return ("all rows",)
    own = next(name for name, role in dataset.roles if role == "sequence")
    column = dataset.table.column(own)
    first = np.flatnonzero(np.diff(dataset.sequences, prepend=-1))
    values = column.values[dataset.rows[first]]
    return tuple(column.levels[int(v)] if column.levels else f"{column.name} {v:g}" for v in values)


def every_sequence(offered: Offered) -> Values:
    """The sequences to choose from, by number from 1; None is the first."""
    dataset: Any = offered.get("dataset")
    if dataset is None:
        return {}
    names = names_of(dataset)[:MOST_LISTED]
    return {None: names[0]} | {k + 1: name for k, name in enumerate(names) if k}


def every_column(offered: Offered) -> Values:
    """The columns that the method sees, by name; None is the first."""
    fit: Any = offered.get("fit")
    names = [column.name for column in fit.columns] if fit is not None else []
    return {None: names[0]} | {name: name for name in names[1:]} if names else {}


def column_at(columns: tuple[Any, ...], name: str | None) -> int:
    """The position of the column of this name, the first for None."""
    return 0 if name is None else [column.name for column in columns].index(name)


def in_sequences(sequences: Sequences) -> str:
    """For the note of a picture: how many sequences there are."""
    if len(sequences.lengths) == 1:
        return f"one sequence of {count(int(sequences.lengths[0]), 'row')}"
    return f"all {count(len(sequences.lengths), 'sequence')}"
