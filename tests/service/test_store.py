"""The store of shared runs, on SQLite, or on the PostgreSQL that DATABASE_URL names."""

from __future__ import annotations

import os
import subprocess
import sys
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
from service import database, store
from service.database import StoreError
from service.limits import Limits
from service.process import PROJECT
from service.store import DAY, HOUR, Shared, Store

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
    store._SCHEMA.drop_all(engine)
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
        numbers={"scores": [0.1 + 0.2, float("nan")], "planned": 5},
        parts=("Whole", "FoldResult k 0"),
        tables={held.digest(): held} if held else {},
    )


def tables_in(it: Store) -> int:
    with database.transaction(it._engine) as db:
        return db.execute(sql.select(sql.func.count()).select_from(store._TABLES)).scalar_one()


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
        row = db.execute(sql.select(store._SHARES)).one()
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
        db.execute(sql.update(store._SHARES).values(run="{}"))
    with pytest.raises(MlcoreError, match="not a saved run"):
        keeping.get(links.id)
    with database.transaction(keeping._engine) as db:
        db.execute(sql.update(store._SHARES).values(run=shared(table()).run.to_json()))
        db.execute(sql.update(store._TABLES).values(content=b"spoiled"))
    with pytest.raises(MlcoreError, match="hold no table"):
        keeping.get(links.id)
    with database.transaction(keeping._engine) as db:
        another = store.stored.to_bytes(table(seed=1))
        db.execute(sql.update(store._TABLES).values(content=another))
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
        ids = list(db.scalars(sql.select(store._SHARES.c.id)))
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
