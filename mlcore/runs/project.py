"""A project: the runs of a session with their names and notes, and their tables if wanted, in one
archive without any pickle.

`project.json` says what is there; each table is a file named by its digest, every bit of it as it
was read. Reading runs nothing of the archive, writes nothing to a disk, takes no name of a file
from it, and asks for sizes before it makes room. A run that cannot be read is told and left out.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from mlcore.data import stored
from mlcore.data.table import Table
from mlcore.data.upload import ENDING, uploaded
from mlcore.runs.project_lines import MOST_RUNS, NOT_ONE, Line, lines_of
from mlcore.runs.run import from_json, is_writable
from mlcore.runs.saved import DAMAGED
from mlcore.runs.stamp import versions
from mlcore.spine import codec
from mlcore.spine.errors import FileError, MlcoreError, ParamError

FORMAT = 1  # of the manifest; every format that was ever released is read
MANIFEST, FOLDER = "project.json", "tables/"
MOST_TABLES = 200
MAX_MANIFEST = 8 * 2**20  # bytes: JSON takes many times its size in memory
MAX_BYTES = 2**30  # of all parts, unpacked
DIGEST = re.compile(r"[0-9a-f]{64}")
TOO_MUCH = (
    "This project unpacks to more than {:,} MB, which is too much here. Save it without its "
    "tables, and bring these by themselves."
)


class Project(NamedTuple):
    """What stands in a project."""

    lines: tuple[Line, ...]  # newest first
    tables: Mapping[str, Table]  # by digest
    problems: tuple[str, ...] = ()  # a sentence for each run that could not be read

    @property
    def needed(self) -> dict[str, str]:
        """The names of the uploaded tables that the runs need, by digest."""
        tables = (uploaded(line.run) for line in self.lines)
        return {digest: it.name for needed in tables for digest, it in needed.items()}


def written(lines: Iterable[Line], tables: Mapping[str, Table]) -> bytes:
    """The archive of these runs, newest first, with these tables, by digest.

    Raises FileError if the runs take more than a project may hold.
    """
    document = {
        "mlscope": "project",
        "v": FORMAT,
        "made with": dict(versions()),
        "runs": [line.plain() for line in lines],
        "tables": [
            {"digest": digest, "rows": table.n_rows, "columns": len(table.names)}
            for digest, table in tables.items()
        ],
    }
    text = json.dumps(document, allow_nan=False).encode()
    if len(text) > MAX_MANIFEST or len(document["runs"]) > MOST_RUNS:
        raise FileError(
            f"A project holds at most {MOST_RUNS:,} runs that take {MAX_MANIFEST // 2**20} MB "
            "together. Remove runs from the list, those on drawn points first."
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(MANIFEST, text, zipfile.ZIP_DEFLATED)
        for digest, table in tables.items():  # which are packed already
            archive.writestr(_part(digest), stored.to_bytes(table))
    return out.getvalue()


def read(content: bytes, most: int = MAX_BYTES, rows: int | None = None) -> Project:
    """The project in the bytes of a file, or a single run that was saved as JSON.

    Parts may unpack to `most` bytes, tables have so many `rows`. Raises FileError for other bytes.
    """
    if content.lstrip()[:1] == b"{":
        return _single(content)
    parts = _parts(content, most)
    document = _document(parts[MANIFEST])
    lines, problems = lines_of(document["runs"])
    tables: dict[str, Table] = {}
    for digest in _digests(document):
        tables[digest] = _table(digest, parts.get(_part(digest)), rows)
        if sum(map(stored.size, tables.values())) > most:
            raise FileError(TOO_MUCH.format(most // 2**20))
    return Project(lines, tables, problems)


def _single(content: bytes) -> Project:
    """A run that was saved alone."""
    try:
        run = from_json(content)
    except UnicodeDecodeError:
        raise FileError("This is not a saved run: it is not written in UTF-8.") from None
    except ParamError as error:
        raise FileError(str(error)) from None
    return Project((Line(id=codec.digest(run)[:32], run=run),), {})


def _parts(content: bytes, most: int) -> dict[str, bytes]:
    """The files of an archive by name; FileError where it is none, or larger than it may be."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_sizes(archive.infolist(), most)
            # No more comes out of a part than it declares, whatever is packed in it.
            return {info.filename: archive.read(info) for info in archive.infolist()}
    except MlcoreError:
        raise
    except DAMAGED:  # or packed in a way that nobody reads
        raise FileError(NOT_ONE.format(why="it is no archive, or a damaged one")) from None


def _check_sizes(parts: list[zipfile.ZipInfo], most: int) -> None:
    """Refuse what would take too much room, by what the parts declare."""
    sizes = {info.filename: info.file_size for info in parts}
    if MANIFEST not in sizes:
        raise FileError(NOT_ONE.format(why=f"it has no {MANIFEST}"))
    if len(parts) > MOST_TABLES + 1 or len(sizes) < len(parts):
        why = f"it has more than {MOST_TABLES} tables, or two parts of one name"
        raise FileError(NOT_ONE.format(why=why))
    if sizes[MANIFEST] > MAX_MANIFEST:
        raise FileError(f"{MANIFEST} of a project may have at most {MAX_MANIFEST // 2**20} MB.")
    if sum(sizes.values()) > most:
        raise FileError(TOO_MUCH.format(most // 2**20))


def _document(text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise FileError(NOT_ONE.format(why=f"{MANIFEST} cannot be read as JSON")) from None
    if not isinstance(document, dict) or document.get("mlscope") != "project":
        raise FileError(NOT_ONE.format(why=f"{MANIFEST} describes none"))
    version = document.get("v")
    if type(version) is not int or not 1 <= version <= FORMAT:
        raise FileError(
            f"This project was saved by a later release (format {str(version)[:20]!r}; this one "
            f"reads up to {FORMAT}). Update MLScope to open it."
        )
    return {"runs": document.get("runs"), "tables": document.get("tables")}


def _digests(document: dict[str, Any]) -> list[str]:
    """The digests of the tables that a manifest names."""
    tables = document["tables"]
    if not isinstance(tables, list) or len(tables) > MOST_TABLES:
        raise FileError(NOT_ONE.format(why=f"its tables are no list of at most {MOST_TABLES}"))
    digests: list[Any] = [it.get("digest") if isinstance(it, dict) else None for it in tables]
    if not all(isinstance(d, str) and DIGEST.fullmatch(d) for d in digests):
        raise FileError(NOT_ONE.format(why="its tables are not named by their digests"))
    return digests


def _table(digest: str, content: bytes | None, rows: int | None) -> Table:
    if content is None:
        raise FileError(f"This project is damaged: its table {digest[:12]} is not in it.")
    table = stored.from_bytes(content, _check_of(rows))
    if table.digest() != digest:
        raise FileError(f"This project is damaged: its table {digest[:12]} is another one.")
    if not is_writable([(column.name, *column.levels) for column in table.columns]):
        raise FileError(
            f"Table {digest[:12]} of this project holds half of a letter, which nothing can show. "
            "Bring the file itself again."
        )
    return table


def _check_of(rows: int | None) -> Callable[[int, int], None]:
    # Here: the page needs the runs of this module and not the libraries that files are read with.
    from mlcore.data.importing.bounds import Bounds

    bounds = Bounds(rows=rows)

    def check(rows: int, columns: int) -> None:
        bounds.check_columns(columns)
        bounds.check_rows(rows)
        bounds.check_cells(rows, columns)

    return check


def _part(digest: str) -> str:
    return f"{FOLDER}{digest}{ENDING}"
