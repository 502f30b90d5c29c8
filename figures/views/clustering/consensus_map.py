"""How often two rows fall into one cluster of a resample, as a map with a block a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import color_bar
from figures.numbers.consensus import ConsensusMap, choices, drawn_from
from figures.numbers.consensus import consensus_map as numbers
from figures.options import Options, among
from figures.theme import LIGHT, SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.counting.counted import Counted
from mlcore.spine.params import integer
from mlcore.spine.wording import count, percent, rough

HEIGHT = 470
MOST_NAMED = 15  # clusters with a name beside their block
SMALLEST = 0.03  # of the rows: a smaller block has no room for a name
TORN = 0.2  # of the resamples: a row with its own cluster so little oftener is between two


@dataclass(frozen=True, kw_only=True)
class ConsensusOptions(Options):
    """Whose consensus is drawn."""

    clusters: int | None = among(
        integer(
            None, low=2, high=50, soft=(2, 12), or_none="as now",
            label="Clusters", symbol="K",
            doc="How many clusters each resample was grouped into.",
        ),
        choices,
    )  # fmt: skip


@view(
    "consensus_map",
    title="Consensus matrix",
    options=ConsensusOptions,
    sources=("mi2:clustering_robustness",),
    synonyms=(
        "consensus clustering", "Monti", "co-association matrix", "cluster consensus",
        "item consensus", "stability of clusters", "heatmap",
    ),
)  # fmt: skip
def consensus_map(counted: Counted, here: int | None = None, *, options: ConsensusOptions) -> View:
    """The share of the resamples with both of two rows that put them into one cluster.

    Rows lie in the order of a tree of this consensus, cut into as many clusters. Sharp blocks are
    clusters that come again whatever rows are drawn; what is pale joins now one and now another.
    """
    c = numbers(counted, here, options.clusters)
    note = f"{count(c.k, 'cluster')}, {drawn_from(counted)}"
    return joined(c, draw, reading, table, note=note)


def draw(c: ConsensusMap) -> go.Figure:
    """Dark where two rows are together, a frame around each cluster."""
    names = [str(row + 1) for row in c.rows]
    heat = go.Heatmap(
        x=names, y=names, z=c.matrix.astype(np.float32), colorscale=SHARES, zmin=0, zmax=1,
        colorbar=color_bar("share of the resamples") | {"tickformat": ".0%"},
        hovertemplate="fitted rows %{x} and %{y}<br>together in %{z:.0%}<extra></extra>",
    )  # fmt: skip
    fig = figure(heat, height=HEIGHT, margin={"t": 12, "b": 12})
    plain = {"type": "category", "showgrid": False, "showline": False, "ticks": ""}
    fig.update_xaxes(plain | {"constrain": "domain", "showticklabels": False})
    fig.update_yaxes(plain | {"constrain": "domain", "autorange": "reversed", "scaleanchor": "x"})
    fig.update_layout(shapes=_frames(c))
    return fig.update_yaxes(_names(c, names))


def _bounds(c: ConsensusMap) -> np.ndarray:
    """Where each cluster begins in the order, and the end, (g + 1,)."""
    return np.searchsorted(c.groups, np.arange(len(c.within) + 1))


def _frames(c: ConsensusMap) -> list[dict[str, Any]]:
    """A square around the rows of each cluster."""
    line = {"color": LIGHT.accent, "width": 1.5}
    ends = zip(_bounds(c)[:-1] - 0.5, _bounds(c)[1:] - 0.5, strict=True)
    return [
        {"type": "rect", "x0": low, "x1": high, "y0": low, "y1": high, "line": line}
        for low, high in ends
    ]


def _names(c: ConsensusMap, names: list[str]) -> dict[str, Any]:
    """Each cluster by its number, its rows and its consensus, where its block has room."""
    bounds = _bounds(c)
    sizes = np.diff(bounds)
    named = [g for g in range(len(sizes)) if sizes[g] >= SMALLEST * len(names)][:MOST_NAMED]
    return {
        "tickvals": [names[(bounds[g] + bounds[g + 1]) // 2] for g in named],
        "ticktext": [f"{g + 1}: {sizes[g]} · {c.within[g]:.2f}" for g in named],
        "title": {"text": "Cluster: rows · mean consensus", "standoff": 6},
    }


def reading(c: ConsensusMap) -> str:
    """How sure the clusters are, which is the least sure, and how many rows are between two."""
    fewer = "" if len(c.within) == c.k else f", of which {len(c.within)} can be told apart"
    pairs = f"{percent(c.ambiguous)} of the pairs are neither together nor apart"
    text = (
        f"{count(c.k, 'cluster')}{fewer}: {pairs}, that is together in 10 to 90 % of the resamples."
    )
    if np.isfinite(c.within).any():
        worst = int(np.nanargmin(c.within))
        surety = rough(c.within[worst])
        text += f" Least sure is cluster {worst + 1}, with a mean consensus of {surety}."
    torn = int((c.own <= c.next + TORN).sum())
    if torn:
        verb = "lies" if torn == 1 else "lie"
        text += f" {count(torn, 'row')} {verb} between two clusters."
    return text


def table(c: ConsensusMap) -> tuple[TableColumn, ...]:
    """One line a row: its cluster, and how often it is with its own and with the next one."""
    return (
        TableColumn("fitted row", c.rows + 1),
        TableColumn("consensus cluster", c.groups + 1),
        TableColumn("consensus with its cluster", c.own),
        TableColumn("consensus with the next", c.next),
    )
