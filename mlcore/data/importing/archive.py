"""The parts of a workbook: an archive that may say little of what it unpacks to."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy

from mlcore.data.importing.bounds import Bounds
from mlcore.data.importing.errors import as_file_error
from mlcore.spine.errors import FileError

BEGIN = b"PK"
PIECE = 1 << 20
AS_CSV = "Save the sheet as CSV and bring that."


def names(data: bytes) -> frozenset[str]:
    """The names of the parts; none of bytes that are no archive."""
    if not data.startswith(BEGIN):
        return frozenset()
    try:
        with _opened(data) as archive:
            return frozenset(archive.namelist())
    except (
        FileError
    ):  # an archive that is damaged or cut off is no workbook, and is reported as such
        return frozenset()


def check(data: bytes, bounds: Bounds) -> None:
    """Refuse parts that are too large: by the sizes that they declare, then by what they unpack to.

    Raises FileError if they are. The declared sizes may be wrong, and a reader would go on.
    """
    with _opened(data) as archive:
        bounds.check_unpacked(sum(part_info.file_size for part_info in archive.infolist()))
        size = 0
        for info in archive.infolist():
            for piece in _pieces(archive, info, bounds):
                size += len(piece)
                bounds.check_unpacked(size)


def part(data: bytes, name: str, bounds: Bounds) -> bytes:
    """The bytes of one part; none if there is no part of that name."""
    if name not in names(data):
        return b""
    with _opened(data) as archive:
        return b"".join(_pieces(archive, archive.getinfo(name), bounds))


@contextmanager
def _opened(data: bytes) -> Iterator[zipfile.ZipFile]:
    with as_file_error("workbook", AS_CSV), zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield archive


def _pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo, bounds: Bounds) -> Iterator[bytes]:
    endless = copy(info)
    endless.file_size = bounds.unpacked + 1  # else reading would stop where the part says it ends
    with archive.open(endless) as part:
        while piece := part.read(PIECE):
            yield piece
