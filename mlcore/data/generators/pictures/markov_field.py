"""Rows of names from a joint distribution that is known in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import ColumnData, Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import part


@enter(Card("markov_field", "Names that depend on names", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class MarkovField(shared.Generator):
    """Rows of a few names, drawn from the exact probabilities of all their states.

    All states are listed, so nothing is approximate: the truth holds the marginals of every
    variable and, for each row, the probabilities of the target given the features, which no
    classifier can beat.

    Shows what passing messages, sampling or a classifier must find, beside the right answer.
    """

    n_samples: int = shared.n_samples(1000)
    joint: Any = part("pairwise_field", slot="joint", doc="The distribution of the variables.")

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows; hidden variables are known but no features."""
        joint = self.joint
        P = _probabilities(joint.log_weights())
        rows = self.rng("rows").choice(len(P), self.n_samples, p=P)
        S = joint.states()
        drawn = S[:, rows]
        kind = "binary" if len(joint.values) == 2 else "nominal"
        columns = [
            ColumnData(name, kind, values, joint.values)
            for name, values in zip(joint.names(), drawn, strict=True)
        ]
        at = joint.names().index(joint.target())
        posterior, error = _best_rule(P, S, at, [joint.names().index(h) for h in joint.hidden()])
        truth = shared.Truth(
            labels=drawn[at], posterior=posterior[rows], bayes_error=error,
            marginals=np.array([np.bincount(s, P, len(joint.values)) for s in S]),
        )  # fmt: skip
        roles = tuple((name, "label") for name in joint.hidden())
        return Origin(Table.of(*columns), self.title(), joint.target(), roles, truth)


def _probabilities(log_weights: np.ndarray) -> np.ndarray:
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def _best_rule(
    P: np.ndarray, S: np.ndarray, target: int, hidden: list[int]
) -> tuple[np.ndarray, float]:
    """Probabilities of the target given the features, (states, z), and the error of the best rule.

    States that agree in all features share their row.
    """
    z = int(S.max()) + 1
    seen = np.delete(S, [target, *hidden], axis=0)
    group = z ** np.arange(len(seen)) @ seen
    tables = np.zeros((z ** len(seen), z))
    np.add.at(tables, (group, S[target]), P)
    error = 1 - tables.max(axis=1).sum()
    # A state of the features that never occurs has no probabilities; nobody asks for them.
    total = np.maximum(tables.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return (tables / total)[group], float(error)
