"""Variance along each direction, and what the first of them hold together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import CLASS_COLORS, LIGHT, SHARE, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.maths.curves import knee
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClassMeans, HasFullSpectrum, HasSpectrum
from mlcore.spine.wording import count, percent, plural

HEIGHT = 320
MOST_BARS = 40
WANTED = 0.9  # share of the variance that the reading counts directions for


class Scree(NamedTuple):
    """Variances, largest first, of all directions that were computed."""

    variances: np.ndarray  # (q,)
    shares: np.ndarray  # (q,) of the total of all directions
    cumulative: np.ndarray  # (q,)
    kept: int  # how many of them the fit keeps
    needed: int  # directions that hold 90 %; 0 if the computed ones do not
    bend: int  # directions before the bend of the curve; 0 if it has none
    what: str  # of which variance the shares are


@view(
    "scree",
    title="Scree plot",
    asks=HasSpectrum,
    on="reduction regression report compare",
    order=240,
    sources=(
        "epfl:pca_explained",
        "mi2:pca_scree",
        "cs1:pca_evr",
        "s841:pca_variance_decomposition",
    ),
    synonyms=("explained variance", "elbow plot", "eigenvalues"),
)
def scree(fit: HasSpectrum) -> View:
    """Share of the variance along each direction, and of the first k together."""
    return joined(numbers(fit), draw, reading, table, note="on the training rows")


def numbers(fit: HasSpectrum) -> Scree:
    """Variances and shares of a fit that has a spectrum."""
    variances = np.asarray(fit.spectrum if isinstance(fit, HasFullSpectrum) else fit.variances)
    total = fit.variances[0] / fit.shares[0] if fit.shares[0] else 1.0
    shares = variances / total
    cumulative = np.cumsum(shares)
    # The sum of shares can end just below the wanted share by rounding alone.
    enough = np.flatnonzero(cumulative >= WANTED - 1e-12)
    needed = int(enough[0]) + 1 if len(enough) else 0
    kept, bend = len(fit.variances), knee(variances)
    what = "variance between classes" if can(fit, HasClassMeans) else "variance"
    return Scree(variances, shares, cumulative, kept, needed, bend, what)


def draw(s: Scree) -> go.Figure:
    """Bars for single directions, faint where not kept, a line for their sum."""
    q = min(len(s.shares), MOST_BARS)
    k = np.arange(1, q + 1)
    colors = [_color(s, j) for j in range(q)]
    fig = figure(
        go.Bar(
            x=k,
            y=s.shares[:q],
            name="each",
            marker_color=colors,
            customdata=s.variances[:q],
            hovertemplate="direction %{x}<br>%{y:.1%}, variance %{customdata:.4~g}<extra></extra>",
        ),
        go.Scatter(
            x=k,
            y=s.cumulative[:q],
            name="together",
            mode="lines+markers",
            line={"color": LIGHT.accent},
            marker={"size": 6},
            hovertemplate="first %{x} together<br>%{y:.1%}<extra></extra>",
        ),
        height=HEIGHT,
        xaxis={"title": {"text": "Direction"}, "showgrid": False, "tickformat": "d"},
        yaxis={"title": {"text": f"Share of {s.what}"}, "tickformat": ".0%", "rangemode": "tozero"},
        showlegend=True,
    )
    if q <= 12:
        fig.update_xaxes(dtick=1)
    return fig


def _color(s: Scree, j: int) -> str:
    if s.variances[j] < 0:
        return CLASS_COLORS[1]  # no variance can be: a sign that distances were not Euclidean
    return SHARE if j < s.kept else faded(SHARE, 0.35)


def reading(s: Scree) -> str:
    """What the first two hold, and how many hold 90 %."""
    q = len(s.shares)
    first = min(2, q)
    text = f"The first {count(first, 'direction') if first > 1 else 'direction'} "
    text += f"{'hold' if first > 1 else 'holds'} {percent(float(s.cumulative[first - 1]))} "
    text += f"of the {s.what}. "
    if s.needed:
        verb = plural(s.needed, "holds", "hold")
        text += f"{s.needed} of {q} {verb} at least 90 %."
    else:
        text += f"All {q} that were computed hold {percent(float(s.cumulative[-1]))}."
    if s.kept < q:
        kept = percent(float(s.cumulative[s.kept - 1]))
        text += f" {s.kept} {plural(s.kept, 'is', 'are')} kept, with {kept}."
    if s.bend:
        text += f" The curve bends after direction {s.bend}."
    return text + (f" The first {MOST_BARS} are drawn." if q > MOST_BARS else "")


def table(s: Scree) -> tuple[TableColumn, ...]:
    """One line a direction."""
    return (
        TableColumn("direction", np.arange(1, len(s.shares) + 1)),
        TableColumn("variance", s.variances),
        TableColumn("share", s.shares),
        TableColumn("cumulative share", s.cumulative),
        TableColumn("kept", np.arange(len(s.shares)) < s.kept),
    )
