"""What of a shared run or its link is spoiled is said in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sql

from mlcore.spine.errors import MlcoreError
from service import database, layout, store
from service.database import StoreError
from tests.service.stores import shared, table


def test_a_run_that_nobody_computed_and_one_that_was_complete(made):
    keeping = made()
    links = keeping.put(replace(shared(), numbers=None, parts=None), "me")
    back = keeping.get(links.id)
    assert (back.numbers, back.parts) == (None, None)


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


SPOILED = {
    "view": ["", "[]", "null", '{"a": 1}', "[" * 100_000],
    "numbers": ["", "[]", "{}", '{"versions": {}, "values": {"a": ["x"]}}', '{"versions": [] }'],
    "parts": ["", "{}", "[1]", '"a"'],
    "page": ["", "../start", "a b", "Start"],
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
