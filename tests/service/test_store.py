"""The store of shared runs, on SQLite, or on the PostgreSQL that DATABASE_URL names."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sql

from mlcore.data.dataset import TableData
from mlcore.data.table import Table, numeric
from mlcore.data.upload import Upload
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError
from service import database, layout, reserve, store
from service.database import StoreError
from service.limits import Limits
from service.process import PROJECT
from service.records import Shared
from service.store import DAY, HOUR, Store

POSTGRES = os.environ.get(database.DATABASE, "")


class Clock:
    """Time that a test sets."""

    now = 1e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def address(tmp_path) -> Iterator[str]:
    where = POSTGRES or f"sqlite:///{tmp_path / 'deep' / 'shared.sqlite'}"
    engine = database.opened(where)
    assert not sql.inspect(engine).has_table("shares"), "this database is in use"
    yield where
    layout.SCHEMA.drop_all(engine)
    engine.dispose()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def made(address, clock) -> Iterator[Callable[..., Store]]:
    """`made(shares=3)`: a store with these limits; several share one database."""
    opened = []

    def make(**limits: int) -> Store:
        opened.append(Store(address, Limits(**limits), clock))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def table(seed: int = 0) -> Table:
    values = np.random.default_rng(seed).normal(size=(2, 400))
    values[0, 3] = np.nan
    return Table.of(numeric("a", values[0]), numeric("b", values[1]))


def shared(held: Table | None = None, seed: int = 0) -> Shared:
    source = Upload(digest=held.digest(), name="mine.csv") if held else "iris"
    return Shared(
        run=Run(data=TableData(source=source), method="lda", seed=seed),
        page="classification",
        view={"view.x": "a"},
        numbers={"values": {"score": [0.1 + 0.2, float("nan")]}, "versions": {}, "planned": 5},
        parts=("Whole", "FoldResult k 0"),
        tables={held.digest(): held} if held else {},
    )


def tables_in(it: Store) -> int:
    with database.transaction(it._engine) as db:
        return db.execute(sql.select(sql.func.count()).select_from(layout.TABLES)).scalar_one()


def test_a_run_comes_back_as_it_was(made, clock):
    given = shared(table())
    links = made().put(given, "me")
    back = made().get(links.id)  # another server on the same database
    assert (back.run, back.page, back.view) == (given.run, given.page, given.view)
    assert back.parts == given.parts
    assert repr(back.numbers) == repr(given.numbers)  # to the last bit, and NaN too
    assert [t.digest() for t in back.tables.values()] == [table().digest()] == list(back.tables)
    assert (back.created, back.expires) == (clock.now, clock.now + 30 * DAY)


def test_links_are_long_random_and_differ(made):
    keeping = made()
    links = [part for seed in range(3) for part in keeping.put(shared(seed=seed), "me")]
    assert len(set(links)) == 6
    assert {len(part) for part in links} == {32}  # of 64 letters each: 192 bits


def test_the_token_is_not_kept_and_opens_nothing(made):
    keeping = made()
    links = keeping.put(shared(), "me")
    with database.transaction(keeping._engine) as db:
        row = db.execute(sql.select(layout.SHARES)).one()
    assert links.token not in repr(tuple(row))
    assert "'me'" not in repr(tuple(row))
    with pytest.raises(StoreError, match="No run is shared"):
        keeping.get(links.token)
    with pytest.raises(StoreError, match="No run is shared"):
        keeping.delete(links.id)


def test_the_token_names_and_deletes_its_run_alone(made):
    keeping = made()
    kept, gone = keeping.put(shared(seed=1), "me"), keeping.put(shared(seed=2), "me")
    assert keeping.named_by(gone.token) == gone.id
    keeping.delete(gone.token)
    assert keeping.get(kept.id).run.seed == 1
    for ask in (keeping.delete, keeping.named_by):
        with pytest.raises(StoreError, match="deleted"):
            ask(gone.token)
    with pytest.raises(StoreError, match="deleted"):
        keeping.get(gone.id)


def test_equal_tables_are_stored_once_and_go_with_their_last_run(made):
    keeping = made()
    first, second = (keeping.put(shared(table(), seed), "me") for seed in (1, 2))
    other = keeping.put(shared(table(seed=5)), "me")
    assert tables_in(keeping) == 2
    keeping.delete(first.token)
    assert tables_in(keeping) == 2
    assert list(keeping.get(second.id).tables) == [table().digest()]
    keeping.delete(second.token)
    assert tables_in(keeping) == 1
    keeping.delete(other.token)
    assert tables_in(keeping) == 0


@pytest.mark.skipif(bool(POSTGRES), reason="a file of SQLite is looked into")
def test_what_is_deleted_is_overwritten(made, address):
    folder = Path(address.removeprefix("sqlite:///")).parent
    keeping = made()
    links = keeping.put(shared(table()), "me")
    piece = store.stored.to_bytes(table())[2000:2100]
    assert any(piece in file.read_bytes() for file in folder.iterdir())
    keeping.delete(links.token)
    assert [file.name for file in folder.iterdir() if piece in file.read_bytes()] == []
    assert folder.stat().st_mode & 0o077 == 0  # nobody else on the machine reads it


def test_runs_expire(made, clock):
    keeping = made(share_days=2)
    links = keeping.put(shared(table()), "me")
    clock.now += 2 * DAY - 1
    assert keeping.get(links.id)
    clock.now += 1
    with pytest.raises(StoreError, match="expired"):
        keeping.get(links.id)
    keeping.clean()
    assert tables_in(keeping) == 0


def test_expired_runs_are_removed_when_another_is_shared(made, clock):
    keeping = made(shares=1)
    keeping.put(shared(table()), "me")
    clock.now += 31 * DAY
    keeping.put(shared(), "me")
    assert tables_in(keeping) == 0


def test_the_number_of_runs_is_limited(made):
    keeping = made(shares=2)
    links = [keeping.put(shared(seed=seed), "me") for seed in range(2)]
    with pytest.raises(StoreError, match="keeps at most 2 shared runs"):
        keeping.put(shared(seed=3), "you")
    keeping.delete(links[0].token)
    assert keeping.put(shared(seed=3), "you")


def test_many_browsers_of_one_address_do_not_use_up_the_store(made, clock):
    keeping = made(shares_address=3)
    for seed in range(3):
        keeping.put(shared(seed=seed), f"browser {seed}", "address")
    with pytest.raises(StoreError, match="From one network address 3 runs may be stored"):
        keeping.put(shared(seed=4), "another browser", "address")
    assert keeping.put(shared(seed=4), "another browser", "another address")
    assert keeping.put(shared(seed=5), "no address is known")
    clock.now += HOUR
    assert keeping.put(shared(seed=6), "another browser", "address")
    assert list(keeping._by_address) == ["address"]  # what is over is forgotten


def test_a_browser_may_store_so_many_an_hour(made, clock):
    keeping = made(shares_hour=2)
    for seed in range(2):
        keeping.put(shared(seed=seed), "me")
    with pytest.raises(StoreError, match="may store 2 runs within an hour"):
        keeping.put(shared(seed=3), "me")
    assert keeping.put(shared(seed=3), "you")
    clock.now += HOUR
    assert keeping.put(shared(seed=4), "me")


def test_the_size_is_limited_before_anything_is_stored(made):
    large = Table.of(numeric("a", np.zeros(140_000)))  # packs to next to nothing
    keeping = made(share_mb=1)
    with pytest.raises(StoreError, match="take 1 MB; this installation stores at most 1 MB"):
        keeping.put(shared(large), "me")
    assert tables_in(keeping) == 0
    with pytest.raises(StoreError, match="stores no runs"):
        made(shares=0).put(shared(), "me")


@pytest.mark.parametrize(
    "text", ["", "x", "a" * 33, "ä" * 32, "'; DROP TABLE shares; --", "\0" * 32, "a" * 31 + "\n"]
)
def test_spoiled_links_are_a_sentence(made, text):
    keeping = made()
    for ask in (keeping.get, keeping.named_by, keeping.delete):
        with pytest.raises(StoreError, match="No run is shared under this link"):
            ask(text)


def test_a_spoiled_run_is_a_sentence(made):
    keeping = made()
    links = keeping.put(shared(table()), "me")
    with database.transaction(keeping._engine) as db:
        db.execute(sql.update(layout.SHARES).values(run="{}"))
    with pytest.raises(MlcoreError, match="not a saved run"):
        keeping.get(links.id)
    with database.transaction(keeping._engine) as db:
        db.execute(sql.update(layout.SHARES).values(run=shared(table()).run.to_json()))
        db.execute(sql.update(layout.TABLES).values(content=b"spoiled"))
    with pytest.raises(MlcoreError, match="hold no table"):
        keeping.get(links.id)
    with database.transaction(keeping._engine) as db:
        another = store.stored.to_bytes(table(seed=1))
        db.execute(sql.update(layout.TABLES).values(content=another))
    with pytest.raises(StoreError, match="is damaged"):
        keeping.get(links.id)


SEVERAL = """
import sys
from tests.service.test_store import shared, table
from service.limits import Limits
from service.store import Store, StoreError

