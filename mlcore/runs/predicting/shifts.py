"""How far new rows are distributed otherwise than the rows that a model learned from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, kolmogorov

from mlcore.data.dataset import Dataset
from mlcore.evaluation.comparing.holm import holm
from mlcore.preparation.step import holds_text
from mlcore.runs.predicting.matching import Matching
from mlcore.spine.fit import Column

MOST_ROWS = 10_000  # of either table that are compared
EXPECTED = 5.0  # rows of a level in either table, below which it joins the others (Cochran 1954)
SURE = 0.05  # below it a column is called changed, corrected for their number


class Shift(NamedTuple):
    """One variable in both tables."""

    column: Column
    distance: float  # 0 where both are the same, 1 where they have nothing in common
    p: float  # that chance alone parts them as far, corrected for the number of columns
    before: float  # median, or the share of `level`, of the rows learned from
    now: float  # the same of the new rows
    level: str  # of names the one whose share changed most

    @property
    def is_sure(self) -> bool:
        """Whether chance is no likely reason."""
        return self.p < SURE


def shifts(matching: Matching, dataset: Dataset) -> tuple[Shift, ...]:
    """The variables that both tables have, the farthest apart first.

    Cells that were filled, and that nobody knows, are left out. p-values by Kolmogorov and Smirnov
    for numbers, by chi-square for names, together by Holm.
    """
    filled = {flag.column: flag.rows for flag in matching.flags if flag.what == "filled"}
    shared = {match.name for match in matching.matches if match.source}
    both = []
    for j, column in enumerate(dataset.columns):
        if column.name not in shared or holds_text(column):
            continue
        new = np.array(matching.rows.column(column.name).values, dtype=np.float64)
        new[filled.get(column.name, np.empty(0, dtype=np.int64))] = np.nan
        old, new = _some(dataset.X[:, j]), _some(new)
        if len(old) and len(new):
            both.append(_of_names(column, old, new) if column.levels else
                        _of_numbers(column, old, new))  # fmt: skip
    p = holm([one.p for one in both])
    corrected = [one._replace(p=float(q)) for one, q in zip(both, p, strict=True)]
    return tuple(sorted(corrected, key=lambda one: -one.distance))


def _some(values: np.ndarray) -> np.ndarray:
    """The known values, evenly chosen where there are many."""
    known = values[~np.isnan(values)]
    at = np.linspace(0, len(known) - 1, min(len(known), MOST_ROWS)).round().astype(int)
    return known[at]


def _of_numbers(column: Column, old: np.ndarray, new: np.ndarray) -> Shift:
    """The largest distance of the two distribution functions (Smirnov 1939)."""
    values = np.concatenate([old, new])
    below = [
        np.searchsorted(np.sort(each), values, side="right") / len(each) for each in (old, new)
    ]
    distance = float(np.abs(below[0] - below[1]).max())
    rows = len(old) * len(new) / (len(old) + len(new))
    p = float(kolmogorov(np.sqrt(rows) * distance))
    return Shift(column, distance, p, float(np.median(old)), float(np.median(new)), "")


def _of_names(column: Column, old: np.ndarray, new: np.ndarray) -> Shift:
    """Half the sum of the differences of the shares of the levels."""
    counts = np.stack([np.bincount(each.astype(np.int64), minlength=len(column.levels))
                       for each in (old, new)])  # fmt: skip
    shares = counts / counts.sum(axis=1, keepdims=True)
    at = int(np.abs(shares[1] - shares[0]).argmax())
    distance = float(np.abs(shares[1] - shares[0]).sum() / 2)
    return Shift(column, distance, _chi_square(counts), float(shares[0, at]),
                 float(shares[1, at]), column.levels[at])  # fmt: skip


def _chi_square(counts: np.ndarray) -> float:
    """Whether two rows of counts, (2, K), have the same shares; rare levels count as one."""
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    is_rare = (expected < EXPECTED).any(axis=0)
    joined = np.column_stack([counts[:, ~is_rare], counts[:, is_rare].sum(axis=1)])
    joined = joined[:, joined.sum(axis=0) > 0]
    if joined.shape[1] < 2:
        return 1.0
    expected = joined.sum(axis=1, keepdims=True) * joined.sum(axis=0) / joined.sum()
    return float(chdtrc(joined.shape[1] - 1, ((joined - expected) ** 2 / expected).sum()))
