"""The contents of the lecture notes: whole, in order, and named truly by every entry."""

from __future__ import annotations

from itertools import pairwise

import pytest

from figures.catalogue import catalogue
from mlcore.guides.notes import Notes, courses, treated_in
from tests.contract.test_components import SOURCE

EACH = [pytest.param(notes, id=name) for name, notes in courses().items()]
LONGEST = 45  # characters of the line of a method, which stands beside its name


def test_there_are_five():
    assert len(EACH) == 5
    assert len({notes.short for notes in courses().values()}) == 5


@pytest.mark.parametrize("notes", EACH)
def test_contents_are_whole_and_in_order(notes: Notes):
    numbered = [section.number for section in notes.sections if section.number]
    steps = [tuple(map(int, number.split("."))) for number in numbered]
    assert all(before < after for before, after in pairwise(steps))
    assert {number.split(".")[0] for number in numbered} <= set(numbered)  # every chapter is there
    assert all(section.title.strip() for section in notes.sections)
    assert [n for n in notes.notions if not SOURCE.fullmatch(n)] == []
    assert all(len(set(section.notions)) == len(section.notions) for section in notes.sections)
    assert [section for section in notes.sections if len(section.title) > 80] == []  # no sentences


def test_every_source_that_an_entry_names_stands_in_the_notes():
    known = frozenset().union(*(notes.notions for notes in courses().values()))
    wrong = {(e["name"], s) for e in catalogue() for s in e["sources"] if s not in known}
    assert wrong == set()


def test_sources_are_told_by_the_notes_they_stand_in():
    two = treated_in(("cs2:perceptron", "cs1:knn", "epfl:kmeans", "xy:unknown"))
    assert [notes.name for notes in two] == ["centralesupelec", "epfl"]


def test_what_an_entry_says_in_a_line_fits_beside_its_name():
    long = {e["name"]: e["line"] for e in catalogue() if len(e["line"]) > LONGEST}
    assert long == {}
    assert [e["name"] for e in catalogue() if e["line"].endswith(".")] == []
