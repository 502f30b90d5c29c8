"""Rows in sequences: how a data set knows them, and who is told of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.generators.sequences.sequences import Sequences
from mlcore.data.table import Table, numeric
from mlcore.data.upload import Upload
from mlcore.evaluation.bootstrap_split import BootstrapSplit
from mlcore.evaluation.splits import (
    HoldOut,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
)
from mlcore.evaluation.time_series_split import TimeSeriesSplit
from mlcore.interop.experiment import pipeline
from mlcore.interop.scikit_learn import estimator
from mlcore.preparation.augmenter import Augmenter
from mlcore.preparation.outlier_remover import OutlierRemover
from mlcore.regression.scaled_target import ScaledTarget
from mlcore.runs import saved
from mlcore.runs.carry import carried_out
from mlcore.runs.curves import learning_curve
from mlcore.runs.run import Run, from_json
from mlcore.runs.script import script
from mlcore.runs.tuning.judging import inner_splits
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.method import Method
from mlcore.spine.params import parts
from tests.changes import Changes, entered


@pytest.fixture(autouse=True, scope="module")
def _in_the_catalogue():
    with entered():
        yield


def test_a_method_that_takes_sequences_stands_in_no_other():
    outer = ScaledTarget(regressor=Changes())
    with pytest.raises(DataError, match="Line in changes learns from whole sequences"):
        outer.fit(np.arange(12.0).reshape(6, 2), np.arange(6.0))


@enter(Card("several_inside", "Several inside", ("regression",), task="regression"))
@dataclass(frozen=True, kw_only=True)
class SeveralInside(Method):
    """Holds several methods, as voting and stacking do."""

    inside: tuple[Any, ...] = parts((), slot="regression", doc="What it holds.")


def test_nor_among_several_in_another():
    outer = SeveralInside(inside=("ridge", Changes()))
    with pytest.raises(DataError, match="Line in changes learns from whole sequences"):
        outer.fit(np.arange(12.0).reshape(6, 2), np.arange(6.0))


def table(**columns):
    """A table of numbers."""
    return Table.of(*(numeric(name, values) for name, values in columns.items()))


def data_of(held, **decided):
    """The data and its rows."""
    roles = {"run": "sequence", "t": "order"} | decided.pop("roles", {})
    digest = held.digest()
    data = TableData(source=Upload.of(digest, "mine.csv"), roles=tuple(roles.items()), **decided)
    return data, data.dataset({digest: held})


SHUFFLED = table(
    run=[2, 1, 2, 1, 3, 2, 1.0], t=[3, 2, 1, 1, 5, 2, 3.0],
    x=[23, 12, 21, 11, 35, 22, 13.0], y=[1, 5, 2, 8, 3, 4, 9.0],
)  # fmt: skip


def test_rows_lie_sequence_by_sequence_and_lead_back_to_the_table():
    _, data = data_of(SHUFFLED, target="y")
    np.testing.assert_array_equal(data.X[:, 0], [11, 12, 13, 21, 22, 23, 35])
    np.testing.assert_array_equal(data.rows, [3, 1, 6, 2, 5, 0, 4])
    np.testing.assert_array_equal(data.y, SHUFFLED.column("y").values[data.rows])
    np.testing.assert_array_equal(data.lengths_of(np.arange(7)), [3, 3, 1])
    assert data.notes == ("The rows are 3 sequences of 1 to 3 rows.",)
    _, data = data_of(SHUFFLED, target="y", roles={"t": "ignore"})
    np.testing.assert_array_equal(data.X[:, 0], [12, 11, 13, 23, 21, 22, 35])  # as in the table


def test_rows_without_a_place_in_a_sequence_are_left_out():
    held = table(
        run=[1, np.nan, 1, 2, 2, 2.0], t=[1, 1, np.nan, np.nan, 1, 2],
        x=np.arange(6.0), y=np.arange(6) / 2,
    )  # fmt: skip
    _, data = data_of(held, target="y")
    np.testing.assert_array_equal(data.rows, [0, 4, 5])
    assert data.notes == (
        "1 row is not used: it has no run, so no place in a sequence.",
        "2 rows are not used: they have no t, so no place in a sequence.",
        "The rows are 2 sequences of 1 to 2 rows.",
    )


@pytest.mark.parametrize(
    ("roles", "target", "says"),
    [
        ({"x": "group"}, "y", "x is the group and run the sequence"),
        ({"x": "sequence"}, "y", "Only one column can be the sequence; run, x are"),
        ({}, "run", "Column run says which sequence a row belongs to, so it cannot be the target"),
    ],
)
def test_contradictions_are_told(roles, target, says):
    with pytest.raises(DataError, match=says):
        data_of(SHUFFLED, target=target, roles=roles)


def test_the_role_travels():
    data, _ = data_of(SHUFFLED, target="y")
    run = Run(data=data, method="changes")
    assert Run.from_link(run.to_link()) == (run, ())
    assert from_json(run.to_json()) == run
    assert "('run', 'sequence')" in script(run)


def drawn(sizes=(9, 7, 8, 6, 9, 7)):
    """A table whose target follows the changes of x, its rows shuffled; and its data.

    Between two sequences x jumps by 50: who does not know where they begin learns of that.
    """
    rng = np.random.default_rng(0)
    run = np.repeat(np.arange(len(sizes)), sizes)
    t = np.concatenate([np.arange(size) for size in sizes])
    x = rng.normal(size=len(run)).cumsum() + 50.0 * run
    D = np.diff(x, prepend=x[:1]) * (t > 0)
    mixed = rng.permutation(len(run))
    y = 1 + 2 * D
    held = table(run=run[mixed] * 1.0, t=t[mixed] * 1.0, x=x[mixed], y=y[mixed])
    return held, *data_of(held, target="y")


@pytest.mark.parametrize(
    "splits",
    [KFold(n_splits=3), LeaveOneOut(), HoldOut(), ShuffleSplit(), BootstrapSplit(),
     TimeSeriesSplit(n_splits=3, gap=2)],
)  # fmt: skip
def test_a_method_gets_the_sequences_of_every_split(splits):
    held, data, rows = drawn()
    outcome = carried_out(Run(data=data, preparation=(), method="changes", evaluation=splits),
                          {held.digest(): held})  # fmt: skip
    assert outcome.folds
    for fold in outcome.folds:
        assert not fold.failure
        assert fold.scores["rmse"] < (1e-8 if not splits.cuts_units else np.inf)
        whole = np.isin(rows.sequences[fold.train], rows.sequences[fold.test])
        assert splits.cuts_units or not whole.any()
        own = rows.lengths_of(fold.train)
        at = fold.train
        parts = np.split(rows.order[at], np.cumsum(own)[:-1])
        assert own.sum() == len(at) and all((np.diff(part) > 0).all() for part in parts)
    assert list(outcome.whole.fit.learned) == [9, 7, 8, 6, 9, 7]


def test_a_sequence_that_is_drawn_twice_is_two():
    _, _, data = drawn(sizes=(3, 1, 2))
    rows = data.by_sequence(np.array([5, 3, 0, 1, 0, 2, 2, 3, 4, 1]))
    np.testing.assert_array_equal(rows, [0, 1, 2, 0, 1, 2, 3, 3, 4, 5])
    np.testing.assert_array_equal(data.lengths_of(rows), [3, 3, 1, 1, 2])


def test_other_methods_learn_from_the_rows_as_they_did():
    """Their numbers hang on the order of the rows, which a role must not change."""
    rows = TableData(source=Sequences(n_samples=90, length=15))
    as_groups = replace(rows, roles=(("sequence", "group"),))
    without = replace(rows, roles=(("sequence", "ignore"),))
    for splits in (BootstrapSplit(n_splits=3), TimeSeriesSplit(), KFold()):
        mine, theirs = (
            carried_out(Run(data=data, method="knn", evaluation=splits))
            for data in (rows, without if splits.cuts_units else as_groups)
        )
        for a, b in zip(mine.folds, theirs.folds, strict=True):
            np.testing.assert_array_equal(a.train, b.train)
            np.testing.assert_equal(np.sort(a.test), np.sort(b.test))
            if splits.cuts_units:  # the rows left out lie sequence by sequence
                np.testing.assert_allclose(list(a.scores.values()), list(b.scores.values()))
            else:
                np.testing.assert_equal(a.scores, b.scores)


@pytest.mark.parametrize(
    ("splits", "says"),
    [
        (KFold(), "5 folds need 5 sequences; there are 3. Take at most 3, which is leave-one-seq"),
        (HoldOut(stratify="on"), "cannot keep sequences together and stratify"),
    ],
)
def test_splits_refuse_in_words_of_sequences(splits, says):
    with pytest.raises(DataError, match=says):
        splits.splits(9, y=np.arange(9) % 2, groups=np.repeat([0, 1, 2], 3), unit="sequence")


def test_a_single_sequence_can_only_be_cut_in_time():
    one = {"groups": np.zeros(12), "unit": "sequence"}
    for splits in (KFold(), LeaveOneOut(), HoldOut(), ShuffleSplit(), BootstrapSplit()):
        with pytest.raises(DataError, match="2 sequences; there is 1"):
            splits.splits(12, **one)
    assert len(TimeSeriesSplit(n_splits=2).splits(12, **one)) == 2


def test_rows_that_are_removed_shorten_a_sequence():
    held, data, rows = drawn()
    run = Run(data=data, preparation=(OutlierRemover(share=0.2),), method="changes")
    outcome = carried_out(run, {held.digest(): held})
    left = rows.sequences[outcome.whole.prepared.rows]
    assert 30 < len(left) < 46
    np.testing.assert_array_equal(outcome.whole.fit.learned, np.unique(left, return_counts=True)[1])


def test_rows_that_are_made_have_no_place_in_a_sequence():
    data = TableData(source=Sequences(n_samples=90, length=15, pattern="phonemes"),
                     target="formant1", roles=(("class", "ignore"),))  # fmt: skip
    run = Run(data=data, preparation=(Augmenter(),), method="changes")
    with pytest.raises(DataError, match="repeats rows or makes new ones: Data augmentation"):
        carried_out(run)


def test_tuning_and_curves_know_the_sequences():
    _, data, rows = drawn()
    run = Run(data=data, preparation=(), method="changes", evaluation=KFold(n_splits=3))
    points = list(learning_curve(run, rows, n_points=3))
    assert all((point.scores < 1e-8).all() for point in points)
    problem = Tuning(data=data, preparation=(), method="changes", evaluation=KFold(n_splits=3))
    for split in inner_splits(problem, rows, np.arange(rows.n)[rows.sequences < 5]):
        assert rows.lengths_of(split.train).sum() == len(split.train)
        assert not set(rows.sequences[split.train]) & set(rows.sequences[split.test])


def test_a_saved_model_puts_the_rows_of_a_table_in_their_order():
    held, data, rows = drawn()
    run = Run(data=data, preparation=(), method="changes")
    outcome = carried_out(run, {held.digest(): held})
    model = saved.read(saved.written(saved.model_of(outcome, rows)))
    said = model.outputs_of(held)
    np.testing.assert_allclose(said["predicted y"], held.column("y").values, atol=1e-8)
    lengths = rows.lengths_of(np.arange(rows.n))
    np.testing.assert_allclose(model.predict(rows.X, lengths), rows.y, atol=1e-8)
    lacking = Table.of(*(c for c in held.columns if c.name != "t"))
    with pytest.raises(DataError, match="a value in the column t"):
        model.outputs_of(lacking)


def test_what_scikit_learn_is_told():
    _, data, rows = drawn()
    run = Run(data=data, preparation=(), method="changes")
    with pytest.raises(ParamError, match="Sequences of rows are not written"):
        pipeline(run, rows)
    theirs, ours = (it.fit(rows.X, rows.y) for it in (estimator(Changes()), Changes()))
    np.testing.assert_array_equal(theirs.predict(rows.X), ours.predict(rows.X))
