"""A column of text is chosen, and its words are counted."""

from __future__ import annotations

from tests.pages.conftest import address, shown, unfold


def choose(at, *names: str):
    """Learn from these columns."""
    boxes = [box for box in at.multiselect if box.label == "Columns to learn from"]
    boxes[0].set_value(list(names)).run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def steps(at) -> list[str]:
    return address(at).get("preparation", "").split("~")


def test_choosing_a_text_adds_the_step_that_reads_it(opened):
    at = unfold(opened("classification", data="documents", method="naive_bayes"), "strip.rows.item")
    assert "holds text. To learn from it, choose it among the columns" in shown(at)
    at = choose(unfold(at, "strip.columns.item"), "sentence", "words")
    assert steps(at)[-1] == "count_vectorizer"
    assert not at.error
    assert "**Confusion matrix** <small>test rows, 5 folds</small>" in shown(at)


def test_a_link_to_a_text_without_any_step_gets_the_one_that_reads_it(opened):
    roles = {"data.roles": "sentence:feature~words:ignore"}
    at = opened("classification", data="documents", method="naive_bayes", **roles)
    assert steps(at)[-1] == "count_vectorizer"
    assert not at.error
    assert "**Decision regions**" not in shown(at)  # a text is no axis
    assert "**Confusion matrix**" in shown(at)


def test_who_chose_other_steps_is_told_what_is_missing(opened):
    more = {"data.roles": "sentence:feature", "preparation": "impute"}
    at = opened("classification", data="documents", method="naive_bayes", **more)
    assert (
        "Naive Bayes needs numbers; column sentence holds text. "
        "Add word counts to the preparation before it."
    ) in shown(at)
