"""Tables as bytes: back to the last bit, and a sentence for anything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.data import bundled
from mlcore.data.stored import from_bytes, size, to_bytes
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.errors import FileError


def all_kinds() -> Table:
    return Table.of(
        numeric("a", [0.1 + 0.2, -0.0, np.nan]),
        numeric("n", [1, 2, np.nan], "count"),
        numeric("when", [0.5, 19000.25, np.nan], "datetime"),
        coded("ä \ud800", ["x", "", "y"], levels=("y", "x", "never")),
    )


@pytest.mark.parametrize("name", ["penguins", "diabetes", "airquality"])
def test_bundled_tables_come_back(name):
    table = bundled.load(name)
    assert from_bytes(to_bytes(table)).digest() == table.digest()


def test_every_kind_comes_back_with_its_bits_and_read_only():
    table = all_kinds()
    back = from_bytes(to_bytes(table))
    assert back.digest() == table.digest()
    assert [(c.name, c.kind, c.levels) for c in back.columns] == [
        (c.name, c.kind, c.levels) for c in table.columns
    ]
    for was, now in zip(table.columns, back.columns, strict=True):
        assert was.values.tobytes() == now.values.tobytes()
        assert not now.values.flags.writeable


def test_equal_tables_give_equal_bytes():
    assert to_bytes(all_kinds()) == to_bytes(all_kinds())


def test_size_counts_values_and_texts():
    assert size(Table.of(numeric("ab", [1, 2, 3]), coded("c", ["xyz", "xyz", ""]))) == 48 + 2 + 4


@given(st.binary(max_size=300))
def test_any_other_bytes_are_a_sentence(content):
    with pytest.raises(FileError, match="hold no table"):
        from_bytes(content)


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_spoiled_bytes_give_a_table_or_a_sentence(at, byte):
    content = bytearray(to_bytes(all_kinds()))
    content[at % len(content)] = byte
    assert isinstance(read_or_refused(bytes(content)), Table | str)


def read_or_refused(content: bytes) -> Table | str:
    """Any other error than the sentence fails the test."""
    try:
        return from_bytes(content)
    except FileError as error:
        return str(error)


@pytest.mark.parametrize(
    ("was", "now"),
    [(b'"name": "when"', b'"name": 123456'), (b'"levels": ["y", ', b'"levels": [123, '),
     (b'"kind": "datetime"', b'"kind": ["number"]')],
)  # fmt: skip
def test_what_is_no_text_is_a_sentence(was, now):
    content = to_bytes(all_kinds())
    assert was in content and len(was) == len(now)
    with pytest.raises(FileError, match="hold no table"):
        from_bytes(content.replace(was, now))


def test_spoiled_codes_are_a_sentence():
    content = to_bytes(all_kinds()).replace(b'"nominal"', b'"binarys"')
    with pytest.raises(FileError, match="has no kind"):
        from_bytes(content)
