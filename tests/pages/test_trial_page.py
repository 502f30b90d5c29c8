"""The page of sequential decision making: every world with its methods, a map that is drawn."""

from __future__ import annotations

import pytest

from mlcore.runs.presets import WholePreset, trial_presets
from mlcore.runs.run import Trial
from mlcore.spine.registry import entries, names, slots_of
from tests.pages.conftest import address, shown, unfold
from ui import selection, state
from ui.method.cards import opening

PAGE = "sequential_decision_making"
SMALL = {"budget": "60", "replicates": "3"}


def no_faults(at):
    """Fail where the page broke, or a picture could not be drawn."""
    assert not at.exception, at.exception[0].stack_trace
    assert not at.error, [error.value for error in at.error]


def test_it_greets_with_the_exact_answer_beside_what_was_learned(opened):
    at = opened(PAGE)
    no_faults(at)
    said = shown(at)
    for heading in (
        "Scores",
        "Optimal values and policy",
        "Value function and policy",
        "Learning curve",
        "State visits",
    ):
        assert f"**{heading}**" in said
    assert "How it works" in [tab.label for tab in at.tabs]


def test_no_card_stands_for_an_answer_that_there_is_not(opened):
    """Without a discount and a cost no values are defined: the first card said only that."""
    ice = {"problem": "gym_world", "problem.gamma": "1.0", "methods.0.horizon": "none"}
    at = opened(PAGE, methods="finite_horizon_dp~td_control", **ice, **SMALL)
    no_faults(at)
    assert "Optimal values and policy" not in shown(at)
    assert "**Value function and policy**" in shown(at)


@pytest.mark.parametrize(
    ("problem", "methods"),
    [
        ("grid_world", "value_iteration~policy_iteration"),
        ("gym_world", "value_iteration~td_control"),
        ("weakest_link", "policy_iteration~td_control"),
        ("a_split_world", "td_control"),
        ("bandit_arms", "ucb~thompson_sampling"),
        ("bandit_arms", "action_value_bandit"),
        ("adversarial_arms", "exp3~ucb"),
        ("contextual_arms", "linucb~action_value_bandit"),
        ("random_walk", "td_prediction~td_prediction"),
        ("taxi", "td_control"),
        ("blackjack", "policy_iteration~model_based_rl"),
        ("grid_world", "model_based_rl~model_based_rl"),
        ("chain_walk", "finite_horizon_dp~value_iteration"),
        ("mountain_car", "semi_gradient_control"),
        ("mountain_car", "semi_gradient_prediction~semi_gradient_prediction"),
        ("cart_pole", "semi_gradient_control~semi_gradient_control"),
    ],
)
def test_every_world_with_its_methods(opened, problem, methods):
    at = opened(PAGE, problem=problem, methods=methods, **SMALL)
    no_faults(at)
    run, problems = Trial.from_link(address(at))
    assert problems == ()
    assert run.problem.card.name == problem
    assert "~".join(m.card.name for m in run.methods) == methods


def test_the_first_picture_that_is_there_has_the_choice_of_the_method(opened):
    """Predictors have no map: theirs is the first picture of one method."""
    at = opened(PAGE, problem="random_walk", methods="td_prediction~td_prediction", **SMALL)
    assert "Method shown" in [box.label for box in at.selectbox]


def test_methods_that_do_not_suit_say_why(opened):
    at = opened(PAGE, problem="bandit_arms", methods="value_iteration")
    assert "needs a world of states" in shown(at)


@pytest.mark.parametrize("text", ["...\n.#.\nS.G", "S.G/..X"])
def test_a_map_is_changed_as_text_and_travels_in_the_address(opened, text):
    at = opened(PAGE, **SMALL)
    at.text_area[0].set_value(text).run()
    no_faults(at)
    assert address(at)["problem.layout"] == text.replace("\n", "/")
    at = opened(PAGE, **SMALL, problem__layout=text.replace("\n", "/"))
    no_faults(at)
    assert "/".join(at.text_area[0].value.split()) == text.replace("\n", "/")


def test_a_map_that_cannot_be_is_a_sentence_and_the_old_one_stays(opened):
    at = opened(PAGE, **SMALL)
    at.text_area[0].set_value("...\n..?").run()
    assert not at.exception
    assert "means nothing" in at.error[0].value
    assert "problem.layout" not in address(at)


def test_a_click_turns_a_cell_into_what_the_brush_says(opened):
    at = opened(PAGE, **SMALL)
    at.session_state["brush"] = "#"
    at.session_state[selection._ROWS] = (9,)
    at.run()
    no_faults(at)
    assert address(at)["problem.layout"] == "...G/.#.X/S#.."
    at.session_state[selection._ROWS] = (8,)  # the only start
    at.run()
    assert "needs a start" in shown(at)
    assert address(at)["problem.layout"] == "...G/.#.X/S#.."
    undo = next(button for button in at.button if button.key == "strip.Undo")
    undo.click().run()
    assert "problem.layout" not in address(at)


