"""Maps of units judged by how near their prototypes are, and by the order of the units."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.registry import lookup, made

QUANTISATION = Metric(
    "quantisation_error", "Quantisation error", "lower",
    "Mean distance of a row to the nearest prototype, in prepared coordinates.", 0,
)  # fmt: skip
TOPOGRAPHIC = Metric(
    "topographic_error", "Topographic error", "lower",
    "Share of rows whose two nearest units do not touch on the lattice: there the map is folded. "
    "Eight units touch one on a rectangular grid, six on a hexagonal one.", 0, 1,
)  # fmt: skip


@enter(
    Card(
        "map_errors",
        "Errors of the map",
        ("scoring",),
        paper="Kiviluoto (1996), IEEE International Conference on Neural Networks",
        sources=("cs2:som_topology_violation",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class MapErrorScores(Scoring):
    """How far rows lie from the prototypes of a map, and whether near units are near on it."""

    baseline_name = "flat map"
    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """The quantisation error first."""
        return QUANTISATION, TOPOGRAPHIC

    def scored(self, case: Case) -> Scored:
        """Both errors of the rows, and the unit of each."""
        errors = case.fit.map_errors(case.test.X)
        scores = {QUANTISATION.name: errors.quantisation, TOPOGRAPHIC.name: errors.topographic}
        return Scored(scores, case.fit.predict(case.test.X))

    def baseline_of(self, method: Component) -> Component:
        """The map as it lies in the plane of the first two components, before it learns."""
        asleep = replace(made("map_learning", "batch_learning"), n_passes=0)
        if isinstance(method, lookup("clustering", "som")):
            return replace(method, learning=asleep, init="principal_plane")
        return lookup("clustering", "som")(learning=asleep)
