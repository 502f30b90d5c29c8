"""Explanations as runs: on rows left out, by the models that had not seen them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.evaluation.splits import KFold, Split
from mlcore.runs import carry_explanation
from mlcore.runs.carry import splits_of
from mlcore.runs.carry_explanation import ExplanationOutcome, carried_out, does_not_apply
from mlcore.runs.explaining.contributions import Contributions
from mlcore.runs.explaining.contributions_of_rows import ContributionsOfMany
from mlcore.runs.explaining.effect import Effect
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.importance import Importance
from mlcore.runs.explaining.model import Model, model_of
from mlcore.runs.explaining.sharing_out import background_of
from mlcore.runs.explaining.short_ways import OUTPUTS
from mlcore.runs.explaining.what_if import WhatIf, _even_values
from mlcore.runs.run import AnyRun, Run, from_json
from mlcore.spine import random
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

PENGUINS = Run(data="penguins", method="lda", evaluation=KFold(n_splits=4))
CARS = Run(data="cars", method="ridge", evaluation=KFold(n_splits=3))
QUESTIONS = {
    "importance": Importance(shuffles=3),
    "effect": Effect(variable="island", second="bill_length_mm", rows=40),
    "shapley": Contributions(row=4, background=20, scale=OUTPUTS),
    "shapley_rows": ContributionsOfMany(rows=20, background=10),
    "what_if": WhatIf(row=4, changes=(("island", "Dream"), ("body_mass_g", "5000"))),
}


@cache
def outcome(question: str) -> ExplanationOutcome:
    return carried_out(Explanation.of(PENGUINS, QUESTIONS[question]))


@pytest.mark.parametrize("name", QUESTIONS)
def test_it_survives_link_and_json_and_equal_seeds_give_equal_bits(name):
    run = Explanation.of(PENGUINS, QUESTIONS[name])
    assert from_json(run.to_json()) == run
    assert Explanation.from_link(run.to_link()) == (run, ())
    again = carried_out(run)
    found = carry_explanation.fingerprint(pickle.loads(pickle.dumps(outcome(name))))
    assert found == carry_explanation.fingerprint(again)
    assert found.bits
    assert carry_explanation.report(again).startswith("Linear discriminant analysis")


def test_noise_is_worth_nothing_on_rows_left_out_though_a_model_learned_it_by_heart():
    """One neighbour knows all training rows: on these the noise would be worth much."""
    source = lookup("source", "blobs")(n_samples=120, n_features=3, cluster_std=6.0)
    run = Run(data=TableData(source=source), method=lookup("classification", "knn")(n_neighbors=1))
    found = carried_out(Explanation.of(run, Importance(shuffles=5)))
    dataset = run.data.dataset()
    on_training_rows = []
    for k, split in enumerate(splits_of(run, dataset)):
        seen = Split(split.train, split.train)
        model = model_of(run, dataset, seen)
        on_training_rows.append(Importance(shuffles=5).answer(model, k).lost.mean())
    assert np.mean(on_training_rows) > 0.1
    assert found.joined.mean.mean() < np.mean(on_training_rows) / 2


def test_the_importance_of_a_fold_is_computed_on_its_test_rows_alone():
    dataset = PENGUINS.data.dataset()
    split = splits_of(PENGUINS, dataset)[0]
    model = model_of(PENGUINS, dataset, split)
    found = Importance(shuffles=2).answer(model, 0)
    right = model.decisions(dataset.X[split.test]) == dataset.y[split.test]
    assert found.score == pytest.approx(right.mean())
    assert found.n_rows == len(split.test)


def test_a_variable_is_that_of_the_table_and_its_encoded_columns_go_together():
    found = outcome("importance").joined
    assert found.variables[0] == "island"
    assert len(found.variables) == len(PENGUINS.data.dataset().columns)
    assert found.lost.shape == (6, 4)
    assert found.n_rows == PENGUINS.data.dataset().n


def test_a_loss_is_lost_where_small_is_good():
    found = carried_out(Explanation.of(CARS, Importance(shuffles=3))).joined
    assert found.metric.name == "rmse"
    assert found.mean.max() > 0


def test_each_curve_is_by_the_model_that_left_the_row_out():
    found, dataset = outcome("effect").joined, PENGUINS.data.dataset()
    splits = splits_of(PENGUINS, dataset)
    at = [c.name for c in dataset.columns].index("island")
    assert found.pair.shape == (3, 15, 3)
    assert found.accumulated.shape == (0, 3)  # names have no order
    for row, fold, curve in zip(found.rows[::9], found.folds[::9], found.curves[::9], strict=True):
        split = splits[fold - 1]
        assert row in split.test
        own = int(dataset.X[row, at])
        said = model_of(PENGUINS, dataset, split).outputs(dataset.X[[row]])[0]
        assert curve[own] == pytest.approx(said)


def test_the_effects_of_a_linear_model_are_its_line_both_ways():
    found = carried_out(Explanation.of(CARS, Effect())).joined
    slope = np.diff(found.mean[:, 0]) / np.diff(found.grid)
    assert np.ptp(slope) < 1e-8 * abs(slope[0])
    local = np.diff(found.accumulated[:, 0]) / np.diff(found.edges)
    assert local == pytest.approx(np.full(len(local), slope[0]), rel=0.1)


def test_the_contributions_add_up_to_the_prediction_of_a_model_that_had_not_seen_the_row():
    found, dataset = outcome("shapley").joined, PENGUINS.data.dataset()
    split = splits_of(PENGUINS, dataset)[found.fold - 1]
    assert 3 in split.test
    assert 3 not in split.train
    said = model_of(PENGUINS, dataset, split).outputs(dataset.X[[3]])[0]
    assert found.base + found.contributions.sum(axis=0) == pytest.approx(said)
    assert found.prediction == pytest.approx(said)


def test_more_than_ten_variables_are_drawn_with_a_stated_error():
    run = Run(data="wine", method="lda", evaluation=KFold(n_splits=3))
    question = Contributions(background=30, rounds=4, scale=OUTPUTS)
    found = carried_out(Explanation.of(run, question)).joined
    assert not found.is_exact
    assert (found.errors > 0).any()
    assert found.base + found.contributions.sum(axis=0) == pytest.approx(found.prediction)


def test_many_rows_are_shared_out_each_by_the_model_that_left_it_out():
    found, dataset = outcome("shapley_rows").joined, PENGUINS.data.dataset()
    splits = splits_of(PENGUINS, dataset)
    assert found.scale == "score"
    assert found.is_exact
    assert len(found.rows) == len(set(found.rows.tolist())) == 20
    assert all(row in splits[k - 1].test for row, k in zip(found.rows, found.folds, strict=True))
    row, k = found.rows[7], found.folds[7] - 1
    model = model_of(PENGUINS, dataset, splits[k])
    said = model.fit.decision(model.prepared.transform(dataset.X[[row]]))[0]
    # The base is that of the fold; what is left of the score is the sum of the contributions.
    assert found.predictions[7] == pytest.approx(said)
    background, _ = background_of(model, 10)
    base = model.fit.decision(model.prepared.transform(background)).mean(axis=0)
    assert found.contributions[7].sum(axis=0) == pytest.approx(said - base)


def test_a_row_of_one_question_is_shared_out_like_the_same_row_of_the_other():
    many = outcome("shapley_rows").joined
    at, dataset = int(many.rows[3]), PENGUINS.data.dataset()
    one = Contributions(row=int(dataset.rows[at]) + 1, background=10)
    found = carried_out(Explanation.of(PENGUINS, one)).joined
    assert found.contributions == pytest.approx(many.contributions[3])
    assert found.prediction == pytest.approx(many.predictions[3])


def test_what_is_not_exact_is_drawn_and_says_its_error():
    run = Run(data="wine", method="svc", evaluation=KFold(n_splits=3))
    found = carried_out(Explanation.of(run, ContributionsOfMany(rows=9, background=8))).joined
    assert not found.is_exact
    assert (found.errors > 0).any()
    few = Run(data="iris", method="svc", evaluation=KFold(n_splits=3))
    assert carried_out(Explanation.of(few, ContributionsOfMany(rows=9))).joined.is_exact


@pytest.mark.parametrize(
    ("method", "scale", "predicted"),
    [
        ("lda", "auto", 20),  # the short way predicts the background rows alone
        ("random_forest", OUTPUTS, 20),
        ("lda", OUTPUTS, 2**6 * 20),
        ("knn", "auto", 2**6 * 20),
    ],
)
def test_what_a_row_costs_is_known_before_anything_is_fitted(method, scale, predicted):
    run = Run(data="penguins", method=method, evaluation=KFold(n_splits=4))
    asked = Explanation.of(run, Contributions(background=20, scale=scale))
    dataset, said = run.data.dataset(), []
    assert carry_explanation.consists_of(asked, dataset) == f"1 model, {predicted:,} predictions"
    outputs = Model.outputs

    def counted(self: Model, X: np.ndarray) -> np.ndarray:
        said.append(len(X))
        return outputs(self, X)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "outputs", counted)
        carried_out(asked)
    # Where scores are shared out, the background rows are scored, not predicted.
    assert sum(said) == (0 if method == "lda" and scale == "auto" else predicted)


def test_what_if_says_both_predictions_and_a_change_that_flips():
    found = outcome("what_if").joined
    assert found.is_changed.sum() == 2
    assert found.of_folds.shape == (4, 3)
    assert found.before != pytest.approx(found.after)
    dataset = PENGUINS.data.dataset()
    every = np.arange(dataset.n)
    split = Split(every, every)
    model = model_of(PENGUINS, dataset, split)
    assert found.changes
    for change in found.changes:
        row = found.now.copy()
        row[list(change.columns)] = change.values
        assert model.decisions(row[None])[0] != model.decisions(found.now[None])[0]
    assert 4 not in found.near_rows  # the row itself is no neighbour


def test_what_a_row_had_is_predicted_by_the_model_that_had_not_seen_it():
    found, dataset = outcome("what_if").joined, PENGUINS.data.dataset()
    at = int(np.flatnonzero(dataset.rows == found.row - 1)[0])
    splits = splits_of(PENGUINS, dataset)
    by = [model_of(PENGUINS, dataset, s).outputs(dataset.X[[at]])[0] for s in splits]
    seen = [at in s.train for s in splits]
    assert found.unseen == pytest.approx(by[seen.index(False)], abs=1e-12)
    # The first model had seen it, or the last one: another than the one that had not.
    assert found.unseen != pytest.approx(by[seen.index(True)], abs=1e-6)


def test_the_curve_of_a_row_is_the_prediction_for_each_value_of_one_variable():
    found = outcome("what_if").joined
    names = [column.name for column in found.variables]
    grid, curve = found.profiles[names.index("body_mass_g")]
    at = np.searchsorted(grid, 5000.0)
    assert grid[at] == 5000 and (np.diff(grid) > 0).all()
    np.testing.assert_allclose(curve[at], found.after, atol=1e-12)
    heavier = WhatIf(row=4, changes=(("island", "Dream"), ("body_mass_g", repr(float(grid[9])))))
    other = carried_out(Explanation.of(outcome("what_if").run.run(), heavier)).joined
    np.testing.assert_allclose(curve[9], other.after, atol=1e-12)
    assert not len(found.profiles[names.index("island")].grid)  # names have no order


def test_variables_that_are_asked_about_together_are_shuffled_at_once():
    """By hand from the same orders; one that stands in for another hides what both are worth."""
    together = Importance(shuffles=3, group=("flipper_length_mm", "body_mass_g"))
    found = carried_out(Explanation.of(PENGUINS, together)).joined
    assert found.variables == ("flipper_length_mm + body_mass_g",) and found.lost.shape[0] == 1
    dataset = PENGUINS.data.dataset()
    model = model_of(PENGUINS, dataset, splits_of(PENGUINS, dataset)[0])
    lost, X, y = [], dataset.X[model.split.test].copy(), dataset.y[model.split.test]
    rng = random.generator(PENGUINS.seed, "permutation importance", 0)
    right = (model.decisions(X) == y).mean()
    for _ in range(3):
        order, Z = rng.permutation(len(X)), X.copy()
        for j in found.members[0]:
            Z[:, j] = X[order, j]
        lost.append(right - (model.decisions(Z) == y).mean())
    assert found.lost[0, 0] == pytest.approx(np.mean(lost), abs=1e-12)
    among_alike = replace(together, way="conditional").answer(model, 0)
    np.testing.assert_array_equal(among_alike.lost, together.answer(model, 0).lost)
    with pytest.raises(DataError, match="no column 'beak'"):
        carried_out(Explanation.of(PENGUINS, Importance(group=("beak",))))


@pytest.mark.parametrize(
    ("low", "high", "is_whole", "some", "most"),
    [
        (32.1, 59.6, False, [32.1, 32.5, 33.0, 59.5, 59.6], 60),
        (2700.0, 6300.0, True, [2700, 2800, 6300], 60),
        (0.0, 3.0, True, [0, 1, 2, 3], 4),
        (1e-9, 3e-9, False, [1e-9, 3e-9], 60),
        (5.0, 5.0, True, [5.0, 5.0], 2),
        (-1e308, 1e308, False, [-1e308, 1e308], 2),
    ],
)
def test_values_that_a_row_may_be_given_are_numbers_that_people_write(
    low, high, is_whole, some, most
):
    values = _even_values(low, high, is_whole)
    assert set(some) <= set(values.tolist()) and len(values) <= most
    assert (values[0], values[-1]) == (low, high)
    assert not is_whole or (values == np.round(values)).all()


def test_a_quantity_moves_by_its_standard_deviation():
    found = carried_out(Explanation.of(CARS, WhatIf(row=2))).joined
    assert found.step > 0
    assert found.changes
    assert not found.is_class


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (Effect(variable="beak"), "no column 'beak'"),
        (Contributions(row=9999), "Row 9999 of the table is not used"),
        (WhatIf(changes=(("island", "Texel"),)), "no level 'Texel'"),
        (WhatIf(changes=(("body_mass_g", "heavy"),)), "holds numbers; got 'heavy'"),
    ],
)
def test_a_question_that_does_not_fit_is_refused_in_a_sentence(question, sentence):
    run = Explanation.of(PENGUINS, question)
    assert sentence in str(does_not_apply(run, PENGUINS.data.dataset()))
    with pytest.raises(DataError, match=sentence):
        carried_out(run)


def test_what_predicts_no_target_is_not_explained():
    run = Explanation.of(Run(data="iris", method="kmeans"))
    assert "nothing to explain" in str(does_not_apply(run, run.data.dataset()))


def test_what_is_done_after_a_stop_is_kept_and_gone_on_with():
    run: AnyRun = Explanation.of(PENGUINS, QUESTIONS["importance"])
    events = list(carry_explanation.carry_out(run))
    part = carry_explanation.so_far(run, events[:2])
    assert part is not None
    assert part.joined.folds.tolist() == [1, 2]
    rest = list(carry_explanation.carry_out(run, before=events[:2]))
    assert [event.k for event in rest] == [0, 1, 2, 3]
    assert [event.done for event in rest] == [1, 2, 3, 4]
