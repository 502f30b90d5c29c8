"""Which radius: groups, noise and criteria over the radius of DBSCAN, side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import mark_of, numbered, whole_of
from figures.graph import make_subplots
from figures.theme import LIGHT, NO_TEMPLATE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.group_counts import of_rows
from mlcore.evaluation.group_likelihood import information_elliptical
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import fit_prepared
from mlcore.spine.capabilities_of_groups import GroupsByRadius
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, percent, rough

TRIED = 24  # radii, beside the present one
CLOSE, FAR = 0.02, 1.5  # from the distance of this share of rows, to so many times the farthest
MOST_SECONDS = 2.0  # of the fits while a page waits
HEIGHT, HEAD, ROWS = 560, 34, 3
HOLLOW, FILLED = 6, 11  # pixels of a mark


class RadiusCriteria(NamedTuple):
    """What each radius makes of the rows."""

    radii: np.ndarray  # (r,) rising, in units of the prepared columns
    groups: np.ndarray  # (r,)
    noise: np.ndarray  # (r,) share of the rows
    silhouette: np.ndarray  # (r,) mean over the rows in groups; NaN for fewer than two groups
    between: np.ndarray  # (r,) Calinski-Harabasz of the same; NaN for fewer than two groups
    bic: np.ndarray  # (r,) of groups as ellipses, a row, in nats; NaN where none has a covariance
    aic: np.ndarray  # (r,)
    here: int  # place of the radius now
    marks: np.ndarray  # (r,) what a click names: its radius


@view(
    "radius_criteria",
    title="Groups by radius",
    asks=GroupsByRadius,
    on="clustering report",
    order=134,  # after the map of the clusters
    sources=("epfl:dbscan", "epfl:metric_consensus", "epfl:metric_aic", "epfl:metric_bic"),
    synonyms=(
        "choosing eps", "epsilon", "eps sweep", "criteria table", "silhouette of DBSCAN",
        "share of noise", "BIC of DBSCAN", "AIC of DBSCAN",
    ),
)  # fmt: skip
def radius_criteria(dataset: Dataset, whole: Whole) -> View:
    """Groups, noise and four criteria over the radius; a filled dot is the best value of each.

    Silhouette and Calinski-Harabasz, the higher the better, leave noise aside: a small radius that
    keeps a few tight rows pleases them. BIC and AIC, the lower the better, take groups for ellipses
    and spread noise over the box of all rows, so it costs.
    """
    return joined(numbers(dataset, whole), draw, reading, table, note="in prepared units")


def numbers(dataset: Dataset, whole: Whole) -> RadiusCriteria:
    """The method fitted anew with each radius."""
    fit: Any = whole.fit
    X = whole.prepared.X
    radii = _radii(fit, X)
    methods = [fit.at_radius(float(eps)) for eps in radii]
    _refuse_long(fit, radii, X)
    rows = np.arange(dataset.n)
    labels = [fit_prepared(m, whole.prepared, dataset, rows, 0).labels for m in methods]
    silhouettes, between = np.array([_criteria(X, each) for each in labels]).T
    likely = [information_elliptical(X, each) for each in labels]
    aic, bic = np.array(likely).T / len(X)
    return RadiusCriteria(
        radii,
        np.array([each.max() + 1 for each in labels]),
        np.array([(each < 0).mean() for each in labels]),
        silhouettes,
        between,
        bic,
        aic,
        int(np.flatnonzero(radii == fit.radius)[0]),
        np.array([mark_of(dataset, "radius", int(k)) for k in whole_of(radii)]),
    )


def _radii(fit: Any, X: np.ndarray) -> np.ndarray:
    """Radii from where few rows are core to where all are, evenly by their logarithm."""
    reaches = fit.reaches(X, np.arange(len(X)))
    reaches = reaches[(reaches > 0) & np.isfinite(reaches)]
    if not len(reaches):
        raise DataError(
            f"No row has {count(fit.enough, 'row')} around it at any distance above 0. Choose "
            "another number of rows around a core row."
        )
    low, high = np.quantile(reaches, CLOSE), FAR * reaches.max()
    return np.unique(np.append(np.geomspace(low, high, TRIED), fit.radius))


def _refuse_long(fit: Any, radii: np.ndarray, X: np.ndarray) -> None:
    """By the card of the method, which takes columns of standard deviation 1."""
    spread = float(np.sqrt(X.var(axis=0).mean())) or 1.0
    methods = [fit.at_radius(float(eps)) for eps in radii / spread]
    seconds = sum(method.card.cost(*X.shape, method)[0] for method in methods)
    if seconds > MOST_SECONDS:
        raise DataError(
            f"The picture takes {len(methods)} fits, about {seconds:.0f} s on {len(X):,} rows. "
            "Use fewer rows."
        )


def _criteria(X: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Silhouette, of some rows where they are many, and Calinski-Harabasz of the rows in groups.

    NaN where there are not two groups, or as many as rows.
    """
    inside = labels >= 0
    if not 2 <= labels.max() + 1 < inside.sum():
        return float("nan"), float("nan")
    of = of_rows(X[inside], labels[inside])
    return of["silhouette"], of["calinski_harabasz"]


