"""Classes along their discriminant axes: rows, means, and the spread within and between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import center_marks, named_line
from figures.drawing.words import fitted_on
from figures.theme import class_color, faded
from figures.view import TableColumn, View, joined, view
from figures.views.reduction import embedding_scatter as scatter
from mlcore.classification.axis_cuts import axis_cuts, errors_at
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasAxes, HasClassMeans, HasSpectrum, Transforms
from mlcore.spine.params import choice
from mlcore.spine.wording import percent, rough

CORNERS = 73  # of the polygon that is drawn for a circle
REACH = 2.0  # standard deviations within the class
RULES = {"midpoint": "midpoint", "gaussian": "normal densities", "least_error": "fewest errors"}
FEW_TO_ONE = 1.0  # ratio of between to within below which classes mostly overlap


@dataclass(frozen=True, kw_only=True)
class DiscriminantOptions(scatter.TwoCoordinates):
    """The coordinates that are drawn, and where a single axis of two classes is cut."""

    cut: str = choice(
        "midpoint", *RULES, label="Cut",
        doc="Of two classes on one axis: half way between the means, where normal densities by "
        "the shares of the classes cross, or with the fewest errors in these rows.",
    )  # fmt: skip


class Cut(NamedTuple):
    """A place that parts two classes on a single axis."""

    at: float  # NaN where the rule has none
    error: float  # share of the rows on the wrong side


class Discriminant(NamedTuple):
    """Rows along discriminant axes, and what their variance is made of."""

    embedding: scatter.Embedding
    classes: tuple[str, ...]  # (K,) that have rows
    codes: tuple[int, ...]  # (K,) their positions among the classes of the data
    means: np.ndarray  # (K, 2) at the coordinates that are drawn; the second 0 for a single axis
    spreads: np.ndarray  # (K, 2, 2) covariance of each class there
    axes: tuple[str, ...]  # (q,)
    between: np.ndarray  # (q,) variance of the class means along each axis, of n rows
    within: np.ndarray  # (q,) about them
    cuts: dict[str, Cut]  # by rule; none where there are several axes or classes
    cut: str  # the one that is drawn


@view(
    "discriminant_scatter",
    title="Classes on discriminant axes",
    asks=(HasAxes, HasClassMeans, HasSpectrum, Transforms),
    options=DiscriminantOptions,
    on="reduction report compare",
    order=225,
    sources=("epfl:fisher_two", "s841:mda_canonical"),
    synonyms=(
        "threshold", "Fisher projection", "LDA projection", "canonical variates plot",
    ),
)  # fmt: skip
def discriminant_scatter(dataset: Dataset, whole: Whole, *, options: DiscriminantOptions) -> View:
    """Rows on two axes with the mean of each class and the ellipse of twice its spread.

    Two classes have a single axis, and a place on it parts them.
    """
    d = numbers(dataset, whole, options.first - 1, options.second - 1, options.cut)
    return joined(d, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(
    dataset: Dataset, whole: Whole, first: int = 0, second: int = 1, cut: str = "midpoint"
) -> Discriminant:
    """Coordinates by class, and the two parts of the variance along every axis."""
    e = scatter.numbers(dataset, whole, first=first, second=second)
    Z, names = scatter.coordinates(dataset, whole)
    y = np.asarray(dataset.y)
    codes = tuple(int(k) for k in np.unique(y) if k >= 0)
    members = [Z[y == k] for k in codes]
    sizes = np.array([len(rows) for rows in members], dtype=float)
    centers = np.array([rows.mean(axis=0) for rows in members])
    within = sum(((rows - c) ** 2).sum(axis=0) for rows, c in zip(members, centers, strict=True))
    middle = sizes @ centers / sizes.sum()
    between = sizes @ (centers - middle) ** 2
    at = [k for k in e.at if k < Z.shape[1]]
    spreads = np.zeros((len(codes), 2, 2))
    for k, rows in enumerate(members):
        own = rows[:, at] - rows[:, at].mean(axis=0)
        spreads[k, : len(at), : len(at)] = own.T @ own / len(own)
    means = np.zeros((len(codes), 2))
    means[:, : len(at)] = centers[:, at]
    if len(at) < 2:
        means[:, 1] = -np.array(codes, dtype=float)
    n = sizes.sum()
    classes = tuple(dataset.classes[k] for k in codes)
    cuts = _cuts(members) if len(members) == 2 and Z.shape[1] == 1 else {}
    return Discriminant(
        e, classes, codes, means, spreads, names, between / n, within / n, cuts, cut
    )


def _cuts(members: list[np.ndarray]) -> dict[str, Cut]:
    """Each rule's place between two classes on one axis, members (n_k, 1) of each."""
    low, high = sorted((rows[:, 0] for rows in members), key=lambda z: float(z.mean()))
    places = axis_cuts(low, high)._asdict()
    return {rule: Cut(at, errors_at(at, low, high)) for rule, at in places.items()}


