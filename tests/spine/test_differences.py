"""Differences of settings, records of outcomes, and the verdict on two of them."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from mlcore.classification.lda import LDA
from mlcore.clustering.kmeans import KMeans
from mlcore.decisions.td_control import TDControl
from mlcore.evaluation.splits import KFold
from mlcore.runs import (
    carry,
    carry_comparison,
    carry_count,
    carry_explanation,
    carry_lab,
    carry_redrawing,
    carry_trial,
    carry_tuning,
)
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.differences import Difference, numbers, settings, verdict
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.fingerprint import sha256
from mlcore.runs.labels import described
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.run import Comparison, LabRun, Run, Trial
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import ParamError
from mlcore.spine.registry import names

LDA_ON_IRIS = Run(data="iris", method="lda", evaluation=KFold(n_splits=3))
KMEANS_ON_IRIS = Run(data="iris", method="kmeans", evaluation=KFold(n_splits=3))
RIDGE_ON_CARS = Run(data="cars", method="ridge", evaluation=KFold(n_splits=3))
TRIAL = Trial(problem="bandit_arms", methods=("ucb",), budget=50, replicates=3)
COMPARISON = Comparison(data="iris", methods=("lda", "ridge", "knn"), evaluation=KFold(n_splits=3))
KINDS = {
    "classification": lambda: carry.carried_out(LDA_ON_IRIS),
    "clustering": lambda: carry.carried_out(KMEANS_ON_IRIS),
    "regression": lambda: carry.carried_out(RIDGE_ON_CARS),
    "trial": lambda: carry_trial.carried_out(TRIAL),
    "comparison": lambda: carry_comparison.carried_out(COMPARISON),
    "cluster_count": lambda: carry_count.carried_out(
        ClusterCount.of(KMEANS_ON_IRIS, highest=3, resamples=2, splits=2, references=2)
    ),
    "map_stability": lambda: carry_redrawing.carried_out(
        MapStability(data="iris", method="umap", refits=2)
    ),
    "explanation": lambda: carry_explanation.carried_out(Explanation.of(LDA_ON_IRIS)),
    "tuning": lambda: carry_tuning.carried_out(Tuning.of(RIDGE_ON_CARS)),
}


@pytest.fixture(scope="module")
def lda() -> carry.Outcome:
    return carry.carried_out(LDA_ON_IRIS)


def stored(outcome) -> dict:
    """A record as a store gives it back: keys in another order, tuples as lists."""
    return json.loads(json.dumps(numbers(outcome), sort_keys=True, allow_nan=False))


def with_fold(outcome, k: int, **values):
    folds = list(outcome.folds)
    folds[k] = replace(folds[k], **values)
    return replace(outcome, folds=tuple(folds))


def with_score(outcome, k: int, name: str, value: float):
    return with_fold(outcome, k, scores={**outcome.folds[k].scores, name: value})


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_run_twice_is_identical(kind):
    found = verdict(stored(KINDS[kind]()), numbers(KINDS[kind]()))
    assert found.kind == "identical", found.sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_trip_to_a_worker_changes_no_number(kind):
    outcome = KINDS[kind]()
    assert numbers(pickle.loads(pickle.dumps(outcome))) == numbers(outcome)


def test_one_rounding_in_one_score_is_equal_and_not_identical(lda):
    before = lda.folds[1].scores["log_loss"]
    now = with_score(lda, 1, "log_loss", np.nextafter(before, 1))
    assert verdict(stored(lda), numbers(now)).kind == "equal"
    far = with_score(lda, 1, "log_loss", before * (1 + 1e-8))
    found = verdict(stored(lda), numbers(far))
    assert found.kind == "different"
    assert found.sentence.startswith("Different: Log loss, number 2: ")


def test_one_rounding_in_the_fit_alone_is_seen(lda):
    means = lda.whole.fit.means.copy()
    means[0, 0] = np.nextafter(means[0, 0], 100)
    whole = replace(lda.whole, fit=replace(lda.whole.fit, means=means))
    assert verdict(stored(lda), numbers(replace(lda, whole=whole))).kind == "equal"


def test_a_changed_label_is_different_and_named_before_the_scores(lda):
    labels = lda.folds[0].predictions.copy()
    labels[0] = (labels[0] + 1) % 3
    now = with_score(with_fold(lda, 0, predictions=labels), 0, "accuracy", 0.5)
    found = verdict(stored(lda), numbers(now))
    assert found.kind == "different"
    assert found.sentence.startswith("Different: the predictions are not the same.")


def test_undefined_equals_undefined_and_nothing_else(lda):
    undefined = with_score(lda, 0, "roc_auc", float("nan"))
    assert verdict(stored(undefined), numbers(undefined)).kind == "identical"
    assert verdict(stored(undefined), numbers(lda)).kind == "different"
    endless = with_score(lda, 0, "log_loss", float("inf"))
    assert verdict(stored(endless), numbers(endless)).kind == "identical"
    assert verdict(stored(endless), numbers(lda)).kind == "different"


def test_a_score_that_is_all_rounding_counts_as_zero_beside_the_others(lda):
    zero, dust = (with_score(lda, 0, "matthews", value) for value in (0.0, 1e-17))
    assert verdict(stored(zero), numbers(dust)).kind == "equal"


def test_other_folds_done_are_named(lda):
    half = replace(lda, folds=lda.folds[:2])
    found = verdict(stored(half), numbers(lda))
    assert found.kind == "different"
    assert "folds done: 1, 2 then, 1, 2, 3 now." in found.sentence


def test_a_fold_that_failed_is_named_with_its_reason(lda):
    failed = with_fold(lda, 2, scores={}, failure="Too few rows.")
    found = verdict(stored(failed), numbers(lda))
    assert found.kind == "different"
    assert "folds done: 1, 2 then, 1, 2, 3 now." in found.sentence
    assert numbers(failed)["choices"]["reason why fold 3 has no score"] == "Too few rows."


def test_versions_processor_and_threads_are_named_where_they_changed(lda):
    other = replace(lda, versions=(*lda.versions[:-1], ("threads", "7")))
    assert verdict(stored(other), numbers(lda)).kind == "identical"
    far = with_score(other, 0, "accuracy", 0.1)
    found = verdict(stored(far), numbers(lda))
    assert "Also different: threads: 7 then, " in found.sentence
    alike = verdict(stored(with_score(lda, 0, "accuracy", 0.1)), numbers(lda))
    assert alike.sentence.endswith("Versions, processor and threads are the same.")


def test_the_two_records_may_be_called_otherwise(lda):
    far = numbers(with_score(lda, 0, "accuracy", 0.1))
    found = verdict(numbers(lda), far, called=("in the first", "in the second"))
    assert "0.1 in the second." in found.sentence and "then" not in found.sentence


def test_another_method_of_equal_numbers_is_identical(lda):
    """The verdict is on numbers; what was asked is the matter of `settings`."""
    renamed = replace(lda, run=replace(lda.run, method="logistic"))
    assert verdict(stored(lda), numbers(renamed)).kind == "identical"


def test_changed_rows_under_the_same_name_are_seen(lda):
    X = lda.whole.prepared.X.copy()
    X[3, 1] += 0.5
    whole = replace(lda.whole, prepared=replace(lda.whole.prepared, X=X))
    found = verdict(stored(lda), numbers(replace(lda, whole=whole)))
    assert found.sentence.startswith("Different: sizes of prepared rows, number 1: ")


def test_outcomes_of_different_kinds_are_different(lda):
    found = verdict(numbers(KINDS["trial"]()), numbers(lda))
    assert found.sentence.startswith("Different: kind of run: trial then, run now.")


def test_a_method_of_a_comparison_is_named():
    outcome = KINDS["comparison"]()
    (table,) = outcome.sets
    worse = replace(table[2], outcome=with_score(table[2].outcome, 0, "accuracy", 0.1))
    found = verdict(stored(outcome), numbers(replace(outcome, sets=((*table[:2], worse),))))
    assert "k-nearest neighbours on Iris: Accuracy, number 1: 0.9" in found.sentence
    assert "predicts a quantity" in str(numbers(outcome)["choices"])


@pytest.mark.parametrize("name", names("lab"))
def test_a_lab_is_compared_number_by_number(name):
    outcome = carry_lab.carried_out(LabRun(lab=name))
    found = numbers(outcome)
    assert found["values"] and verdict(stored(outcome), found).kind == "identical"
    first = next(iter(found["values"]))
    far = {**found["values"], first: [1e9, *found["values"][first][1:]]}
    assert verdict({**found, "values": far}, found).sentence.startswith(f"Different: {first}")


def test_equal_runs_differ_in_nothing():
    assert settings(LDA_ON_IRIS, Run(data="iris", method=LDA(), evaluation=KFold(n_splits=3))) == ()


def test_settings_name_path_and_both_values():
    other = replace(KMEANS_ON_IRIS, method=KMeans(n_clusters=5), seed=7)
    assert settings(KMEANS_ON_IRIS, other) == (
        Difference("method.n_clusters", "3", "5"),
        Difference("seed", "0", "7"),
    )


def test_a_replaced_part_is_one_difference_with_its_own_settings():
    other = replace(LDA_ON_IRIS, method=KMeans(n_clusters=5))
    (found,) = settings(LDA_ON_IRIS, other)
    assert found.path == "method"
    assert found.before == LDA().title()
    assert found.after == "(k-means, number of clusters 5)"


def test_settings_of_equal_steps_are_compared_step_by_step():
    (found,) = settings(LDA_ON_IRIS, replace(LDA_ON_IRIS, preparation=("impute",)))
    assert found.path == "preparation" and found.after == "Imputation"
    steps = LDA_ON_IRIS.preparation
    changed = (replace(steps[0], strategy="mean"), *steps[1:])
    (found,) = settings(LDA_ON_IRIS, replace(LDA_ON_IRIS, preparation=changed))
    assert found.path == "preparation.0.strategy"


def test_methods_of_a_trial_are_compared_too():
    other = replace(TRIAL, methods=("ucb", TDControl(target="sarsa")))
    (found,) = settings(TRIAL, other)
    assert found.path == "methods" and "SARSA" in found.after


def test_runs_of_different_kinds_are_one_difference():
    (found,) = settings(LDA_ON_IRIS, TRIAL)
    assert found.path == "" and found.after.startswith("Trial")


def test_a_component_is_described_by_what_is_not_usual():
    assert described(KMeans()) == KMeans.title()
    assert described(KMeans(n_clusters=4)) == f"{KMeans.title()}, number of clusters 4"


def test_what_has_no_numbers_is_said(lda):
    with pytest.raises(ParamError, match="is no kind of run"):
        numbers(replace(lda, run=lda.run.evaluation))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["ab", "c"], ["a", "bc"]),
        ([1, [2]], [[1], 2]),
        (1, 1.0),
        (0.0, -0.0),
        (np.zeros(2), np.zeros((2, 1))),
        (np.array(["a", None], dtype=object), np.array(["b", None], dtype=object)),
    ],
)
def test_different_values_have_different_digests(one, other):
    assert sha256(one) != sha256(other)


def test_what_cannot_be_told_is_an_error():
    with pytest.raises(TypeError, match="no bits"):
        sha256(object())
