"""What is worth a look after a run on sequences: a column that is a calendar."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.runs.carry import carried_out
from mlcore.runs.findings import findings
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup
from tests.evaluation.test_findings_of_runs import a_run

HMM = lookup("sequences", "hmm")(n_states=2, n_init=1, max_iter=3)


def found(run, uploads=None):
    """The findings of a run by name, and the rows that it rests on."""
    dataset = run.data.dataset(uploads or {})
    every = findings(carried_out(run, uploads), dataset)
    return {finding.name: finding for finding in every}, dataset


def test_the_year_of_a_series_is_told_and_its_value_is_modelled_by_a_press():
    told, _ = found(Run(data=TableData(source="nile"), method=HMM))
    assert told["only_counts"].sentence.startswith(
        "'year' rises by the same amount from row to row"
    )
    assert told["only_counts"].press.label == "Model volume instead"
    told, dataset = found(told["only_counts"].press.run)
    assert "only_counts" not in told
    assert [column.name for column in dataset.columns] == ["volume"]
    assert dataset.order is not None


def test_beside_other_columns_it_is_left_out():
    values = np.random.default_rng(0).normal(size=40)
    run, uploads = a_run({"hour": np.arange(40.0), "y": values}, HMM, target=None)
    told, _ = found(run, uploads)
    assert told["only_counts"].press.label == "Leave hour out"
    told, dataset = found(told["only_counts"].press.run, uploads)
    assert [column.name for column in dataset.columns] == ["y"]


@pytest.mark.parametrize(
    "times", [np.arange(40.0) ** 2, np.tile(np.arange(20.0), 2), np.r_[np.arange(39.0), np.nan]]
)
def test_what_does_not_rise_by_the_same_amount_is_a_measurement(times):
    values = np.random.default_rng(0).normal(size=40)
    run, uploads = a_run({"hour": times, "y": values}, HMM, target=None)
    assert "only_counts" not in found(run, uploads)[0]


def test_a_calendar_that_begins_anew_in_each_sequence_is_one():
    columns = {
        "day": np.tile(np.arange(8.0), 5),
        "who": [who for who in "abcde" for _ in range(8)],
        "y": np.random.default_rng(0).normal(size=40),
    }
    run, uploads = a_run(columns, HMM, target=None, roles=(("who", "sequence"),))
    assert "only_counts" in found(run, uploads)[0]
