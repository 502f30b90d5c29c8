"""The density map: how densely rows lie at every place of the plane, or along a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

import figures.graph as go
from figures.drawing.level_lines import level_lines
from figures.drawing.traces import CELLS, CURVE, HEIGHT, dated, points_of
from figures.drawing.words import fitted_on
from figures.numbers.astray import asked, careful, lower
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.numbers.regions import cells_of, mass_inside
from figures.options import ANY_AXES, Axes, Options
from figures.recording import Changes
from figures.theme import LIGHT, band, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from figures.views.clustering.ellipse_map import fallen, gaussian_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesDensity, HasComponents
from mlcore.spine.params import choice
from mlcore.spine.wording import count, plural, rough

TENTH = float(np.log(10.0))
COVERED = 2  # cells from the middle of a mark and its halo to their edge, at most
SPIKE = float(np.log(2.0))  # by which a row is denser than the middle of its cell
DECADES = 6.0  # below the highest density that a logarithmic scale still shows
SHARES = (0.5, 0.9)  # of the density within the level lines
REACH = 2.2  # standard deviations of a component within which nine tenths of it lie
LINES = "lines"
THIN = 2  # cells a side for a knot of the lines: they are as smooth, and a quarter to send
SCALE = [(0.0, faded(LIGHT.accent, 0.0)), (1.0, faded(LIGHT.accent, 0.75))]


@dataclass(frozen=True, kw_only=True)
class DensityOptions(Options):
    """How a density becomes a colour."""

    scale: str = choice(
        "plain",
        "plain",
        "logarithm",
        label="Scale",
        doc="Whether colours stand for densities, or for their logarithms, which show the tails.",
    )


class DensityMap(NamedTuple):
    """Densities in a plane, or along an axis."""

    shown: Projection
    cloud: Cloud
    z: np.ndarray  # (b, a) density, or its logarithm to base 10
    is_log: bool
    at_rows: np.ndarray  # (n,) log-density of every row
    of_all: bool  # whether the other columns are integrated out; else it is a slice
    astray: float  # share of rows where the picture shows less than a tenth of their density
    spikes: int = 0  # rows whose density falls between the cells, which show that of the row
    is_narrow: bool = False  # whether most rows are hills that a usual mark would hide
    inside: np.ndarray | None = None  # (b, a) share of the picture's density in cells as dense

    @property
    def has_lines(self) -> bool:
        """Whether level lines are drawn: on a plane, and not around every row."""
        return self.inside is not None and not (self.spikes or self.is_narrow)


@view(
    "density_map",
    title="Density",
    asks=GivesDensity,
    options=DensityOptions,
    on="clustering classification report compare",
    order=123,
    sources=("mi2:kde_gauss", "mi2:kde_box"),
    synonyms=("density estimate", "heat map of rows", "KDE plot"),
)
def density_map(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: DensityOptions
) -> View:
    """The density at every place of a plane in prepared coordinates, with the rows.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named. Of a mixture of normal distributions, as classifiers have too, that is the
    density of the rows as they fall on this plane, of others a slice. Lines are around the smallest
    regions with half and with nine tenths of the density that is in the picture.
    """
    is_log = options.scale == "logarithm"
    d = numbers(dataset, whole, x=axes.x, y=axes.y, is_log=is_log)
    note = f"{fitted_on(dataset, whole)}; in prepared coordinates"
    return joined(d, draw, reading, table, note=note, rows=d.cloud.rows, step=step)


def numbers(
    dataset: Dataset, whole: Whole, *, x: str = "", y: str = "", is_log: bool = False
) -> DensityMap:
    """The densities of the cells, and of the rows."""
    shown = _plane(dataset, whole, x, y)
    fit: Any = whole.fit
    at_rows = fit.log_density(whole.prepared.transform(dataset.X))
    nobody = np.zeros(dataset.n, dtype=np.int64)
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, nobody, ()))
    logs, of_all = _logs(shown, fit), _falls(shown, fit)
    logs, spikes = _spiked(shown, logs, at_rows)
    away = 0.0 if of_all else lower(dataset, shown, logs, at_rows[asked(shown)] - TENTH)
    z, narrow = _scaled(logs, is_log), _are_hidden(shown, logs, at_rows)
    inside = None if shown.plane.y is None else mass_inside(logs)
    return DensityMap(shown, cloud, z, is_log, at_rows, of_all, away, spikes, narrow, inside)


def _plane(dataset: Dataset, whole: Whole, x: str, y: str) -> Projection:
    """The plane of the rows, with the level lines of Gaussians whole."""
    if can(whole.fit, HasComponents):
        return gaussian_plane(dataset, whole, x, y, widths=(REACH,))
    return spread_projection(dataset, whole, x, y)


def _are_hidden(shown: Projection, logs: np.ndarray, at_rows: np.ndarray) -> bool:
    """Whether the density halves, around most rows, within what a mark of theirs covers."""
    if shown.plane.y is None or not shown.here.any():
        return False
    up, across = cells_of(shown.plane, shown.x[shown.here], shown.y[shown.here])
    b, a = logs.shape
    beside = [
        logs[np.clip(up + i, 0, b - 1), np.clip(across + j, 0, a - 1)]
        for i, j in ((COVERED, 0), (-COVERED, 0), (0, COVERED), (0, -COVERED))
    ]
    return bool(np.median(at_rows[shown.here] - np.max(beside, axis=0)) > SPIKE)


def _spiked(shown: Projection, logs: np.ndarray, at_rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Log-densities of cells, (b, a), at least those of rows that are spikes, and how many are.

    A kernel narrower than a cell leaves nothing at the middles of cells. In a slice or a shadow of
    more columns the rows do not lie in the plane, and the cells stay as they are.
    """
    n_axes = 1 + (shown.plane.y is not None)
    if shown.axes is None or shown.cells.shape[1] != n_axes:
        return logs, 0
    here = shown.here
    up, across = cells_of(shown.plane, shown.x[here], shown.y[here])
    of_rows = at_rows[here]
    is_spike = of_rows > logs[up, across] + SPIKE
    logs = logs.copy()
    np.maximum.at(logs, (up[is_spike], across[is_spike]), of_rows[is_spike])
    return logs, int(is_spike.sum())


