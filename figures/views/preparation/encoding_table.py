"""Which numbers the levels of columns of names become."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import empty
from figures.names import cut_apart
from figures.theme import SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.capabilities import Encodes
from mlcore.preparation.step import Encoding
from mlcore.runs.carry import FoldResult, Outcome
from mlcore.spine.asking import can
from mlcore.spine.fit import Column
from mlcore.spine.wording import count, listed

MOST_LEVELS, MOST_COLUMNS = 40, 30
ROW, ROOM = 24, 130  # pixels a level, and around them
LETTERS = 28  # of a level at the left
LETTERS_ABOVE = 20  # of a column: on a phone its name stands upright


class Encoded(NamedTuple):
    """Levels down, new columns across; NaN where a column is of another variable."""

    variables: tuple[str, ...]  # (L,) of each level
    levels: tuple[str, ...]  # (L,)
    counts: np.ndarray  # (L,) rows
    unknown: np.ndarray  # (L,) test rows in folds whose training rows have none
    names: tuple[str, ...]  # (q,)
    numbers: np.ndarray  # (L, q)


@view(
    "encoding_table",
    title="Category encoding",
    of_step=Encodes,
    sources=("cs1:enc_onehot", "cs1:enc_ordinal"),
    synonyms=("one-hot encoding", "target encoding"),
)
def encoding_table(dataset: Dataset, outcome: Outcome, *, stage: int | None = None) -> View:
    """The numbers of each level, its rows, and in how many of them a fold met it unlearned."""
    note = "encoded on all rows; each fold encodes anew"
    return joined(numbers(dataset, outcome, stage=stage), draw, reading, table, note=note)


def numbers(dataset: Dataset, outcome: Outcome, *, stage: int | None = None) -> Encoded:
    """Of one step, from 1, or of every step that encodes, column by column."""
    prepared, encodings = outcome.whole.prepared, []
    for step, fit in enumerate(prepared.fits):
        if can(fit, Encodes) and stage in (None, step + 1):
            X = prepared.transform(dataset.X, step)
            for each in fit.encodings:
                column = fit.columns[each.column]
                encodings.append((each, column.name, _codes(X[:, each.column], each, column)))
    counts = [_counts(codes, len(each.levels)) for each, _, codes in encodings]
    unknown = [_unknown(codes, len(each.levels), outcome.done) for each, _, codes in encodings]
    return Encoded(
        tuple(name for each, name, _ in encodings for _ in each.levels),
        tuple(level for each, _, _ in encodings for level in each.levels),
        np.concatenate(counts) if counts else np.zeros(0, dtype=np.int64),
        np.concatenate(unknown) if unknown else np.zeros(0, dtype=np.int64),
        tuple(name for each, _, _ in encodings for name in each.names),
        _blocks([each.numbers for each, _, _ in encodings]),
    )


def _codes(values: np.ndarray, encoding: Encoding, column: Column) -> np.ndarray:
    """The position of each row's level, shape (n,); -1 for a missing value without one."""
    missing = len(column.levels) if len(encoding.levels) > len(column.levels) else -1
    return np.where(np.isnan(values), missing, values).astype(np.int64)


def _counts(codes: np.ndarray, n_levels: int) -> np.ndarray:
    return np.bincount(codes[codes >= 0], minlength=n_levels)


def _unknown(codes: np.ndarray, n_levels: int, folds: tuple[FoldResult, ...]) -> np.ndarray:
    """Rows left out of each level that the training rows of their fold do not have."""
    unknown = np.zeros(n_levels, dtype=np.int64)
    for fold in folds:
        learned, met = (_counts(codes[at], n_levels) for at in (fold.train, fold.test))
        unknown += np.where(learned == 0, met, 0)
    return unknown


def _blocks(parts: list[np.ndarray]) -> np.ndarray:
    """The tables along a diagonal, NaN elsewhere."""
    sizes = np.array([part.shape for part in parts], dtype=np.int64).reshape(-1, 2)
    whole = np.full(sizes.sum(axis=0), np.nan)
    for part, (row, col) in zip(parts, sizes.cumsum(axis=0) - sizes, strict=True):
        whole[row : row + part.shape[0], col : col + part.shape[1]] = part
    return whole


def draw(e: Encoded) -> go.Figure:
    """A line a level with its numbers, as strong as they are large; nothing for other variables."""
    if not e.levels:
        return empty("No step of the preparation encodes names.", ROOM + 3 * ROW)
    Z = e.numbers[:MOST_LEVELS, :MOST_COLUMNS]
    levels, names = e.levels[:MOST_LEVELS], e.names[:MOST_COLUMNS]
    heat = go.Heatmap(
        z=np.abs(Z),
        x=list(range(len(names))),
        y=list(range(len(levels))),
        zmin=0,
        zmax=max(float(np.nanmax(np.abs(Z))), 1.0),
        colorscale=SHARES,
        showscale=False,
        xgap=2,
        ygap=2,
        text=[["" if np.isnan(z) else f"{z:.4g}" for z in line] for line in Z],
        texttemplate="%{text}",
        hovertemplate="%{x}: %{text}<extra>%{y}</extra>",
    )
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    whole = [f"{variable}: {level}" for variable, level in zip(e.variables, levels, strict=False)]
    texts = [
        f"{text} ({count(int(n), 'row')})"
        for text, n in zip(cut_apart(whole, LETTERS), e.counts, strict=False)
    ]
    return figure(
        heat,
        height=ROOM + ROW * len(levels),
        xaxis=plain
        | {"side": "top", "tickvals": list(range(len(names)))}
        | {"ticktext": cut_apart(names, LETTERS_ABOVE)},
        yaxis=plain
        | {"autorange": "reversed", "tickvals": list(range(len(levels))), "ticktext": texts},
    )


def reading(e: Encoded) -> str:
    """How many levels became how many columns, the rarest, and what folds met unprepared."""
    if not e.levels:
        return "No step of the preparation encodes names."
    rarest = int(e.counts.argmin())
    text = (
        f"{count(len(e.levels), 'level')} of "
        f"{count(len(set(e.variables)), 'column')} became "
        f"{count(len(e.names), 'column')}. Rarest: {_level(e, rarest)} in "
        f"{count(int(e.counts[rarest]), 'row')}."
    )
    strange = [_level(e, int(k)) for k in np.flatnonzero(e.unknown)]
    if strange:
        rows = count(int(e.unknown.sum()), "row")
        text += f" Without any fitted row in some fold, met in {rows} left out: {listed(strange)}."
    if len(e.levels) > MOST_LEVELS or len(e.names) > MOST_COLUMNS:
        text += (
            f" {min(len(e.levels), MOST_LEVELS)} levels and "
            f"{min(len(e.names), MOST_COLUMNS)} columns are drawn."
        )
    return text


def _level(e: Encoded, k: int) -> str:
    return f"{e.variables[k]}: {e.levels[k]}"


def table(e: Encoded) -> tuple[TableColumn, ...]:
    """One line a level: what it became, how many rows have it."""
    became = [
        ", ".join(
            f"{name} = {z:g}" for name, z in zip(e.names, line, strict=True) if z and z == z
        )  # a zero says nothing here
        for line in e.numbers
    ]
    return (
        TableColumn("column", e.variables),
        TableColumn("level", e.levels),
        TableColumn("becomes", became),
        TableColumn("rows", e.counts),
        TableColumn("rows met unlearned", e.unknown),
    )
