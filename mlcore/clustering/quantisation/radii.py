"""How the radius of the neighbourhood shrinks over the run, in steps of the lattice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.optimisation.schedules import staged, stages_wrong
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, many, real


@dataclass(frozen=True, kw_only=True)
class Radius(Component):
    """A radius a step."""

    def values(self, n: int, width: float) -> np.ndarray:
        """The radii of n steps on a lattice of this width, shape (n,)."""
        # A radius that shrinks and one in stages have no course in common.
        raise NotImplementedError(f"{type(self).__name__} declares no values")


@enter(
    Card(
        "shrinking_radius",
        "Shrinking",
        ("map_radius",),
        sources=("mi2:som_sigma_annealing", "mi2:som_final_sigma"),
        kind="part",
        synonyms=("annealing", "sigma"),
    )
)
@dataclass(frozen=True, kw_only=True)
class ShrinkingRadius(Radius):
    """Wide first, so that the map unfolds, then narrow, so that it covers the rows."""

    start: float | None = real(
        None,
        above=0.0,
        soft=(0.5, 20.0),
        or_none="half the width of the lattice",
        symbol="r_0",
        doc="Radius at the first step, in steps of the lattice.",
    )
    end: float = real(
        0.5,
        above=0.0,
        soft=(0.1, 5.0),
        doc="Radius at the last step: small is near k-means, larger is smoother.",
    )
    shape: str = choice(
        "exponential",
        "exponential",
        "linear",
        doc="By the same factor at every step, or by the same difference.",
    )

    def values(self, n: int, width: float) -> np.ndarray:
        """From start to end, shape (n,)."""
        start = max(width / 2, self.end) if self.start is None else self.start
        share = np.arange(n) / max(n - 1, 1)
        if self.shape == "linear":
            return start + (self.end - start) * share
        return start * (self.end / start) ** share


@enter(
    Card(
        "staged_radius",
        "Stages",
        ("map_radius",),
        sources=("cs1:som", "cs2:som_two_stage"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class StagedRadius(Radius):
    """A few radii one after the other, each for the same share of the run: one is a constant."""

    stages: tuple = many(
        (5.0, 1.0), most=100, doc="The radii, from 0, in steps of the lattice; held equally long."
    )

    def conflict(self) -> str | None:
        """Refuse no stage, and radii below 0."""
        return stages_wrong(self.title(), self.stages)

    def values(self, n: int, width: float) -> np.ndarray:
        """The radius of the stage that each step is in, shape (n,)."""
        return staged(self.stages, n)
