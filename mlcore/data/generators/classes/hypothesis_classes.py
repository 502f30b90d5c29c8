"""A finite class of hypotheses as columns, one of which is always right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import ColumnData, Table, numeric
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

SOURCES = ("s841:finite_hypothesis_classes",)


def _singletons(k: int, rng: np.random.Generator) -> np.ndarray:
    return np.eye(k)


def _thresholds(k: int, rng: np.random.Generator) -> np.ndarray:
    return np.tri(k)


def _tables(k: int, rng: np.random.Generator) -> np.ndarray:
    return 1.0 * rng.integers(0, 2, (k, k))


CLASSES = {"singletons": _singletons, "thresholds": _thresholds, "random tables": _tables}


@enter(
    Card("hypothesis_classes", "A finite class", ("source",), sources=SOURCES, random=True,
         kind="data")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class HypothesisClasses(shared.Generator):
    """What each of k hypotheses says of a point, and the answer of the one that is right.

    The points are 1 ... k, drawn evenly. Hypothesis j says yes to the point j alone (singletons),
    to all points from j on (thresholds), or to those for which a coin fell so (random tables).
    Which one is right is drawn. Whoever follows the majority of those not yet refuted errs at most
    log2 k times.

    Shows what can be learned from few rows: of singletons nearly nothing until the one point comes,
    of thresholds half of the class with every well chosen row.
    """

    n_samples: int = shared.n_samples(60)
    family: str = choice("thresholds", *CLASSES, doc="What the hypotheses are.")
    n_hypotheses: int = integer(
        16, low=2, high=64, soft=(2, 32), symbol="k", label="Hypotheses",
        doc="How many hypotheses, and how many points.",
    )  # fmt: skip
    draw: int = shared.which("hypothesis is right, and which tables are drawn")

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The rows in the order in which a learner meets them."""
        k = self.n_hypotheses
        rng = random.generator(self.draw, "hypotheses")
        right = int(rng.integers(k))
        says = CLASSES[self.family](k, rng)  # (points, hypotheses)
        points = self.rng("points").integers(k, size=self.n_samples)
        X = says[points]
        columns = [numeric(f"h{j + 1}", X[:, j], "count") for j in range(k)]
        table = Table.of(
            numeric("point", points + 1, "count"), *columns,
            ColumnData("answer", "binary", X[:, right], ("no", "yes")),
        )  # fmt: skip
        truth = shared.Truth(labels=X[:, right], coefficients=np.eye(k)[right], bayes_error=0.0)
        return Origin(table, self.title(), "answer", (("point", "label"),), truth)
