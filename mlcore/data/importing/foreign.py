"""Files that hold no table of text, recognised by how they begin, and what to do with each."""

from __future__ import annotations

import re

from mlcore.spine.errors import FileError

UNPACK = "Unpack it, and bring the file within."
EXPORT = "Export the table as CSV, and bring that."
TABLE = "Bring the table itself, as CSV."
# The first bytes, what has them, and what to do.
BYTES = (
    (b"PK\x03\x04", "a ZIP archive without a workbook in it", UNPACK),
    (b"\x1f\x8b", "a gzip archive", UNPACK),
    (b"BZh", "a bzip2 archive", UNPACK),
    (b"\xfd7zXZ\x00", "an xz archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!", "a RAR archive", UNPACK),
    (b"%PDF", "a PDF", EXPORT),
    (b"\x89PNG", "a picture", TABLE),
    (b"\xff\xd8\xff", "a picture", TABLE),
    (b"GIF8", "a picture", TABLE),
    (b"SQLite format 3", "a database of SQLite", EXPORT),
    (b"\x89HDF", "a file of HDF5", EXPORT),
    (b"$FL2", "a file of SPSS", EXPORT),
    (b"<stata_dta>", "a file of Stata", EXPORT),
    (b"MATLAB 5.0", "a file of MATLAB", EXPORT),
    (b"RDX", "a file of R", EXPORT),
    (b"ARROW1", "a file of Arrow", "Write it as Parquet, and bring that."),
    (b"\x93NUMPY", "an array of NumPy", "Write it as CSV, and bring that."),
    (b"\x80\x04\x95", "a pickle, which may run code and is never opened here",
     "Write it as Parquet or CSV, and bring that."),
)  # fmt: skip
# The same of text, blanks at the beginning and capitals aside.
WORDS = (
    (r"<(?:!doctype html|html|head|body|table)\b", "a web page",
     "Open it in a spreadsheet program, and save the table as CSV."),
    (r"<(?:\?xml|svg)\b", "XML", EXPORT),
    (r'\{\s*"|\[\s*(?:[\[{"]|-?[0-9][0-9.e+-]*\s*,)', "JSON",
     "Write it as a table with a line of names, and bring that."),
    (r"\{\\rtf", "a document", EXPORT),
    (r"version https://git-lfs", "a pointer to a file kept elsewhere", "Bring the file itself."),
)  # fmt: skip
_BEGINS = tuple((re.compile(begin, re.IGNORECASE), *words) for begin, *words in WORDS)


def check_bytes(data: bytes) -> None:
    """Refuse bytes that are no text: raises FileError, with what they are."""
    for begin, what, advice in BYTES:
        if data.startswith(begin):
            raise _refused(what, advice)


def check_text(head: str) -> None:
    """Refuse text that is no table: raises FileError, with what it is."""
    begin = head.lstrip()
    for pattern, what, advice in _BEGINS:
        if pattern.match(begin):
            raise _refused(what, advice)


def _refused(what: str, advice: str) -> FileError:
    return FileError(f"This is no table of text but {what}. {advice}")
