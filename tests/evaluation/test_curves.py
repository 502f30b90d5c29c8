"""Carrying out on folds: equal to a loop by hand, without leaks; curves over rows and values."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from mlcore.clustering.kmeans import KMeans
from mlcore.data.dataset import Dataset
from mlcore.data.table import Table, coded, numeric
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.metrics.numbers import rmse
from mlcore.evaluation.splits import HoldOut, KFold
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.impute import Impute
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.standardise import Standardise
from mlcore.preparation.step import StepFit
from mlcore.regression.ridge import Ridge
from mlcore.runs.carry import carried_out
from mlcore.runs.curves import (
    Curve,
    CurvePoint,
    learning_curve,
    ratio_sweep,
    validation_curve,
)
from mlcore.runs.paths import usual_values, with_value
from mlcore.runs.run import Run
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column
from mlcore.spine.method import Given, Method
from mlcore.spine.params import integer, text


def rows(n: int = 90, *, seed: int = 0) -> Dataset:
    """Three columns, one of names, with missing values; the target depends on all of them."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.normal(100, 30, n), rng.integers(0, 3, n)])
    y = X[:, 0] + X[:, 1] / 30 + 2 * (X[:, 2] == 1) + rng.normal(0, 0.3, n)
    X[rng.random(X.shape) < 0.05] = np.nan
    columns = (Column("a"), Column("b"), Column("c", "nominal", ("u", "v", "w"), "c"))
    table = Table.of(
        numeric("a", X[:, 0]),
        numeric("b", X[:, 1]),
        coded("c", ["" if np.isnan(v) else "uvw"[int(v)] for v in X[:, 2]]),
        numeric("y", y),
    )
    return Dataset("rows", table, np.arange(n), X, columns, (), target="y", task="regression", y=y)


HELD: dict[str, Dataset] = {}


