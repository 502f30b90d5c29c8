"""Delete links work where the disk is full, and say what holds where something is put off."""

from __future__ import annotations

import errno
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sql

from service import database, layout, reserve, store
from service.database import StoreError
from service.starting import PROJECT
from tests.service.stores import POSTGRES, shared, table

# Carried out where a small disk is mounted for this process alone.
FULL = """
import sys
from pathlib import Path
import numpy as np
from mlcore.data.table import Table, numeric
from service.limits import Limits
from service.store import Store, StoreError
from tests.service.stores import shared

folder = Path(sys.argv[1])

def filled():
    with (folder / "rubbish").open("ab", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass

rows = np.random.default_rng(0).normal(size=120_000)
held = Table.of(numeric("a", rows))  # a megabyte, as large as a run may be
def opened():
    return Store(f"sqlite:///{folder / 'shared.sqlite'}", Limits(share_mb=1))

keeping = opened()
links = [keeping.put(shared(held if seed < 2 else None, seed), "me") for seed in range(4)]
filled()
try:
    for seed in range(9, 99):  # until no room is left in the file either
        keeping.put(shared(Table.of(numeric("b", rows + seed)), seed), str(seed))
except StoreError as error:
    assert "disk of the server is full" in str(error), error
keeping.close()
keeping = opened()  # a server may start, too
assert keeping.get(links[0].id).tables
for each in links:
    keeping.delete(each.token)
    filled()
print("deleted")
"""


@pytest.mark.skipif(bool(POSTGRES), reason="a disk of SQLite is filled")
def test_delete_links_work_on_a_full_disk(tmp_path):
    small = f"mount -t tmpfs -o size=6m none {tmp_path}"
    alone = ["unshare", "--mount", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*alone, small], check=False).returncode:
        pytest.skip("no disk can be mounted here")
    call = shlex.join([sys.executable, "-c", FULL, str(tmp_path)])
    said = subprocess.run(
        [*alone, f"{small} && exec {call}"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert said.stdout == "deleted\n", said.stderr[-3000:]


def test_a_reserve_that_does_not_fit_is_noted_and_takes_nothing(tmp_path, monkeypatch, caplog):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(reserve, "_fill", full)
    reserve.Reserve(tmp_path / "room", 10).hold()
    assert "no room for a reserve" in caplog.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(bool(POSTGRES), reason="PostgreSQL overwrites by itself")
def test_a_deletion_says_whether_it_is_overwritten_on_the_disk(made, address):
    folder, keeping = Path(address.removeprefix("sqlite:///")).parent, made()
    links, other = (keeping.put(shared(table(seed=k)), "me") for k in range(2))
    piece = store.stored.to_bytes(table())[2000:2100]
    reader = database.opened(address)
    with database.reading(reader) as db:  # for it, the log must keep what was there
        assert db.execute(sql.select(layout.SHARES.c.id)).all()
        assert not keeping.delete(links.token)
        with pytest.raises(StoreError, match="No run is shared"):
            keeping.get(links.id)
    reader.dispose()
    assert any(piece in file.read_bytes() for file in folder.iterdir())
    assert keeping.delete(other.token)
    assert [file.name for file in folder.iterdir() if piece in file.read_bytes()] == []
