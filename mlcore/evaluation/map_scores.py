"""Maps judged by the distances that they keep among the rows that they place."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from mlcore.distances.metrics import Frame
from mlcore.distances.pairwise import frame_of_fit, of_pairs
from mlcore.evaluation.metrics.metric import FITTED, Metric
from mlcore.evaluation.sampled_rows import OF_MANY, sampled_map
from mlcore.evaluation.scoring import Case, Scored, Scoring, finite
from mlcore.maths.log_cosh import negentropies
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.registry import lookup

STRESS = Metric(
    "stress", "Stress of the training rows", "lower",
    "Kruskal's stress-1: root of the summed squared differences between distances and those in the "
    "map, over the summed squares of the latter. 0 keeps every distance. A map with a setting "
    f"Distance is judged by that distance. {OF_MANY}",
    0, rows=FITTED, improved_by="coordinates",
)  # fmt: skip


def stress_1(X: np.ndarray, Y: np.ndarray, frame: Frame | None = None) -> float:
    """Kruskal's stress-1 of places Y, shape (n, q), for rows X, (n, p); NaN where all coincide.

    By the distance of the frame, or the Euclidean one.
    """
    frame = frame or Frame()
    aims, apart = of_pairs(frame, frame.placed(X)), pdist(Y)
    total = float((apart**2).sum())
    return float(np.sqrt(((apart - aims) ** 2).sum() / total)) if total > 0 else nan


@enter(
    Card(
        "stress",
        "Stress",
        ("scoring",),
        paper="Kruskal (1964), Psychometrika 29(1)",
        sources=("cs1:mds_metric",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Stress(Scoring):
    """How well a map keeps the distances of the rows that it was made of."""

    baseline_name = "first columns"
    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """The stress alone."""
        return (STRESS,)

    def scored(self, case: Case) -> Scored:
        """The stress of the training rows, at the places that the fit has for them."""
        X, Y = sampled_map(case, "stress")
        return Scored({STRESS.name: stress_1(X, Y, frame_of_fit(case.fit))})

    def baseline_of(self, method: Component) -> Component:
        """The first columns of the rows in place of as many coordinates."""
        return first_columns(method)


def first_columns(method: Any) -> Component:
    """As many columns as a map has coordinates; all where the rows decide on their number."""
    q = method.n_components
    return lookup("baseline", "first_columns")(n_columns=q if isinstance(q, int) else None)


NEGENTROPY = Metric(
    "negentropy", "Negentropy of the sources", "higher",
    "Mean over the sources of the squared difference between the means of log cosh of a source, at "
    "mean 0 and variance 1, and of a normal number. 0 is normal.",
    0,
)  # fmt: skip


@enter(
    Card(
        "negentropy",
        "Negentropy",
        ("scoring",),
        paper="Hyvarinen (1999), IEEE Transactions on Neural Networks 10(3)",
        sources=("epfl:ica_contrast_logcosh",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Negentropy(Scoring):
    """How far from normal the coordinates of rows are, each by itself."""

    baseline_name = "columns as they are"
    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """The mean alone."""
        return (NEGENTROPY,)

    def scored(self, case: Case) -> Scored:
        """Of the coordinates of the test rows."""
        coordinates = finite(case.fit.transform(case.test.X))
        return Scored({NEGENTROPY.name: float(negentropies(coordinates).mean())})

    def baseline_of(self, method: Component) -> Component:
        """The columns in place of sources."""
        return lookup("baseline", "same_rows")()
