"""One step of a preparation at a time: its rows and columns, and what it learned in each fold."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.stages import stage
from figures.views.evaluation import fold_ribbon
from figures.views.preparation import before_after, encoding_table, step_values
from mlcore.preparation.outlier_clipper import OutlierClipper
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import carried_out, dataset_of
from mlcore.runs.run import Run


@pytest.fixture(scope="module")
def done():
    """The greeting data with their proposed steps, and one that changes the rows."""
    run = Run.from_link(
        {
            "data": "penguins",
            "method": "constant",
            "preparation": "impute~one_hot~balancer~standardise",
        }
    )[0]
    return run, dataset_of(run.data), carried_out(run)


def test_a_step_finds_what_those_before_it_left(done):
    _, dataset, outcome = done
    before, first = stage(dataset, outcome.whole, 1)
    assert before is dataset
    assert np.isnan(before.X).any()
    assert not np.isnan(first.prepared.X).any()
    before, second = stage(dataset, outcome.whole, 2)
    np.testing.assert_array_equal(before.X, first.prepared.X)
    assert len(before.columns) == 6
    assert len(second.prepared.columns) == 8


def test_behind_a_step_that_resamples_the_rows_are_its_own(done):
    _, dataset, outcome = done
    before, third = stage(dataset, outcome.whole, 3)
    assert len(third.prepared.X) == len(outcome.whole.prepared.X) < before.n
    behind, last = stage(dataset, outcome.whole, 4)
    np.testing.assert_array_equal(behind.X, third.prepared.X)
    np.testing.assert_array_equal(last.prepared.X, outcome.whole.prepared.X)
    assert len(set(np.bincount(behind.y))) == 1, "as many of each class"
    b = before_after.numbers(behind, last)
    assert b.before.cloud.n == b.after.cloud.n == len(last.prepared.X)


def test_learned_values_of_one_step_are_those_of_its_folds(done):
    _, dataset, outcome = done
    s = step_values.numbers(dataset, outcome, stage=4)
    at = s.heads.index("body_mass_g, mean")
    for k, fold in enumerate(outcome.done):
        (scale,) = [step for step in fold.summary if step.step == "Standardisation"]
        (mean,) = [v for c, what, v in scale.values if (c, what) == ("body_mass_g", "mean")]
        assert s.values[at, k] == mean
    assert s.every[at] == pytest.approx(outcome.whole.prepared.fits[3].center[6], rel=1e-12)
    spread = np.nanstd(s.values, axis=1) / np.nanmean(np.abs(s.values), axis=1)
    assert (np.diff(spread) <= 1e-12).all(), "largest differences first"
    assert "differs most" in step_values.reading(s)
    whole = s._replace(values=np.round(s.values), heads=s.heads)
    assert ".0 to " not in step_values.reading(whole)  # counts are whole
    meta = step_values.draw(s).layout.meta  # on a phone cells keep their words, and heads lie level
    assert meta["high"] and meta["least"] > 40 * (1 + s.values.shape[1])


def test_before_and_after_show_the_columns_that_a_step_bends_and_the_values_it_fills():
    run = Run(data="iris", method="constant", preparation=(OutlierClipper(threshold=1.0),))
    clipped = before_after.numbers(dataset_of(run.data), carried_out(run).whole)
    assert [c.name for c in clipped.before.columns] == ["sepal_length_cm", "sepal_width_cm"]
    run = Run(data="iris", method="constant", preparation=("standardise",))
    scaled = before_after.numbers(dataset_of(run.data), carried_out(run).whole)
    assert [c.name for c in scaled.before.columns] == ["petal_length_cm", "petal_width_cm"]
    assert not scaled.after.filled.any()


def test_rows_with_a_filled_value_are_hollow_behind_the_step(done):
    _, dataset, outcome = done
    before, first = stage(dataset, outcome.whole, 1)
    b = before_after.numbers(before, first)
    assert b.after.filled.sum() == 2
    assert b.after.cloud.n == b.before.cloud.n + 2
    assert "Hollow marks, 2 rows, had no value" in before_after.reading(b)


def test_two_steps_of_one_kind_keep_their_values_apart():
    steps = (Standardise(scale="none"), Standardise())
    run = Run(data="iris", method="constant", preparation=steps)
    outcome = carried_out(run)
    centers = step_values.numbers(dataset_of(run.data), outcome, stage=1)
    both = step_values.numbers(dataset_of(run.data), outcome)
    assert [head for head in centers.heads if "std" in head] == []
    assert len(centers.heads) == 4
    assert len(both.heads) == 12
    at = centers.heads.index("petal_width_cm, mean")
    assert centers.every[at] == pytest.approx(dataset_of(run.data).X[:, 3].mean())


def test_what_rows_left_out_bring_is_said_of_the_step_that_counts_it():
    run = Run(data="iris", method="constant", preparation=("standardise", "min_max"))
    dataset, outcome = dataset_of(run.data), carried_out(run)
    count = sum(fold.met[1].count for fold in outcome.done)
    said = f"In test rows: {count} of 600 values outside 0 to 1."
    second = step_values.numbers(dataset, outcome, stage=2)
    assert step_values.reading(second).endswith(said)
    assert step_values.numbers(dataset, outcome, stage=1).met == ""
    ribbon = fold_ribbon.numbers(dataset, outcome)
    assert fold_ribbon.reading(ribbon).endswith(said)
    own = [fold.met[1] for fold in outcome.done]
    for text, met in zip(ribbon.met, own, strict=True):
        assert text.startswith(f"In test rows: {met.count} of 120") or not met.count


def test_levels_of_one_step_are_counted_among_the_rows_of_the_data():
    link = {"data": "penguins", "method": "constant", "preparation": "impute~balancer~one_hot"}
    run = Run.from_link(link)[0]
    dataset, outcome = dataset_of(run.data), carried_out(run)
    e = encoding_table.numbers(dataset, outcome, stage=3)
    assert e.counts[:3].tolist() == [168, 124, 52]
    assert encoding_table.numbers(dataset, outcome, stage=1).levels == ()
