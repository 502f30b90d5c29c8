"""Weight and height of students, some of whom wrestle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.generators.densities.mixture import Mixture
from mlcore.data.sources import Origin
from mlcore.data.table import ColumnData, Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, flag, real

MEANS = np.array([[60.0, 165.0], [80.0, 180.0], [125.0, 185.0]])  # kg, cm
COVARIANCES = np.array([[[60, 35], [35, 49]], [[80, 40], [40, 49]], [[80, 30], [30, 36]]], float)
LIGHT = 52 / 92  # share of the first group among those who do not wrestle
ROOTS = np.linalg.cholesky(COVARIANCES)
WEIGHT_UNITS = {"kg": 1.0, "g": 1000.0, "t": 0.001}
HEIGHT_UNITS = {"cm": 1.0, "m": 0.01}
ABOUT_GROUPS = ("centers", "covariances", "log_density")
BOX = np.array([[20.0, 50.0], [160.0, 250.0]])
WRESTLER = 2
OVERWEIGHT = 25.0  # kg / m^2
SOURCES = ("cs1:d_students",)


@enter(Card("students", "Students", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Students(shared.Generator):
    """Weight and height of three groups, the smallest of which are wrestlers.

    In kg and cm, two groups lie around (60, 165) and (80, 180), in proportion 52 to 40, and
    wrestlers around (125, 185), all normal and cut to [20, 160] x [50, 250]. The target is whether
    one wrestles, the body mass index kg / m^2 with noise, or whether that index exceeds 25.

    Shows nearly every task on one table. In other units other rows are near; sorted by group, with
    the row number as a column, it shows how a file betrays its target.
    """

    n_samples: int = shared.n_samples(300)
    wrestlers: float = real(
        0.08, low=0.01, high=0.9, soft=(0.02, 0.5), doc="Share of wrestlers among the rows."
    )
    target: str = choice(
        "wrestler", "wrestler", "bmi", "overweight", "none", doc="What is to be predicted."
    )
    weight_unit: str = choice("kg", *WEIGHT_UNITS, doc="What the weight is told in.")
    height_unit: str = choice("cm", *HEIGHT_UNITS, doc="What the height is told in.")
    noise: float = shared.noise(0.5, "of the body mass index, in kg / m^2")
    is_sorted: bool = flag(
        False,
        label="Sorted, with row numbers",
        doc="Wrestlers first, and the row number as a column.",
        advanced=True,
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows."""
        mixture, units = self.distribution(), self._units()
        group = np.repeat(np.arange(3), shared.shares(self.n_samples, tuple(mixture.weights), 3))
        group = group[::-1] if self.is_sorted else self.rng("order").permutation(group)
        people = Mixture(MEANS, ROOTS, mixture.weights, mixture.owner)
        X = np.clip(people.drawn(group, self.rng("noise")), *BOX)
        index = X[:, 0] / (X[:, 1] / 100.0) ** 2
        names = f"weight_{self.weight_unit}", f"height_{self.height_unit}"
        columns = [numeric(name, units[j] * X[:, j]) for j, name in enumerate(names)]
        if self.is_sorted:
            columns.insert(0, numeric("row", np.arange(1, self.n_samples + 1), "count"))
        if self.target != "none":
            columns.append(self._target(group, index))
        target = None if self.target == "none" else self.target
        # Cutting to the box moves one row in thousands, which the distribution leaves aside.
        truth = shared.Truth(labels=group, signal=index, **self._known(mixture, units * X))
        # The row number is offered as a feature on purpose: it is the leak to be found.
        roles = (("row", "feature"),) if self.is_sorted else ()
        return Origin(Table.of(*columns), self.title(), target, roles, truth)

    def _known(self, mixture: Mixture, X: np.ndarray) -> dict[str, Any]:
        known = mixture.known(X, self)
        # The posterior is that of wrestling, whatever else is asked.
        asked = self.target == "wrestler"
        return {name: values for name, values in known.items() if asked or name in ABOUT_GROUPS}

    def distribution(self) -> Mixture:
        """The three groups in the chosen units; the classes are whether one wrestles."""
        light = LIGHT * (1.0 - self.wrestlers)
        weights = np.array([light, 1.0 - self.wrestlers - light, self.wrestlers])
        units = self._units()
        return Mixture(units * MEANS, units[:, None] * ROOTS, weights, np.array([0, 0, 1]))

    def _units(self) -> np.ndarray:
        return np.array([WEIGHT_UNITS[self.weight_unit], HEIGHT_UNITS[self.height_unit]])

    def _target(self, group: np.ndarray, index: np.ndarray) -> ColumnData:
        if self.target == "bmi":
            return numeric("bmi", index + self.noise * self.rng("bmi").normal(size=len(index)))
        is_so = group == WRESTLER if self.target == "wrestler" else index > OVERWEIGHT
        return ColumnData(self.target, "binary", is_so.astype(float), ("no", "yes"))
