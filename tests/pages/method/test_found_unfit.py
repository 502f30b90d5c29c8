"""What only the fit finds wrong with the data stands in the same box as what is known before."""

from __future__ import annotations

import pytest

from mlcore.classification.constant import ConstantClassifier
from mlcore.evaluation.baselines import GroupsByChance
from mlcore.regression.constant import ConstantRegressor
from mlcore.spine.errors import DataError
from tests.pages.conftest import address, shown

REASON = "The numbers of this table cannot be fitted by this method; choose another."


@pytest.fixture
def unfit(monkeypatch):
    """Both dummies find the rows unfit while they are fitted, and say nothing before."""

    def refuse(self, given):
        raise DataError(REASON)

    monkeypatch.setattr(ConstantRegressor, "_fit", refuse)
    monkeypatch.setattr(ConstantClassifier, "_fit", refuse)


def is_in_the_box(at) -> bool:
    assert not at.exception
    return "Not with this data yet" in shown(at) and not at.error


@pytest.mark.parametrize(
    ("page", "data", "method"),
    [("regression", "diabetes", "constant_regression"), ("classification", "iris", "constant")],
)
def test_a_reason_that_the_fit_gives_stands_in_the_box(opened, unfit, page, data, method):
    at = opened(page, data=data, method=method)
    assert is_in_the_box(at) and REASON in shown(at)
    assert "Run" not in [button.label for button in at.main.button]


def test_it_stands_there_too_where_another_result_was_shown(opened, unfit):
    at = opened("regression", data="diabetes", method="ridge")
    assert not is_in_the_box(at)
    (box,) = [box for box in at.sidebar.selectbox if "ridge" in str(box.value)]
    at = box.set_value("constant_regression").run()
    assert address(at)["method"] == "constant_regression"
    assert is_in_the_box(at) and REASON in shown(at)


def test_a_fault_of_the_program_is_an_error_and_no_fault_of_the_data(opened, monkeypatch):
    def broken(self, given):
        raise ZeroDivisionError

    monkeypatch.setattr(ConstantRegressor, "_fit", broken)
    at = opened("regression", data="diabetes", method="constant_regression")
    assert not is_in_the_box(at) and at.error


def test_where_no_fold_could_be_scored_the_page_says_why(opened, monkeypatch):
    def refuse(self, given):
        raise DataError(REASON)

    monkeypatch.setattr(GroupsByChance, "_fit", refuse)
    # No other test has a result of this seed, which would be shown instead.
    at = opened("clustering", data="iris", method="agglomerative", seed="8642")
    assert not at.exception
    assert "5 of 5 folds did not finish" in shown(at) and REASON in shown(at)
    assert "No fold is scored yet" not in shown(at)
