"""The reliability diagram: how often a probability is right, against the probability."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures.drawing.marks import equal_axes
from figures.drawing.traces import HEIGHT
from figures.numbers.left_out import left_out, note_of, probabilities
from figures.numbers.target import target_of
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.intervals import wilson_interval
from mlcore.evaluation.pooled import pooled
from mlcore.runs.carry import Outcome
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.wording import count, percent

BINS = 10  # of equal numbers of rows: of equal width, most would be empty
LEAST = 5  # rows of a bin; with fewer rows there are fewer bins


class Reliability(NamedTuple):
    """Rows in bins of rising probability; a row that was left out often counts the first time."""

    probability: np.ndarray  # (b,) mean
    right: np.ndarray  # (b,) share of the rows for which it came true
    low: np.ndarray  # (b,) of the interval of that share
    high: np.ndarray  # (b,)
    rows: np.ndarray  # (b,) how many
    of: str  # what the probability is of

    @property
    def error(self) -> float:
        """Expected calibration error: mean distance of share and probability over the rows."""
        return float(np.average(np.abs(self.right - self.probability), weights=self.rows))


@view(
    "reliability",
    title="Reliability diagram",
    asks=GivesProbabilities,
    on="classification report",
    order=185,
    synonyms=("calibration", "calibration curve", "calibration plot", "CalibrationDisplay",
              "expected calibration error", "ECE"),
)  # fmt: skip
def reliability(dataset: Dataset, outcome: Outcome) -> View:
    """Share that is right against the probability that was said, in bins of test rows."""
    return joined(numbers(dataset, outcome), draw, reading, table, note=note_of(outcome))


def numbers(dataset: Dataset, outcome: Outcome) -> Reliability:
    """Of the second of two classes, else of the class that was predicted."""
    every = left_out(outcome, "classification")
    outside = pooled(outcome.done, once=True) or every
    P = probabilities(outside, outcome.run.method.title())
    true = target_of(dataset)[outside.rows]
    if len(dataset.classes) == 2:
        return binned(P[:, 1], true == 1, dataset.classes[1])
    predicted = outside.predictions.astype(int)
    return binned(P[np.arange(len(predicted)), predicted], predicted == true, "the predicted class")


def binned(p: np.ndarray, came_true: np.ndarray, of: str) -> Reliability:
    """Probabilities p and whether they came true, both (m,), in bins of about equal rows.

    Equal probabilities stay together.
    """
    order = np.argsort(p, kind="stable")
    p, came_true = p[order], came_true[order]
    bins = max(1, min(BINS, len(p) // LEAST))
    cuts = np.searchsorted(p, p[(np.arange(1, bins) * len(p)) // bins], side="left")
    starts = np.unique(np.concatenate([[0], cuts]))
    rows = np.diff(np.append(starts, len(p)))
    successes = np.add.reduceat(came_true.astype(np.float64), starts)
    spans = [wilson_interval(hits, int(n)) for hits, n in zip(successes, rows, strict=True)]
    return Reliability(
        np.add.reduceat(p, starts) / rows,
        successes / rows,
        np.array([span.low for span in spans]),
        np.array([span.high for span in spans]),
        rows,
        of,
    )


def draw(r: Reliability) -> go.Figure:
    """Bins with their intervals; on the diagonal every probability is right."""
    limits = {"range": [-0.02, 1.02]}
    hover = "said %{x:.3f}<br>right %{y:.3f}<br>%{text}<extra></extra>"
    bins = go.Scatter(
        x=r.probability, y=r.right, mode="lines+markers", name="bins of test rows",
        hovertemplate=hover,
        text=[count(int(n), "row") for n in r.rows], showlegend=False,
        line={"color": class_color(0), "width": 1.5}, marker={"size": 8, "color": class_color(0)},
        error_y={"array": r.high - r.right, "arrayminus": r.right - r.low, "width": 0,
                 "thickness": 1.2, "color": class_color(0)},
    )  # fmt: skip
    dots = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
    ideal = go.Scatter(
        x=[0, 1], y=[0, 1], mode="lines", line=dots, hoverinfo="skip", showlegend=False
    )
    fig = figure(
        ideal, bins, height=HEIGHT,
        xaxis=limits | {"title": {"text": f"Probability of {r.of}"}},
        yaxis=limits | {"title": {"text": "Share for which it came true"}},
    )  # fmt: skip
    fig.add_annotation(text="too unsure", x=0.02, y=0.98, xanchor="left", yanchor="top",
                       showarrow=False)  # fmt: skip
    fig.add_annotation(text="too sure", x=0.98, y=0.02, xanchor="right", yanchor="bottom",
                       showarrow=False)  # fmt: skip
    return equal_axes(fig)


def reading(r: Reliability) -> str:
    """The mean distance, and the bin that is farthest off."""
    worst = int(np.abs(r.right - r.probability).argmax())
    return (
        f"Probabilities of {r.of} are {percent(r.error)} off on average (expected calibration "
        f"error, {count(len(r.rows), 'bin')}). Farthest off: said "
        f"{percent(float(r.probability[worst]))}, came true in {percent(float(r.right[worst]))} "
        f"of {count(int(r.rows[worst]), 'row')}; bars are 95 % intervals of these shares."
    )


def table(r: Reliability) -> tuple[TableColumn, ...]:
    """One line a bin."""
    return (
        TableColumn("probability", r.probability),
        TableColumn("share came true", r.right),
        TableColumn("likely from", r.low),
        TableColumn("to", r.high),
        TableColumn("rows", r.rows),
    )
