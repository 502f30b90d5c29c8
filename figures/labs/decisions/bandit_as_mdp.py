"""Estimates of a learner and of a strategy round by round, and how often each pulled each arm."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color, faded
from figures.view import TableColumn, View
from mlcore.labs.decisions.bandit_as_mdp import BothWays
from mlcore.spine.wording import count, rough

WHO = ("learner in a world", "strategy on a bandit")


def pictures(b: BothWays) -> tuple[View, ...]:
    """Estimates, then pulls."""
    return (
        picture("Estimates of the arms", b, draw, reading, table,
                note="wide: learner, dotted: strategy"),
        picture("Pulls of the arms", b, draw_pulls, pulls_reading, pulls_table),
    )  # fmt: skip


def _arms(b: BothWays) -> tuple[str, ...]:
    return tuple(f"arm {k + 1}" for k in range(len(b.means)))


def draw(b: BothWays) -> go.Figure:
    """A wide pale line an arm by the learner, a dotted one by the strategy on top."""
    lines = []
    for k, name in enumerate(_arms(b)):
        wide = {"color": faded(class_color(k), 0.35), "width": 9, "dash": "solid"}
        thin = {"color": LIGHT.text, "width": 2, "dash": "dot"}
        lines.append(line(b.rounds, b.learned[:, k], k, name).update(line=wide))
        lines.append(line(b.rounds, b.played[:, k], k, "").update(line=thin))
    return plot(*lines, x="Round", y="Estimate").update_yaxes(range=[-0.03, 1.03])


def reading(b: BothWays) -> str:
    """Where the two differ most."""
    apart = np.abs(b.learned - b.played)
    if not apart.any():
        return (
            f"In {count(int(b.rounds[-1]), 'round')} no estimate of the strategy differs from that "
            "of the learner, in any bit."
        )
    row, arm = np.unravel_index(apart.argmax(), apart.shape)
    return (
        f"The two differ most after {count(int(b.rounds[row]), 'round')}, by "
        f"{rough(float(apart.max()))} at arm {arm + 1}; in the end by at most "
        f"{rough(float(apart[-1].max()))}."
    )


def table(b: BothWays) -> tuple[TableColumn, ...]:
    """One line a round that was noted."""
    both = zip(WHO, (b.learned, b.played), strict=True)
    columns = (
        TableColumn(f"{name}, {who}", own)
        for who, values in both
        for name, own in zip(_arms(b), values.T, strict=True)
    )
    return TableColumn("round", b.rounds), *columns


def draw_pulls(b: BothWays) -> go.Figure:
    """Two bars an arm."""
    bars = [
        go.Bar(x=_arms(b), y=own, name=who, marker_color=class_color(k))
        for k, (who, own) in enumerate(zip(WHO, b.visits, strict=True))
    ]
    return plot(*bars, x="Arm", y="Pulls", barmode="group")


def pulls_reading(b: BothWays) -> str:
    """How many pulls the best arm got."""
    best = int(b.means.argmax())
    learner, strategy = (count(int(own[best]), "pull") for own in b.visits)
    return f"The best arm, {best + 1}, got {learner} of the learner and {strategy} of the strategy."


def pulls_table(b: BothWays) -> tuple[TableColumn, ...]:
    """One line an arm."""
    each = (TableColumn(f"pulls, {who}", own) for who, own in zip(WHO, b.visits, strict=True))
    return TableColumn("arm", _arms(b)), TableColumn("true mean", b.means), *each
