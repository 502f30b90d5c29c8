"""Ragged records among many: the fast reader gives the table and the lines of the careful one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.data.importing import parse, read

CELLS = st.sampled_from(
    ["", "1", "2.5", "-7", "NA", "word", '"a,b"', '" "', '"say ""x"""', "2020-01-31", "?"]
)
RECORDS = st.lists(st.lists(CELLS, min_size=1, max_size=6).map(",".join), min_size=1, max_size=8)


def both(content: bytes) -> list[tuple]:
    """What the two readers make of a text: values, kinds, ragged lines and remarks."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for is_regular in (None, lambda *_: False):
            if is_regular:
                patch.setattr(parse, "_is_regular", is_regular)
            held = read(content)
            kinds = [c.kind for c in held.table.columns]
            found.append((held.table.digest(), kinds, held.report.ragged, held.report.notes))
    return found


@given(RECORDS, st.integers(0, 40), st.booleans())
def test_ragged_records_come_out_as_by_the_careful_reader(odd, at, has_end):
    rows = [f"{i},{i / 4},c{i % 3},2021-05-{i % 28 + 1:02d}" for i in range(40)]
    for step, record in enumerate(odd):
        rows.insert(min(at + 3 * step, len(rows)), record)
    fast, careful = both(("\n".join(["a,b,c,d", *rows]) + "\n" * has_end).encode())
    assert fast == careful


def test_ragged_records_leave_the_fast_reader_its_types(monkeypatch):
    """Beyond the sample too, between quoted cells, and blank ones leave no row."""
    rows = [f'{i},{i / 4},"c {i % 3}"' for i in range(1000)]
    rows[700:700] = ["7,8", '1,2,"x,y",4', " ", "5"]
    content = "\n".join(["a,b,c", *rows, "9"]).encode()
    fast, careful = both(content)
    assert fast == careful
    monkeypatch.setattr(parse, "_record_by_record", lambda *_: pytest.fail("read record by record"))
    held = read(content)
    assert [(it.line, it.got, it.extra) for it in held.report.ragged] == [
        (702, 2, ()), (703, 4, ("4",)), (705, 1, ()), (1006, 1, ()),
    ]  # fmt: skip
    assert [held.table.cell(row, "c") for row in (699, 700, 701, 702, 703)] == [
        "c 0", "", "x,y", "", "c 1",
    ]  # fmt: skip
    assert held.table.n_rows == 1004


def test_cells_of_several_lines_and_comments_stay_in_the_fast_reader(monkeypatch):
    """What sent a large file through the slow reader, where it took ten times as long."""
    rows = [f'{i},{i / 4},"c {i % 3}"' for i in range(1000)]
    rows[700:700] = ["7,8", '1,2,"x\n\ny"', "", "5"]
    several = "\n".join(["a,b,c", *rows, "9"]).encode()
    plain = "\n".join(["# me", "a,b,c", *(f"{i},{i / 4},c" for i in range(900)), "# you", "1,2,d"])
    expected = [both(several)[1], both(plain.encode())[1]]
    monkeypatch.setattr(parse, "_record_by_record", lambda *_: pytest.fail("read record by record"))
    for data, careful in zip((several, plain.encode()), expected, strict=True):
        held = read(data)
        assert held.table.digest() == careful[0]
        assert (held.report.ragged, held.report.notes) == careful[2:]
    assert [it.line for it in read(several).report.ragged] == [702, 707, 1008]


def test_cells_of_several_lines_among_ragged_records_are_read_carefully():
    rows = [f'{i},{i / 4},"c\n{i % 3}"' for i in range(500)]
    rows[450] = "7,8"
    fast, careful = both("\n".join(["a,b,c", *rows]).encode())
    assert fast == careful
    assert [it.line for it in fast[2]] == [902]
