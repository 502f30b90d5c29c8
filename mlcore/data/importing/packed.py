"""Tables inside an archive of ZIP or gzip."""

from __future__ import annotations

from mlcore.data.importing import archive, workbook
from mlcore.data.importing.bounds import Bounds
from mlcore.data.importing.errors import as_file_error
from mlcore.data.importing.report import CHOSEN, LIKELY, SURE, Decision, Note, told
from mlcore.data.unpacking import Unpacker
from mlcore.spine.errors import FileError
from mlcore.spine.wording import count, listed

GZIP = b"\x1f\x8b"
ADVICE = "Unpack it, and bring the file within."
# How files with a table are called, the likeliest first; others are read where they are alone.
ENDINGS = ("csv", "tsv", "tab", "xlsx", "xls", "ods", "parquet", "arff", "data", "dat", "txt")
NO_ARCHIVE = Decision("file", "", "The file is no archive of several.", SURE)
MOST = 200  # files that are told of
MOST_TRIED = 20  # files that are looked at for a table, where nobody said which


def files(data: bytes) -> tuple[str, ...]:
    """The files of a ZIP that may be tables, those that are called so; of one file, this one."""
    inside = [name for name in sorted(archive.names(data)) if _is_file(name)]
    if len(inside) == 1:
        return tuple(inside)
    called = [name for name in inside if _ending(name) in ENDINGS]
    return tuple(sorted(called, key=lambda name: ENDINGS.index(_ending(name)))[:MOST])


def tried(names: tuple[str, ...], asked: str | None) -> tuple[str, ...]:
    """The files among which the table is looked for: the one that is asked for, or the first.

    Raises FileError where there is none of that name.
    """
    if asked and asked not in names:
        raise FileError(f"The archive has no table {asked!r}; it has {listed(names[:9])}.")
    return (asked,) if asked else names[:MOST_TRIED]


def taken(name: str, names: tuple[str, ...], asked: str | None) -> tuple[Decision, Note]:
    """That this file of the archive was read, and why."""
    if len(names) == 1:
        note = Note(f"The archive holds one file, {told(name)!r}, which was read.")
        return Decision("file", name, "The archive holds one file.", SURE), note
    note = Note(f"The archive holds {count(len(names), 'table')}; {told(name)!r} was read.")
    if asked:
        return Decision("file", name, "You chose it.", CHOSEN), note
    why = f"It is the first of {len(names)} that holds a table."
    return Decision("file", name, why, LIKELY), note


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower()


def gunzipped(data: bytes, bounds: Bounds) -> tuple[bytes, Note] | None:
    """What was packed with gzip, and a note on it; None for any other file.

    Raises FileError if it unpacks to more than a file may have, or is damaged.
    """
    if not data.startswith(GZIP):
        return None
    return _of_gzip(data, bounds), Note("The file was packed with gzip, and was unpacked.")


def is_packed(data: bytes) -> bool:
    """Whether it is an archive itself, and no workbook."""
    is_archive = data.startswith(GZIP) or bool(archive.names(data))
    return is_archive and not workbook.is_workbook(data)


def _is_file(name: str) -> bool:
    """Whether it is no folder and nothing that a system adds of its own."""
    parts = name.split("/")
    return bool(parts[-1]) and "__MACOSX" not in parts and not parts[-1].startswith(".")


def _of_gzip(data: bytes, bounds: Bounds) -> bytes:
    with as_file_error("archive", ADVICE):
        unpacker = Unpacker()
        text = unpacker(data, bounds.file + 1)
        bounds.check_unpacked(len(text) if len(text) <= bounds.file else bounds.unpacked + 1)
        if not unpacker.is_whole:
            raise FileError(f"The archive is cut off. {ADVICE}")
    return text
