"""What a browser has on disk: nobody else reads it, it goes in time, and a full disk is a no."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mlcore.data import stored
from mlcore.data.table import Table, numeric
from service import kept_tables
from service import vault as module
from service.kept_tables import KeptTables
from service.vault import FORMAT, Vault
from tests.service.conftest import until
from tests.service.stores import Clock

KB, DAY = 1024, 86400.0
ANNA, BERT = "a" * 64, "b" * 64
SECRET = b"nobody else may read this " * 4


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(tmp_path, clock) -> Vault:
    """Room for 40 kB in all and so for 10 kB of one browser, for a day."""
    return Vault(tmp_path, 40 * KB, DAY, clock)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_browser_finds_what_it_has_after_a_new_start(kept, tmp_path, clock):
    assert kept.put(ANNA, "table x", SECRET)
    again = Vault(tmp_path, 40 * KB, DAY, clock)
    assert again.get(ANNA, "table x") == SECRET
    assert list(again.every(ANNA, "table ")) == [SECRET]
    assert list(again.every(ANNA, "table ", ["table x"])) == []
    assert again.get(ANNA, "runs") is None and list(again.every(ANNA, "runs")) == []


def test_another_browser_finds_nothing_whatever_it_asks_for(kept):
    kept.put(ANNA, "table x", SECRET)
    for who in (BERT, "", ANNA[:-1], ANNA.upper()):
        assert kept.get(who, "table x") is None
        assert list(kept.every(who, "table ")) == []


def test_the_disk_says_neither_what_is_kept_nor_for_whom(kept, tmp_path):
    kept.put(ANNA, "table x", SECRET)
    (file,) = files(tmp_path)
    told = file.read_bytes() + str(file).encode()
    for word in (b"nobody", ANNA.encode()[:16], bytes.fromhex(ANNA)[:8], b"table"):
        assert word not in told
    assert file.stat().st_mode & 0o077 == 0 and file.parent.stat().st_mode & 0o077 == 0


def test_a_file_of_another_browser_in_its_place_is_not_opened(kept, tmp_path):
    """Who may write to the disk takes Anna's file for Bert, or one of Anna's for another."""
    kept.put(ANNA, "table x", SECRET)
    kept.put(BERT, "table x", b"of Bert")
    kept.put(ANNA, "table y", b"another")
    stolen = kept._path(ANNA, "table x").read_bytes()
    for who, name in ((BERT, "table x"), (ANNA, "table y")):
        place = kept._path(who, name)
        place.write_bytes(stolen)
        os.utime(place, (kept._clock(),) * 2)
        assert kept.get(who, name) is None
        assert not place.exists()
    assert kept.get(ANNA, "table x") == SECRET


def test_no_changed_byte_is_taken_for_what_was_kept(kept, tmp_path):
    kept.put(ANNA, "table x", SECRET)
    (file,) = files(tmp_path)
    sealed = file.read_bytes()
    spoilt = [sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :] for at in range(len(sealed))]
    spoilt += [b"", sealed[:5], FORMAT, sealed[:-1], sealed + b"x"]
    for content in spoilt:
        file.write_bytes(content)
        os.utime(file, (kept._clock(),) * 2)
        assert kept.get(ANNA, "table x") is None
        assert not file.exists()


def test_the_same_content_is_never_sealed_the_same_way(kept):
    sealed = set()
    for _ in range(3):
        kept.put(ANNA, "table x", SECRET)
        sealed.add(kept._path(ANNA, "table x").read_bytes())
    assert len(sealed) == 3


def test_what_was_not_used_goes_in_time_and_what_is_used_stays(kept, tmp_path, clock):
    kept.put(ANNA, "table x", SECRET)
    kept.put(BERT, "table x", SECRET)
    clock.now += 0.6 * DAY
    assert kept.get(ANNA, "table x")
    clock.now += 0.6 * DAY
    assert kept.get(BERT, "table x") is None
    kept.tidy()
    assert files(tmp_path) == [kept._path(ANNA, "table x")]
    assert len(list(tmp_path.iterdir())) == 1


def test_who_has_much_loses_the_oldest_and_takes_no_room_of_others(kept):
    kept.put(BERT, "table 0", b"b" * 4 * KB)
    for at in range(5):
        kept._clock.now += 1
        assert kept.put(ANNA, f"table {at}", b"a" * 4 * KB)
    assert [bool(kept.get(ANNA, f"table {at}")) for at in range(5)] == [False] * 3 + [True] * 2
    assert kept.get(BERT, "table 0")
    assert not kept.put(ANNA, "table 9", b"a" * 11 * KB)


def test_all_together_have_so_much_room(kept, tmp_path):
    for at in range(12):
        kept._clock.now += 1
        kept.put(f"{at:064x}", "table x", b"a" * 9 * KB)
    assert sum(file.stat().st_size for file in files(tmp_path)) <= 40 * KB
    assert kept.get(f"{11:064x}", "table x") and not kept.get(f"{0:064x}", "table x")


def test_many_small_files_are_too_many_too_and_leave_no_folder(kept, tmp_path, monkeypatch):
    """Each writing looks through all of them: strangers could make every other one wait."""
    monkeypatch.setattr(module, "MOST_FILES", 8)
    for at in range(12):
        kept._clock.now += 1
        assert kept.put(f"{at:064x}", "runs", b"{}")
    assert len(files(tmp_path)) == len(list(tmp_path.iterdir())) == 8
    for at in range(4):
        kept._clock.now += 1
        assert kept.put(ANNA, f"table {at}", b"a")
    assert [bool(kept.get(ANNA, f"table {at}")) for at in range(4)] == [False] * 2 + [True] * 2


def test_one_press_removes_all_of_a_browser_and_nothing_else(kept, tmp_path):
    kept.put(ANNA, "table x", SECRET)
    kept.put(ANNA, "runs", SECRET)
    kept.put(BERT, "table x", SECRET)
    assert kept.delete(ANNA)
    assert files(tmp_path) == [kept._path(BERT, "table x")]
    assert kept.delete("") and kept.get(BERT, "table x") == SECRET


def test_a_full_disk_is_no_fault_and_leaves_what_was_there(kept, tmp_path, monkeypatch):
    kept.put(ANNA, "table x", SECRET)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module.os, "replace", full)
    assert not kept.put(ANNA, "table x", b"newer")
    assert not kept.put(ANNA, "table y", b"newer")
    monkeypatch.undo()
    assert kept.get(ANNA, "table x") == SECRET
    assert len(files(tmp_path)) == 1  # nothing half-written is left


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="only Linux has a full device")
def test_a_folder_that_cannot_be_made_is_no_fault():
    kept = Vault(Path("/dev/full/kept"), 40 * KB, DAY)
    assert not kept.put(ANNA, "table x", SECRET)
    assert kept.get(ANNA, "table x") is None and list(kept.every(ANNA, "table ")) == []
    assert kept.delete(ANNA)


def test_what_others_put_into_the_folder_is_left_alone(kept, tmp_path, clock):
    kept.put(ANNA, "table x", SECRET)
    for place in (tmp_path / "mine.txt", kept._place(ANNA) / "mine.txt"):
        place.write_text("of somebody else")
    clock.now += 2 * DAY
    kept.tidy()
    kept.delete(ANNA)
    assert [file.name for file in files(tmp_path)] == ["mine.txt"] * 2


def test_tables_are_there_after_a_new_start_and_for_their_browser_alone(kept):
    table = Table.of(numeric("a", [1.0, 2.0]))
    KeptTables(40 * KB, 3600.0, vault=kept).keep(ANNA, table)
    again = KeptTables(40 * KB, 3600.0, vault=kept)
    assert again.restored(BERT) == {} and again.of(ANNA) == {}
    assert list(again.restored(ANNA)) == [table.digest()] == list(again.of(ANNA))
    assert again.forget(ANNA) and again.restored(ANNA) == {}


def test_a_server_that_keeps_nothing_in_memory_still_has_the_disk(kept):
    table = Table.of(numeric("a", [1.0, 2.0]))
    KeptTables(40 * KB, 0.0, vault=kept).keep(ANNA, table)
    assert list(KeptTables(40 * KB, 0.0, vault=kept).restored(ANNA)) == [table.digest()]


def test_nobody_waits_until_a_large_table_is_on_disk(kept, monkeypatch):
    monkeypatch.setattr(kept_tables, "AT_ONCE", 0)
    table = Table.of(numeric("a", [1.0, 2.0]))
    KeptTables(40 * KB, 3600.0, vault=kept).keep(ANNA, table)
    assert until(lambda: list(KeptTables(40 * KB, 1.0, vault=kept).restored(ANNA)), 10)


@pytest.mark.parametrize("slow", ["_write", "_unsealed"])
def test_nobody_waits_for_the_large_file_of_another(kept, monkeypatch, slow):
    """Neither while it is written, nor while it is read and opened."""
    place, real = str(kept._place(ANNA)), getattr(kept, slow)
    begun, ends = threading.Event(), threading.Event()

    def slowly(*given):
        if any(place in str(each) for each in given):
            begun.set()
            assert ends.wait(10)
        return real(*given)

    tables = KeptTables(40 * KB, 3600.0, vault=kept)
    kept.put(ANNA, "table x", SECRET)
    monkeypatch.setattr(kept, slow, slowly)
    with ThreadPoolExecutor(2) as people:
        if slow == "_write":
            people.submit(tables.keep, ANNA, Table.of(numeric("a", [1.0])))
        else:
            people.submit(kept.get, ANNA, "table x")
        assert begun.wait(10)
        bert = people.submit(tables.keep, BERT, Table.of(numeric("b", [2.0])))
        try:
            bert.result(timeout=5)
            assert tables.forget(BERT)
        finally:
            ends.set()


def test_a_table_that_is_still_being_packed_is_deleted_with_the_rest(kept, monkeypatch):
    """It would reach the disk after everything was deleted, and stay there for days."""
    begun, ends, to_bytes = threading.Event(), threading.Event(), stored.to_bytes

    def slowly(table: Table) -> bytes:
        begun.set()
        assert ends.wait(10)
        return to_bytes(table)

    monkeypatch.setattr(kept_tables, "AT_ONCE", 0)
    monkeypatch.setattr(kept_tables.stored, "to_bytes", slowly)
    tables = KeptTables(40 * KB, 3600.0, vault=kept)
    tables.keep(ANNA, Table.of(numeric("a", [1.0])))
    assert begun.wait(10)
    assert tables.forget(ANNA)
    ends.set()
    tables.keep(BERT, Table.of(numeric("b", [2.0])))  # one after the other
    assert until(lambda: list(kept.every(BERT, "table ")), 10)
    assert not list(kept.every(ANNA, "table "))


def test_no_more_comes_back_from_the_disk_than_a_browser_may_hold(kept, clock):
    """A column of one number is a few hundred bytes on disk, whatever it is in memory."""
    tables = KeptTables(40 * KB, 3600.0, vault=kept)
    wide = [Table.of(numeric(f"a{k}", np.zeros(512))) for k in range(8)]  # 4 kB each, of 10 kB
    for table in wide:
        clock.now += 1
        tables.keep(ANNA, table)
    again = KeptTables(40 * KB, 3600.0, vault=kept)
    assert list(again.restored(ANNA)) == [table.digest() for table in (wide[7], wide[6])]


def test_a_folder_that_was_lost_is_made_again(kept, tmp_path):
    kept.put(ANNA, "table x", SECRET)
    shutil.rmtree(tmp_path)
    assert kept.get(ANNA, "table x") is None
    assert kept.put(ANNA, "table x", SECRET) and kept.get(ANNA, "table x") == SECRET
