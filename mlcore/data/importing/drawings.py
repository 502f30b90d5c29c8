"""Tables drawn for the eye: columns of even width, rules below the names, boxes around the cells.

Their lines are rewritten with a mark between the cells, and then read like any other text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mlcore.data.importing import looks
from mlcore.data.importing.decisions import EVEN, Decisions
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.report import CHOSEN, LIKELY, Decision, Note

MARK = "\x1f"
LOOKED_AT = 60  # lines in which a rule or a box begins
MOSTLY = 0.95  # of the lines keep a gap between columns; notes around the table do not
ENOUGH_LINES = 3  # fewer have gaps by chance
GAP = 2  # blanks side by side: one stands between words too
MAX_BYTES = 50 * 2**20  # nobody looks at more
_RULE = re.compile(r" *(?:-+|=+)(?: +(?:-+|=+))+ *")
_STARTS = re.compile(rf"(?:(?<=^)|(?<= {{{GAP}}}))x")  # of columns, where x is filled
_WRAPPED = re.compile(r'\s*"(?:[^"]|"")*"\s*')  # one cell from end to end
_BOX = str.maketrans("│║┃─═━┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╒╤╕╞╪╡╘╧╛", "|||---" + "+" * 27)


class Drawing(NamedTuple):
    """A text with marks between its cells, how to read that, and what was seen."""

    decoded: Decoded
    decisions: Decisions
    taken: Decision


def ruled(decoded: Decoded, decisions: Decisions) -> Drawing | None:
    """The table below whose names a rule shows how wide the columns are."""
    if decisions.delimiter not in (None, EVEN) or len(decoded.utf8) > MAX_BYTES:
        return None
    head = decoded.head(LOOKED_AT * 1000).split("\n")[:LOOKED_AT]
    at = next((at for at, line in enumerate(head) if _is_rule(head, at)), None)
    if at is None:
        return None
    starts = [group.start() for group in re.finditer(r"[-=]+", head[at])]
    below = [line for line in head[at + 1 :] if line.strip()]
    if not below or not _keep(below[0], starts):
        return None
    return _marked(decoded, starts, decisions, "A rule below the names shows the columns.")


def even(decoded: Decoded, decisions: Decisions) -> Drawing | None:
    """The table whose cells stand below each other, with gaps that go through nearly all lines."""
    if decisions.delimiter not in (None, EVEN) or len(decoded.utf8) > MAX_BYTES:
        return None
    lines = [line for line in decoded.text.split("\n") if line.strip()]
    if len(lines) < ENOUGH_LINES or "\t" in lines[0]:
        return None
    # The first lines tell mostly, and cost little; a wider cell may come far below.
    if len(_starts(lines[:LOOKED_AT])) < 2 or len(starts := _starts(lines)) < 2:
        return None
    return _marked(decoded, starts, decisions, "Gaps go through all lines at the same places.")


def unboxed(decoded: Decoded) -> Decoded:
    """The text with bars and dashes in place of the lines of a box, if it begins with one."""
    first = decoded.head(4000).lstrip("\n").split("\n", 1)[0].strip()
    if not first or first.translate(_BOX).strip("+-") or first.isascii():
        return decoded
    return replace(decoded, utf8=decoded.text.translate(_BOX).encode())


def unwrapped(decoded: Decoded) -> Decoded | None:
    """The text without the quotation marks around each of its lines; None where some have none."""
    if not decoded.utf8.lstrip().startswith(b'"') or len(decoded.utf8) > MAX_BYTES:
        return None
    lines = decoded.text.split("\n")
    if not all(_WRAPPED.fullmatch(line) for line in lines if line.strip()):
        return None
    text = "\n".join(line.strip()[1:-1].replace('""', '"') for line in lines)
    note = Note("Each line stands between quotation marks as a whole; those were left out.")
    return replace(decoded, utf8=text.encode(), notes=(*decoded.notes, note))


def _is_rule(lines: Sequence[str], at: int) -> bool:
    """Whether the line is a rule: below words, with dashes that are no sign of missing values."""
    if not _RULE.fullmatch(lines[at]) or at == 0 or "--" not in lines[at]:
        return False
    above = lines[at - 1].split()
    return bool(above) and all(map(looks.is_word, above))


def _starts(lines: Sequence[str]) -> list[int]:
    """Where the columns begin: behind each gap of blanks that most lines keep."""
    width = max(map(len, lines))
    filled = [0] * width
    for line in lines:
        for match in re.finditer(r"\S+", line):
            for at in range(*match.span()):
                filled[at] += 1
    blank = "".join(" " if count <= (1 - MOSTLY) * len(lines) else "x" for count in filled)
    return [match.start() for match in _STARTS.finditer(blank)]


def _keep(line: str, starts: Sequence[int]) -> bool:
    """Whether the line has a blank before every column but the first."""
    return all(line[at - 1 : at] in ("", " ") for at in starts[1:])


def _marked(decoded: Decoded, starts: list[int], decisions: Decisions, reason: str) -> Drawing:
    lines = (_cells(line, starts) for line in decoded.text.split("\n"))
    is_chosen = decisions.delimiter is not None
    taken = Decision(
        "delimiter", EVEN, "You chose it." if is_chosen else reason, CHOSEN if is_chosen else LIKELY
    )
    how = replace(decisions, delimiter=MARK, quote="", escape="")
    return Drawing(replace(decoded, utf8="\n".join(lines).encode()), how, taken)


def _cells(line: str, starts: list[int]) -> str:
    """The line with marks between its cells; one that keeps no columns stays whole."""
    if _RULE.fullmatch(line) or not line.strip():
        return ""
    if not _keep(line, starts):
        return line
    ends = [*starts[1:], len(line)]
    return MARK.join(line[a:b].strip() for a, b in zip([0, *starts[1:]], ends, strict=True))
