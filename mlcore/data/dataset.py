"""From a table and what a person decided about it to rows that methods can be fitted to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from mlcore.data import cells, schema
from mlcore.data.missing import recode_sentinels
from mlcore.data.proposed_roles import has_many_levels, propose_target
from mlcore.data.roles import ROLES, assigned_roles, first_target
from mlcore.data.sources import Origin
from mlcore.data.steps import AS_THEY_COME, Applied, NewRows, applied, new_rows
from mlcore.data.table import Table
from mlcore.data.upload import require
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, freeze
from mlcore.spine.params import choices, column, pairs, part, parts
from mlcore.spine.wording import count, listed

KINDS = (
    "number", "count", "binary", "ordinal", "nominal", "text", "datetime", "identifier", "constant",
)  # fmt: skip
# Kinds that no preparation step turns into numbers.
UNUSABLE = ("identifier", "constant")
COUNTED = "choose it among the columns: then its words are counted."
# With more levels than this a column names rows rather than groups of them.
MAX_CLASSES = 200
MOST_STEPS = 40  # changes of a table
PIECE = 4096  # rows of X that are filled at a time
SINGULAR = {"have": "has", "repeat": "repeats"}


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows ready to be split, prepared and fitted, and how they came from the table.

    Where a column says which sequence a row belongs to, the rows lie sequence by sequence, each in
    the order that the order column gives, else the table; `rows` leads back to the table.
    """

    name: str
    table: Table
    rows: np.ndarray  # (n,) row numbers of the table, from 0
    X: np.ndarray  # (n, p) float64; NaN is missing, levels are codes
    columns: tuple[Column, ...]
    roles: tuple[tuple[str, str], ...]
    target: str | None = None
    task: str = ""  # classification, regression, or none
    y: np.ndarray | None = None  # (n,) codes of `classes`, or float64
    classes: tuple[str, ...] = ()
    targets: np.ndarray | None = None  # (n, q) where several quantities are predicted: y is first
    target_names: tuple[str, ...] = ()  # (q,) their columns
    groups: np.ndarray | None = None  # (n,) codes
    sequences: np.ndarray | None = None  # (n,) codes, rising
    order: np.ndarray | None = None  # (n,)
    weights: np.ndarray | None = None  # (n,)
    unlabelled: np.ndarray | None = None  # (u, p) rows without target, for methods that take them
    unlabelled_rows: np.ndarray | None = None  # (u,) their row numbers of the table
    notes: tuple[str, ...] = ()
    truth: Any = None
    # (rows of the table,) their numbers in the table as it came, before anything was left out
    numbers: np.ndarray | None = None
    new_rows: NewRows = AS_THEY_COME  # what is done to rows that are to be predicted

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def n(self) -> int:
        """Rows used."""
        return len(self.X)

    @cached_property
    def gap_sets(self) -> int:
        """How many sets of columns of numbers there are that some row lacks; 0 without gaps."""
        gaps = np.isnan(self.X[:, [not column.levels for column in self.columns]])
        gaps = gaps[gaps.any(axis=1)]
        # A set by its bits: sorting rows of many bytes would take seconds.
        packed = np.ascontiguousarray(np.packbits(gaps, axis=1))
        return len(np.unique(packed.view(f"V{packed.shape[1]}"))) if packed.size else 0

    @property
    def n_dropped(self) -> int:
        """Rows of the table that are not used."""
        return self.table.n_rows - self.n

    @property
    def together(self) -> np.ndarray | None:
        """What is left out together: the group or the sequence of each row, shape (n,)."""
        return self.groups if self.sequences is None else self.sequences

    @property
    def in_sequences(self) -> str:
        """How many sequences there are and how long they are, in words; "" without any."""
        if self.sequences is None:
            return ""
        sizes = np.bincount(self.sequences)
        low, high = sizes.min(), count(int(sizes.max()), "row")
        return f"{count(len(sizes), 'sequence')} of " + (
            f"{low:,} to {high}" if low < sizes.max() else high
        )

    @property
    def unit(self) -> str:
        """What rows that are left out together are called."""
        return "group" if self.sequences is None else "sequence"

    def by_sequence(self, rows: np.ndarray) -> np.ndarray:
        """The same rows, (m,) positions, sequence by sequence; as they are without sequences.

        A sequence that was drawn twice stands there twice, one copy after the other.
        """
        if self.sequences is None:
            return rows
        rows = np.sort(rows)
        first = np.searchsorted(rows, rows)
        copy = np.arange(len(rows)) - first
        return rows[np.lexsort((rows, copy, self.sequences[rows]))]

    def lengths_of(self, rows: np.ndarray) -> np.ndarray | None:
        """Lengths of the sequences in rows that lie sequence by sequence, (m,) positions.

        None where there are no sequences. A copy begins where the positions go back.
        """
        if self.sequences is None:
            return None
        codes = self.sequences[rows]
        begins = (codes[1:] != codes[:-1]) | (rows[1:] <= rows[:-1])
        return np.diff(np.flatnonzero(begins) + 1, prepend=0, append=len(rows))

    def truth_for(self, method: Any, rows: np.ndarray) -> np.ndarray | None:
        """What a method is to predict of some rows: (m,), or (m, q) where it takes outputs."""
        if self.targets is not None and "outputs" in method.card.takes:
            return self.targets[rows]
        return None if self.y is None else self.y[rows]

    def answers(self) -> dict[str, np.ndarray]:
        """Every column that is predicted, by its name: names of classes, or quantities, (n,)."""
        if self.y is None:
            return {}
        if self.targets is not None:
            return {name: self.targets[:, k] for k, name in enumerate(self.target_names)}
        names = np.array(self.classes, dtype=object)
        return {str(self.target): names[self.y] if self.classes else self.y}


