"""The Preprocessing page with steps that choose variables or whiten."""

from __future__ import annotations

import re

import pytest

from tests.pages.conftest import shown

STEPS = "impute~one_hot~standardise~"


@pytest.mark.parametrize("data", ["penguins", "diabetes"])
def test_the_page_shows_which_variables_the_folds_choose(opened, data):
    at = opened("preprocessing", data=data, preparation=STEPS + "subset_selector")
    assert not at.exception, at.exception[0].stack_trace
    assert not at.error
    said = shown(at)
    assert "Stability of the selection" in said
    assert "Feature subset search" in said
    assert "Feature relevance" in said
    assert "Lattice of subsets" in said
    assert "could not be drawn" not in said


@pytest.mark.parametrize("step", ["univariate_filter", "variance_threshold", "embedded_selector"])
def test_filters_show_their_choice_too(opened, step):
    at = opened("preprocessing", data="penguins", preparation=STEPS + step)
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    assert "Stability of the selection" in said
    assert "Feature ranking" in said
    assert "Feature subset search" not in said


def test_a_wrapper_announces_its_fits_before_it_runs(opened):
    at = opened("preprocessing", data="diabetes", preparation=STEPS + "subset_selector",
                preparation__3__score="wrapper", preparation__3__score__learner="regression_tree",
                preparation__3__search="sfbs")  # fmt: skip
    assert not at.exception, at.exception[0].stack_trace
    wanted = r"6 fits, each after selecting the best of 10 variables by about \d+ inner fits, "
    assert re.search(wanted, shown(at))


def test_without_a_choice_these_pictures_are_away(opened):
    assert "Stability of the selection" not in shown(opened("preprocessing", data="penguins"))


@pytest.mark.parametrize("method", ["zca", "pca", "cholesky"])
def test_the_page_shows_whitening(opened, method):
    pairs = {"preparation__3__method": method} if method != "zca" else {}
    at = opened("preprocessing", data="diabetes", preparation=STEPS + "whitening", **pairs)
    assert not at.exception, at.exception[0].stack_trace
    assert not at.error, at.error[0].value
    assert "could not be drawn" not in shown(at)


def test_without_a_target_it_says_what_is_missing(opened):
    at = opened("preprocessing", data="penguins", data__target="none",
                preparation=STEPS + "subset_selector")  # fmt: skip
    assert not at.exception
    assert "choose a target column" in shown(at)


def test_of_methods_with_one_title_the_chosen_one_stays(opened):
    """Streamlit hears the words of an option alone: both k-nearest neighbours had the same."""
    wrapper = {
        "preparation": "standardise~subset_selector", "preparation.1.score": "wrapper",
        "preparation.1.score.learner": "knn", "preparation.1.n_features": "2",
    }  # fmt: skip
    at = opened("preprocessing", data="xor_features", **wrapper)
    assert not at.error and "Kept 2 of 5 variables" in shown(at)
    at.run()  # with what the browser says of every control
    assert not at.error, at.error[0].value
    learners = next(
        box for box in at.selectbox if "k-nearest neighbours (regression)" in box.options
    )
    assert learners.value == "knn" and len(set(learners.options)) == len(learners.options)
