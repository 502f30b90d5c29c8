"""How many files of each habit ours and well-kept readers read right, without being told how.

`pip install duckdb clevercsv charset-normalizer`, then `python -m benchmarks.reading_files`.
The others get the text as charset-normalizer decodes it; encodings alone are judged apart.
"""

from __future__ import annotations

import contextlib
import csv
import io
import tempfile
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mlcore.data.importing import decode, read
from tests.data.habits import adversary, held_out, seen
from tests.data.habits.file import File
from tests.data.habits.judge import cells_of, is_right, is_split_right

# Wanted for the measurement alone, so they are no requirements.
OTHERS = ("duckdb", "clevercsv", "charset_normalizer")


PARTS = {
    "seen": seen.FILES,
    "held out": held_out.FILES,
    "once misread by ours": adversary.FILES,
}


class Cells(NamedTuple):
    """What a reader made of a file."""

    names: list[str]
    rows: list[tuple]


def ours(file: File) -> Cells:
    """The import of this project."""
    names, rows = cells_of(read(file.content, file.name).table)
    return Cells(list(names), rows)


def by_pandas(file: File) -> Cells:
    """`pandas.read_csv` that looks for the delimiter and reads dates where it is sure."""
    text = _decoded(file)
    return _of_frame(pd.read_csv(io.StringIO(text), sep=None, engine="python"))


def by_duckdb(file: File) -> Cells:
    """`read_csv` of DuckDB with everything left to its sniffer."""
    duckdb = import_module("duckdb")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "file.csv"
        path.write_text(_decoded(file), encoding="utf-8", newline="")
        result = duckdb.connect().execute("SELECT * FROM read_csv(?)", [str(path)])
        names = [column[0] for column in result.description]
        return Cells(names, [tuple(map(_plain, row)) for row in result.fetchall()])


def by_clevercsv(file: File) -> Cells:
    """CleverCSV's dialect; whether there is a header is told."""
    clevercsv = import_module("clevercsv")
    text = _decoded(file)
    dialect = clevercsv.Sniffer().sniff(text)
    rows = list(clevercsv.reader(io.StringIO(text), dialect))
    return _under_names(rows, file)


def by_csv(file: File) -> Cells:
    """The dialect of the standard library; whether there is a header is told."""
    text = _decoded(file)
    rows = list(csv.reader(io.StringIO(text, newline=""), csv.Sniffer().sniff(text)))
    return _under_names(rows, file)


READERS: dict[str, Callable[[File], Cells]] = {
    "ours": ours,
    "DuckDB": by_duckdb,
    "pandas": by_pandas,
    "CleverCSV": by_clevercsv,
    "csv.Sniffer": by_csv,
}


def _decoded(file: File) -> str:
    best = import_module("charset_normalizer").from_bytes(file.content).best()
    text = str(best) if best else file.content.decode("latin-1")
    return text.removeprefix("\ufeff")


def _under_names(rows: list[list[str]], file: File) -> Cells:
    rows = [row for row in rows if row]
    has_header = not file.names[0].startswith("column_")
    names = rows[0] if has_header else [f"column_{at + 1}" for at in range(len(rows[0]))]
    return Cells(names, [tuple(row) for row in rows[has_header:]])


def _of_frame(frame: pd.DataFrame) -> Cells:
    rows = [tuple(map(_plain, row)) for row in frame.itertuples(index=False, name=None)]
    return Cells([str(name) for name in frame.columns], rows)


def _plain(value: Any) -> Any:
    """A cell in the form of the corpus."""
    if pd.isna(value):
        return None
    if isinstance(value, bool):
        return str(value)
    if hasattr(value, "isoformat"):
        text = value.isoformat()
        return text.removesuffix("T00:00:00") if "+" not in text else text[: text.index("+")]
    return value if isinstance(value, str) else float(value)


def encoding_is_right(file: File, text: str) -> bool:
    """Whether the text is that of the file, whatever the name of the encoding."""
    right = file.content.decode(file.encoding).removeprefix("\ufeff")
    return text.split() == right.split()


def counts(judge: Callable[[File, Any, Any], bool], files: list[File]) -> dict[str, list[int]]:
    """Right files of each reader by habit, in the order of READERS, and at the end all."""
    table: dict[str, list[int]] = {}
    for file in files:
        row = table.setdefault(file.kind, [0] * (len(READERS) + 1))
        for at, reader in enumerate(READERS.values()):
            cells = _tried(reader, file)
            row[at] += cells is not None and judge(file, cells.names, cells.rows)
        row[-1] += 1
    return table


def _tried(reader: Callable[[File], Cells], file: File) -> Cells | None:
    """What it reads; None where it gives up, in whatever way a library does that."""
    # The others write their doubts to the screen, which are many here.
    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return reader(file)
        except Exception:  # noqa: BLE001  # each library gives up by errors of its own
            return None


def _printed(title: str, table: dict[str, list[int]]) -> None:
    print(f"\n{title}\n\n| habit | files | {' | '.join(READERS)} |")
    print("| --- " * (len(READERS) + 2) + "|")
    for habit, row in table.items():
        print(f"| {habit} | {row[-1]} | {' | '.join(map(str, row[:-1]))} |")
    sums = [sum(column) for column in zip(*table.values(), strict=True)]
    print(f"| all | {sums[-1]} | {' | '.join(map(str, sums[:-1]))} |")


def main() -> None:
    """Print a table for each part of the files."""
    for name in OTHERS:
        import_module(name)  # a reader that is not here must not look like one that fails
    for part, files in PARTS.items():
        _printed(f"Cells right, values aside, {part}", counts(is_split_right, files))
        _printed(f"Names, cells and values right, {part}", counts(is_right, files))
        coded = [file for file in files if file.kind == "encodings"]
        mine = sum(encoding_is_right(f, decode.decode(f.content, None).text) for f in coded)
        theirs = sum(encoding_is_right(f, _decoded(f)) for f in coded)
        print(f"\nEncodings, {part}: {len(coded)} files, ours {mine}, charset-normalizer {theirs}")


if __name__ == "__main__":
    main()
