"""What methods of kernels say of rows that are all equal, and of classes of one row."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.spine.registry import lookup
from mlcore.svm.svc import SVC

METHODS = (
    ("classification", "svc"), ("classification", "gp_classification"), ("regression", "svr"),
    ("regression", "nu_svr"), ("regression", "kernel_ridge"), ("regression", "gp_regression"),
    ("novelty", "one_class_svm"),
)  # fmt: skip


@pytest.mark.parametrize(("slot", "name"), METHODS)
def test_rows_that_are_all_equal_are_told_and_no_setting_is_blamed(slot, name):
    """One value is all that can be known of them: the commonest class, the mean or the median."""
    y = np.repeat([0.0, 1.0, 30.0], [5, 2, 2]) if slot == "regression" else np.arange(9) > 5
    fit = lookup(slot, name)().fit(np.full((9, 2), 0.3), None if slot == "novelty" else y)
    assert len([note for note in fit.notes if "All rows are equal" in note]) == 1
    assert not any("Raise C" in note for note in fit.notes)
    answers = fit.predict(np.full((3, 2), 0.3))
    np.testing.assert_allclose(answers, answers[0], rtol=1e-12)  # a product of three rows rounds
    if slot == "classification":
        assert not answers.any()


def test_a_class_of_a_single_row_is_told():
    X = np.random.default_rng(0).normal(size=(9, 2))
    y = np.repeat(["a", "b", "c", "d"], [4, 3, 1, 1])
    (note,) = SVC().fit(X, y).notes
    assert note.startswith("Classes c and d have a single row")
    (note,) = SVC().fit(X[:8], y[:8]).notes
    assert note.startswith("Class c has a single row") and note.labels == ("c",)
    assert SVC().fit(X[:7], y[:7]).notes == ()