@enter(Card("held", "Held", ("data",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Held(Component):
    """A data set of this file."""

    name: str = text("rows", doc="Its name.")

    def dataset(self, held: Any = None) -> Dataset:
        return HELD[self.name]


HELD["rows"] = rows()
STEPS = (Impute(), OneHot(), Standardise())


def run(**changes: Any) -> Run:
    """Ridge on five folds of the rows."""
    values = {"data": Held(), "preparation": STEPS, "method": Ridge(alpha=1.0)}
    return Run(**(values | {"evaluation": KFold()} | changes))


def test_the_score_is_that_of_a_loop_by_hand():
    data, outcome = HELD["rows"], carried_out(run())
    for fold, (train, test) in zip(outcome.folds, KFold().splits(data.n), strict=True):
        X, columns, steps = data.X[train], data.columns, []
        for step in STEPS:
            steps.append(step.fit(X, columns=columns))
            X, columns = steps[-1].transform(X), steps[-1].out_columns
        fit = Ridge(alpha=1.0).fit(X, data.y[train])
        new = data.X[test]
        for step in steps:
            new = step.transform(new)
        assert fold.scores["rmse"] == rmse(data.y[test], fit.predict(new))
        assert fold.baseline["rmse"] == pytest.approx(
            np.sqrt(np.mean((data.y[test] - data.y[train].mean()) ** 2))
        )
        np.testing.assert_array_equal(fold.predictions, fit.predict(new))


SEEN: list[np.ndarray] = []


@dataclass(frozen=True, eq=False, kw_only=True)
class SpyFit(StepFit):
    """Passes rows on."""

    def transform(self, X: Any) -> np.ndarray:
        return self._rows(X)

    def summary(self) -> StepSummary:
        return StepSummary("Spy", ())


@enter(Card("spy", "Spy", ("preparation",), takes=("columns", "missing")))
@dataclass(frozen=True, kw_only=True)
class Spy(Method):
    """Remembers the rows that it is fitted to."""

    def _fit(self, given: Given) -> SpyFit:
        SEEN.append(given.X)
        return SpyFit(made_by=self, columns=given.columns, out_columns=given.columns)


@enter(Card("leaky", "Leaky", ("preparation",), takes=("columns", "missing")))
@dataclass(frozen=True, kw_only=True)
class Leaky(Spy):
    """The same, but looks at all rows, as a step fitted before the split would."""

    def _fit(self, given: Given) -> SpyFit:
        SEEN.append(HELD["rows"].X)
        return SpyFit(made_by=self, columns=given.columns, out_columns=given.columns)


def leaks(step: Component, work: Callable[[Run], list[np.ndarray]]) -> bool:
    """Whether a fit of the step saw a row that was left out while it was scored."""
    SEEN.clear()
    left_out = work(run(preparation=(step, *STEPS)))
    X = HELD["rows"].X
    fits = SEEN[-len(left_out) :]
    return any(_shares_rows(seen, X[rows]) for seen, rows in zip(fits, left_out, strict=True))


def _shares_rows(a: np.ndarray, b: np.ndarray) -> bool:
    keys = [{row.tobytes() for row in np.nan_to_num(part, nan=-1e9)} for part in (a, b)]
    return bool(keys[0] & keys[1])


def by_carrying_out(made: Run) -> list[np.ndarray]:
    return [fold.test for fold in carried_out(made).folds]


def by_learning_curve(made: Run) -> list[np.ndarray]:
    for _ in learning_curve(made, HELD["rows"], n_points=1):
        pass
    return [split.test for split in KFold().splits(HELD["rows"].n)]


def by_validation_curve(made: Run) -> list[np.ndarray]:
    for _ in validation_curve(made, HELD["rows"], "method.alpha", (1.0,)):
        pass
    return [split.test for split in KFold().splits(HELD["rows"].n)]


@pytest.mark.parametrize("work", [by_carrying_out, by_learning_curve, by_validation_curve])
def test_no_row_left_out_reaches_a_fit(work):
    assert not leaks(Spy(), work)


@pytest.mark.parametrize("work", [by_carrying_out, by_learning_curve, by_validation_curve])
def test_the_check_finds_a_step_that_sees_all_rows(work):
    assert leaks(Leaky(), work)


def points(curve: Any) -> list:
    return list(curve)


def test_the_last_point_of_a_learning_curve_is_the_score_of_the_run():
    found = points(learning_curve(run(), HELD["rows"], n_points=5))
    assert [point.value for point in found] == [10, 16, 27, 44, 72]
    assert [(point.done, point.total, point.unit) for point in found][1] == (2, 5, "points")
    np.testing.assert_allclose(found[-1].scores, carried_out(run()).values("rmse"), rtol=1e-10)
    np.testing.assert_array_equal(found[0].n_train, 10)
    assert found[0].scores.mean() > found[-1].scores.mean()
    assert found[0].fitted_scores.mean() < found[0].scores.mean()


def curve_of(*means: float, better: str = "higher") -> Curve:
    """A learning curve with these means in four folds that spread a little."""
    spread = np.array([-0.01, 0.01, -0.01, 0.01])
    points = tuple(
        CurvePoint(k, len(means), 20 * (k + 1), mean + spread, mean + spread, *np.full((2, 4), 20))
        for k, mean in enumerate(means)
    )
    return Curve(run(), Metric("m", "M", better, "A measure."), "rows", points)


def test_the_smallest_sufficient_ratio():
    found = ratio_sweep(curve_of(0.5, 0.7, 0.9, 0.895, 0.9))
    assert (found.share, found.rows, found.is_complex) == (0.6, 60, False)
    assert ratio_sweep(curve_of(0.5, 0.7, 0.8, 0.85, 0.9)).is_complex
    assert ratio_sweep(curve_of(5.0, 1.0, 1.005, better="lower")).rows == 40
    assert ratio_sweep(curve_of(0.5)) is None
    assert ratio_sweep(curve_of(np.nan, np.nan, 0.5)) is None


def test_the_parts_of_a_learning_curve_are_nested():
    SEEN.clear()
    points(learning_curve(run(preparation=(Spy(), *STEPS)), HELD["rows"], n_points=3))
    small, middle, large = (
        [{row.tobytes() for row in X} for X in SEEN[at : at + 5]] for at in (0, 5, 10)
    )
    assert all(a <= b <= c for a, b, c in zip(small, middle, large, strict=True))


def test_a_validation_curve_at_the_run_itself_is_the_score_of_the_run():
    found = points(validation_curve(run(), HELD["rows"], "method.alpha", (0.1, 1.0, 1e6)))
    assert [point.value for point in found] == [0.1, 1.0, 1e6]
    np.testing.assert_array_equal(found[1].scores, carried_out(run()).values("rmse"))
    assert found[2].scores.mean() > found[1].scores.mean()


def test_a_step_of_the_preparation_can_be_varied():
    path = "preparation.0.strategy"
    found = points(validation_curve(run(), HELD["rows"], path, ("mean", "median")))
    changed = carried_out(run(preparation=(Impute(strategy="mean"), *STEPS[1:])))
    np.testing.assert_array_equal(found[0].scores, changed.values("rmse"))
    assert not np.array_equal(found[0].scores, found[1].scores)


def test_a_value_that_is_refused_is_a_point_with_the_reason():
    made = run(method=KMeans())
    first, second = points(validation_curve(made, HELD["rows"], "method.n_clusters", (0, 3)))
    assert "at least 1" in first.failure
    assert np.isnan(first.scores).all()
    assert second.failure == ""
    assert np.isfinite(second.scores).all()


def test_another_measure_can_be_drawn():
    (point,) = points(learning_curve(run(), HELD["rows"], n_points=1, metric="r2"))
    np.testing.assert_allclose(point.scores, carried_out(run()).values("r2"), rtol=1e-10)
    with pytest.raises(ParamError, match="no measure 'accuracy'"):
        points(learning_curve(run(), HELD["rows"], metric="accuracy"))


def test_curves_go_through_a_worker():
    made = learning_curve(run(evaluation=HoldOut()), HELD["rows"], n_points=2)
    try:
        while True:
            point = next(made)
            again = pickle.loads(pickle.dumps(point))
            np.testing.assert_array_equal(again.scores, point.scores)
    except StopIteration as end:
        curve = pickle.loads(pickle.dumps(end.value))
    assert (curve.over, curve.metric.name, len(curve.points)) == ("rows", "rmse", 2)


@dataclass(frozen=True, kw_only=True)
class Plain(Component):
    """One number."""

    n: int = integer(3, low=1, soft=(2, 6), doc="A number.")


def test_values_are_found_and_changed_by_their_path():
    assert with_value(run(), "preparation.1.min_count", 4).preparation[1] == OneHot(min_count=4)
    assert with_value(run(), "preparation.2", Impute()).preparation[2] == Impute()
    assert with_value(run(), "method.alpha", 3).method == Ridge(alpha=3.0)
    assert usual_values(run(), "preparation.0.strategy")[:2] == ["median", "mean"]
    assert with_value(Plain(), "n", 5) == Plain(n=5)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("method.nothing", "'nothing' is unknown"),
        ("preparation.9.strategy", "a place from 0 to 2"),
        ("preparation.first.strategy", "a place from 0 to 2"),
        ("method.alpha.deeper", "'deeper' is unknown"),
        ("evaluation.n_splits", "varies the method or a step"),
    ],
)
def test_a_path_to_nowhere_is_refused(path, sentence):
    with pytest.raises(ParamError, match=sentence):
        points(validation_curve(run(), HELD["rows"], path))


def test_too_few_rows_for_the_folds_are_refused():
    with pytest.raises(DataError, match="100 folds need 100 rows"):
        points(learning_curve(run(evaluation=KFold(n_splits=100)), HELD["rows"]))
