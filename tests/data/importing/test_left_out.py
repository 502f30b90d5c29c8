"""Lines of a file that are no rows: totals, names that come again, a second table."""

from __future__ import annotations

import pytest

from mlcore.data.importing import Decisions, read
from tests.data.importing.test_unclosed import rows

NAMES = "name,n,x,g\n"
SUMS = "".join(f"a{i},{i},{i / 4}\n" for i in range(1, 21))
WORDS = ("Total", "TOTAL:", "Total 2020", "Summe", "Gesamt", "Gesamtsumme", "Kontostand", "Итого")


@pytest.mark.parametrize("word", [*WORDS, "*", ""])
def test_a_last_line_that_sums_up_is_no_row(word):
    text = f"name,n,x\n{SUMS}{word},210,52.5\n"
    imported = read(text.encode())
    assert imported.table.n_rows == 20
    note = next(n for n in imported.report.notes if n.fix == ("left_out", ()))
    assert note.line == 22
    assert read(text.encode(), decisions=Decisions(left_out=())).table.n_rows == 21
    again = read(text.encode(), decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()


def test_a_balance_below_dates_leaves_them_dates():
    days = "".join(f"{i:02d}.03.2020;Miete;{i},50\n" for i in range(1, 21))
    table = read(f"Datum;Text;Betrag\n{days}Kontostand;;210,00\n".encode()).table
    assert table.column("Datum").kind == "datetime"
    assert table.n_rows == 20


NO_TOTALS = {
    "numbers that are no sums": f"name,n,x\n{SUMS}*,211,50\n",
    "a name that begins so": f"name,n,x\n{SUMS}Totalitarian,210,52.5\n",
    "words beside it": f"name,n,x,g\n{rows(20)}Total,210,52.5,c1\n",
    "two rows": "name,n\na,3\nTotal,3\n",
}


@pytest.mark.parametrize("name", NO_TOTALS)
def test_a_last_line_that_may_be_a_row_is_kept(name):
    text = NO_TOTALS[name]
    assert read(text.encode()).table.n_rows == text.count("\n") - 1


@pytest.mark.parametrize("gap", ["", "\n"], ids=["at once", "behind a gap"])
def test_names_that_come_again_are_no_rows(gap):
    text = NAMES + (rows(300) + gap + NAMES) * 3 + rows(300)
    imported = read(text.encode())
    assert imported.table.n_rows == 1200
    assert imported.table.column("x").kind == "number"
    lines = imported.report.why("left_out").value
    assert [text.split("\n")[line - 1] for line in lines] == [NAMES.strip()] * 3
    assert read(text.encode(), decisions=Decisions(left_out=())).table.n_rows == 1203


SECOND = {
    "fewer columns behind a gap": ("\nid,size\n1,2\n3,4\n5,6\n", 23),
    "fewer columns at once": ("id,size\n1,2\n3,4\n5,6\n", 22),
    "more columns": ("\nid,a,b,c,d\n" + "1,2,3,4,5\n" * 3, 23),
    "as many columns": ("\nwho,m,y,h\n" + rows(20), 23),
    "a title above": ("\nSizes\nid,size\n1,2\n3,4\n5,6\n", 24),
}


@pytest.mark.parametrize("name", SECOND)
def test_a_second_table_is_told_and_can_be_read(name):
    below, line = SECOND[name]
    text = NAMES + rows(20) + below
    imported = read(text.encode())
    assert imported.table.n_rows == 20
    assert imported.table.column("x").kind == "number"
    note = next(n for n in imported.report.notes if n.fix and n.fix[0] == "skip")
    assert note.line == line
    second = read(text.encode(), decisions=Decisions(skip=note.fix[1])).table
    assert list(second.names) == text.split("\n")[line - 1].split(",")
    whole = read(text.encode(), decisions=Decisions(footer=0)).table
    assert whole.n_rows > imported.table.n_rows
    again = read(text.encode(), decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()


ONE_TABLE = {
    "groups of rows": NAMES + rows(5) + "\n" + rows(5) + "\n" + rows(5),
    "a word among numbers behind a gap": "a,b\n1,2\n3,4\n\nx,y\n5,6\n",
    "text throughout": "a,b\nu,v\nw,x\n\ny,z\ns,t\np,q\n",
}


@pytest.mark.parametrize("name", ONE_TABLE)
def test_blank_lines_within_a_table_end_it_not(name):
    report = read(ONE_TABLE[name].encode()).report
    assert report.why("footer").value == 0


def parts(name: str) -> str:
    """Ten rows, and another with their sums."""
    return (
        "".join(f"R{i % 4},{i},{i * 3},{i / 2}\n" for i in range(1, 11)) + f"{name},55,165,27.5\n"
    )


WITHIN = {
    "subtotals": (f"{parts('Subtotal A')}{parts('Subtotal B')}", (12, 23)),
    "as a spreadsheet says it": (f"{parts('A Total')}{parts('B Total')}", (12, 23)),
    "without a name": (f"{parts('')}{parts('')}{parts('R1')}", (12, 23)),
    "at the top": ("Total,55,165,27.5\n" + "".join(f"{parts('R1')}"), (2,)),
    "with a blank line": (f"{parts('Total')}\n{parts('R1')}", (12,)),
}


@pytest.mark.parametrize("name", WITHIN)
def test_rows_that_sum_up_others_are_told_and_left_out_by_one_press(name):
    text, lines = "region,n,m,x\n" + WITHIN[name][0], WITHIN[name][1]
    imported = read(text.encode())
    note = next(n for n in imported.report.notes if "sum up" in n.sentence)
    assert note.line == lines[0]
    assert note.fix and note.fix[0] == "left_out"
    assert set(lines) <= set(note.fix[1])
    table = read(text.encode(), decisions=Decisions(left_out=note.fix[1])).table
    assert table.n_rows == len(text.split()) - text.count(" ") - 1 - len(lines)
    kept = read(text.encode(), decisions=Decisions(left_out=())).report
    assert not any("sum up" in n.sentence for n in kept.notes)


NOT_WITHIN = {
    "a film": "film,n,m,x\n" + parts("R1") + "Total Recall,3,7,9.1\n" + parts("R2"),
    "no name and no sums": "film,n,m,x\n" + parts("R1") + ",3,7,9.1\n" + parts("R2"),
    "mostly totals": "film,n,m,x\n" + "Total,1,2,3\n" * 9 + "a,1,2,3\n",
}


@pytest.mark.parametrize("name", NOT_WITHIN)
def test_other_rows_are_not_called_totals(name):
    notes = read(NOT_WITHIN[name].encode()).report.notes
    assert not any("sum up" in n.sentence for n in notes)