def test_without_a_brush_a_click_changes_nothing(opened):
    at = opened(PAGE, **SMALL)
    at.session_state[selection._ROWS] = (9,)
    at.run()
    no_faults(at)
    assert "problem.layout" not in address(at)
    assert at.session_state[selection._ROWS] == ()


def test_methods_are_added_and_removed(opened):
    at = opened(PAGE, methods="td_control", **SMALL)
    next(b for b in at.button if b.key == "add.value_iteration.Value iteration").click().run()
    no_faults(at)
    assert address(at)["methods"] == "td_control~value_iteration"
    next(b for b in at.button if b.key == "remove.0").click().run()
    assert address(at)["methods"] == "value_iteration"


def test_another_kind_of_world_comes_with_methods_that_suit(opened):
    at = opened(PAGE, **SMALL)
    world = next(box for box in at.selectbox if box.label == "World")
    world.set_value("bandit_arms").run()
    no_faults(at)
    assert address(at)["problem"] == "bandit_arms"
    assert "**Regret**" in shown(at)


def test_a_preset_opens(opened):
    at = unfold(opened(PAGE, **SMALL), "examples")
    next(b for b in at.button if b.key == "preset.four_arms").click().run()
    no_faults(at)
    expected = next(p for p in trial_presets("decisions") if p.name == "four_arms").run()
    assert Trial.from_link(address(at)) == (expected, ())


def test_a_spoiled_link_gives_sentences_and_a_trial(opened):
    at = opened(PAGE, problem="maze", methods="nothing", budget="many", x="1")
    assert not at.exception
    assert "There is no problem entry called" in shown(at)


def test_other_pages_keep_their_data_beside_a_trial(opened):
    at = opened(PAGE, **SMALL)
    held: state.Session = at.session_state["mlscope"]
    assert "seed" in held.shared
    at.switch_page("pages/clustering.py").run()
    assert not at.exception


@pytest.mark.parametrize("family", slots_of("agent"))
def test_every_method_opens_from_the_index(opened, family):
    for name in names(family):
        at = opened(PAGE, **opening({"family": family, "name": name}))
        no_faults(at)
        assert address(at)["methods"] == name


def test_a_long_trial_waits_to_be_begun(opened):
    at = opened(PAGE, methods="td_control", budget="100000", replicates="30")
    assert "Not started yet" in shown(at)
    assert "31 attempts" in shown(at)


def test_a_list_of_numbers_reads_as_people_write_one(opened):
    at = opened(PAGE, problem="windy_grid", methods="value_iteration")
    box = next(each for each in at.text_input if each.label == "Wind")
    assert box.value == "0, 0, 0, 1, 1, 1, 2, 2, 1, 0"
    assert "Separate values by commas." in box.help
    at = box.set_value("0 0;0, 1~1 1 2 2 0.0 0").run()
    no_faults(at)
    assert address(at)["problem.wind"] == "0.0~0.0~0.0~1.0~1.0~1.0~2.0~2.0~0.0~0.0"


def test_examples_are_read_while_they_are_seen_alone(opened, monkeypatch):
    plain, asked = WholePreset.run, []

    def noted(preset):
        asked.append(preset.name)
        return plain(preset)

    monkeypatch.setattr(WholePreset, "run", noted)
    no_faults(opened(PAGE))
    assert set(asked) == {trial_presets("decisions")[0].name}  # the one that greets


def test_all_maps_of_a_world_show_the_states_that_are_chosen_in_one(opened):
    at = unfold(opened(PAGE, problem="taxi", methods="td_control", **SMALL), "view.value_map")
    (box,) = [box for box in at.main.selectbox if box.label == "Map"]
    at = box.select("passenger in the taxi, to blue").run()
    no_faults(at)
    assert shown(at).count("passenger in the taxi, to blue") >= 3
    chosen = {pair: value for pair, value in address(at).items() if pair.endswith(".layer")}
    assert set(chosen.values()) == {"15"}
    assert {"view.exact_map.layer", "view.value_map.layer", "view.visit_map.layer"} <= {*chosen}
    (box,) = [box for box in at.main.selectbox if box.label == "Map"]
    at = box.select("passenger at red, to green").run()
    no_faults(at)
    assert not [pair for pair in address(at) if pair.endswith(".layer")]


def test_methods_that_cannot_act_in_a_world_make_room_for_those_that_can(opened):
    at = opened(PAGE, problem="random_walk", methods="ucb")
    assert "this problem is" in shown(at)
    (way,) = [button for button in at.button if button.key == "trial.suits"]
    no_faults(way.click().run())
    assert "Not in this world" not in shown(at)
    assert address(at)["methods"] == "~".join(
        entries("problem")["random_walk"]().world().first_agents
    )
