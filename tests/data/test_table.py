"""Tables: read-only, typed, convertible where it is possible, named by their digest."""

import csv
import io
import pickle
import subprocess
import sys

import numpy as np
import pytest

from mlcore.data import cells, dates
from mlcore.data.table import ColumnData, Table, coded, numeric
from mlcore.spine.errors import DataError


@pytest.fixture
def table() -> Table:
    return Table.of(
        numeric("height", [1.5, np.nan, 1.75]),
        numeric("visits", [3, 0, 12], "count"),
        coded("answer", ["no", "", "yes"], "binary"),
        numeric("day", [0.0, 18262.5, np.nan], "datetime"),
    )


def test_cells_read_back_as_they_are_written(table):
    assert [table.cell(0, name) for name in table.names] == ["1.5", "3", "no", "1970-01-01"]
    assert [table.cell(1, name) for name in table.names] == ["", "0", "", "2020-01-01T12:00:00"]
    assert table.missing == {"height": 1, "visits": 0, "answer": 1, "day": 1}


def test_nothing_can_be_changed(table):
    for at in (table, pickle.loads(pickle.dumps(table))):
        with pytest.raises(ValueError, match="read-only"):
            at.column("height").values[0] = 2.0


def test_the_callers_array_is_left_alone():
    values = np.array([1.0, 2.0])
    column = numeric("x", values)
    values[0] = 9.0
    assert column.values[0] == 1.0


def test_rows_and_columns_are_taken(table):
    taken = table.take([2, 0]).select("visits", "answer")
    assert [c.texts() for c in taken.columns] == [["12", "3"], ["yes", "no"]]
    assert taken.column("answer").levels == ("no", "yes")
    np.testing.assert_array_equal(table.matrix("visits", "height")[0], [3.0, 1.5])


def test_digest_sees_names_kinds_levels_and_values():
    one = Table.of(coded("a", ["x", "y"]))
    # Written down: links of earlier versions name tables by it, on any machine.
    assert one.digest() == "24229fef046c4bfe23f43ac1cd3de09d54b1e4960897119c857004b5c849b7be"
    others = [
        Table.of(coded("b", ["x", "y"])),
        Table.of(coded("a", ["x", "y"], "binary")),
        Table.of(coded("a", ["x", "z"])),
        Table.of(coded("a", ["y", "x"])),
    ]
    assert len({one.digest(), *(other.digest() for other in others)}) == 5


def test_digest_knows_one_zero_and_one_missing_value():
    payload = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    assert np.isnan(payload)
    one, other = numeric("a", [0.0, np.nan]), numeric("a", [-0.0, payload])
    assert Table.of(one).digest() == Table.of(other).digest()


CONVERSIONS = [
    (numeric("c", [2, 1, np.nan, 2]), "nominal", ["2", "1", "", "2"], ("1", "2")),
    (numeric("c", [0.5, 10, 9]), "ordinal", ["0.5", "10", "9"], ("0.5", "9", "10")),
    (coded("c", ["2", "1", ""]), "count", ["2", "1", ""], ()),
    (coded("c", ["2.5", "1", ""]), "number", ["2.5", "1", ""], ()),
    (coded("c", ["2020-02-29", "1999-12-31"]), "datetime", ["2020-02-29", "1999-12-31"], ()),
    (numeric("c", [1, 1, np.nan]), "constant", ["1", "1", ""], ()),
    (numeric("c", [18262.0], "datetime"), "nominal", ["2020-01-01"], ("2020-01-01",)),
    (numeric("c", [18262.0], "datetime"), "number", ["18262"], ()),
]


@pytest.mark.parametrize(("column", "kind", "texts", "levels"), CONVERSIONS)
def test_kinds_are_changed_where_the_cells_allow_it(column, kind, texts, levels):
    found = Table.of(column).with_kind("c", kind).column("c")
    assert (found.kind, found.texts(), found.levels) == (kind, texts, levels)


def test_an_order_of_levels_can_be_given():
    sizes = Table.of(coded("size", ["small", "large", "medium"]))
    ordered = sizes.with_kind("size", "ordinal", ("small", "medium", "large")).column("size")
    assert ordered.values.tolist() == [0.0, 2.0, 1.0]
    with pytest.raises(DataError, match="lacks its value 'medium'"):
        sizes.with_kind("size", "ordinal", ("small", "large"))


REFUSED = [
    (coded("c", ["1", "two"]), "number", "'two' is not a number"),
    (coded("c", ["1.5"]), "count", "row 1 holds 1.5"),
    (coded("c", ["tomorrow"]), "datetime", "'tomorrow' is not a date"),
    (numeric("c", [1.0]), "datetime", "name no calendar"),
    (numeric("c", [1, 2, 3]), "binary", "3 different values"),
    (numeric("c", [1, 2]), "constant", "2 different values"),
    (numeric("c", [1, 2]), "colour", "no kind of column called 'colour'"),
]


@pytest.mark.parametrize(("column", "kind", "sentence"), REFUSED)
def test_other_changes_are_refused_in_a_sentence(column, kind, sentence):
    with pytest.raises(DataError, match=sentence):
        Table.of(column).with_kind("c", kind)


