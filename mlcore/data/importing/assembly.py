"""From columns of text or numbers to a typed table, with the report of what was decided."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from mlcore.data import schema
from mlcore.data.importing import convert, proposals
from mlcore.data.importing.decisions import MISSING, Decisions
from mlcore.data.importing.levels import Levels
from mlcore.data.importing.marks import Marks
from mlcore.data.importing.parse import Parsed
from mlcore.data.importing.report import (
    CHOSEN,
    GUESS,
    LIKELY,
    MOST_LEFT_OUT,
    SURE,
    Decision,
    Imported,
    Note,
    Ragged,
    Report,
)
from mlcore.data.importing.sniff import Layout
from mlcore.data.table import Table
from mlcore.spine.pool import side_by_side
from mlcore.spine.wording import plural

ROW_NAMES = "row_name"


def missing_markers(decisions: Decisions) -> Decision:
    if decisions.missing is not None:
        return Decision("missing", decisions.missing, "You chose them.", CHOSEN)
    return Decision("missing", MISSING, "The usual markers, and empty cells.", LIKELY)


@dataclass
class Assembly:
    """Puts the table and the report together from columns and what was decided about them."""

    name: str
    layout: Layout
    parsed: Parsed
    decisions: Decisions
    taken: tuple[Decision, ...]
    reading_notes: tuple[Note, ...]  # of what came before the cells
    marks: Marks
    how: convert.Reading
    form: str = "text"
    renamed: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        self.notes = [
            *self.reading_notes,
            *_ragged_notes(self.parsed, self.decisions),
            *self.marks.notes,
        ]

    def imported(self) -> Imported:
        """The table and its report."""
        columns = self._named_columns()
        looked = list(side_by_side(self._looked_at, columns))
        order = self._date_order([seen for seen in looked if isinstance(seen, Levels)])
        names = (name for name, *_ in columns)
        reads = list(
            side_by_side(partial(self._read, order.value), zip(names, looked, strict=True))
        )
        reads = [self._spelt(read) for read in reads]
        for read in reads:
            self.notes += read.notes
        for read in reads:
            self.notes += proposals.notes(read.column, read.missing, self.how.missing)
        missing, texts = missing_markers(self.decisions), self._texts(reads)
        columns = self._of_columns("alike"), self._of_columns("all_values")
        taken = (self.marks.decimal, self.marks.thousands, missing, order, *columns, texts)
        report = self._report(reads, taken)
        return Imported(schema.typed(Table.of(*(read.column for read in reads))), report)

    def _looked_at(self, column: tuple[str, pa.Array, tuple[str, ...]]) -> convert.Read | Levels:
        name, values, met = column
        return convert.plain(name, values, self.how, met)

    def _read(self, order: str, looked: tuple[str, convert.Read | Levels]) -> convert.Read:
        name, content = looked
        if isinstance(content, Levels):
            return convert.convert(name, content, self.how, order)
        return content

    def _named_columns(self) -> list[tuple[str, pa.Array, tuple[str, ...]]]:
        """Names, cells and markers of missing values of each column with a name or a value."""
        olds, columns = self.layout.names, self.parsed.columns
        names = unique_names(olds, rows_named=self._has_header and not olds[0])
        blank = {at for at, old in enumerate(olds) if not old and _is_blank(columns[at])}
        if not self._has_header or len(blank) == len(olds):
            blank = set()
        if blank:
            which = ", ".join(str(at + 1) for at in sorted(blank))
            what = f"Column {which} has" if len(blank) == 1 else f"Columns {which} have"
            verb = plural(len(blank), "was", "were")
            sentence = f"{what} neither a name nor a value and {verb} left out."
            self.notes.append(Note(sentence))
        kept = [at for at in range(len(olds)) if at not in blank]
        renamed = ((olds[at], names[at]) for at in kept if olds[at] != names[at])
        self.renamed = tuple(renamed) if self._has_header else ()
        return [(names[at], columns[at], self.parsed.missing.get(at, ())) for at in kept]

    @property
    def _has_header(self) -> bool:
        return any(self.layout.names)

    def _date_order(self, columns: list[Levels]) -> Decision:
        """The order that the columns of dates decide; ymd, years first only, if none does."""
        if self.decisions.date_order is not None:
            return Decision("date_order", self.decisions.date_order, "You chose it.", CHOSEN)
        possible = [c.date_orders for c in columns if c.date_orders]
        decided = Counter(min(orders) for orders in possible if len(orders) == 1)
        if decided:
            order = decided.most_common(1)[0][0]
            reason = "A date in the file can be read in this order only."
            return Decision("date_order", order, reason, SURE if len(decided) == 1 else GUESS)
        if any("ymd" not in orders for orders in possible):
            reason = "No date decides between day and month first; those were kept as text."
            return Decision("date_order", "ymd", reason, GUESS)
        return Decision("date_order", "ymd", "All dates, if any, begin with the year.", LIKELY)

    def _with_others(self, note: Note, kept: tuple[str, ...]) -> Note:
        """The note whose press is about one column, with what was decided about the others."""
        if note.fix is None or note.fix[0] not in ("texts", "alike", "all_values"):
            return note
        now = kept if note.fix[0] == "texts" else getattr(self.decisions, note.fix[0]) or ()
        others = tuple(name for name in now if name != note.column)
        return replace(note, fix=(note.fix[0], (*others, note.column) if note.fix[1] else others))

    def _spelt(self, read: convert.Read) -> convert.Read:
        """The column with one level for the spellings of a word, where a person says so."""
        if read.column.name not in (self.decisions.alike or ()) or not read.column.is_coded:
            return read
        return replace(read, column=proposals.joined(read.column))

    def _of_columns(self, name: str) -> Decision:
        """The decision on columns that a person alone takes."""
        if (columns := getattr(self.decisions, name)) is not None:
            return Decision(name, columns, "You chose them.", CHOSEN)
        return Decision(name, (), "It is said of columns by a person alone.", SURE)

    def _texts(self, reads: list[convert.Read]) -> Decision:
        """The columns that are kept as they are written, though numbers could be made of them."""
        if self.decisions.texts is not None:
            return Decision("texts", self.decisions.texts, "You chose them.", CHOSEN)
        if kept := tuple(read.column.name for read in reads if read.is_kept):
            return Decision("texts", kept, "Their numbers are not one quantity.", GUESS)
        return Decision("texts", (), "No column of numbers has to stay text.", LIKELY)

    def _report(self, reads: list, taken: tuple[Decision, ...]) -> Report:
        texts = taken[-1]
        return Report(
            name=self.name,
            taken=(*self.taken, *self.layout.taken, *taken),
            notes=tuple(self._with_others(note, texts.value) for note in self.notes),
            ragged=self.parsed.ragged,
            renamed=self.renamed,
            form=self.form,
            missing=tuple((read.column.name, read.missing) for read in reads if read.missing),
        )


def unique_names(names: tuple[str, ...], *, rows_named: bool) -> list[str]:
    """The names with suffixes where they repeat, and with numbers where they are empty."""
    plain = [" ".join(name.split()) for name in names]
    filled = [name or f"column_{at}" for at, name in enumerate(plain, start=1)]
    if rows_named:
        filled[0] = ROW_NAMES
    taken, unique = set(filled), []
    seen: set[str] = set()
    for name in filled:
        if name in seen:
            name = _suffixed(name, taken)
            taken.add(name)
        seen.add(name)
        unique.append(name)
    return unique


def _suffixed(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _is_blank(column: pa.Array) -> bool:
    """Whether no cell holds anything; a column read as numbers always does."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary
    texts = column.drop_null() if pa.types.is_string(column.type) else ["a number"]
    return not any(str(text).strip() for text in texts)


