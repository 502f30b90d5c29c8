"""Reading a file: bytes to text, text to columns, columns to a typed table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from mlcore.data.importing import (
    above,
    archive,
    arff,
    convert,
    drawings,
    foreign,
    packed,
    parquet,
    second_look,
    webpage,
    workbook,
)
from mlcore.data.importing.assembly import Assembly, missing_markers
from mlcore.data.importing.bounds import BOUNDS, Bounds
from mlcore.data.importing.curled import straightened
from mlcore.data.importing.decisions import EVEN, Decisions
from mlcore.data.importing.decode import HEAD, Decoded, decode
from mlcore.data.importing.ending import TAIL_CHARACTERS, footer_lines, without_footer
from mlcore.data.importing.marks import marks
from mlcore.data.importing.parse import OpenQuoteError, Parsed, parse
from mlcore.data.importing.report import CHOSEN, GUESS, LIKELY, SURE, Decision, Imported, Note, told
from mlcore.data.importing.second_look import Looks, Once
from mlcore.data.importing.sniff import SAMPLE_CHARACTERS, Layout, sniff
from mlcore.data.importing.unseen import beside
from mlcore.spine.errors import FileError

MARKED_RECORDS = 100
MANY_SHORT = 0.1


def read(
    data: bytes, name: str = "", decisions: Decisions | None = None, *, bounds: Bounds = BOUNDS
) -> Imported:
    """The table in a file of text, ARFF too, a workbook or a Parquet file, and how it was read.

    Everything that `decisions` leaves open is taken from the file. Raises FileError, with a
    sentence, if the bytes hold no table, or one beyond `bounds`.
    """
    decisions = decisions or Decisions()
    bounds.check_file(len(data))
    if names := packed.files(data) if packed.is_packed(data) else ():
        return _archive(data, names, name, decisions, bounds)
    imported = _unarchived(data, name, decisions, bounds)
    report = imported.report
    return replace(imported, report=replace(report, taken=(packed.NO_ARCHIVE, *report.taken)))


def _unarchived(data: bytes, name: str, decisions: Decisions, bounds: Bounds) -> Imported:
    """The table of a file that is no archive of others."""
    if parquet.is_parquet(data):
        return parquet.read(data, name, decisions, bounds)
    if workbook.is_workbook(data):
        return _workbook(data, name, decisions, bounds)
    if inside := packed.gunzipped(data, bounds):
        return _unpacked(*inside, name, decisions, bounds)
    return _text(data, name, decisions, bounds)


def _unpacked(data: bytes, note: Note, name: str, decisions: Decisions, bounds: Bounds) -> Imported:
    """The table in a file of an archive; an archive within is refused."""
    bounds.check_file(len(data))
    if packed.is_packed(data):
        raise FileError(f"The archive holds another archive. {packed.ADVICE}")
    imported = _unarchived(data, name, decisions, bounds)
    notes = (note, *imported.report.notes)
    return replace(imported, report=replace(imported.report, notes=notes))


def _archive(
    data: bytes, names: tuple[str, ...], name: str, decisions: Decisions, bounds: Bounds
) -> Imported:
    """The file of an archive that is asked for, or the first with a table of several columns."""
    archive.check(data, bounds)
    wrong: FileError | None = None
    narrow: Imported | None = None
    for file in packed.tried(names, decisions.file):
        decision, note = packed.taken(file, names, decisions.file)
        try:
            inside = archive.part(data, file, bounds)
            imported = _unpacked(inside, note, name, decisions, bounds)
        except FileError as error:
            wrong = wrong or error
            continue
        taken = (decision, *imported.report.taken)
        imported = replace(imported, report=replace(imported.report, taken=taken, files=names))
        if len(imported.table.names) > 1 or decisions.file:
            return imported
        narrow = narrow or imported  # a list, or words about the others, which may be the table
    if narrow is None:
        raise wrong or FileError(f"The archive holds no table. {packed.ADVICE}")
    return narrow


def read_sheets(data: bytes, first: Imported, *, bounds: Bounds = BOUNDS) -> list[Imported]:
    """The other sheets of the workbook that `first` was read from, those that hold a table."""
    now, file = first.report.why("sheet").value, first.report.why("file").value
    others = []
    for name in first.report.sheets:
        # A sheet of notes or of nothing is no table, and nobody asked for it.
        with suppress(FileError):
            if name != now:
                asked = Decisions(file=file, sheet=name)
                others.append(read(data, first.report.name, asked, bounds=bounds))
    return others


def _workbook(data: bytes, name: str, decisions: Decisions, bounds: Bounds) -> Imported:
    """The first sheet that holds a table, or what is wrong with the first."""
    wrong: FileError | None = None
    for sheet in workbook.sheets(data, decisions.sheet, bounds):
        try:
            return _sheet(sheet, name, decisions, bounds)
        except FileError as error:
            wrong = wrong or error
    raise wrong or FileError("The workbook holds no sheet. Bring one with a table in it.")


def _sheet(sheet: workbook.Sheet, name: str, decisions: Decisions, bounds: Bounds) -> Imported:
    """A sheet, its cells written as text and read like any other."""
    if not sheet.text.strip():
        raise FileError(f"The sheet {sheet.taken.value!r} holds no cells. Choose another.")
    imported = _text(sheet.text, name, replace(decisions, **workbook.HOW_WRITTEN), bounds)
    report = imported.report
    taken = [workbook.SURELY.get(t.name, t) for t in report.taken if t.name != "sheet"]
    report = replace(
        report,
        taken=(sheet.taken, *taken),
        notes=(*beside(sheet.notes, report.why("left_out").value), *report.notes),
        form="workbook",
        sheets=sheet.names,
    )
    return replace(imported, report=report)


def _text(data: bytes, name: str, decisions: Decisions, bounds: Bounds) -> Imported:
    try:
        return _read(data, name, decisions, bounds)
    except OpenQuoteError as error:
        if decisions.quote is not None:
            raise
        # Without quotation marks the lines split less evenly; the delimiter is what it was.
        asked = replace(decisions, quote="", delimiter=decisions.delimiter or error.delimiter)
        bare = _without_quotes(_read(data, name, asked, bounds), error.line)
        if decisions.delimiter is not None:
            return bare
        reason = "The lines were split at it before a quotation mark was found open."
        return _as_seen(bare, Decision("delimiter", error.delimiter, reason, LIKELY))


def _without_quotes(imported: Imported, line: int) -> Imported:
    """The report with a note on why quotation marks were read as letters."""
    sentence = (
        f"A quotation mark in line {line} or below never closes, so quotation marks were read as "
        "letters. Correct that line to have them removed."
    )
    why = Decision("quote", "", "A quotation mark never closes.", GUESS)
    report = imported.report
    taken = tuple(why if t.name == "quote" else t for t in report.taken)
    notes = (Note(sentence, line=line), *report.notes)
    return replace(imported, report=replace(report, taken=taken, notes=notes))


def _read(data: bytes, name: str, decisions: Decisions, bounds: Bounds) -> Imported:
    decoded = decode(data, decisions.encoding)
    if page := webpage.table(decoded, bounds):
        return _table(page, name, replace(decisions, **webpage.WRITTEN), bounds)
    foreign.check_text(decoded.head(HEAD))
    if arff_table := arff.declared(decoded, decisions, bounds):
        return arff_table.typed(_table(arff_table.decoded, name, arff_table.decisions, bounds))
    return _table(straightened(decoded, decisions), name, decisions, bounds)


def _table(decoded: Decoded, name: str, decisions: Decisions, bounds: Bounds) -> Imported:
    """The table, read again as long as a look at what was read shows more to be decided."""
    if not decoded.utf8 or (decoded.head(1).isspace() and decoded.text.isspace()):
        raise FileError("The file is empty. Bring a file with a line of names and rows below it.")
    seen = second_look.before(decoded, decisions)
    while True:
        now = replace(decisions, **{what: it.decision.value for what, it in seen.items()})
        try:
            once = _once(decoded, name, now, bounds)
        except OpenQuoteError as error:
            more = second_look.at_quotes(decoded, now)
            if not more:
                delimiter = second_look.delimiter(decoded) or error.delimiter
                raise OpenQuoteError(error.line, delimiter) from None
        else:
            more = second_look.after(once, decoded, now)
            if not more:
                return _told_with(once.imported, seen, second_look.notes(once, now))
        seen |= more


def _once(decoded: Decoded, name: str, decisions: Decisions, bounds: Bounds) -> Once:
    decoded, odd = second_look.mended(decoded, decisions)
    decoded, decisions, layout, drawn = _laid_out(decoded, decisions)
    footer = _footer(decoded, layout, decisions)
    decoded, notes = without_footer(decoded, int(footer.value))
    if notes:
        layout = sniff(decoded.head(SAMPLE_CHARACTERS + 1), decisions)
    bounds.check_columns(len(layout.names))
    # Short rows are filled up with missing values: a few bytes may ask for thousands of cells.
    line_ends = decoded.utf8.count(b"\n")
    bounds.check_cells(line_ends, len(layout.names))
    cells = [cell for row in layout.sample[:MARKED_RECORDS] for cell in row]
    number_marks = marks(cells, layout.grammar.delimiter, decisions)
    how = convert.Reading(
        number_marks.decimal.value,
        number_marks.thousands.value,
        missing_markers(decisions).value,
        decisions.texts,
        decisions.all_values or (),
    )
    parsed = parse(decoded, layout, how.decimal, how.missing)
    _check_rows(parsed, layout, bounds)
    sheet = Decision("sheet", "", "The file holds one table.", SURE)
    taken = (sheet, decoded.taken, *odd, footer)
    notes = (*decoded.notes, *above.notes(decoded, layout), *notes)
    imported = Assembly(name, layout, parsed, decisions, taken, notes, number_marks, how).imported()
    return Once(_as_seen(imported, *drawn), decoded, layout, line_ends)


def _told_with(imported: Imported, seen: Looks, more: tuple[Note, ...]) -> Imported:
    """The table with what the looks at it led to, and what else they found."""
    imported = _as_seen(imported, *(it.decision for it in seen.values()))
    notes = (*imported.report.notes, *(note for it in seen.values() for note in it.notes), *more)
    return replace(imported, report=replace(imported.report, notes=notes))


def _laid_out(
    decoded: Decoded, decisions: Decisions
) -> tuple[Decoded, Decisions, Layout, tuple[Decision, ...]]:
    """The layout; of a drawn table also its text with marks, and what was seen."""
    decoded = drawings.unboxed(decoded)
    drawing = drawings.ruled(decoded, decisions)
    if drawing is None and decisions.delimiter != EVEN:
        layout = sniff(decoded.head(SAMPLE_CHARACTERS + 1), decisions)
        if len(layout.names) > 1:
            drawing = drawings.even(decoded, decisions) if _has_gaps(layout) else None
            if drawing is None:
                return decoded, decisions, layout, ()
    drawing = drawing or drawings.even(decoded, decisions)
    if drawing is None and (whole := _unwrapped(decoded, decisions)):
        return *whole, ()
    if drawing is None:
        asked = (
            replace(decisions, delimiter=drawings.MARK)
            if decisions.delimiter == EVEN
            else decisions
        )
        return decoded, asked, sniff(decoded.head(SAMPLE_CHARACTERS + 1), asked), ()
    layout = sniff(drawing.decoded.head(SAMPLE_CHARACTERS + 1), drawing.decisions)
    return drawing.decoded, drawing.decisions, layout, (drawing.taken,)


def _has_gaps(layout: Layout) -> bool:
    """Whether many rows between blanks lack cells, which may be empty ones of even columns."""
    short = sum(len(row) < len(layout.names) for row in layout.sample)
    return layout.grammar.delimiter == " " and short >= MANY_SHORT * len(layout.sample) > 0


def _unwrapped(decoded: Decoded, decisions: Decisions) -> tuple[Decoded, Decisions, Layout] | None:
    """The layout of lines that are quoted as a whole, where each of them then gives as many cells
    as there are names."""
    bare = drawings.unwrapped(decoded)
    if bare is None or decisions.quote == "":
        return None
    layout = sniff(bare.head(SAMPLE_CHARACTERS + 1), decisions)
    width = len(layout.names)
    is_table = width > 1 and all(layout.names) and all(len(row) == width for row in layout.sample)
    return (bare, decisions, layout) if is_table else None


def _as_seen(imported: Imported, *seen: Decision) -> Imported:
    """The report with what was seen in the file, in place of what was written for it."""
    by_name = {decision.name: decision for decision in seen}
    taken = tuple(by_name.get(t.name, t) for t in imported.report.taken)
    return replace(imported, report=replace(imported.report, taken=taken))


def _footer(decoded: Decoded, layout: Layout, decisions: Decisions) -> Decision:
    if decisions.footer is not None:
        return Decision("footer", decisions.footer, "You chose it.", CHOSEN)
    if lines := footer_lines(decoded.tail(TAIL_CHARACTERS), layout):
        return Decision("footer", lines, "The last lines look like no row.", LIKELY)
    return Decision("footer", 0, "The table goes on to the end of the file.", SURE)


def _check_rows(parsed: Parsed, layout: Layout, bounds: Bounds) -> None:
    bounds.check_rows(len(parsed.columns[0]))
    if len(parsed.columns[0]):
        return
    names = ", ".join(told(name) for name in layout.names[:5] if name)
    more = " and more" if len(layout.names) > 5 else ""
    raise FileError(
        f"The file holds a line of names ({names}{more}) and no rows. Add rows, or say that the "
        "file has no line of names."
    )
