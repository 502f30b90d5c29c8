"""Layers of a network on its page: boxes, one more, one less, and the link."""

from __future__ import annotations

from tests.pages.conftest import shown

PAGE = "neural_networks"


def layers(at):
    return at.session_state["mlscope"].states[PAGE].run.method.hidden_layer_sizes


def pressed(at, word):
    return next(b for b in at.sidebar.button if word in (b.label, b.help))


def test_layers_are_changed_added_and_taken_away(opened):
    at = opened(PAGE, data="moons", method="mlp_classifier", **{"method.max_epochs": "5"})
    assert layers(at) == (8,)
    pressed(at, "Add a hidden layer").click().run()
    assert layers(at) == (8, 4)
    box = next(b for b in at.sidebar.number_input if b.label == "Hidden layer 2")
    box.increment().run()
    assert layers(at) == (8, 5)
    pressed(at, "Takes hidden layer 1 away.").click().run()
    assert layers(at) == (5,)
    assert not at.exception
    pressed(at, "Takes hidden layer 1 away.").click().run()
    assert layers(at) == ()
    assert at.query_params["method.hidden_layer_sizes"] in ("none", ["none"])
    assert not at.exception


def test_a_layer_without_units_is_answered_and_the_layers_stay(opened):
    at = opened(PAGE, data="moons", method="mlp_classifier", **{"method.max_epochs": "2"})
    next(b for b in at.sidebar.number_input if b.label == "Hidden layer 1").set_value(0).run()
    (error,) = at.sidebar.error
    assert "must hold numbers from 1 to 512, not 0. It stays 8." in error.value
    assert layers(at) == (8,)


def test_a_layer_is_answered_as_long_as_its_box_shows_what_is_wrong(opened):
    settings = {"method.hidden_layer_sizes": "8~4", "method.max_epochs": "2"}
    at = opened(PAGE, data="moons", method="mlp_classifier", **settings)
    for k, units in ((1, 0), (2, 5)):
        box = next(b for b in at.sidebar.number_input if b.label == f"Hidden layer {k}")
        box.set_value(units).run()
    assert layers(at) == (8, 5)
    assert [error.value.partition(", ")[2] for error in at.sidebar.error] == ["not 0. It stays 8."]
    pressed(at, "Takes hidden layer 1 away.").click().run()
    assert layers(at) == (5,) and not at.sidebar.error


def test_a_seventh_layer_is_refused_with_the_reason(opened):
    settings = {"method.hidden_layer_sizes": "2~2~2~2~2~2", "method.max_epochs": "2"}
    at = opened(PAGE, data="moons", method="mlp_classifier", **settings)
    more = pressed(at, "Add a hidden layer")
    assert more.disabled and more.help == "There can be no more than 6."


def test_the_pictures_are_those_of_the_task(opened):
    at = opened(PAGE, data="moons", method="mlp_classifier", **{"method.max_epochs": "2"})
    for title in ("Network", "Weights", "Decision regions", "ROC curve"):
        assert f"**{title}**" in shown(at)
    assert "**Fitted curve**" not in shown(at)
    at = opened(PAGE, data="diabetes", method="mlp_regressor", **{"method.max_epochs": "2"})
    assert "**Fitted curve**" in shown(at)
    assert "**Decision regions**" not in shown(at)