def _ragged_notes(parsed: Parsed, decisions: Decisions) -> list[Note]:
    """One sentence for the short records, one for the long, each with a press that leaves them out.

    An address has no room for very many lines; those stay as they are.
    """
    notes = []
    short = [r for r in parsed.ragged if r.got < r.expected]
    long = [r for r in parsed.ragged if r.got > r.expected]
    if short:
        sentence = (
            f"{_lines(short)} fewer than {short[0].expected} cells; the rest of the row was read "
            "as missing."
        )
        notes.append(_without(short, sentence, decisions))
    if long:
        extra = next(cell for cell in long[0].extra if cell.strip())
        sentence = (
            f"{_lines(long)} more than {long[0].expected} cells; what is beyond the last column, "
            f"such as {extra!r}, is in no column. Quote cells that hold the delimiter."
        )
        notes.append(_without(long, sentence, decisions))
    return notes


def _without(ragged: list[Ragged], sentence: str, decisions: Decisions) -> Note:
    lines = sorted({*(decisions.left_out or ()), *(record.line for record in ragged)})
    if len(lines) > MOST_LEFT_OUT:
        return Note(sentence, line=ragged[0].line)
    press = plural(len(ragged), "Leave that line out", "Leave those lines out")
    return Note(sentence, line=ragged[0].line, fix=("left_out", tuple(lines)), press=press)


def _lines(ragged: list) -> str:
    shown = ", ".join(str(r.line) for r in ragged[:3])
    if len(ragged) == 1:
        return f"Line {shown} has"
    return (
        f"Lines {shown} have"
        if len(ragged) <= 3
        else (f"Lines {shown} and {len(ragged) - 3} more have")
    )
