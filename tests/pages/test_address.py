"""Links: what they open, what they cannot say, and what the page makes of it."""

from __future__ import annotations

import threading

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from mlcore.runs.presets import presets
from mlcore.runs.run import Run
from tests.pages.conftest import address, shown, unfold
from ui import frame, state


def test_a_link_opens_what_it_describes(opened):
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    assert not at.exception
    assert at.session_state["mlscope"].states["clustering"].run.method.n_clusters == 5


def test_the_address_describes_what_is_on_the_screen(opened):
    at = opened("clustering", data="iris")
    pairs = address(at)
    state = at.session_state["mlscope"].states["clustering"]
    assert Run.from_link(pairs) == (state.run, ())


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ({"method": "kmaens"}, "Did you mean 'kmeans'?"),
        ({"method__n_clusters": "0"}, "must be at least 1"),
        ({"method__bandwidth": "3"}, "belongs to nothing that was chosen"),
        ({"data": "irsi"}, "Did you mean 'iris'?"),
        ({"method": "ridge"}, "belongs to another page"),
        ({"data": "upload"}, "is not here"),
        ({"v": "99"}, "v must be a format from 1 to 1; the link says '99'"),
        ({"view__x": "zzz"}, "view.x: there is no column 'zzz' to learn from"),
        ({"view__zoom": "2"}, "'view.zoom' belongs to nothing that was chosen"),
        ({"data__target": "no_such_column"}, "no column 'no_such_column'"),
    ],
)
def test_a_spoiled_link_gives_a_sentence_and_loses_nothing(opened, pairs, says):
    at = opened("clustering", **({"data": "iris"} | pairs))
    assert not at.exception
    assert says in shown(at)


def test_of_an_unknown_method_nothing_else_is_said(opened):
    at = opened("classification", data="iris", method="nosuch")
    assert "no method entry called 'nosuch'" in shown(at)
    assert "belongs to another page" not in shown(at)


def test_a_fault_of_ours_is_told_in_a_sentence_and_raised(opened, monkeypatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(frame, "title", broken)
    at = opened("data", data="iris")
    assert frame.FAULT in shown(at)
    assert at.exception


def test_a_link_that_asks_for_a_billion_clusters_is_answered(opened):
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="1000000000")
    assert not at.exception
    assert "1,000,000,000" in shown(at) or "1000000000" in shown(at) or "would take" in shown(at)


def test_a_moved_control_wins_over_the_address(opened):
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    at.sidebar.number_input[0].set_value(4).run()
    assert at.session_state["mlscope"].states["clustering"].run.method.n_clusters == 4
    assert address(at)["method.n_clusters"] == "4"


def test_an_overtaken_rerun_that_publishes_late_takes_no_move_back(opened, monkeypatch):
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    before, inside = at.session_state["mlscope"].states["clustering"], state.inside

    def overtaken() -> None:
        """What goes on in the thread of the rerun before, until it meets Streamlit again."""
        inside()
        monkeypatch.setattr(state, "inside", inside)
        beside = threading.Thread(target=state.publish, args=("clustering", before))
        add_script_run_ctx(beside, get_script_run_ctx())
        beside.start()
        beside.join()
        st.query_params["method.n_clusters"] = "6"  # an older address, in the request as it came

    monkeypatch.setattr(state, "inside", overtaken)
    at.sidebar.number_input[0].set_value(4).run()
    assert not at.exception
    assert at.session_state["mlscope"].states["clustering"].run.method.n_clusters == 4
    assert address(at)["method.n_clusters"] == "4"


def test_moves_of_one_number_are_one_change_of_address_and_undo(opened, monkeypatch):
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    with monkeypatch.context() as overtaken:
        overtaken.setattr(state, "at_rest", lambda: None)
        for value in (6, 7, 8):
            at.sidebar.number_input[0].set_value(value).run()
            assert address(at)["method.n_clusters"] == "5"
    at.sidebar.number_input[0].set_value(9).run()
    assert address(at)["method.n_clusters"] == "9"
    assert [s.run.method.n_clusters for s in changes(at)] == [5]
    at.sidebar.number_input[0].set_value(10).run()
    assert [s.run.method.n_clusters for s in changes(at)] == [5, 9]


def test_a_move_of_another_control_says_where_the_number_came_to_rest(opened, monkeypatch):
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    with monkeypatch.context() as overtaken:
        overtaken.setattr(state, "at_rest", lambda: None)
        at.sidebar.number_input[0].set_value(6).run()
        at.sidebar.number_input[0].set_value(7).run()
    at.sidebar.selectbox[0].set_value("dbscan").run()
    assert [s.run.method.card.name for s in changes(at)] == ["kmeans", "kmeans"]
    assert [s.run.method.n_clusters for s in changes(at)] == [5, 7]
    assert address(at)["method"] == "dbscan"


def changes(at):
    """The states that undo goes back to, the nearest last."""
    return [of for _, of in at.session_state["mlscope"].walks.past]


def test_an_older_address_is_shown_again(opened):
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    at.sidebar.number_input[0].set_value(4).run()
    at.query_params["method.n_clusters"] = "5"
    at.run()
    assert at.sidebar.number_input[0].value == 5


def test_undo_and_redo_walk_through_the_states(opened):
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    at.sidebar.number_input[0].set_value(4).run()
    button = {b.key: b for b in at.button}
    button["strip.Undo"].click().run()
    assert at.session_state["mlscope"].states["clustering"].run.method.n_clusters == 5
    button = {b.key: b for b in at.button}
    button["strip.Redo"].click().run()
    assert at.session_state["mlscope"].states["clustering"].run.method.n_clusters == 4


def test_an_example_sets_method_and_data(opened):
    at = unfold(opened("clustering", data="iris"), "examples")
    example = next(p for p in presets("clustering") if p.entry == "kmeans")
    assert example.why in shown(at)
    next(b for b in at.button if b.key == f"preset.{example.name}").click().run()
    assert not at.exception
    assert at.session_state["mlscope"].states["clustering"].run.method == example.run().method
