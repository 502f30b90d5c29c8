"""The nested subtrees of a tree: leaves and impurity against the price of a leaf."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import HEIGHT
from figures.theme import CLASS_COLORS, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClasses
from mlcore.spine.capabilities_of_members import HasTree
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, rough, spaced
from mlcore.trees.pruning import cost_complexity_path

BEYOND = 2.0  # times the last price, and below the first, that the axis goes on


class PruningPath(NamedTuple):
    """The smallest trees that minimise impurity plus a price for each leaf."""

    prices: np.ndarray  # (s,) rising from 0; each tree is the best from its price up to the next
    leaves: np.ndarray  # (s,)
    risks: np.ndarray  # (s,) impurity of the leaves, weighted by their share of the rows
    what: str  # is risked


@view(
    "pruning_path",
    title="Path of pruning",
    asks=HasTree,
    on="classification regression report compare",
    order=168,
    sources=("cs2:tree_prune",),
    synonyms=("cost-complexity pruning", "ccp_alpha", "weakest link", "complexity parameter"),
)
def pruning_path(fit: Any) -> View:
    """Leaves and impurity of the tree that remains at each price of a leaf."""
    return joined(numbers(fit), draw, reading, table, note="on the training rows")


def numbers(fit: Any) -> PruningPath:
    """One entry a price at which leaves go; DataError for a tree of one leaf."""
    path = cost_complexity_path(fit.tree)
    if not len(path.alphas):
        raise DataError("The tree is a single leaf, so there is nothing to prune.")
    prices = np.unique(np.append(0.0, path.alphas))
    gone = np.searchsorted(path.alphas, prices, side="right")
    what = "impurity" if can(fit, HasClasses) else "variance within leaves"
    return PruningPath(prices, path.leaves[gone], path.risks[gone], what)


def draw(p: PruningPath) -> go.Figure:
    """Stairs over a logarithmic axis, which begins before the first price that costs a leaf."""
    x = np.append(p.prices, BEYOND * p.prices[-1])
    x[0] = p.prices[1] / BEYOND
    fig = figure(height=HEIGHT, showlegend=False, xaxis=_axis(x), **_panels(p))
    for k, (values, name, form, axis) in enumerate(
        ((p.leaves, "leaves", "d", "y"), (p.risks, p.what, ".4~g", "y2"))
    ):
        fig.add_scatter(
            x=x, y=np.append(values, values[-1]), yaxis=axis, mode="lines",
            line={"shape": "hv", "color": CLASS_COLORS[k], "width": 2.5}, name=name,
            hovertemplate=f"from a price of %{{x:.4~g}}<br>{name} %{{y:{form}}}<extra></extra>",
        )  # fmt: skip
    return fig


def _axis(x: np.ndarray) -> dict[str, Any]:
    return {"title": {"text": "Price of a leaf (alpha)"}, "anchor": "y2"} | log_axis(x)


def _panels(p: PruningPath) -> dict[str, Any]:
    risk = {"title": {"text": p.what.capitalize()}, "domain": [0.0, 0.45], "rangemode": "tozero"}
    leaves = {"title": {"text": "Leaves"}, "domain": [0.55, 1.0]}
    return {"yaxis": leaves | log_axis(p.leaves), "yaxis2": risk}


def reading(p: PruningPath) -> str:
    """What the whole tree has, what half of its leaves cost, and where one leaf remains."""
    first = f"Without a price the tree has {count(int(p.leaves[0]), 'leaf', 'leaves')} and "
    text = f"{first}{_risk(p, 0)}."
    half = int(np.flatnonzero(p.leaves <= max(p.leaves[0] / 2, 1.0))[0])
    if 1 < p.leaves[half] < p.leaves[0]:
        n, price = spaced(int(p.leaves[half])), rough(p.prices[half])
        text += f" At a price of {price} each {n} leaves remain, with {_risk(p, half)}."
    return f"{text} From {rough(p.prices[-1])} on it is one leaf, with {_risk(p, -1)}."


def _risk(p: PruningPath, k: int) -> str:
    return f"{'an' if p.what[0] in 'aeiou' else 'a'} {p.what} of {rough(p.risks[k])}"


def table(p: PruningPath) -> tuple[TableColumn, ...]:
    """One line a tree, the largest first."""
    return (
        TableColumn("price of a leaf from", p.prices),
        TableColumn("leaves", p.leaves),
        TableColumn(p.what, p.risks),
    )
