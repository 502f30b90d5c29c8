"""The sorted file: every column alone, and what the folds hold."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import named_line
from figures.lab import picture, plot
from figures.theme import SHARE, class_color
from figures.view import TableColumn, View
from mlcore.labs.data.sorted_file import SortedFile
from mlcore.spine.wording import count, listed, percent

CLASSES = ("common", "rare")
PATTERNS = ("", "/")


def pictures(s: SortedFile) -> tuple[View, ...]:
    """The columns, then the folds."""
    return (
        picture("Each column alone", s, draw, reading, table, note=f"{len(s.y)} lines"),
        picture("Folds in the order of the table", s, draw_folds, folds_reading, folds_table),
    )


def draw(s: SortedFile) -> go.Figure:
    """A bar a column; a diamond at what shuffled targets reach."""
    bars = go.Bar(x=s.names, y=s.accuracy, marker_color=SHARE, name="best rule")
    chance = go.Scatter(
        x=s.names, y=s.chance, mode="markers", name="best on 50 shuffled targets",
        marker={"symbol": "diamond", "size": 11, "color": class_color(1)},
    )  # fmt: skip
    fig = plot(bars, chance, x="", y="Accuracy of the best rule", bargap=0.5)
    fig.update_yaxes(tickformat=".0%", range=[0, 1.08])
    return named_line(fig, "the common class always", y=s.majority)


def reading(s: SortedFile) -> str:
    """Which columns give the class away."""
    best = int(s.accuracy.argmax())
    right = percent(float(s.accuracy[best]))
    text = f"Alone, the column '{s.names[best]}' is right on {right} of the lines. "
    told = [name for name, is_so in zip(s.names, s.suspicious, strict=True) if is_so]
    if told:
        return text + f"Suspicious: {listed(told)}. Ask whether a new line would have it."
    return text + "No column gives the class away."


def table(s: SortedFile) -> tuple[TableColumn, ...]:
    """One line a column."""
    return (
        TableColumn("column", s.names),
        TableColumn("accuracy", s.accuracy),
        TableColumn("best by chance", s.chance),
        TableColumn("suspicious", s.suspicious),
    )


def draw_folds(s: SortedFile) -> go.Figure:
    """Lines of each class in each fold, and the score above."""
    folds = [f"fold {k + 1}" for k in range(len(s.scores))]
    bars = [
        go.Bar(
            x=folds, y=s.counts[:, k], name=name,
            marker={"color": class_color(k), "pattern": {"shape": PATTERNS[k], "solidity": 0.3}},
        )
        for k, name in enumerate(CLASSES)
    ]  # fmt: skip
    fig = plot(*bars, x="", y="Lines", barmode="stack")
    for fold, score, total in zip(folds, s.scores, s.counts.sum(axis=1), strict=True):
        text = percent(float(score)) if np.isfinite(score) else "no score"
        fig.add_annotation(x=fold, y=int(total), text=text, yshift=10)
    return fig


def folds_reading(s: SortedFile) -> str:
    """Folds without a score, folds with one class, and the mean of the others."""
    scored = s.scores[np.isfinite(s.scores)]
    lost, lone = len(s.scores) - len(scored), int((s.counts == 0).any(axis=1).sum())
    text = f"{count(lone, 'fold')} of {len(s.scores)} with lines of one class alone. "
    if lost:
        text += f"{count(lost, 'fold')} without a score, since the other lines lack a class. "
    if not len(scored):
        return text.strip()
    return text + f"The tree is right on {percent(float(scored.mean()))} of the others on average."


def folds_table(s: SortedFile) -> tuple[TableColumn, ...]:
    """One line a fold."""
    return (
        TableColumn("fold", np.arange(1, len(s.scores) + 1)),
        TableColumn("lines of the common class", s.counts[:, 0]),
        TableColumn("lines of the rare class", s.counts[:, 1]),
        TableColumn("accuracy", s.scores),
    )
