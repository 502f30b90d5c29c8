"""The two thresholds of sequential minimal optimisation, which meet at the solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import CLASS_COLORS, LIGHT, band, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.iterate import Step
from mlcore.spine.wording import count, rough, rough_beside
from mlcore.svm.capabilities import MovesPairs

HEIGHT = 320
DASHES = ("solid", "dash")  # of the first group and the second


class Thresholds(NamedTuple):
    """One entry a step; those of several machines follow each other."""

    moves: np.ndarray  # (s,) pairs so far
    machine: np.ndarray  # (s,) which of them moved, from 1
    b_up: np.ndarray  # (s, g) a column a group within which pairs move
    b_low: np.ndarray  # (s, g)
    groups: tuple[str, ...]  # (g,) the name of each; none of a single one
    settled: str  # what the places say where the thresholds meet
    tol: float
    stop: str

    @property
    def gap(self) -> np.ndarray:
        """By how much b_low lies above b_up, in the worse group, (s,)."""
        return (self.b_low - self.b_up).max(axis=1)

    @property
    def many(self) -> int:
        """Number of machines."""
        return int(self.machine.max())


@view(
    "smo_thresholds",
    title="Thresholds of SMO",
    asks=MovesPairs,
    on="svm",
    order=56,
    sources=("cs1:smo", "cs1:smo_diagnostics"),
    synonyms=("b_up", "b_low", "smo_trace", "Keerthi", "stopping criterion", "duality gap"),
)
def smo_thresholds(steps: Sequence[Step], fit: Any) -> View:
    """b_up, the least slope of what can rise, and b_low, the largest of what can fall.

    Where b_low lies above b_up, moving the two rows between them lowers the objective. They end
    where they meet within the tolerance, at minus the offset b. Where pairs move within a class, or
    within one side of a tube, each has thresholds of its own; those of a region meet at rho.
    """
    return joined(numbers(steps, fit), draw, reading, table, note="on the training rows")


def numbers(steps: Sequence[Step], fit: Any) -> Thresholds:
    """The thresholds after each step."""
    states: list[Any] = [step.state for step in steps]
    ends = np.array([state.thresholds for state in states])  # (s, g, 2)
    last = steps[-1].stop
    return Thresholds(
        np.array([state.moves for state in states]),
        np.array([state.machine + 1 for state in states]),
        ends[..., 0], ends[..., 1], fit.groups, fit.settled(list(ends[-1].mean(axis=1))),
        fit.made_by.tol, last.why if last else "",
    )  # fmt: skip


def draw(t: Thresholds) -> go.Figure:
    """Both as lines with what lies between them shaded, broken where a machine begins.

    Those of a second group are dashed.
    """
    fig = figure(
        height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Pairs moved"}, "tickformat": "d"},
        yaxis={"title": {"text": "Threshold"}},
    )  # fmt: skip
    for k in range(1, t.many + 1):
        own = t.machine == k
        for g, group in enumerate(t.groups):
            for which, values, color in (
                ("b_up", t.b_up, CLASS_COLORS[0]), ("b_low", t.b_low, CLASS_COLORS[1]),
            ):  # fmt: skip
                name = f"{which}, {group}" if group else which
                fig.add_scatter(
                    x=t.moves[own], y=values[own, g], name=name, legendgroup=name,
                    showlegend=k == 1, mode="lines+markers" if len(t.moves) <= 60 else "lines",
                    marker={"size": 4}, line={"color": color, "width": 1.8, "dash": DASHES[g]},
                    fill="tonexty" if which == "b_low" else None, fillcolor=band(LIGHT.quiet),
                    hovertemplate=f"%{{x}} pairs<br>{name} %{{y:.4~g}}<extra></extra>",
                )  # fmt: skip
    return fig


def reading(t: Thresholds) -> str:
    """Where both began and ended, and what the last step says."""
    gap = t.gap
    last = rough_beside(float(gap[-1]), float(gap[0]))
    text = f"In {count(int(t.moves[-1]), 'pair')} "
    text += f"of {count(t.many, 'machine')} " if t.many > 1 else ""
    text += "in the worse group " if len(t.groups) > 1 else ""
    text += f"b_low comes from {rough(float(gap[0]))} above b_up "
    text += (
        f"to {last}, within the tolerance of {t.tol:g}. Where they meet, {t.settled}."
        if gap[-1] <= t.tol and t.many == 1
        else f"to {last}."
    )
    return f"{text} {t.stop}".strip()


def table(t: Thresholds) -> tuple[TableColumn, ...]:
    """One line a step."""
    return (
        TableColumn("pairs", t.moves),
        TableColumn("machine", t.machine),
        *(
            TableColumn(f"{name}, {group}" if group else name, values[:, g])
            for g, group in enumerate(t.groups)
            for name, values in (("b_up", t.b_up), ("b_low", t.b_low))
        ),
        TableColumn("b_low less b_up", t.gap),
    )
