"""Any step for some columns alone; the others pass as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mlcore.preparation.chain import Met, StepSummary
from mlcore.preparation.step import StepFit
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import Announces, Inverts, Resamples
from mlcore.spine.capabilities_of_sums import MixesColumns
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.method import Given, Method
from mlcore.spine.outer import OuterFit, where_inner
from mlcore.spine.params import columns, flag, part
from mlcore.spine.wording import listed


@dataclass(frozen=True, eq=False, kw_only=True)
class SomeColumnsFit(OuterFit, StepFit):
    """The step fitted to its columns, and where each column comes out."""

    inner: StepFit
    at: np.ndarray  # positions of the columns of the step
    passed: np.ndarray  # positions of the others
    places: np.ndarray  # (q,) which of those that pass, then those that are made, stands where

    def transform(self, X: Any) -> np.ndarray:
        """The others as they are, beside what the step makes of its own, shape (m, q)."""
        X = self._rows(X)
        # The step transforms: who has it asked.
        made = self.inner.transform(X[:, self.at])  # pyrefly: ignore[missing-attribute]
        return np.ascontiguousarray(np.hstack([X[:, self.passed], made])[:, self.places])

    def summary(self) -> StepSummary:
        """What the step learned of its columns."""
        inner = self.inner.summary()
        names = listed([column.name for column in self.inner.columns])
        note = f"{inner.step}, of {names}."
        return StepSummary(self.made_by.title(), inner.values, f"{note} {inner.note}".strip())

    def met(self, X: Any) -> Met | None:
        """What the step meets in its columns."""
        return self.inner.met(self._rows(X)[:, self.at])

    def reading(self, texts: Mapping[str, tuple[str, ...]]) -> Self:
        """The same for rows of these texts, by variable; the step inside reads them too."""
        return replace(super().reading(texts), inner=self.inner.reading(texts))

    @where_inner(Inverts)
    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows reconstructed from what the step made of them, shape (m, p)."""
        together = np.empty((len(Z), len(self.places)))
        together[:, self.places] = self._prepared_rows(Z)
        X = np.empty((len(Z), self.n_columns))
        X[:, self.passed] = together[:, : len(self.passed)]
        made = together[:, len(self.passed) :]
        # As the step does.
        X[:, self.at] = self.inner.inverse_transform(made)  # pyrefly: ignore[missing-attribute]
        return X


def _cost(n: int, p: int, step: SomeColumns) -> tuple[float, float]:
    cost = step.step.card.cost
    seconds, size = cost(n, p, step.step) if cost else (1e-3, 16.0 * n * p)
    return seconds + 1e-8 * n * p, size + 16.0 * n * p


@enter(
    Card(
        "some_columns",
        "Column transformer",
        ("preparation",),
        also=("column_transformer",),
        sources=("cs1:attribute_typing", "cs1:scale_pipeline"),
        takes=("columns", "missing", "target", "groups"),
        random=True,
        cost=_cost,
        formula=r"(x_A, x_B) \mapsto \bigl(t(x_A), x_B\bigr)",
        synonyms=("ColumnTransformer", "column selector", "make_column_transformer"),
        line="a step on the columns that are named",
    )
)
@dataclass(frozen=True, kw_only=True)
class SomeColumns(Method):
    """Carries out a step on the columns that are named, and lets the others pass.

    $(x_A, x_B) \\mapsto (t(x_A), x_B)$, t learned from the training values of the columns A alone.
    Columns are named as in the table, those of the step or all others: whatever was made of a
    column before, such as a block of 0 and 1, belongs to it. Where the step keeps its columns they
    stay in their places, else what it makes stands behind the others.

    For a table whose columns need different treatment: a logarithm or bins for one, quantiles for
    another, a whitening of those that belong together. Columns named here and dropped by an earlier
    step are missed, and said so. The cost is that of the step.
    """

    names: tuple[str, ...] = columns(
        (), label="Columns", doc="Columns of the table that the step is for; none named: all."
    )
    all_but: bool = flag(
        False, label="All but these",
        doc="Whether the step is for all columns but those named, which pass as they are.",
    )  # fmt: skip
    step: Any = part(
        "standardise", slot="preparation", label="Step", doc="What is done to these columns."
    )

    @property
    def mixes_columns(self) -> bool:
        """As the step inside."""
        return isinstance(self.step, MixesColumns) and self.step.mixes_columns

    def conflict(self) -> str | None:
        """A step that changes rows has no columns of its own."""
        if promises(self.step, Resamples):
            return (
                f"A step that changes rows, such as {self.step.title().lower()}, cannot be for "
                "some columns alone. Add it as a step of its own."
            )
        return None

    def fit_class(self) -> type[SomeColumnsFit]:
        """The class of fit, with an inverse where the step has one."""
        return SomeColumnsFit.around(self.step)

    def announced(self, n: int, d: int) -> str:
        """What the step inside says of its cost for n rows of d columns, a few words, or ""."""
        known = isinstance(self.step, Announces)
        return self.step.announced(n, len(self.names) or d) if known else ""

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        return self.step._target(y, n) if "target" in self.step.card.takes else (None, None)

    def _fit(self, given: Given) -> SomeColumnsFit:
        is_selected = np.array([self._is_selected(column) for column in given.columns])
        at, passed = np.flatnonzero(is_selected), np.flatnonzero(~is_selected)
        inner = self._inner(given, at)
        out = _with_unique_names(inner.out_columns, tuple(given.columns[j] for j in passed))
        stays = [c.variable for c in out] == [given.columns[j].variable for j in at]
        order = np.concatenate([passed, at if stays else given.p + np.arange(len(out))])
        places = np.argsort(order)
        together = (*(given.columns[j] for j in passed), *out)
        return self.fit_class()(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(together[k] for k in places),
            inner=inner,
            at=at,
            passed=passed,
            places=places,
        )

    def _is_selected(self, column: Column) -> bool:
        return not self.names or (column.variable in self.names) != self.all_but

    def _inner(self, given: Given, at: np.ndarray) -> StepFit:
        """The step fitted to its columns, with the target and the groups if it takes them."""
        chosen = tuple(given.columns[j] for j in at)
        missed = sorted(set(self.names) - {column.variable for column in chosen})
        if missed and not self.all_but:
            raise DataError(
                f"{self.title()} is for {listed(missed)}, which is not among the columns that it "
                "gets. Choose other columns, or move the step forward."
            )
        y = None if given.y is None else given.y if given.classes is None else given.labels[given.y]
        more = {"groups": given.groups} if "groups" in self.step.card.takes else {}
        return self.step.fit(given.X[:, at], y, columns=chosen, seed=given.seed, **more)


def _with_unique_names(made: tuple[Column, ...], passed: tuple[Column, ...]) -> tuple[Column, ...]:
    """The columns made, under names that none of those that pass has."""
    taken, renamed = {column.name for column in passed}, []
    for column in made:
        name = column.name
        while name in taken:
            name += "_"
        taken.add(name)
        is_unique = name == column.name
        renamed.append(column if is_unique else replace(column, name=name, source=column.variable))
    return tuple(renamed)


def leaving(steps: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, ...]:
    """The steps, each for all columns but those named.

    A step that changes rows has no columns of its own, and one for columns that are named already
    stays as somebody decided.
    """
    if not names:
        return steps

    def is_kept(step: Any) -> bool:
        decided = isinstance(step, SomeColumns) and bool(step.names)
        return decided or promises(step, Resamples)

    return tuple(
        step if is_kept(step) else SomeColumns(names=names, all_but=True, step=step)
        for step in steps
    )
