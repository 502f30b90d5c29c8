"""Decimal and thousands marks, from the numbers of a sample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from mlcore.data import cells
from mlcore.data.importing.decisions import THOUSANDS, Decisions
from mlcore.data.importing.report import CHOSEN, GUESS, LIKELY, SURE, Decision, Note

_AROUND = re.compile(rf"(?:[+()]|[{cells.MINUS}]|{cells.UNITS}|[{''.join(cells.SPACES)}])++")
# Written so, the mark before the last digits can only be decimal: not three digits behind it,
# a zero or more than three digits before it, or groups of three under the other mark.
_BLANKS = cells.group_mark(" ")
_SURELY = {
    mark: re.compile(
        rf"[0-9]+{re.escape(mark)}(?:[0-9]{{1,2}}|[0-9]{{4,}})|0{re.escape(mark)}[0-9]+"
        rf"|[0-9]{{4,}}{re.escape(mark)}[0-9]+"
        rf"|[0-9]{{1,3}}(?:{re.escape(other)}[0-9]{{3}})+{re.escape(mark)}[0-9]+"
        rf"|[0-9]{{1,3}}(?:{_BLANKS}[0-9]{{3}})+{re.escape(mark)}[0-9]+"
        rf"|[0-9]{{1,3}}(?:['’_][0-9]{{3}})+{re.escape(mark)}[0-9]+"
    )
    for mark, other in ((",", "."), (".", ","))
}
_COMMA_GROUPS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_FAR_COMMA_GROUPS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3}){2,}")


class Marks(NamedTuple):
    """The decimal mark, the thousands mark, and a note where the cells leave it open."""

    decimal: Decision
    thousands: Decision
    notes: tuple[Note, ...]


def marks(sample: Iterable[str], delimiter: str, decisions: Decisions) -> Marks:
    """The marks that the numbers among the cells of the sample have."""
    bare = [_bare(cell) for cell in sample if not cell.isdigit()]
    decimal, note = _decimal(bare, delimiter, decisions)
    return Marks(decimal, _thousands(bare, str(decimal.value), decisions), note)


def _bare(cell: str) -> str:
    """The cell without the signs, units, brackets and blanks at its ends."""
    runs = [run.span() for run in _AROUND.finditer(cell)]
    start = runs[0][1] if runs and runs[0][0] == 0 else 0
    end = runs[-1][0] if runs and runs[-1][1] == len(cell) else len(cell)
    return cell[start : max(start, end)]


def _decimal(
    bare: list[str], delimiter: str, decisions: Decisions
) -> tuple[Decision, tuple[Note, ...]]:
    if decisions.decimal is not None:
        return Decision("decimal", decisions.decimal, "You chose it.", CHOSEN), ()
    if decisions.thousands in (",", "."):
        mark = "." if decisions.thousands == "," else ","
        return Decision("decimal", mark, "The other mark is that of thousands.", LIKELY), ()
    decisive = {mark: [c for c in bare if _SURELY[mark].fullmatch(c)] for mark in _SURELY}
    best = max((".", ","), key=lambda mark: len(decisive[mark]))
    if decisive[best]:
        reason = f"{len(decisive[best])} cells of the sample are like {decisive[best][0]}."
        return Decision("decimal", best, reason, LIKELY if all(decisive.values()) else SURE), ()
    open_to_both = next((c for c in bare if _COMMA_GROUPS.fullmatch(c)), None)
    if open_to_both is None or any(_FAR_COMMA_GROUPS.fullmatch(c) for c in bare):
        return Decision("decimal", ".", "No number of the sample has a decimal comma.", LIKELY), ()
    return _open_decimal(open_to_both, "," if delimiter == ";" else ".")


def _open_decimal(cell: str, mark: str) -> tuple[Decision, tuple[Note, ...]]:
    """1,234 after a semicolon is more likely a fraction, elsewhere more likely a thousand."""
    other = "," if mark == "." else "."
    value = cell.replace(",", "" if mark == "." else ".")
    sentence = (
        f"The comma in {cell} may be a decimal mark or one of thousands; it was read as {value}. "
        f"Choose the decimal mark {other} if that is wrong."
    )
    taken = Decision("decimal", mark, f"Numbers like {cell} leave it open.", GUESS)
    return taken, (Note(sentence, fix=("decimal", other)),)


def _thousands(bare: list[str], decimal: str, decisions: Decisions) -> Decision:
    if decisions.thousands is not None:
        return Decision("thousands", decisions.thousands, "You chose it.", CHOSEN)
    counts = Counter()
    example = {}
    for mark in THOUSANDS:
        pattern = _in_groups(mark, decimal)
        fits = [c for c in bare if pattern.fullmatch(c)] if mark != decimal else []
        if fits:
            counts[mark], example[mark] = len(fits), fits[0]
    if not counts:
        return Decision("thousands", "", "No number of the sample is in groups of three.", LIKELY)
    best = counts.most_common(1)[0][0]
    return Decision("thousands", best, f"Cells are like {example[best]}.", LIKELY)


def _in_groups(thousands: str, decimal: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{cells.grouped(thousands)})(?:{re.escape(decimal)}[0-9]*)?")
