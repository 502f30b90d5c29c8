"""Regularised discriminant analysis: the error over both of its settings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import color_bar
from figures.numbers.left_out import note_of, refuse_long
from figures.theme import INK, LIGHT, RIM, SEQUENTIAL, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import MixesCovariances
from mlcore.data.dataset import Dataset
from mlcore.preparation.once import prepared_once
from mlcore.runs.carry import Outcome
from mlcore.runs.fitting import fit_prepared, steps_of
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.wording import percent

HEIGHT = 420
SHARES = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)  # of pooling, and of shrinkage
# The names of the corners, by pooling and shrinkage.
CORNERS = {(0.0, 0.0): "QDA", (1.0, 0.0): "LDA", (0.0, 1.0): "spheres", (1.0, 1.0): "nearest mean"}


class RdaSurface(NamedTuple):
    """Errors for each pair of settings."""

    errors: np.ndarray  # (s, s) by shrinkage and pooling, of rows left out; NaN: it has no fit
    here: tuple[float, float]  # pooling and shrinkage of the fit

    @property
    def best(self) -> tuple[int, int]:
        """Places of the least error, by shrinkage and pooling; the most regular of equal ones."""
        least = np.flatnonzero(self.errors.ravel() <= np.nanmin(self.errors))
        row, column = np.unravel_index(least, self.errors.shape)
        k = int((row + column).argmax())
        return int(row[k]), int(column[k])


@view(
    "rda_surface",
    title="Pooling and shrinkage",
    asks=MixesCovariances,
    on="classification report",
    order=121,
    sources=("s841:rda",),
    synonyms=("RDA", "regularised discriminant analysis", "between QDA and LDA", "Friedman"),
)
def rda_surface(dataset: Dataset, outcome: Outcome) -> View:
    """The error on rows left out, from one covariance a class to a common one, and to spheres.

    At the corners stand quadratic and linear discriminant analysis, and the nearest mean.
    """
    s = numbers(dataset, outcome)
    return joined(s, draw, reading, table, note=note_of(outcome))


def numbers(dataset: Dataset, outcome: Outcome) -> RdaSurface:
    """Each pair of settings is fitted in each fold, and judged on the rows that it left out."""
    run, fit = outcome.run, outcome.whole.fit
    folds = [fold for fold in outcome.done if fold.scores and len(fold.test)]
    if not folds:
        raise DataError("No fold has rows left out to judge on. Choose another evaluation.")
    tried = [(fit.mixed(a, b), i, j) for i, b in enumerate(SHARES) for j, a in enumerate(SHARES)]
    refuse_long(tried[0][0], outcome.whole.prepared.X, len(tried) * len(folds))
    wrong = np.zeros((len(SHARES), len(SHARES)))
    for fold in folds:
        prepared = prepared_once(steps_of(run), dataset, fold.train, run.seed)
        X, y = prepared.transform(dataset.X[fold.test]), np.asarray(dataset.y)[fold.test]
        for method, i, j in tried:
            try:
                own = fit_prepared(method, prepared, dataset, fold.train, run.seed)
            except MlcoreError:  # a covariance that has no inverse, which the picture shows
                wrong[i, j] = np.nan
                continue
            wrong[i, j] += float((own.predict(X) != y).sum())
    return RdaSurface(wrong / sum(len(fold.test) for fold in folds), fit.mixture)


def draw(s: RdaSurface) -> go.Figure:
    """Cells by their error, evenly wide, with the corners named and the fit marked."""
    names, places = [f"{share:g}" for share in SHARES], np.arange(len(SHARES))
    texts = [[f"pooling {a}, shrinkage {b}" for a in names] for b in names]
    cells = go.Heatmap(
        x=places, y=places, z=100 * s.errors, colorscale=SEQUENTIAL, reversescale=True, xgap=1,
        ygap=1, colorbar=color_bar("Error, in %"), hoverongaps=False, text=texts,
        hovertemplate="%{text}<br>error %{z:.1f} %<extra></extra>",
    )  # fmt: skip
    ticks = {"tickvals": places, "ticktext": names, "showgrid": False}
    fig = figure(
        cells, height=HEIGHT, showlegend=False,
        xaxis={"title": {"text": "Pooling"}} | ticks,
        yaxis={"title": {"text": "Shrinkage"}} | ticks,
    )  # fmt: skip
    row, column = s.best
    fig.add_trace(_mark(column, row, "best", "star"))
    x, y = (float(np.interp(share, SHARES, np.arange(len(SHARES)))) for share in s.here)
    fig.add_traces([_around(x, y), _mark(x, y, "here", "circle-open")])
    for (a, b), name in CORNERS.items():
        fig.add_annotation(
            x=SHARES.index(a), y=SHARES.index(b), text=name, showarrow=False, yshift=-16,
            font={"size": 11, "color": LIGHT.text}, borderpad=1,
            bgcolor=faded(LIGHT.background, 0.75),
        )  # fmt: skip
    return fig


def _mark(x: float, y: float, name: str, symbol: str) -> go.Scatter:
    edge = INK if "open" in symbol else RIM
    return go.Scatter(
        x=[x], y=[y], mode="markers", name=name, hovertemplate=f"{name}<extra></extra>",
        marker={"symbol": symbol, "size": 15, "color": INK,
                "line": {"width": 2, "color": edge}},
    )  # fmt: skip


def _around(x: float, y: float) -> go.Scatter:
    """What sets a ring off from cells of any shade: the greatest error is as dark as a ring is."""
    marker = {"symbol": "circle-open", "size": 15, "line": {"width": 6, "color": RIM}}
    return go.Scatter(x=[x], y=[y], mode="markers", hoverinfo="skip", marker=marker)


def reading(s: RdaSurface) -> str:
    """The least error beside those of the corners."""
    row, column = s.best
    text = f"Least error {percent(float(s.errors[row, column]))} at pooling {SHARES[column]:g}, "
    text += f"shrinkage {SHARES[row]:g}."
    corners = (
        f"{name} {percent(error)}" if np.isfinite(error) else f"{name} has no fit"
        for (a, b), name in CORNERS.items()
        for error in [float(s.errors[SHARES.index(b), SHARES.index(a)])]
    )
    return f"{text} {', '.join(corners)}. The best of many tries is an optimistic score."


def table(s: RdaSurface) -> tuple[TableColumn, ...]:
    """One line a pair of settings."""
    shrinkage, pooling = np.meshgrid(SHARES, SHARES, indexing="ij")
    return (
        TableColumn("pooling", pooling.ravel()),
        TableColumn("shrinkage", shrinkage.ravel()),
        TableColumn("error of rows left out", s.errors.ravel()),
    )
