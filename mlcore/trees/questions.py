"""What the nodes of a tree ask, in words; stands apart from the compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.fit import Column

MINUTES = 24 * 60  # of a day
LARGE, LONGEST = 1e4, 1e15  # amounts from which on all digits are written, and none any more


def question(
    tree: Any,
    columns: tuple[Column, ...],
    node: int,
    cut: float | None = None,
    *,
    is_date: bool = False,
) -> str:
    """What a node asks, answered by yes on the left: "width ≤ 2.45".

    `cut` is the cut in other units than those of the tree, if it is to be said in them; `is_date`
    says that these are days since 1970.
    """
    column = columns[tree.feature[node]]
    if tree.n_levels[tree.feature[node]]:
        inside = tree.goes_left(node)
        named = [level for level, goes in zip(column.levels, inside, strict=True) if goes]
        if len(named) > len(column.levels) / 2:
            others = [n for n, goes in zip(column.levels, inside, strict=True) if not goes]
            return f"{column.name} not {' or '.join(others)}" if others else f"{column.name} known"
        return f"{column.name} {' or '.join(named)}" if named else f"{column.name} missing"
    cut = float(tree.cut[node]) if cut is None else cut
    if np.isinf(cut):
        return f"{column.name} known"
    if column.kind == "binary" and column.variable != column.name and 0 <= cut < 1:
        return f"not {column.name}"  # a column of 0 and 1 made of a level
    return f"{column.name} ≤ {_date(cut) if is_date else _amount(cut)}"


def _date(days: float) -> str:
    """A cut between dates, in days since 1970; in the middle between two days the first."""
    if days - np.floor(days) in (0.0, 0.5):
        return str(np.datetime64(int(np.floor(days)), "D"))
    return str(np.datetime64(round(days * MINUTES), "m")).replace("T", " ")


def _amount(cut: float) -> str:
    """A cut between numbers; no large one has an exponent."""
    return f"{cut:.4g}" if abs(cut) < LARGE or abs(cut) >= LONGEST else f"{cut:.0f}"
