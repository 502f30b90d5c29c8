"""A project: the runs of a session with their names and notes, and their tables if wanted, in one
archive without any pickle.

`project.json` says what is there; each table is a file named by its digest, every bit of it as it
was read. Reading runs nothing of the archive, writes nothing to a disk, takes no name of a file
from it, and asks for sizes before it makes room. A run that cannot be read is told and left out.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mlcore.data import stored
from mlcore.data.table import Table
from mlcore.data.upload import ENDING, uploaded
from mlcore.runs.run import from_json
from mlcore.runs.saved import DAMAGED
from mlcore.runs.stamp import versions
from mlcore.spine import codec
from mlcore.spine.errors import FileError, MlcoreError, ParamError

FORMAT = 1  # of the manifest; every format that was ever released is read
MANIFEST, FOLDER = "project.json", "tables/"
MOST_RUNS, MOST_TABLES = 1000, 200
MAX_MANIFEST = 8 * 2**20  # bytes: JSON takes many times its size in memory
MAX_BYTES = 2**30  # of all parts, unpacked
LONGEST_NAME, LONGEST_NOTE = 60, 500  # letters
STATUS = ("done", "stopped", "failed", "running", "interrupted")
ID, DIGEST = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{64}")
PAGE = re.compile(r"[a-z][a-z_]{0,63}|")
END_OF_TIME = 253_402_300_800.0  # the year 10,000, which no calendar of Python knows
MOST_PAIRS = 500
LONGEST_TEXT = 200  # letters of the name of a measure or a method
TOO_MUCH = (
    "This project unpacks to more than {:,} MB, which is too much here. Save it without its "
    "tables, and bring these by themselves."
)
NOT_ONE = "This is no project of MLScope: {why}."


class Score(NamedTuple):
    """The score of a run in one line; of several methods that of the best, named in `of`."""

    title: str
    mean: float
    spread: float
    of: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One run of a session, as its list shows it."""

    id: str  # 32 hexadecimal digits, the same wherever the line goes
    run: Any  # of any kind
    page: str = ""  # where it was looked at; "" where that is not known
    view: Mapping[str, str] | None = None  # pairs of a link
    at: float = 0.0  # seconds since 1970
    status: str = "done"
    score: Score | None = None
    name: str = ""
    note: str = ""

    def plain(self) -> dict[str, Any]:
        """As JSON has it; with the digest of the run, by which its results can be told apart."""
        return {
            "id": self.id,
            "run": json.loads(self.run.to_json()),
            "digest": self.run.digest(),
            "page": self.page,
            "view": dict(self.view or {}),
            "at": self.at,
            "status": self.status,
            "score": _plain_score(self.score) if self.score else None,
            "name": self.name,
            "note": self.note,
        }


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


def lines_of(documents: Any) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """The runs of a manifest, and a sentence for each that cannot be read.

    Raises FileError where they are no list.
    """
    if not isinstance(documents, list) or len(documents) > MOST_RUNS:
        raise FileError(NOT_ONE.format(why=f"its runs are no list of at most {MOST_RUNS:,}"))
    lines: dict[str, Line] = {}
    problems: list[str] = []
    for at, document in enumerate(documents, start=1):
        try:
            line = line_of(document)
            lines.setdefault(line.id, line)
        except MlcoreError as error:
            problems.append(f"Run {at} is left out: {error}")
    return tuple(lines.values()), tuple(problems)


def line_of(document: Any) -> Line:
    """The run that a part of a manifest describes. Raises an MlcoreError where it is damaged."""
    if not isinstance(document, dict):
        raise FileError("It is no run.")
    run = from_json(_text_of(document.get("run")))
    get = _Getter(document)
    score = document.get("score")
    return Line(
        id=get("id", "", ID.fullmatch),
        run=run,
        page=get("page", "", PAGE.fullmatch),
        view=get("view", {}, _is_view),
        at=float(get("at", 0.0, _is_time)),
        status=get("status", "done", STATUS.__contains__),
        score=None if score is None else _score(get("score", [], _is_score)),
        name=get("name", "", lambda text: len(text) <= LONGEST_NAME),
        note=get("note", "", lambda text: len(text) <= LONGEST_NOTE),
    )


class _Getter:
    """Takes values from a document: of the type of their default, and as they have to be."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def __call__(self, name: str, default: Any, is_sound: Callable[[Any], Any]) -> Any:
        value = self._document.get(name, default)
        kind = (int, float) if isinstance(default, float) else type(default)
        if not isinstance(value, kind) or isinstance(value, bool) or not is_sound(value):
            raise FileError(f"Its {name} is damaged.")
        return value


def _text_of(run: Any) -> str:
    try:
        return json.dumps(run)
    except (ValueError, RecursionError):
        raise ParamError("It is nested too deeply.") from None


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
    except (*DAMAGED, NotImplementedError):  # or packed in a way that nobody reads
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


def _is_view(value: Any) -> bool:
    return len(value) <= MOST_PAIRS and all(isinstance(text, str) for text in value.values())


def _is_score(value: Any) -> bool:
    if len(value) != 4 or not isinstance(value[0], str) or not isinstance(value[3], str):
        return False
    numbers = all(type(number) in (int, float, type(None)) for number in value[1:3])
    return numbers and max(len(value[0]), len(value[3])) <= LONGEST_TEXT


def _plain_score(score: Score) -> list[Any]:
    """JSON has no number for what is none, such as the spread of a single fold."""
    numbers = [number if math.isfinite(number) else None for number in score[1:3]]
    return [score.title[:LONGEST_TEXT], *numbers, score.of[:LONGEST_TEXT]]


def _score(value: list[Any]) -> Score:
    mean, spread = (math.nan if number is None else float(number) for number in value[1:3])
    return Score(value[0], mean, spread, value[3])


def _is_time(value: Any) -> bool:
    return 0.0 <= value < END_OF_TIME
