"""Numbers of one page agree: scores, counts of rows, and what stands after ±."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from figures.numbers.left_out import by_fold
from figures.view import views
from figures.views.classification import decision_regions
from figures.views.clustering import cluster_map
from figures.views.evaluation import confusion_heatmap, optimism_bar, roc
from figures.views.regression import residuals
from mlcore.evaluation.splits import KFold, LeaveOneOut, ShuffleSplit
from mlcore.evaluation.summary import rows_left_out, summary
from mlcore.runs import carry_trial, carry_tuning
from mlcore.runs.carry import Outcome, carried_out, report
from mlcore.runs.run import Run, Trial
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from service import report as html_report

REPEATED = Run(data="wine", method="knn", evaluation=KFold(n_splits=5, n_repeats=3))
NUMBERS = Run(data="diabetes", method="ridge", evaluation=KFold(n_splits=7))
INCOMPLETE = Run(data="penguins", method="knn", evaluation=KFold(n_splits=5))


@cache
def outcome(run: Run) -> Outcome:
    """Several tests look at one outcome."""
    return carried_out(run)


def test_a_score_is_summed_over_the_folds_that_have_it():
    assert summary([0.5, np.nan, 1.0]) == (0.75, pytest.approx(0.5 / np.sqrt(2)), 2)
    assert np.isnan(summary([0.5]).sd)
    assert np.isnan(summary([]).mean) and summary([]).count == 0


def test_repeats_are_no_rows():
    found, dataset = outcome(REPEATED), REPEATED.data.dataset()
    assert rows_left_out(found.done) == (178, 3, 3)
    matrix = confusion_heatmap.numbers(dataset, found)
    assert matrix.counts.sum() == pytest.approx(178)
    np.testing.assert_allclose(matrix.counts.sum(axis=1), np.bincount(dataset.y))
    assert "of 178 rows are predicted right, a mean over the repeats." in confusion_heatmap.reading(
        matrix
    )
    assert "15 of 15 folds, 178 rows, each 3 times" in report(found)
    page = html_report.of_run(found, dataset)
    assert "n = 178, each 3 times" in page
    assert "534" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_rows_of_random_parts_count_once_too():
    run = Run(data="iris", method="knn", evaluation=ShuffleSplit(n_splits=4))
    found, dataset = carried_out(run), run.data.dataset()
    rows, least, most = rows_left_out(found.done)
    assert rows < 150 and least == 1 and most > 1
    assert confusion_heatmap.numbers(dataset, found).counts.sum() == pytest.approx(rows)
    assert rows_left_out(found.done).again == f", each 1 to {most} times"


def test_without_repeats_rows_are_counted_as_ever():
    found, dataset = outcome(INCOMPLETE), INCOMPLETE.data.dataset()
    matrix = confusion_heatmap.numbers(dataset, found)
    assert not matrix.is_repeated
    assert rows_left_out(found.done).again == ""
    assert re.search(r"^\d+ of 344 rows are predicted right\.", confusion_heatmap.reading(matrix))


def test_a_picture_gives_the_score_of_the_page():
    found, dataset = outcome(REPEATED), REPEATED.data.dataset()
    areas = [curve.area for curve in roc.numbers(dataset, found).curves]
    assert np.mean(areas) == pytest.approx(found.mean("roc_auc"), abs=1e-12)
    errors = residuals.numbers(NUMBERS.data.dataset(), outcome(NUMBERS))
    assert errors.rmse == pytest.approx(outcome(NUMBERS).mean("rmse"), abs=1e-12)


def test_where_no_fold_has_an_area_it_is_that_of_all_rows():
    run = Run(data="moons", method="lda", evaluation=LeaveOneOut())
    found, dataset = carried_out(run), run.data.dataset()
    (curve,) = roc.numbers(dataset, found).curves
    assert curve.is_pooled and 0.5 < curve.area <= 1
    assert "(mean over the folds)" not in roc.reading(roc.numbers(dataset, found))
    assert by_fold(lambda a, b: float((a == b).mean()), np.ones(4), np.ones(4), np.arange(4)) == (
        1.0, 0.0, 4,
    )  # fmt: skip


@pytest.mark.parametrize("x", ["", "flipper_length_mm"])
def test_rows_without_a_place_are_counted_and_said(x):
    found, dataset = outcome(INCOMPLETE), INCOMPLETE.data.dataset()
    y = "body_mass_g" if x else ""
    regions = decision_regions.numbers(dataset, found.whole, found, x=x, y=y)
    missed = sum(int((f.predictions != dataset.y[f.test]).sum()) for f in found.done)
    said = decision_regions.reading(regions)
    assert said.startswith(f"{missed} errors among 344 rows")
    assert "2 rows without a value of " in said
    matrix = confusion_heatmap.reading(confusion_heatmap.numbers(dataset, found))
    assert matrix.startswith(f"{344 - missed} of 344 rows")


def test_clusters_hold_the_rows_without_a_place_too():
    run = Run(data="penguins", method="kmeans", evaluation=KFold(n_splits=3))
    found, dataset = carried_out(run), run.data.dataset()
    shown = cluster_map.numbers(dataset, found.whole, x="bill_length_mm", y="body_mass_g")
    sizes = np.bincount(found.whole.labels(dataset.X))
    assert len(shown.cloud.x) == 342 and sizes.sum() == 344
    assert f"clusters of {sizes.min()} to {sizes.max()} rows." in cluster_map.reading(shown)
    assert "2 rows without a value of bill_length_mm or body_mass_g are not drawn." in (
        cluster_map.reading(shown)
    )


def test_plus_minus_stands_before_standard_deviations_alone():
    trial = carry_trial.carried_out(
        Trial(
            problem="bandit_arms", methods=("ucb", "thompson_sampling"), budget=400, replicates=12
        )
    )
    for name in ("trial_scores", "regret_curve"):
        said = views()[name].make(trial=trial).reading
        assert "±" not in said
        assert "95 % interval" in said


def test_what_a_choice_reaches_is_said_once():
    run = Tuning(
        data="iris",
        method="knn",
        search=GridSearch(over=(("method.n_neighbors", "1, 5"),)),
        evaluation=KFold(n_splits=3),
    )
    found = carry_tuning.carried_out(run)
    said = optimism_bar.reading(optimism_bar.numbers(found))
    assert said.count("on test rows") == 1
