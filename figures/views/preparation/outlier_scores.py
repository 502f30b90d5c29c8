"""How remote every row lies, and which are too remote to learn from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import named_line, row_texts
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesNovelty, Resamples
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, percent, plural, rough, spaced

HEIGHT = 360
MOST_POINTS = 4000  # of either kind, evenly taken by rank
NAMED = 3  # most remote rows that the reading names


class Remoteness(NamedTuple):
    """Rows by falling score."""

    scores: np.ndarray  # (n,)
    rows: np.ndarray  # (n,) row numbers of the table
    is_out: np.ndarray  # (n,) whether a row is not learned from
    threshold: float
    name: str  # of the score


@view(
    "outlier_scores",
    title="Outlier scores",
    of_step=(GivesNovelty, Resamples),
    sources=("s841:hotelling_t2",),
    synonyms=("anomaly scores", "local outlier factor"),
)
def outlier_scores(dataset: Dataset, prepared: Prepared) -> View:
    """Every row by its score, the most remote first, with the threshold of the removal."""
    r = numbers(dataset, prepared)
    note = f"scored by all {count(dataset.n, 'row')}"
    return joined(r, draw, reading, table, note=note, rows=r.rows)


def numbers(dataset: Dataset, prepared: Prepared) -> Remoteness:
    """The scores of the rows as they came to the first step that removes outliers."""
    removers = (k for k, fit in enumerate(prepared.fits) if can(fit, GivesNovelty, Resamples))
    k = next(removers, None)
    if k is None:
        raise DataError("No step of the preparation removes outliers; add one to see its scores.")
    fit: Any = prepared.fits[k]
    scores = fit.scores(prepared.transform(dataset.X, steps=k))
    order = np.argsort(-scores, kind="stable")
    scores = scores[order]
    is_out = scores > fit.threshold
    return Remoteness(scores, dataset.rows[order], is_out, fit.threshold, fit.score_name)


def draw(r: Remoteness) -> go.Figure:
    """Scores by rank, the removed rows in another colour and shape above the line."""
    rank = np.arange(1, len(r.scores) + 1)
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Rank, the most remote first"}},
        yaxis={"title": {"text": r.name[:1].upper() + r.name[1:]}, "rangemode": "tozero"},
        showlegend=True,
    )
    for klass, (name, these) in enumerate((("learned from", ~r.is_out), ("removed", r.is_out))):
        at = np.flatnonzero(these)
        if len(at) > MOST_POINTS:
            at = at[np.linspace(0, len(at) - 1, MOST_POINTS).round().astype(np.int64)]
        if len(at):
            texts = row_texts(r.rows[at])
            hover = "%{text}<br>%{y:.4~g}<extra>" + name + "</extra>"
            fig.add_trace(
                marks.points(
                    rank[at], r.scores[at], klass=klass, rows=r.rows[at], name=name, text=texts,
                    hovertemplate=hover,
                )
            )  # fmt: skip
    return named_line(fig, f"threshold {rough(r.threshold)}", y=r.threshold)


def reading(r: Remoteness) -> str:
    """How many rows go, and which are the most remote."""
    n, out = len(r.scores), int(r.is_out.sum())
    first = [f"{row + 1} ({rough(float(s))})" for row, s in zip(r.rows, r.scores, strict=True)]
    named = f"The most remote are rows {', '.join(first[:NAMED])}."
    if not out:
        return f"All {count(n, 'row')} are learned from. {named}"
    text = f"{count(out, 'row')} of {spaced(n)} ({percent(out / n)}) "
    text += f"{plural(out, 'has', 'have')} a {r.name} above {rough(r.threshold)} and "
    text += f"{plural(out, 'is', 'are')} not learned from, but still predicted and scored "
    return f"{text}where a fold leaves {plural(out, 'it', 'them')} out. {named}"


def table(r: Remoteness) -> tuple[TableColumn, ...]:
    """One line a row, the most remote first."""
    return (
        TableColumn("row", r.rows + 1),
        TableColumn(r.name, r.scores),
        TableColumn("learned from", np.where(r.is_out, "no", "yes")),
    )
