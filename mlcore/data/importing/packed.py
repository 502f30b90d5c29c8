"""One table inside an archive of ZIP or gzip."""

from __future__ import annotations

import zlib

from mlcore.data.importing import archive, workbook
from mlcore.data.importing.bounds import Bounds
from mlcore.data.importing.errors import as_file_error
from mlcore.data.importing.report import Note, told
from mlcore.spine.errors import FileError

GZIP = b"\x1f\x8b"
ADVICE = "Unpack it, and bring the file within."


def unpacked(data: bytes, bounds: Bounds) -> tuple[bytes, Note] | None:
    """What the archive holds, and a note on it; None for any other file, and for several files.

    Raises FileError if it unpacks to more than a file may have, or is damaged.
    """
    if data.startswith(GZIP):
        return _of_gzip(data, bounds), Note("The file was packed with gzip, and was unpacked.")
    inside = [name for name in sorted(archive.names(data)) if _is_file(name)]
    if len(inside) != 1:
        return None
    archive.check(data, bounds)
    note = Note(f"The archive holds one file, {told(inside[0])!r}, which was read.")
    return archive.part(data, inside[0], bounds), note


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
        reader = zlib.decompressobj(wbits=31)
        text = reader.decompress(data, bounds.file + 1)
        bounds.check_unpacked(len(text) if len(text) <= bounds.file else bounds.unpacked + 1)
        if not reader.eof:
            raise FileError(f"The archive is cut off. {ADVICE}")
    return text
