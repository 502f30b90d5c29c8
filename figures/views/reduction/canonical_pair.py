"""A pair of canonical variates: rows in them, and the columns that they follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of
from figures.options import Offered, Options, Values, among
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.reduction.capabilities import HasCanonicalPairs
from mlcore.reduction.cca import correlations
from mlcore.runs.carry import Whole
from mlcore.spine.errors import ParamError
from mlcore.spine.params import integer
from mlcore.spine.wording import listed, rough

NAMED = 2  # columns of either block that the reading names


class Pair(NamedTuple):
    """Rows in one pair of canonical variates."""

    cloud: Cloud
    k: int  # which pair, from 1
    q: int  # of how many
    correlation: float  # in the fitted rows
    columns: tuple[str, ...]  # (p,) the first block, then the second
    blocks: tuple[str, ...]  # (p,) first or second
    weights: np.ndarray  # (p,) of the columns as prepared
    structure: np.ndarray  # (p,) correlation of each column with the variate of its block


def _pairs(offered: Offered) -> Values:
    """The pairs that are kept, from 1."""
    fit: Any = offered["fit"]
    return {k + 1: f"pair {k + 1}" for k in range(len(fit.correlations))}


@dataclass(frozen=True, kw_only=True)
class OnePair(Options):
    """The pair that is drawn."""

    pair: int = among(
        integer(1, low=1, soft=(1, 10), label="Pair", doc="Pair of canonical variates."), _pairs
    )


@view(
    "canonical_pair",
    title="Canonical variates",
    asks=HasCanonicalPairs,
    options=OnePair,
    on="reduction report compare",
    order=215,
    sources=("epfl:cca",),
    synonyms=("canonical scores", "variates scatter", "structure coefficients"),
)
def canonical_pair(dataset: Dataset, whole: Whole, *, options: OnePair) -> View:
    """Rows at the variate of the first block and that of the second: a line if they agree."""
    p = numbers(dataset, whole, k=options.pair)
    return joined(p, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, *, k: int = 1) -> Pair:
    """Variates of all rows, and how they follow the columns."""
    fit: Any = whole.fit
    q = len(fit.correlations)
    if not 1 <= k <= q:
        raise ParamError(f"There are {q} pairs; choose one from 1 to {q}.")
    X = whole.prepared.transform(dataset.X)
    u, v = fit.transform(X)[:, 2 * k - 2 : 2 * k].T
    order = np.concatenate([fit.first, fit.second])
    own = np.where(np.arange(len(order)) < len(fit.first), u[:, None], v[:, None])
    names = tuple(fit.columns[j].name for j in order)
    blocks = ("first",) * len(fit.first) + ("second",) * len(fit.second)
    weights = np.concatenate([fit.first_axes[k - 1], fit.second_axes[k - 1]])
    structure = correlations(X[:, order], own)
    rho = float(fit.correlations[k - 1])
    return Pair(cloud_of(dataset, u, v), k, q, rho, names, blocks, weights, structure)


def draw(p: Pair) -> go.Figure:
    """The rows; units of both axes are standard deviations where nothing is shrunk."""
    return figure(
        *points_of(p.cloud),
        height=HEIGHT,
        xaxis={"title": {"text": f"First block, variate {p.k}"}},
        yaxis={"title": {"text": f"Second block, variate {p.k}"}},
        showlegend=bool(p.cloud.names) or p.cloud.is_crowded,
    )


def reading(p: Pair) -> str:
    """The correlation, and which columns the variates follow."""
    followed = " and ".join(_followed(p, block) for block in ("first", "second"))
    return (
        f"Pair {p.k} of {p.q} is correlated by {p.correlation:.3f} in the fitted rows. The variate "
        f"of the first block follows {followed}."
    )


def _followed(p: Pair, block: str) -> str:
    at = [j for j, own in enumerate(p.blocks) if own == block and np.isfinite(p.structure[j])]
    largest = sorted(at, key=lambda j: -abs(p.structure[j]))[:NAMED]
    named = listed([f"{p.columns[j]} ({rough(float(p.structure[j]))})" for j in largest])
    return named if block == "first" else f"that of the second {named}"


def table(p: Pair) -> tuple[TableColumn, ...]:
    """One line a column of the table as prepared."""
    return (
        TableColumn("column", p.columns),
        TableColumn("block", p.blocks),
        TableColumn("weight", p.weights),
        TableColumn("correlation with the variate", p.structure),
    )
