"""Files that ask for more than they hold, and damaged ones, end in a sentence; nothing is made of
what they declare before it is counted."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlcore.data.importing import Bounds, read
from mlcore.spine.errors import FileError, MlcoreError
from tests.data import hostile

ROOT = Path(__file__).parents[3]
ROOM = 3 * 2**29  # bytes of addresses: the libraries alone take a part of them
MERGED = '<mergeCells><mergeCell ref="{}"/></mergeCells>'
FAR = hostile.rows_of(hostile.cell("A1"), hostile.cell("XFD1048576"))
BARE_ROWS = f"<row>{'<c><v>1</v></c>' * 1000}</row>{'<row/>' * 100_000}"
FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "two cells far apart": (lambda: hostile.excel(FAR), "1,048,576 rows of 16,384 cells"),
    "twenty thousand rows": (
        lambda: hostile.excel(hostile.rows_of(hostile.cell("A1"), hostile.cell("XFD20000"))),
        "20,000 rows of 16,384 cells",
    ),
    "cells that do not say where": (
        lambda: hostile.excel(BARE_ROWS + "<row><c><v>1</v></c></row>"),
        "100,002 rows of 1,000 cells",
    ),
    "one text in many cells": (lambda: hostile.shared(1_000_000, 30_000), "unpacks to more than"),
    "rows that repeat": (
        lambda: hostile.open_document(hostile.line(hostile.number(16_384), 1_048_576)),
        "1,048,576 rows of 16,384 cells",
    ),
    "a cell far to the right": (
        lambda: hostile.open_document(
            hostile.line(hostile.number())
            + hostile.line(hostile.empty(4_000_000_000) + hostile.number())
        ),
        "2 rows of 4,000,000,001 cells",
    ),
    "a long text that repeats": (
        lambda: hostile.open_document(
            hostile.line(hostile.number().replace(">1<", f">{'x' * 9000}<"), 200_000)
        ),
        "unpacks to more than",
    ),
    "one number in all rows": (lambda: hostile.one_number(60_000_000), "60,000,000 rows of 1 "),
    "one text in all rows": (lambda: hostile.one_text(1_000_000, 5000), "unpacks to more than"),
    "long lists": (lambda: hostile.lists(100, 600_000), "60,000,000 rows of 1 cells"),
    "sparse rows": (lambda: hostile.sparse(5000, 30_000), "30,000 rows of 5,000 cells"),
    "short rows": (lambda: hostile.short_rows(5000, 30_000), "30,003 rows of 5,000 cells"),
}
READ = """
import resource, sys
from mlcore.data.importing import read
import python_calamine, pyarrow.csv, pyarrow.parquet
from mlcore.spine.errors import FileError
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
try:
    read(open(sys.argv[1], "rb").read())
except FileError as error:
    print(error)
"""


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_declares_is_counted_before_room_is_made_for_it(name, tmp_path):
    make, says = FILES[name]
    path = tmp_path / "file"
    path.write_bytes(make())
    ended = subprocess.run(
        [sys.executable, "-c", READ, str(path), str(ROOM)],
        capture_output=True, text=True, cwd=ROOT, timeout=60, check=False,
    )  # fmt: skip
    assert says in ended.stdout, (ended.returncode, ended.stderr[-500:])
    assert ended.returncode == 0


@pytest.mark.parametrize("says", [None, 1000])
def test_parts_are_refused_by_what_comes_out_of_them_whatever_they_say(says):
    with pytest.raises(FileError, match="unpacks to more than 32 MB"):
        read(hostile.unpacking(40 << 20, said=says), bounds=Bounds(unpacked=32 << 20))


def test_rows_are_refused_by_what_the_end_of_a_parquet_file_says():
    with pytest.raises(FileError, match="has 1,000 rows; this installation takes 999"):
        read(hostile.one_number(1000), bounds=Bounds(rows=999))


def test_what_is_empty_to_the_far_end_of_a_sheet_does_not_count():
    assert read(hostile.small_open_document()).table.n_rows == 8
    assert read(hostile.small_excel()).table.n_rows == 10


@pytest.mark.parametrize("ref", ["A5:A900", "Z1:Z9", "A900:A901", "A1:A1048576"])
def test_merged_cells_outside_the_sheet_are_left_alone(ref):
    rows = "".join(f"<row>{hostile.cell(f'A{r}', r)}{hostile.cell(f'B{r}')}</row>" for r in (1, 2))
    assert read(hostile.excel(rows, MERGED.format(ref))).table.n_rows == 2


def test_cells_that_are_merged_many_times_over_are_refused():
    rows = hostile.rows_of(*(hostile.cell(f"A{r}", r) for r in range(1, 200)))
    merged = "".join(["<mergeCells>", *['<mergeCell ref="A1:A199"/>'] * 500, "</mergeCells>"])
    with pytest.raises(FileError, match="merges some cells many times over"):
        read(hostile.excel(rows, merged))


SEEDS = {
    "excel": hostile.small_excel,
    "open document": hostile.small_open_document,
    "parquet": hostile.small_parquet,
    "arff": lambda: hostile.sparse(4, 20),
}
MUTATIONS = 60


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes with a few changed, left out or doubled, or cut off."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at, length = rng.randrange(len(out)), rng.randrange(1, 9)
        kind = rng.randrange(5)
        if kind < 3:
            out[at] = rng.randrange(256)
        elif kind == 3:
            del out[at : at + length]
        else:
            out[at:at] = out[at : at + length]
    return bytes(out[: rng.randrange(1, len(out))]) if rng.random() < 0.1 else bytes(out)


def said(data: bytes) -> str:
    """The sentence of a file that holds no table, or that it holds one."""
    try:
        read(data, "damaged", bounds=Bounds(unpacked=2**26, cells=10**6, sheet=10**6))
    except MlcoreError as error:
        return str(error)
    return "A table."


@pytest.mark.parametrize("form", SEEDS)
def test_damaged_files_give_a_table_or_a_sentence(form):
    rng, seed = random.Random(form), SEEDS[form]()
    for _ in range(MUTATIONS):
        assert said(mutated(seed, rng)).endswith(".")


@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "content.xml"])
def test_damaged_parts_of_whole_archives_give_a_table_or_a_sentence(part):
    """The sums of an archive hide most damage; here they are those of the damaged part."""
    seed = hostile.small_open_document() if part == "content.xml" else hostile.small_excel()
    rng = random.Random(part)
    for _ in range(MUTATIONS):
        parts = hostile.parts(seed)
        parts[part] = mutated(parts[part], rng)
        assert said(hostile.archive(parts)).endswith(".")
