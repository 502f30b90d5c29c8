"""Canonical correlations along the shrinkage: in the fitted rows, and in rows left out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.reduction.canonical_correlations import means_over_folds
from mlcore.data.dataset import Dataset
from mlcore.preparation.once import prepared_once
from mlcore.reduction.capabilities import HasCanonicalPairs
from mlcore.reduction.cca import correlations
from mlcore.runs.carry import Outcome
from mlcore.runs.fitting import fit_prepared, steps_of
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count

HEIGHT = 360
SHRINKAGES = (0.0, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0)
PLACES = np.arange(len(SHRINKAGES), dtype=np.float64)  # where they stand along the axis
MOST_PAIRS = 3  # more lines cross each other
MOST_SECONDS = 2.0  # of the fits while a page waits
WORTH = 0.02  # a correlation by which another shrinkage must be better to be named


class ShrinkagePath(NamedTuple):
    """Correlations of the first pairs for each of `SHRINKAGES`."""

    fitted: np.ndarray  # (g, q)
    left_out: np.ndarray  # (g, q) means over the folds; NaN where none has the pair
    angles: np.ndarray  # (g,) degrees of the first direction of the first block from the unshrunken
    here: tuple[float, float]  # of the fit: the first and the second block


@view(
    "shrinkage_path",
    title="Correlations along the shrinkage",
    asks=HasCanonicalPairs,
    on="reduction report",
    order=217,
    sources=("epfl:cca", "epfl:pls_cca_continuum"),
    synonyms=("regularised CCA", "ridge CCA", "canonical ridge", "gamma path"),
)
def shrinkage_path(dataset: Dataset, outcome: Outcome) -> View:
    """The correlation of each pair when both blocks are shrunken alike, from none to the identity.

    Lines are the fitted rows, dashes the rows that the folds left out.
    """
    k = count(len([fold for fold in outcome.done if fold.scores]), "fold")
    note = f"both blocks alike; dashes: mean over {k}"
    return joined(numbers(dataset, outcome), draw, reading, table, note=note)


def numbers(dataset: Dataset, outcome: Outcome) -> ShrinkagePath:
    """Each shrinkage is fitted to all rows, and to those of each fold, which judges on the rest."""
    run, fit = outcome.run, outcome.whole.fit
    methods = [fit.shrunken(gamma) for gamma in SHRINKAGES]
    folds = [fold for fold in outcome.done if fold.scores]
    _refuse_long(methods, outcome.whole.prepared.X, len(folds))
    q = min(len(fit.correlations), MOST_PAIRS)
    every = np.arange(dataset.n)
    fits = [fit_prepared(m, outcome.whole.prepared, dataset, every, run.seed) for m in methods]
    left_out = np.full((len(methods), len(folds), q), np.nan)
    for f, fold in enumerate(folds):
        prepared = prepared_once(steps_of(run), dataset, fold.train, run.seed)
        X = prepared.transform(dataset.X[fold.test])
        for m, method in enumerate(methods):
            own = fit_prepared(method, prepared, dataset, fold.train, run.seed)
            left_out[m, f] = _judged(own, X, q)
    return ShrinkagePath(
        np.array([_padded(f.correlations, q) for f in fits]),
        np.array([means_over_folds(values) for values in left_out]),
        np.array([_angle(f.first_axes[0], fits[0].first_axes[0]) for f in fits]),
        fit.shrinkage,
    )


def _refuse_long(methods: list[Any], X: np.ndarray, folds: int) -> None:
    seconds = sum(method.card.cost(*X.shape, method)[0] for method in methods) * (folds + 1)
    if seconds > MOST_SECONDS:
        raise DataError(
            f"The path takes {len(methods) * (folds + 1)} fits, on {len(X):,} rows and "
            f"{X.shape[1]} columns too long for a picture. Use fewer rows, columns or folds."
        )


def _judged(fit: Any, X: np.ndarray, q: int) -> np.ndarray:
    """Correlations of the first q pairs in rows X, (q,); NaN for pairs that the fit has not."""
    if len(X) < 3:
        return np.full(q, np.nan)
    Z = fit.transform(X)
    return _padded(correlations(Z[:, ::2], Z[:, 1::2]), q)


def _padded(values: np.ndarray, q: int) -> np.ndarray:
    padded = np.full(q, np.nan)
    padded[: len(values)] = values[:q]
    return padded


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    """Degrees between two directions, up to their sign."""
    cosine = abs(float(a @ b)) / float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.degrees(np.arccos(min(cosine, 1.0))))


def draw(p: ShrinkagePath) -> go.Figure:
    """A line and dashes a pair; the axis has a place for none, which no logarithm has."""
    fig = figure(
        height=HEIGHT, showlegend=True, margin={"t": 36},
        xaxis={"title": {"text": "Shrinkage of both blocks"}, "type": "linear",
               "tickvals": list(range(len(SHRINKAGES))),
               "ticktext": [f"{gamma:g}" for gamma in SHRINKAGES]},
        yaxis={"title": {"text": "Correlation"}},
    )  # fmt: skip
    for k in range(p.fitted.shape[1]):
        fig.add_trace(_line(p.fitted[:, k], k, "fitted rows", "solid"))
        fig.add_trace(_line(p.left_out[:, k], k, "rows left out", "dash"))
    if p.here[0] == p.here[1]:
        place = float(np.interp(_log(p.here[0]), [_log(g) for g in SHRINKAGES], PLACES))
        style = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
        across(fig, x=place, line=style)
        fig.add_annotation(
            x=place, y=1.0, yref="paper", yanchor="bottom", text=f"here {p.here[0]:g}",
            font={"color": LIGHT.quiet, "size": 12}, xanchor="left" if place < 1 else "center",
        )  # fmt: skip
    return fig


def _log(gamma: float) -> float:
    """A shrinkage on an axis on which none lies one place before the least."""
    return float(np.log10(max(gamma, 10**-4.5)))


def _line(values: np.ndarray, k: int, rows: str, dash: str) -> go.Scatter:
    return go.Scatter(
        x=PLACES, y=values, mode="lines+markers", name=f"pair {k + 1}, {rows}",
        line={"color": class_color(k), "dash": dash, "width": 2},
        # In the legend both lines are as short, and look alike but for their marks.
        marker={"size": 6, "symbol": "circle" if dash == "solid" else "circle-open"},
        customdata=np.array(SHRINKAGES),
        hovertemplate=f"pair {k + 1}, {rows}<br>%{{y:.3f}} at %{{customdata:g}}<extra></extra>",
    )  # fmt: skip


def reading(p: ShrinkagePath) -> str:
    """What the first correlation is at both ends, and where rows left out have most of it."""
    a, b = p.fitted[0, 0], p.fitted[-1, 0]
    text = f"In the fitted rows the first pair is correlated by {a:.3f} without shrinkage, by "
    text += f"{b:.3f} with all of it, where directions of most covariance are taken."
    judged = p.left_out[:, 0]
    if not np.isfinite(judged).any():
        return text
    best = int(np.nanargmax(judged))
    if best == 0:
        return f"{text} In rows left out it is largest, {judged[0]:.3f}, without shrinkage too."
    text += f" In rows left out it is largest, {judged[best]:.3f}, at {SHRINKAGES[best]:g}"
    if judged[best] - judged[0] < WORTH:
        return f"{text}; without shrinkage it is {judged[0]:.3f}, so shrinking gains little."
    angle = p.angles[best]
    return f"{text}, {judged[0]:.3f} without; there the first direction has turned by {angle:.0f}°."


def table(p: ShrinkagePath) -> tuple[TableColumn, ...]:
    """One line a shrinkage."""
    pairs = range(p.fitted.shape[1])
    return (
        TableColumn("shrinkage", np.array(SHRINKAGES)),
        *(TableColumn(f"pair {k + 1}, fitted rows", p.fitted[:, k]) for k in pairs),
        *(TableColumn(f"pair {k + 1}, rows left out", p.left_out[:, k]) for k in pairs),
        TableColumn("turn of the first direction, degrees", p.angles),
    )
