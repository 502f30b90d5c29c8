"""The novelty map: where rows are accepted, how usual each place is, and which rows are outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.level_lines import level_lines
from figures.drawing.traces import (
    CELLS,
    CURVE,
    HEIGHT,
    ROWS,
    dated,
    located,
    mixed_points,
    named_line,
)
from figures.drawing.words import fitted_on
from figures.numbers.astray import asked, astray, careful
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.numbers.verdicts import Judged, how_many, judged
from figures.options import ANY_AXES, Axes, Options
from figures.recording import Changes
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import fill_plane, kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import JudgesRows
from mlcore.spine.novelty import VERDICTS, verdicts
from mlcore.spine.params import choice
from mlcore.spine.wording import rough

QUARTILES = (0.25, 0.5, 0.75)  # of the scores of rows inside: where the contours are
SHADES = (0.0, 0.16, 0.28, 0.42, 0.58)  # outside, then from the threshold upwards
SMALL, LARGE = 4.0, 22.0  # pixels of the most and of the least usual row
SIDES = tuple(VERDICTS.values())


@dataclass(frozen=True, kw_only=True)
class NoveltyOptions(Options):
    """What the marks of rows say beside the side on which they lie."""

    marks: str = choice(
        "plain",
        "plain",
        "sizes",
        "rarest",
        label="Marks",
        doc="All alike, the larger the less usual, or with rings around the rows of the rarest "
        "class, which the method was not told.",
    )


class NoveltyMap(NamedTuple):
    """A plane with the usualness of its cells, and the rows in it."""

    shown: Projection
    cloud: Cloud  # class 0 inside, 1 outside
    judged: Judged
    here: np.ndarray  # (n,) which rows have a place
    cells: np.ndarray  # (b, a) usualness
    marks: str
    astray: float  # share of rows that lie on the other side of the line than the method says

    @property
    def is_parted(self) -> bool:
        """Whether cells lie on both sides of the threshold, with a line between them."""
        return bool((self.cells < self.judged.threshold).any() and self._has_inside)

    @property
    def _has_inside(self) -> bool:
        return bool((self.cells >= self.judged.threshold).any())


@view(
    "novelty_map",
    title="Novelty map",
    asks=JudgesRows,
    options=NoveltyOptions,
    on="novelty svm report compare",
    order=8,
    sources=("cs1:membership_2nn", "cs1:novelty_as_classifier"),
    synonyms=("anomaly map", "outlier map", "accepted region", "one-class boundary"),
)
def novelty_map(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: NoveltyOptions
) -> View:
    """The accepted region with contours of the score, and the rows inside and outside.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named. What is drawn is a slice; a row may lie outside for what is not shown.
    """
    m = numbers(dataset, whole, x=axes.x, y=axes.y, marks=options.marks)
    note = fitted_on(dataset, whole)
    return joined(m, draw, reading, table, note=note, rows=m.cloud.rows, step=step)


def numbers(
    dataset: Dataset, whole: Whole, *, x: str = "", y: str = "", marks: str = "plain"
) -> NoveltyMap:
    """The scores of the cells and of the rows."""
    shown = spread_projection(dataset, whole, x, y)
    j = judged(dataset, whole)
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, j.outside.astype(np.int64), SIDES))
    scores = _scores(shown, whole)
    sides = (scores < j.threshold).astype(np.int64)
    away = astray(dataset, shown, sides, j.outside[asked(shown)])
    return NoveltyMap(shown, cloud, j, shown.here, scores, marks, away)


def _scores(shown: Projection, whole: Whole) -> np.ndarray:
    fit: Any = whole.fit
    return fit.usualness(shown.cells).reshape(shown.plane.shape)


def levels(j: Judged) -> np.ndarray:
    """Ends of the shades, ascending, (5,): threshold and quartiles of the rows inside, the top."""
    inside = j.usualness[~j.outside]
    if not len(inside):
        return j.threshold + np.arange(5.0)
    ends = [j.threshold, *np.quantile(inside, QUARTILES), inside.max()]
    return np.maximum.accumulate(np.asarray(ends, dtype=np.float64))


def shades(scores: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Scores as heights between the levels, from 0 far outside over 1 at the threshold to 5.

    Levels that are equal get one height, so that contours lie where the quantiles are.
    """
    low = at[0] - max(float(at[-1] - at[0]), 1e-12)
    ends = np.concatenate([[low], at])
    kept = np.concatenate([np.diff(ends) > 0, [True]])  # of equal ends the last
    return np.interp(scores, ends[kept], np.arange(float(len(ends)))[kept])


