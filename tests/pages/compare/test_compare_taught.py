"""The tests for teaching on the page that compares: beside the honest one, and called off."""

from __future__ import annotations

from tests.pages.conftest import shown

QUICK = {
    "data": "iris",
    "methods": "lda~decision_tree~knn",
    "evaluation": "k_fold",
    "evaluation__n_splits": "2",
    "evaluation__n_repeats": "5",
}


def differences(opened, **pairs):
    """The page with its differences in the open tab."""
    at = opened("compare", **QUICK | pairs)
    at.session_state["tabs"] = "Differences"
    return at.run()


def test_other_tests_stand_beside_the_corrected_one_with_their_rates(opened):
    at = differences(opened)
    assert not at.exception
    table = next(t.value for t in at.table if "Corrected t-test" in t.value)
    assert [*table] == [
        "Pair", "Corrected t-test", "Naive t-test", "Wilcoxon", "5 x 2 t-test", "5 x 2 F-test"
    ]  # fmt: skip
    assert len(table) == 2  # each with the best
    assert "not in 5 %" in shown(at)
    assert "only it goes into the verdicts" in shown(at)


def test_without_a_test_there_is_nothing_to_teach(opened):
    at = differences(opened, evaluation="hold_out")
    assert not [t for t in at.table if "Corrected t-test" in t.value]
    assert "What other tests would say" not in [e.label for e in at.expander]
    assert "Pairwise differences" in shown(at)  # says why
    assert "Posterior of the differences" not in shown(at)


def test_one_split_says_what_holds_of_the_fits(opened):
    at = differences(opened, evaluation="hold_out")
    assert "There is no test of" in shown(at)
    assert "by McNemar's test; other training rows would give others." in shown(at)
