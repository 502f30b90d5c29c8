"""Where a class is said as missing it grows dearer, in the plane of two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CELLS, HEIGHT, color_bar, dated, located, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.interest import class_of_interest
from figures.numbers.left_out import refuse_long
from figures.numbers.projections import Projection, class_projection
from figures.options import ANY_AXES, Axes, Options
from figures.theme import LIGHT, SHARES, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import fit_prepared
from mlcore.spine.asking import any_of, can
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.capabilities_of_costs import HasCosts, LearnsFromCosts
from mlcore.spine.errors import ParamError
from mlcore.spine.wording import percent, rough

RATIOS = np.array([1 / 30, 1 / 10, 1 / 3, 1.0, 3.0, 10.0, 30.0])  # where the colour changes
WRITTEN = ("1/30", "1/10", "1/3", "1", "3", "10", "30")
LEAST = 1e-12  # a probability below it is taken for it
THIN = 2  # cells of which every second one is drawn


class CostMap(NamedTuple):
    """The ratio of costs from which a class is said, on the cells of a plane and on the rows."""

    shown: Projection
    ratio: np.ndarray  # (b, a)
    cloud: Cloud
    at_rows: np.ndarray  # (m,) of the rows in the picture
    own: float  # of the method, of two classes; NaN where there is no single one
    name: str  # the class
    fits: int = 0  # that were made for it, where the method learns from costs


@dataclass(frozen=True, kw_only=True)
class CostMapOptions(Options):
    """What may be chosen of the picture."""

    positive: str | None = class_of_interest(
        "The class whose misses grow dearer.", of_more="the last", unnamed="The last class"
    )


@view(
    "cost_map",
    title="Classes as costs move",
    asks=(HasCosts, any_of(GivesProbabilities, LearnsFromCosts)),
    options=CostMapOptions,
    on="classification report",
    order=94,
    sources=("cs1:cost_matrix", "epfl:fp_fn_tradeoff"),
    synonyms=("cost ratio", "decision boundary", "threshold", "iso-cost lines"),
)
def cost_map(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: CostMapOptions
) -> View:
    r"""From which cost of a miss on a class is said, at every place of a plane.

    Where missing a row of class k costs r and every other error 1, class k is said from
    $r = \max_{l \ne k} p_l(x) / p_k(x)$ on. The border of each cost is the edge of a colour. A
    method that learns from the costs is fitted anew for each of them.
    """
    c = numbers(dataset, whole, x=axes.x, y=axes.y, positive=options.positive)
    note = fitted_on(dataset, whole) + (f", once for each of {c.fits} costs" if c.fits else "")
    return joined(c, draw, reading, table, note=note, rows=c.cloud.rows)


def numbers(
    dataset: Dataset, whole: Whole, *, x: str = "", y: str = "", positive: str | None = None
) -> CostMap:
    """Of the class of that name, by default the last of the fit."""
    fit: Any = whole.fit
    names = [dataset.classes[int(code)] for code in fit.classes]
    if positive is not None and positive not in names:
        raise ParamError(f"The fit knows no class {positive!r}; choose another class.")
    k = len(names) - 1 if positive is None else names.index(positive)
    shown = class_projection(dataset, whole, x, y)
    rows = whole.prepared.transform(dataset.X)[shown.here]
    own, cloud = _own(fit.costs, k), cloud_of(dataset, shown.x, shown.y)
    if can(fit, GivesProbabilities):
        at_cells, at_rows = (ratios(fit.probabilities(Z), k) for Z in (shown.cells, rows))
        return CostMap(shown, at_cells.reshape(shown.plane.shape), cloud, at_rows, own, names[k])
    tried = np.union1d(RATIOS, own if 0 < own < np.inf else 1.0)
    raised = CostsRaised(dataset, whole, k, tried)
    at_cells = raised.between(shown.cells).reshape(shown.plane.shape)
    return CostMap(shown, at_cells, cloud, raised.least(rows), own, names[k], len(tried))


class CostsRaised:
    """A method that learns from costs, fitted for each of several costs of missing a class."""

    def __init__(self, dataset: Dataset, whole: Whole, k: int, tried: np.ndarray) -> None:
        fit: Any = whole.fit
        methods = [fit.dearer(k, float(ratio)) for ratio in tried]
        refuse_long(methods[0], whole.prepared.X, len(methods))
        rows = np.arange(dataset.n)
        self.fits = [fit_prepared(it, whole.prepared, dataset, rows, 0) for it in methods]
        self.label, self.tried = fit.classes[k], tried

    def first(self, Z: np.ndarray) -> np.ndarray:
        """Place in `tried` of the cost from which on the class is said of rows Z, (m, p).

        As many as there are costs where the dearest is not enough.
        """
        chosen = np.array([fit.predict(Z) == self.label for fit in self.fits])
        stays = np.logical_and.accumulate(chosen[::-1])[::-1]
        return np.where(stays.any(axis=0), stays.argmax(axis=0), len(self.tried))

    def between(self, Z: np.ndarray) -> np.ndarray:
        """A cost between the last at which the class is not said and the first at which it is."""
        steps = np.log(self.tried)
        ends = [steps[0] - 1.0, *((steps[1:] + steps[:-1]) / 2), steps[-1] + 1.0]
        return np.exp(np.array(ends))[self.first(Z)]

    def least(self, Z: np.ndarray) -> np.ndarray:
        """The least of the costs from which on the class is said, infinite where none is."""
        return np.append(self.tried, np.inf)[self.first(Z)]


def ratios(P: np.ndarray, k: int) -> np.ndarray:
    """How many times dearer than other errors a miss of class k must be for k to cost least, (m,).

    P holds probabilities, shape (m, K). Class k is expected to cost 1 - p_k, another class l
    r p_k + 1 - p_k - p_l.
    """
    P = np.maximum(P, LEAST)
    return np.delete(P, k, axis=1).max(axis=1) / P[:, k]


def _own(costs: np.ndarray, k: int) -> float:
    alarm = costs[1 - k, k] if len(costs) == 2 else 0.0
    return float(costs[k, 1 - k] / alarm) if alarm > 0 else np.nan


def draw(c: CostMap) -> go.Figure:
    """One colour between two costs, lines at equal and at the method's costs, and the rows."""
    kinds = kinds_of(c.shown.plane)
    texts = [f"{name}, {_from(r)}" for name, r in zip(_names(c), c.at_rows, strict=True)]
    rows = points_of(c.cloud, texts=texts, kinds=kinds)
    return on_plane(figure(*_cells(c), *rows, height=HEIGHT, showlegend=True), c.shown)


