"""Any reduction as a step: the new coordinates take the place of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.preparation.chain import StepSummary
from mlcore.preparation.selection.choice import refuse_names
from mlcore.preparation.step import StepFit
from mlcore.spine.asking import can, promises
from mlcore.spine.capabilities import HasNotes, HasSpectrum, Inverts, Transforms
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.outer import OuterFit, where_inner
from mlcore.spine.params import part
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False, kw_only=True)
class ReduceFit(OuterFit, StepFit):
    """The fitted reduction, under the name of a step."""

    inner: Any  # a fit that transforms

    def transform(self, X: Any) -> np.ndarray:
        """Rows in the coordinates of the reduction, shape (m, q)."""
        return self.inner.transform(self._rows(X))

    @where_inner(Inverts)
    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows reconstructed from the coordinates of the reduction, shape (m, p)."""
        return self.inner.inverse_transform(self._prepared_rows(Z))

    def summary(self) -> StepSummary:
        """How many coordinates there are, what share each holds, and what the reduction notes."""
        shares = self.inner.shares if can(self.inner, HasSpectrum) else ()
        values = tuple(
            (column.name, "share", float(share))
            for column, share in zip(self.out_columns, shares, strict=False)
        )
        method = self.inner.made_by.title()
        note = f"{method}: {count(len(self.columns), 'column')} became {len(self.out_columns)}."
        notes = self.inner.notes if can(self.inner, HasNotes) else ()
        return StepSummary(self.made_by.title(), values, " ".join((note, *notes)))


def _cost(n: int, p: int, step: Reduce) -> tuple[float, float]:
    cost = step.method.card.cost
    return cost(n, p, step.method) if cost else (1e-3, 16.0 * n * p)


@enter(
    Card(
        "reduce",
        "Dimensionality reduction",
        ("preparation",),
        stage="project",
        sources=("epfl:pca_then_method",),
        takes=("columns", "target"),
        random=True,
        cost=_cost,
        formula=r"x \mapsto z",
        synonyms=("PCA as a step", "feature extraction", "projection"),
        line="coordinates of a reduction for the columns",
    )
)
@dataclass(frozen=True, kw_only=True)
class Reduce(Method):
    """Puts the coordinates of a reduction in the place of the columns.

    The reduction (principal components, discriminant axes, a learned distance) is fitted to the
    training rows of each fold, with their target if it learns from one, and later rows are mapped.

    Before a method that suffers from many columns or from directions that mean nothing. What a
    direction is made of is harder to say than what a column is. Put scaling before it. The cost is
    that of the reduction.
    """

    mixes_columns: ClassVar[bool] = True

    method: Any = part(
        "pca", slot="reduction", label="Dimensionality reduction", doc="What gives coordinates."
    )

    def conflict(self) -> str | None:
        """Refuse a map that has no place for later rows."""
        if promises(self.method, Transforms):
            return None
        return (
            f"{self.method.title()} with these settings places only the rows that it learns from, "
            "so it cannot prepare others. Choose another kind."
        )

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        return self.method._target(y, n) if self.method.card.learns_from else (None, None)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Why the reduction does not apply to X, shape (n, p), and y, (n,), or None."""
        return self.method.applies(X, y)

    def fit_class(self) -> type[ReduceFit]:
        """The class of fit, with an inverse where the reduction has one."""
        return ReduceFit.around(self.method)

    def _fit(self, given: Given) -> ReduceFit:
        refuse_names(given.columns, self.title())
        y = None if given.y is None else given.y if given.classes is None else given.labels[given.y]
        inner = self.method.fit(given.X, y, columns=given.columns, seed=given.seed)
        return self.fit_class()(
            made_by=self, columns=given.columns, out_columns=inner.out_columns, inner=inner
        )
