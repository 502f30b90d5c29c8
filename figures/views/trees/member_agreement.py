"""How often the members of an ensemble say the same, pair by pair."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.ensembles.capabilities import HasMemberAnswers
from mlcore.runs.carry import Whole
from mlcore.spine.wording import percent

ROW, ROOM = 56, 120  # pixels: a member, axis and room


class Agreement(NamedTuple):
    """Shares of rows on which two members say the same class."""

    names: tuple[str, ...]  # (B,)
    shares: np.ndarray  # (B, B)
    right: np.ndarray  # (B,) share of rows that each gets right
    united: float  # share of rows on which all say the same
    right_united: float  # of these, the share that is right; NaN without any
    right_split: float  # of the others, the share that is right by all together; NaN without any


@view(
    "member_agreement",
    title="Agreement of the members",
    asks=HasMemberAnswers,
    on="classification",
    order=161,
    sources=("cs1:ensemble_vote",),
    synonyms=("ensemble diversity", "disagreement", "pairwise agreement"),
)
def member_agreement(fit: Any, whole: Whole) -> View:
    """The share of rows on which two members predict the same class.

    Members that always agree gain nothing together, however good they are.
    """
    note = "on the fitted rows, so more than on new ones"
    return joined(numbers(fit, whole), draw, reading, table, note=note)


def numbers(fit: Any, whole: Whole) -> Agreement:
    """The shares among the fitted rows."""
    answers = fit.member_answers(whole.prepared.X)
    y: Any = whole.prepared.y
    truth = np.searchsorted(fit.classes, y)
    together = np.searchsorted(fit.classes, fit.predict(whole.prepared.X)) == truth
    same = answers[:, :, None] == answers[:, None, :]
    united = (answers == answers[:, :1]).all(axis=1)
    return Agreement(
        fit.member_names,
        same.mean(axis=0),
        (answers == truth[:, None]).mean(axis=0),
        float(united.mean()),
        _mean(together[united]),
        _mean(together[~united]),
    )


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def draw(a: Agreement) -> go.Figure:
    """A map with the shares in its cells."""
    cells = go.Heatmap(
        x=a.names,
        y=a.names,
        z=a.shares,
        zmin=float(min(a.shares.min(), 0.5)),
        zmax=1.0,
        colorscale=SHARES,
        showscale=False,
        texttemplate="%{z:.0%}",
        hovertemplate="%{y} and %{x}<br>the same on %{z:.1%} of the rows<extra></extra>",
    )
    upright = {"autorange": "reversed", "showgrid": False, "ticks": ""}
    height = ROOM + ROW * max(len(a.names), 3)
    return figure(cells, height=height, yaxis=upright, xaxis={"showgrid": False, "ticks": ""})


def reading(a: Agreement) -> str:
    """Where all agree, how right that is, and which two differ most."""
    text = f"All say the same on {percent(a.united)} of the rows"
    text += f", and there {percent(a.right_united)} are right" if a.united > 0 else ""
    if a.united < 1:
        text += f"; where they differ, {percent(a.right_split)} are right together"
    if len(a.names) < 2 or a.shares.min() == 1:
        return f"{text}."
    i, j = np.unravel_index(a.shares.argmin(), a.shares.shape)
    return f"{text}. {a.names[i]} and {a.names[j]} differ most, on {percent(1 - a.shares[i, j])}."


def table(a: Agreement) -> tuple[TableColumn, ...]:
    """One line a member."""
    shares = (TableColumn(f"same as {name}", a.shares[:, k]) for k, name in enumerate(a.names))
    return (TableColumn("member", a.names), TableColumn("right", a.right), *shares)
