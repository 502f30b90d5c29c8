"""How a file is to be read: each decision is taken from the file unless a person takes it."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase

from mlcore.data.cells import SPACES
from mlcore.data.dates import DATE_ORDERS
from mlcore.spine.errors import ParamError

NO_HEADER = "none"
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1",
    "iso-8859-2", "iso-8859-15", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256",
    "koi8-r", "mac-roman", "cp437", "cp850", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr",
)  # fmt: skip
DELIMITERS = (",", ";", "\t", "|", " ")
RARE_DELIMITERS = ("^", "~", "\x1f", "\x01", ":")  # tried where none of the others splits
EVEN = "even columns"  # in place of a delimiter: cells stand below each other
ESCAPE = "\\"
DECIMALS = (".", ",")
THOUSANDS = (",", ".", "'", "\u2019", "_", *SPACES)
# Read as a missing value wherever they stand alone in a cell, besides the empty cell ...
MISSING = (
    "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "?",
    "#NULL!", "#DIV/0!", "#DIV/0", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NA", "#NV", "#WERT!",
    "#ZAHL!", "#BEZUG!", "#VALEUR!", "#NOMBRE!", "\\N", "(null)", "<null>", "<NULL>", "[NULL]",
    "NaT", "-nan", "-NaN", "1.#QNAN", "-1.#IND", "1.#IND",
)  # fmt: skip
# ... and these, in capitals too, only in a column of numbers or dates, where they cannot be a name.
MISSING_AMONG_NUMBERS = frozenset((
    "-", "--", "---", "–", "—", ".", "..", "...", "*", ":", "??", "???", "na", "n.a.", "none",
    "nil", "missing", "unknown", "undefined", "not available", "not applicable", "(blank)", "n/d",
    "nd", "n.d.", "k.a.", "k. a.", "keine angabe", "unbekannt", "fehlt", "inconnu", "s/d",
    "0000-00-00", "0000-00-00 00:00:00", *(f".{letter}" for letter in ascii_lowercase),
))  # fmt: skip


def is_missing_among_numbers(text: str) -> bool:
    """Whether the text means a missing value where numbers or dates stand."""
    # Whoever says that NA is no missing value means it everywhere.
    return text.lower() in MISSING_AMONG_NUMBERS and text not in MISSING


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """How to read a file. None leaves a decision to the import.

    file: the name of one in an archive; sheet: the name of one in a workbook; encoding: "utf-8",
    "cp1252" ...; delimiter: one character, or "even columns" where cells stand below each other;
    quote: one character, "" for none; escape: "\\" where it stands before a quotation mark within a
    cell, "" for none; decimal: "." or ","; thousands: a mark, "" for none; header: the number of
    the record that holds the names (0 is the first after `skip` lines and comments), "none" if no
    record does; header_rows: how many records hold the names, those below the first being units or
    parts of groups; missing: texts read as missing values, besides the empty cell; date_order: dmy,
    mdy, or ymd to read only dates with the year first; skip: lines before the table; footer: lines
    below it that belong to no row; comment: how lines begin that are left out, "" for none;
    unclosed: lines, from 1, in which a quotation mark that opens a cell is left out; inner: lines,
    from 1, in which quotation marks between the letters of a quoted cell are letters too; left_out:
    lines, from 1, that are no rows, such as totals; texts: names of columns that are kept as they
    are written, plain numbers aside; alike: names of columns in which spellings of a word are one
    level; all_values: names of columns in which only empty cells are missing values.
    """

    file: str | None = None
    sheet: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: int | str | None = None
    header_rows: int | None = None
    missing: tuple[str, ...] | None = None
    date_order: str | None = None
    skip: int | None = None
    footer: int | None = None
    comment: str | None = None
    unclosed: tuple[int, ...] | None = None
    inner: tuple[int, ...] | None = None
    left_out: tuple[int, ...] | None = None
    texts: tuple[str, ...] | None = None
    alike: tuple[str, ...] | None = None
    all_values: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name, problem in _problems(self):
            raise ParamError(f"How to read the file: {name} {problem}.")


def _problems(d: Decisions) -> list[tuple[str, str]]:
    """What is wrong, as pairs of a name and the end of a sentence."""
    checks = {
        "file": d.file is None or isinstance(d.file, str),
        "sheet": d.sheet is None or isinstance(d.sheet, str),
        "encoding": d.encoding in (None, *ENCODINGS),
        "delimiter": d.delimiter in (None, EVEN)
        or (_is_mark(d.delimiter) and d.delimiter not in "\"'"),
        "quote": d.quote in (None, "") or _is_mark(d.quote),
        "decimal": d.decimal in (None, *DECIMALS),
        "thousands": d.thousands in (None, "", *THOUSANDS),
        "escape": d.escape in (None, "", ESCAPE),
        "header_rows": d.header_rows is None or (_is_count(d.header_rows) and d.header_rows > 0),
        "footer": d.footer is None or _is_count(d.footer),
        "header": d.header in (None, NO_HEADER) or _is_count(d.header),
        "date_order": d.date_order in (None, *DATE_ORDERS),
        "skip": d.skip is None or _is_count(d.skip),
        "comment": d.comment is None or (isinstance(d.comment, str) and "\n" not in d.comment),
        "missing": _are_texts(d.missing),
        "unclosed": _are_lines(d.unclosed),
        "inner": _are_lines(d.inner),
        "left_out": _are_lines(d.left_out),
        "texts": _are_texts(d.texts),
        "alike": _are_texts(d.alike),
        "all_values": _are_texts(d.all_values),
    }
    musts = {
        "file": "must be the name of a file in the archive",
        "sheet": "must be the name of a sheet",
        "encoding": f"must be one of {', '.join(ENCODINGS)}",
        "delimiter": "must be one character such as , or ; and no quotation mark, or even columns",
        "quote": "must be a single character, or empty for none",
        "decimal": "must be . or ,",
        "thousands": "must be one of , . ' _ or a space, or empty for none",
        "escape": "must be a backslash, or empty for none",
        "header_rows": "must be a number of records, at least 1",
        "footer": "must be a number of lines, at least 0",
        "header": "must be the number of a record, from 0, or none",
        "date_order": "must be dmy, mdy or ymd",
        "skip": "must be a number of lines, at least 0",
        "comment": "must be the text with which such a line begins, or empty for none",
        "missing": "must be a tuple of texts",
        "unclosed": "must be a tuple of lines, from 1",
        "inner": "must be a tuple of lines, from 1",
        "left_out": "must be a tuple of lines, from 1",
        "texts": "must be a tuple of names of columns",
        "alike": "must be a tuple of names of columns",
        "all_values": "must be a tuple of names of columns",
    }
    wrong = [
        (name, f"{musts[name]}; got {getattr(d, name)!r}") for name in musts if not checks[name]
    ]
    return wrong + _collisions(d)


def _collisions(d: Decisions) -> list[tuple[str, str]]:
    pairs = (("delimiter", "quote"), ("decimal", "thousands"))
    return [
        (first, f"and {second} must differ; both are {getattr(d, first)!r}")
        for first, second in pairs
        if getattr(d, first) and getattr(d, first) == getattr(d, second)
    ]


def _is_mark(text: object) -> bool:
    """One character that the parsers take, and that ends no line."""
    return isinstance(text, str) and len(text) == 1 and text.isascii() and text not in "\r\n\0"


def _are_texts(value: object) -> bool:
    is_tuple = isinstance(value, tuple) and all(isinstance(text, str) for text in value)
    return value is None or is_tuple


def _are_lines(value: object) -> bool:
    is_tuple = isinstance(value, tuple) and all(_is_count(line) and line > 0 for line in value)
    return value is None or is_tuple


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
