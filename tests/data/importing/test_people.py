"""Files as people and survey tools write them: quotes, keys, zones, orders of dates, padding."""

from __future__ import annotations

import pytest

from mlcore.data.importing import Decisions, read
from mlcore.data.importing.report import Imported

TWENTY = range(1, 21)


def imported(data: str | bytes) -> Imported:
    """The table, which what was decided gives again."""
    data = data.encode() if isinstance(data, str) else data
    first = read(data)
    again = read(data, decisions=first.report.decisions)
    assert again.table.digest() == first.table.digest()
    return first


QUOTED = {
    "speech within": ("".join(f"'a, {i}','he said \"{i}\"',{i}\n" for i in TWENTY), ","),
    "inches within": ("".join(f"'a, {i}','5\" pipe',{i}\n" for i in TWENTY), ","),
    "between blanks": ("".join(f"'A {i}' 'New York' {i}\n" for i in TWENTY), " "),
}


@pytest.mark.parametrize("name", QUOTED)
def test_apostrophes_quote_cells_beside_other_marks(name):
    rows, mark = QUOTED[name]
    table = imported(f"name{mark}say{mark}n\n{rows}").table
    assert table.names == ("name", "say", "n")
    assert table.n_rows == 20
    assert "'" not in table.cell(0, "name")


def test_empty_cells_of_even_columns_stay_in_their_column():
    rows = "".join(
        f"{i:<5}{i * 2 if i % 2 else '':<5}{'' if i % 3 else i:<5}{i / 2}\n" for i in TWENTY
    )
    table = imported(f"id   v1   v2   v3\n{rows}").table
    assert table.names == ("id", "v1", "v2", "v3")
    assert table.missing == {"id": 0, "v1": 10, "v2": 14, "v3": 0}


KEYS = (
    "StartDate,Q1,Q2,ResponseID\n"
    '"Start Date","How old are you?","Why, then?","Response ID"\n'
    '"{""ImportId"":""startDate""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}",'
    '"{""ImportId"":""_recordId""}"\n'
)


@pytest.mark.parametrize("answers", [1, 2, 20])
def test_the_keys_of_a_survey_tool_are_no_answers_and_no_names(answers):
    rows = "".join(f"2020-01-{i:02d} 10:00:00,{30 + i},because,R_{i}\n" for i in TWENTY[:answers])
    table = imported(KEYS + rows).table
    assert table.names == ("StartDate", "Q1", "Q2", "ResponseID")
    assert table.n_rows == answers


def test_keys_of_any_tool_are_no_answers_and_make_no_code_of_a_column():
    keys = '"{""ID"":1}","{""ID"":2,""type"":""number""}"\n'
    rows = "".join(f"word{i % 3},{30 + i % 5}\n" for i in TWENTY)
    table = imported(f"mood,age\n{keys}{rows}").table
    assert table.names == ("mood", "age")
    assert [column.kind for column in table.columns] == ["nominal", "count"]


def test_objects_in_every_row_are_cells():
    rows = "".join(f'"{{""k"":{i}}}","{{""v"":{i}}}"\n' for i in TWENTY)
    assert imported(f"a,b\n{rows}").table.n_rows == 20


def test_a_short_last_row_that_looks_like_the_others_is_a_row():
    table = imported("k;v;w\nA;1;2\nB;3;4\nC;;\n").table
    assert table.n_rows == 3
    assert imported("k;v;w\nA;1;2\nB;3;4\nSource: me;;\n").table.n_rows == 2


ZONES = {"GMT+1": 9, "GMT-2": 12, "UTC+01:00": 9, "GMT+0130": 8.5, "+01:00": 9, "UTC": 10}


@pytest.mark.parametrize("zone", ZONES)
def test_zones_are_named_in_many_ways(zone):
    rows = "".join(f"2020-01-{i:02d} 10:00 {zone},{i}\n" for i in TWENTY)
    column = imported(f"t,x\n{rows}").table.column("t")
    assert column.kind == "datetime"
    assert (column.values[0] % 1) * 24 == pytest.approx(ZONES[zone])


def test_each_column_of_dates_keeps_its_own_order():
    rows = "".join(f"{i + 3:02d}/01/2020,01/{i + 3:02d}/2020,{i}\n" for i in TWENTY)
    first = imported(f"a,b,x\n{rows}")
    table = first.table
    assert (table.column("a").values == table.column("b").values).all()
    note = next(note for note in first.report.notes if note.column == "b")
    kept = read(f"a,b,x\n{rows}".encode(), decisions=Decisions(**dict([note.fix]))).table
    assert kept.column("b").is_coded


PADDED = {
    "behind the last line": b"a,b\n1,2\n3,4\n" + b"\0" * 20,
    "behind cells": b"a\0\0,b\n1\0,2\n3\0\0\0,4\0\n",
}


@pytest.mark.parametrize("name", PADDED)
def test_zero_bytes_that_fill_up_are_left_out_and_told(name):
    first = imported(PADDED[name])
    assert first.table.names == ("a", "b")
    assert first.table.column("b").values.tolist() == [2, 4]
    assert any("Zero bytes" in note.sentence for note in first.report.notes)


ANSWERS = ("Agree,Yes,good", "Disagree,No,bad", "Agree,No,so so", "Agree,Yes,good") * 3
QUESTIONS = "Q1,Q2,Q3\nHow do you like it?,Would you do it again?,Please say why\n"
SAID = "Was it good?,Which of these?,,\nResponse,Red,Green,Blue\n"


def test_questions_below_the_codes_of_a_survey_are_no_answers():
    imported_ = imported(QUESTIONS + "\n".join(ANSWERS))
    assert imported_.table.n_rows == len(ANSWERS)
    assert imported_.table.names[0] == "Q1 How do you like it?"
    note = next(n for n in imported_.report.notes if n.fix == ("header_rows", 1))
    assert note.line == 1


@pytest.mark.parametrize("number", ["", "7,"], ids=["words alone", "beside a number"])
def test_the_line_that_says_what_kind_of_answer_is_no_answer(number):
    names, said = SAID.splitlines()
    rows = f"{number}Very,Red,,Blue\n{number}Not,,Green,\n" * 5
    before = ("Person,", ",") if number else ("", "")
    table = imported(f"{before[0]}{names}\n{before[1]}{said}\n{rows}").table
    assert table.n_rows == 10
    assert table.names[-4:] == ("Was it good? Response", "Which of these? Red", "Green", "Blue")


def test_a_long_first_answer_is_no_question():
    rows = "\n".join(("It was really good of you all", *ANSWERS[0].split(","), "so so") * 3)
    assert imported(f"word\n{rows}").table.n_rows == 15
    text = "a,b\nA very long answer,yes\n" + "short,no\nlong one,yes\n" * 5
    assert imported(text).table.n_rows == 11


def test_a_first_row_that_was_shifted_is_no_line_of_units():
    rows = "".join(f"{i},name {i % 3},Oslo,{i / 7:.2f}\n" for i in TWENTY)
    table = imported(f"id,name,city,score\n,77,Ann,Bergen,3.5\n{rows}").table
    assert table.names == ("id", "name", "city", "score")
    assert table.n_rows == 21