@enter(Card("table", "Table", ("data",), kind="part", stands_for="source"))
@dataclass(frozen=True, kw_only=True)
class TableData(Component):
    """A table and a person's decisions: what is changed in it, target, roles, kinds.

    A kind, or a code for missing, is decided where its column first is there: before the changes
    for a column of the source, after them for one that they make.
    """

    source: Any = part("bundled", slot="source", doc="Where the table comes from.")
    steps: tuple[Any, ...] = parts(
        (), slot="table_step", item="change", most=MOST_STEPS, label="Changes",
        doc="What is done to the table before anything else, in this order.",
    )  # fmt: skip
    target: str | None = column(
        "proposed", auto="proposed", or_none="no target", doc="What is to be predicted."
    )
    roles: tuple = pairs(options=ROLES, doc="What a column is used for, where you say so.")
    kinds: tuple = pairs(options=KINDS, doc="What a column holds, where you say so.")
    missing: tuple = pairs(doc="Codes, such as -9, that mean missing in a column of numbers.")
    drop: tuple = choices((), "incomplete", "duplicates", doc="Rows to leave out before the split.")

    def conflict(self) -> str | None:
        """Refuse codes for missing that are no numbers."""
        for name, text in self.missing:
            if not text.split() or np.isnan(cells.numbers(text.split())).any():
                return (
                    f"Table: missing must give column {name!r} numbers with blanks between them, "
                    f"such as -9 or -9 99; got {text!r}."
                )
        return None

    def dataset(self, uploads: Mapping[str, Table] | None = None) -> Dataset:
        """The rows, ready to be split; those that are in use already, if `share` was told of them.

        Raises DataError if the decisions do not fit the table, or it is not among the uploads.
        """
        if (known := _IN_USE.get(self)) is not None:
            require(self, uploads or {})
            return known
        origin, changed, table, roles = self._columns(uploads or {})
        first = first_target(table, origin, self.target)
        numbers = changed.rows.numbers if self.steps else None
        builder = _DatasetBuilder(table, roles, self.drop, origin, first)
        builder.notes += changed.rows.notes
        return replace(builder.dataset(), numbers=numbers, new_rows=self._new_rows(changed))

    def columns(self, uploads: Mapping[str, Table] | None = None) -> tuple[Table, dict[str, str]]:
        """The columns with their kinds and roles, also where they give no rows to learn from."""
        return self._columns(uploads or {})[2:]

    def changes(self, uploads: Mapping[str, Table] | None = None) -> Applied:
        """The rows before and after each change, as far as they can be done."""
        uploads = uploads or {}
        return self._changed(self.source.origin(uploads).table, uploads)

    def new_rows(self, uploads: Mapping[str, Table] | None = None) -> NewRows:
        """What is done to rows that are to be predicted before a model gets them."""
        return self._new_rows(self.changes(uploads)) if self.steps or self.missing else AS_THEY_COME

    def _new_rows(self, changed: Applied) -> NewRows:
        return new_rows(self.steps, changed.stages, self.missing)

    def _changed(self, table: Table, uploads: Mapping[str, Table]) -> Applied:
        return applied(self.steps, self._decided(table, table.names), uploads)

    def _decided(self, table: Table, names: Iterable[str]) -> Table:
        """The table with what is decided about these columns."""
        named = set(names)
        missing = tuple(pair for pair in self.missing if pair[0] in named)
        kinds = tuple(pair for pair in self.kinds if pair[0] in named)
        return _with_kinds(_with_missing(table, missing), kinds)

    def _columns(
        self, uploads: Mapping[str, Table]
    ) -> tuple[Origin, Applied, Table, dict[str, str]]:
        origin = self.source.origin(uploads)
        if not self.steps:  # a decision about a column that is not there is told
            table = _with_kinds(_with_missing(origin.table, self.missing), self.kinds)
            changed = applied((), table)
            return origin, changed, table, assigned_roles(table, origin, self.target, self.roles)
        changed, before = self._changed(origin.table, uploads), set(origin.table.names)
        after = changed.rows.table
        made = {name for name, _ in (*self.missing, *self.kinds)} - before
        table = self._decided(after, made)
        gone = before - set(after.names)
        roles = tuple(pair for pair in self.roles if pair[0] not in gone)
        origin = _changed_origin(origin, changed.stages[0].table, table)
        return origin, changed, table, assigned_roles(table, origin, self.target, roles)


