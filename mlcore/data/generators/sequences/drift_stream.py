"""A stream of points whose distribution changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real

SOURCES = ("mi2:drift_stream",)
LONG, SHORT = np.sqrt(3.0), np.sqrt(0.5)  # standard deviations along the two axes


@enter(
    Card("drift_stream", "Drifting stream", ("source",), sources=SOURCES, random=True, kind="data")
)
@dataclass(frozen=True, kw_only=True)
class DriftStream(shared.Generator):
    """Points in the order of their arrival, drawn from a cloud that turns or jumps.

    Turning: row t comes from N(0, R_t diag(3, 1/2) R_t') where R_t turns by the given number of
    whole turns from the first row to the last. Jumping: the mean takes one of three places, each
    for a third of the rows.

    Shows what a learner that reads one row at a time must do: forget at the right speed.
    """

    n_samples: int = shared.n_samples(2000)
    change: str = choice("turning", "turning", "jumping", doc="How the cloud changes.")
    revolutions: float = real(
        0.5, low=0.0, high=100.0, soft=(0.0, 3.0), doc="Turns, or rounds of jumps, over all rows."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The rows in their order, which the column time gives."""
        t = np.arange(self.n_samples) / self.n_samples * self.revolutions
        X = self.rng("noise").normal(size=(self.n_samples, 2)) * [LONG, SHORT]
        centers = np.zeros_like(X)
        if self.change == "turning":
            c, s = np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)
            X = np.column_stack([c * X[:, 0] - s * X[:, 1], s * X[:, 0] + c * X[:, 1]])
        else:
            place = np.floor(3 * t).astype(np.int64) % 3
            centers = np.array([[0.0, 0.0], [8.0, 0.0], [4.0, 7.0]])[place]
        columns = [numeric(f"x{j + 1}", X[:, j] + centers[:, j]) for j in range(2)]
        time = numeric("time", np.arange(self.n_samples), "count")
        return Origin(
            Table.of(time, *columns), self.title(), None, (("time", "order"),),
            shared.Truth(coordinates=t[:, None], clean=centers),
        )  # fmt: skip
