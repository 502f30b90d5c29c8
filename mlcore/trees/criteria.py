"""Splitting criteria: impurities of classes and of quantities, as parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.spine import checks
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.records import function
from mlcore.spine.registry import made
from mlcore.trees import _kernels


@dataclass(frozen=True, kw_only=True)
class Criterion(Component):
    """An impurity, 0 where all targets are equal."""

    code: ClassVar[int]  # of the compiled loops


def _card(name: str, title: str, formula: str, *sources: str, **more: Any) -> Card:
    return Card(name, title, ("impurity",), kind="part", formula=formula, sources=sources, **more)


@enter(
    _card(
        "gini",
        "Gini index",
        r"1 - \sum_k \pi_k^2",
        "cs2:impurity_gini",
        "s841:impurity_gini",
        synonyms=("Gini impurity",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Gini(Criterion):
    """How often two rows of the node, drawn at random, are of different classes."""

    code = _kernels.GINI


@enter(
    _card(
        "entropy",
        "Entropy",
        r"-\sum_k \pi_k \log \pi_k",
        "cs2:impurity_entropy",
        "prac:tree_entropy",
        "s841:impurity_entropy",
        synonyms=("information gain", "cross-entropy"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Entropy(Criterion):
    """Entropy of the class of a row of the node, in nats."""

    code = _kernels.ENTROPY


@enter(
    _card(
        "misclassification",
        "Misclassification",
        r"1 - \max_k \pi_k",
        "cs2:impurity_misclassification",
        "s841:impurity_misclassification",
    )
)
@dataclass(frozen=True, kw_only=True)
class Misclassification(Criterion):
    """Share of the rows that are not of the commonest class; blind to splits that leave it so."""

    code = _kernels.MISCLASSIFICATION


@enter(
    _card(
        "gain_ratio",
        "Gain ratio",
        r"\mathrm{gain} \,/\, H(\mathrm{left}, \mathrm{right})",
        "cs2:c45",
        "s841:c45",
        paper="Quinlan (1993), C4.5",
    )
)
@dataclass(frozen=True, kw_only=True)
class GainRatio(Criterion):
    """Gain of entropy over the entropy of the split, among cuts of at least average gain."""

    code = _kernels.GAIN_RATIO


@enter(
    Card(
        "squared",
        "Squared error",
        ("impurity_of_numbers",),
        kind="part",
        sources=("cs2:impurity_variance",),
        formula=r"\tfrac1n \sum_i (y_i - \bar y)^2",
    )
)
@dataclass(frozen=True, kw_only=True)
class SquaredError(Criterion):
    """The variance of the target in the node; a leaf predicts the mean."""

    code = _kernels.SQUARED


@function("impurity", title="Impurity of a node", sources=("prac:tree_entropy",))
def impurity(counts: Any, criterion: Criterion | str = "gini") -> float:
    """Impurity of classes with these weights, shape (K,), each at least 0; entropy in nats.

    Raises DataError if the weights are no vector, one is negative, or all are 0.
    """
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 1 or not (counts >= 0).all() or not counts.sum() > 0:
        raise DataError("An impurity needs one weight a class, none negative, not all zero.")
    shares = counts / counts.sum()
    return float(_kernels.risk_of(shares, 1.0, made("impurity", criterion).code))


class SplitGains(NamedTuple):
    """The gain of every cut of one column."""

    cuts: np.ndarray  # (g,) midpoints between neighbouring values
    gains: np.ndarray  # (g,) weight x impurity before less that after


@function("split_gains", title="Split gains", sources=("prac:tree_build",))
def split_gains(x: Any, y: Any, w: Any = None, criterion: Criterion | str = "gini") -> SplitGains:
    """Gain of each cut of a column x, shape (n,), for classes y, shape (n,), of weights w."""
    x = checks.matrix(np.reshape(x, (-1, 1)), "The gain of a cut")[:, 0]
    codes, classes = checks.classes(y, len(x), "The gain of a cut")
    weights = np.ones(len(x)) if w is None else checks.weights(w, len(x), "The gain of a cut")
    order = np.argsort(x, kind="stable")
    steps = np.flatnonzero(np.diff(x[order]) > 0)
    below = np.cumsum(np.eye(len(classes))[codes[order]] * weights[order, None], axis=0)
    total = below[-1]

    def risk(counts: np.ndarray) -> float:
        return counts.sum() * impurity(counts, criterion) if counts.sum() > 0 else 0.0

    gains = [risk(total) - risk(below[k]) - risk(total - below[k]) for k in steps]
    return SplitGains((x[order][steps] + x[order][steps + 1]) / 2, np.array(gains))
