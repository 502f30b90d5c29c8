"""Reading delimited text against pandas, whose reader is told the marks that ours finds."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

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


def theirs(style: str) -> pd.DataFrame:
    """The table by pandas."""
    sep, decimal = (";", ",") if style == "decimal commas" else (",", ".")
    return pd.read_csv(io.BytesIO(text(style)), sep=sep, decimal=decimal)


def apart(ours: Imported, other: pd.DataFrame) -> float:
    """The largest difference of a number; infinite where a value is missing in only one."""
    names = [name for name in other if other[name].dtype.kind in "if"]
    a, b = ours.table.matrix(*names), other[names].to_numpy(dtype=float)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    return float(np.nanmax(np.abs(a - b)))


PAIRS = [
    Pair(
        f"import_csv, {style}",
        "pandas.read_csv",
        f"{ROWS} x 20",
        lambda style=style: read(text(style)),
        lambda style=style: theirs(style),
        apart,
    )
    for style in ("plain", "missing values", "decimal commas")
] + [
    Pair(
        "import_csv, a million rows",
        "pandas.read_csv, engine pyarrow",
        "1000000 x 20",
        lambda: read(long_text()),
        lambda: pd.read_csv(io.BytesIO(long_text()), engine="pyarrow"),
        apart,
    )
]
