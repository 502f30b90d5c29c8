"""Controls come and go with the setting that switches them, and spell their values."""

from __future__ import annotations

from tests.pages.conftest import address


def labels(at) -> list[str]:
    return [box.label for box in at.sidebar.number_input]


def choice(at, label):
    (box,) = [
        it for it in (*at.sidebar.selectbox, *at.sidebar.segmented_control) if it.label == label
    ]
    return box


def test_a_control_comes_and_goes_with_what_switches_it(opened):
    at = opened("regression", data="sine", method="generalised_additive")
    assert not at.exception
    assert "Strength $\\lambda$" not in labels(at)
    at = choice(at, "Smoothing").set_value("given").run()
    assert "Strength $\\lambda$" in labels(at)
    assert address(at)["method.smoothing"] == "given"
    at = choice(at, "Smoothing").set_value("gcv").run()
    assert "Strength $\\lambda$" not in labels(at)
    assert not at.exception


def test_a_value_that_is_switched_off_stays_in_the_address(opened):
    pairs = {"method__alpha": "7.0", "method__alpha_rule": "loo"}
    at = opened("regression", data="sine", method="kernel_ridge", **pairs)
    assert address(at)["method.alpha"] == "7.0"


def test_the_control_spells_its_values(opened):
    at = opened("regression", data="sine", method="generalised_additive")
    assert choice(at, "Smoothing").options == ["REML", "GCV", "given"]
