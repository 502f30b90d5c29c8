"""The score within groups of rows, the worst first: a dot and its interval a group."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.dots import interval_dots, keyed
from figures.drawing.marks import across
from figures.drawing.traces import empty
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.slices.factors import PAIRED
from mlcore.evaluation.slices.search import SliceScores
from mlcore.spine.wording import TOLD, count, in_sentence, listed, plural, rough, spaced, told

ROW, ROOM, MOST = 54, 130, 15  # pixels a group, around them; groups that are drawn
LONGEST, NAMED = 40, 2  # letters of a line with the name of a group; groups that a sentence names
PAIR = 2 * TOLD + len(PAIRED)  # letters of a pair in a sentence
ALPHA = 0.05
NOTHING = "No fold has predictions yet."
NO_GROUPS = "No group is large enough: make the smallest group smaller, or choose other columns."


class SliceDots(NamedTuple):
    """Groups of rows with their scores, the worst first."""

    title: str
    better: str
    scores: SliceScores | None  # None before there are predictions
    smallest: int
    not_variables: tuple[str, ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, (G,)."""
        return self.scores.groups if self.scores else ()

    @property
    def differs(self) -> np.ndarray:
        """Whether a group differs from all other rows after the correction, shape (G,)."""
        none = np.empty(0, dtype=bool)
        return np.nan_to_num(self.scores.adjusted, nan=1.0) < ALPHA if self.scores else none

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What is said of each group, (G,)."""
        return tuple(self._verdict(g) for g in range(len(self.groups)))

    def _verdict(self, g: int) -> str:
        scores: Any = self.scores
        if not self.differs[g]:
            return ""
        if self.better == "zero":
            return "differs"
        is_higher = scores.score[g] > scores.overall
        return "better" if is_higher == (self.better == "higher") else "worse"


@view(
    "slice_dots",
    title="Scores by group",
    on="slices",
    is_wide=True,
    synonyms=("slices", "subgroups", "error analysis"),
)
def slice_dots(explanation: Any) -> View:
    """The score within levels, bins and pairs of them, on rows left out, the worst first."""
    d = numbers(explanation)
    rows = f"{spaced(d.scores.n_rows)} rows left out" if d.scores else "rows left out"
    return joined(d, draw, reading, table, note=f"{in_sentence(d.title)}, {rows}, worst first")


def numbers(explanation: Any) -> SliceDots:
    """The groups as they were found."""
    it = explanation.joined
    if it is None:
        return SliceDots("Score", "higher", None, 0, ())
    return SliceDots(it.title, it.better, it.scores, it.smallest, it.not_variables)


def draw(d: SliceDots) -> go.Figure:
    """A line of text and a dot with its interval a group, and a line at the score of all rows."""
    if d.scores is None or not d.groups:
        return empty(NOTHING if d.scores is None else NO_GROUPS)
    f, shown = d.scores, min(len(d.groups), MOST)
    y, differs = np.arange(shown), d.differs[:shown]
    texts = [_line(d, g) for g in range(shown)]
    fig = figure(
        *keyed(),
        *interval_dots(f.score[:shown], f.low[:shown], f.high[:shown], y, differs, texts),
        height=ROOM + ROW * shown,
        xaxis={"title": {"text": d.title}, "nticks": 6},
        yaxis={
            "range": [shown - 0.5, -0.9], "showgrid": False, "showline": False, "ticks": "",
            # Not drawn, as the names stand above their dots: by them a phone knows its height.
            "tickvals": y.tolist(), "ticktext": list(d.groups[:shown]), "showticklabels": False,
        },
        margin={"l": 16, "t": 56},
    )  # fmt: skip
    across(fig, x=f.overall, line={"color": LIGHT.quiet, "width": 1.5, "dash": "dot"})
    ends = np.array([f.low[:shown], f.score[:shown], f.high[:shown]])
    is_right = f.overall > (np.nanmin(ends) + np.nanmax(ends)) / 2
    fig.add_annotation(
        x=f.overall, y=1, yref="paper", yanchor="bottom", xanchor="right" if is_right else "left",
        text=f"all rows {rough(f.overall)}", showarrow=False, font={"color": LIGHT.quiet},
    )  # fmt: skip
    for g, text in enumerate(texts):
        fig.add_annotation(
            x=0, xref="paper", y=g - 0.12, xanchor="left", yanchor="bottom", text=text,
            showarrow=False, align="left",
            font={"size": 12, "color": LIGHT.text if differs[g] else LIGHT.quiet},
            bgcolor=LIGHT.background, borderpad=0,  # the lines pass behind the words
        )  # fmt: skip
    return fig


def _line(d: SliceDots, g: int) -> str:
    """A group with its rows, and what is said of it; a long pair has a line for each column."""
    parts = d.groups[g].split(PAIRED)
    short = [p if len(p) <= LONGEST else f"{p[: LONGEST - 1]}…" for p in parts]
    name = f"{PAIRED}<br>".join(short) if len(d.groups[g]) > LONGEST else PAIRED.join(short)
    scores: Any = d.scores
    verdict = f" · {d.verdicts[g]}" if d.verdicts[g] else ""
    return f"{name} · n {spaced(int(scores.n[g]))}{verdict}"


def reading(d: SliceDots) -> str:
    """The worst group, how many differ, and what was not looked at."""
    if d.scores is None or not d.groups:
        return NOTHING if d.scores is None else NO_GROUPS
    f, score = d.scores, in_sentence(d.title)
    text = (
        f"Worst is {told(d.groups[0], PAIR)}: {score} {rough(f.score[0])}{_interval(f)}, of all "
        f"rows together {rough(f.overall)} (dotted; a mean over folds may be another number). "
    )
    among = f"{count(len(d.groups), 'group')} looked at"
    for verdict, what in (("worse", "worse"), ("better", "better"), ("differs", "different")):
        own = [g for g, word in enumerate(d.verdicts) if word == verdict]
        if own:
            # A pair has a comma itself.
            names = "; ".join(told(d.groups[g], PAIR) for g in own[:NAMED])
            names += f"; and {len(own) - NAMED} more" if len(own) > NAMED else ""
            verb = plural(len(own), "scores", "score")
            text += f"{len(own)} of {among} {verb} {what} than the other rows: {names}. "
    if not d.differs.any():
        text += f"None of {among} differs from the other rows beyond chance. "
    text += f"Tested by {f.test} and corrected by Holm for all groups, which overlap; the worst of "
    text += "many looks worse than it is."
    if len(d.groups) > MOST:
        text += f" The {MOST} worst are drawn, all stand in the table."
    if f.too_small:
        text += f" {count(f.too_small, 'group')} under {d.smallest} rows left aside."
    if f.left_out:
        text += f" The {spaced(f.left_out)} smallest of the others were not looked at."
    if d.not_variables:
        names, verb = listed(d.not_variables), plural(len(d.not_variables), "is", "are")
        text += f" {names} {verb} not among the variables of the model."
    return text


def _interval(f: SliceScores) -> str:
    return f" ({rough(f.low[0])} to {rough(f.high[0])})" if np.isfinite(f.low[0]) else ""


def table(d: SliceDots) -> tuple[TableColumn, ...]:
    """One line a group."""
    f = d.scores
    if f is None:
        return (TableColumn("group", ()),)
    return (
        TableColumn("group", f.groups),
        TableColumn("rows", f.n),
        TableColumn(d.title, f.score),
        TableColumn("95 % from", f.low),
        TableColumn("to", f.high),
        TableColumn("p", f.p),
        TableColumn("p, corrected (Holm)", f.adjusted),
        TableColumn("than the other rows", d.verdicts),
    )
