"""Where a run is carried out, in which order, and in how many attempts changes no bit of it."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.evaluation.intervals import interval_of
from mlcore.evaluation.splits import KFold
from mlcore.runs import carry, carry_trial
from mlcore.runs.carry import FoldResult, Whole
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.counting.counted import Counted
from mlcore.runs.kinds import kind_of
from mlcore.runs.places import HERE
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.redrawing.redrawn import Redrawn
from mlcore.runs.run import Run, Trial
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import DataError

RUN = Run(data=TableData(source="penguins"), method="logistic")
TUNING = Tuning(
    data=TableData(source="wine"),
    method="lda",
    search=GridSearch(over={"method.n_components": "1,2,7"}, inner=KFold(n_splits=2)),
    evaluation=KFold(n_splits=3),
)
PREDICTION = Prediction.of(Run(data="iris", method="lda"), "iris")
TRIAL = Trial(problem="bandit_arms", methods=("ucb", "thompson_sampling"), budget=50, replicates=30)
REDRAWN = MapStability(data=TableData(source="wine"), method="pca", refits=3)
COUNT = ClusterCount(data=TableData(source="wine"), highest=3, resamples=3, splits=2, references=2)
RUNS = RUN, TUNING, COUNT, REDRAWN, PREDICTION, TRIAL
KINDS = {run.card.name: (kind_of(run), run) for run in RUNS}


class Backwards:
    """Every call and result travels as to another process; the last call ends first."""

    def each(self, function: Any, calls: Iterable[tuple]) -> Iterator[tuple[int, Any]]:
        calls = list(calls)
        for k in reversed(range(len(calls))):
            call = pickle.loads(pickle.dumps(calls[k]))
            yield k, pickle.loads(pickle.dumps(function(*call)))


def events_of(by: Any, run: Any, **how: Any) -> tuple[list[Any], Any]:
    """What it yields and what it returns."""
    events, work = [], by.carry_out(run, **how)
    while True:
        try:
            events.append(next(work))
        except StopIteration as end:
            return events, end.value


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_in_which_calls_end_changes_nothing(kind):
    by, run = KINDS[kind]
    here, there = (events_of(by, run, place=place) for place in (HERE, Backwards()))
    assert by.report(here[1]) == by.report(there[1])
    assert [e.done for e in here[0]] == [e.done for e in there[0]]
    assert same(here[1], there[1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_run_goes_on_as_if_it_had_not_been_stopped(kind):
    by, run = KINDS[kind]
    events, whole = events_of(by, run)
    for stop in range(len(events) + 1):
        again, found = events_of(by, run, before=events[:stop])
        assert [e.done for e in again] == [e.done for e in events]
        assert same(found, whole), f"after {stop} events"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_done_is_not_done_again(kind, monkeypatch):
    by, run = KINDS[kind]
    events, _ = events_of(by, run)
    calls = []
    monkeypatch.setattr(
        type(HERE), "each", lambda self, f, asked: (calls.extend(asked), iter(()))[1]
    )
    events_of(by, run, before=events)
    assert calls == []


def test_folds_that_end_before_the_whole_fit_come_after_it():
    events, _ = events_of(carry, RUN, place=Backwards())
    assert isinstance(events[0], Whole)
    assert [e.k for e in events[1:]] == [4, 3, 2, 1, 0]
    assert [f.k for f in carry.so_far(RUN, events[:4]).folds] == [2, 3, 4]


def test_a_failing_whole_fit_is_the_error_of_the_run():
    run = Run(data=TableData(source="penguins"), preparation=(), method="logistic")
    for place in (HERE, Backwards()):
        with pytest.raises(DataError, match="needs numbers"):
            events_of(carry, run, place=place)


def test_after_a_stop_the_interval_is_that_of_the_folds_that_are_done():
    """Fewer folds: fewer degrees of freedom and a larger share for what they have in common."""
    events, whole = events_of(carry, RUN)
    part = carry.so_far(RUN, events[:4])
    metric = whole.judge.metric()
    found, full = interval_of(part, metric), interval_of(whole, metric)
    assert len(part.done) == 3
    assert found.sentence.startswith("Approximate 95 % interval of the mean over 3 splits")
    values = part.values(metric.name)
    n_train, n_test = (
        np.mean([len(getattr(f, of)) for f in part.done]) for of in ("train", "test")
    )
    half = 4.302652729749462 * np.sqrt((1 / 3 + n_test / n_train) * values.var(ddof=1))  # t, df 2
    assert found.low == pytest.approx(values.mean() - half)
    relative = [(i.mean - i.low) / o.spread(metric.name) for i, o in ((found, part), (full, whole))]
    assert relative[0] > 1.7 * relative[1]
    assert not interval_of(carry.so_far(RUN, events[:3]), metric).is_known  # two folds say nothing


def same(a: Any, b: Any) -> bool:
    """Whether two outcomes agree in every bit but the times."""
    if isinstance(a, carry.Outcome):
        one, other = (o.whole.fit.probabilities(a.whole.prepared.X) for o in (a, b))
        return np.array_equal(one, other) and all(map(same_fold, a.folds, b.folds))
    if isinstance(a, Predicted):
        named = (np.array_equal(a.outputs[name], b.outputs[name]) for name in a.outputs)
        return same(a.trained, b.trained) and all(named) and np.array_equal(a.ranges, b.ranges)
    if isinstance(a, carry_trial.TrialOutcome):
        return all(
            np.array_equal(x.stacked("regret"), y.stacked("regret"))
            for x, y in zip(a.rows, b.rows, strict=True)
        )
    if isinstance(a, Counted):
        drawn = zip(a.parts, b.parts, strict=True)
        return all(np.array_equal(x.labels, y.labels) for x, y in drawn) and all(
            np.array_equal(x.values, y.values, equal_nan=True)
            for x, y in zip(a.opinions, b.opinions, strict=True)
        )
    if isinstance(a, Redrawn):
        return np.array_equal(a.laid, b.laid, equal_nan=True)
    pairs = [(a.overall, b.overall), *zip(a.stages, b.stages, strict=True)]
    return (
        all(np.array_equal(x.means, y.means, equal_nan=True) for x, y in pairs)
        and all(same_fold(x.fold, y.fold) for x, y in pairs[1:])
        and [(j.stage, j.candidate, j.failure) for j in a.judged]
        == [(j.stage, j.candidate, j.failure) for j in b.judged]
        and all(
            np.array_equal(x.scores, y.scores, equal_nan=True)
            for x, y in zip(a.judged, b.judged, strict=True)
        )
    )


def same_fold(a: FoldResult, b: FoldResult) -> bool:
    arrays = ("train", "test", "predictions", "probabilities")
    return (a.k, a.scores, a.fitted_scores, a.baseline) == (
        b.k, b.scores, b.fitted_scores, b.baseline,
    ) and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)  # fmt: skip
