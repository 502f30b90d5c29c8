"""Rows of another source, few of which have a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.data.sources import Origin, Source
from mlcore.data.table import Table
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer, part, real

LEAST = 2  # rows whose target stays known


@enter(Card("partly_labelled", "Partly labelled", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class PartlyLabelled(Source):
    """The rows of any source with a target, most of which lose it.

    A share of the rows, chosen at random, keeps its target; in all others that cell becomes a
    missing value. The truth of the source still knows what stood there.

    Shows what rows without a label add, for methods that use them.
    """

    source: Any = part("blobs", slot="source", doc="Where the rows come from.")
    known: float = real(
        0.05, above=0.0, high=1.0, soft=(0.01, 1.0), doc="Share of the rows whose target is known."
    )
    seed: int = integer(
        0, low=0, high=2**31 - 1, soft=(0, 99), doc="Start of the choice of the known rows."
    )

    def takes(self) -> tuple[float, float]:
        """What the rows themselves take."""
        return self.source.takes()

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The table of the source, most targets missing. Raises DataError if it has no target."""
        origin = self.source.origin(uploads)
        if origin.target is None:
            raise DataError(
                f"{origin.name} has no target that could be hidden. Take another source."
            )
        column = origin.table.column(origin.target)
        n = origin.table.n_rows
        place = random.generator(self.seed, "partly labelled").permutation(n)
        is_known = place < max(LEAST, round(self.known * n))
        hidden = replace(column, values=np.where(is_known, column.values, np.nan))
        return replace(origin, table=origin.table.replaced(hidden))
