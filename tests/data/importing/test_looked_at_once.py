"""Cells that are plain are read together, however many differ; only the others one by one."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from mlcore.data import cells, dates
from mlcore.data.importing import read
from mlcore.data.importing.lines import Grammar, records

N = 30_000
FEW = 1500  # looked at one by one: some fifty a question, and what is no plain cell
# Of the names of a column, and of the cells of N rows that all differ.
COLUMNS: dict[str, Callable[[int], str]] = {
    "numbers": lambda k: f"{k}.5",
    "whole numbers": str,
    "thousands marks": lambda k: f"{k + 1000:,}.25",
    "losses in thousands": lambda k: f"-{k + 1000:,}",
    "decimal commas": lambda k: f"{k},25",
    "days": lambda k: f"{1900 + k // 336:04d}-{k // 28 % 12 + 1:02d}-{k % 28 + 1:02d}",
    "moments": lambda k: f"2020-01-{k % 28 + 1:02d} {k // 28 % 24:02d}:{k // 672 % 60:02d}",
}


@pytest.mark.parametrize("name", COLUMNS)
def test_one_bad_cell_costs_no_second_look_at_the_others(monkeypatch, name):
    looked_at = 0

    def counted(look: Callable) -> Callable:
        def one(*given):
            nonlocal looked_at
            looked_at += 1
            return look(*given)

        return one

    monkeypatch.setattr(cells, "number", counted(cells.number))
    monkeypatch.setattr(dates, "day", counted(dates.day))
    write = COLUMNS[name]
    rows = [f"{write(k)};{k % 3}" for k in range(N)]
    for bad in ("", "soon"):  # only the second is a cell that fails
        rows[N // 2] = f"{bad};1"
        imported = read(("v;k\n" + "\n".join(rows)).encode())
        assert imported.table.n_rows == N
    (note,) = (note for note in imported.report.notes if "but for 1 cell" in note.sentence)
    assert "'soon'" in note.sentence and note.fix == ("missing", (*_missing(imported), "soon"))
    assert 0 < looked_at < FEW


def test_records_are_read_without_a_copy_of_the_text():
    text = "a,b\n" + "1,2\n" * 300_000
    tracemalloc.start()
    try:
        assert sum(1 for _ in records(text, Grammar(","))) == 300_001
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < len(text) / 4


def _missing(imported) -> tuple[str, ...]:
    return imported.report.decisions.missing
