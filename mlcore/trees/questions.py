"""What the nodes of a tree ask, in words; stands apart from the compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.fit import Column


def question(tree: Any, columns: tuple[Column, ...], node: int, cut: float | None = None) -> str:
    """What a node asks, answered by yes on the left: "width ≤ 2.45".

    `cut` is the cut in other units than those of the tree, if it is to be said in them.
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
    return f"{column.name} ≤ {cut:.4g}"
