"""The tab of the folds."""

from __future__ import annotations


def test_columns_of_scores_have_the_titles_of_the_measures(opened):
    at = opened("classification", data="iris", method="lda")
    at.session_state["tabs"] = "Data and folds"
    columns = list(at.run().dataframe[-1].value)
    assert columns[:2] == ["Fold", "Rows"]
    assert {"Balanced accuracy", "Balanced accuracy on the training rows"} <= set(columns)
    assert not [name for name in columns if "_" in name]
