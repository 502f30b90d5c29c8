"""Shells of four groups that differ less than they grow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

LENGTHS = ("front_mm", "rear_mm", "length_mm", "width_mm", "depth_mm")
MEANS = np.array([15.5, 12.5, 32.0, 36.5, 14.0])
SPECIES = np.array([0.9, 0.1, 0.2, -1.2, 0.8])  # what tells the two species apart, in mm
SEX = np.array([-0.1, 1.1, -0.4, -0.3, -0.1])  # and the two sexes


@enter(Card("shells", "Shells", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Shells(shared.Generator):
    """Five lengths of a shell that share one factor of size, for two species and two sexes.

    The logarithm of the size is N(0, size^2); every length is its mean times the size, plus what
    species and sex add, plus noise. Species and sex change the shape, not the size.

    Shows why the first principal component may be the least interesting: it is size, and the groups
    part along the second and third.
    """

    n_samples: int = shared.n_samples(200)
    size: float = real(
        0.22, low=0.0, high=1.0, soft=(0.0, 0.5), doc="Standard deviation of the logarithm of size."
    )
    species_effect: float = real(
        1.0, low=0.0, high=10.0, soft=(0.0, 3.0), doc="How far apart the species are, as a factor."
    )
    sex_effect: float = real(
        1.0, low=0.0, high=10.0, soft=(0.0, 3.0), doc="How far apart the sexes are, as a factor."
    )
    noise: float = shared.noise(0.2, "of every length, in mm")

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with the species as target."""
        group = self.rng("order").permutation(np.arange(self.n_samples) % 4)
        species, sex = group // 2, group % 2
        log_size = self.size * self.rng("size").normal(size=self.n_samples)
        clean = np.exp(log_size)[:, None] * MEANS
        clean = clean + self.species_effect * (2 * species - 1)[:, None] * SPECIES
        clean = clean + self.sex_effect * (2 * sex - 1)[:, None] * SEX
        X = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        table = Table.of(
            *(numeric(name, X[:, j]) for j, name in enumerate(LENGTHS)),
            coded("species", np.array(["blue", "orange"])[species], "binary"),
            coded("sex", np.array(["male", "female"])[sex], "binary"),
        )
        truth = shared.Truth(
            labels=group, coordinates=log_size[:, None], clean=clean, noise=self.noise
        )
        return Origin(table, self.title(), "species", (("sex", "label"),), truth)
