"""A family of hypotheses that is perfect on what it saw and wrong nearly everywhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import ColumnData, Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

SOURCES = ("cs1:d_interval_family",)
VERDICTS = ("right", "wrong")


@enter(
    Card("interval_family", "Right in short intervals", ("source",), sources=SOURCES, random=True,
         kind="data")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class IntervalFamily(shared.Generator):
    """A hypothesis that is right only in short intervals around the rows that it was chosen by.

    z is uniform on (0, 1). Half of the rows choose the hypothesis: it is right within
    e / 2m of each of these m rows and wrong elsewhere. Its error is 0 on them for every m, and at
    least 1 - e on new rows: small risk on the sample says nothing where the family can do this.

    Shows why learning needs a family that is not too rich, beside an empirical risk of 0.
    """

    n_samples: int = shared.n_samples(200)
    length: float = real(
        0.1, above=0.0, high=1.0, soft=(0.01, 0.5), symbol="e", label="Length",
        doc="Of all intervals together, where they do not overlap.",
    )  # fmt: skip

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """All rows, those that chose the hypothesis first."""
        z = self.rng("positions").uniform(size=self.n_samples)
        m = self.n_samples // 2
        wrong = 1 * (_nearest(np.sort(z[:m]), z) > self.length / (2 * m))
        table = Table.of(
            numeric("z", z),
            ColumnData("chosen_by", "binary", 1 * (np.arange(len(z)) < m), ("no", "yes")),
            ColumnData("verdict", "binary", wrong, VERDICTS),
        )
        truth = shared.Truth(labels=wrong)
        return Origin(table, self.title(), "verdict", (("chosen_by", "label"),), truth)


def _nearest(known: np.ndarray, z: np.ndarray) -> np.ndarray:
    """How far each z is from the nearest of the known places, which are sorted."""
    at = np.searchsorted(known, z)
    around = known[np.clip(np.stack([at - 1, at]), 0, len(known) - 1)]
    return np.abs(around - z).min(axis=0)
