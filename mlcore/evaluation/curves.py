"""How the score changes with the number of rows, or with one hyper-parameter.

Both curves are generators: a point is yielded when all its folds are done, so that it can be drawn
at once, and the points so far are kept when somebody stops.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore import random
from mlcore.carry import fit_prepared, scoring_of, splits_of
from mlcore.component import Component
from mlcore.data.dataset import Dataset
from mlcore.errors import MlcoreError, ParamError
from mlcore.evaluation.scoring import Metric
from mlcore.evaluation.splits import Split
from mlcore.fit import freeze
from mlcore.listing import function
from mlcore.params import Param, params_of
from mlcore.preparation.chain import Prepared, prepare
from mlcore.run import Run

LEAST_ROWS = 10  # where learning curves begin, or 2 rows a class if that is more


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """The scores of all folds at one place of a curve; a fold that failed is NaN."""

    k: int
    planned: int
    value: Any  # how many rows were fitted, or the value that was tried
    scores: np.ndarray  # (folds,) on rows left out
    fitted_scores: np.ndarray  # (folds,) on the fitted rows
    n_train: np.ndarray  # (folds,)
    n_test: np.ndarray  # (folds,)
    failure: str = ""  # the first reason why a fold has no score

    unit = "points"

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def done(self) -> int:
        """Points that are done, this one too."""
        return self.k + 1

    @property
    def total(self) -> int:
        """Points in all."""
        return self.planned


@dataclass(frozen=True)
class Curve:
    """A whole curve."""

    run: Run
    metric: Metric
    over: str  # "rows", or the path of the hyper-parameter
    points: tuple[CurvePoint, ...]


@function("learning_curve", sources=("epfl:train_ratio_sweep",))
def learning_curve(
    run: Run, dataset: Dataset, *, n_points: int = 8, metric: str = ""
) -> Generator[CurvePoint, None, Curve]:
    """The score by number of fitted rows: would more rows help?

    In each fold of the run nested parts of the training rows are fitted, from 10 rows (or 2 a
    class) to all, evenly on a logarithmic scale; classes keep their shares, and the rows
    left out stay the same. `metric` is a name of the run's scoring, its first if empty.
    """
    judge = _Judge(run, dataset, metric)
    turns = [_growing(split.train, judge.y, run.seed, k) for k, split in enumerate(judge.splits)]
    sizes = _sizes(min(len(turn) for turn in turns), judge.least_rows(), n_points)
    points = []
    for k, size in enumerate(sizes):
        scored = [
            judge.scored(run, Split(turn[:size], split.test))
            for turn, split in zip(turns, judge.splits, strict=True)
        ]
        points.append(judge.point(k, len(sizes), size, scored))
        yield points[-1]
    return Curve(run, judge.metric, "rows", tuple(points))


@function("validation_curve")
def validation_curve(
    run: Run, dataset: Dataset, path: str, values: Sequence[Any] = (), *, metric: str = ""
) -> Generator[CurvePoint, None, Curve]:
    """The score by the value of one hyper-parameter: too simple, right, too flexible?

    `path` says where it stands, as in a link: "method.n_clusters" or "preparation.0.strategy".
    Without `values` nine of its usual range are tried. A value that the method refuses gives a
    point without scores and the reason. The best point of such a curve is an optimistic score.
    """
    if path.partition(".")[0] not in ("method", "preparation"):
        raise ParamError(f"A curve varies the method or a step of the preparation; got {path!r}.")
    tried = tuple(values) or tuple(usual_values(run, path))
    judge = _Judge(run, dataset, metric)
    points = []
    for k, value in enumerate(tried):
        points.append(judge.point(k, len(tried), value, judge.scored_with(run, path, value)))
        yield points[-1]
    return Curve(run, judge.metric, path, tuple(points))


def usual_values(run: Run, path: str, n: int = 9) -> list[Any]:
    """At most `n` values over the range that people use of the hyper-parameter at `path`."""
    *way, name = path.split(".")
    values = _param(_part(run, way, path), name, path).grid(n)
    if not values:
        raise ParamError(f"{path} has no usual range; say which values to try.")
    return values


def with_value(it: Component, path: str, value: Any) -> Any:
    """A copy of a component in which the hyper-parameter at `path` has another value."""
    name, _, rest = path.partition(".")
    _param(it, name, path)
    if not rest:
        return replace(it, **{name: value})
    held = getattr(it, name)
    if not isinstance(held, tuple):
        return replace(it, **{name: with_value(held, rest, value)})
    place, _, rest = rest.partition(".")
    at = _place(held, place, path)
    changed = with_value(held[at], rest, value) if rest else value
    return replace(it, **{name: (*held[:at], changed, *held[at + 1 :])})


def _part(it: Any, way: Sequence[str], path: str) -> Any:
    for name in way:
        if isinstance(it, tuple):
            it = it[_place(it, name, path)]
        else:
            _param(it, name, path)
            it = getattr(it, name)
    return it


def _param(it: Any, name: str, path: str) -> Param:
    declared = params_of(type(it)) if isinstance(it, Component) else {}
    if name not in declared:
        raise ParamError(f"There is no hyper-parameter {path!r} in this run: {name!r} is unknown.")
    return declared[name]


def _place(held: tuple, text: str, path: str) -> int:
    if not text.isdecimal() or int(text) >= len(held):
        raise ParamError(
            f"There is no hyper-parameter {path!r} in this run: {text!r} should be a place from 0 "
            f"to {len(held) - 1}."
        )
    return int(text)


@dataclass(frozen=True)
class _Fold:
    """The scores of one fold, or why there are none."""

    left_out: float
    fitted: float
    n_train: int
    n_test: int
    failure: str = ""


class _Judge:
    """Fits and scores variants of one run on its folds."""

    def __init__(self, run: Run, dataset: Dataset, metric: str) -> None:
        self.run, self.dataset = run, dataset
        self.scoring = scoring_of(run)
        self.metric = _named(self.scoring.metrics(), metric)
        self.splits = splits_of(run, dataset)
        self.y = dataset.y if dataset.task == "classification" else None
        self._prepared: list[Prepared] = []

    def least_rows(self) -> int:
        """The fewest rows that a learning curve fits."""
        return max(LEAST_ROWS, 2 * len(self.dataset.classes))

    def scored_with(self, run: Run, path: str, value: Any) -> list[_Fold]:
        """The scores of all folds with another value at `path`."""
        try:
            changed = with_value(run, path, value)
        except MlcoreError as error:
            return [self._failed(split, error) for split in self.splits]
        prepared: Iterable[Prepared | None] = [None] * len(self.splits)
        if path.partition(".")[0] == "method":
            prepared = self._prepared_once()  # the preparation does not change with the method
        return [
            self.scored(changed, split, before)
            for split, before in zip(self.splits, prepared, strict=True)
        ]

    def scored(self, run: Run, split: Split, prepared: Prepared | None = None) -> _Fold:
        """The scores of one fold."""
        try:
            left_out, fitted = self._scores(run, split, prepared)
        except MlcoreError as error:
            return self._failed(split, error)
        return _Fold(left_out, fitted, len(split.train), len(split.test))

    def point(self, k: int, planned: int, value: Any, folds: list[_Fold]) -> CurvePoint:
        """The folds as a point of the curve."""
        return CurvePoint(
            k,
            planned,
            value,
            scores=np.array([fold.left_out for fold in folds]),
            fitted_scores=np.array([fold.fitted for fold in folds]),
            n_train=np.array([fold.n_train for fold in folds]),
            n_test=np.array([fold.n_test for fold in folds]),
            failure=next((fold.failure for fold in folds if fold.failure), ""),
        )

    def _scores(self, run: Run, split: Split, prepared: Prepared | None) -> tuple[float, float]:
        prepared = prepared or self._prepare(run, split)
        fit = fit_prepared(run.method, prepared, self.dataset, split.train, run.seed)
        X = prepared.transform(self.dataset.X[split.test])
        left_out = self._score(fit, X, self._target(split.test))
        return left_out, self._score(fit, prepared.X, prepared.y)

    def _score(self, fit: Any, X: np.ndarray, y: np.ndarray | None) -> float:
        scored = self.scoring.scored(fit, X, y, len(self.dataset.classes))
        return float(scored.scores[self.metric.name])

    def _prepared_once(self) -> list[Prepared]:
        if not self._prepared:
            self._prepared = [self._prepare(self.run, split) for split in self.splits]
        return self._prepared

    def _prepare(self, run: Run, split: Split) -> Prepared:
        X, y = self.dataset.X[split.train], self._target(split.train)
        return prepare(run.preparation, X, y, self.dataset.columns, run.seed)

    def _target(self, rows: np.ndarray) -> np.ndarray | None:
        return None if self.dataset.y is None else self.dataset.y[rows]

    def _failed(self, split: Split, error: MlcoreError) -> _Fold:
        return _Fold(np.nan, np.nan, len(split.train), len(split.test), str(error))


def _named(metrics: Sequence[Metric], name: str) -> Metric:
    found = [metric for metric in metrics if not name or metric.name == name]
    if not found:
        known = ", ".join(metric.name for metric in metrics)
        raise ParamError(f"There is no measure {name!r} for this method; choose one of {known}.")
    return found[0]


def _growing(rows: np.ndarray, y: np.ndarray | None, seed: int, fold: int) -> np.ndarray:
    """The rows in an order of which every beginning has about the shares of the classes."""
    shuffled = random.generator(seed, f"learning curve {fold}").permutation(rows)
    if y is None:
        return shuffled
    codes = y[shuffled]
    # Rows of a class with c rows stand at (1/2, 3/2, ...) / c: their turn, spread evenly.
    turn = np.empty(len(rows))
    for code in np.unique(codes):
        mine = codes == code
        turn[mine] = (np.arange(mine.sum()) + 0.5) / mine.sum()
    return shuffled[np.argsort(turn, kind="stable")]


def _sizes(most: int, least: int, n_points: int) -> list[int]:
    """Numbers of rows, evenly spaced on a logarithmic scale, the largest last."""
    least = min(least, most)
    sizes = np.geomspace(least, most, max(n_points, 1)) if n_points > 1 else np.array([most])
    return sorted({round(float(size)) for size in sizes})
