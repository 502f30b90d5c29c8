"""What only a person can decide about a column is proposed, with one press, and not done."""

from __future__ import annotations

import pytest

from mlcore.data import schema
from mlcore.data.importing import Decisions, read
from mlcore.data.importing.report import Note
from mlcore.data.table import ColumnData, Table


def asked(cells: list[str]) -> tuple[ColumnData, list[Note], bytes]:
    """A column of thirty rows between numbers, the notes with a press on it, and the file."""
    rows = "".join(f"{i / 4},{cells[i % len(cells)]},{i}\n" for i in range(30))
    data = f"a,v,w\n{rows}".encode()
    imported = read(data)
    notes = [note for note in imported.report.notes if note.column == "v" and note.fix]
    return imported.table.column("v"), notes, data


def pressed(data: bytes, note: Note) -> Table:
    """The table once the button of the note is pressed, which asks for that no more."""
    assert note.fix is not None
    decisions = Decisions(**dict([note.fix]))
    imported = read(data, decisions=decisions)
    assert note.sentence not in [other.sentence for other in imported.report.notes]
    return imported.table


@pytest.mark.parametrize("cells", [["None", "Aspirin", "Ibuprofen"], ["NA", "DE", "FR"]])
def test_a_word_that_was_read_as_missing_can_be_kept(cells):
    column, notes, data = asked(cells)
    assert column.missing == 10
    kept = pressed(data, notes[0]).column("v")
    assert kept.missing == 0
    assert set(kept.levels) == set(cells)


def test_a_refusal_to_answer_is_kept_until_a_person_says_so():
    column, notes, data = asked(["F", "M", "Prefer not to say"])
    assert column.missing == 0
    assert pressed(data, notes[0]).missing["v"] == 10


@pytest.mark.parametrize("cells", [["Ann", "Bob", "Cid"], ["unknown"], ["1", "2", "3"]])
def test_what_is_a_value_is_not_proposed(cells):
    assert asked(cells)[1] == []


def test_spellings_of_one_word_become_one_level_by_a_press():
    column, notes, data = asked(["UK", "uk ", "DE", "UK", "d e"])
    assert column.levels == ("DE", "UK", "d e", "uk")
    merged = pressed(data, notes[0]).column("v")
    assert merged.levels == ("DE", "UK", "d e")
    assert merged.cell(1) == "UK"


SCALES = {
    "agreement": ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree",
                  "Strongly agree"),
    "somewhat": ("Strongly disagree", "Somewhat disagree", "Neutral", "Somewhat agree"),
    "satisfaction": ("Dissatisfied", "Neutral", "Satisfied", "Very satisfied"),
    "numbered": ("1 - Never", "2 - Sometimes", "3 - Always"),
    "german": ("stimme gar nicht zu", "stimme eher nicht zu", "teils teils", "stimme zu"),
    "extent": ("Not at all", "Somewhat", "Very much"),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALES)
def test_answers_on_a_scale_are_proposed_in_its_order(name):
    steps = SCALES[name]
    column, _, _ = asked(list(reversed(steps)))
    assert (column.kind, column.levels) == ("ordinal", steps)
    assert schema.scale_of(steps[::-1]) == steps


@pytest.mark.parametrize("words", ["I prefer not to say", "I’d rather not say.", "I don't know"])
def test_a_refusal_in_the_first_person_is_one_too(words):
    _, notes, data = asked([words, "f", "m"])
    assert pressed(data, notes[0]).column("v").missing == 10
