"""One-hot encoding: a column of 0 and 1 for each level of a column of names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import Met, StepSummary
from mlcore.preparation.step import (
    Encoding,
    StepFit,
    as_number,
    coded,
    holds_names,
    holds_text,
    refuse_width,
)
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, freeze
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer
from mlcore.spine.wording import listed

OTHER = "other levels"  # the column that rare levels share
ROWS = 2_048  # that are written at a time, all columns of them while they are in the cache


@dataclass(frozen=True, eq=False)
class Block:
    """How one column of names is written: a row of 0 and 1 for each of its levels."""

    column: int  # position in X
    table: np.ndarray  # (levels + 1, q); the last row is for a missing value
    names: tuple[str, ...]  # (q,) what each new column stands for
    known: np.ndarray  # (levels + 1,) whether training rows had the level
    own: np.ndarray  # (levels + 1,) whether the row of the table tells which level it was

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self)

    @property
    def width(self) -> int:
        """How many columns it becomes."""
        return self.table.shape[1]


@dataclass(frozen=True, eq=False, kw_only=True)
class OneHotFit(StepFit):
    """The levels of the training rows, and the columns that they become."""

    made_by: OneHot
    blocks: tuple[Block, ...]
    starts: tuple[int, ...]  # first new column of each old one

    def transform(self, X: Any) -> np.ndarray:
        """Rows with one column a level in place of each column of names, shape (m, q)."""
        X = self._rows(X)
        if not self.blocks:
            return X
        out = np.empty((len(X), len(self.out_columns)))
        plain = self._plain()
        out[:, [self.starts[j] for j in plain]] = X[:, plain]
        codes = [self._codes(X, block) for block in self.blocks]
        for start in range(0, len(X), ROWS):
            rows = out[start : start + ROWS]
            for block, known in zip(self.blocks, codes, strict=True):
                at, some = self.starts[block.column], known[start : start + ROWS]
                rows[:, at : at + block.width] = block.table.take(some, axis=0)  # not by an index
        return out

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The level whose row of 0 and 1 is nearest, shape (m, p); NaN for missing and rare."""
        Z = self._prepared_rows(Z)
        X = np.empty((len(Z), self.n_columns))
        plain = self._plain()
        X[:, plain] = Z[:, [self.starts[j] for j in plain]]
        for block in self.blocks:
            at = self.starts[block.column]
            X[:, block.column] = _nearest_level(Z[:, at : at + block.width], block)
        return X

    def summary(self) -> StepSummary:
        """How many columns each column of names became."""
        values = tuple(
            (self.columns[b.column].name, "columns", float(b.width)) for b in self.blocks
        )
        if not self.blocks:
            return StepSummary(self.made_by.title(), (), "No column holds names.")
        unseen = [
            f"{self.columns[b.column].name}={level}"
            for b in self.blocks
            for level, known in zip(self.columns[b.column].levels, b.known[:-1], strict=True)
            if not known
        ]
        note = f"No training row has {listed(unseen)}." if unseen else ""
        return StepSummary(self.made_by.title(), values, note)

    def met(self, X: Any) -> Met | None:
        """Names of levels that no training row has; None where no column holds names."""
        X, who = self._rows(X), self.made_by.title()
        codes = [coded(X[:, b.column], self.columns[b.column], who) for b in self.blocks]
        strange = sum(int((~b.known[at]).sum()) for b, at in zip(self.blocks, codes, strict=True))
        what = "names of levels that no fitted row has"
        return Met(strange, len(X) * len(codes), what) if codes else None

    @property
    def encodings(self) -> tuple[Encoding, ...] | None:
        """The row of 0 and 1 of each level, and of a missing value where training rows had one.

        None where no column holds names.
        """
        return tuple(self._encoding(block) for block in self.blocks) or None

    def _encoding(self, block: Block) -> Encoding:
        column = self.columns[block.column]
        levels = (*column.levels, *(("missing",) if block.known[-1] else ()))
        start = self.starts[block.column]
        names = tuple(c.name for c in self.out_columns[start : start + block.width])
        return Encoding(block.column, levels, names, block.table[: len(levels)])

    def _plain(self) -> list[int]:
        encoded = {block.column for block in self.blocks}
        return [j for j in range(self.n_columns) if j not in encoded]

    def _codes(self, X: np.ndarray, block: Block) -> np.ndarray:
        """The rows of the block's table, shape (m,)."""
        column = self.columns[block.column]
        codes = coded(X[:, block.column], column, self.made_by.title())
        if self.made_by.unknown == "error":
            _refuse_unknown(codes, block, column, self.made_by.title())
        return codes


