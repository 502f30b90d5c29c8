"""How many clusters: every criterion over the numbers that were tried, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import numbered
from figures.graph import make_subplots
from figures.options import Options
from figures.theme import LIGHT, NO_TEMPLATE, band, faded
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.group_counts import Opinion
from mlcore.runs.counting.cluster_count import (
    most_clusters,
    references_drawn,
    resamples_drawn,
    splits_drawn,
)
from mlcore.runs.counting.counted import Counted, verdict
from mlcore.runs.counting.parts import REFERENCE, RESAMPLE, SPLIT
from mlcore.spine.wording import count

ACROSS = 4
ROW, HEAD = 185, 46  # pixels of a row of pictures, and of the two lines above each
FOOT = 44  # pixels below the last row
HOLLOW, FILLED = 7, 11  # pixels of a mark


@dataclass(frozen=True, kw_only=True)
class CountOptions(Options):
    """How far is counted and by how many draws: with it the address says the whole of it."""

    highest: int = most_clusters()
    resamples: int = resamples_drawn()
    splits: int = splits_drawn()
    references: int = references_drawn()


class Criteria(NamedTuple):
    """Every criterion that is defined."""

    ks: tuple[int, ...]
    opinions: tuple[Opinion, ...]
    ranks: np.ndarray  # (K,)
    here: int | None  # the number of clusters now
    verdict: str


@view(
    "number_of_clusters",
    title="Number of clusters",
    options=CountOptions,
    sources=("epfl:kmeans_elbow", "epfl:metric_consensus", "mi2:kmeans_resolution_curve"),
    synonyms=(
        "elbow", "choosing K", "silhouette score", "gap statistic", "prediction strength",
        "consensus clustering", "Calinski-Harabasz",
        "Davies-Bouldin", "BIC", "model selection", "k_curve", "criteria table",
    ),
)  # fmt: skip
def number_of_clusters(counted: Counted, here: int | None = None, *, options: CountOptions) -> View:
    """Criteria over the number of clusters: a filled dot is what one says, the band is K now.

    The options are how it was counted, which is done by then.
    """
    c = numbers(counted, here)
    return joined(c, draw, reading, table, note=_note(counted))


def _note(counted: Counted) -> str:
    drawn = [
        count(len(counted.of(stage)), stage)
        for stage in (RESAMPLE, SPLIT, REFERENCE)
        if counted.of(stage)
    ]
    return ", ".join(["on the fitted rows", *drawn])


def numbers(counted: Counted, here: int | None = None) -> Criteria:
    """The criteria; `here` is the present number of clusters."""
    says = verdict(counted)
    return Criteria(counted.numbers, counted.opinions, counted.ranks, here, says)


def draw(c: Criteria) -> go.Figure:
    """Small pictures of equal size, one a criterion, each to its own scale."""
    n = max(len(c.opinions), 1)
    down = -(-n // ACROSS)
    across = -(-n // down)  # rows of equal length
    height = (ROW + HEAD) * down + FOOT
    inner = height - FOOT - HEAD
    fig: Any = make_subplots(
        down,
        across,
        horizontal_spacing=0.055,
        vertical_spacing=(HEAD + 24) / inner if down > 1 else 0,
    )
    fig.update_layout(template=NO_TEMPLATE, height=height, showlegend=False)
    fig.update_layout(margin={"t": HEAD, "b": FOOT - 8, "l": 8, "r": 8})
    for k, each in enumerate(c.opinions):
        place: dict[str, Any] = {"row": k // across + 1, "col": k % across + 1}
        for trace in _traces(c, each):
            fig.add_trace(trace, **place)
        if c.here is not None and c.here in c.ks:
            fig.add_vrect(
                c.here - 0.4, c.here + 0.4, fillcolor=faded(LIGHT.accent, 0.12), line_width=0,
                layer="below", **place,
            )  # fmt: skip
        _headed(fig, each, k)
        fig.update_xaxes(
            range=[min(c.ks) - 0.5, max(c.ks) + 0.5], dtick=1 if len(c.ks) <= 12 else None,
            showgrid=False, tickangle=0, **place,
        )  # fmt: skip
        fig.update_yaxes(nticks=4, **place)
    return fig


def _headed(fig: Any, each: Opinion, k: int) -> None:
    """The name of a criterion with what it says, and below in grey by which rule."""
    x = fig.layout["xaxis" if k == 0 else f"xaxis{k + 1}"].domain
    top = fig.layout["yaxis" if k == 0 else f"yaxis{k + 1}"].domain[1]
    says = " or ".join(map(str, sorted(each.says))) if len(each.says) < 4 else "many"
    line: dict[str, Any] = {"y": top, "xref": "paper", "yref": "paper", "yanchor": "bottom"}
    left, right = {"x": x[0], "xanchor": "left"}, {"x": x[1], "xanchor": "right"}
    bold, small = {"size": 13, "color": LIGHT.text}, {"size": 11, "color": LIGHT.quiet}
    fig.add_annotation(text=f"<b>{each.criterion.title}</b>", font=bold, yshift=20, **left, **line)
    fig.add_annotation(text=each.criterion.rule, font=small, yshift=4, **left, **line)
    fig.add_annotation(
        text=f"<b>{says}</b>", font=bold | {"color": LIGHT.accent}, yshift=20, **right, **line
    )


def _traces(c: Criteria, each: Opinion) -> list[go.Scatter]:
    """The band of the spread, and the line with a mark a number, filled where it is chosen."""
    there = np.isfinite(each.values)
    ks, values, spread = np.array(c.ks)[there], each.values[there], each.spread[there]
    traces = []
    if np.isfinite(spread).any():
        low, high = values - spread, values + spread
        if each.criterion.name in ("stability", "prediction_strength"):
            high = np.minimum(high, 1.0)  # no two groupings agree more
        if each.criterion.name == "stability_index":
            low = np.maximum(low, 0.0)  # nor do they differ less
        traces.append(
            go.Scatter(
                x=np.concatenate([ks, ks[::-1]]), y=np.concatenate([high, low[::-1]]),
                fill="toself", fillcolor=band(LIGHT.accent), mode="lines", line={"width": 0},
                hoverinfo="skip",
            )
        )  # fmt: skip
    chosen = np.isin(ks, each.says)
    marker = {
        "size": np.where(chosen, FILLED, HOLLOW),
        "color": [LIGHT.accent if is_chosen else LIGHT.background for is_chosen in chosen],
        "line": {"width": 1.5, "color": LIGHT.accent},
        "opacity": 1,
    }
    curve = go.Scatter(
        x=ks, y=values, mode="lines+markers", marker=marker,
        line={"color": LIGHT.accent, "width": 1.8},
        hovertemplate=f"%{{x}} clusters<br>{each.criterion.title} %{{y:.4~g}}<extra></extra>",
    )  # fmt: skip
    return [*traces, numbered(curve, ks)]


def reading(c: Criteria) -> str:
    """Who says what."""
    return c.verdict


def table(c: Criteria) -> tuple[TableColumn, ...]:
    """One line a number of clusters."""
    columns = [TableColumn("clusters", np.array(c.ks))]
    for each in c.opinions:
        columns.append(TableColumn(each.criterion.title, each.values))
        if np.isfinite(each.spread).any():
            what = "standard error" if each.criterion.name == "gap" else "sd"
            columns.append(TableColumn(f"{each.criterion.title}, {what}", each.spread))
    return (*columns, TableColumn("mean rank", c.ranks))
