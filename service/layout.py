"""The tables of the store of shared runs, and the steps that bring those of earlier releases here.

docs/decisions/0124-a-store-knows-its-layout.md says why these are no migrations of a tool.
"""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sql

from service.database import StoreError

SCHEMA = sql.MetaData()
TABLES = sql.Table(
    "tables",
    SCHEMA,
    sql.Column("digest", sql.String(64), primary_key=True),
    sql.Column("content", sql.LargeBinary, nullable=False),
)
SHARES = sql.Table(
    "shares",
    SCHEMA,
    sql.Column("id", sql.String(64), primary_key=True),
    sql.Column("delete_hash", sql.String(64), nullable=False, unique=True),
    sql.Column("owner_hash", sql.String(64), nullable=False),
    sql.Column("page", sql.String(64), nullable=False),
    sql.Column("run", sql.Text, nullable=False),  # JSON, as the next three
    sql.Column("view", sql.Text, nullable=False),
    sql.Column("numbers", sql.Text, nullable=False),
    sql.Column("parts", sql.Text, nullable=False),
    sql.Column("created", sql.Double, nullable=False),  # seconds since 1970
    sql.Column("expires", sql.Double, nullable=False, index=True),
)
NEEDS = sql.Table(
    "needs",
    SCHEMA,
    sql.Column("share", sql.ForeignKey(SHARES.c.id, ondelete="CASCADE"), primary_key=True),
    sql.Column("digest", sql.ForeignKey(TABLES.c.digest), primary_key=True),
)
# Whether a table is still needed is asked for each one that is removed.
BY_DIGEST = sql.Index("ix_needs_digest", NEEDS.c.digest)
NUMBER = sql.Table("layout", SCHEMA, sql.Column("number", sql.Integer, primary_key=True))


def _to_2(db: sql.Connection) -> None:
    """The first layout had no number and no index of the needs."""
    NUMBER.create(db)
    BY_DIGEST.create(db)


# Step k brings layout k to k + 1. A step that was released is never changed or taken away, and
# says what it needs itself where the tables above have moved on.
STEPS: tuple[Callable[[sql.Connection], None], ...] = (_to_2,)


def prepare(db: sql.Connection) -> None:
    """Make the tables, or bring those that are there to this layout; all in one transaction.

    Raises StoreError for the layout of a later release.
    """
    ours, there = len(STEPS) + 1, _number(db)
    if there > ours:
        raise StoreError(
            f"The store of shared runs was laid out by a later release of MLScope (layout {there}; "
            f"this release knows up to {ours}). Update this server as well."
        )
    if there == ours:
        return
    if there == 0:
        SCHEMA.create_all(db)
    else:
        for step in STEPS[there - 1 :]:
            step(db)
    db.execute(sql.delete(NUMBER))
    db.execute(sql.insert(NUMBER), {"number": ours})


def _number(db: sql.Connection) -> int:
    """The layout of a database; 0 where nothing is stored yet."""
    known = sql.inspect(db)
    if known.has_table(NUMBER.name):
        return db.execute(sql.select(NUMBER.c.number)).scalar_one()
    return 1 if known.has_table(SHARES.name) else 0