_IN_USE: WeakValueDictionary[TableData, Dataset] = WeakValueDictionary()


def share(data: TableData, dataset: Dataset) -> None:
    """Let everybody in this process who asks for the rows of equal data get these, which are known
    to be theirs, as long as somebody holds them: rows are many, and never change."""
    _IN_USE[data] = dataset


def _changed_origin(origin: Origin, before: Table, table: Table) -> Origin:
    """What a source still knows of its table when that is changed: no truth, which has its rows.

    What is proposed as the target of the table as it came stays so: a new column is the last one,
    and would take its place.
    """
    roles = tuple(pair for pair in origin.roles if pair[0] in table.names)
    meant = origin.target or propose_target(before)
    target = meant if meant in table.names else None
    return replace(origin, roles=roles, target=target, truth=None)


def _with_missing(table: Table, codes: tuple[tuple[str, str], ...]) -> Table:
    for name, text in codes:
        table = recode_sentinels(table, name, *cells.numbers(text.split()))
    return table


def _with_kinds(table: Table, kinds: tuple[tuple[str, str], ...]) -> Table:
    for name, kind in kinds:
        table = table.with_kind(name, kind)
    return table


def _kinds(table: Table) -> str:
    kinds = ", ".join(f"{name} is {table.column(name).kind}" for name in table.names[:4])
    return kinds + (" and so on" if len(table.names) > 4 else "")


