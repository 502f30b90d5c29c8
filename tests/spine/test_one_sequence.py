"""A table that is one sequence is judged on blocks of neighbouring rows, in its order."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.upload import Upload
from mlcore.evaluation.splits import KFold
from mlcore.evaluation.time_series_split import TimeSeriesSplit
from mlcore.runs.carry import carried_out, does_not_apply, splits_of
from mlcore.runs.fitting import lengths_of
from mlcore.runs.in_blocks import in_order, pieces
from mlcore.runs.run import Run
from mlcore.sequences.hmm import HMM
from tests.spine.test_sequences import table

ROWS = 400


def sticky(**more):
    """Two states that are kept for long, 6 deviations apart, as a table; `more` columns beside."""
    rng = np.random.default_rng(0)
    states = np.cumsum(rng.random(ROWS) < 0.04) % 2
    return table(x=6.0 * states + rng.normal(size=ROWS), **more)


def one_of(held, roles=(), **settings):
    """A run of a hidden Markov model on this table, its rows, and what the run finds it in."""
    data = TableData(source=Upload.of(held.digest(), "mine.csv"), roles=roles)
    uploads = {held.digest(): held}
    run = Run(data=data, preparation=(), method=HMM(n_states=2, n_init=1), **settings)
    return run, data.dataset(uploads), uploads


def test_blocks_are_left_out_whole_and_what_is_learned_from_lies_in_order():
    run, dataset, _ = one_of(sticky())
    splits = splits_of(run, dataset)
    tested = np.concatenate([test for _, test in splits])
    np.testing.assert_array_equal(np.sort(tested), np.arange(ROWS))
    for train, test in splits:
        assert not np.isin(test, train).any()
        for rows in (train, test):
            assert (np.diff(rows) > 0).all()
            lengths = lengths_of(run.method, dataset, rows)
            assert lengths is not None and lengths.sum() == len(rows)
            assert (lengths % (ROWS // 20) == 0).all()  # whole blocks, or several side by side
            begins = np.cumsum(lengths)[:-1]
            np.testing.assert_array_equal(np.flatnonzero(np.diff(rows) != 1) + 1, begins)


def test_the_memory_of_a_single_sequence_shows_in_its_score():
    run, _, uploads = one_of(sticky())
    outcome = carried_out(run, uploads)
    scores = [fold.scores["sequence_log_likelihood"] for fold in outcome.folds]
    without = [fold.baseline["sequence_log_likelihood"] for fold in outcome.folds]
    # A single normal of variance 10 has an entropy of 2.57; one of variance 1 and a chain that
    # moves one time in 25 have 1.42 + 0.17.
    assert np.mean(scores) - np.mean(without) == pytest.approx(0.98, abs=0.1)
    assert all(fold.scores["sequence_log_likelihood"] > -1.9 for fold in outcome.folds)


def test_one_name_for_all_rows_is_one_sequence_too():
    run, dataset, _ = one_of(sticky(run=[1.0] * ROWS), (("run", "sequence"),))
    assert len(splits_of(run, dataset)) == KFold().n_splits
    in_time, _, _ = one_of(sticky(), evaluation=TimeSeriesSplit())
    train, test = splits_of(in_time, dataset)[0]
    assert train.max() < test.min() and lengths_of(run.method, dataset, test) is None


def test_rows_out_of_order_are_no_sequence():
    held = sticky(t=np.arange(ROWS)[::-1])
    run, dataset, _ = one_of(held, (("t", "order"),))
    assert "Give the role sequence to a column" in (does_not_apply(run, dataset) or "")
    right, ordered, _ = one_of(sticky(t=np.arange(ROWS)), (("t", "order"),))
    assert does_not_apply(right, ordered) is None


def test_copies_begin_anew():
    rows = in_order(np.array([5, 3, 4, 4, 3, 9]))
    np.testing.assert_array_equal(rows, [3, 4, 5, 9, 3, 4])
    np.testing.assert_array_equal(pieces(rows), [3, 1, 2])
    assert pieces(np.arange(4, 9)) is None
