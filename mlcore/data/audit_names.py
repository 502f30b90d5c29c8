"""Columns of very many names: what they would become, and what of it can be learned from."""

from __future__ import annotations

import numpy as np

from mlcore.data.findings import NOTE, Finding
from mlcore.data.table import ColumnData
from mlcore.spine.wording import count

TITLE = "Many different names"
MOST_COLUMNS = 20  # that the commonest names become
LEAST_ROWS = 10  # with a name of which something can be learned


def many_levels(c: ColumnData) -> Finding:
    """What to say of a column of more names than are one-hot encoded."""
    counts = np.array(c.summary.counts)
    used, n_rows = len(counts), int(counts.sum())
    sentence = (
        f"Column {c.name!r} has {count(used, 'different name')} in {count(n_rows, 'row')}. One-hot "
        "encoded, each would be a column; unless you say otherwise, it is left out."
    )
    least, kept = common_levels(counts)
    if not kept:
        sentence += " Hardly any name repeats, so there is little to learn from them."
        return Finding(NOTE, c.name, TITLE, sentence, ("role", c.name, "ignore"))
    sentence += (
        f" With the names in fewer than {count(least, 'row')} together in one column, it becomes "
        f"{kept + 1}."
    )
    return Finding(NOTE, c.name, TITLE, sentence, ("together", c.name, str(least)))


def common_levels(counts: np.ndarray) -> tuple[int, int]:
    """Rows that a common name has at least, and how many of the names are common: at most 20.

    `counts` are the rows of each name, shape (levels,).
    """
    ranked = np.sort(counts)[::-1]
    least = max(LEAST_ROWS, int(ranked[MOST_COLUMNS]) + 1 if len(ranked) > MOST_COLUMNS else 0)
    return least, int((counts >= least).sum())
