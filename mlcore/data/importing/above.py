"""What stands above the rows: lines that were left out, and names that were joined or guessed."""

from __future__ import annotations

from mlcore.data.importing.decisions import NO_HEADER
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.report import CHOSEN, SURE, Decision, Note, told
from mlcore.data.importing.sniff import SAMPLE_CHARACTERS, Layout
from mlcore.spine.wording import count, listed, plural


def notes(decoded: Decoded, layout: Layout) -> list[Note]:
    """Sentences on all that was guessed above the rows, each with a press that undoes it."""
    taken = {decision.name: decision for decision in layout.taken}
    uneven = _beyond(layout) or _lacking(layout)
    told_all = [
        _skipped(decoded, taken["skip"]),
        _comments(decoded, taken["comment"]),
        _unnamed(layout, taken["header"]),
        uneven or _guessed(layout, taken["header"], taken["header_rows"]),
        _joined(layout, taken["header"], taken["header_rows"]),
    ]
    return [note for note in told_all if note is not None]


def _is_own(decision: Decision) -> bool:
    """Whether the import took it, without being sure."""
    return decision.confidence not in (CHOSEN, SURE)


def _skipped(decoded: Decoded, skip: Decision) -> Note | None:
    n = int(skip.value)
    if not n or not _is_own(skip):
        return None
    lines = decoded.head(SAMPLE_CHARACTERS).split("\n")[:n]
    words = next((line for line in lines if line.strip()), "")
    which = "Line 1" if n == 1 else f"Lines 1 to {n}"
    sentence = (
        f"{which} above the table {plural(n, 'was', 'were')} left out; there stands "
        f"{told(words)!r}."
    )
    return Note(sentence, line=1, fix=("header", 0), press="Names in line 1")


def _comments(decoded: Decoded, comment: Decision) -> Note | None:
    mark = str(comment.value).encode()
    if not mark or not _is_own(comment):
        return None
    n = decoded.utf8.startswith(mark) + decoded.utf8.count(b"\n" + mark)
    if not n:
        return None
    sentence = (
        f"{count(n, 'line')} that {plural(n, 'begins', 'begin')} with {comment.value} "
        f"{plural(n, 'was', 'were')} left out as {plural(n, 'a comment', 'comments')}."
    )
    return Note(sentence, fix=("comment", ""), press="Read them")


def _unnamed(layout: Layout, header: Decision) -> Note | None:
    if header.value != NO_HEADER or not _is_own(header):
        return None
    sentence = (
        f"No line names the columns, so they are called column_1 to column_{len(layout.names)}."
    )
    return Note(sentence, fix=("header", 0), press="The first line holds names")


def _guessed(layout: Layout, header: Decision, rows: Decision) -> Note | None:
    if header.value == NO_HEADER or not _is_own(header) or rows.value != 1:
        return None
    names = listed((told(name) for name in layout.names if name), 3)
    sentence = f"Line {layout.body} was taken for the names, {names}: {_small(header.reason)}"
    return Note(sentence, line=layout.body, fix=("header", NO_HEADER), press="It is a row")


def _joined(layout: Layout, header: Decision, rows: Decision) -> Note | None:
    n = int(rows.value)
    if n == 1 or header.value == NO_HEADER or not _is_own(rows):
        return None
    first = layout.body - n + 1
    name = max(layout.names, key=_words)
    sentence = f"Lines {first} to {layout.body} were joined to names such as {told(name)!r}."
    return Note(sentence, line=first, fix=("header_rows", 1), press="Names in one line")


def _beyond(layout: Layout) -> Note | None:
    if not layout.beyond:
        return None
    names = ", ".join(repr(told(name)) for name in layout.beyond[:3])
    more = " and more" if layout.beyond[3:] else ""
    sentence = (
        f"The rows have {len(layout.names)} cells and the line of names has more, so no column is "
        f"called {names}{more}."
    )
    return _is_no_row(sentence, layout)


def _lacking(layout: Layout) -> Note | None:
    """Names above some of the cells: which columns go without is a guess."""
    names, n = layout.names, len(layout.names)
    nameless = [at + 1 for at, name in enumerate(names) if not name]
    if not layout.is_short or not nameless:
        return None
    sentence = (
        f"The rows have {n} cells and the line of names has {n - len(nameless)}; "
        f"{plural(len(nameless), 'column', 'columns')} {listed(nameless)} "
        f"{plural(len(nameless), 'has', 'have')} no name."
    )
    return _is_no_row(sentence, layout)


def _is_no_row(sentence: str, layout: Layout) -> Note:
    """Names that do not fit the rows may be none: the press makes a row of their line."""
    return Note(sentence, line=layout.body, fix=("header", NO_HEADER), press="It is a row")


def _words(name: str) -> int:
    return len(name.split())


def _small(reason: str) -> str:
    return reason[:1].lower() + reason[1:]
