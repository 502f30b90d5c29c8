"""What the score loses when a variable is shuffled: a dot a fold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.marks import across, mark_of
from figures.drawing.traces import empty
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.explaining.importance import ALONE, CONDITIONAL, TOGETHER
from mlcore.spine.wording import in_sentence, listed, rough, spaced

ROW, ROOM, MOST = 34, 90, 40  # pixels a variable, around them; variables that are drawn
NEAR_NONE = 1.0  # standard deviations: a mean within as many is not told from none
SHUFFLED = {
    ALONE: "shuffling it", CONDITIONAL: "shuffling it among alike rows",
    TOGETHER: "shuffling it with its stand-ins",
}  # fmt: skip
ALONE_OR = {ALONE: "alone", CONDITIONAL: "beyond the others", TOGETHER: "with its stand-ins"}
MOST_SAME = 3  # groups of variables that are named
NOTHING = "No fold has answered yet."


class ImportanceDots(NamedTuple):
    """Losses by variable, the largest first."""

    variables: tuple[str, ...]  # (p,) or groups of them
    way: str
    same: tuple[tuple[str, ...], ...]  # variables that stand in for each other
    folds: np.ndarray  # (k,) from 1
    lost: np.ndarray  # (p, k)
    mean: np.ndarray  # (p,)
    sd: np.ndarray  # (p,)
    title: str
    better: str  # "lower" of an error, which a shuffle adds to
    shuffles: int
    n_rows: int
    marks: np.ndarray  # (p,) by which a click says the variable


@view(
    "importance_dots",
    title="Importance",
    on="importance",
    synonyms=("permutation importance", "feature importance"),
)
def importance_dots(explanation: Any, dataset: Dataset) -> View:
    """The loss of the score on rows left out when one variable is shuffled, a dot a fold."""
    d = numbers(explanation, dataset)
    note = f"rows left out, {len(d.folds)} folds x {d.shuffles} shuffles"
    return joined(d, draw, reading, table, note=note)


def numbers(explanation: Any, dataset: Dataset) -> ImportanceDots:
    """The variables in order of their mean loss."""
    answers = explanation.joined
    if answers is None:
        none = np.empty(0)
        return ImportanceDots((), ALONE, (), none, none, none, none, "", "", 0, 0, none)
    order = np.argsort(-answers.mean, kind="stable")
    return ImportanceDots(
        tuple(answers.variables[j] for j in order),
        answers.way,
        answers.same,
        answers.folds,
        answers.lost[order],
        answers.mean[order],
        answers.sd[order],
        answers.metric.title,
        answers.metric.better,
        answers.shuffles,
        answers.n_rows,
        np.array([mark_of(dataset, "variable", int(answers.members[j][0])) for j in order]),
    )


def draw(d: ImportanceDots) -> go.Figure:
    """A bar to the mean, a line of one standard deviation, and a dot a fold."""
    if not d.variables:
        return empty(NOTHING)
    shown = slice(0, MOST)
    names, mean, lost = list(d.variables[shown]), d.mean[shown], d.lost[shown]
    sd = np.nan_to_num(d.sd[shown])
    # The dots of a variable lie on three levels, so that equal ones can be told apart.
    level = np.tile((np.arange(lost.shape[1]) % 3 - 1) * 0.17, len(names))
    x, y = lost.ravel(), np.repeat(np.arange(len(names)), lost.shape[1]) + level
    texts = [f"{name}, fold {k}" for name in names for k in d.folds]
    marked = np.repeat(d.marks[shown], lost.shape[1])
    ring = {"symbol": "circle-open", "size": 8, "color": LIGHT.accent, "line": {"width": 1.6}}
    fig = figure(
        marks.numbered(go.Bar(
            x=mean, y=np.arange(len(names)), orientation="h", width=0.34,
            marker={"color": faded(LIGHT.accent, 0.25)}, text=names, textposition="none",
            hovertemplate="%{text}: click to see its effect<extra></extra>", showlegend=False,
            error_x={"array": sd, "color": LIGHT.accent, "thickness": 1.8, "width": 0},
        ), d.marks[shown]),
        marks.numbered(go.Scatter(
            x=x, y=y, mode="markers", marker=ring, text=texts, showlegend=False,
            hovertemplate="%{text}<br>%{x:.4~g}<extra></extra>",
        ), marked),
        go.Scatter(
            x=mean, y=np.arange(len(names)), mode="markers", showlegend=False,
            marker={"symbol": "line-ns-open", "size": 16, "color": LIGHT.accent,
                    "line": {"width": 2.5}},
            text=names, hovertemplate="%{text}<br>mean %{x:.4~g}<extra></extra>",
        ),
        height=ROOM + ROW * len(names),
        xaxis={"title": {"text": f"{_worse(d)} by {SHUFFLED[d.way]}"}, "nticks": 6},
        yaxis={
            "autorange": "reversed", "showgrid": False, "tickvals": list(range(len(names))),
            "ticktext": [_named(name, m, s) for name, m, s in
                         zip(names, mean, d.sd[shown], strict=True)],
        },
    )  # fmt: skip
    return across(fig, x=0, line={"color": LIGHT.quiet, "width": 1})


def _worse(d: ImportanceDots) -> str:
    """What a shuffle does: accuracy is lost, an error is added."""
    return f"{d.title} {'added' if d.better == 'lower' else 'lost'}"


def _named(name: str, mean: float, sd: float) -> str:
    short = name if len(name) < 24 else f"{name[:22]}…"
    return f"{short}<br>{rough(mean, sd)}" + (f" ± {rough(sd, sd)}" if np.isfinite(sd) else "")


def reading(d: ImportanceDots) -> str:
    """What carries the score, and what cannot be told from nothing."""
    if not d.variables:
        return NOTHING
    told = d.mean > NEAR_NONE * np.nan_to_num(d.sd)
    strong = np.flatnonzero(told & (d.mean > d.mean[0] / 2))
    weak = [d.variables[j] for j in range(len(told)) if not told[j]]
    score = in_sentence(d.title)
    if not len(strong):
        return (
            f"No variable carries the {score} {ALONE_OR[d.way]}: none costs more than its spread."
            f"{_same(d)}"
        )
    names = listed(d.variables[j] for j in strong)
    costs = listed(rough(float(d.mean[j]), float(d.sd[j])) for j in strong)
    verb = "carries" if len(strong) == 1 else "carry"
    text = f"{names} {verb} the prediction ({costs} of {score}, "
    text += f"on {spaced(d.n_rows)} rows left out)."
    if weak:
        text += f" Not to be told from none: {listed(weak)}."
    return text + _same(d)


def _same(d: ImportanceDots) -> str:
    """Which variables stand in for each other, and what follows of that."""
    if d.way == CONDITIONAL:
        return " What is lost is what a variable says beyond all others."
    if not d.same:
        return " No two variables say the same (associations of 0.7 or more)."
    groups = "; ".join(listed(names) for names in d.same[:MOST_SAME])
    if d.way == TOGETHER:
        return f" Shuffled together, as they say the same: {groups}."
    return f" {groups} say the same (association 0.7 or more): each looks less important alone."


def table(d: ImportanceDots) -> tuple[TableColumn, ...]:
    """One line a variable, one column a fold."""
    folds = (TableColumn(f"fold {k}", d.lost[:, i]) for i, k in enumerate(d.folds))
    return (
        TableColumn("variable", d.variables),
        TableColumn(f"{_worse(d)}, mean", d.mean),
        TableColumn("standard deviation", d.sd),
        *folds,
    )