@enter(
    Card(
        "one_hot",
        "One-hot encoding",
        ("preparation",),
        stage="encode",
        peer="sklearn.preprocessing.OneHotEncoder",
        also=("one_hot_encoder",),
        sources=("cs1:enc_onehot", "cs2:tree_extras"),
        takes=("columns", "missing"),
        cost=lambda n, p, self: (5e-8 * n * p, 40.0 * n * p),
        formula=r"x \mapsto \bigl([x = l_1], \dots, [x = l_L]\bigr)",
        synonyms=(
            "dummy variables",
            "dummy coding",
            "indicator variables",
            "OneHotEncoder",
            "get_dummies",
            "categorical encoding",
        ),
        line="a column a level, exactly one is 1",
    )
)
@dataclass(frozen=True, kw_only=True)
class OneHot(Method):
    """Writes each column of names as one column a level, of which exactly one is 1.

    The levels are those of the training rows. A binary column (two names) becomes one column,
    which is 1 for its second level. Columns of numbers pass as they are; so do ordinal columns,
    whose codes stand in the order of their levels and so can serve as numbers (the step "ordinal"
    gives them other spacings), and texts, whose words another step counts. Rows of 0 stand for a
    level that training did not have.

    What every method that computes with distances or products needs, since a code is a name and
    no quantity. Many levels make many columns: raise `min_count` to let rare ones share one.
    Dropping the first level makes the columns linearly independent beside an intercept, and then
    an unknown level looks like the dropped one. O(n q) for q new columns.
    """

    drop: str = choice(
        "none",
        "none",
        "first",
        "binary",
        doc="Which columns to save: none, the first level of each, or that of nominal columns with "
        "two levels.",
    )
    unknown: str = choice(
        "zeros", "zeros", "error", doc="What a level becomes that no training row has."
    )
    missing: str = choice(
        "level",
        "level",
        "zeros",
        doc="Whether a missing value is a level of its own (if training rows have any) or all 0.",
    )
    min_count: int = integer(
        1,
        low=1,
        soft=(1, 50),
        label="Minimum level frequency",
        doc="Levels with fewer training rows than this share one column.",
    )

    def _fit(self, given: Given) -> OneHotFit:
        blocks = tuple(
            self._block(j, given.X[:, j], column)
            for j, column in enumerate(given.columns)
            if holds_names(column) and not holds_text(column)
        )
        refuse_width(
            sum(block.width for block in blocks),
            f"{self.title()} of {listed([given.columns[b.column].name for b in blocks])}",
            "Raise min_count, or leave out columns whose names hardly repeat.",
        )
        by_column = {block.column: block for block in blocks}
        starts, out = [], []
        for j, column in enumerate(given.columns):
            starts.append(len(out))
            out += _new_columns(column, by_column[j]) if j in by_column else [_plain(column)]
        return OneHotFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(out),
            blocks=blocks,
            starts=tuple(starts),
        )

    def _block(self, j: int, values: np.ndarray, column: Column) -> Block:
        codes = coded(values, column, self.title())
        counts = np.bincount(codes, minlength=len(column.levels) + 1)
        encoded, rare = self._encoded(counts)
        table = np.zeros((len(counts), len(encoded)))
        table[encoded, np.arange(len(encoded))] = 1.0
        names = [*column.levels, "missing"]
        shown = [names[code] for code in encoded]
        if len(rare):
            table = np.column_stack([table, np.zeros(len(table))])
            table[rare, -1] = 1.0
            shown.append(OTHER)
        dropped = self._drops(column, len(shown))
        is_invertible = np.zeros(len(counts), dtype=bool)
        is_invertible[encoded] = True
        return Block(j, table[:, dropped:], tuple(shown[dropped:]), counts > 0, is_invertible)

    def _encoded(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The codes with a column of their own, and those that share one."""
        known = counts > 0
        if self.missing == "zeros":
            known[-1] = False
        rare = known & (counts < self.min_count)
        return np.flatnonzero(known & ~rare), np.flatnonzero(rare)

    def _drops(self, column: Column, width: int) -> int:
        """How many of the first columns are not needed: 0 or 1; one column is always left."""
        if width == 2 and (column.kind == "binary" or self.drop == "binary"):
            return 1
        return int(self.drop == "first" and width > 1)


def _refuse_unknown(codes: np.ndarray, block: Block, column: Column, who: str) -> None:
    strange = ~block.known[codes]
    if not strange.any():
        return
    row = int(np.flatnonzero(strange)[0])
    level = [*column.levels, "a missing value"][codes[row]]
    raise DataError(
        f"{who} met {level!r} in column {column.name}, row {row + 1}, which no training row has. "
        "Set unknown to zeros to let it pass."
    )


def _plain(column: Column) -> Column:
    """A column that passes; names without any level are all missing, hence no names."""
    return as_number(column) if column.kind == "nominal" else column


def _new_columns(column: Column, block: Block) -> list[Column]:
    return [Column(f"{column.name}={name}", "binary", (), column.variable) for name in block.names]


def _nearest_level(Z: np.ndarray, block: Block) -> np.ndarray:
    """The code whose row of the table is nearest to each row of Z; NaN where it tells no level."""
    seen = np.flatnonzero(block.known)
    rows = block.table[seen]
    nearest = seen[((rows**2).sum(axis=1) - 2 * Z @ rows.T).argmin(axis=1)]
    codes = nearest.astype(np.float64)
    codes[~block.own[nearest] | (nearest == len(block.table) - 1)] = np.nan
    return codes
