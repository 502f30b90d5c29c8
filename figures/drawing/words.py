"""What the notes of pictures say of their rows: how many are drawn, what was fitted to them."""

from __future__ import annotations

import numpy as np

from figures.numbers.sampled import drawn_rows
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, spaced


def drawn_of(drawn: int, n: int) -> str:
    """How many of n rows a picture shows: `90 rows`, `20 000 of 1 000 000 rows, at random`."""
    return count(n, "row") if drawn == n else f"{spaced(drawn)} of {count(n, 'row')}, at random"


def selects(n: int) -> str:
    """For the note of a picture that counts all n rows: that a click selects among some of them."""
    drawn = len(drawn_rows(n))
    return "" if drawn == n else f"; a click selects among {spaced(drawn)} of them, at random"


def fitted_on(dataset: Dataset, whole: Whole | None) -> str:
    """What a fit to all rows was made of, for the note of its picture."""
    rows = None if whole is None else whole.prepared.rows
    if rows is None:
        return f"fitted on all {count(dataset.n, 'row')}"
    used = len(np.unique(rows))
    if used == len(rows):
        return f"fitted on {spaced(used)} of {count(dataset.n, 'row')}"
    source = (
        f"all {spaced(used)}" if used == dataset.n else f"{spaced(used)} of {spaced(dataset.n)}"
    )
    return f"fitted on {count(len(rows), 'row')} made from {source}"
