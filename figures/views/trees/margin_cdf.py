"""How clearly rows are voted for: the distribution of margins after some rounds, half, and all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.drawing.words import fitted_on
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.ensembles.boosting_theory import margins
from mlcore.ensembles.capabilities import HasBoostingRounds
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, percent

HEIGHT = 320
LEVELS = np.linspace(0.0, 1.0, 201)  # shares at which a curve is drawn


class MarginCurves(NamedTuple):
    """Sorted margins of the fitted rows after some numbers of rounds."""

    rounds: tuple[int, ...]
    margins: np.ndarray  # (r, n), each row ascending


@view(
    "margin_cdf",
    title="Margins of the votes",
    asks=HasBoostingRounds,
    on="classification report",
    order=157,
    sources=("cs2:adaboost_margins",),
    synonyms=("margin distribution", "boosting margins"),
)
def margin_cdf(dataset: Dataset, whole: Whole) -> View:
    """The share of fitted rows with at most this margin: votes for the class less those against.

    Below 0 a row is wrong. Margins often grow still when the training error has ended at zero.
    """
    return joined(numbers(whole), draw, reading, table, note=fitted_on(dataset, whole))


def numbers(whole: Whole) -> MarginCurves:
    """Margins after one round, a tenth of them, half and all."""
    fit, total = whole.fit, len(whole.fit.alphas)
    rounds = tuple(sorted({1, max(total // 10, 1), max(total // 2, 1), total}))
    X, y = whole.prepared.X, whole.prepared.y
    return MarginCurves(rounds, np.sort([margins(fit, X, y, rounds=t) for t in rounds], axis=1))


def draw(m: MarginCurves) -> go.Figure:
    """A curve for each number of rounds."""
    traces = [
        line(
            np.quantile(own, LEVELS),
            LEVELS,
            k,
            count(t, "round"),
            hovertemplate="%{y:.0%} of the rows<br>margin at most %{x:.3f}",
        )
        for k, (t, own) in enumerate(zip(m.rounds, m.margins, strict=True))
    ]
    return figure(
        *traces,
        height=HEIGHT,
        xaxis={"title": {"text": "Margin"}},
        yaxis={"title": {"text": "Share of the rows"}, "tickformat": ".0%", "range": [0, 1]},
    )


def reading(m: MarginCurves) -> str:
    """Rows on the wrong side, and the middle margin."""
    last = m.margins[-1]
    wrong = percent(float((last < 0).mean()))
    return (
        f"After {count(m.rounds[-1], 'round')} {wrong} of the rows have "
        f"a margin below 0; half of them have more than {np.median(last):.3g}."
    )


def table(m: MarginCurves) -> tuple[TableColumn, ...]:
    """One line for each number of rounds."""
    return (
        TableColumn("rounds", np.array(m.rounds)),
        TableColumn("least margin", m.margins[:, 0]),
        TableColumn("median margin", np.median(m.margins, axis=1)),
        TableColumn("share below 0", (m.margins < 0).mean(axis=1)),
    )
