"""The reliability diagram: how often a class came true, against how probable it was said to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.graph import make_subplots
from figures.numbers.curves import MOST_CORNERS
from figures.numbers.interest import class_of_interest
from figures.numbers.left_out import left_out, note_of, probabilities
from figures.numbers.target import target_of
from figures.options import Options
from figures.theme import LIGHT, NO_TEMPLATE, band, class_color, faded
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.intervals import wilson_interval
from mlcore.evaluation.metrics.calibration import (
    BINNINGS,
    BrierParts,
    CalibrationCurve,
    brier_parts,
    calibration_curve,
    expected_calibration_error,
)
from mlcore.runs.carry import Outcome
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.params import choice, integer
from mlcore.spine.wording import MINUS, adding_up, count, plural, rough_beside

HEIGHT = 460
SHARES = (0.74, 0.26)
FEW = 5  # rows of a bin below which its share says little
MODERATE = 0.02  # of the gaps that are worth a word
TOP = "predicted class"


@dataclass(frozen=True, kw_only=True)
class ReliabilityOptions(Options):
    """Whose probabilities are judged, and in which bins."""

    positive: str | None = class_of_interest(
        "The class whose probability is judged.",
        of_more="the predicted one", unnamed="The predicted class, right or wrong",
    )  # fmt: skip
    n_bins: int = integer(
        10, low=2, high=50, soft=(4, 25), label="Bins", doc="Bins of the probability."
    )
    bins: str = choice(
        "uniform", *BINNINGS, label="Bins are",
        doc="Of equal width, or of equally many rows (quantile).",
    )  # fmt: skip


class Reliability(NamedTuple):
    """By bin, with the interval of each share."""

    curve: CalibrationCurve
    low: np.ndarray  # (b,)
    high: np.ndarray  # (b,)
    error: float  # expected calibration error
    parts: BrierParts
    p: np.ndarray  # (m,) probabilities
    is_so: np.ndarray  # (m,) bool
    weights: np.ndarray  # (m,) of one row together 1
    n: int
    name: str
    k: int  # the class, for its colour
    n_bins: int


@view(
    "reliability",
    title="Calibration",
    asks=GivesProbabilities,
    options=ReliabilityOptions,
    on="classification report compare",
    order=171,
    synonyms=(
        "reliability diagram", "calibration curve", "expected calibration error", "ECE",
        "Brier decomposition", "calibrated probabilities",
    ),
)  # fmt: skip
def reliability(dataset: Dataset, outcome: Outcome, *, options: ReliabilityOptions) -> View:
    """Observed share against predicted probability on test rows; parts of the Brier score."""
    r = numbers(dataset, outcome, options)
    return joined(r, draw, reading, table, note=f"{note_of(outcome)}; 95 % intervals")


def numbers(dataset: Dataset, outcome: Outcome, options: ReliabilityOptions) -> Reliability:
    """Over the rows of all folds; with repeats a row counts once."""
    outside = left_out(outcome, "classification")
    P = probabilities(outside, outcome.run.method.title())
    y = target_of(dataset)[outside.rows].astype(int)
    k, name = 1, dataset.classes[1]
    if options.positive:
        k, name = dataset.classes.index(options.positive), options.positive
    p, is_so = P[:, k], y == k
    if not options.positive and len(dataset.classes) > 2:
        # Whether the class that was said is right, by how probable it was: one curve for all.
        k, name, p, is_so = 0, TOP, P.max(axis=1), P.argmax(axis=1) == y
    w, p = outside.weights, np.clip(p, 0.0, 1.0)  # sums of shares may pass 1 by rounding
    given: Any = {"n_bins": options.n_bins, "bins": options.bins, "weights": w}
    curve = calibration_curve(is_so, p, **given)
    ends = [
        wilson_interval(share * rows, rows)
        for share, rows in zip(curve.observed, np.maximum(curve.rows, 1.0), strict=True)
    ]
    return Reliability(
        curve, np.array([e.low for e in ends]), np.array([e.high for e in ends]),
        expected_calibration_error(is_so, p, **given), brier_parts(is_so, p, **given),
        p, is_so, w, len(np.unique(outside.rows)), name, k, options.n_bins,
    )  # fmt: skip


def draw(r: Reliability) -> go.Figure:
    """The curve over its band; the diagonal is well calibrated; below it how often each is said."""
    fig: Any = make_subplots(2, 1, shared_xaxes=True, row_heights=SHARES, vertical_spacing=0.05)
    c, color = r.curve, class_color(r.k)
    sides = {"x": np.concatenate([c.predicted, c.predicted[::-1]]), "fill": "toself"}
    around = go.Scatter(
        **sides, y=np.concatenate([r.low, r.high[::-1]]), fillcolor=band(color), mode="none",
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    dotted = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
    right = go.Scatter(
        x=[0, 1], y=[0, 1], mode="lines", line=dotted, hoverinfo="skip", showlegend=False
    )
    for trace in (around, right, _curve(r, color)):
        fig.add_trace(trace, 1, 1)
    for bars in _bars(r):
        fig.add_trace(bars, 2, 1)
    told = "Probability of the predicted class" if r.name == TOP else f"Probability of {r.name}"
    fig.update_yaxes(title={"text": "Observed share"}, range=[-0.03, 1.03], row=1, col=1)
    fig.update_yaxes(title={"text": "Rows"}, row=2, col=1)
    fig.update_xaxes(range=[-0.03, 1.03])
    fig.update_xaxes(title={"text": told}, row=2, col=1)
    return fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, barmode="stack", bargap=0.06)


def _curve(r: Reliability, color: str) -> go.Scatter:
    c = r.curve
    return go.Scatter(
        x=c.predicted, y=c.observed, mode="lines+markers", showlegend=False,
        line={"color": color}, marker={"color": color, "size": 9},
        customdata=np.column_stack([c.rows, r.low, r.high]),
        hovertemplate="told %{x:.3f}, so in %{y:.3f}<br>%{customdata[1]:.3f} to "
        "%{customdata[2]:.3f}, %{customdata[0]:,.4~g} rows<extra></extra>",
    )  # fmt: skip


def _bars(r: Reliability) -> list[go.Bar]:
    """How many rows are told which probability: those of the class, and the others above them."""
    edges = np.linspace(0, 1, min(r.n_bins, MOST_CORNERS) + 1)
    names = ("right", "wrong") if r.name == TOP else (r.name, "others")
    colors = (class_color(r.k), faded(LIGHT.quiet, 0.5))
    bars = []
    for name, color, which in zip(names, colors, (r.is_so, ~r.is_so), strict=True):
        rows = np.histogram(r.p[which], edges, weights=r.weights[which])[0]
        bars.append(
            go.Bar(
                x=(edges[1:] + edges[:-1]) / 2, y=rows, width=np.diff(edges) * 0.94, name=name,
                marker={"color": color}, showlegend=True,
                hovertemplate=f"{name}: %{{y:,.4~g}} rows<extra></extra>",
            )
        )  # fmt: skip
    return bars


def reading(r: Reliability) -> str:
    """Error, parts of the Brier score, and whether probabilities are too high or too extreme."""
    q = r.parts
    parts, score = adding_up((q.reliability, -q.resolution, q.uncertainty, q.within))
    good, apart, unsure, within = (part.removeprefix(MINUS) for part in parts)
    text = (
        f"Expected calibration error {rough_beside(r.error, 1.0)} over {count(r.n, 'row')}: "
        f"{_which_way(r)}. Brier score {score} = reliability {good} − "
        f"resolution {apart} + uncertainty {unsure}"
    )
    sign = MINUS if parts[-1].startswith(MINUS) else "+"
    rest = f" {sign} {within} within bins"
    return f"{text}{rest}. {_outside(r)}"


def _which_way(r: Reliability) -> str:
    c = r.curve
    gaps, far = c.predicted - c.observed, np.sign(c.predicted - 0.5)
    high, extreme = float(c.shares @ gaps), float(c.shares @ (gaps * far))
    if r.error < MODERATE:
        return "probabilities mean what they say"
    if extreme > max(abs(high), MODERATE / 2):
        return "too sure on either side"
    if -extreme > max(abs(high), MODERATE / 2):
        return "less sure than it could be"
    if abs(high) < MODERATE / 2:
        return "too high in some places and too low in others"
    return "too high on the whole" if high > 0 else "too low on the whole"


def _outside(r: Reliability) -> str:
    c = r.curve
    off = int(((c.predicted < r.low) | (c.predicted > r.high)).sum())
    few = int((c.rows < FEW).sum())
    text = f"In {off} of {count(len(c.rows), 'bin')} the diagonal lies outside the interval"
    hold = plural(few, "holds", "hold")
    return f"{text}; {few} {hold} fewer than {FEW} rows." if few else f"{text}."


def table(r: Reliability) -> tuple[TableColumn, ...]:
    """One line a bin."""
    return (
        TableColumn("mean probability", r.curve.predicted),
        TableColumn("observed share", r.curve.observed),
        TableColumn("from", r.low),
        TableColumn("to", r.high),
        TableColumn("rows", r.curve.rows),
    )
