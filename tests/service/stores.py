"""What the tests of the store of shared runs begin with: a clock, a table, a run, a count."""

from __future__ import annotations

import os

import numpy as np
import sqlalchemy as sql

from mlcore.data.dataset import TableData
from mlcore.data.table import Table, numeric
from mlcore.data.upload import Upload
from mlcore.runs.run import Run
from service import database, layout
from service.records import Shared
from service.store import Store

POSTGRES = os.environ.get(database.DATABASE, "")  # else SQLite is tested


class Clock:
    """Time that a test sets."""

    now = 1e9

    def __call__(self) -> float:
        return self.now


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
