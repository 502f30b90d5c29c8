"""Tables that a browser finds again: its own alone, for a while, in so much memory."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data import importing
from mlcore.data.importing import Decisions, Imported
from mlcore.data.table import Table, numeric
from service.kept_tables import KeptFile, KeptTables

KB = 1024
HOUR = 3600.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(clock) -> KeptTables:
    """Room for 40 kB in all and so for 10 kB of one browser, for an hour."""
    return KeptTables(40 * KB, HOUR, clock)


def table(name: str, size: int = 4 * KB) -> Table:
    return Table.of(numeric(name, np.zeros(size // 8 - 1)))


def names(kept: KeptTables, browser: str) -> list[str]:
    return [each.names[0] for each in kept.of(browser).values()]


def test_a_browser_finds_its_own_tables_and_no_others(kept):
    kept.keep("anna", table("a"))
    kept.keep("bert", table("b"))
    assert kept.of("anna") == {table("a").digest(): kept.of("anna")[table("a").digest()]}
    assert names(kept, "bert") == ["b"]
    assert names(kept, "carl") == []


def test_without_a_browser_nothing_is_kept(kept):
    kept.keep("", table("a"))
    assert names(kept, "") == []


def test_the_file_of_a_table_is_kept_beside_it_for_its_browser_alone(kept, clock):
    (file,) = files(4 * KB)
    kept.keep("anna", file.imported.table, file)
    digest = file.imported.table.digest()
    assert kept.file("anna", digest) is file
    assert kept.file("bert", digest) is None
    clock.now = 1.1 * HOUR
    assert kept.file("anna", digest) is None


def test_a_file_counts_and_one_that_is_too_large_is_not_kept(kept):
    small, other, large = files(4 * KB, 4 * KB, 12 * KB)
    for file in (small, other):
        kept.keep("anna", file.imported.table, file)
    assert list(kept.of("anna")) == [small.imported.table.digest(), other.imported.table.digest()]
    kept.keep("anna", large.imported.table, large)
    assert large.imported.table.digest() in kept.of("anna")
    assert kept.file("anna", large.imported.table.digest()) is None
    kept.keep("anna", table("x"))
    kept.keep("anna", table("y"))
    assert small.imported.table.digest() not in kept.of("anna")  # it and its file took the room


def files(*sizes: int) -> list[KeptFile]:
    """Files of about so many bytes, whose tables take little."""
    every = []
    for at, size in enumerate(sizes):
        content = f"a,b\n{at},{'x' * (size // 2)}\n{at},{'y' * (size // 2)}\n".encode()
        imported = Imported(table(f"t{at}", 32), importing.read(b"a,b\n1,2\n").report)
        every.append(KeptFile(f"{at}.csv", content, imported, Decisions()))
    return every


def test_a_table_is_kept_for_an_hour_after_it_was_last_asked_for(kept, clock):
    kept.keep("anna", table("a"))
    clock.now = 0.9 * HOUR
    assert names(kept, "anna") == ["a"]
    clock.now = 1.8 * HOUR
    assert names(kept, "anna") == ["a"]
    clock.now = 2.9 * HOUR
    assert names(kept, "anna") == []


def test_one_browser_does_not_take_the_room_of_others(kept):
    kept.keep("bert", table("b"))
    for name in "acdefgh":
        kept.keep("anna", table(name))
    assert names(kept, "anna") == ["g", "h"]
    assert names(kept, "bert") == ["b"]
    kept.keep("anna", table("large", 11 * KB))
    assert names(kept, "anna") == ["g", "h"], "it is larger than all that a browser may hold"


def test_where_all_is_full_the_longest_unused_go(kept):
    for browser in "abcdefghijk":
        kept.keep(browser, table("t"))
        kept.of("a")
    assert [b for b in "abcdefghijk" if names(kept, b)] == list("acdefghijk")


def test_the_same_table_again_takes_no_more_room(kept):
    for _ in range(20):
        kept.keep("anna", table("a"))
    kept.keep("anna", table("b"))
    assert names(kept, "anna") == ["a", "b"]


def test_an_installation_may_keep_none(clock):
    kept = KeptTables(40 * KB, 0.0, clock)
    kept.keep("anna", table("a"))
    assert names(kept, "anna") == []
