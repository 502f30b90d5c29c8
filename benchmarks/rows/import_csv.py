"""Reading delimited text against readers that find marks and types by themselves, as ours does.

Beside them pandas when it is told both marks and takes every text for a text: less work.
"""

from __future__ import annotations

import io
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from benchmarks import THREADS
from benchmarks.pairs import Pair
from mlcore.data.importing import Imported, read

ROWS = 100_000


@lru_cache
def frame(with_missing: bool) -> pd.DataFrame:
    """12 columns of numbers, 4 of counts, 3 of names, 1 of moments; every tenth cell missing."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"x{j}": rng.normal(size=ROWS).round(4) for j in range(12)}
    columns |= {f"k{j}": rng.integers(0, 1000, ROWS) for j in range(4)}
    columns |= {f"s{j}": rng.choice(["red", "green", "dark blue"], ROWS) for j in range(3)}
    columns["t"] = pd.date_range("2000-01-01", periods=ROWS, freq="h").astype(str)
    table = pd.DataFrame(columns)
    return table.mask(rng.random(table.shape) < 0.1) if with_missing else table


@lru_cache
def text(style: str) -> bytes:
    """The file: plain, with NA for missing values, or with semicolons and decimal commas."""
    if style == "decimal commas":
        return frame(False).to_csv(index=False, sep=";", decimal=",").encode()
    return frame(style == "missing values").to_csv(index=False, na_rep="NA").encode()


@lru_cache
def long_text() -> bytes:
    """The plain file ten times over, 142 MB."""
    names, rows = text("plain").split(b"\n", 1)
    return names + b"\n" + rows * 10


def told(style: str) -> pd.DataFrame:
    """The table by pandas, which is told the marks."""
    sep, decimal = (";", ",") if style == "decimal commas" else (",", ".")
    return pd.read_csv(io.BytesIO(text(style)), sep=sep, decimal=decimal)


def guessed(style: str) -> pd.DataFrame:
    """The table by pandas, which finds the delimiter; then which texts are moments."""
    table = pd.read_csv(io.BytesIO(text(style)), sep=None, engine="python")
    texts = [name for name in table.columns if table[name].dtype.kind not in "if"]
    for name in texts:
        moments = pd.to_datetime(table[name], errors="coerce", format="ISO8601")
        if moments.notna().equals(table[name].notna()):
            table[name] = moments
    return table


@lru_cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@lru_cache
def _file(content: bytes) -> Path:
    place = Path(_folder().name) / f"{len(content)}.csv"
    place.write_bytes(content)
    return place


def sniffed(content: bytes) -> pd.DataFrame:
    """The table by DuckDB, which finds the delimiter and all types, moments too, from a file."""
    with duckdb.connect(config={"threads": THREADS}) as base:
        return base.read_csv(str(_file(content)), na_values="NA").df()


def apart(ours: Imported, other: pd.DataFrame) -> float:
    """The largest difference of a number; infinite where a value is missing in only one."""
    names = [name for name in other.columns if other[name].dtype.kind in "if"]
    a, b = ours.table.matrix(*names), other[names].to_numpy(dtype=float)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    return float(np.nanmax(np.abs(a - b)))


def _pair(style: str, peer: str, theirs: Any) -> Pair:
    return Pair(
        f"import_csv, {style}", peer, f"{ROWS} x 20",
        lambda: read(text(style)), theirs, apart,
    )  # fmt: skip


def _long(peer: str, theirs: Any) -> Pair:
    return Pair(
        "import_csv, a million rows", peer, "1000000 x 20",
        lambda: read(long_text()), theirs, apart,
    )  # fmt: skip


STYLES = ("plain", "missing values", "decimal commas")
PAIRS = [
    *(
        _pair(style, "pandas.read_csv, told the marks", lambda style=style: told(style))
        for style in STYLES
    ),
    *(
        _pair(style, "pandas.read_csv, sep=None, dates", lambda style=style: guessed(style))
        for style in STYLES[:2]
    ),
    *(
        _pair(style, "duckdb.read_csv", lambda style=style: sniffed(text(style)))
        for style in STYLES[:2]
    ),
    _long(
        "pandas.read_csv, engine pyarrow",
        lambda: pd.read_csv(io.BytesIO(long_text()), engine="pyarrow"),
    ),
    _long("duckdb.read_csv", lambda: sniffed(long_text())),
]
