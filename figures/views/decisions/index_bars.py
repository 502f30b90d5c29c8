"""What the mean of each arm is, and what it could be at most: the arm that is pulled next."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.trials import one_of, seen_of
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasUpperMeans
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import rough, spaced

HEIGHT = 360
ROOM = 0.15  # of the axis above the highest bar and below the lowest mean
MEANS, WIDTHS, NEXT = "means", "widths", "next"


class Indices(NamedTuple):
    """Means and their upper ends at some rounds of one replicate; the last is the end."""

    truth: np.ndarray  # (K,)
    rounds: np.ndarray  # (m,)
    counts: np.ndarray  # (m, K)
    means: np.ndarray  # (m, K)
    upper: np.ndarray  # (m, K)

    def chosen(self, t: int) -> int:
        """The arm with the largest index, from 0."""
        return int(self.upper[t].argmax())


@view(
    "index_bars",
    title="How good each arm could be",
    asks=HasUpperMeans,
    on="bandit",
    order=22,
    sources=("cs2:optimism", "cs2:ucb"),
    synonyms=("upper confidence bound", "optimism", "index"),
)
def index_bars(trial: TrialOutcome, which: int = 0) -> View:
    """Mean and upper end of each arm; the player goes through the rounds of one replicate."""
    row = trial.results[which]
    i = numbers(trial, which)
    return joined(i, draw, reading, table, note=one_of(row), player=lambda: recording(i))


def numbers(trial: TrialOutcome, which: int = 0) -> Indices:
    """Of the first replicate, from the round on in which every arm was pulled."""
    run, method, world = trial.run, trial.results[which].method, trial.world
    seen = seen_of(trial, which)
    known = (seen.counts > 0).all(axis=1)
    rounds, counts = seen.rounds[known], seen.counts[known]
    means = seen.sums[known] / counts
    each = zip(rounds, counts, means, strict=True)
    upper = np.array([method.upper(c, mean, int(n), run.budget) for n, c, mean in each])
    return Indices(world.means, rounds, counts, means, upper)


def draw(i: Indices) -> go.Figure:
    """A mark at the mean, a bar up to where it could be, a ring on the highest; dots are true."""
    arms = np.arange(1, len(i.truth) + 1)
    low, high = _ends(i)
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Arm"}, "tickvals": arms, "range": [0.4, len(arms) + 0.6]},
        yaxis={"title": {"text": "Mean reward"}, "range": [low, high]},
        showlegend=True,
    )
    color, end = CLASS_COLORS[0], _moment(i, len(i.rounds) - 1)
    fig.add_scatter(
        mode="lines", name="could be", uid=WIDTHS, line={"color": color, "width": 6},
        opacity=0.45, hoverinfo="skip", **end[WIDTHS],
    )  # fmt: skip
    fig.add_scatter(
        x=arms, mode="markers", name="mean so far", uid=MEANS, marker={"color": color, "size": 9},
        hovertemplate="%{text}<extra></extra>", **end[MEANS],
    )  # fmt: skip
    fig.add_scatter(
        mode="markers", name="pulled next", uid=NEXT, hoverinfo="skip",
        marker={"symbol": "circle-open", "size": 16, "color": LIGHT.text, "line": {"width": 2}},
        **end[NEXT],
    )  # fmt: skip
    fig.add_scatter(
        x=arms, y=i.truth, mode="markers", name="true mean", hoverinfo="skip",
        marker={"symbol": "line-ew-open", "size": 18, "color": LIGHT.text, "line": {"width": 1.5}},
    )  # fmt: skip
    return fig


def _ends(i: Indices) -> tuple[float, float]:
    """The ends of the axis: of the last round, or its bars were small beside those of the first."""
    low = float(min(i.means[-1].min(), i.truth.min()))
    high = float(max(i.upper[-1].max(), i.truth.max()))
    return low - ROOM * (high - low), high + ROOM * (high - low)


def _moment(i: Indices, t: int) -> dict[str, dict[str, Any]]:
    """What the marks show after the rounds noted as t; what is higher ends with the picture."""
    top = _ends(i)[1]
    upper = np.minimum(i.upper[t], top)
    arms = np.arange(1, len(i.truth) + 1)
    chosen = i.chosen(t)
    gaps = np.full(len(arms), np.nan)
    texts = [
        f"arm {arm}, pulled {count} times<br>mean {rough(mean)}, at most {rough(most)}"
        for arm, count, mean, most in zip(arms, i.counts[t], i.means[t], i.upper[t], strict=True)
    ]
    return {
        WIDTHS: {
            "x": np.column_stack([arms, arms, gaps]).ravel(),
            "y": np.column_stack([i.means[t], upper, gaps]).ravel(),
        },
        MEANS: {"y": i.means[t], "text": texts},
        NEXT: {"x": [chosen + 1], "y": [upper[chosen]]},
    }


def recording(i: Indices) -> Recording:
    """A frame a round that was noted."""
    at = traces_by_name(draw(i))
    moments = range(len(i.rounds))

    def frame(t: int) -> Changes:
        return {at[name]: changed for name, changed in _moment(i, t).items()}

    return Recording(
        frames=[frame(t) for t in moments],
        objective=(i.means * i.counts).sum(axis=1) / i.rounds,
        sentences=[_sentence(i, t) for t in moments],
        steps=i.rounds,
        label="mean reward so far",
    )


def _sentence(i: Indices, t: int) -> str:
    arm = i.chosen(t)
    return (
        f"After {spaced(int(i.rounds[t]))} rounds arm {arm + 1} is pulled next: its mean could be "
        f"{rough(float(i.upper[t, arm]))}, where {rough(float(i.means[t, arm]))} was seen."
    )


def reading(i: Indices) -> str:
    """Which arm comes next, and how many could still be as good as it seems."""
    last, best = len(i.rounds) - 1, int(i.means[-1].argmax())
    could = int((i.upper[-1] >= i.means[-1, best]).sum())
    which = "All" if could == len(i.truth) else f"Of {len(i.truth)} arms {could}"
    return (
        f"{_sentence(i, last)} {which} could still be as good as what arm {best + 1}, the best so "
        "far, has paid."
    )


def table(i: Indices) -> tuple[TableColumn, ...]:
    """One line an arm, after the last round."""
    return (
        TableColumn("arm", np.arange(1, len(i.truth) + 1)),
        TableColumn("true mean", i.truth),
        TableColumn("pulls", i.counts[-1]),
        TableColumn("mean so far", i.means[-1]),
        TableColumn("could be", i.upper[-1]),
    )
