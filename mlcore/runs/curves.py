"""How the score changes with the number of rows, or with one hyper-parameter.

Both curves are generators: a point is yielded when all its folds are done, so that it can be drawn
at once, and the points so far are kept when somebody stops.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.intervals import corrected_sd
from mlcore.evaluation.metrics.metric import LEFT_OUT, Metric
from mlcore.evaluation.splits import Split
from mlcore.preparation.chain import Prepared, prepare
from mlcore.runs.carry import judge_of, splits_of
from mlcore.runs.fitting import case_of, fit_prepared, seen_rows, steps_of
from mlcore.runs.in_blocks import is_one_sequence
from mlcore.runs.paths import usual_values, with_value
from mlcore.runs.run import Run
from mlcore.spine import random
from mlcore.spine.errors import MlcoreError, ParamError
from mlcore.spine.fit import freeze
from mlcore.spine.records import function

COMPLEX = 0.8  # the share of rows from which on the data count as complex
LEAST_ROWS = 10  # where learning curves begin, or 2 rows a class if that is more


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """The scores of all folds at one place of a curve; a fold that failed is NaN."""

    k: int
    planned: int
    value: Any  # how many rows were fitted, or the value that was tried
    scores: np.ndarray  # (folds,) on test rows, or on those that the metric names
    fitted_scores: np.ndarray  # (folds,) on the training rows; NaN where the metric names its own
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
        """How many points the curve will have."""
        return self.planned


@dataclass(frozen=True)
class Curve:
    """A curve with all its points."""

    run: Run
    metric: Metric
    over: str  # "rows", or the path of the hyper-parameter
    points: tuple[CurvePoint, ...]


@function("learning_curve")
def learning_curve(
    run: Run, dataset: Dataset, *, n_points: int = 8, metric: str = ""
) -> Generator[CurvePoint, None, Curve]:
    """The score by number of training rows: would more rows help?

    In each fold of the run nested parts of the training rows are fitted, from 10 rows (or 2 a
    class) to all, evenly on a logarithmic scale; classes keep their shares, and the rows
    left out stay the same. A method that takes sequences learns from whole ones in a random order,
    of which the last is cut. `metric` is a name of the run's scoring, its first if empty.
    """
    judge = _Judge(run, dataset, metric)
    orders = [judge.growing(k, split.train) for k, split in enumerate(judge.splits)]
    sizes = _sizes(min(len(order) for order in orders), judge.least_rows(), n_points)
    points = []
    for k, size in enumerate(sizes):
        scored = [
            judge.scored(run, Split(order[:size], split.test))
            for order, split in zip(orders, judge.splits, strict=True)
        ]
        points.append(judge.point(k, len(sizes), size, scored))
        yield points[-1]
    return Curve(run, judge.metric, "rows", tuple(points))


class Sufficient(NamedTuple):
    """The least share of the rows that was enough."""

    share: float
    rows: int
    is_complex: bool
    sentence: str


@function("ratio_sweep", title="Smallest sufficient ratio", sources=("epfl:train_ratio_sweep",))
def ratio_sweep(curve: Curve) -> Sufficient | None:
    """The least share of the training rows that scores within one standard error of the best.

    The standard error is the corrected one of the best point. Where 80 % or more are needed the
    data are complex for this method: more rows would help. None where fewer than two points of the
    learning curve have a score in two folds.
    """
    points = [point for point in curve.points if np.isfinite(point.scores).sum() > 1]
    if len(points) < 2:
        return None
    sign = 1 if curve.metric.better == "higher" else -1
    means = np.array([sign * np.nanmean(point.scores) for point in points])
    best = points[int(means.argmax())]
    defined = np.isfinite(best.scores)
    error = corrected_sd(best.scores[defined], best.n_train[defined], best.n_test[defined])
    enough = int(np.flatnonzero(means >= means.max() - error)[0])
    rows, most = int(points[enough].value), int(points[-1].value)
    is_complex = rows >= COMPLEX * most
    verdict = "so more rows may help" if is_complex else "so more rows would hardly help"
    sentence = f"{rows} of {most} rows score within one standard error of the best, {verdict}."
    return Sufficient(rows / most, rows, is_complex, sentence)


@function("validation_curve")
def validation_curve(
    run: Run, dataset: Dataset, path: str, values: Sequence[Any] = (), *, metric: str = ""
) -> Generator[CurvePoint, None, Curve]:
    """The score by the value of one hyper-parameter: too simple, right, too flexible?

    `path` says where it stands, as in a link: "method.n_clusters" or "preparation.0.strategy".
    Without `values` nine of its usual range are tried. A value that the method refuses gives a
    point without scores and the reason. The best point of such a curve is an optimistic score.
    Raises ParamError if `path` is no setting of the method or a step.
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
        self.judge = judge_of(run)
        self.metric = self.judge.metric(metric)
        self.splits = splits_of(run, dataset)
        self.y = dataset.y if dataset.task == "classification" else None
        self._prepared: list[Prepared] = []

    def least_rows(self) -> int:
        """The fewest rows that a learning curve fits."""
        return max(LEAST_ROWS, 2 * len(self.dataset.classes))

    def growing(self, fold: int, rows: np.ndarray) -> np.ndarray:
        """The training rows of a fold in an order of which the beginnings are fitted."""
        if is_one_sequence(self.run.method, self.dataset):
            return rows  # its beginnings
        lengths = self.dataset.lengths_of(rows)
        if lengths is None or "lengths" not in self.run.method.card.takes:
            return _growing(rows, self.y, self.run.seed, fold)
        whole = np.split(rows, np.cumsum(lengths)[:-1])
        rng = random.generator(self.run.seed, f"learning curve {fold}")
        return np.concatenate([whole[k] for k in rng.permutation(len(whole))])

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
        return _Fold(left_out, fitted, len(np.unique(split.train)), len(split.test))

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
        case = case_of(run, fit, prepared, self.dataset, split)
        score = self.judge.score(case, self.metric)
        if self.metric.rows != LEFT_OUT:
            return score, np.nan
        _, seen = seen_rows(run, prepared, self.dataset, split.train)
        return score, self.judge.score(case.on(seen), self.metric)

    def _prepared_once(self) -> list[Prepared]:
        if not self._prepared:
            self._prepared = [self._prepare(self.run, split) for split in self.splits]
        return self._prepared

    def _prepare(self, run: Run, split: Split) -> Prepared:
        data = self.dataset
        X, y = data.X[split.train], self._target(split.train)
        groups = None if data.together is None else data.together[split.train]
        return prepare(steps_of(run), X, y, data.columns, run.seed, groups)

    def _target(self, rows: np.ndarray) -> np.ndarray | None:
        return None if self.dataset.y is None else self.dataset.y[rows]

    def _failed(self, split: Split, error: MlcoreError) -> _Fold:
        return _Fold(np.nan, np.nan, len(np.unique(split.train)), len(split.test), str(error))


def _growing(rows: np.ndarray, y: np.ndarray | None, seed: int, fold: int) -> np.ndarray:
    """The rows in an order of which every beginning has about the shares of the classes."""
    shuffled = random.generator(seed, f"learning curve {fold}").permutation(rows)
    if y is None:
        return shuffled
    codes = y[shuffled]
    # Rows of a class with c rows are placed at (1/2, 3/2, ...) / c: each class is spread evenly.
    places = np.empty(len(rows))
    for code in np.unique(codes):
        mine = codes == code
        places[mine] = (np.arange(mine.sum()) + 0.5) / mine.sum()
    return shuffled[np.argsort(places, kind="stable")]


def _sizes(most: int, least: int, n_points: int) -> list[int]:
    """Numbers of rows, evenly spaced on a logarithmic scale, the largest last."""
    least = min(least, most)
    sizes = np.geomspace(least, most, max(n_points, 1)) if n_points > 1 else np.array([most])
    return sorted({round(float(size)) for size in sizes})
