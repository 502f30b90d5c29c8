"""Rows on which voters are least at one: the shares of their votes, and what they say averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import row_texts
from figures.numbers.target import target_of
from figures.options import Offered, Options, Values, among
from figures.theme import class_color, class_hatch, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.ensembles.capabilities import CountsVotesLeftOut
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.capabilities_of_members import CountsVotes
from mlcore.spine.params import choice
from mlcore.spine.wording import count, percent

MOST_ROWS = 2_000  # each is asked of all voters; of more rows evenly spaced ones stand for all
BARS = 15  # rows that are drawn
ROW, ROOM = 26, 110  # pixels: a drawn row, axis and legend
VOTES, MEAN = 0.5, 0.16  # width of the bars, of a row
SAME = 1e-9  # shares and probabilities that differ by less are equal
OUT_OF_BAG, ALL = "out_of_bag", "all"


class Votes(NamedTuple):
    """Rows by the share of the class with most votes, the least united first."""

    rows: np.ndarray  # (m,) row numbers of the table
    truth: np.ndarray  # (m,) codes
    shares: np.ndarray  # (m, K)
    averaged: np.ndarray | None  # (m, K) probabilities, where they are other than the shares
    classes: tuple[str, ...]  # (K,)
    n: int  # rows of the data set
    is_out_of_bag: bool = False  # of each row those members alone that have not learned from it

    @property
    def united(self) -> np.ndarray:
        """Whether every vote of a row is for one class, (m,)."""
        return self.shares.max(axis=1) > 1 - SAME

    @property
    def outvoted(self) -> np.ndarray:
        """Whether another class than its own has more votes, (m,)."""
        own = self.shares[np.arange(len(self.truth)), self.truth]
        return own < self.shares.max(axis=1) - SAME

    @property
    def differs(self) -> np.ndarray:
        """Whether the averaged probabilities name a class with fewer votes, (m,)."""
        if self.averaged is None:
            return np.zeros(len(self.rows), dtype=bool)
        named = self.averaged.argmax(axis=1)
        own = self.shares[np.arange(len(named)), named]
        return own < self.shares.max(axis=1) - SAME


def _members(offered: Offered) -> Values:
    """Whose votes can be had."""
    has_both = _has_left_out(offered.get("whole"))
    return {OUT_OF_BAG: "Those that left the row out", ALL: "All"} if has_both else {}


def _has_left_out(whole: Whole | None) -> bool:
    """Whether members have left out rows, and these are the rows of the data set."""
    if whole is None or whole.prepared.rows is not None or not can(whole.fit, CountsVotesLeftOut):
        return False
    return bool(np.isfinite(whole.fit.oob_votes).any())


@dataclass(frozen=True, kw_only=True)
class VoteOptions(Options):
    """Whose votes are counted."""

    members: str = among(
        choice(
            OUT_OF_BAG, OUT_OF_BAG, ALL, label="Members",
            doc="Of each row those that have not learned from it, where there are such; or all.",
        ),
        _members,
    )  # fmt: skip


@view(
    "vote_shares",
    title="Votes of the members",
    asks=CountsVotes,
    options=VoteOptions,
    on="classification",
    order=164,
    sources=("cs1:ensemble_vote", "cs2:bagging_vote", "cs2:bagging_proportion"),
    synonyms=("vote shares", "hard voting", "soft voting", "majority vote", "disagreement"),
)
def vote_shares(dataset: Dataset, whole: Whole, *, options: VoteOptions) -> View:
    """The rows with the most divided votes.

    Below the votes of all members stand, thin, the averaged probabilities.
    """
    v = numbers(dataset, whole, options.members)
    if v.is_out_of_bag:
        note = "of each row by the members that have not learned from it"
    else:
        note = "on the fitted rows, where voters agree more than on new ones"
    return joined(v, draw, reading, table, note=note, rows=v.rows)


def numbers(dataset: Dataset, whole: Whole, members: str = ALL) -> Votes:
    """Votes and probabilities at the fitted rows, of evenly spaced ones if there are many.

    Members that have not learned from a row know no probabilities here; a row that all have learned
    from is left out.
    """
    fit = whole.fit
    at = np.unique(np.linspace(0, dataset.n - 1, min(dataset.n, MOST_ROWS)).astype(np.int64))
    is_out_of_bag = members == OUT_OF_BAG and _has_left_out(whole)
    if is_out_of_bag:
        at = at[np.isfinite(fit.oob_votes[at, 0])]
        shares, averaged = fit.oob_votes[at], None
    else:
        X = whole.prepared.transform(dataset.X[at])
        shares, averaged = fit.vote_shares(X), _averaged(fit, X)
    order = np.argsort(shares.max(axis=1), kind="stable")
    if averaged is not None:
        is_same = np.allclose(averaged, shares, rtol=0.0, atol=SAME)
        averaged = None if is_same else averaged[order]
    return Votes(
        dataset.rows[at][order],
        target_of(dataset)[at][order],
        shares[order],
        averaged,
        tuple(str(dataset.classes[code]) for code in fit.classes),
        dataset.n,
        is_out_of_bag,
    )


def _averaged(fit: Any, X: np.ndarray) -> np.ndarray | None:
    return fit.probabilities(X) if can(fit, GivesProbabilities) else None


def draw(v: Votes) -> go.Figure:
    """A bar a row, parted by class; a thin one below it where averaging says something else."""
    height = np.arange(min(len(v.rows), BARS), dtype=np.float64)
    bars = [_bars(v, v.shares, k, height, VOTES, "of the votes") for k in range(len(v.classes))]
    if v.averaged is not None:
        below = height + (VOTES + MEAN) / 2 + 0.03
        for k in range(len(v.classes)):
            thin = _bars(v, v.averaged, k, below, MEAN, "averaged probability")
            bars.append(thin.update(showlegend=False))
    names = [f"{row} {v.classes[v.truth[i]]}" for i, row in enumerate(v.rows[: len(height)] + 1)]
    return figure(
        *bars,
        barmode="stack",
        height=ROOM + ROW * len(height),
        showlegend=True,
        xaxis={"title": {"text": "Share of the votes"}, "tickformat": ".0%", "range": [0, 1]},
        yaxis={
            "title": {"text": "Row and its class"},
            "autorange": "reversed",
            "showgrid": False,
            "ticks": "",
            "tickvals": height,
            "ticktext": names,
        },
    )


def _bars(v: Votes, of: np.ndarray, k: int, at: np.ndarray, width: float, what: str) -> go.Bar:
    rows = v.rows[: len(at)]
    bars = go.Bar(
        x=of[: len(at), k].astype(np.float32),
        y=at,
        width=width,
        orientation="h",
        name=v.classes[k],
        marker={"color": class_color(k), "pattern": class_hatch(k)},
        text=row_texts(rows),
        textposition="none",
        hovertemplate=f"%{{text}}<br>%{{x:.1%}} {what}<extra>%{{fullData.name}}</extra>",
    )
    return marks.numbered(bars, rows)


def reading(v: Votes) -> str:
    """How often all votes are for one class, the most divided row, and what averaging changes."""
    m = len(v.rows)
    text = f"All votes are for one class on {percent(float(v.united.mean()))} of {count(m, 'row')}"
    if v.is_out_of_bag:
        text += f"; on {count(int(v.outvoted.sum()), 'row')} most are for a wrong one."
    else:
        text += f", evenly spaced among {v.n}." if m < v.n else "."
    if not v.united[0]:
        first, second = np.argsort(-v.shares[0], kind="stable")[:2]
        text += f" Row {v.rows[0] + 1} divides them most: {percent(v.shares[0, first])} for "
        text += f"{v.classes[first]}, {percent(v.shares[0, second])} for {v.classes[second]}."
    if v.averaged is None:
        return text
    other = int(np.count_nonzero(v.differs))
    if not other:
        return f"{text} Averaged probabilities name the class with most votes everywhere."
    row = v.rows[v.differs][0] + 1
    return (
        f"{text} On {count(other, 'row')} averaged probabilities name another class than most "
        f"votes do{': ' if other == 1 else ', among them '}row {row}."
    )


def table(v: Votes) -> tuple[TableColumn, ...]:
    """One line a row, the least united first."""
    names = np.array(v.classes)
    averaged = () if v.averaged is None else v.averaged.T
    return (
        TableColumn("row", v.rows + 1),
        TableColumn("class", names[v.truth]),
        *(TableColumn(f"votes for {name}", v.shares[:, k]) for k, name in enumerate(v.classes)),
        *(
            TableColumn(f"averaged {name}", values)
            for name, values in zip(v.classes, averaged, strict=False)
        ),
    )
