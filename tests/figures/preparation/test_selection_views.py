"""Pictures of a choice of variables: their numbers, what they say, and how they are played."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from figures.numbers.subsets import stands
from figures.recording import Recording
from figures.view import View
from figures.views.data import ranking_bars, relevance_table
from figures.views.evaluation import fold_ribbon
from figures.views.preparation import selection_stability, subset_lattice, subset_path
from mlcore.data.dataset import TableData
from mlcore.preparation.chain import Prepared, prepare
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.preparation.selection.selector import SubsetSelector
from mlcore.preparation.selection.wrapper import Wrapper
from mlcore.runs.carry import Outcome, carried_out
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup

STEPS = ("impute", "one_hot", "standardise")


@cache
def outcome(n_features: Any = 2, source: str = "wine") -> Outcome:
    steps = (*STEPS, SubsetSelector(n_features=n_features))
    method = "lda" if source == "wine" else "ridge"
    return carried_out(Run(data=TableData(source=source), preparation=steps, method=method))


def test_the_map_of_choices_is_that_of_the_folds():
    s = selection_stability.selection_stability(outcome()).numbers
    assert s.chosen.shape == (5, 13)
    assert (s.chosen.sum(axis=1) == 2).all()
    for fold, row in zip(outcome().done, s.chosen, strict=True):
        kept = {v for v, is_kept in zip(s.variables, row, strict=True) if is_kept}
        assert kept == {column.variable for column in fold.columns}
    shares = s.chosen.mean(axis=0)
    assert (np.diff(shares) <= 0).all()


def test_the_ribbon_shows_which_variables_each_fold_keeps():
    held = outcome()
    r = fold_ribbon.numbers(held.run.data.dataset({}), held)
    heads = [k for k, head in enumerate(r.heads) if head.startswith("Feature subset selection: ")]
    assert len(heads) == 13
    assert (r.values[:, heads].sum(axis=1) == 2).all()
    assert all("Kept 2 of 13 variables" in note for note in r.notes)


def test_without_a_choice_the_picture_says_so():
    plain = carried_out(Run(data=TableData(source="wine"), preparation=STEPS, method="lda"))
    assert not selection_stability.selects(plain)
    assert selection_stability.selects(outcome())
    assert "No step" in selection_stability.selection_stability(plain).reading
    assert "No step" in subset_path.subset_path(plain.whole.prepared).reading


def test_the_path_names_the_best_subset_of_each_size():
    held = outcome("best", "diabetes")
    s = subset_path.subset_path(held.whole.prepared)
    assert s.numbers.members[4] == "bmi, bp, s3, s5"
    assert s.numbers.best[4] == pytest.approx(0.687839, abs=5e-7)
    assert "Kept 4 of 10 variables" in s.reading
    assert s.table[2].values[4] == "bmi, bp, s3, s5"
    assert s.table[1].values[4] == s.numbers.best[4]


def test_a_filter_is_shown_by_its_ranking():
    steps = (*STEPS, UnivariateFilter(n_features=3))
    held = carried_out(Run(data=TableData(source="diabetes"), preparation=steps, method="ridge"))
    assert selection_stability.pictures_of(held) == ("selection_stability", "ranking_bars")
    drawn = ranking_bars.ranking_bars(held.whole.prepared)
    assert drawn.numbers.variables[:3] == ("bmi", "s5", "bp")
    assert drawn.numbers.kept.tolist() == [True] * 3 + [False] * 7
    assert "Kept 3 of 10 variables; the best that is left out is s4" in drawn.reading
    # t of 440 degrees of freedom is 1.965 at 97.5 %, which makes r = 0.0933; sex has 0.0431.
    assert drawn.numbers.chance == pytest.approx(0.0933, abs=5e-5)
    assert "9 of 10 lie above 0.0933" in drawn.reading
    searched = selection_stability.pictures_of(outcome())
    assert searched == ("selection_stability", *selection_stability.SEARCHED)
    plain = carried_out(Run(data=TableData(source="wine"), preparation=STEPS, method="lda"))
    assert selection_stability.pictures_of(plain) == ()


def test_a_choice_of_another_class_is_shown_by_what_it_can_do():
    def as_another(shown):
        fit = SimpleNamespace(**vars(shown.whole.prepared.fits[-1]), path_sizes=(), sentence=str)
        prepared = replace(shown.whole.prepared, fits=(fit,))
        return replace(shown, whole=replace(shown.whole, prepared=prepared))

    steps = (*STEPS, UnivariateFilter(n_features=3))
    run = Run(data=TableData(source="diabetes"), preparation=steps, method="ridge")
    ranked, searched = as_another(carried_out(run)), as_another(outcome())
    assert selection_stability.pictures_of(ranked) == ("selection_stability", "ranking_bars")
    assert ranking_bars.numbers(ranked.whole.prepared).variables[:3] == ("bmi", "s5", "bp")
    assert selection_stability.pictures_of(searched)[1:] == selection_stability.SEARCHED


# --- the search through subsets -----------------------------------------------------------------


@cache
def searched(search: Any = "sfs", source: str = "iris", learner: str = "") -> Prepared:
    data: Any = TableData(source=source).dataset({})
    score: Any = Wrapper(learner=learner) if learner else "cfs"
    before = tuple(cast("Any", lookup("preparation", name))() for name in STEPS)
    steps = (*before, SubsetSelector(score=score, search=search))
    return prepare(steps, data.X, data.y, data.columns)


def played(drawn: View) -> Recording:
    assert drawn.player is not None
    return drawn.player()


def test_the_four_extremes_are_named_at_the_subset_that_is_kept():
    drawn = relevance_table.relevance_table(searched(source="diabetes"))
    assert drawn.reading == (
        "At bmi, s5, bp and s3, J = 0.688. "
        "Most relevant member: bmi (0.0571 missed), least: s3 (0.00638). "
        "Most relevant candidate: s6 (\N{MINUS SIGN}0.0143 to gain), "
        "least: sex (\N{MINUS SIGN}0.0773)."
    )


@pytest.mark.parametrize(("search", "learner"), [("sfs", ""), ("sffs", ""), ("sfs", "lda")])
def test_the_worth_of_a_variable_is_the_difference_it_makes(search, learner):
    """Of the step before a variable comes in, what it would gain is what J then gains."""
    fit: Any = searched(search, "wine", learner).fits[-1]
    every = stands(fit)
    for before, now in pairwise(every[:-1]):
        (v,) = np.flatnonzero(before.members != now.members)
        worth = before.gained[v] if now.members[v] else -before.missed[v]
        assert worth == pytest.approx(now.value - before.value, abs=1e-12)
        assert (np.isnan(before.gained) | np.isnan(before.missed)).all()


def test_the_lattice_of_few_variables_has_every_subset_and_every_cover():
    s = subset_lattice.subset_lattice(searched()).numbers
    assert s.is_whole
    assert len(s.x) == 16
    assert len(s.edges) == 4 * 2**3
    assert (np.diff(s.size[s.edges], axis=1) == 1).all()
    best = int(np.argmax(np.where(s.size > 0, s.J, -np.inf)))
    assert s.J[s.kept] == pytest.approx(s.J[best])
    assert len({*zip(s.x, s.size, strict=True)}) == 16  # no two in one place


def test_a_wrapper_leaves_open_what_it_did_not_fit():
    s = subset_lattice.subset_lattice(searched("sfs", "iris", "lda")).numbers
    fit: Any = searched("sfs", "iris", "lda").fits[-1]
    assert np.isfinite(s.J).sum() == fit.evaluations + 1  # the empty set is not counted
    assert np.isfinite(s.J[s.path]).all()


@pytest.mark.parametrize("search", ["sfs", "sffs", "exhaustive"])
@pytest.mark.parametrize(
    "view", [subset_path.subset_path, relevance_table.relevance_table,
             subset_lattice.subset_lattice]
)  # fmt: skip
def test_a_search_is_played_to_what_it_keeps(view, search):
    prepared = searched(search, "diabetes")
    drawn, fit = view(prepared), cast("Any", prepared.fits[-1])
    recording = played(drawn)
    assert len(recording.frames) == len(fit.path) + 1
    assert recording.sentences[-1] == "The search has ended. Kept: bmi, bp, s3 and s5."
    assert recording.sentences[0] == "0 of 10 variables, J = 0."
    for trace, changed in recording.frames[-1].items():  # the picture itself shows the end
        shown: Any = drawn.figure.data
        for name, values in changed.items():
            np.testing.assert_array_equal(np.asarray(shown[trace][name], float), values)


def test_the_ribbon_says_yes_or_no_of_a_choice():
    held = outcome("best", "diabetes")
    drawn = fold_ribbon.fold_ribbon(held.run.data.dataset({}), held)
    heat: Any = drawn.figure.data[1]
    at = [k for k, head in enumerate(drawn.numbers.heads[:6]) if head.endswith(", kept")]
    assert {row[k] for row in heat.text for k in at} == {"yes", "no"}
    assert "the choice of s3 differs most: kept in 3 of 5 folds." in drawn.reading


def test_beside_the_inner_score_stands_the_one_on_rows_left_out():
    """By the method that chose; a merit of correlations is taken for no score."""
    score = Wrapper(learner=lookup("learner", "lda")())
    steps = (*STEPS, SubsetSelector(score=score, n_features=1))
    held = carried_out(Run(data=TableData(source="iris"), preparation=steps, method="lda"))
    said = subset_path.subset_path(held.whole.prepared, held).reading
    assert "J is no performance" in said
    assert f"made anew in every fold, by {held.run.method.title()}: accuracy on" in said
    assert "with 1 variable." in said
    assert f"accuracy on test rows is {held.mean('accuracy'):.2f}" in said
    merit = outcome()
    assert "J is no performance" not in subset_path.subset_path(merit.whole.prepared, merit).reading


def test_the_path_stands_against_the_best_there_is():
    view = subset_path.subset_path(searched("sfs", "diabetes"))
    assert "No other subset of 4 variables has a larger J." in view.reading
    shown: Any = view.figure.data[0]
    np.testing.assert_allclose(np.asarray(shown.y, float)[4], 0.687839, atol=5e-7)
    hidden: Any = subset_path.subset_path(searched("sfs", "iris", "lda")).figure.data[0]
    assert not hidden.visible


def test_of_very_many_variables_those_that_are_kept_are_drawn():
    """Though each alone may be worth the least of all."""
    X = np.random.default_rng(0).normal(size=(60, 45))
    fit: Any = SubsetSelector(n_features=2).fit(X, X[:, 1] - X[:, 2])
    last = replace(fit, alone=np.where(fit.chosen, -1.0, fit.alone))
    drawn = relevance_table.relevance_table(Prepared((last,), np.zeros((0, 0)), None, ()))
    shown: Any = drawn.figure.data[0]
    assert len(shown.text) == 40
    assert {"x2", "x3"} == {column.name for column in fit.out_columns} <= set(shown.text)
    assert "40 of 45 variables are drawn" in drawn.reading
