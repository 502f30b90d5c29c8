"""ARFF, the tables of Weka: attributes are declared line by line, and the rows follow `@data`.

The text is rewritten as a table with commas, each row in its line, and then read like any other; an
attribute that declares its values is a column of names. Format: Weka manual, chapter ARFF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from mlcore.data.importing.bounds import BOUNDS, Bounds
from mlcore.data.importing.decisions import Decisions
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.report import SURE, Decision, Imported, Note
from mlcore.spine.errors import FileError
from mlcore.spine.wording import count

# How the new text is read: the format fixes all of it.
WRITTEN: dict[str, Any] = {
    "delimiter": ",", "quote": '"', "escape": "", "comment": "", "decimal": ".", "thousands": "",
    "skip": 0, "header": 0, "header_rows": 1, "unclosed": (), "inner": (), "left_out": (),
}  # fmt: skip
HEAD = 100_000  # characters in which the first declaration stands
# A word in quotation marks with backslashes, or one without blanks and marks. A mark that never
# closes goes to the end, or a line of them would be walked again from each.
_WORD = r"""'(?:[^'\\]|\\.)*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)|[^\s,{}'"]+"""
_DECLARED = re.compile(rf"@attribute\s+({_WORD})\s+(.*)", re.IGNORECASE)
_WORDS = re.compile(_WORD)
_PAIRS = re.compile(rf"(?<!\d)(\d{{1,9}})\s+({_WORD})")  # of a sparse row
_WEIGHT = re.compile(r",\s*\{[^{}]*\}\s*$")
_SPECIAL = re.compile(r"['\"\\{}%\t]")  # none of these and a comma: a line is one of CSV already
_CELL = re.compile(rf"\s*({_WORD}(?=\s*(?:,|$))|[^,]*)\s*(,|$)")


@dataclass(frozen=True)
class Attribute:
    """One declared column; `levels` are its names in their order, none for other types."""

    name: str
    levels: tuple[str, ...]

    @property
    def unsaid(self) -> str:
        """What a sparse row means where it says nothing."""
        return self.levels[0] if self.levels else "0"


@dataclass(frozen=True)
class Declared:
    """A text of commas, how to read that, and what was declared of its columns."""

    decoded: Decoded
    decisions: Decisions
    attributes: tuple[Attribute, ...]

    def typed(self, imported: Imported) -> Imported:
        """The table with names where names are declared, even if they look like numbers.

        What the ARFF format fixes is reported as sure.
        """
        table = imported.table
        for attribute in self.attributes:
            is_plain = attribute.name in table.names and not table.column(attribute.name).is_coded
            if attribute.levels and is_plain:
                table = table.with_kind(attribute.name, "nominal")
        taken = (
            Decision(t.name, t.value, "ARFF is written so.", SURE) if t.name in WRITTEN else t
            for t in imported.report.taken
        )
        report = replace(imported.report, form="arff", taken=tuple(taken))
        return Imported(table, report)


def declared(decoded: Decoded, decisions: Decisions, bounds: Bounds = BOUNDS) -> Declared | None:
    """The table of an ARFF file; None for any other text.

    Raises FileError if the file declares no table, or one beyond `bounds`.
    """
    if not _is_arff(decoded.head(HEAD)):
        return None
    lines = decoded.text.split("\n")
    at = next((k for k, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    attributes = tuple(_attributes(lines[:at]))
    if at is None or not attributes:
        raise FileError(
            "The file begins like ARFF and lacks a line '@attribute name type', or the line "
            "'@data' above its rows. Add it, or bring the table as CSV."
        )
    _check_size(lines[at + 1 :], attributes, bounds)
    bare = [_WEIGHT.sub("", line) for line in lines[at + 1 :]]
    weighted = sum(cut != line for cut, line in zip(bare, lines[at + 1 :], strict=True))
    names = ",".join(_quoted(attribute.name) for attribute in attributes)
    text = "\n".join([*[""] * at, names, *(_row(line, attributes) for line in bare)])
    notes = (*decoded.notes, *_of_weights(weighted))
    how = replace(decisions, **WRITTEN)
    return Declared(replace(decoded, utf8=text.encode(), notes=notes), how, attributes)


def _is_arff(head: str) -> bool:
    """Whether the first line that is no comment declares a relation or an attribute."""
    lines = (line.strip().lower() for line in head.split("\n"))
    first = next((line for line in lines if line and not line.startswith("%")), "")
    return first.startswith(("@relation", "@attribute"))


def _check_size(lines: list[str], attributes: tuple[Attribute, ...], bounds: Bounds) -> None:
    """Refuse rows that say little and mean more than can be written out."""
    bounds.check_columns(len(attributes))
    sparse = sum(line.lstrip().startswith("{") for line in lines)
    bounds.check_cells(sparse, len(attributes))
    bounds.check_unpacked(sparse * sum(len(attribute.unsaid) + 1 for attribute in attributes))


def _of_weights(weighted: int) -> tuple[Note, ...]:
    if not weighted:
        return ()
    rows = count(weighted, "row")
    return (Note(f"Weights in braces stand at the end of {rows}; they were left out."),)


def _attributes(lines: list[str]) -> Iterator[Attribute]:
    for line in lines:
        if match := _DECLARED.match(line.strip()):
            kind = match[2].strip()
            levels = tuple(map(_bare, _WORDS.findall(kind))) if kind.startswith("{") else ()
            yield Attribute(_bare(match[1]), levels)


def _row(line: str, attributes: tuple[Attribute, ...]) -> str:
    """A line of data as one of CSV; comments become empty, for lines keep their numbers."""
    if "," in line and not _SPECIAL.search(line):
        return line
    bare = line.strip()
    if bare.startswith("%"):
        return ""
    if bare.startswith("{") and bare.endswith("}"):
        return _sparse(bare, attributes)
    return ",".join(_quoted(cell) for cell in _cells(bare))


def _cells(line: str) -> list[str]:
    """The cells between commas or, where none stand, between blanks."""
    if "," not in line:
        return [_bare(word) for word in _WORDS.findall(line)]
    cells, at, mark = [], 0, ","
    while mark and (match := _CELL.match(line, at)):
        cells.append(_bare(match[1].strip()))
        at, mark = match.end(), match[2]
    return cells


def _sparse(line: str, attributes: tuple[Attribute, ...]) -> str:
    """A row that says only some of its values, each behind the number of its column from 0."""
    values = {int(at): _bare(word) for at, word in _PAIRS.findall(line)}
    is_more = set(_PAIRS.sub("", line)) - set("{}, \t")
    if is_more or max(values, default=0) >= len(attributes):
        return _quoted(line)  # what has no place in the table is reported as a row of one cell
    return ",".join(
        _quoted(values.get(k, attribute.unsaid)) for k, attribute in enumerate(attributes)
    )


def _bare(word: str) -> str:
    """A word without its quotation marks and backslashes."""
    if word[:1] in "'\"" and len(word) > 1 and word[-1] == word[0]:
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"') else cell
