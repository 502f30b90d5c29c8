"""What a Gaussian process learns by, over a setting of its kernel and the noise."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT
from figures.drawing.words import fitted_on
from figures.recording import Changes
from figures.theme import LIGHT, SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.kernels.settings import label_at, learnable, value_at, with_value
from mlcore.regression.capabilities import HasInducingRows
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasEvidence
from mlcore.spine.errors import DataError
from mlcore.spine.wording import rough

PLACE = "place"
CELLS = 31  # of each axis
REACH = 2.0  # decades to either side of where learning ended
MOST_ROWS = 400  # beyond it, decompositions for all cells of an axis take too long
MOST_PRODUCTS = 5_000_000  # rows times squared inducing points: the same for all cells of a picture
DEPTH = 30.0  # nats below the best from which on all is alike


class Surface(NamedTuple):
    """The criterion on a grid of two settings."""

    criterion: str  # its name
    label: str  # of the setting of the kernel
    path: str
    values: np.ndarray  # (a,) of the setting
    noises: np.ndarray  # (b,)
    height: np.ndarray  # (b, a) the criterion in nats; NaN where there is none
    at: tuple[float, float]  # setting and noise of the fit
    reached: float  # the criterion there
    is_learned: bool = True  # whether it was learned, or given

    @property
    def peak(self) -> tuple[int, int]:
        """The highest cell: noise and setting."""
        b, a = np.unravel_index(int(np.nanargmax(self.height)), self.height.shape)
        return int(b), int(a)


@view(
    "evidence_surface",
    title="Learned settings",
    asks=HasEvidence,
    on="regression gaussian_process",
    order=147,
    sources=("epfl:kernel_se_gp",),
    synonyms=(
        "log evidence",
        "marginal likelihood",
        "type II maximum likelihood",
        "empirical Bayes",
        "leave-one-out predictive density",
    ),
)
def evidence_surface(dataset: Dataset, whole: Whole) -> View:
    """What settings are learned by, along the first of the kernel and the noise.

    Of settings that were given it shows how far they are from what the rows would have them be.
    """
    s = numbers(whole)
    return joined(s, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(whole: Whole) -> Surface:
    """Other settings stay as they are. Raises DataError where there is no such picture."""
    fit: Any = whole.fit
    is_learned = bool([path for path in fit.learned if path != "noise"])
    paths = learnable(fit.kernel, fit.rows)
    if not paths:
        raise DataError("The kernel has no setting that could be learned: no surface to draw.")
    if reason := _too_many(fit):
        raise DataError(reason)
    path = paths[0]
    here = value_at(fit.kernel, path), float(fit.noise)
    whole_reach = [value * np.logspace(-REACH, REACH, CELLS) for value in here]
    values, noises, height = _nearer(fit, path, *_tried(fit, path, *whole_reach))
    reached = float(fit.criterion_at(fit.kernel, np.array(here[1:]))[0])
    name, label = fit.criterion.name, label_at(fit.kernel, path)
    return Surface(name, label, path, values, noises, height, here, reached, is_learned)


Grid = tuple[np.ndarray, np.ndarray, np.ndarray]  # values, (a,), noises, (b,), height, (b, a)


def _tried(fit: Any, path: str, values: np.ndarray, noises: np.ndarray) -> Grid:
    kernels = (with_value(fit.kernel, path, float(v)) for v in values)
    columns = [fit.criterion_at(kernel, noises) for kernel in kernels]
    return values, noises, np.column_stack(columns)


def _nearer(
    fit: Any, path: str, values: np.ndarray, noises: np.ndarray, height: np.ndarray
) -> Grid:
    """The same grid, or one of what is not alike to the eye, where that is a small part of it.

    Many rows leave little doubt: all the rest lies `DEPTH` or more below the best.
    """
    tells = height > np.nanmax(height) - DEPTH
    axes = _telling(values, tells.any(axis=0)), _telling(noises, tells.any(axis=1))
    if axes[0] is values and axes[1] is noises:
        return values, noises, height
    return _tried(fit, path, *axes)


def _telling(places: np.ndarray, tells: np.ndarray) -> np.ndarray:
    """As many places about those that tell something and the middle one, or the same places."""
    at = np.flatnonzero(tells | (np.arange(CELLS) == CELLS // 2))
    first, last = max(at[0] - 1, 0), min(at[-1] + 1, CELLS - 1)
    if last - first > CELLS // 2:
        return places
    return np.geomspace(places[first], places[last], CELLS)


def _too_many(fit: Any) -> str | None:
    """Why the cells would take too long, or None."""
    n = len(fit.rows)
    if not can(fit, HasInducingRows):
        if n <= MOST_ROWS:
            return None
        return f"The surface is drawn for at most {MOST_ROWS} training rows; these are {n}."
    c = len(fit.inducing)
    if n * c**2 <= MOST_PRODUCTS:
        return None
    return (
        f"The surface of {n} training rows is drawn for at most "
        f"{math.isqrt(MOST_PRODUCTS // n)} inducing points; these are {c}. Take fewer of them."
    )


def draw(s: Surface) -> go.Figure:
    """Levels of the criterion on logarithmic axes, and where learning ended, or what was given."""
    who = "learned" if s.is_learned else "given"
    best = float(np.nanmax(s.height))
    surface = go.Contour(
        x=s.values,
        y=s.noises,
        z=np.maximum(s.height, best - DEPTH),
        customdata=s.height,
        colorscale=SEQUENTIAL,
        ncontours=16,
        line={"width": 0.5},
        colorbar={"title": {"text": "<br>".join(wrap(s.criterion, 13))}, "thickness": 12},
        hovertemplate=f"{s.label} %{{x:.3~g}}<br>noise variance %{{y:.3~g}}<br>"
        f"{s.criterion} %{{customdata:.5~g}}<extra></extra>",
    )
    symbol: dict[str, Any] = {"symbol": "x", "size": 11, "color": LIGHT.background}
    symbol["line"] = {"width": 1.5, "color": LIGHT.text}
    place = go.Scatter(
        x=[s.at[0]], y=[s.at[1]], mode="markers", marker=symbol, name=who, uid=PLACE,
        hovertemplate=f"{who}: " + "%{x:.3~g}, %{y:.3~g}<extra></extra>",
    )  # fmt: skip
    return figure(
        surface,
        place,
        height=HEIGHT,
        xaxis={"title": {"text": s.label.capitalize()}, **_decades(s.values)},
        yaxis={"title": {"text": "Noise variance"}, **_decades(s.noises)},
        showlegend=True,
    )


def _decades(values: np.ndarray) -> dict[str, Any]:
    return {
        "type": "log",
        "range": np.log10(values[[0, -1]]).tolist(),
        **({"dtick": 1} if values[-1] >= 100.0 * values[0] else {"nticks": 5}),
        "exponentformat": "power",
    }


def step(s: Surface, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the place on the surface, as far as other settings stay."""
    return {at[PLACE]: {"x": [value_at(whole.fit.kernel, s.path)], "y": [whole.fit.noise]}}


def reading(s: Surface) -> str:
    """Where the criterion is largest, and whether learning ended there."""
    b, a = s.peak
    best = float(s.height[b, a])
    text = (
        f"{'Learning ended at' if s.is_learned else 'Given:'} {s.label} {rough(s.at[0])} and noise "
        f"variance {rough(s.at[1])}, with a {s.criterion} of {rough(s.reached)} nats. "
    )
    more = "Learn from further starts." if s.is_learned else "Nothing was learned: choose to."
    if best > s.reached + 1.0:
        return text + (
            f"Another place is better by {rough(best - s.reached)} nats: {s.label} "
            f"{rough(s.values[a])}, noise {rough(s.noises[b])}. {more}"
        )
    return text + "No other place of the picture is better."


def table(s: Surface) -> tuple[TableColumn, ...]:
    """One line a cell."""
    noise, value = np.meshgrid(s.noises, s.values, indexing="ij")
    return (
        TableColumn(s.label, value.ravel()),
        TableColumn("noise variance", noise.ravel()),
        TableColumn(s.criterion, s.height.ravel()),
    )
