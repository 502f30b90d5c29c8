"""What a model wants of a table: its columns, and what the rows that it learned from held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.steps import NewRows
from mlcore.data.table import CODED, Table
from mlcore.runs.saved import Model
from mlcore.spine.fit import Column

FEW_NAMES = 30  # of a column, to choose from
FEATURE, TARGET, SEQUENCE, ORDER = "feature", "target", "sequence", "order"
NONE = np.empty(0)


class Wanted(NamedTuple):
    """One column that a model wants, or can be scored by.

    `known` are its present values in the rows that the model learns from, none where the model
    came as a file, which keeps no rows. `may_lack` says that some of these rows lack it.
    """

    column: Column
    role: str = FEATURE
    known: np.ndarray = NONE
    may_lack: bool = False

    @property
    def is_needed(self) -> bool:
        """Whether there is no prediction without it."""
        return self.role != TARGET


def wanted_of(dataset: Dataset, takes_sequences: bool) -> tuple[Wanted, ...]:
    """The columns of a data set: those learned from, then the target, then those of sequences."""
    columns = [
        _wanted(column, FEATURE, dataset.X[:, j]) for j, column in enumerate(dataset.columns)
    ]
    roles = {role: name for name, role in dataset.roles}
    named = [(TARGET, dataset.target or "")] if dataset.task else []
    if takes_sequences and dataset.sequences is not None:
        named += [(role, roles.get(role, "")) for role in (SEQUENCE, ORDER)]
    for role, name in named:
        if name:
            source = dataset.table.column(name)
            levels = dataset.classes if role == TARGET else ()
            kind = "nominal" if levels else "number" if role == TARGET else source.kind
            values = NONE if levels else source.values[dataset.rows]
            columns.append(_wanted(Column(name, kind, levels), role, values))
    return tuple(columns)


def wanted_by(model: Model) -> tuple[Wanted, ...]:
    """The columns of a model that came as a file."""
    columns = [Wanted(column, may_lack=True) for column in model.columns]
    if model.target and model.run.method.card.task and not model.outputs:
        kind = "nominal" if model.classes else "number"
        columns.append(Wanted(Column(model.target, kind, model.classes), TARGET))
    pairs = ((SEQUENCE, model.sequence), (ORDER, model.order))
    return (*columns, *(Wanted(Column(name, ""), role) for role, name in pairs if name))


def brought_for(
    new_rows: NewRows, wanted: Sequence[Wanted], source: Table | None = None
) -> tuple[Wanted, ...]:
    """What a new table brings, so that it has the wanted columns after its changes.

    `source` is the table learned from as it came, where it is there: a column of few names is then
    known with them.
    """
    features = [w for w in wanted if w.role == FEATURE]
    asked = new_rows.asked([w.column.name for w in features])
    brought = [w for w in features if w.column.name in asked.untouched]
    there = {w.column.name for w in brought}
    brought += [_as_it_came(c, FEATURE, source) for c in asked.came if c.name not in there]
    for other in (w for w in wanted if w.role != FEATURE):
        asked = new_rows.asked([other.column.name])
        if asked.untouched:
            brought.append(other)
        elif len(asked.came) == 1:  # of several there is no one column to name
            brought.append(_as_it_came(asked.came[0], other.role, source))
    return tuple(brought)


def _as_it_came(column: Column, role: str, source: Table | None) -> Wanted:
    """A column of which others are made; names as texts, where there is no list of them."""
    data = source.column(column.name) if source and column.name in source.names else None
    if column.kind not in CODED:
        return _wanted(column, role, NONE if data is None else data.values)
    if data is None or not 0 < len(data.levels) <= FEW_NAMES:
        return Wanted(Column(column.name, "text"), role, may_lack=True)
    return _wanted(Column(column.name, "nominal", data.levels), role, data.values)


def _wanted(column: Column, role: str, values: np.ndarray) -> Wanted:
    present = values[~np.isnan(values)]
    return Wanted(column, role, present, len(present) < len(values))
