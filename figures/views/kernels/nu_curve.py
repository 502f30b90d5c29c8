"""What every nu would come to: two shares that never cross the line between them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import UNDER_NAMES, named_line
from figures.drawing.words import fitted_on
from figures.numbers.nu_words import beyond_what
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import weights_of
from mlcore.spine.wording import percent, rough, spaced
from mlcore.svm.capabilities import HasNu
from mlcore.svm.nu_path import NuPath, nu_path

HEIGHT = 420
STEPS = 19  # machines that are fitted for the picture
MOST_ROWS = 500  # that they are fitted to: some tenths of a second in all
LEAST = 0.02  # the first nu


class NuCurve(NamedTuple):
    """Both shares along nu."""

    path: NuPath
    nu: float  # of the fit
    limit: float  # the largest for which there is a solution
    where: str  # what rows are beyond
    n: int  # rows that the machines were fitted to
    of: int  # rows of the fit


@view(
    "nu_curve",
    title="Shares along nu",
    asks=HasNu,
    on="svm regression",
    order=48,
    sources=("epfl:svm_nu", "cs1:svc_nu", "epfl:svr_nu"),
    synonyms=("margin errors", "share of support vectors", "nu property"),
)
def nu_curve(dataset: Dataset, whole: Whole) -> View:
    """Shares of the rows beyond the margin and of the support vectors, for nineteen values of nu.

    The machine is fitted anew for each, to at most 500 rows. Nu lies between the two shares, and
    with more rows both come to it.
    """
    return joined(numbers(dataset, whole), draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> NuCurve:
    """The path of the fit's method on its prepared rows, or on some that are evenly spaced."""
    fit: Any = whole.fit
    n = len(whole.prepared.X)
    some = np.unique(np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(np.int64))
    weights = weights_of(fit.made_by, dataset, np.arange(dataset.n))
    w = None if weights is None else whole.prepared.follow(weights)[some]
    y = None if whole.prepared.y is None else np.asarray(whole.prepared.y)[some]
    limit = float(fit.limits.min())
    nus = np.linspace(LEAST, 0.98 * limit, STEPS)
    path = nu_path(fit.made_by, whole.prepared.X[some], y, w, nus)
    return NuCurve(path, fit.nu, limit, beyond_what(fit), len(some), n)


def draw(c: NuCurve) -> go.Figure:
    """Two curves, the line on which a share is nu, and the nu of the fit."""
    between = go.Scatter(
        x=[0.0, 1.0], y=[0.0, 1.0], mode="lines", name="share = nu", hoverinfo="skip",
        line={"color": LIGHT.quiet, "dash": "dot", "width": 1.5},
    )  # fmt: skip
    curves = (
        ("support vectors", c.path.supported, "circle", CLASS_COLORS[0]),
        (c.where, c.path.beyond, "x", CLASS_COLORS[1]),
    )
    traces = [
        go.Scatter(
            x=c.path.nus, y=shares, mode="lines+markers", name=name,
            line={"color": color, "width": 2}, marker={"symbol": symbol, "size": 8},
            hovertemplate=f"nu %{{x:.3~g}}<br>{name}: %{{y:.3~g}}<extra></extra>",
        )
        for name, shares, symbol, color in curves
    ]  # fmt: skip
    fig = figure(
        between,
        *traces,
        height=HEIGHT,
        xaxis={"title": {"text": "nu"}, "range": [0.0, 1.02 * c.limit]},
        yaxis={"title": {"text": "Share of the rows"}, "range": [-0.02, 1.04]},
        showlegend=True,
    )
    named_line(fig, f"nu = {rough(c.nu)}", x=c.nu)
    return fig.update_layout(margin_t=UNDER_NAMES)


def reading(c: NuCurve) -> str:
    """Whether both bounds hold, how far apart they are, and where there is no solution."""
    known = np.isfinite(c.path.beyond)
    if not known.any():
        return "No nu has a solution on these rows."
    apart = (c.path.supported - c.path.beyond)[known]
    text = f"At each nu at most that share of the rows is {c.where}, and at least that share are "
    text += f"support vectors; the two are {percent(float(apart.mean()))} apart on average. "
    if not known[0]:
        text += f"The least of them that leaves a margin is {rough(c.path.fewest)}. "
    if c.n < c.of:
        text += f"Fitted anew to {spaced(c.n)} of {spaced(c.of)} rows."
    return text.strip()


def table(c: NuCurve) -> tuple[TableColumn, ...]:
    """One line a nu."""
    return (
        TableColumn("nu", c.path.nus),
        TableColumn(c.where, c.path.beyond),
        TableColumn("support vectors", c.path.supported),
    )
