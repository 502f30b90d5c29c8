"""The Shepard diagram: distances in a map against those that it was made from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT
from figures.drawing.words import fitted_on
from figures.theme import CLASS_COLORS, LIGHT, faint_marks, figure
from figures.view import TableColumn, View, joined, view
from figures.views.reduction import embedding_scatter as scatter
from mlcore.data.dataset import Dataset
from mlcore.distances.metrics import Distance, Euclidean, Frame, HasFrame
from mlcore.distances.pairwise import between, frame_of_fit
from mlcore.maths.ranks import mean_ranks
from mlcore.reduction.orders import Order, stress_of_order
from mlcore.runs.carry import Whole
from mlcore.spine.asking import any_of, can
from mlcore.spine.capabilities import HasEmbedding, Transforms
from mlcore.spine.errors import DataError
from mlcore.spine.wording import rough

MOST_PAIRS = 3_000  # more marks hide one another
SLICES = 12  # of the distances in the columns, as many pairs in each


class Shepard(NamedTuple):
    """Pairs of rows by their distance, before and after."""

    rows: np.ndarray  # (m, 2) numbers in the table
    before: np.ndarray  # (m,) as the method measures them
    after: np.ndarray  # (m,) in the map
    middles: np.ndarray  # (s,) median distance of each slice before
    quartiles: np.ndarray  # (s, 3) of the distances after
    trend: np.ndarray  # (m,) the rising values nearest to those after
    agreement: float  # rank correlation of both
    n_pairs: int  # of all rows
    where: str  # the distances before are measured: "in the columns"


@view(
    "shepard",
    title="Shepard diagram",
    asks=any_of(Transforms, HasEmbedding),
    on="reduction report",
    order=235,
    sources=("cs1:mds_metric",),
    synonyms=("distance scatter", "distortion of distances", "stress plot", "disparities"),
)
def shepard(dataset: Dataset, whole: Whole) -> View:
    """Each mark is a pair of rows; a map that keeps distances has them on one line."""
    s = numbers(dataset, whole)
    return joined(s, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> Shepard:
    """All pairs of rows, or some that are drawn, always the same."""
    Z, _ = scatter.coordinates(dataset, whole)
    X, n = whole.prepared.transform(dataset.X), len(Z)
    if n < 3:
        raise DataError("Distances are compared of three rows or more.")
    first, second = _pairs(n)
    frame = frame_of_fit(whole.fit)
    placed = frame.placed(X)
    before = between(frame, placed[first], placed[second])
    after = between(Frame(), Z[first], Z[second])
    here = np.isfinite(after)
    first, second, before, after = first[here], second[here], before[here], after[here]
    parts = np.array_split(np.argsort(before, kind="stable"), min(SLICES, len(before)))
    middles = np.array([np.median(before[part]) for part in parts])
    quartiles = np.array([np.quantile(after[part], (0.25, 0.5, 0.75)) for part in parts])
    rows = np.column_stack([dataset.rows[first], dataset.rows[second]])
    trend, agreement = Order(before, True).disparities(after), _rank_correlation(before, after)
    n_pairs, where = n * (n - 1) // 2, _where(whole.fit)
    return Shepard(rows, before, after, middles, quartiles, trend, agreement, n_pairs, where)


def _where(fit: Any) -> str:
    """Where the distances before are measured, in words."""
    frame = frame_of_fit(fit)
    if frame.own is not None:
        return "in the table"  # which holds distances
    own = fit.made_by.parts() if can(fit, HasFrame) else ()
    metric = next((part for part in own if isinstance(part, Distance)), Euclidean())
    return "in the columns" + ("" if metric == Euclidean() else f" ({metric.title()})")


def _pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the rows of each pair, all or as many as may be drawn."""
    if n * (n - 1) // 2 <= MOST_PAIRS:
        return np.triu_indices(n, 1)
    rng = np.random.default_rng(0)  # a picture does not change when it is drawn again
    first = rng.integers(n, size=MOST_PAIRS)
    return first, (first + rng.integers(1, n, size=MOST_PAIRS)) % n


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Of Spearman; NaN where one of both never differs."""
    first, second = mean_ranks(a), mean_ranks(b)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])


def draw(s: Shepard) -> go.Figure:
    """Marks behind, the middle half, the median and a trend on top, and equal distances."""
    middle, quartiles = s.middles, s.quartiles
    far = float(min(s.before.max(initial=0.0), s.after.max(initial=0.0)))
    pairs = [f"rows {i + 1} and {j + 1}" for i, j in s.rows]
    rising = np.lexsort((s.trend, s.before))
    return figure(
        go.Scatter(
            x=s.before, y=s.after, mode="markers", name="pairs of rows", text=pairs,
            marker=faint_marks(3, 0.35, color=LIGHT.quiet),
            hovertemplate=f"%{{text}}<br>%{{x:.4~g}} {s.where}, %{{y:.4~g}} in the map"
            "<extra></extra>",
        ),
        go.Scatter(
            x=[0.0, far], y=[0.0, far], mode="lines", name="equal distances", hoverinfo="skip",
            line={"color": LIGHT.text, "dash": "dot", "width": 1.5},
        ),
        go.Scatter(
            x=s.before[rising], y=s.trend[rising], mode="lines", name="rising trend",
            line={"color": CLASS_COLORS[0], "width": 2}, hoverinfo="skip",
        ),
        go.Scatter(
            x=middle, y=quartiles[:, 1], mode="lines+markers", name="median and middle half",
            line={"color": CLASS_COLORS[1]}, marker={"size": 6},
            error_y={"array": quartiles[:, 2] - quartiles[:, 1],
                     "arrayminus": quartiles[:, 1] - quartiles[:, 0],
                     "color": CLASS_COLORS[1], "thickness": 1.5, "width": 3},
            hovertemplate=f"%{{x:.4~g}} {s.where}<br>median %{{y:.4~g}} in the map"
            "<extra></extra>",
        ),
        height=HEIGHT,
        xaxis={"title": {"text": f"Distance {s.where}"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "Distance in the map"}, "rangemode": "tozero"},
        showlegend=True,
    )  # fmt: skip


def reading(s: Shepard) -> str:
    """How far the order of distances is kept, and what becomes of small and of large ones."""
    if not np.isfinite(s.agreement):
        return f"All pairs of rows are equally far apart, {s.where} or in the map."
    text = (
        f"The order of distances is kept by a rank correlation of {s.agreement:.3f}, and against "
        f"the rising trend by a stress of {stress_of_order(s.after, s.trend):.3f}."
    )
    ratios = s.quartiles[:, 1] / np.where(s.middles > 0, s.middles, np.nan)
    known = ratios[np.isfinite(ratios)]
    if len(known) > 1:
        text += (
            f" The nearest pairs lie {rough(float(known[0]))} times as far apart in the map as "
            f"{s.where}, the farthest {rough(float(known[-1]))} times."
        )
    if s.n_pairs > len(s.before):
        text += f" {len(s.before):,} of {s.n_pairs:,} pairs are drawn."
    return text


def table(s: Shepard) -> tuple[TableColumn, ...]:
    """One line a pair."""
    return (
        TableColumn("one row", s.rows[:, 0] + 1),
        TableColumn("other row", s.rows[:, 1] + 1),
        TableColumn(f"distance {s.where}", s.before),
        TableColumn("distance in the map", s.after),
        TableColumn("rising trend", s.trend),
    )
