"""The components of a mixture as ellipses on the plane, with the rows that they share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CENTERS, CURVE, HEIGHT, ROWS, center_marks, mixed_points
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.numbers.regions import stretched
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import GivesResponsibilities, HasComponents, HasMemberships
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, plural

WIDTHS = (1.0, 2.0)  # standard deviations; in a plane they hold 39 % and 86 % of a component
CIRCLE = np.linspace(0.0, 2 * np.pi, 61)


class EllipseMap(NamedTuple):
    """Components and rows in a plane."""

    shown: Projection
    cloud: Cloud  # of the rows that lie somewhere, by their likeliest component
    strength: np.ndarray  # (n,) 0 to 1: how surely a row belongs to it
    weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, 2) in the plane
    covariances: np.ndarray  # (K, 2, 2) in the plane
    outlines: tuple[np.ndarray, ...]  # K of them, (m, 2); NaN parts one ellipse from the next


@view(
    "ellipse_map",
    title="Components",
    asks=(HasComponents, HasMemberships, GivesResponsibilities),
    on="clustering report compare",
    order=121,
    synonyms=("covariance ellipses", "Gaussian components"),
    sources=("epfl:gmm_full", "mi2:gmm_em"),
)
def ellipse_map(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Each component as its ellipses of one and two standard deviations.

    A row has the colour of its likeliest component, the fainter, the more it shares. With more
    than two columns: the plane in which the prepared rows spread most, unless two columns are
    named.
    """
    e = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = fitted_on(dataset, whole)
    return joined(e, draw, reading, table, note=note, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> EllipseMap:
    """The components as they fall on the plane, and the rows."""
    shown = gaussian_plane(dataset, whole, x, y)
    means = straight_means(shown, whole.fit)
    klass, strength = shared(dataset, whole)
    names = tuple(f"component {k + 1}" for k in range(len(means)))
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, klass, names))
    at = fallen(shown, whole.fit)
    drawn = tuple(outlines(shown, whole.fit))
    return EllipseMap(shown, cloud, strength[shown.here], whole.fit.weights, means, at, drawn)


def gaussian_plane(
    dataset: Dataset, whole: Whole, x: str, y: str, widths: tuple[float, ...] = WIDTHS
) -> Projection:
    """The plane of `spread_projection` that holds the ellipses of a fit whole, of so many widths.

    They may reach beyond the rows, where a Gaussian was given, smoothed or fitted to few.
    """

    def around(shown: Projection) -> np.ndarray:
        has_place = shown.place(whole.fit.means) is not None
        drawn = outlines(shown, whole.fit, widths) if has_place else []
        return np.concatenate([*drawn, np.column_stack([shown.x, shown.y])])

    return spread_projection(dataset, whole, x, y, around)


def straight_means(shown: Projection, fit: Any) -> np.ndarray:
    """The means of Gaussians in the plane, shape (K, 2).

    Raises DataError where the axes are no straight lines.
    """
    means = shown.place(fit.means)
    if means is None:
        raise DataError(
            "The axes of this picture are no straight lines through the prepared rows, so an "
            "ellipse has no place in it. Choose columns that are only shifted and scaled."
        )
    return means


def shared(dataset: Dataset, whole: Whole) -> tuple[np.ndarray, np.ndarray]:
    """The likeliest component of every row, shape (n,), and how surely it is that, in 0 to 1."""
    P = whole.fit.memberships
    if whole.prepared.rows is not None:  # the method learned from other rows
        P = whole.fit.responsibilities(whole.prepared.transform(dataset.X))
    return P.argmax(axis=1), stretched(P)


def fallen(shown: Projection, fit: Any) -> np.ndarray:
    """The covariances of the components in the plane, shape (K, 2, 2)."""
    assert shown.axes is not None  # asked by `numbers`
    if fit.covariances.ndim == 3:
        return shown.axes @ fit.covariances @ shown.axes.T
    return np.einsum("ap,kp,bp->kab", shown.axes, fit.covariances, shown.axes)


