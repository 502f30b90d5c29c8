"""How a text splits into records and cells: the delimiter and the quotation mark."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice

from mlcore.data.importing import looks
from mlcore.data.importing.decisions import DELIMITERS, ESCAPE, RARE_DELIMITERS, Decisions
from mlcore.data.importing.lines import Grammar, Record, records
from mlcore.data.importing.report import CHOSEN, GUESS, LIKELY, SURE, Decision

SAMPLE_LINES = 400
QUOTES = ("'", '"')
COMMENT_MARKS = ("#", "%", "//", "!")
SCORED_RECORDS = 60
# Below this a text splits no better than sentences do at their commas.
LEAST_SCORE = 0.3
SPOKEN = {
    ",": "commas", ";": "semicolons", "\t": "tabs", "|": "upright bars", " ": "blanks",
    "^": "carets", "~": "tildes", ":": "colons", "\x1f": "unit separators", "\x01": "control signs",
}  # fmt: skip
_SEP = re.compile(r'"?sep=([,;|:^~\t ])"?\s*')
_WHOLE = re.compile(r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:[ \u00a0\u202f\u2009'’][0-9]{3})+)")
_SINGLE_QUOTED = re.compile(r"(?:^|[,;\t| ])'[^'\n]*'(?=[,;\t| ]|$)", re.MULTILINE)
_DOUBLE_QUOTED = re.compile(r'(?:^|[,;\t| ])"[^"\n]*"(?=[,;\t| ]|$)', re.MULTILINE)


@dataclass(frozen=True)
class Split:
    """One way of splitting the sample, and how well that goes."""

    grammar: Grammar
    records: tuple[Record, ...]
    start: int = 0  # the first record that has the usual number of cells
    width: int = 1
    score: float = 0.0


def named_delimiter(head: str) -> str | None:
    """The delimiter that a first line such as sep=; names, as spreadsheets write it."""
    match = _SEP.fullmatch(head.split("\n", 1)[0])
    return match[1] if match else None


def best_split(
    head: str, skip: int, comment: str, decisions: Decisions, named: str | None
) -> tuple[Split, Decision]:
    """The best way of splitting, and the decision on the delimiter with its reason."""
    quotes = [decisions.quote] if decisions.quote is not None else _quotes(head)
    chosen = decisions.delimiter or named

    def tried(marks: Iterable[str]) -> list[Split]:
        return [
            split(head, skip, Grammar(mark, quote, escape, comment, _is_spaced(head, mark, quote)))
            for mark in marks
            for quote in quotes
            for escape in _escapes(head, quote, decisions)
            if (chosen or mark in head) and mark != quote
        ]

    splits = tried([chosen] if chosen else DELIMITERS)
    if chosen:
        reason, sure = "A line says so.", SURE
        if decisions.delimiter:
            reason, sure = "You chose it.", CHOSEN
        best = max(splits, key=_worth if len(quotes) > 1 else _score)
        return best, Decision("delimiter", chosen, reason, sure)
    best = max(splits, key=_worth if len(quotes) > 1 else _score, default=None)
    if best is None or best.score < LEAST_SCORE:
        best = max(filter(_is_rare, tried(RARE_DELIMITERS)), key=lambda s: s.score, default=None)
    if best is None or _is_one_column(best):
        # Any mark that no cell holds leaves the lines whole.
        mark = next((m for m in ("\t", "|", ";") if m not in head), "\x1f")
        escape = _escapes(head, quotes[0], decisions)[0]
        alone = split(head, skip, Grammar(mark, quotes[0], escape, comment))
        return alone, Decision("delimiter", mark, "Nothing splits the lines: one column.", LIKELY)
    sure = SURE if best.score > 0.7 else LIKELY if best.score > 0.45 else GUESS
    reason = f"Split at {SPOKEN[best.grammar.delimiter]}, most lines give {best.width} cells."
    return best, Decision("delimiter", best.grammar.delimiter, reason, sure)


def _score(split: Split) -> float:
    return split.score


def _worth(split: Split) -> float:
    """The score, lower where cells are torn within quotation marks."""
    rows = split.records[split.start : split.start + SCORED_RECORDS]
    cells = [cell for row in rows for cell in row.cells]
    torn = sum(cell[:1] in QUOTES and cell[-1:] != cell[:1] for cell in cells if cell)
    return split.score * (1 - torn / max(len(cells), 1))


def _quotes(head: str) -> list[str]:
    """Quotation marks worth trying, the one around more cells first."""
    single, double = (len(pattern.findall(head)) for pattern in (_SINGLE_QUOTED, _DOUBLE_QUOTED))
    if not single or ('"' in head and single <= double):
        return ['"']
    return ["'", '"']


def _escapes(head: str, quote: str, decisions: Decisions) -> list[str]:
    """A backslash only where it stands before a quotation mark that ends no cell."""
    if decisions.escape is not None:
        return [decisions.escape]
    inside = quote and _escaped(quote).search(head)
    return [ESCAPE, ""] if inside else [""]


@cache
def _escaped(quote: str) -> re.Pattern[str]:
    return re.compile(rf"\\{re.escape(quote)}(?![,;\t|]|\s*$)", re.MULTILINE)


def _is_spaced(head: str, delimiter: str, quote: str) -> bool:
    """Whether blanks after a delimiter belong to no cell: else a quote behind them opens none."""
    return delimiter == " " or bool(quote and f"{delimiter} {quote}" in head)


def split(head: str, skip: int, grammar: Grammar) -> Split:
    """The records of the sample under a grammar, with a score between 0 and 1."""
    try:
        split_records = tuple(islice(records(head, grammar, skip), SAMPLE_LINES))
    except csv.Error:
        return Split(grammar, ())
    # Where blanks split, the mark before names in a comment would count as a cell of its own.
    if split_records and grammar.delimiter == " " and split_records[0].cells[0] in COMMENT_MARKS:
        first, *others = split_records
        split_records = (first._replace(cells=first.cells[1:]), *others)
    scored = split_records[: 2 * SCORED_RECORDS]
    counts = Counter(len(r.cells) for r in scored if len(r.cells) > 1)
    if not counts:
        return Split(grammar, split_records)
    width, often = max(counts.items(), key=lambda pair: (pair[1], pair[0]))
    start = next(at for at, r in enumerate(scored) if len(r.cells) == width)
    if _names_more(scored, counts, width):
        # Most rows leave their last cells out.
        return Split(grammar, split_records, 0, max(counts), often / len(scored))
    covered = (len(scored) - start) / len(scored)
    rows = [r.cells for r in scored[start:] if len(r.cells) == width]
    rows = (rows[1:] or rows)[:SCORED_RECORDS]
    typed = looks.typed_share(cell for row in rows for cell in row)
    score = often / (len(scored) - start) * (0.5 + 0.5 * typed) * (0.5 + 0.5 * covered)
    # Blanks also stand between words, so they need better evidence.
    score *= 0.6 if grammar.delimiter == " " else 1.0
    return Split(grammar, split_records, start, width, score)


def _names_more(scored: tuple[Record, ...], counts: Counter[int], width: int) -> bool:
    """Whether the first record names more columns than most rows fill, and others fill them."""
    names, most = scored[0].cells, max(counts)
    is_widest = len(names) == most > width and counts[most] > 1
    return is_widest and len(set(names)) == most and all(map(looks.is_word, names))


def _is_rare(split: Split) -> bool:
    """Whether a mark that is seldom a delimiter is one: the same number of cells in every line.

    Times and dates hold colons, labels have one behind them.
    """
    widths = {len(r.cells) for r in split.records}
    mark, least = split.grammar.delimiter, 3 if split.grammar.delimiter == ":" else 2
    if len(widths) != 1 or widths.pop() < least or len(split.records) < 2:
        return False
    return mark != ":" or not all(map(_is_clock, (cell for r in split.records for cell in r.cells)))


def _is_clock(cell: str) -> bool:
    """Whether it can be a part of a moment or of an address of hardware."""
    return len(cell.strip()) <= 2 or looks.is_typed(cell)


def _is_one_column(split: Split) -> bool:
    """Whether the marks belong to the cells: one name above pairs of digits, or above moments."""
    first, rows = split.records[0].cells, [r.cells for r in split.records[1:]]
    if split.grammar.delimiter not in ", " or len(first) != 1 or split.width != 2 or not rows:
        return False
    if split.grammar.delimiter == " ":
        return all(looks.is_time(" ".join(cells)) for cells in rows)
    return all(len(r) <= 2 and r[-1].isdigit() and _WHOLE.fullmatch(r[0]) for r in rows)
