"""What each label that was asked for brought, beside labels asked at random."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.theme import LIGHT, band, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.capabilities import HasQueries
from mlcore.spine.wording import count, percent

HEIGHT = 340
CLEAR = 0.01  # a lead of less is none


class LabelCurve(NamedTuple):
    """Share of right answers by number of labels."""

    labels: np.ndarray  # (q + 1,) known so far
    accuracy: np.ndarray  # (q + 1,)
    at_random: np.ndarray  # (r, q + 1) of each random sequence
    rule: str  # by which was asked


@view(
    "accuracy_vs_labels",
    title="Accuracy by number of labels",
    asks=HasQueries,
    on="classification",
    order=30,
    sources=("cs1:sampling_active",),
    synonyms=("active learning curve",),
)
def accuracy_vs_labels(fit: Any) -> View:
    """How much is right after each label, by the rule of the method and by asking at random."""
    note = "of the training rows that were hidden at the start"
    return joined(numbers(fit), draw, reading, table, note=note)


def numbers(fit: Any) -> LabelCurve:
    """The curves that the fit recorded."""
    start = np.count_nonzero(fit.order == 0)
    labels = start + np.arange(len(fit.accuracy))
    return LabelCurve(labels, fit.accuracy, fit.random_accuracy, fit.made_by.query.title())


def draw(c: LabelCurve) -> go.Figure:
    """Random sequences thin with their mean, the rule strong above them."""
    hover = "%{x} labels: %{y:.1%}<extra>%{fullData.name}</extra>"
    thin: dict[str, Any] = {"color": LIGHT.quiet, "width": 1}
    fig = figure(
        *(
            go.Scatter(x=c.labels, y=each, mode="lines", line=thin, opacity=0.5, hoverinfo="skip",
                       showlegend=False)
            for each in (c.at_random if len(c.at_random) > 1 else ())
        ),
        height=HEIGHT,
        xaxis={"title": {"text": "Known labels"}, "tickformat": "d"},
        yaxis={"title": {"text": "Accuracy"}, "tickformat": ".0%"},
        showlegend=True,
    )  # fmt: skip
    if len(c.at_random):
        mean = c.at_random.mean(axis=0)
        name = "at random" + (f", mean of {len(c.at_random)}" if len(c.at_random) > 1 else "")
        fig.add_trace(line(c.labels, mean, 1, name, hovertemplate=hover))
        lead = np.maximum(c.accuracy, mean)
        fig.add_trace(
            go.Scatter(x=c.labels, y=lead, mode="lines", line_width=0, fill="tonexty",
                       fillcolor=band(class_color(0)), hoverinfo="skip", showlegend=False)
        )  # fmt: skip
    fig.add_trace(line(c.labels, c.accuracy, 0, c.rule.lower(), hovertemplate=hover))
    return fig.update_layout(margin_t=50)


def reading(c: LabelCurve) -> str:
    """Where it began and ended, the lead over chance, and how many labels chance needs."""
    first, last = percent(c.accuracy[0]), percent(c.accuracy[-1])
    text = f"{first} are right with {count(int(c.labels[0]), 'label')}"
    text += f", {last} with {int(c.labels[-1])}."
    if not len(c.at_random) or len(c.labels) < 2:
        return text
    mean = c.at_random.mean(axis=0)
    text += f" Asked at random, as many labels give {percent(mean[-1])}."
    sooner = np.flatnonzero(c.accuracy >= mean[-1])
    if c.accuracy[-1] - mean[-1] > CLEAR:
        return f"{text} The rule is there with {int(c.labels[sooner[0]])}."
    if mean[-1] - c.accuracy[-1] > CLEAR:
        return f"{text} Here the rule does worse than chance."
    return f"{text} At the end the two are level."


def table(c: LabelCurve) -> tuple[TableColumn, ...]:
    """One line a number of labels."""
    each = (TableColumn(f"at random {r + 1}", values) for r, values in enumerate(c.at_random))
    return (TableColumn("labels", c.labels), TableColumn("accuracy", c.accuracy), *each)