keeping = Store(sys.argv[1], Limits(shares=12, shares_hour=99))
stored = 0
for turn in range(8):
    try:
        links = keeping.put(shared(table(), seed=turn), sys.argv[2])
    except StoreError as error:
        assert "keeps at most 12" in str(error), error
        continue
    stored += 1
    assert keeping.get(links.id).tables
    if turn % 2:
        keeping.delete(links.token)
        stored -= 1
print(stored)
"""


@pytest.mark.slow
def test_several_servers_share_one_database(address, made):
    """At most twelve in all at any time, no lost table, whatever the order of their work."""
    command = [sys.executable, "-c", SEVERAL, address]
    servers = [
        subprocess.Popen([*command, str(k)], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
        for k in range(4)
    ]
    stored = [int(server.communicate(timeout=120)[0]) for server in servers]
    assert [server.returncode for server in servers] == [0] * 4
    keeping = made(shares=99, shares_hour=99)
    with database.transaction(keeping._engine) as db:
        ids = list(db.scalars(sql.select(layout.SHARES.c.id)))
    assert len(ids) == sum(stored) <= 12
    assert tables_in(keeping) == 1


@pytest.mark.parametrize("where", ["oracle://a/b", "no address", "", "postgresql+pg8000://a/b"])
def test_an_address_that_names_no_database_is_a_sentence(where, caplog):
    with pytest.raises(StoreError, match="not set as the hosting guide says"):
        Store(where)
    assert "cannot be opened" in caplog.text


def test_a_database_that_does_not_answer_is_a_sentence(caplog):
    with pytest.raises(StoreError, match="cannot be used at the moment"):
        Store("postgresql://nobody@127.0.0.1:1/nothing")
    assert "The store of shared runs failed." in caplog.text


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="not set as the hosting guide says"):
        Store(f"sqlite:///{tmp_path / 'file' / 'shared.sqlite'}")


def test_which_database_is_used(tmp_path):
    def chosen(**environment: str) -> str:
        return database.address(environment)

    assert chosen() == f"sqlite:///{PROJECT / '.mlscope' / 'shared.sqlite'}"
    assert chosen(MLSCOPE_STORE=str(tmp_path)) == f"sqlite:///{tmp_path / 'shared.sqlite'}"
    assert chosen(MLSCOPE_STORE="x", DATABASE_URL=" postgresql://h/d ") == "postgresql://h/d"


def test_nothing_is_made_before_somebody_shares(tmp_path):
    here = {"MLSCOPE_STORE": str(tmp_path)}
    assert not database.is_begun(here)
    Store(database.address(here)).close()
    assert database.is_begun(here)
    assert database.is_begun({"DATABASE_URL": "postgresql://h/d"})


def test_a_run_that_nobody_computed_and_one_that_was_complete(made):
    keeping = made()
    links = keeping.put(replace(shared(), numbers=None, parts=None), "me")
    back = keeping.get(links.id)
    assert (back.numbers, back.parts) == (None, None)


def test_the_size_of_what_is_shared_counts_table_and_texts():
    with_table, without = shared(table()), shared()
    assert with_table.size() - without.size() > 2 * 400 * 8
    longer = replace(without, view={"view.x": "a" * 100})
    assert longer.size() == without.size() + 99


SPOILED = {
    "view": ["", "[]", "null", '{"a": 1}', "[" * 100_000],
    "numbers": ["", "[]", "{}", '{"versions": {}, "values": {"a": ["x"]}}', '{"versions": [] }'],
    "parts": ["", "{}", "[1]", '"a"'],
    "page": ["", "../start", "a" * 64 + "b", "Start"],
    "created": [-1.0, 1e300, float("inf")],
    "expires": [1e300],
}


@pytest.mark.parametrize("column", SPOILED)
def test_whatever_of_a_run_is_spoiled_is_a_sentence(made, column):
    keeping = made()
    links = keeping.put(shared(table()), "me")
    for text in SPOILED[column]:
        with database.transaction(keeping._engine) as db:
            db.execute(sql.update(layout.SHARES).values({column: text}))
        with pytest.raises(StoreError, match="This shared run is damaged"):
            keeping.get(links.id)
    keeping.delete(links.token)


def test_a_run_opens_while_another_server_changes_the_store(address, made):
    keeping, other = made(), database.opened(address)
    links = keeping.put(shared(table()), "me")
    with database.transaction(other):
        begun = time.monotonic()
        assert keeping.get(links.id).tables
        assert keeping.named_by(links.token) == links.id
        assert time.monotonic() - begun < 1.0
    other.dispose()


def test_nobody_waits_long_for_another_server(address, made):
    keeping, other = made(), database.opened(address)
    links = keeping.put(shared(), "me")
    with database.transaction(other):
        for ask in (lambda: keeping.put(shared(), "me"), lambda: keeping.delete(links.token)):
            begun = time.monotonic()
            with pytest.raises(StoreError, match="Others are using the store"):
                ask()
            assert time.monotonic() - begun < 3.0
    other.dispose()
    keeping.delete(links.token)


def test_what_has_expired_is_removed_also_when_a_run_is_opened(made, clock):
    keeping = made(share_days=2)
    keeping.put(shared(table()), "me")
    clock.now += DAY
    links = keeping.put(shared(), "me")
    clock.now += DAY
    assert keeping.get(links.id)
    assert tables_in(keeping) == 0


# Carried out where a small disk is mounted for this process alone.
FULL = """
import sys
from pathlib import Path
import numpy as np
from mlcore.data.table import Table, numeric
from service.limits import Limits
from service.store import Store, StoreError
from tests.service.test_store import shared

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


