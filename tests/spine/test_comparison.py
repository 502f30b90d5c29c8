"""Comparisons: written forms, equal folds, failures, stopping half-way, scripts, several tables."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlcore.__main__ import main
from mlcore.data.dataset import TableData
from mlcore.data.upload import Upload
from mlcore.evaluation.splits import HoldOut, KFold
from mlcore.neighbours.knn import KNNClassifier
from mlcore.runs import carry, cost
from mlcore.runs.carry_comparison import (
    NOT_YET,
    carried_out,
    carry_out,
    does_not_apply,
    estimate,
    labels,
    planned,
    report,
    so_far,
)
from mlcore.runs.comparable import standing
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.run import Comparison, Pipeline, Run, from_json
from mlcore.runs.script import script
from mlcore.spine.errors import DataError
from mlcore.spine.registry import entries, lookup
from tests.contract.subjects import is_sentence

ROOT = Path(__file__).parents[2]
PLAIN = Pipeline(preparation=("impute", "one_hot"), method="lda")
SMALL = Comparison(data="iris", methods=("lda", "knn", PLAIN), evaluation=KFold(n_splits=3), seed=2)
SEVERAL = replace(SMALL, methods=("lda", "logistic"), more=("wine", "moons"))


def events_of(run: Comparison) -> list:
    """Everything that carrying out a comparison yields."""
    return list(carry_out(run))


@pytest.mark.parametrize("run", [Comparison(), SMALL, SEVERAL], ids=lambda run: run.short())
def test_a_comparison_comes_back_from_every_written_form(run):
    assert from_json(run.to_json()) == run
    assert Comparison.from_link(run.to_link()) == (run, ())


def test_further_tables_may_be_named_by_what_they_hold():
    run, problems = Comparison.from_link({"data": "iris", "more": "wine~moons"})
    assert problems == ()
    assert run.more == SEVERAL.more


def test_every_method_has_the_outcome_that_it_has_alone():
    found = carried_out(SMALL)
    for entrant, run in zip(found.entrants, SMALL.runs(), strict=True):
        alone = carry.carried_out(run)
        assert entrant.outcome.run == alone.run == run
        for mine, other in zip(entrant.outcome.folds, alone.folds, strict=True):
            assert mine.scores == other.scores
            assert mine.baseline == other.baseline
            np.testing.assert_array_equal(mine.test, other.test)
            np.testing.assert_array_equal(mine.predictions, other.predictions)


TASKS = {"iris": "classification", "diabetes": "regression"}


@pytest.mark.parametrize("data", TASKS)
def test_no_method_spoils_what_the_next_one_is_given(data):
    # Of one scoring: others cannot stand beside each other.
    every = [name for name, cls in entries(TASKS[data]).items() if not cls.card.scores]
    for first in range(0, len(every), 9):
        run = Comparison(
            data=data, methods=(*every[first : first + 9], "lda"), evaluation=HoldOut()
        )
        for entrant, one in zip(carried_out(run).entrants[:-1], run.runs()):
            assert entrant.outcome.folds[0].scores == carry.carried_out(one).folds[0].scores


def test_folds_are_the_same_for_all_and_go_round_the_methods():
    found = events_of(SMALL)
    assert [event.done for event in found] == list(range(1, 13))
    assert {event.total for event in found} == {12}
    folds = [(event.result.k, event.which) for event in found[3:]]
    assert folds == [(k, which) for k in range(3) for which in range(3)]
    for which in range(1, 3):
        for first, other in zip(found[3::3], found[3 + which :: 3], strict=True):
            np.testing.assert_array_equal(first.result.train, other.result.train)


def test_a_pipeline_prepares_for_itself():
    found = carried_out(SMALL)
    steps = [len(e.outcome.whole.prepared.fits) for e in found.entrants]
    assert steps == [3, 3, 2]
    assert found.entrants[2].label.endswith("after imputation, one-hot encoding")


def test_a_method_that_does_not_apply_is_a_row_and_the_others_go_on():
    found = carried_out(replace(SMALL, methods=("lda", "ridge", "knn")))
    assert [e.has_scores for e in found.entrants] == [True, False, True]
    assert found.entrants[1].outcome is None
    assert "predicts a quantity" in found.entrants[1].failure
    assert found.done == found.planned == 12
    assert [e.which for e in found.scored] == [0, 2]


def test_a_method_that_fails_on_all_rows_is_a_row():
    bare = Pipeline(preparation=(), method="lda")  # penguins have missing values
    found = carried_out(replace(SMALL, data="penguins", methods=("naive_bayes", bare)))
    assert found.entrants[0].has_scores or found.entrants[0].failure
    assert found.entrants[1].outcome is None
    assert is_sentence(found.entrants[1].failure)
    assert found.done == found.planned


def test_a_fold_that_fails_leaves_the_others_of_its_method():
    # 150 rows: 120 neighbours are there in all rows, but not in two thirds of them.
    many = KNNClassifier(n_neighbors=120)
    found = carried_out(replace(SMALL, methods=("lda", many)))
    assert len(found.entrants[0].outcome.done) == 3
    assert found.entrants[1].outcome.done == ()
    assert is_sentence(found.entrants[1].failure)
    assert not found.entrants[1].has_scores


def test_methods_that_are_judged_otherwise_are_told_so():
    found = standing(Comparison(methods=("kmeans", "pca", "kmeans")), dataset("iris")).reasons
    assert [bool(why) for why in found] == [False, True, False]
    assert "other measures" in found[1]


def test_every_map_of_rows_stands_beside_every_other():
    maps = [cls() for cls in entries("reduction").values() if not cls.card.task]
    maps = [method for method in maps if method.card.scores != ("canonical_scores",)]  # pairs
    wine = dataset("wine")
    for other in maps:
        found = standing(Comparison(data="wine", methods=("laplacian_eigenmaps", other)), wine)
        assert found.reasons == ("", "")
        names = [metric.name for metric in found.judge.metrics()]
        assert {"trustworthiness", "continuity"}.issubset(names)


def test_distances_in_other_coordinates_are_not_compared():
    bare = Pipeline(preparation=(), method="pca")
    found = standing(Comparison(methods=("pca", bare)), dataset("iris")).reasons
    assert found[0] == ""
    assert "prepared coordinates" in found[1]


def test_groups_in_other_coordinates_are_judged_by_what_has_none():
    bare = Pipeline(preparation=(), method="kmeans")
    run = Comparison(data="iris", methods=("kmeans", bare), evaluation=HoldOut())
    found = standing(run, dataset("iris"))
    assert found.reasons == ("", "")
    assert [metric.name for metric in found.judge.metrics()] == ["stability"]
    whole = carried_out(run)
    assert [list(e.outcome.folds[0].scores) for e in whole.entrants] == [["stability"]] * 2
    assert whole.judge == whole.entrants[1].outcome.judge == found.judge


def test_likelihoods_of_bins_and_densities_are_not_compared():
    hmm, chain = lookup("sequences", "hmm"), lookup("sequences", "markov_chain")
    tracks = Comparison(
        data="animal_tracks", preparation=("standardise",),
        methods=(hmm(), chain(), hmm(n_states=2), chain(bins=9)),
    )  # fmt: skip
    found = standing(tracks, tracks.data.dataset({}))
    assert [bool(why) for why in found.reasons] == [False, True, False, True]
    assert all(map(is_sentence, filter(None, found.reasons)))
    assert "of 3 bins a column, those of Hidden Markov model of densities" in found.reasons[1]
    chains = replace(tracks, methods=(chain(), chain(order=0), chain(bins=9)))
    found = standing(chains, tracks.data.dataset({}))
    assert [bool(why) for why in found.reasons] == [False, False, True]


def test_probabilities_of_names_are_compared_whoever_says_them():
    methods = (lookup("sequences", name)() for name in ("hmm", "markov_chain"))
    throws = Comparison(data="dishonest_casino", preparation=(), methods=tuple(methods))
    assert standing(throws, throws.data.dataset({})).reasons == ("", "")


def test_where_no_method_applies_there_is_no_comparison():
    run = replace(SMALL, data="diabetes")
    assert "predicts classes" in does_not_apply(run, dataset("diabetes"))
    with pytest.raises(DataError, match="predicts classes"):
        carried_out(run)


def dataset(name: str):
    """A bundled data set as it is proposed."""
    return TableData(source=name).dataset()


def test_what_is_done_after_a_stop_is_kept():
    found = events_of(SMALL)
    assert so_far(SMALL, []) is None
    early = so_far(SMALL, found[:2])
    assert [e.failure for e in early.entrants] == ["", "", NOT_YET]
    half = so_far(SMALL, found[:7])
    assert [len(e.outcome.done) for e in half.entrants] == [2, 1, 1]
    assert (half.done, half.planned) == (7, 12)
    assert half.names == ("Iris",)
    one = so_far(SEVERAL, events_of(SEVERAL)[:1])
    assert one.names == ("Iris", "wine", "Moons")  # of the others nothing is read yet
    assert {entrant.failure for entrant in one.sets[2]} == {NOT_YET}


def test_events_may_come_in_any_order():
    found = events_of(SMALL)
    mixed = [*found[:3], *found[:2:-1]]
    assert report(so_far(SMALL, mixed)) == report(so_far(SMALL, found))


class Backwards:
    """A place where the last call ends first, after a trip of its arguments and result."""

    def each(self, function, calls):
        calls = list(calls)
        for k in reversed(range(len(calls))):
            yield k, pickle.loads(pickle.dumps(function(*pickle.loads(pickle.dumps(calls[k])))))


def test_the_place_and_the_order_change_no_number():
    run = replace(SEVERAL, methods=("lda", "ridge", "knn"))
    found = list(carry_out(run, place=Backwards()))
    assert found[-1].done == found[-1].total
    assert report(so_far(run, found)) == report(carried_out(run))


@pytest.mark.parametrize("stopped", [1, 4, 7, 11])
def test_what_was_done_before_a_stop_is_not_done_again(stopped):
    run = replace(SMALL, methods=("lda", "ridge", "knn"))
    found = events_of(run)
    again = list(carry_out(run, before=found[:stopped]))
    assert [id(event.result) for event in again[:stopped]] == [
        id(event.result) for event in found[:stopped]
    ]
    assert [event.done for event in again] == [event.done for event in found]
    assert report(so_far(run, again)) == report(so_far(run, found))


def test_several_tables_have_an_entrant_a_method_each():
    found = carried_out(SEVERAL)
    assert found.names == ("Iris", "Wine", "Moons")
    assert [len(entrants) for entrants in found.sets] == [2, 2, 2]
    assert all(entrant.has_scores for entrants in found.sets for entrant in entrants)
    assert found.done == found.planned == 3 * 2 * 4
    alone = carried_out(replace(SEVERAL, data="wine", more=()))
    for mine, other in zip(found.sets[1], alone.entrants, strict=True):
        assert mine.outcome.mean("accuracy") == other.outcome.mean("accuracy")


def test_a_further_table_that_cannot_be_used_is_a_column_of_reasons():
    gone = TableData(source=Upload(digest="0" * 64))
    found = carried_out(replace(SMALL, more=(gone, "diabetes")))
    assert all(entrant.has_scores for entrant in found.sets[0])
    for entrants in found.sets[1:]:
        assert [entrant.outcome for entrant in entrants] == [None] * 3
        assert all(is_sentence(entrant.failure) for entrant in entrants)
    assert found.done == found.planned


def test_an_outcome_says_the_same_after_a_trip_to_a_worker():
    found = carried_out(SMALL)
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(again, ComparisonOutcome)
    assert report(again) == report(found)


def test_namesakes_are_told_apart():
    run = Comparison(methods=(KNNClassifier(n_neighbors=1), KNNClassifier(n_neighbors=9), "lda"))
    first, second, third = labels(run)
    assert first == "k-nearest neighbours, neighbours 1"
    assert second == "k-nearest neighbours, neighbours 9"
    assert third == "Linear discriminant analysis"
    usual, _ = labels(Comparison(methods=(KNNClassifier(), KNNClassifier(n_neighbors=9))))
    assert usual == f"k-nearest neighbours, neighbours {KNNClassifier().n_neighbors}"
    twice = labels(Comparison(methods=("lda", "lda")))
    assert len(set(twice)) == 2


def test_the_cost_counts_what_applies():
    one = cost.estimate(SMALL.runs()[0], dataset("iris"))[0]
    all_of_them = estimate(SMALL, dataset("iris"))[0]
    assert all_of_them > 2 * one
    assert estimate(SMALL, dataset("iris"), [dataset("wine")])[0] > all_of_them
    assert estimate(SMALL, dataset("diabetes")) == (0, 0)


def test_fits_are_counted_as_they_will_be_made():
    run = replace(SEVERAL, evaluation=KFold(n_splits=20), more=("wine", "longley"))
    data = [one.dataset() for one in (run.data, *run.more)]
    # Longley's 16 rows cannot be cut into 20 folds: each method has its reason, and no fit.
    assert planned(run, data[0], data[1:]) == 2 * (21 + 21 + 1)
    assert estimate(run, data[0], data[1:]) == estimate(run, data[0], data[1:2])
    assert events_of(replace(run, data="wine", more=("longley",)))[-1].total == 2 * (21 + 1)
    with pytest.raises(DataError, match="20 folds need 20 rows"):
        planned(run, data[2])


def test_a_saved_comparison_is_repeated(tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_text(SMALL.to_json())
    assert main(["run", str(path)]) == 0
    assert capsys.readouterr().out == report(carried_out(SMALL)) + "\n"


def test_the_script_gives_the_same_numbers_in_a_fresh_process(tmp_path):
    run = replace(SMALL, methods=(*SMALL.methods, "ridge"), evaluation=HoldOut(), more=("wine",))
    path = tmp_path / "run.py"
    path.write_text(script(run))
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=True, env=env, timeout=120
    )
    assert said.stdout == report(carried_out(run)) + "\n"


def test_one_run_is_part_of_a_comparison_as_it_stands():
    run = Run(data="iris", method="lda", evaluation=SMALL.evaluation, seed=SMALL.seed)
    assert SMALL.runs()[0] == run


KEYS = st.sampled_from(
    ["data", "methods", "methods.0.method", "methods.1.preparation", "methods.1.method.n_neighbors",
     "methods.0.preparation.0.strategy", "more", "more.0", "more.0.source", "more.1.target",
     "preparation", "evaluation", "evaluation.n_splits", "seed", "view.x", "nonsense"]
)  # fmt: skip
WORDS = st.sampled_from(
    ["iris", "wine", "lda", "knn", "pipeline", "table", "impute", "k_fold", "none", "0", "-1"]
)
TEXTS = WORDS | st.lists(WORDS, max_size=12).map("~".join) | st.text(max_size=12)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS | st.text(max_size=8), TEXTS, max_size=7))
def test_any_link_gives_a_comparison(pairs):
    run, problems = Comparison.from_link(pairs)
    assert isinstance(run, Comparison)
    assert all(p.endswith((".", "?")) for p in problems), problems
    assert Comparison.from_link(run.to_link()) == (run, ())
    assert from_json(run.to_json()) == run
