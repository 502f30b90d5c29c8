"""Proposed role of each column and the target, with reasons; a person may change them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.data.remembered import remembered
from mlcore.data.schema import (
    FEW_CLASSES,
    GROUP_WORDS,
    ID_WORDS,
    ROWS_A_CLASS,
    Proposal,
    propose_kinds,
    task,
    typed,
    words,
)
from mlcore.data.table import ColumnData, Table
from mlcore.spine.records import function

WEIGHT_NAMES = {"sample_weight", "sample_weights", "weights", "case_weight", "row_weight"}
TARGET_NAMES = (
    "target", "class", "classes", "label", "labels", "species", "y", "outcome", "response",
    "diagnosis", "survived", "churn", "churned",
)  # fmt: skip
NO_TARGETS = ("identifier", "text", "constant", "datetime")
LEAST_GROUPS = 8
MOST_LEVELS = 100  # one-hot encoded, each is a column: more cost long and say little
MOST_CLASSES = 200
SPARSE = 0.5  # the share of missing values from which a column is no target, whatever its name
COMPLETE = 0.05  # the share up to which a column counts as complete
SINGLE = 0.1  # the share of rows with a class of their own from which classes are rather texts


class Inferred(NamedTuple):
    """What a column holds and what it is good for, each with its reason."""

    kind: Proposal
    role: Proposal
    levels: tuple[str, ...]  # in their order, of a column of names


@function(
    "infer_schema",
    title="Schema inference",
    sources=("cs1:attribute_typing", "prac:label_types"),
)
def infer_schema(table: Table) -> dict[str, Inferred]:
    """Kind, role and levels of every column, from all its values and its name."""
    kinds, read = propose_kinds(table), typed(table)
    roles_of = propose_roles(read)
    return {c.name: Inferred(kinds[c.name], roles_of[c.name], c.levels) for c in read.columns}


def roles(table: Table) -> dict[str, str]:
    """The role that is proposed for each column."""
    return {name: role.value for name, role in propose_roles(table).items()}


def propose_roles(table: Table) -> dict[str, Proposal]:
    """A role for each column (feature, target, group, weight, order, ignore), and why."""
    target = propose_target(table)
    proposals = {c.name: _role(c) for c in table.columns}
    if target is not None:
        proposals[target] = Proposal("target", _why_target(target))
    proposals |= _single(table, proposals)
    order = next((c.name for c in table.columns if _is_order(c)), None)
    others = [name for name, role in proposals.items() if role.value == "feature" and name != order]
    # With one other column, which may be the target, the dates are what there is to learn from.
    if order is not None and len(others) > 1:
        proposals[order] = Proposal("order", "Dates in order say in which order the rows came.")
    if not others and order is None:
        proposals |= {c.name: _ONLY_TEXT for c in table.columns if _is_text(c) and c.name != target}
    return proposals


_ONLY_TEXT = Proposal("feature", "There is nothing but text to learn from: its words are counted.")


def _is_text(column: ColumnData) -> bool:
    return column.kind == "text"


def _is_order(column: ColumnData) -> bool:
    return column.kind == "datetime" and column.is_rising


def _single(table: Table, proposals: dict[str, Proposal]) -> dict[str, Proposal]:
    """Other roles for all but one of the columns that are proposed for what only one can be."""
    groups, weights = (
        [table.column(name) for name, role in proposals.items() if role.value == only]
        for only in ("group", "weight")
    )
    changed = {c.name: _as_feature(c) for c in weights[1:]}
    if not groups:
        return changed
    # The widest groups that hold the next narrower ones whole: a household before its members.
    outer, *_ = by_size = sorted(groups, key=_n_values)
    while len(by_size) > 1 and not _is_inside(by_size[1], outer):
        outer, *_ = by_size = by_size[1:]
    within = Proposal("ignore", f"Its rows lie whole within the groups of {outer.name}.")
    for column in groups:
        if column is not outer:
            is_within = _is_inside(column, outer)
            changed[column.name] = within if is_within else _as_feature(column)
    return changed


def _is_inside(inner: ColumnData, outer: ColumnData) -> bool:
    """Whether rows that share a value of `inner` share that of `outer` too."""
    pairs = np.column_stack([inner.values, outer.values])
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    return len(np.unique(pairs, axis=0)) == len(np.unique(pairs[:, 0]))


def _n_values(column: ColumnData) -> int:
    return len(np.unique(column.values[~np.isnan(column.values)]))


def _role(column: ColumnData) -> Proposal:
    if column.kind == "identifier":
        return Proposal("ignore", "It names the rows and says nothing about new ones.")
    if column.kind == "constant":
        return Proposal("ignore", "It is the same in every row.")
    if _is_text(column):
        return Proposal("ignore", "Free text needs to be turned into counts of words first.")
    if column.name.strip().lower() in WEIGHT_NAMES and _is_weight(column):
        return Proposal("weight", "Its name says that it weighs the rows.")
    if _says_group(column) and _repeats(column):
        return Proposal("group", "Rows that belong together share its value.")
    return _as_feature(column)


def _as_feature(column: ColumnData) -> Proposal:
    if has_many_levels(column):
        many = f"{len(column.levels):,} different values"
        return Proposal("ignore", f"It has {many}: one-hot encoded, each would be a column.")
    return Proposal("feature", f"A {column.kind} column can be learned from.")


def has_many_levels(column: ColumnData) -> bool:
    """Whether it holds more names than are usefully one-hot encoded."""
    return column.kind in ("nominal", "ordinal") and len(column.levels) > MOST_LEVELS


def _is_weight(column: ColumnData) -> bool:
    return not column.is_coded and not column.missing and bool((column.values >= 0).all())


def _says_group(column: ColumnData) -> bool:
    """Whether its name says that its values are people or things that are met several times."""
    name_words = words(column.name)
    is_id = bool(name_words) and name_words <= ID_WORDS
    return column.kind in ("nominal", "count") and (is_id or bool(name_words & GROUP_WORDS))


def _repeats(column: ColumnData) -> bool:
    """Whether there are many groups, of several rows each: few are rather a treatment."""
    return LEAST_GROUPS <= _n_values(column) <= (len(column.values) - column.missing) / 2


# The target


def propose_target(table: Table) -> str | None:
    """The column that is most likely to be predicted, or None where none stands out."""
    if len(table.columns) < 2:
        return None
    named = [c for c in _by_name(table) if _may_be_target(c)]
    for column in sorted(named, key=_is_complete, reverse=True):
        return column.name
    last = table.column(table.names[-1])
    return last.name if _looks_like_classes(last) else None


@remembered
def likely_targets(table: Table) -> tuple[str, ...]:
    """What may be predicted, the likeliest first: to be asked for where nothing stands out.

    Few classes before quantities, the last column before the first, and no column with gaps where
    there are others.
    """
    usable = [c for c in reversed(table.columns) if _may_be_target(c) and _as_plain(c)]
    complete = [c for c in usable if _is_complete(c)]
    ranked = sorted(complete or usable, key=lambda c: task(c).value != "classification")
    return tuple(c.name for c in ranked)


def _by_name(table: Table) -> list[ColumnData]:
    """The columns that are called like a target, in the order of these names."""
    called = {c.name.strip().lower(): c for c in table.columns}
    exactly = [called[name] for name in TARGET_NAMES if name in called]
    return exactly + [c for c in table.columns if "target" in words(c.name) and c not in exactly]


def _why_target(name: str) -> str:
    if name.strip().lower() in TARGET_NAMES or "target" in words(name):
        return f"A column called {name} is usually what is to be predicted."
    return "The last column has few different values, as classes have."


def _as_plain(column: ColumnData) -> bool:
    return _role(column).value == "feature"


def _is_complete(column: ColumnData) -> bool:
    return column.missing <= COMPLETE * len(column.values)


def _may_be_target(column: ColumnData) -> bool:
    """Whether it can be learned at all: not mostly missing, and classes that are met again."""
    if column.kind in NO_TARGETS or column.missing > SPARSE * len(column.values):
        return False
    if not column.is_coded:
        return True
    counts = _counts(column)
    return len(counts) <= MOST_CLASSES and (counts == 1).sum() <= SINGLE * counts.sum()


def _looks_like_classes(column: ColumnData) -> bool:
    """Whether it is complete and holds few names, each in many rows, as classes are written."""
    if column.kind not in ("binary", "nominal", "ordinal") or not _as_plain(column):
        return False
    counts = _counts(column)
    return (
        _is_complete(column)
        and len(counts) <= FEW_CLASSES
        and counts.sum() >= ROWS_A_CLASS * len(counts)
        and bool((counts > 1).all())
    )


def _counts(column: ColumnData) -> np.ndarray:
    """In how many rows each level is that occurs."""
    counts = np.bincount(column.values[~np.isnan(column.values)].astype(np.int64))
    return counts[counts > 0]
