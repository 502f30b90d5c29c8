"""Patients of a clinic, with missing values that are written as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

MISSING = -9.0  # how a missing measurement was written down
# Name, mean, standard deviation, least value, decimals, and weight in the risk.
MEASURES = (
    ("age", 55.0, 9.0, 20.0, 0, 0.5),
    ("pressure", 132.0, 17.0, 80.0, 0, 0.3),
    ("cholesterol", 245.0, 45.0, 120.0, 0, 0.3),
    ("heart_rate", 150.0, 22.0, 60.0, 0, -0.7),
    ("sugar", 105.0, 22.0, 60.0, 0, 0.2),
    ("st_depression", 1.6, 1.0, 0.0, 1, 0.7),
    ("weight_kg", 80.0, 13.0, 40.0, 1, 0.1),
    ("height_cm", 172.0, 9.0, 140.0, 0, 0.0),
)
NAMED = (
    ("sex", ("female", "male"), (1, 2), 0.4),
    ("pain", ("none", "mild", "typical", "strong"), (5, 2, 2, 1), 0.5),
    ("smoker", ("no", "yes"), (3, 1), 0.5),
    ("ward", ("A", "B", "C"), (1, 1, 1), 0.0),
)


@enter(Card("clinic", "Clinic", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Clinic(shared.Generator):
    """Twelve variables of patients, numbers and names, and whether they are ill.

    Numbers are normal, cut at a least value and rounded; the risk is a weighted sum of standardised
    numbers and of ranks of names, with noise, and the third of largest risk is ill. A share of the
    measured cells holds -9, as old files write a missing value.

    Shows what must happen before any method: find the coded missing values, fill them inside the
    folds, turn names into columns, scale.
    """

    n_samples: int = shared.n_samples(300)
    missing: float = real(
        0.05, low=0.0, high=0.5, soft=(0.0, 0.3), doc="Share of measured cells that hold -9."
    )
    noise: float = shared.noise(1.0, "of the risk; a measure adds up to 0.7 of its deviation")

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with the state of health as target."""
        n, risk, columns = self.n_samples, np.zeros(self.n_samples), []
        for name, mean, spread, least, digits, weight in MEASURES:
            z = self.rng(name).normal(size=n)
            risk += weight * z
            values = np.round(np.maximum(mean + spread * z, least), digits)
            is_missing = self.rng(f"{name} holes").uniform(size=n) < self.missing
            columns.append(numeric(name, np.where(is_missing, MISSING, values)))
        for name, levels, sizes, weight in NAMED:
            drawn = self.rng(name).choice(len(levels), n, p=np.array(sizes) / sum(sizes))
            risk += weight * drawn
            kind = "binary" if len(levels) == 2 else "nominal"
            columns.append(coded(name, np.array(levels)[drawn], kind, levels))
        score = risk + self.noise * self.rng("noise").normal(size=n)
        is_ill = score > np.quantile(score, 2 / 3)
        state = coded("state", np.where(is_ill, "ill", "healthy"), "binary", ("healthy", "ill"))
        truth = shared.Truth(signal=risk, noise=self.noise)
        return Origin(Table.of(*columns, state), self.title(), "state", truth=truth)
