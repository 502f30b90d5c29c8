"""The map of shares: how far each place of the plane belongs to a cluster, or to several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

import figures.graph as go
from figures.drawing.traces import (
    CELLS,
    CENTERS,
    HEIGHT,
    ROWS,
    center_marks,
    dated,
    located,
    mixed_points,
)
from figures.drawing.words import fitted_on
from figures.numbers.astray import asked, astray, careful
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.options import ANY_AXES, Axes, Offered, Options, Values, among
from figures.recording import Changes
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import fill_plane, kinds_of
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesResponsibilities, HasCenters, HasMemberships
from mlcore.spine.capabilities_of_groups import HasDirections
from mlcore.spine.params import integer
from mlcore.spine.wording import count, plural, rough

SHARED = 0.9  # a row of which no cluster has so much is called shared
MANY = LIGHT.accent  # the colour of places that several clusters share
REACH = 2.0  # standard deviations to either side of a center that a line is drawn


class SoftMap(NamedTuple):
    """Shares in a plane."""

    shown: Projection
    cloud: Cloud  # rows by the cluster of their largest share
    z: np.ndarray  # (b, a) share of the chosen cluster, or how many clusters share the place
    at: int | None  # the chosen cluster, from 0
    memberships: np.ndarray  # (n, K) of all rows
    centers: np.ndarray | None  # (K, 2)
    lines: tuple[np.ndarray, ...]  # K of them, (2, 2): ends; empty where prototypes are points
    astray: float  # share of rows where another cluster has the largest share than of the row


def _clusters(offered: Offered) -> Values:
    """Every cluster."""
    fit: Any = offered.get("fit")
    if not can(fit, HasMemberships):
        return {}
    own = {k + 1: f"Share of cluster {k + 1}" for k in range(fit.memberships.shape[1])}
    return {None: "How many share a place"} | own


@dataclass(frozen=True, kw_only=True)
class SoftOptions(Options):
    """What the colour of a place says."""

    cluster: int | None = among(
        integer(
            None,
            low=1,
            soft=(1, 12),
            or_none="how many share a place",
            label="Colour",
            doc="By how many clusters a place is shared, or the share of one of them.",
        ),
        _clusters,
    )

    @property
    def at(self) -> int | None:
        """The cluster, from 0."""
        return None if self.cluster is None else self.cluster - 1


@view(
    "soft_map",
    title="Shares",
    asks=(HasCenters, HasMemberships, GivesResponsibilities),
    options=SoftOptions,
    on="clustering report compare",
    order=124,
    sources=("epfl:soft_kmeans",),
    synonyms=("responsibilities", "soft assignment", "membership map"),
)
def soft_map(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: SoftOptions
) -> View:
    """By how many clusters each place of a plane is shared, or how far one of them reaches.

    How many is the exponential of the entropy of the shares: 1 where one cluster has all, K where
    all have the same. With more than two columns: the plane in which the prepared rows spread
    most, unless two columns are named.
    """
    s = numbers(dataset, whole, x=axes.x, y=axes.y, at=options.at)
    note = fitted_on(dataset, whole)
    return joined(s, draw, reading, table, note=note, rows=s.cloud.rows, step=step)


def numbers(
    dataset: Dataset, whole: Whole, *, x: str = "", y: str = "", at: int | None = None
) -> SoftMap:
    """Shares of the cells and of the rows; `at` is a cluster, None asks how many share."""
    shown = spread_projection(dataset, whole, x, y)
    fit: Any = whole.fit
    P = fit.responsibilities(whole.prepared.transform(dataset.X))
    names = tuple(f"cluster {k + 1}" for k in range(P.shape[1]))
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, P.argmax(axis=1), names))
    on_cells = fit.responsibilities(shown.cells)
    largest = on_cells.argmax(axis=1).reshape(shown.plane.shape)
    away = astray(dataset, shown, largest, P[asked(shown)].argmax(axis=1))
    z, centers = _cells(shown, on_cells, at), shown.place(fit.centers)
    return SoftMap(shown, cloud, z, at, P, centers, _lines(shown, fit, P), away)


def sharers(P: np.ndarray) -> np.ndarray:
    """By how many each row of shares, shape (m, K), is shared: exp of its entropy, shape (m,)."""
    return np.exp(-xlogy(P, P).sum(axis=1))


def _cells(shown: Projection, P: np.ndarray, at: int | None) -> np.ndarray:
    return (sharers(P) if at is None else P[:, at]).reshape(shown.plane.shape)


def _lines(shown: Projection, fit: Any, P: np.ndarray) -> tuple[np.ndarray, ...]:
    """The first direction of each prototype, as far as its rows reach along it."""
    if not can(fit, HasDirections) or not fit.directions.shape[1] or shown.axes is None:
        return ()
    lines = []
    for k, center in enumerate(fit.centers):
        along = fit.directions[k, 0] @ shown.axes.T
        middle = shown.place(center[None])
        assert middle is not None  # there are axes
        rows = (np.column_stack([shown.x, shown.y]) - middle)[shown.here]
        length = float(along @ along) or 1.0
        own = P[shown.here, k]
        spread = np.sqrt(np.average((rows @ along / length) ** 2, weights=own + 1e-12))
        lines.append(middle + np.outer([-REACH, REACH], spread * along))
    return tuple(lines)


def draw(s: SoftMap) -> go.Figure:
    """Colour behind, rows by cluster, centers large on top."""
    kinds = kinds_of(s.shown.plane)
    up = np.zeros(1) if s.shown.plane.y is None else dated(s.shown.plane.y.cells, kinds[1])
    color = MANY if s.at is None else class_color(s.at)
    title = "clusters" if s.at is None else "share"
    heat = go.Heatmap(
        x=dated(s.shown.plane.x.cells, kinds[0]),
        y=up,
        z=s.z.astype(np.float32),
        zmin=0.0 if s.at is not None else 1.0,
        zmax=1.0 if s.at is not None else max(float(s.memberships.shape[1]), 1.5),
        colorscale=[(0.0, faded(color, 0.0)), (1.0, faded(color, 0.75))],
        showscale=False,
        hovertemplate="%{z:.3~f} " + title + "<extra></extra>",
        uid=CELLS,
    )
    rows = mixed_points(s.cloud, kinds=kinds, texts=_texts(s))
    fig = figure(heat, *rows, *map(_line, range(len(s.lines)), s.lines), height=HEIGHT)
    if s.centers is not None:
        names = [f"center of cluster {k + 1}" for k in range(len(s.centers))]
        at = dated(s.centers[:, 0], kinds[0]), dated(s.centers[:, 1], kinds[1])
        fig.add_trace(center_marks(*at, "centers", names))
    return fill_plane(fig.update_layout(showlegend=True), s.shown)


def _line(k: int, ends: np.ndarray) -> go.Scatter:
    return go.Scatter(
        x=ends[:, 0], y=ends[:, 1], mode="lines", line={"color": class_color(k), "width": 3},
        showlegend=False, hoverinfo="skip", uid=f"line {k}",
    )  # fmt: skip


def _texts(s: SoftMap) -> list[str]:
    """The largest shares of each row in words."""
    P = s.memberships[s.shown.here]
    order = np.argsort(-P, axis=1, kind="stable")[:, :3]
    return [
        ", ".join(f"{100 * P[i, k]:.0f} % cluster {k + 1}" for k in order[i] if P[i, k] >= 0.005)
        for i in range(len(P))
    ]


def step(s: SoftMap, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the shares of places and rows, the centers and their lines."""
    fit: Any = whole.fit
    P = fit.responsibilities(whole.prepared.transform(dataset.X))
    z = _cells(s.shown, fit.responsibilities(s.shown.cells), s.at)
    changes: dict[int, Any] = {at[CELLS]: {"z": z.astype(np.float32)}}
    if ROWS in at:
        changes[at[ROWS]] = {"class": P.argmax(axis=1)[s.shown.here]}
    if CENTERS in at:
        centers = np.asarray(s.shown.place(fit.centers))
        changes[at[CENTERS]] = {"x": centers[:, 0], "y": centers[:, 1]}
    for k, ends in enumerate(_lines(s.shown, fit, P)):
        changes[at[f"line {k}"]] = {"x": ends[:, 0], "y": ends[:, 1]}
    return changes


def reading(s: SoftMap) -> str:
    """How many rows are shared, and by how many clusters rows are shared on average."""
    k = s.memberships.shape[1]
    if k == 1:
        return "One cluster has every row."
    unsure = int((s.memberships.max(axis=1) < SHARED).sum())
    mean = float(sharers(s.memberships).mean())
    many = count(unsure, "row") if unsure else "No row"
    text = f"{many} of {len(s.memberships):,} {plural(unsure or 1, 'is', 'are')} shared, "
    text += f"with less than {100 * SHARED:.0f} % for one cluster; on average a row is shared by "
    says = "more clusters share a place" if s.at is None else f"of a place is cluster {s.at + 1}'s"
    text += f"{rough(mean)} of {k} clusters. The stronger the colour, the more "
    text += f"{says.removeprefix('more ')}."
    warning = careful(s.astray, "lie in a place that is rather another cluster's than theirs")
    return f"{text} {s.shown.how}{warning}".strip()


def table(s: SoftMap) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    P = s.memberships[s.shown.here]
    shares = (TableColumn(f"share of cluster {k + 1}", P[:, k]) for k in range(P.shape[1]))
    return *located(s.shown.plane, s.cloud), *shares