def draw(c: RadiusCriteria) -> go.Figure:
    """A picture each, one axis of radii, and the present radius across."""
    fig: Any = make_subplots(ROWS, 2, horizontal_spacing=0.11, vertical_spacing=0.13)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=False)
    fig.update_layout(margin={"t": HEAD, "b": 44, "l": 8, "r": 8})
    ticks = _ticks(c.radii)
    for k, (name, values, better) in enumerate(_panels(c)):
        place: dict[str, Any] = {"row": k // 2 + 1, "col": k % 2 + 1}
        fig.add_trace(_curve(c, name, values, better), **place)
        fig.add_vline(c.radii[c.here], line_width=1, line_dash="dash", line_color=LIGHT.quiet,
                      **place)  # fmt: skip
        title = {"text": "Radius"} if k // 2 + 1 == ROWS else None
        fig.update_xaxes(ticks, type="log", showgrid=False, title=title, **place)
        fig.update_yaxes(nticks=4, rangemode="tozero" if k < 2 else "normal", **place)
        axis = "" if k == 0 else str(k + 1)
        fig.add_annotation(
            text=f"<b>{name}</b>", font={"size": 13, "color": LIGHT.text},
            x=fig.layout[f"xaxis{axis}"].domain[0], y=fig.layout[f"yaxis{axis}"].domain[1],
            xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=6,
        )  # fmt: skip
    return fig


def _ticks(radii: np.ndarray) -> dict[str, Any]:
    """1, 2 and 5 of each power of ten, and the same ends in each panel."""
    low, high = np.log10(radii[[0, -1]])
    powers = 10.0 ** np.arange(np.floor(low), np.ceil(high) + 1)
    values = np.outer(powers, [1.0, 2.0, 5.0]).ravel()
    values = values[(values >= radii[0]) & (values <= radii[-1])]
    room = 0.04 * (high - low)
    return {
        "tickvals": values, "ticktext": [f"{v:g}" for v in values],
        "range": [low - room, high + room],
    }  # fmt: skip


def _panels(c: RadiusCriteria) -> list[tuple[str, np.ndarray, int]]:
    """Names, values, and whether the largest is the best, 1, the least, -1, or none, 0."""
    return [
        ("Groups", c.groups, 0),
        ("Noise, in %", 100 * c.noise, 0),
        ("Silhouette", c.silhouette, 1),
        ("Calinski-Harabasz", c.between, 1),
        ("Elliptical BIC a row", c.bic, -1),
        ("Elliptical AIC a row", c.aic, -1),
    ]


def _curve(c: RadiusCriteria, name: str, values: np.ndarray, better: int) -> go.Scatter:
    best = np.zeros(len(values), dtype=bool)
    if better and np.isfinite(values).any():
        best[np.nanargmax(better * values)] = True
    marker = {
        "size": np.where(best, FILLED, HOLLOW),
        "color": [LIGHT.accent if it else LIGHT.background for it in best],
        "line": {"width": 1.5, "color": LIGHT.accent},
        "opacity": 1,
    }
    curve = go.Scatter(
        x=c.radii, y=values, mode="lines+markers", marker=marker,
        line={"color": LIGHT.accent, "width": 1.8},
        hovertemplate=f"radius %{{x:.4~g}}<br>{name} %{{y:.4~g}}<extra></extra>",
    )  # fmt: skip
    return numbered(curve, c.marks)


def reading(c: RadiusCriteria) -> str:
    """What the present radius makes, and the one of the largest silhouette."""
    text = f"The radius {rough(c.radii[c.here])} makes {count(int(c.groups[c.here]), 'group')} and "
    text += f"leaves {percent(float(c.noise[c.here]))} of the rows as noise."
    if not np.isfinite(c.silhouette).any():
        return f"{text} No radius makes two groups.{_likeliest(c)}"
    best = int(np.nanargmax(c.silhouette))
    text += f" The silhouette is largest at {rough(c.radii[best])}: "
    text += f"{count(int(c.groups[best]), 'group')}, {percent(float(c.noise[best]))} noise."
    if np.nanargmax(c.between) != best:
        text += " Calinski and Harabasz say otherwise."
    return text + _likeliest(c)


def _likeliest(c: RadiusCriteria) -> str:
    """Where groups as ellipses are the likeliest for their parameters."""
    if not np.isfinite(c.bic).any():
        return ""
    best = int(np.nanargmin(c.bic))
    text = f" As ellipses the groups have the least BIC at {rough(c.radii[best])}: "
    return text + f"{count(int(c.groups[best]), 'group')}, {percent(float(c.noise[best]))} noise."


def table(c: RadiusCriteria) -> tuple[TableColumn, ...]:
    """One line a radius."""
    return (
        TableColumn("radius", c.radii),
        TableColumn("groups", c.groups),
        TableColumn("share of noise", c.noise),
        TableColumn("silhouette", c.silhouette),
        TableColumn("Calinski-Harabasz", c.between),
        TableColumn("elliptical BIC a row", c.bic),
        TableColumn("elliptical AIC a row", c.aic),
    )