class _DatasetBuilder:
    """Collects the rows of one data set, with a note for everything that is left out."""

    def __init__(
        self, table: Table, roles: dict[str, str], drop: tuple, origin: Origin, first: str | None
    ) -> None:
        self.table, self.roles, self.drop, self.origin = table, roles, drop, origin
        named = [name for name, role in roles.items() if role == "target"]
        self.targets = sorted(named, key=lambda name: name != first)  # the others in their order
        self.notes: list[str] = []

    def dataset(self) -> Dataset:
        self._refuse_sequences_in_groups()
        features = self._features()
        outputs = self._outputs()
        keep, lacking = self._used_rows(features, outputs or self.targets[:1])
        keep = self._by_sequence(keep)
        dataset = Dataset(
            name=self.origin.name,
            table=self.table,
            rows=keep,
            X=self._values_of(features, keep),
            columns=tuple(self._column(name) for name in features),
            roles=tuple(self.roles.items()),
            groups=self._codes("group", keep),
            sequences=self._codes("sequence", keep),
            order=self._values("order", keep),
            weights=self._values("weight", keep),
            unlabelled=self._values_of(features, lacking) if len(lacking) else None,
            unlabelled_rows=lacking if len(lacking) else None,
            truth=self.origin.truth,
        )
        target = self._target(self.targets[0] if self.targets else None, keep)
        if outputs:
            target |= {"targets": self._values_of(outputs, keep), "target_names": tuple(outputs)}
        if dataset.in_sequences:
            self.notes.append(f"The rows are {dataset.in_sequences}.")
        return replace(dataset, **target, notes=tuple(self.notes))

    def _refuse_sequences_in_groups(self) -> None:
        group, sequence = self._single("group"), self._single("sequence")
        if group and sequence:
            raise DataError(
                f"Rows are left out together by one column; {group} is the group and {sequence} "
                "the sequence. Give one of them another role."
            )

    def _by_sequence(self, keep: np.ndarray) -> np.ndarray:
        """The rows sequence by sequence, each in its order; as they are without sequences."""
        codes = self._codes("sequence", keep)
        if codes is None:
            return keep
        order = self._values("order", keep)
        return keep[np.lexsort((codes,) if order is None else (order, codes))]

    def _outputs(self) -> list[str]:
        """The targets that are predicted together: quantities, where there are several."""
        first, rest = self.targets[:1], self.targets[1:]
        tasks = {name: schema.task(self.table.column(name)).value for name in self.targets}
        is_quantity = bool(rest) and tasks[first[0]] == "regression"
        outputs = [name for name in self.targets if is_quantity and tasks[name] == "regression"]
        for name in rest:
            if name not in outputs:
                self.notes.append(
                    f"The target {name} is not learned: several are learned together only where "
                    "all are quantities."
                )
        if len(outputs) < 2:
            return []
        self.notes.append(
            f"There are {len(outputs)} targets, {', '.join(outputs)}: methods for several outputs "
            f"learn all of them; other methods, and the preparation, look at {first[0]} alone."
        )
        return outputs

    def _features(self) -> list[str]:
        named = [name for name, role in self.roles.items() if role == "feature"]
        usable = [name for name in named if self.table.column(name).kind not in UNUSABLE]
        kinds = {name: self.table.column(name).kind for name in named if name not in usable}
        for kind in dict.fromkeys(kinds.values()):
            names = [name for name in kinds if kinds[name] == kind]
            self._note_unused(names, f"it is of kind {kind}.", f"they are of kind {kind}.")
        self._note_ignored()
        if not usable:
            raise DataError(
                f"{self.origin.name} has no column to learn from: {_kinds(self.table)}. "
                "Give at least one column the role feature and a kind that can be used."
            )
        return usable

    def _note_ignored(self) -> None:
        """Columns that are left out and could be learned from by another preparation."""
        ignored = [self.table.column(name) for name, role in self.roles.items() if role == "ignore"]
        texts = [column.name for column in ignored if column.kind == "text"]
        self._note_unused(
            texts,
            f"it holds text. To learn from it, {COUNTED}",
            f"they hold text. To learn from one, {COUNTED}",
        )
        several = [c for c in ignored if c.kind != "text" and has_many_levels(c)]
        most = max((len(column.levels) for column in several), default=0)
        names = f"{most:,} different names, and one-hot encoded each would be a column."
        self._note_unused(
            [c.name for c in several], f"it holds {names}", f"they hold up to {names}"
        )

    def _note_unused(self, names: list[str], why_one: str, why_all: str) -> None:
        """One sentence, however many columns there are."""
        if len(names) == 1:
            self.notes.append(f"Column {names[0]} is not used: {why_one}")
        elif names:
            self.notes.append(f"Columns {listed(names)} are not used: {why_all}")

    def _single(self, role: str) -> str | None:
        names = [name for name, assigned in self.roles.items() if assigned == role]
        if len(names) > 1:
            raise DataError(
                f"Only one column can be the {role}; {', '.join(names)} are. Change the others."
            )
        return names[0] if names else None

    def _values_of(self, features: list[str], rows: np.ndarray) -> np.ndarray:
        columns = [self.table.column(name).values for name in features]
        X = np.empty((len(rows), len(columns)))
        # Piece by piece: a whole column at a time goes through all the memory of X once more.
        for start in range(0, len(rows), PIECE):
            piece = rows[start : start + PIECE]
            for j, values in enumerate(columns):
                X[start : start + PIECE, j] = values[piece]
        return X

    def _used_rows(self, features: list[str], targets: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the rows that are used, and of those that could be but for their target."""
        keep = np.ones(self.table.n_rows, dtype=bool)
        values = [self.table.column(name).values for name in features]
        if "incomplete" in self.drop:
            is_incomplete = np.any([np.isnan(v) for v in values], axis=0)
            self._leave_out(keep, is_incomplete, "have missing values")
        if "duplicates" in self.drop:
            every = [self.table.column(name).values for name in self.table.names]
            self._leave_out(keep, _repeats(np.column_stack(every)), "repeat an earlier row")
        if self._single("sequence"):
            self._leave_out_unplaced(keep)
        lacks = np.zeros_like(keep)
        for name in targets:
            missing = keep & ~lacks & np.isnan(self.table.column(name).values)
            self._note_unlabelled(int(missing.sum()), name)
            lacks |= missing
        if not (keep & ~lacks).any():
            raise DataError(f"No row of {self.origin.name} is left: all of them were left out.")
        return np.flatnonzero(keep & ~lacks), np.flatnonzero(lacks)

    def _note_unlabelled(self, n_rows: int, target: str) -> None:
        """Rows without target never score; few methods learn from them."""
        rule = "only methods that take rows without target learn from"
        if n_rows == 1:
            self.notes.append(f"1 row has no {target}: it is never scored, and {rule} it.")
        elif n_rows:
            self.notes.append(
                f"{n_rows:,} rows have no {target}: they are never scored, and {rule} them."
            )

    def _leave_out_unplaced(self, keep: np.ndarray) -> None:
        """Rows that belong to no sequence, or have no place in theirs."""
        for name in (self._single("sequence"), self._single("order")):
            if name is not None:
                lacks = np.isnan(self.table.column(name).values)
                self._leave_out(keep, lacks, f"have no {name}, so no place in a sequence")

    def _leave_out(self, keep: np.ndarray, out: np.ndarray, why: str) -> None:
        n_rows = int((keep & out).sum())
        keep &= ~out
        if n_rows == 1:
            verb, what = why.split(" ", 1)
            self.notes.append(f"1 row is not used: it {SINGULAR[verb]} {what}.")
        elif n_rows:
            self.notes.append(f"{n_rows:,} rows are not used: they {why}.")

    def _column(self, name: str) -> Column:
        column = self.table.column(name)
        return Column(name, column.kind, column.levels, name)

    def _target(self, name: str | None, keep: np.ndarray) -> dict[str, Any]:
        if name is None:
            return {}
        column = self.table.column(name)
        values = column.values[keep]
        task = schema.task(column)
        if task.value == "none":
            self.notes.append(task.reason)
            return {"target": name}
        if task.value == "regression":
            return {"target": name, "task": "regression", "y": values}
        distinct, codes = np.unique(values, return_inverse=True)
        classes = tuple(column.levels[int(v)] if column.levels else f"{v:g}" for v in distinct)
        if len(classes) > MAX_CLASSES:
            raise DataError(
                f"Column {name} has {len(classes)} different values, too many for classes. "
                "Choose another target, or set its kind to number if it is a quantity."
            )
        y = codes.astype(np.int64)
        return {"target": name, "task": "classification", "y": y, "classes": classes}

    def _values(self, role: str, keep: np.ndarray) -> np.ndarray | None:
        name = self._single(role)
        return None if name is None else self.table.column(name).values[keep]

    def _codes(self, role: str, keep: np.ndarray) -> np.ndarray | None:
        values = self._values(role, keep)
        return None if values is None else np.unique(values, return_inverse=True)[1]


def _repeats(X: np.ndarray) -> np.ndarray:
    """Which rows are equal to an earlier one; missing values count as equal, shape (n,)."""
    _, first = np.unique(np.nan_to_num(X, nan=np.inf), axis=0, return_index=True)
    repeats = np.ones(len(X), dtype=bool)
    repeats[first] = False
    return repeats