def outlines(shown: Projection, fit: Any, widths: tuple[float, ...] = WIDTHS) -> list[np.ndarray]:
    """The ellipses of each component, shape (m, 2); of a single column they are lines."""
    means = shown.place(fit.means)
    assert means is not None
    circle = np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    gap = np.full((1, 2), np.nan)
    traces = []
    for mean, covariance in zip(means, fallen(shown, fit), strict=True):
        variances, axes = np.linalg.eigh(covariance)
        once = circle * np.sqrt(np.maximum(variances, 0.0)) @ axes.T
        each = [part for width in widths for part in (mean + width * once, gap)]
        traces.append(np.concatenate(each[:-1]))
    return traces


def draw(e: EllipseMap) -> go.Figure:
    """Rows behind, ellipses in the colours of their components, means large on top."""
    rows = mixed_points(e.cloud, kinds=kinds_of(e.shown.plane))
    for trace in rows:
        if trace.uid == ROWS:
            trace.marker.opacity = e.strength
    fig = figure(*rows, *map(ellipse, range(len(e.means)), e.outlines), height=HEIGHT)
    fig.add_trace(_means(e)).update_layout(showlegend=True)
    return on_plane(fig, e.shown)


def step(e: EllipseMap, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: ellipses, means, and the component and the share of each row."""
    changes: Changes = {}
    if ROWS in at:
        klass, strength = shared(dataset, whole)
        here = e.shown.here
        changes[at[ROWS]] = {"class": klass[here], "marker.opacity": strength[here]}
    if CENTERS in at:
        centers = e.shown.place(whole.fit.means)
        assert centers is not None  # asked by `numbers`
        changes[at[CENTERS]] = {"x": centers[:, 0], "y": centers[:, 1]}
    for k, outline in enumerate(outlines(e.shown, whole.fit)):
        if (name := f"{CURVE} {k}") in at:
            changes[at[name]] = {"x": outline[:, 0], "y": outline[:, 1]}
    return changes


def ellipse(k: int, outline: np.ndarray) -> Any:
    """The line of the ellipses of one Gaussian, in the colour of class k."""
    return go.Scatter(
        x=outline[:, 0],
        y=outline[:, 1],
        mode="lines",
        line={"color": class_color(k), "width": 2.5},
        uid=f"{CURVE} {k}",
        showlegend=False,
        hoverinfo="skip",
    )


def _means(e: EllipseMap) -> Any:
    texts = [f"component {k + 1}, weight {weight:.3g}" for k, weight in enumerate(e.weights)]
    return center_marks(e.means[:, 0], e.means[:, 1], "means", texts)


def reading(e: EllipseMap) -> str:
    """The weights, and how many rows are shared."""
    k = len(e.weights)
    if k == 1:
        text = "1 component, one Gaussian."
    else:
        low, high = (f"{100 * w:.0f} %" for w in (e.weights.min(), e.weights.max()))
        sizes = f"of {low} each" if low == high else f"of {low} to {high}"
        unsure = int((e.strength < _halfway(k)).sum())
        many = count(unsure, "row") if unsure else "no row"
        text = f"{k} components {sizes} of the rows; {many} {plural(unsure or 1, 'is', 'are')} "
        text += "shared, with less than 90 % for one of them."
    text += " The ellipses are one and two standard deviations wide."
    return f"{text} {e.shown.how}".strip()


def _halfway(k: int) -> float:
    """The strength of a row of which 90 % belong to one of k components."""
    return float(stretched(np.array([[0.9, *np.full(k - 1, 0.1 / (k - 1))]]))[0])


def table(e: EllipseMap) -> tuple[TableColumn, ...]:
    """One line a component."""
    return (
        TableColumn("component", np.arange(1, len(e.weights) + 1)),
        TableColumn("weight", e.weights),
        TableColumn("mean across", e.means[:, 0]),
        TableColumn("mean up", e.means[:, 1]),
        TableColumn("sd across", np.sqrt(np.maximum(e.covariances[:, 0, 0], 0.0))),
        TableColumn("sd up", np.sqrt(np.maximum(e.covariances[:, 1, 1], 0.0))),
        TableColumn("covariance", e.covariances[:, 0, 1]),
    )