def _falls(shown: Projection, fit: Any) -> bool:
    """Whether it is known how the density falls on the plane, and columns lie beside it."""
    has_more = shown.cells.shape[1] > 2 and shown.plane.y is not None
    return has_more and shown.axes is not None and can(fit, HasComponents)


def _logs(shown: Projection, fit: Any) -> np.ndarray:
    """Log-densities of the cells, shape (b, a): of all that falls on a plane, or of the slice."""
    if not _falls(shown, fit):
        return fit.log_density(shown.cells).reshape(shown.plane.shape)
    means, covariances = shown.place(fit.means), fallen(shown, fit)
    assert means is not None  # asked by `_falls`
    assert shown.axes is not None
    assert shown.plane.y is not None
    x, y = np.meshgrid(shown.plane.x.cells, shown.plane.y.cells)
    at = np.column_stack([x.ravel(), y.ravel()])
    each = [
        np.log(weight) + _log_normal(at, mean, covariance)
        for weight, mean, covariance in zip(fit.weights, means, covariances, strict=True)
        if weight > 0
    ]
    # A unit of the axes may be several of the prepared columns: densities are of these.
    stretch = 0.5 * np.linalg.slogdet(shown.axes @ shown.axes.T)[1]
    return np.logaddexp.reduce(each).reshape(shown.plane.shape) + stretch


