"""A run is repeated as far as it had come, whatever kind of run it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.upload import Upload
from mlcore.runs import repeat
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.differences import numbers, verdict
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.kinds import kind_of
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.run import AnyRun, Comparison, Run, Trial
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import returned

RUNS = {
    "explanation": Explanation(data="iris", method="lda", question="importance"),
    "run": Run(data="iris", method="lda"),
    "comparison": Comparison(data="iris", methods=("lda", "constant")),
    "prediction": Prediction.of(Run(data="iris", method="lda"), "iris"),
    "trial": Trial(problem="grid_world", budget=60, replicates=6),
    "cluster_count": ClusterCount(data="iris", highest=3, resamples=3, splits=2, references=2),
    "map_stability": MapStability(data="iris", method="pca", refits=4),
    "tuning": Tuning(
        data="iris", method="knn", search=GridSearch(over=(("method.n_neighbors", "1, 5"),))
    ),
}


def events_of(run: AnyRun) -> Iterator[Any]:
    yield from kind_of(run).carry_out(run)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_each_event_has_a_name_of_its_own(run):
    parts = [repeat.part(event) for event in events_of(run)]
    assert len(set(parts)) == len(parts) > 3


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_a_part_is_identical_and_the_whole_is_not(run, share):
    """What was stopped compares as identical with as much of a repetition, in any order."""
    events = list(events_of(run))
    done = events[: round(share * len(events))]
    then = numbers(repeat.so_far(run, done))
    parts = [repeat.part(event) for event in reversed(done)]
    work = repeat.carry_out(run, parts)
    now = numbers(returned(work))
    assert verdict(then, now).kind == "identical"
    assert verdict(then, numbers(repeat.so_far(run, events))).kind == "different"


def test_parts_that_end_in_another_order_are_the_same_parts():
    whole, first, second, *_ = events_of(RUNS["run"])
    parts = [repeat.part(event) for event in (whole, second)]
    found = returned(repeat.carry_out(RUNS["run"], parts))
    assert [fold.k for fold in found.folds] == [second.k]
    assert first.k != second.k


def test_no_more_is_carried_out_than_is_asked():
    run = RUNS["run"]
    whole, first, *_ = events_of(run)
    work = repeat.carry_out(run, [repeat.part(whole), repeat.part(first)])
    assert [repeat.part(event) for event in work] == ["Whole", "FoldResult k 0"]


def test_uploads_are_handed_on():
    table = bundled.load("iris")
    data = TableData(source=Upload(digest=table.digest()), target="species")
    work = repeat.carry_out(Run(data=data, method="lda"), ["Whole"], {table.digest(): table})
    assert returned(work).whole.fit is not None


def test_parts_that_a_run_has_not_are_a_sentence():
    with pytest.raises(DataError, match="none of the parts"):
        returned(repeat.carry_out(RUNS["run"], ["FoldResult k 99"]))
