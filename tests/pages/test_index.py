"""The index of methods: facets that are derived, orders, the notes, and what a click does."""

from __future__ import annotations

import pytest

from mlcore.guides.notes import courses
from tests.pages.conftest import shown
from tests.pages.test_search import rows
from ui.index import address, by_course, glyphs, page
from ui.index.entries import LONGEST, items, line_of
from ui.index.facets import KINDS, counts, facets, kept
from ui.search import marked, nearest


@pytest.fixture
def clicked(monkeypatch):
    """`clicked("search:SVM")`: what the browser says was clicked on in the next run."""
    said: list[str] = []
    monkeypatch.setattr(page, "finder", lambda *_: said.pop() if said else "")
    return said.append


def facts(name: str) -> frozenset[str]:
    return items()[name].facts


def test_facts_follow_from_the_card_and_the_fit():
    assert {"task.class", "page.kernels", "page.classification", "has.peer"} <= facts(
        "method:svm:svc"
    )
    assert {"gives.probabilities", "gives.tree"} <= facts("method:classification:decision_tree")
    assert {"gives.weights", "task.quantity", "in.practical"} <= facts("method:regression:ridge")
    assert "has.player" in facts("method:clustering:kmeans")
    assert "gives.probabilities" not in facts("method:clustering:dbscan")
    assert "task.act" in facts("method:bandit:ucb")


def test_every_method_and_lab_has_a_page_a_task_a_line_and_a_drawing():
    known = {fact for facet in facets() for fact in facet.answers}
    for item in items().values():
        assert item.glyph in glyphs.drawings(), item.key
        assert 3 < len(item.line) <= LONGEST + 1, item.key
        if item.kind == "method":
            assert item.page, item.key
            assert any(fact.startswith("task.") for fact in item.facts), item.key
        if item.kind in ("method", "lab"):
            assert {f for f in item.facts if not f.startswith("kind.")} <= known, item.key


def test_an_entry_that_declares_no_line_is_told_by_the_beginning_of_its_summary():
    assert line_of({"line": "", "summary": "Joins rows."}) == "Joins rows"
    told = line_of({"line": "", "summary": "Joins dense rows, and calls all of the rest noise."})
    assert told == "Joins dense rows"
    long = line_of({"line": "", "summary": "word " * 30})
    assert long.endswith("word…")
    assert len(long) <= LONGEST


def test_answers_of_one_facet_are_alternatives_and_facets_are_joined():
    every = list(items().values())
    trees = kept(every, frozenset({"gives.tree"}), "Methods")
    either = kept(every, frozenset({"gives.tree", "gives.clusters"}), "Methods")
    both = kept(every, frozenset({"gives.tree", "task.class"}), "Methods")
    assert {item.entry["name"] for item in both} == {"decision_tree"}
    assert len(both) < len(trees) < len(either)


def test_a_count_is_what_choosing_the_answer_would_show():
    every, chosen = list(items().values()), frozenset({"task.class"})
    n = counts(every, chosen, "Methods")
    assert n["gives.tree"] == len(kept(every, chosen | {"gives.tree"}, "Methods"))
    assert n["task.groups"] == len(kept(every, frozenset({"task.groups"}), "Methods"))
    assert set(KINDS["All"]).isdisjoint(KINDS["Others"])


def test_letters_that_match_are_marked_and_foreign_text_is_escaped():
    assert marked("Nu-SVM <b>", "sv") == "Nu-<mark>SV</mark>M &lt;b&gt;"
    assert marked("k-means++", "k-means++") == "<mark>k</mark>-<mark>means++</mark>"


def test_what_is_misspelled_has_something_near():
    entries = [item.entry for item in items().values()]
    assert "random forest" in [name.lower() for name in nearest(entries, "rnadom forest")]


def test_a_section_of_the_notes_has_the_entries_that_name_its_notions():
    notes, treated = courses()["epfl"], by_course.by_notion(items().values())
    kmeans = next(section for section in notes.sections if section.number == "3.2.2")
    names = [item.entry["name"] for item in by_course.of_section(kmeans, treated)]
    assert names[0] == "kmeans"
    assert "bad_start" in names
    assert len(set(names)) == len(names)
    assert by_course.chapter_of(notes, "3.2.2") == "3"
    assert by_course.chapter_of(notes, "99") == "1"


def test_the_page_opens_by_page_and_filters(opened):
    at = opened("methods")
    assert not at.exception
    assert "Regression" in rows(at)
    at.checkbox(key="task.groups").check().run()
    assert "Regression <small>" not in rows(at)
    assert "DBSCAN" in rows(at)
    assert at.checkbox(key="gives.interval").disabled  # nothing would be left
    at.button(key="clear").click().run()
    assert "Regression <small>" in rows(at)
    assert not at.exception


def test_the_address_says_search_filters_order_and_chapter(opened):
    at = opened("methods", **{"task.groups": "true", "by": "A to Z", "search": "density"})
    assert not at.exception
    assert at.checkbox(key="task.groups").value
    assert at.text_input(key="search").value == "density"
    assert at.segmented_control(key="by").value == "name"
    at = opened("methods", by="By course", chapter="5.7")
    assert "5 Kernel Methods" in rows(at)
    assert "Support vector classifier" in rows(at)


def test_a_link_of_a_stranger_is_bounded_and_its_nonsense_left_out(opened):
    at = opened("methods", search="<b>" * 5000, by="nowhere", notes="x", **{"task.class": "1"})
    assert not at.exception
    assert len(at.text_input(key="search").value) == address.LONGEST
    assert "<b><b>" not in rows(at)
    assert at.segmented_control(key="by").value == "page"
    assert not at.checkbox(key="task.class").value


@pytest.mark.parametrize("name", list(courses()))
def test_every_chapter_of_every_course_opens(opened, name):
    notes = courses()[name]
    at = opened("methods", by="By course", notes=notes.short)
    for section in notes.chapters[:3]:
        at.query_params["chapter"] = section.number
        at.run()
        assert not at.exception
        assert section.title.replace("'", "&#x27;") in rows(at)


def test_nothing_found_says_so_and_offers_what_is_near(opened):
    at = opened("methods", search="rnadom forest")
    assert "Nothing is called that here" in shown(at)
    assert 'data-open="search:random forest"' in rows(at)


def test_clicks_search_turn_to_a_section_and_drop_a_filter(opened, clicked):
    at = opened("methods")
    at.checkbox(key="task.groups").check().run()
    clicked("drop:task.groups")
    assert not at.run().checkbox(key="task.groups").value
    clicked("search:SVM")
    assert at.run().text_input(key="search").value == "SVM"
    clicked("section:stat841:26")
    at.run()
    assert (at.text_input(key="search").value, at.selectbox(key="notes").value) == ("", "stat841")
    assert not at.exception


@pytest.mark.parametrize(
    "what", ["method:svm:no_such", "section:no_such:1", "drop:", "search:", "x"]
)
def test_a_click_that_nobody_could_make_does_nothing(opened, clicked, what):
    at = opened("methods")
    clicked(what)
    assert not at.run().exception


def test_what_does_not_apply_to_the_present_table_says_why(opened):
    at = opened("clustering", data="iris").switch_page("pages/methods.py").run()
    assert not at.exception
    assert "not-now" in rows(at)
    assert "predicts a quantity; species holds 3 classes" in rows(at)
