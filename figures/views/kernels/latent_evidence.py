"""The evidence of a Gaussian process of classes over a setting of its kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import HEIGHT
from figures.drawing.words import fitted_on
from figures.theme import CLASS_COLORS, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.kernels.settings import label_at, learnable, value_at, with_value
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasLatentFunctions
from mlcore.spine.errors import DataError
from mlcore.spine.wording import plural, rough

PLACES = 13  # to either side of where learning ended, and there
REACH = 1.5  # decades to either side
MOST_ROWS = 900  # of all machines: beyond it, the modes for all places take too long
NEAR = 0.5  # nats: a difference that the places between which the curve is drawn may hide


class Curves(NamedTuple):
    """The log evidence of each machine along one setting; all others stay as they are."""

    label: str  # of the setting
    names: tuple[str, ...]  # (M,)
    values: np.ndarray  # (M, a) of the setting
    evidence: np.ndarray  # (M, a) in nats
    at: np.ndarray  # (M,) where learning ended
    reached: np.ndarray  # (M,) its evidence
    is_learned: bool = True  # whether it was learned, or given


@view(
    "latent_evidence",
    title="Log evidence of the width",
    asks=HasLatentFunctions,
    on="classification gaussian_process",
    order=146,
    sources=("epfl:kernel_se_gp",),
    synonyms=("marginal likelihood", "type II maximum likelihood"),
)
def latent_evidence(dataset: Dataset, whole: Whole) -> View:
    """The log evidence by the first setting of the kernel that can be learned, a curve a machine.

    The cross is where learning ended, or what was given where nothing was learned.
    """
    c = numbers(dataset, whole)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> Curves:
    """Raises DataError where no setting can be learned, or where there are too many rows."""
    fit: Any = whole.fit
    paths = learnable(fit.kernels[0], fit.rows)
    if not paths:
        raise DataError("The kernel has no setting that could be learned: no curve to draw.")
    if len(fit.rows) * len(fit.kernels) > MOST_ROWS:
        raise DataError(
            f"The curve is drawn for at most {MOST_ROWS} training rows, divided by the number of "
            f"latent functions; these are {len(fit.rows)} rows and {len(fit.kernels)} functions."
        )
    path = paths[0]
    at = np.array([value_at(kernel, path) for kernel in fit.kernels])
    values = at[:, None] * np.logspace(-REACH, REACH, PLACES)
    evidence = [
        [fit.evidence_at(m, with_value(kernel, path, float(v))) for v in own]
        for m, (kernel, own) in enumerate(zip(fit.kernels, values, strict=True))
    ]
    names = dataset.classes if len(fit.kernels) > 1 else ("",)
    label = label_at(fit.kernels[0], path)
    ends = np.array(evidence), at, fit.log_evidences
    return Curves(label, names, values, *ends, is_learned=bool(fit.learned))


def draw(c: Curves) -> go.Figure:
    """A line a machine, and a mark where learning ended, or what was given."""
    who = "learned" if c.is_learned else "given"
    many = len(c.names) > 1
    traces: list[Any] = []
    for m, name in enumerate(c.names):
        color = class_color(m) if many else CLASS_COLORS[0]
        traces += [
            go.Scatter(
                x=c.values[m], y=c.evidence[m], mode="lines", line={"color": color},
                name=f"{name} | the rest" if many else "log evidence",
                hovertemplate=f"{c.label} %{{x:.3~g}}<br>log evidence %{{y:.5~g}}<extra></extra>",
            ),
            go.Scatter(
                x=c.at[m : m + 1], y=c.reached[m : m + 1], mode="markers", showlegend=m == 0,
                name=who, marker={"symbol": "x", "size": 11, "color": color},
                hovertemplate=f"{who}: " + "%{x:.3~g}<br>log evidence %{y:.5~g}<extra></extra>",
            ),
        ]  # fmt: skip
    return figure(
        *traces,
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": c.label.capitalize()}} | log_axis(c.values),
        yaxis={"title": {"text": "Log evidence in nats"}},
    )


def reading(c: Curves) -> str:
    """Where learning ended, and whether the curve has a better place."""
    each = (f"{name + ': ' if name else ''}{rough(float(v))}" for name, v in zip(c.names, c.at))
    text = f"{'Learning ended at' if c.is_learned else 'Given:'} {c.label} {', '.join(each)}. "
    more = "Learn from further starts." if c.is_learned else "Nothing was learned: choose to."
    better = int((c.evidence.max(axis=1) > c.reached + NEAR).sum())
    if better:
        return text + (
            f"{plural(better, 'A curve has', 'Curves have')} a better place elsewhere. {more}"
        )
    fall = float((c.reached - c.evidence.min(axis=1)).min())
    if fall < NEAR and c.is_learned:
        return text + (
            f"There the evidence hardly moves, by {rough(fall)} nats over the whole curve, and "
            "learning had no slope to follow. Learn from further starts."
        )
    return text + f"No drawn place is better; the worst has {rough(fall)} nats less."


def table(c: Curves) -> tuple[TableColumn, ...]:
    """One line a place of a machine."""
    count = c.values.shape[1]
    return (
        TableColumn("machine", np.repeat([name or "all" for name in c.names], count)),
        TableColumn(c.label, c.values.ravel()),
        TableColumn("log evidence", c.evidence.ravel()),
    )