def draw(d: Discriminant) -> go.Figure:
    """Rows behind, ellipses in the colours of the classes, means on top."""
    fig = scatter.draw(d.embedding)
    fig.update_traces(marker_opacity=0.6)
    if d.embedding.names[1]:
        for k, mean, spread in zip(d.codes, d.means, d.spreads, strict=True):
            fig.add_trace(_ellipse(k, mean, spread))
    texts = [f"mean of {name}" for name in d.classes]
    marks = center_marks(d.means[:, 0], d.means[:, 1], "means", texts)
    colors = [class_color(k) for k in d.codes]
    fig.add_trace(marks.update(marker={"color": colors}, showlegend=False))
    if d.cuts and np.isfinite(d.cuts[d.cut].at):
        named_line(fig, RULES[d.cut], x=d.cuts[d.cut].at)
    return fig


def _ellipse(k: int, mean: np.ndarray, spread: np.ndarray) -> go.Scatter:
    """The line at twice the standard deviation of class k, in every direction."""
    values, vectors = np.linalg.eigh(spread)
    angles = np.linspace(0.0, 2.0 * np.pi, CORNERS)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    line = mean + REACH * circle * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    color = class_color(k)
    return go.Scatter(
        x=line[:, 0], y=line[:, 1], mode="lines", line={"color": color, "width": 1.5},
        fill="toself", fillcolor=faded(color, 0.08), hoverinfo="skip", showlegend=False,
    )  # fmt: skip


def reading(d: Discriminant) -> str:
    """How far class means lie apart along the axes, in units of the spread within classes."""
    ratio = _ratio(d)
    text = (
        f"Along {d.axes[0]} the class means vary {_times(float(ratio[0]))} the variance within "
        "classes"
    )
    if len(d.axes) > 1:
        text += f", along {d.axes[1]} {_times(float(ratio[1]))}"
    total = d.between.sum()
    if len(d.axes) > 1 and total > 0:
        share = percent(float(d.between[0] / total))
        text += f"; the first holds {share} of what is between classes"
    text += "."
    if ratio[0] < FEW_TO_ONE:
        text += " Classes differ less than rows of one class do: along straight axes they overlap."
    if d.embedding.names[1]:
        text += " Ellipses reach two standard deviations of their class."
    if d.cuts:
        spread = float(np.sqrt(d.between[0] + d.within[0]))  # beside which a cut may be 0
        places = (
            f"at {rough(c.at, spread)} ({RULES[rule]}) {percent(c.error)} of the rows are wrong"
            for rule, c in d.cuts.items() if np.isfinite(c.at)
        )  # fmt: skip
        text += f" Cut {'; '.join(places)}."
    return text + " These are rows from which the axes were learned; the score is of rows left out."


def _ratio(d: Discriminant) -> np.ndarray:
    """Between over within along each axis, shape (q,); infinite where nothing varies within."""
    return np.divide(d.between, d.within, out=np.full(len(d.axes), np.inf), where=d.within > 0)


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times" if np.isfinite(ratio) else "infinitely many times"


def table(d: Discriminant) -> tuple[TableColumn, ...]:
    """One line an axis."""
    return (
        TableColumn("axis", d.axes),
        TableColumn("variance between classes", d.between),
        TableColumn("variance within classes", d.within),
        TableColumn("ratio", _ratio(d)),
    )
