"""A search by hand: what it shows is what the searches see, and the best is that of all subsets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.lab import pictures_of
from mlcore.labs.preparation.search_by_hand import ByHand, SearchByHand
from mlcore.labs.preparation.subsets import score_of, standardised
from mlcore.preparation.selection.selector import SubsetSelector


def followed(lab: SearchByHand, turns: int) -> tuple[SearchByHand, ByHand]:
    """Always the candidate that gains most, by clicks."""
    for _ in range(turns):
        lab = lab.clicked((int(np.nanargmax(lab.compute(0).gained)),))
    return lab, lab.compute(0)


@pytest.mark.parametrize(
    ("data", "score", "turns"), [("diabetes", "cfs", 4), ("penguins", "wrapper", 2)]
)
def test_who_follows_the_longest_bar_is_the_forward_search(data, score, turns):
    _, found = followed(SearchByHand(data=data, score=score), turns)
    given = standardised(data, 0)
    step = SubsetSelector(score=score_of(score, data), n_features=turns)
    fit = step.fit(given.X, given.target, columns=given.columns)
    np.testing.assert_array_equal(found.path, fit.path)
    for ours, theirs in (("alone", "alone"), ("missed", "missed"), ("gained", "gained")):
        shared = np.isfinite(getattr(fit, theirs))  # a forward search by fits sees no loss
        np.testing.assert_allclose(
            getattr(found, ours)[shared], getattr(fit, theirs)[shared], atol=1e-12
        )
    assert found.evaluations >= fit.evaluations


def test_the_merit_of_four_variables_of_diabetes_is_the_best_of_all():
    lab, found = followed(SearchByHand(data="diabetes", score="cfs"), 4)
    assert lab.moves == ("bmi", "s5", "bp", "s3")
    assert found.values[-1] == pytest.approx(0.687839, abs=5e-7)
    assert found.best.argmax() == 4
    way = pictures_of(SearchByHand(), found)[1]
    assert way.reading == "This is the best subset of 4 variables, and of all."


def test_no_single_bar_points_to_the_pair_but_one_of_it_shows_the_other():
    lab = SearchByHand()
    first = lab.clicked((2,)).compute(3)  # x3
    assert first.gained[[0, 1]].max() < 0.1
    second = replace(lab, moves=("x3", "x1")).compute(3)
    assert second.gained[1] > 0.25
    pair = replace(lab, moves=("x3", "x1", "x2", "x3")).compute(3)
    assert pair.members.tolist() == [True, True, False, False, False]
    assert pair.values[-1] > -0.01


def test_a_variable_that_is_in_goes_out_and_each_subset_is_counted_once():
    lab = SearchByHand(data="diabetes", score="cfs")
    once, back = (replace(lab, moves=moves).compute(0) for moves in (("bmi",), ("bmi", "bmi")))
    assert not back.members.any()
    assert lab.compute(0).evaluations == 10
    assert once.evaluations == back.evaluations == 10 + 9


def test_names_of_another_table_are_passed_over_and_said():
    found = SearchByHand(data="diabetes", score="cfs", moves=("x1", "bmi")).compute(0)
    assert found.passed_over == ("x1",)
    assert len(found.path) == 2
    assert "no such variable: x1." in pictures_of(SearchByHand(), found)[0].reading
    assert SearchByHand(data="diabetes").clicked((99,)).moves == ()
