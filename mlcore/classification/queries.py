"""Which row to ask for next: parts of active learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real


@dataclass(frozen=True, kw_only=True)
class Query(Component):
    """A rule that scores rows by the output of the classifier; the largest is asked for."""

    needs: ClassVar[str] = "probabilities"  # or "scores", of which the largest wins, or "nothing"

    min_distance: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 2.0),
        label="Minimum distance",
        doc="Rows nearer than this to a labelled one are not asked for, in units of the prepared "
        "columns: they would say the same again.",
        advanced=True,
    )

    def scores(self, P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Score of each row as a query, shape (m,), from its probabilities or scores P, (m, K)."""
        raise NotImplementedError(f"{type(self).__name__} declares no scores")


@enter(
    Card(
        "margin",
        "Margin sampling",
        ("query",),
        kind="part",
        sources=("cs1:sampling_active", "s841:svm_active_learning"),
        formula=r"\min_x \; p_{(1)}(x) - p_{(2)}(x)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Margin(Query):
    """The row nearest to the border: its two best classes are nearly equal."""

    needs = "scores"

    def scores(self, P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Minus the lead of the best class over the second."""
        two = np.partition(P, P.shape[1] - 2, axis=1)[:, -2:]
        return two[:, 0] - two[:, 1]


@enter(
    Card(
        "entropy",
        "Entropy sampling",
        ("query",),
        kind="part",
        formula=r"\max_x \; -\sum_k p_k(x) \ln p_k(x)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Entropy(Query):
    """The row whose class probabilities are most nearly equal."""

    def scores(self, P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Entropy in nats."""
        return -(P * np.log(P, out=np.zeros_like(P), where=P > 0)).sum(axis=1)


@enter(
    Card(
        "least_confident",
        "Least-confidence sampling",
        ("query",),
        kind="part",
        formula=r"\max_x \; 1 - p_{(1)}(x)",
    )
)
@dataclass(frozen=True, kw_only=True)
class LeastConfident(Query):
    """The row whose best class is least probable."""

    def scores(self, P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """1 minus the probability of the best class."""
        return 1.0 - P.max(axis=1)


@enter(Card("random", "Random sampling", ("query",), kind="part", formula=r"x \sim U"))
@dataclass(frozen=True, kw_only=True)
class AtRandom(Query):
    """Any row: the labels stay a sample of the data. The baseline of the other rules."""

    needs = "nothing"

    def scores(self, P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Random numbers, uniform on (0, 1)."""
        return rng.random(len(P))