def _log_normal(at: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Log-densities of a normal distribution at places, shape (m, 2)."""
    root = np.linalg.cholesky(covariance)
    away = solve_triangular(root, (at - mean).T, lower=True)
    return -0.5 * (away**2).sum(axis=0) - np.log(np.diag(root)).sum() - np.log(2 * np.pi)


def _scaled(logs: np.ndarray, is_log: bool) -> np.ndarray:
    if not is_log:
        with np.errstate(under="ignore"):
            return np.exp(np.minimum(logs, 700.0))
    logs = logs / np.log(10.0)
    return np.maximum(logs, logs.max() - DECADES)


def draw(d: DensityMap) -> go.Figure:
    """Colour behind, rows small on top; of a single column a curve over its rows."""
    if d.shown.plane.y is None:
        return _curve(d)
    kinds = kinds_of(d.shown.plane)
    x, y = dated(d.shown.plane.x.cells, kinds[0]), dated(d.shown.plane.y.cells, kinds[1])
    heat = go.Heatmap(
        x=x,
        y=y,
        z=d.z.astype(np.float32),
        zmin=float(d.z.min()) if d.is_log else 0.0,
        zmax=float(d.z.max()) or 1.0,
        colorscale=SCALE,
        showscale=False,
        hovertemplate="%{z:.4~g}<extra></extra>",
        uid=CELLS,
    )
    rows = points_of(d.cloud, kinds=kinds)
    for trace in rows:
        trace.update(showlegend=False)
        if d.is_narrow and not d.cloud.is_crowded:  # without a halo, which would hide as much
            trace.marker.update(size=2, line={"width": 0})
        elif not d.cloud.is_crowded:
            trace.marker.size = 5
    lines = []
    if d.has_lines and d.inside is not None:
        look = {"uid": LINES, "showlegend": False}
        z = d.inside[::THIN, ::THIN]
        lines.append(level_lines(x[::THIN], y[::THIN], z, SHARES, line={"width": 1.2}, **look))
    fig = on_plane(figure(heat, *rows, *lines, height=HEIGHT, showlegend=False), d.shown)
    # Beyond the cells there is no density to see: equal axes may show more than them, where
    # shrinking the picture left no room for it on a phone.
    return fig.update_xaxes(constrain="range")


def _title(d: DensityMap) -> str:
    return "log10 of the density" if d.is_log else "density"


def _curve(d: DensityMap) -> go.Figure:
    x, z = d.shown.plane.x.cells, d.z[0]
    kind = kinds_of(d.shown.plane)[0]
    line = go.Scatter(
        x=dated(x, kind), y=z, mode="lines", line={"color": LIGHT.accent}, uid=CURVE,
        fill="none" if d.is_log else "tozeroy", fillcolor=band(LIGHT.accent), showlegend=False,
        hovertemplate="%{x}<br>%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    low = float(z.min()) if d.is_log else 0.0
    marker = {"symbol": "line-ns", "size": 10, "line": {"width": 1, "color": LIGHT.quiet}}
    rows = go.Scatter(
        x=dated(d.cloud.x, kind), y=np.full(d.cloud.n, low), mode="markers", marker=marker,
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    fig = on_plane(figure(line, rows, height=HEIGHT), d.shown)
    top = float(z.max()) or 1.0
    room = 0.05 * (top - low)
    return fig.update_yaxes(
        visible=True, title={"text": _title(d)}, range=[low - room, top + 2 * room]
    )


def step(d: DensityMap, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the density at every place."""
    changes: dict[int, Any] = {}
    fit: Any = whole.fit
    at_rows = fit.log_density(whole.prepared.transform(dataset.X))
    logs = _spiked(d.shown, _logs(d.shown, fit), at_rows)[0]
    z = _scaled(logs, d.is_log)
    if LINES in at:
        changes[at[LINES]] = {"z": mass_inside(logs)[::THIN, ::THIN].astype(np.float32)}
    if CELLS in at:
        changes[at[CELLS]] = {"z": z.astype(np.float32)}
    if CURVE in at:
        changes[at[CURVE]] = {"y": z[0]}
    return changes


def reading(d: DensityMap) -> str:
    """How much denser the densest row lies than the loneliest."""
    low, high = float(d.at_rows.min()), float(d.at_rows.max())
    times = (high - low) / np.log(10.0)
    text = f"The densest row has a log-density of {rough(high)}, the loneliest {rough(low)}"
    text += f": {rough(times)} powers of ten less. " if times >= 1 else ". "
    text += d.shown.how
    if d.of_all:
        text += " Colours are the density of all that falls on the plane."
    if d.spikes:
        text += (
            f" {count(d.spikes, 'row')} {plural(d.spikes, 'is a spike', 'are spikes')} that the "
            "grid is too coarse for; the cell of each has its density."
        )
    if d.has_lines:
        text += " The lines are around half and nine tenths of the density in the picture."
    where = "have less than a tenth of their density here"
    return f"{text}{careful(d.astray, where)}".strip()


def table(d: DensityMap) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    here = d.shown.here
    return TableColumn("row", d.cloud.rows + 1), TableColumn("log-density", d.at_rows[here])