def _from(ratio: float) -> str:
    return f"from {rough(ratio)}" if np.isfinite(ratio) else f"not up to {WRITTEN[-1]}"


def _names(c: CostMap) -> np.ndarray:
    return np.array(c.cloud.names)[c.cloud.klass]


def _cells(c: CostMap) -> list[Any]:
    """The colours; of a single column upright bands, and no lines but their edges."""
    plane, kinds = c.shown.plane, kinds_of(c.shown.plane)
    x = dated(plane.x.cells, kinds[0])
    bands = np.searchsorted(RATIOS, c.ratio, side="right").astype(np.float32)
    bar = color_bar("Said from") | {"tickvals": np.arange(7) + 0.5, "ticktext": WRITTEN}
    heat = go.Heatmap(
        x=x, z=bands, zmin=-0.5, zmax=7.5, colorscale=SHARES, reversescale=True, colorbar=bar,
        hoverinfo="skip", uid=CELLS,
    )  # fmt: skip
    if plane.y is None:
        return [heat.update(dy=1.0, y0=0.0)]
    y = dated(plane.y.cells, kinds[1])
    lines = [_border(c, x, y, 1.0, "equal costs", "solid")]
    if np.isfinite(c.own) and c.own > 0 and c.own != 1.0:
        lines.append(_border(c, x, y, c.own, f"its costs, {rough(c.own)}", "dash"))
    return [heat.update(y=y), *lines]


def _border(c: CostMap, x: Any, y: Any, ratio: float, name: str, dash: str) -> go.Contour:
    """Where the class costs as much as the cheapest other, at this ratio of costs."""
    level = float(np.log(ratio))
    return go.Contour(
        x=x[::THIN], y=y[::THIN], z=np.log(c.ratio[::THIN, ::THIN]).astype(np.float32),
        contours={"coloring": "none", "start": level, "end": level, "size": 1},
        line={"color": LIGHT.text, "dash": dash, "width": 2, "smoothing": 0},
        hoverinfo="skip", name=name, showlegend=True, showscale=False,
    )  # fmt: skip


def reading(c: CostMap) -> str:
    """On how many of the rows the class is said as its misses grow dearer."""
    even, dear, cheap = (percent(float((c.at_rows <= r).mean())) for r in (1.0, 10.0, 0.1))
    text = (
        f"Where every error costs the same, {c.name} costs least on {even} of the rows; where "
        f"missing it costs ten times another error on {dear}, a tenth on {cheap}."
    )
    if np.isfinite(c.own):
        share = percent(float((c.at_rows <= c.own).mean()))
        text += f" By the costs of the method, {rough(c.own)} to 1, it is {share}."
    return f"{text} {c.shown.how}".strip()


def table(c: CostMap) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        *located(c.shown.plane, c.cloud),
        TableColumn("class", _names(c)),
        TableColumn(f"cost of missing {c.name} from which it is said", c.at_rows),
    )