BROKEN = [
    (lambda: Table.of(numeric("a", [1]), numeric("a", [2])), "Two columns are called 'a'"),
    (lambda: Table.of(numeric("a", [1]), numeric("b", [1, 2])), "equally many rows; got 1 and 2"),
    (lambda: Table((), ()), "at least one column"),
    (lambda: Table(("b",), (numeric("a", [1]),)), "must be those of its columns"),
    (lambda: numeric("a", [1.0, np.inf]), "infinite value in row 2"),
    (lambda: numeric("a", [[1.0]]), "array of 2 dimensions"),
    (lambda: numeric("a", [4e6], "datetime"), "outside the years 1 to 9999"),
    (lambda: ColumnData("a", "nominal", np.array([0.0, 2.0]), ("x", "y")), "codes from 0 to 1"),
    (lambda: ColumnData("a", "nominal", np.array([0.0]), ("x", "x")), "names a level twice"),
    (lambda: ColumnData("a", "number", np.array([0.0]), ("x",)), "has no levels"),
    (lambda: ColumnData("a", "colour", np.array([1.0])), "no kind 'colour'"),
    (lambda: coded("a", ["x", "z"], levels=("x", "y")), "'z', which is not among its levels"),
    (lambda: Table.of(numeric("a", [1])).column("b"), "no column 'b'; it has a"),
]


@pytest.mark.parametrize(("make", "sentence"), BROKEN)
def test_a_broken_table_is_refused_in_a_sentence(make, sentence):
    with pytest.raises(DataError, match=sentence):
        make()


def test_csv_holds_nothing_that_a_spreadsheet_executes():
    texts = ["=1+1", "+cmd", "-2+3", "@a", "\tx", "-5", "plain"]
    written = Table.of(coded("=name", texts, "text")).to_csv().splitlines()
    assert written[0] == "'=name"
    assert written[1:] == ["'=1+1", "'+cmd", "'-2+3", "'@a", "'\tx", "-5", "plain"]


@pytest.mark.parametrize("mark", ["\n=", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_csv_neutralises_signs_of_full_width_and_behind_an_end_of_a_line(mark):
    written = Table.of(coded("a", [f"{mark}cmd"], "text")).to_csv()
    assert written.split("\r\n")[1].lstrip('"').startswith(f"'{mark}cmd")


@pytest.mark.parametrize("value", [0.1, 1e300, -2.5e-7, 3.0, 1e15, 123456789012.0, 0.1 + 0.2])
def test_numbers_are_written_so_that_they_read_back_exactly(value):
    assert cells.number(cells.number_text(value)) == value


@pytest.mark.parametrize(
    ("text", "order", "iso"),
    [
        ("2024-05-31", "ymd", "2024-05-31"),
        ("2024/5/1", "ymd", "2024-05-01"),
        ("2024-05", "ymd", "2024-05-01"),
        ("31/12/1999", "dmy", "1999-12-31"),
        ("12/31/99", "mdy", "1999-12-31"),
        ("1.2.2020", "dmy", "2020-02-01"),
        ("2020-01-01T23:00:00-02:00", "ymd", "2020-01-02T01:00:00"),
        ("1/31/2020 1:05 PM", "mdy", "2020-01-31T13:05:00"),
        ("0001-01-01", "ymd", "0001-01-01"),
        ("2023-02-29", "ymd", ""),
        ("31/12/1999", "mdy", ""),
        ("31/12/1999", "ymd", ""),
        ("2020-01-01 25:00", "ymd", ""),
        ("0001-01-01T00:00+05:00", "ymd", ""),
    ],
)
def test_dates_are_read_in_the_order_given(text, order, iso):
    days = dates.day(text, order)
    assert ("" if days is None else cells.date_text(days)) == iso


def test_tables_need_no_library_that_reads_files():
    modules = "mlcore.data.table, mlcore.data.schema, mlcore.data.audit, mlcore.data.bundled"
    code = f"import sys, {modules}; print(*{{'pandas', 'pyarrow'}} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == ""


def test_values_that_may_change_are_copied_and_others_kept():
    values = np.array([1.0, 2.0])
    held = ColumnData("a", "count", values)
    values[0] = 9.0
    assert held.values[0] == 1.0
    view = values[:]
    view.setflags(write=False)
    seen = ColumnData("a", "count", view)
    values[0] = 7.0
    assert seen.values[0] == 9.0
    assert ColumnData("b", "number", held.values).values is held.values


def test_a_summary_has_ends_mean_and_a_count_of_every_row():
    values = np.array([0.0, 1.0, 2.0, np.nan, 14.0])
    held = numeric("a", values).summary
    assert (held.low, held.high, held.mean) == (0.0, 14.0, 4.25)
    assert held.counts == (1, 1, 1, *[0] * 10, 1)
    assert coded("b", ["x", "", "z", "z"], levels=("x", "y", "z")).summary.counts == (1, 2)
    assert numeric("c", [np.nan]).summary.counts == ()
    assert sum(numeric("d", [5.0, 5.0]).summary.counts) == 2


def test_a_summary_of_the_largest_numbers_does_not_overflow():
    held = numeric("a", [-1.7e308, 1.7e308, 1.7e308]).summary
    assert held.mean == pytest.approx(1.7e308 / 3)
    assert (held.counts[0], held.counts[-1], sum(held.counts)) == (1, 2, 3)


def test_a_mean_that_is_only_rounding_is_zero():
    assert np.mean([0.1, 0.2, -0.3]) != 0.0
    assert numeric("a", [0.1, 0.2, -0.3]).summary.mean == 0.0
    assert numeric("b", [-1e-300, 4e-300]).summary.mean == pytest.approx(1.5e-300)


def test_a_return_alone_within_a_cell_ends_no_line():
    table = Table.of(coded("a", ["x\ry", "z"], "text"), numeric("b", [1.0, 2.0]))
    rows = list(csv.reader(io.StringIO(table.to_csv(), newline="")))
    assert rows == [["a", "b"], ["x\ry", "1"], ["z", "2"]]


def test_the_same_date_in_every_row_is_still_a_date():
    table = Table.of(numeric("day", [18262.0, np.nan, 18262.0], "datetime"))
    constant = table.with_kind("day", "constant")
    assert constant.cell(0, "day") == "2020-01-01"
    assert constant.with_kind("day", "datetime").digest() == table.digest()
