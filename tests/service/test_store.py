"""The store of shared runs, on SQLite, or on the PostgreSQL that DATABASE_URL names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sql

from mlcore.data.table import Table, numeric
from service import database, layout, store
from service.database import StoreError
from service.store import DAY, HOUR
from tests.service.stores import POSTGRES, shared, table, tables_in


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


def test_what_has_expired_is_removed_also_when_a_run_is_opened(made, clock):
    keeping = made(share_days=2)
    keeping.put(shared(table()), "me")
    clock.now += DAY
    links = keeping.put(shared(), "me")
    clock.now += DAY
    assert keeping.get(links.id)
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


def test_the_size_of_what_is_shared_counts_table_and_texts():
    with_table, without = shared(table()), shared()
    assert with_table.size() - without.size() > 2 * 400 * 8
    longer = replace(without, view={"view.x": "a" * 100})
    assert longer.size() == without.size() + 99
