"""Which database the store uses, with several servers on it, and one of another release."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
import sqlalchemy as sql

from service import database, layout, store
from service.database import StoreError
from service.limits import Limits
from service.starting import PROJECT
from service.store import DAY, Store
from tests.service.stores import POSTGRES, shared, table, tables_in

SEVERAL = """
import sys
from tests.service.stores import shared, table
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
