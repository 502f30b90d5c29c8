"""Tabs under the score: the pictures first, the open one in the address, no other one made."""

from __future__ import annotations

import pytest

from figures.catalogue import catalogue
from tests.pages.conftest import address, shown
from ui import tabs
from ui.method import panels
from ui.method.cards import opening

FAMILY = "Predict, Tune, Curves, Data and folds, Labs, How it works, Code, Take it away"
DECISIONS = "Replicates, Labs, How it works, Code, Take it away"


def press(at, title):
    """Open a tab, as the browser asks for it."""
    at.session_state[tabs.KEY] = title
    at.query_params.clear()
    return at.run()


@pytest.fixture
def drawn(monkeypatch):
    """The names of the pictures that were drawn."""
    names: list[str] = []
    plain = panels.show

    def noted(drawn, name, **how):
        names.append(name)
        return plain(drawn, name, **how)

    monkeypatch.setattr(panels, "show", noted)
    return names


@pytest.mark.parametrize(
    ("page", "others"),
    [("clustering", f"Number of clusters, {FAMILY}"), ("sequential_decision_making", DECISIONS)],
)
def test_the_pictures_come_first_and_the_rest_is_beside_them(opened, page, others):
    at = opened(page)
    assert ", ".join(tab.label for tab in at.tabs) == f"Pictures, {others}"
    assert "view.tab" not in address(at)


def test_a_link_opens_a_tab_and_no_picture_is_drawn_behind_it(opened, drawn):
    at = opened("classification", data="iris", view__tab="code")
    assert "from mlcore" in at.code[0].value
    assert set(drawn) == {"fold_dots"}, "the score"
    assert address(at)["view.tab"] == "code"
    press(at, "Pictures")
    assert "view.tab" not in address(at)
    assert "decision_regions" in drawn


def test_opening_a_tab_is_nothing_to_undo_and_undo_leaves_it_open(opened):
    at = opened("classification", data="iris", method="lda")
    held = at.session_state["mlscope"]
    press(at, "How it works")
    assert not held.walks.can("classification", "past")
    next(box for box in at.sidebar.selectbox if box.label == "Method").select("logistic").run()
    assert held.walks.can("classification", "past")
    press(at, "Code")
    at.button(key="strip.Undo").click().run()
    assert address(at)["method"] == "lda"
    assert address(at)["view.tab"] == "code"
    assert held.walks.can("classification", "future")


def test_a_tab_that_a_page_has_not_now_is_open_again_when_it_has(opened):
    at = opened("classification", data="diabetes", view__tab="code")
    assert [tab.label for tab in at.tabs] == ["How it works", "Labs"]
    at.button(key="target.0").click().run()
    assert address(at)["view.tab"] == "code"
    assert at.code


def test_a_tab_that_there_is_not_is_a_sentence(opened):
    at = opened("classification", data="iris", view__tab="cod")
    assert "view.tab" in shown(at)
    assert not at.exception


@pytest.mark.parametrize("page", ["data", "clustering"])
def test_a_guide_that_was_found_opens_in_its_tab(opened, page):
    guide = next(e for e in catalogue() if e["family"] == "guides" and e["page"] == page)
    at = opened(page, **{name.replace(".", "__"): v for name, v in opening(guide).items()})
    assert guide["title"] in [box.label for box in at.expander]