def test_a_database_of_the_first_layout_is_brought_here(address, clock):
    """Written as the release wrote it that had no number of its layout."""
    engine, given = database.opened(address), shared(table())
    binary = "BYTEA" if POSTGRES else "BLOB"
    with database.transaction(engine) as db:
        for statement in FIRST_LAYOUT.format(binary=binary).split(";"):
            db.exec_driver_sql(statement)
        hashes = {"delete_hash": store._hash("d" * 32), "owner_hash": "o"}
        times = {"created": clock.now, "expires": clock.now + DAY}
        row = {"id": "i" * 32, **given.texts(), **hashes, **times}
        db.execute(sql.insert(layout.SHARES), row)
        store._keep_tables(db, "i" * 32, {table().digest(): store.stored.to_bytes(table())})
    engine.dispose()
    for _ in range(2):  # it is brought here once
        keeping = Store(address, Limits(), clock)
        assert keeping.get("i" * 32).run == given.run
        with database.reading(keeping._engine) as db:
            assert db.scalars(sql.select(layout.NUMBER.c.number)).all() == [len(layout.STEPS) + 1]
            indexes = sql.inspect(db).get_indexes("needs")
        assert [index["name"] for index in indexes] == ["ix_needs_digest"]
        keeping.close()


FIRST_LAYOUT = """
CREATE TABLE tables (digest VARCHAR(64) NOT NULL PRIMARY KEY, content {binary} NOT NULL);
CREATE TABLE shares (
    id VARCHAR(64) NOT NULL PRIMARY KEY, delete_hash VARCHAR(64) NOT NULL UNIQUE,
    owner_hash VARCHAR(64) NOT NULL, page VARCHAR(64) NOT NULL, run TEXT NOT NULL,
    view TEXT NOT NULL, numbers TEXT NOT NULL, parts TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL, expires DOUBLE PRECISION NOT NULL
);
CREATE INDEX ix_shares_expires ON shares (expires);
CREATE TABLE needs (
    share VARCHAR(64) NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
    digest VARCHAR(64) NOT NULL REFERENCES tables (digest), PRIMARY KEY (share, digest)
)
"""


def test_a_layout_of_a_later_release_is_a_sentence_and_left_alone(address, made):
    keeping = made()
    links = keeping.put(shared(), "me")
    with database.transaction(keeping._engine) as db:
        db.execute(sql.update(layout.NUMBER).values(number=99))
    with pytest.raises(StoreError, match="by a later release of MLScope"):
        made()
    assert keeping.get(links.id)
