"""What a table, once read, shows of its text: then the text is read again with more decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from mlcore.data.importing import inner, left_out, stacked, totals, unclosed
from mlcore.data.importing.decisions import Decisions
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.report import CHOSEN, LIKELY, SURE, Decision, Imported, Note, told
from mlcore.data.importing.sniff import SAMPLE_CHARACTERS, Layout
from mlcore.spine.wording import listed


class Look(NamedTuple):
    """A decision that a look at the table led to, and what else is to be said."""

    decision: Decision
    notes: tuple[Note, ...] = ()


Looks = dict[str, Look]


@dataclass(frozen=True)
class Once:
    """What reading a text once gave: the table, the text above its footer, and its layout."""

    imported: Imported
    decoded: Decoded
    layout: Layout
    line_ends: int

    @property
    def has_gaps(self) -> bool:
        """Whether there are more lines than rows: blank ones, or cells of several lines."""
        n_lines = self.line_ends + (self.decoded.utf8[-1:] != b"\n")
        return self.imported.table.n_rows + self.layout.body < n_lines


def before(decoded: Decoded, decisions: Decisions) -> Looks:
    """What the beginning of a text shows: a mark that never closes there hides all that follows."""
    head = decoded.head(SAMPLE_CHARACTERS)
    if not _are_open(decisions) or unclosed.QUOTE not in head:
        return {}
    how = unclosed.widths(head)
    shows = how is not None and unclosed.lines_of(head.encode(), how)
    return at_quotes(decoded, decisions) if shows else {}


def _are_open(decisions: Decisions) -> bool:
    """Whether a person left it open which quotation marks there are."""
    return decisions.unclosed is None and decisions.quote in (None, unclosed.QUOTE)


def at_quotes(decoded: Decoded, decisions: Decisions) -> Looks:
    """The marks that never close, in all of the text."""
    how = unclosed.widths(decoded.head(SAMPLE_CHARACTERS))
    lines = unclosed.lines_of(decoded.utf8, how) if how and _are_open(decisions) else ()
    return {"unclosed": Look(Decision("unclosed", lines, unclosed.REASON, LIKELY))} if lines else {}


def delimiter(decoded: Decoded) -> str | None:
    """What splits most lines, each by itself, whatever marks are open between them."""
    how = unclosed.widths(decoded.head(SAMPLE_CHARACTERS))
    return how.grammar.delimiter if how else None


def mended(decoded: Decoded, decisions: Decisions) -> tuple[Decoded, tuple[Decision, ...]]:
    """The text without the marks and lines that are left out, and the decisions on them."""
    lines = decisions.unclosed or ()
    how = unclosed.widths(decoded.head(SAMPLE_CHARACTERS)) if lines else None
    if how:
        decoded = unclosed.without(decoded, lines, how)
    within = unclosed.widths(decoded.head(SAMPLE_CHARACTERS)) if decisions.inner else None
    if within:
        decoded = inner.mended(decoded, decisions.inner or (), within.grammar)
    if decisions.left_out:
        decoded = left_out.without(decoded, decisions.left_out)
    closes = "Every quotation mark that opens a cell closes it."
    return decoded, (
        _decision("unclosed", decisions.unclosed, closes),
        _decision("inner", decisions.inner, "Marks within quoted cells are doubled."),
        _decision("left_out", decisions.left_out, "Every line of the table is a row."),
    )


def _decision(name: str, lines: tuple[int, ...] | None, reason: str) -> Decision:
    if lines is not None:
        return Decision(name, lines, "You chose it.", CHOSEN)
    return Decision(name, (), reason, LIKELY)


def after(once: Once, whole: Decoded, decisions: Decisions) -> Looks:
    """What the table shows that was not decided before; nothing where all is well."""
    looks: tuple[Callable[[Once, Decoded, Decisions], Looks], ...] = (
        _swallowed, _within, _below, _names_again, _total,
    )  # fmt: skip
    return next(filter(None, (look(once, whole, decisions) for look in looks)), {})


def notes(once: Once, decisions: Decisions) -> tuple[Note, ...]:
    """What a look at the table finds that a person alone can decide."""
    letters, others = _odd_marks(once, decisions)
    open_ = others if decisions.inner == () else tuple(sorted({*letters, *others}))
    both = (inner.told(open_) if open_ else None, _sums(once, decisions))
    return tuple(note for note in both if note is not None)


def _sums(once: Once, decisions: Decisions) -> Note | None:
    gone = decisions.left_out
    if gone == ():  # somebody said that every line is a row
        return None
    table, gaps = once.imported.table, once.has_gaps
    return totals.note(table, once.decoded, once.layout, has_gaps=gaps, gone=gone or ())


def _swallowed(once: Once, whole: Decoded, decisions: Decisions) -> Looks:
    """Marks beyond the beginning, where rows stand on several lines."""
    is_quoted = once.layout.grammar.quote == unclosed.QUOTE
    if not (_are_open(decisions) and is_quoted and once.has_gaps):
        return {}
    return at_quotes(whole, decisions) if unclosed.QUOTE.encode() in whole.utf8 else {}


def _within(once: Once, whole: Decoded, decisions: Decisions) -> Looks:
    """Marks between the letters of quoted cells."""
    lines = () if decisions.inner is not None else _odd_marks(once, decisions)[0]
    if not 0 < len(lines) <= inner.MOST:
        return {}
    return {"inner": Look(Decision("inner", lines, inner.REASON, LIKELY))}


def _odd_marks(once: Once, decisions: Decisions) -> tuple[tuple[int, ...], tuple[int, ...]]:
    grammar, utf8 = once.layout.grammar, once.decoded.utf8
    is_plain = grammar.quote == unclosed.QUOTE and not (grammar.escape or grammar.spaced)
    if not is_plain or unclosed.QUOTE.encode() not in utf8:
        return (), ()
    how = unclosed.widths(once.decoded.head(SAMPLE_CHARACTERS))
    if how is None or how.grammar.delimiter != grammar.delimiter:
        return (), ()  # the marks are read again before the delimiter is known
    return inner.lines_of(utf8, how)


def _below(once: Once, whole: Decoded, decisions: Decisions) -> Looks:
    """A second table, which becomes lines below the first."""
    if decisions.footer is not None:
        return {}
    second = stacked.behind_gap(once.decoded, once.layout) if once.has_gaps else None
    if second is None and (misfits := once.imported.report.ragged):
        second = stacked.ragged(once.decoded, once.layout, misfits)
    if second is None:
        return {}
    lines = left_out.last_line(whole) + 1 - second.begin
    sentence = (
        f"Another table begins in line {second.line}, with the names "
        f"{listed(map(told, second.names))}. Only one table is read at a time."
    )
    press = ("skip", second.line - 1)
    note = Note(sentence, line=second.line, fix=press, press="Read that table")
    why = Decision("footer", lines, "Another table stands below.", LIKELY)
    return {"footer": Look(why, (note,))}


def _names_again(once: Once, whole: Decoded, decisions: Decisions) -> Looks:
    """Lines that say the names once more, as files have them that were put together."""
    if decisions.left_out is not None or once.layout.body < 1 or not any(once.layout.names):
        return {}
    lines = left_out.names_again(once.decoded, once.layout, once.imported.table)
    reason = "They say the names of the columns once more."
    return {"left_out": Look(Decision("left_out", lines, reason, SURE))} if lines else {}


def _total(once: Once, whole: Decoded, decisions: Decisions) -> Looks:
    """A last line that sums up the others."""
    if decisions.left_out is not None:
        return {}
    total = left_out.total(once.decoded, once.layout, once.imported.table)
    return {"left_out": Look(Decision("left_out", (total[0],), total[1], LIKELY))} if total else {}
