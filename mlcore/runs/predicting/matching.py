"""A new table beside what a model wants: which column is which, what is odd, what is done about it.

Nothing of the new table reaches the model: what fills a cell or says a unit comes from the rows
that the model learned from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mlcore.data.steps.new_rows import NewRows
from mlcore.data.table import ColumnData, Table, coded, converted
from mlcore.preparation.step import holds_text
from mlcore.runs.predicting.cells import Read, read_for
from mlcore.runs.predicting.changing import changed
from mlcore.runs.predicting.names import paired
from mlcore.runs.predicting.wanted import ORDER, SEQUENCE, TARGET, Wanted
from mlcore.spine.wording import count, listed, plural, told

MATCHED, MISSING, NEW_LEVEL, OTHER_UNIT, OTHER_TYPE, LACKING, ABSENT = (
    "matched", "missing", "new level", "other unit", "other type", "empty cells", "not there",
)  # fmt: skip
AS_IT_IS, FILL, EMPTY = "as it is", "fill", "empty"
# What a number in a new unit is multiplied by: powers of ten, and inches to millimetres.
FACTORS = (0.001, 0.01, 0.1, 10.0, 100.0, 1000.0, 25.4, 1 / 25.4)
TIMES = {f"times {f:.4g}": f for f in FACTORS}
FIXES = (AS_IT_IS, FILL, EMPTY, *TIMES)
FEW = 5  # rows of which a range says nothing about a unit


class Match(NamedTuple):
    """One wanted column and what was found for it."""

    name: str
    kind: str
    role: str
    source: str  # the column of the new table; "" for none
    state: str
    remark: str  # what was found, a sentence
    fix: str = AS_IT_IS  # what is done about it
    offers: tuple[str, ...] = ()  # what may be done instead; none where nothing is to decide
    fill: str = ""  # the value that fills its cells
    levels: tuple[str, ...] = ()  # that the model knows

    @property
    def needs_a_look(self) -> bool:
        """Whether something about it is to be decided."""
        return self.state not in (MATCHED, ABSENT)


class Flag(NamedTuple):
    """Something to know of some rows."""

    what: str  # "new level", "filled"
    column: str
    rows: np.ndarray  # (k,) positions


@dataclass(frozen=True, eq=False)
class Matching:
    """Every wanted column, and the new rows as the model gets them."""

    matches: tuple[Match, ...]
    names: tuple[str, ...]  # of the new table
    flags: tuple[Flag, ...]
    rows: Table  # the columns that the model wants, with its names, kinds and levels
    table: Table  # the new one, after the changes that the table learned from went through
    brought: Table  # the new one as it came
    remarks: tuple[str, ...] = ()  # what there is to know of these changes

    @property
    def extra(self) -> tuple[str, ...]:
        """Columns that were brought and that nothing asks for."""
        wanted = {match.source for match in self.matches}
        return tuple(n for n in self.brought.names if n in self.names and n not in wanted)

    @property
    def decisions(self) -> tuple[Match, ...]:
        """The columns about which something is to be decided."""
        return tuple(match for match in self.matches if match.needs_a_look)

    @property
    def is_of_another_table(self) -> bool:
        """Whether no column that the model needs was found."""
        return not any(m.source for m in self.matches if m.role not in (TARGET, SEQUENCE, ORDER))

    @property
    def has_target(self) -> bool:
        """Whether the new rows say what is to be predicted."""
        return any(m.role == TARGET and m.source for m in self.matches)

    def sentence(self) -> str:
        """How many columns matched, in words."""
        looks = len(self.decisions)
        done = sum(match.state == MATCHED for match in self.matches)
        if not looks:
            return f"{count(done, 'column')} matched"
        return f"{done} matched, {looks} {plural(looks, 'needs', 'need')} a look"


def matched(
    wanted: tuple[Wanted, ...],
    table: Table,
    matches: Mapping[str, str] | None = None,
    fixes: Mapping[str, str] | None = None,
) -> Matching:
    """The columns of a table found for those that are wanted, by name where `matches` is silent.

    `matches` gives wanted columns those of the table, "" for none; `fixes` what is done about
    them, one of `FIXES`.
    """
    matches, fixes = matches or {}, fixes or {}
    chosen = {name for name, source in matches.items() if source}
    names = [w.column.name for w in wanted]
    free = [n for n in table.names if n not in {matches[name] for name in chosen}]
    pairs = paired([name for name in names if name not in matches], free)
    pairs |= {
        name: (matches[name], "said by you") for name in chosen if matches[name] in table.names
    }
    made = [_Made(w, table, *pairs.get(w.column.name, ("", "")), fixes) for w in wanted]
    columns = [each.data for each in made if each.data is not None]
    return Matching(
        tuple(each.match for each in made),
        table.names,
        tuple(flag for each in made for flag in each.flags if len(flag.rows)),
        Table.of(*columns),
        table,
        table,
    )


def changed_and_matched(
    new_rows: NewRows,
    wanted: tuple[Wanted, ...],
    table: Table,
    matches: Mapping[str, str] | None = None,
    fixes: Mapping[str, str] | None = None,
) -> Matching:
    """The same of the table after the changes of columns that new rows take."""
    names = [w.column.name for w in wanted if w.is_needed]
    done = changed(new_rows, table, names)
    made = matched(wanted, done.table, matches, fixes)
    flags = tuple(Flag("unreadable", each.column, each.rows) for each in done.strange)
    return replace(made, brought=table, flags=(*flags, *made.flags), remarks=done.remarks)


class _Made:
    """One wanted column being made of a new one."""

    def __init__(
        self, wanted: Wanted, table: Table, source: str, how: str, fixes: Mapping[str, str]
    ) -> None:
        self.wanted, self.column, self.source, self.how = wanted, wanted.column, source, how
        self.n, self.asked = table.n_rows, fixes.get(wanted.column.name, "")
        self.flags: list[Flag] = []
        self.suggested = AS_IT_IS  # the unit that its values seem to be in
        self.data: ColumnData | None = None
        if not source:
            self.match = self._without()
        elif holds_text(self.column) or wanted.role in (SEQUENCE, ORDER):
            kind = "text" if holds_text(self.column) else ""
            data = table.column(source)
            data = converted(data, kind) if kind else data
            self.data = ColumnData(self.column.name, data.kind, data.values, data.levels)
            self.match = self._match(MATCHED, how)
        else:
            self.match = self._read(read_for(self.column, table.column(source)))

    def _match(self, state: str, remark: str, fix: str = AS_IT_IS, *offers: str) -> Match:
        w = self.wanted
        kind = "names" if w.column.levels else w.column.kind
        fill = self._fill_text()
        return Match(w.column.name, kind, w.role, self.source, state, remark, fix, offers, fill,
                     w.column.levels)  # fmt: skip

    def _without(self) -> Match:
        """A wanted column that the new table has not."""
        if self.wanted.role == TARGET:
            return self._match(ABSENT, "nothing to score the predictions by")
        if self.wanted.role in (SEQUENCE, ORDER):
            return self._match(MISSING, f"the model reads rows by their {self.wanted.role}")
        if holds_text(self.column):
            self.data = coded(self.column.name, [""] * self.n, "text")
            return self._match(MISSING, "every row is read as an empty text")
        values, fix, offers = self._filled(np.full(self.n, np.nan))
        self.flags.clear()  # it is the same for all rows, and said of the column
        self._keep(values)
        return self._match(MISSING, "the model uses it", fix, *offers)

    def _read(self, read: Read) -> Match:
        """A column that was found: its unit, then its cells."""
        values, unit = self._in_unit(read.values)
        if self.wanted.role == TARGET:
            self._keep(values)
            return self._match(MATCHED, self._words(read, values), unit, *self._units(unit))
        lacks, before = np.isnan(values), values
        values, fix, offers = self._filled(values)
        self._keep(values)
        self._flag(NEW_LEVEL if self.column.levels else "unreadable", np.flatnonzero(read.strange))
        self._flag("empty", np.flatnonzero(lacks & ~read.strange & np.isnan(values)))
        self._flag("outside training", self._outside(before))
        words, state = self._words(read, before), self._state(read, lacks, unit)
        if state in (OTHER_UNIT, MATCHED):
            return self._match(state, words, unit, *self._units(unit))
        return self._match(state, words, fix, *offers)

    def _state(self, read: Read, lacks: np.ndarray, unit: str) -> str:
        if read.strange.any():
            return NEW_LEVEL if self.column.levels else OTHER_TYPE
        if unit != AS_IT_IS or self.suggested != AS_IT_IS:
            return OTHER_UNIT
        return LACKING if lacks.any() and not self.wanted.may_lack else MATCHED

    def _keep(self, values: np.ndarray) -> None:
        column = self.column
        kind = "nominal" if column.levels else "datetime" if column.kind == "datetime" else "number"
        self.data = ColumnData(column.name, kind, values, column.levels)

    def _flag(self, what: str, rows: np.ndarray) -> None:
        self.flags.append(Flag(what, self.column.name, rows))

    def _outside(self, values: np.ndarray) -> np.ndarray:
        known = self.wanted.known
        if self.column.levels or not len(known):
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero((values < known.min()) | (values > known.max()))

    # -- what fills empty cells

    def _fill(self) -> float:
        """The value that fills a cell: the commonest level or the median of the rows learned."""
        known = self.wanted.known
        if not len(known):
            return float("nan")
        if self.column.levels:
            return float(np.bincount(known.astype(np.int64)).argmax())
        return float(np.median(known))

    def _fill_text(self) -> str:
        value = self._fill()
        if np.isnan(value) or self.wanted.role == TARGET:
            return ""
        if self.column.levels:
            return f"most frequent, {told(self.column.levels[int(value)])}"
        return f"median, {_short(value)}"

    def _filled(self, values: np.ndarray) -> tuple[np.ndarray, str, tuple[str, ...]]:
        """The values with empty cells filled, or left to the preparation, and how it was chosen.

        Where the rows learned from lack values too, the preparation knows what to do with them.
        """
        fill, lacks = self._fill(), np.isnan(values)
        offers = (EMPTY,) if np.isnan(fill) else (FILL, EMPTY)
        fix = EMPTY if self.wanted.may_lack or np.isnan(fill) else FILL
        fix = self.asked if self.asked in offers else fix
        if fix == FILL and lacks.any():
            self._flag("filled", np.flatnonzero(lacks))
            values = np.where(lacks, fill, values)
        return values, fix, offers

    # -- units

    def _in_unit(self, values: np.ndarray) -> tuple[np.ndarray, str]:
        """The values in the unit of the model, and the fix that made them so."""
        if self.column.levels or self.column.kind == "datetime":
            return values, AS_IT_IS
        self.suggested = self._unit_of(values)
        unit = self.asked if self.asked in (*TIMES, AS_IT_IS) else self.suggested
        return values * TIMES.get(unit, 1.0), unit

    def _units(self, unit: str) -> tuple[str, ...]:
        """What may be chosen for a column of numbers whose unit seems another one."""
        # A model that came as a file keeps no ranges: only a person can tell the unit.
        is_number = not self.column.levels and self.column.kind != "datetime"
        is_blind = is_number and self.wanted.role != TARGET and not len(self.wanted.known)
        is_open = is_blind or unit != AS_IT_IS or self.suggested != AS_IT_IS
        return (AS_IT_IS, *TIMES) if is_open else ()

    def _unit_of(self, values: np.ndarray) -> str:
        """The factor that brings values to those that the model knows, where none lies among them.

        Only for values of which none lies within the range of the rows learned from.
        """
        known, new = self.wanted.known, values[~np.isnan(values)]
        is_number = not self.column.levels and self.column.kind != "datetime"
        if not is_number or len(new) < FEW or len(known) < FEW:
            return AS_IT_IS
        low, high, middle, usual = known.min(), known.max(), np.median(new), np.median(known)
        if low == high or (new.max() >= low and new.min() <= high) or middle <= 0 or usual <= 0:
            return AS_IT_IS
        distance = {name: abs(np.log(middle * f / usual)) for name, f in TIMES.items()}
        best = min(distance, key=distance.__getitem__)
        return best if low <= middle * TIMES[best] <= high else AS_IT_IS

    # -- what was found

    def _words(self, read: Read, values: np.ndarray) -> str:
        """What was found in the column, in a few words."""
        words = [self.how]
        words += [f"{told(a)!r} read as {told(b)}" for a, b in read.taken[:2]]
        if n := int(read.strange.sum()):
            first = int(np.flatnonzero(read.strange)[0]) + 1
            what = "never seen in training" if self.column.levels else "not a number"
            rows = f"{count(n, 'row')} {plural(n, 'says', 'say')} {listed(map(told, read.words))}"
            words.append(f"{rows}, {what} (first in row {first:,})")
        elif lacks := int(np.isnan(values).sum()):
            words.append(f"{count(lacks, 'empty cell')}")
        words += self._range(read)
        return "; ".join(words)

    def _range(self, read: Read) -> list[str]:
        """The range of new numbers beside that of the rows learned from."""
        known, new = self.wanted.known, read.values[~np.isnan(read.values)]
        if self.column.levels or self.column.kind == "datetime" or not len(new):
            return []
        here = f"{_short(new.min())} to {_short(new.max())}"
        if not len(known):
            return [here]
        there = f"{_short(known.min())} to {_short(known.max())} in training"
        inside = known.min() <= new.min() and new.max() <= known.max()
        return [f"{here}, within training"] if inside else [f"{here} here, {there}"]


def _short(value: float) -> str:
    """A value of a column, which has no more digits than it was written with."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
