"""The measures of fairness between the groups of one column, on rows left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.slices.fairness import (
    Rate,
    fairness_rates,
    four_fifths,
    implied_false_positive_rate,
    mean_rate,
)
from mlcore.runs.explaining.left_out import (
    FoldLeftOut,
    LeftOut,
    OfLeftOut,
    factor_of,
    groupable,
    grouping_column,
    left_out,
)
from mlcore.runs.explaining.slices import SlicesQuestion
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import as_in, column, text


class Conflict(NamedTuple):
    """What the base rates of the groups allow together."""

    groups: tuple[str, str]  # with the lowest and the highest base rate
    base_rates: np.ndarray  # (2,)
    precision: float  # of all rows; NaN where nothing is selected
    recall: float
    implied: np.ndarray  # (2,) false positive rates if both groups had these; NaN undefined


class GroupRates(NamedTuple):
    """The rates of each group; one smaller than the smallest is not compared."""

    column: str
    is_variable: bool  # whether the method learns from the column
    positive: str  # the class that is selected; "" for a quantity
    groups: tuple[str, ...]  # (G,)
    n: np.ndarray  # (G,)
    reference: int  # the largest
    rates: tuple[Rate, ...]  # none where fewer than two groups are large enough
    four_fifths: float  # NaN for a quantity
    conflict: Conflict | None  # None for a quantity
    smallest: int
    too_small: tuple[str, ...]


@enter(Card("fairness", "Fairness", ("question",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class FairnessQuestion(OfLeftOut):
    """Are the groups of a protected column treated alike?

    Of classes: selection rate (demographic parity), true positive rate (equal opportunity), with
    the false positive rate equalised odds, precision (predictive parity) and calibration, each by
    group with interval, and its difference from the largest group. Of quantities: mean error and
    RMSE. The column need not be a variable: leaving it out of a model does not make the model fair.
    """

    protected: str | None = column("auto", auto="auto", doc="The protected column.")
    positive: str = text(
        "", label="Selected class", doc="The class that counts as selected; the second if empty."
    )
    smallest: int = as_in(SlicesQuestion, "smallest")
    bins: int = as_in(SlicesQuestion, "bins")

    def column_of(self, dataset: Dataset) -> str:
        """The column of the groups. Raises DataError where the table has none such."""
        names = groupable(dataset)
        if not names:
            raise DataError(f"{dataset.name} has no column by which rows can be grouped.")
        return names[0] if self.protected in (None, "auto") else str(self.protected)

    def check(self, dataset: Dataset) -> None:
        """Refuse a column that gives no groups, and a class that there is not."""
        grouping_column(dataset, self.column_of(dataset))
        if self.positive and self.positive not in dataset.classes:
            known = ", ".join(dataset.classes[:8]) or "none, for a quantity"
            raise DataError(f"There is no class {self.positive!r}; there are {known}.")

    def joined(self, answers: Sequence[FoldLeftOut], dataset: Dataset) -> GroupRates:
        """The rates in each group that is large enough."""
        it, name = left_out(answers, dataset), self.column_of(dataset)
        factor = factor_of(dataset, name, it.rows, self.bins)
        n = np.bincount(factor.codes)
        kept = np.flatnonzero(n >= self.smallest)
        place = np.full(len(n), -1)
        place[kept] = np.arange(len(kept))
        codes = place[factor.codes]
        groups, positive = tuple(factor.levels[k] for k in kept), self._positive(dataset)
        rates = self._rates(it, codes, positive) if len(kept) > 1 else ()
        is_class = bool(rates) and positive >= 0
        ratio = _four_fifths(rates) if is_class else math.nan
        return GroupRates(
            name, name in [c.name for c in dataset.columns],
            dataset.classes[positive] if dataset.classes else "", groups, n[kept],
            int(n[kept].argmax()) if len(kept) else 0, rates, ratio,
            _conflict(groups, rates) if is_class else None,
            self.smallest, tuple(level for k, level in enumerate(factor.levels) if k not in kept),
        )  # fmt: skip

    def _positive(self, dataset: Dataset) -> int:
        """The position of the class that is selected, -1 for a quantity."""
        if not dataset.classes:
            return -1
        if self.positive:
            return dataset.classes.index(self.positive)
        return min(1, len(dataset.classes) - 1)

    def _rates(self, it: LeftOut, codes: np.ndarray, positive: int) -> tuple[Rate, ...]:
        among = codes >= 0
        if positive < 0:
            error = it.predictions - it.truth
            mean, squares = it.a_row(error)[among], it.a_row(error**2)[among]
            return (
                mean_rate("mean_error", "Mean error", "equal bias", mean, codes[among]),
                mean_rate("rmse", "RMSE", "equal error", squares, codes[among], is_root=True),
            )
        given = None if it.probabilities is None else it.a_row(it.probabilities[:, positive])[among]
        is_positive = it.a_row(it.truth == positive)[among]
        is_selected = it.a_row(it.predictions == positive)[among]
        return fairness_rates(is_positive, is_selected, codes[among], given)

    def about(self) -> str:
        """With the column."""
        return "fairness" if self.protected in (None, "auto") else f"fairness by {self.protected}"


def _four_fifths(rates: tuple[Rate, ...]) -> float:
    return four_fifths(next(r.value for r in rates if r.name == "selection_rate"))


def _conflict(groups: tuple[str, ...], rates: tuple[Rate, ...]) -> Conflict:
    """Between the groups with the lowest and the highest base rate."""
    base, _, recall, _, precision, *_ = rates
    q, r = (_of_all(rate) for rate in (precision, recall))
    two = [int(base.value.argmin()), int(base.value.argmax())]
    implied = implied_false_positive_rate(base.value[two], q, r)
    return Conflict((groups[two[0]], groups[two[1]]), base.value[two], q, r, implied)


def _of_all(rate: Rate) -> float:
    """A share of the rows of all groups; NaN where it counts none."""
    known = rate.n > 0
    return float(np.average(rate.value[known], weights=rate.n[known])) if known.any() else math.nan
