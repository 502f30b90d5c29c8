"""The effect of a variable: how the predictions for rows left out change with its value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.effects import (
    LocalEffects,
    accumulated,
    edges_of,
    grid_of,
    individual_curves,
    local_effects,
    near_a_row,
    pair_dependence,
)
from mlcore.evaluation.splits import Split
from mlcore.runs.explaining.model import Model, outputs_of, position_of, some_left_out
from mlcore.runs.explaining.question import Question
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.params import column, integer

PAIR_POINTS = 15  # values of each variable of a pair
MOST_LEVELS = 60  # of a variable of names


class FoldEffect(NamedTuple):
    """What the model of one fold says of the rows that it left out."""

    k: int
    rows: np.ndarray  # (m,) positions in the data set
    curves: np.ndarray  # (m, G, K)
    local: LocalEffects | None  # None for a variable without an order
    pair: np.ndarray | None  # (G, H, K) means of these rows


class Effects(NamedTuple):
    """How predictions change with a variable, on rows that the models had not seen."""

    variable: Column
    outputs: tuple[str, ...]  # (K,)
    grid: np.ndarray  # (G,) values, or codes of the levels
    rows: np.ndarray  # (m,) positions in the data set
    folds: np.ndarray  # (m,) the fold that left the row out, from 1
    curves: np.ndarray  # (m, G, K) one a row: its prediction with each value
    mean: np.ndarray  # (G, K)
    near: np.ndarray  # (G,) bool: whether any row of the data set has such a value
    edges: np.ndarray  # (E,) of the intervals of the accumulated effects; empty without an order
    accumulated: np.ndarray  # (E, K) mean 0 over the rows
    values: np.ndarray  # (n,) of all rows of the data set
    second: Column | None
    second_grid: np.ndarray  # (H,)
    pair: np.ndarray | None  # (G', H, K) mean predictions for pairs of values
    pair_grid: np.ndarray  # (G',) values of the first variable of the pair
    second_values: np.ndarray  # (n,)


@enter(
    Card(
        "effect",
        "Effect of a variable",
        ("question",),
        kind="part",
        peer="sklearn.inspection.partial_dependence",
    )
)
@dataclass(frozen=True, kw_only=True)
class Effect(Question):
    """How do the predictions change with this variable?

    Every row gets each value of a grid, and the model that left it out predicts: a curve a row;
    their mean is the partial dependence. Accumulated effects move each row within its own interval
    alone, and stay right where variables hang together.
    """

    variable: str | None = column("auto", auto="auto", doc="Whose effect is shown.")
    second: str | None = column(
        None, or_none="one variable alone", doc="With which other variable it is crossed."
    )
    points: int = integer(
        30, low=2, high=200, soft=(10, 60), doc="Values of the grid; a variable of names has all."
    )
    rows: int = integer(
        300, low=2, high=5000, soft=(50, 1000), label="Rows asked",
        doc="How many of the rows left out get a curve, drawn from all.",
    )  # fmt: skip

    def models(self, dataset: Dataset, splits: Sequence[Split]) -> tuple[int, ...]:
        """All folds; refused for variables that the data has not, or has too many names of."""
        for name in (self.variable, self.second):
            at = position_of(dataset, name)
            if len(dataset.columns[at].levels) > MOST_LEVELS:
                raise DataError(
                    f"{dataset.columns[at].name} has {len(dataset.columns[at].levels)} levels; the "
                    f"effect of at most {MOST_LEVELS} can be seen. Choose another variable."
                )
            if np.isnan(dataset.X[:, at]).all():
                raise DataError(f"{dataset.columns[at].name} has no value at all.")
        return super().models(dataset, splits)

    def answer(self, model: Model, k: int) -> FoldEffect:
        """The curves of the rows of one fold that were drawn."""
        dataset, at = model.dataset, position_of(model.dataset, self.variable)
        rows = some_left_out(model, k, self.rows)
        X = dataset.X[rows]
        curves = individual_curves(model.outputs, X, at, self._grid(dataset, at, self.points))
        edges = self._edges(dataset, at)
        local = local_effects(model.outputs, X, at, edges) if len(edges) > 1 else None
        return FoldEffect(k, rows, curves, local, self._pair(model, X))

    def _pair(self, model: Model, X: np.ndarray) -> np.ndarray | None:
        if self.second is None:
            return None
        dataset = model.dataset
        places = position_of(dataset, self.variable), position_of(dataset, self.second)
        first, second = (self._grid(dataset, at, PAIR_POINTS) for at in places)
        return pair_dependence(model.outputs, X, places, (first, second))

    def _grid(self, dataset: Dataset, at: int, points: int) -> np.ndarray:
        """All levels of names, else values over the range of the rows."""
        values = dataset.X[:, at]
        is_name = bool(dataset.columns[at].levels)
        return grid_of(values, MOST_LEVELS if is_name else points)

    def _edges(self, dataset: Dataset, at: int) -> np.ndarray:
        """Ends of the intervals; none for names, which have no order."""
        if dataset.columns[at].kind in ("nominal", "text"):
            return np.empty(0)
        return edges_of(dataset.X[:, at], self.points - 1)

    def joined(self, answers: Sequence[FoldEffect], dataset: Dataset) -> Effects:
        """The curves of all folds."""
        at = position_of(dataset, self.variable)
        curves = np.concatenate([fold.curves for fold in answers])
        edges, heights = self._edges(dataset, at), np.empty((0, curves.shape[2]))
        local = [fold.local for fold in answers if fold.local is not None]
        if local:
            sums = np.sum([one.sums for one in local], axis=0)
            heights = accumulated(LocalEffects(sums, np.sum([one.counts for one in local], axis=0)))
        second = None if self.second is None else position_of(dataset, self.second)
        none = np.empty(0)
        return Effects(
            variable=dataset.columns[at],
            outputs=outputs_of(dataset)[: curves.shape[2]],
            grid=self._grid(dataset, at, self.points),
            rows=np.concatenate([fold.rows for fold in answers]),
            folds=np.concatenate([np.full(len(fold.rows), fold.k + 1) for fold in answers]),
            curves=curves,
            mean=curves.mean(axis=0),
            near=near_a_row(self._grid(dataset, at, self.points), dataset.X[:, at]),
            edges=edges if local else none,
            accumulated=heights,
            values=dataset.X[:, at],
            second=None if second is None else dataset.columns[second],
            second_grid=none if second is None else self._grid(dataset, second, PAIR_POINTS),
            pair=_weighted([(fold.pair, len(fold.rows)) for fold in answers]),
            pair_grid=none if second is None else self._grid(dataset, at, PAIR_POINTS),
            second_values=none if second is None else dataset.X[:, second],
        )

    def predictions(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """Each drawn row once a value, twice for its interval, and once a pair."""
        drawn = min(self.rows, dataset.n)
        return float(drawn * (self.points + 2 + (self.second is not None) * PAIR_POINTS**2))

    def about(self) -> str:
        """With the variable."""
        name = "the first variable" if self.variable in (None, "auto") else self.variable
        return f"effect of {name}" + (f" and {self.second}" if self.second else "")


def _weighted(pairs: list[tuple[np.ndarray | None, int]]) -> np.ndarray | None:
    """The mean of the means of the folds, by their numbers of rows."""
    known = [(mean, n) for mean, n in pairs if mean is not None]
    if not known:
        return None
    return np.average([mean for mean, _ in known], axis=0, weights=[n for _, n in known])
