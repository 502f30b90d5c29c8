"""Numbers with something beside them: groups of digits, units, flags, currencies, times."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from mlcore.data.importing import Decisions, read
from mlcore.data.table import ColumnData


def column(write: Callable[[int], str], mark: str = ";") -> tuple[ColumnData, tuple, bytes]:
    """A column of twenty cells between two others, the notes on it, and the file."""
    lines = [f"r{i}{mark}{write(i)}{mark}{i % 4}\n" for i in range(1, 21)]
    data = f"id{mark}v{mark}w\n{''.join(lines)}".encode()
    imported = read(data)
    again = read(data, decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()
    notes = tuple(note for note in imported.report.notes if note.column == "v")
    return imported.table.column("v"), notes, data


BLANKS = (" ", "\u00a0", "\u202f", "\u2009", "'", "\u2019")


@pytest.mark.parametrize("blank", BLANKS)
def test_groups_of_digits_above_a_thousand_show_the_decimal_mark(blank):
    read_column, notes, _ = column(lambda i: f"{i}{blank}234,56")
    np.testing.assert_array_equal(read_column.values, [1000 * i + 234.56 for i in range(1, 21)])
    assert notes == ()


def test_a_single_column_of_groups_is_not_split_at_its_decimal_commas():
    table = read(b"v\n1 234,56\n2 234,56\n3 234,56\n").table
    np.testing.assert_array_equal(table.column("v").values, [1234.56, 2234.56, 3234.56])


# How the twenty cells are written, and the first two numbers they say.
NUMBERS = {
    "a unit": (lambda i: f"{i} kg", (1, 2)),
    "a unit without a blank": (lambda i: f"{i}.5kg", (1.5, 2.5)),
    "a speed": (lambda i: f"{i} km/h", (1, 2)),
    "clock": (lambda i: f"{i:02d}:15", (1.25, 2.25)),
    "clock with seconds": (lambda i: f"{i:02d}:15:30", (1 + 930 / 3600, 2 + 930 / 3600)),
    "halves of the day": (lambda i: f"{i % 12 + 1}:30 PM", (14.5, 15.5)),
    "long spans": (lambda i: f"{i * 10}:15:00", (10.25, 20.25)),
    "spans of ISO": (lambda i: f"PT{i}H30M", (1.5, 2.5)),
    "spelt spans": (lambda i: f"{i}h 30m" if i % 5 else f"{i * 60} min", (1.5, 2.5)),
    "days and hours": (lambda i: f"{i} days, 3 hours", (27, 51)),
    "minutes and seconds": (lambda i: f"{i} min 36 sec", (1.6 / 60, 2.6 / 60)),
    "units of one quantity": (lambda i: f"{i} kg" if i % 3 == 1 else f"{i * 500}g", (1000, 1000)),
    "units of two systems": (lambda i: "2 lb" if i == 2 else f"{i} kg", (1, 0.90718474)),
    "flags": (lambda i: f"{i}.0{' b' if i % 2 else ''}", (1, 2)),
    "flags of holes": (lambda i: ": c" if i % 3 == 2 else f"{i}.5", (1.5, np.nan)),
    "stars": (lambda i: f"{i}.5{'**' if i % 2 else ''}", (1.5, 2.5)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_told_from_what_stands_beside_them(name):
    write, first = NUMBERS[name]
    read_column, notes, data = column(write)
    np.testing.assert_array_equal(read_column.values[:2], first)
    assert [note.fix for note in notes] == [("texts", ("v",))]
    kept = read(data, decisions=Decisions(texts=("v",))).table.column("v")
    assert kept.is_coded
    assert kept.cell(0) == write(1)


def test_flags_in_many_cells_leave_names_and_types():
    cells = "".join(
        f"r{i}\t{i}.0{' b' if i % 2 else ''}\t{': c' if i % 3 else i}\n" for i in range(20)
    )
    table = read(f"geo\t2001\t2002\n{cells}".encode()).table
    assert table.names == ("geo", "2001", "2002")
    assert not table.column("2001").is_coded


MIXED = {
    "currencies before": (lambda i: ("$", "EUR ", "£")[i % 3] + f"{i}.50", "$, £ and €"),
    "currencies behind": (lambda i: f"{i}.50 " + ("USD", "EUR", "GBP")[i % 3], "$, £ and €"),
    "currencies and holes": (lambda i: ("$1", "NA", "£2", "$4")[i % 4], "$ and £"),
    "shares beside numbers": (lambda i: f"{i} %" if i % 2 else f"{i / 40}", "with % and"),
}


@pytest.mark.parametrize("name", MIXED)
def test_units_that_differ_make_no_one_number(name):
    write, words = MIXED[name]
    read_column, notes, data = column(write)
    assert read_column.is_coded
    assert words in notes[0].sentence
    assert notes[0].fix == ("texts", ())
    assert not read(data, decisions=Decisions(texts=())).table.column("v").is_coded


KEPT = {
    "codes with a letter": lambda i: f"{i}A",
    "ordinals": lambda i: f"{i}th",
    "units of two quantities": lambda i: f"{i} {'kg' if i % 2 else 'cm'}",
    "codes like units": lambda i: f"{i}{'t' if i % 2 else 'g'}",
    "streets": lambda i: f"{i} {'Main' if i % 2 else 'Oak'}",
}


def test_units_of_several_quantities_are_told():
    read_column, notes, _ = column(KEPT["units of two quantities"])
    assert read_column.is_coded
    (note,) = notes
    assert "numbers in cm and kg, which are not one quantity" in note.sentence
    assert note.fix is None  # no press makes one number of them


@pytest.mark.parametrize("name", KEPT)
def test_what_only_begins_with_a_number_is_kept(name):
    assert column(KEPT[name])[0].is_coded


@pytest.mark.parametrize("bad", ["unheard of", "2020-02-31"])
def test_one_bad_cell_among_dates_is_told_and_can_be_read_as_missing(bad):
    read_column, notes, data = column(lambda i: bad if i == 7 else f"2020-01-{i:02d}")
    assert read_column.is_coded
    assert f"holds dates but for 1 cell: {bad!r}, the first in row 7" in notes[0].sentence
    dated = read(data, decisions=Decisions(**dict([notes[0].fix]))).table.column("v")
    assert dated.kind == "datetime"


@pytest.mark.slow
@pytest.mark.parametrize(
    "write", [lambda i: f"{i / 7}", lambda i: f"{2000 + i % 900}-01-{i % 28 + 1:02d}"]
)
def test_one_bad_cell_among_many_costs_little(write):
    """Only the cells that failed are looked at again."""
    rows = [f"{write(i)},{i % 5}" for i in range(200_000)]
    seconds = []
    for cell in (write(7), "oops"):
        rows[150_000] = f"{cell},3"
        data = "\n".join(["v,w", *rows]).encode()
        start = time.process_time()
        read(data)
        seconds.append(time.process_time() - start)
    assert seconds[1] < 8 * seconds[0] + 0.5