def draw(m: NoveltyMap) -> go.Figure:
    """Shades where rows are accepted, a line at the threshold, a mark a row."""
    if m.shown.plane.y is None:
        return _curve(m)
    kinds = kinds_of(m.shown.plane)
    x, y = dated(m.shown.plane.x.cells, kinds[0]), dated(m.shown.plane.y.cells, kinds[1])
    z = shades(m.cells, levels(m.judged)).astype(np.float32)
    line = _line(x, y, z).update(showlegend=m.is_parted)
    traces = [_region(x, y, z), line, *_rows(m, kinds)]
    return fill_plane(figure(*traces, height=HEIGHT, showlegend=True), m.shown)


def _region(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> go.Contour:
    colors = []
    for k, strength in enumerate(SHADES):
        color = faded(LIGHT.accent, strength)
        colors += [(k / len(SHADES), color), ((k + 1) / len(SHADES), color)]
    return go.Contour(
        x=x, y=y, z=z, zmin=0.0, zmax=float(len(SHADES)), colorscale=colors, showscale=False,
        contours={"start": 1.0, "end": 4.0, "size": 1.0, "coloring": "fill"},
        line={"width": 0.5, "color": faded(LIGHT.text, 0.35)}, hoverinfo="skip",
        uid=CELLS, showlegend=False,
    )  # fmt: skip


def _line(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> go.Contour:
    look = {"uid": CURVE, "name": "threshold", "showlegend": True}
    return level_lines(x, y, z, (1.0,), line={"width": 2}, **look)


def _rows(m: NoveltyMap, kinds: tuple[str, str]) -> list[Any]:
    scores = m.judged.usualness[m.here]
    texts = [f"score {rough(float(s))}" for s in scores]
    traces = mixed_points(m.cloud, texts=texts, kinds=kinds)
    for trace in traces:
        if trace.uid == ROWS and m.marks == "sizes":
            ranks = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
            share = ranks / max(len(scores) - 1, 1)
            trace.marker.size = (SMALL + (LARGE - SMALL) * share**3).astype(np.float32)
        elif trace.uid == ROWS:
            trace.marker.size = 6
    if m.marks == "rarest" and m.judged.rare is not None:
        of = m.judged.rare[m.here]
        x, y = dated(m.cloud.x[of], kinds[0]), dated(m.cloud.y[of], kinds[1])
        traces.append(marks.rings(x, y, name=m.judged.rare_name, rows=m.cloud.rows[of]))
    return traces


def _curve(m: NoveltyMap) -> go.Figure:
    kind = kinds_of(m.shown.plane)[0]
    x, low = dated(m.shown.plane.x.cells, kind), float(m.cells.min())
    line = go.Scatter(
        x=x, y=m.cells[0], mode="lines", line={"color": LIGHT.accent}, uid=CURVE,
        showlegend=False, hovertemplate="%{x}<br>%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    flat = m._replace(cloud=m.cloud._replace(y=np.full(m.cloud.n, low)))
    fig = on_plane(figure(line, *_rows(flat, (kind, "")), height=HEIGHT, showlegend=True), m.shown)
    fig.update_yaxes(visible=True, title={"text": m.judged.name}, range=None)
    return named_line(fig, f"threshold {rough(m.judged.threshold)}", y=m.judged.threshold)


def step(m: NoveltyMap, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the score of every place, and on which side each row lies."""
    now = judged(dataset, whole)
    changes: dict[int, Any] = {}
    cells = _scores(m.shown, whole)
    if CELLS in at:
        z = shades(cells, levels(now)).astype(np.float32)
        changes = {at[CELLS]: {"z": z}, at[CURVE]: {"z": z}}
    elif CURVE in at:
        changes[at[CURVE]] = {"y": cells[0]}
    if ROWS in at:
        changes[at[ROWS]] = {"class": now.outside[m.here].astype(np.int64)}
    return changes


def reading(m: NoveltyMap) -> str:
    """How many rows lie outside, the least usual one, and what the shades are."""
    least = int(m.judged.usualness.argmin())
    parts = []
    if len(m.judged.usualness) == len(m.here) and m.here[least]:
        row = int(m.cloud.rows[int(m.here[:least].sum())]) + 1
        score = rough(float(m.judged.usualness[least]))
        parts.append(f"row {row} is the least usual: {m.judged.name} {score}")
    if m.shown.plane.y is not None and m.is_parted:
        parts.append("shades end at the quartiles of the rows inside")
    elif m.shown.plane.y is not None:
        side = "above" if m._has_inside else "below"
        parts.append(f"every place of the grid is {side} the threshold, so no line is drawn")
    ends = "; ".join(parts)
    text = f"{how_many(m.judged)} {ends[:1].upper()}{ends[1:]}{'. ' if ends else ''}"
    where = "lie on the other side of the drawn threshold than the method puts them"
    return f"{text}{m.shown.how}{careful(m.astray, where)}".strip()


def table(m: NoveltyMap) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    of = m.here
    sides = verdicts(np.where(m.judged.outside[of], -1, 1))
    return (
        *located(m.shown.plane, m.cloud),
        TableColumn(m.judged.name, m.judged.usualness[of]),
        TableColumn("verdict", sides),
    )
