"""Intervals of arms round by round, and how often each was pulled."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from mlcore.labs.decisions.optimism import Optimism
from mlcore.spine.wording import count, listed, rough, spaced

LOW, HIGH = -0.2, 1.6  # of a reward: what an interval reaches beyond is cut
MOST_FRAMES = 150
INTERVALS, MEANS, CHOSEN = "intervals", "means", "chosen"  # traces by name


def pictures(o: Optimism) -> tuple[View, ...]:
    """The intervals, with a player, and the pulls."""
    return (
        picture("Intervals of the arms", o, draw, reading, table,
                note=f"before round {spaced(len(o.pulls))}", player=lambda: recording(o)),
        picture("Pulls of each arm", o, draw_pulls, pulls_reading, pulls_table),
    )  # fmt: skip


def _names(o: Optimism) -> list[str]:
    return [f"arm {k + 1}" for k in range(len(o.means))]


def _known(o: Optimism, t: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres, (K,), and both ends of the intervals, (2, K); all of the axis where nothing is
    known."""
    is_new = np.isnan(o.centres[t])
    ends = np.array([o.centres[t] - o.widths[t], o.centres[t] + o.widths[t]])
    ends = np.where(is_new, np.array([[LOW], [HIGH]]), np.clip(ends, LOW, HIGH))
    return np.where(is_new, (LOW + HIGH) / 2, o.centres[t]), ends


def _bars(o: Optimism, t: int) -> np.ndarray:
    """The intervals as one line with gaps, (3 K,)."""
    ends = _known(o, t)[1]
    return np.vstack([ends, np.full(ends.shape[1], np.nan)]).T.ravel()


def _colors(o: Optimism, t: int) -> list[str]:
    """Grey for what is surely worse."""
    return [LIGHT.quiet if worse else class_color(0) for worse in o.is_worse[t]]


def draw(o: Optimism) -> go.Figure:
    """A bar an arm, its mean a dot, grey where surely worse; a ring around what is pulled next."""
    t, K = len(o.pulls) - 1, len(o.means)
    centres, ends = _known(o, t)
    arm = o.pulls[t]
    style = {"color": LIGHT.quiet, "width": 5}
    fig = plot(
        go.Scatter(x=np.repeat(np.arange(K), 3), y=_bars(o, t), mode="lines", line=style,
                   uid=INTERVALS, hoverinfo="skip"),
        go.Scatter(x=np.arange(K), y=o.means, mode="markers", name="true mean",
                   marker={"symbol": "line-ew-open", "size": 26, "color": LIGHT.text,
                           "line": {"width": 2}}),
        go.Scatter(x=np.arange(K), y=centres, mode="markers", uid=MEANS, name="mean reward so far",
                   marker={"size": 12, "color": _colors(o, t)}),
        go.Scatter(x=[arm], y=[ends[1, arm]], mode="markers", uid=CHOSEN, name="pulled next",
                   marker={"symbol": "triangle-down", "size": 16, "color": class_color(1)}),
        x="Arm", y="Reward",
    )  # fmt: skip
    fig.update_xaxes(tickvals=list(range(K)), ticktext=_names(o), range=[-0.5, K - 0.5])
    return fig.update_yaxes(range=[LOW - 0.05, HIGH + 0.1])


def recording(o: Optimism) -> Recording:
    """A frame a round, at most about 150, dense at the beginning."""
    n = len(o.pulls)
    rounds = np.unique(np.concatenate([np.arange(min(n, 60)), np.linspace(0, n - 1, MOST_FRAMES)]))
    rounds = rounds.astype(np.int64)
    at = traces_by_name(draw(o))
    losses = np.cumsum(o.means.max() - o.means[o.pulls])
    return Recording(
        frames=[_frame(o, at, int(t)) for t in rounds],
        objective=losses[rounds],
        sentences=[_sentence(o, int(t)) for t in rounds],
        steps=rounds + 1,
        label="regret",
    )


def _frame(o: Optimism, at: dict[str, int], t: int) -> Changes:
    centres, ends = _known(o, t)
    arm = o.pulls[t]
    return {
        at[INTERVALS]: {"y": _bars(o, t)},
        at[MEANS]: {"y": centres, "marker.color": _colors(o, t)},
        at[CHOSEN]: {"x": np.array([arm]), "y": np.array([ends[1, arm]])},
    }


def _sentence(o: Optimism, t: int) -> str:
    """Why this arm is pulled."""
    arm = int(o.pulls[t])
    if np.isnan(o.centres[t, arm]):
        return f"Round {t + 1}: arm {arm + 1} was never pulled."
    top = float(o.centres[t, arm] + o.widths[t, arm])
    why = "it also has the best mean" if arm == np.nanargmax(o.centres[t]) else "not the best mean"
    return f"Round {t + 1}: arm {arm + 1} reaches highest, to {rough(top)}; {why}."


def reading(o: Optimism) -> str:
    """What is pulled next, and what is surely worse."""
    t = len(o.pulls) - 1
    worse = [name for name, is_worse in zip(_names(o), o.is_worse[t], strict=True) if is_worse]
    text = _sentence(o, t)
    if worse:
        return f"{text} Surely worse than another: {listed(worse, 10)}."
    return f"{text} No arm is surely worse than another yet."


def table(o: Optimism) -> tuple[TableColumn, ...]:
    """One line an arm."""
    t = len(o.pulls) - 1
    return (
        TableColumn("arm", tuple(_names(o))),
        TableColumn("pulls", o.counts[t]),
        TableColumn("mean reward", o.centres[t]),
        TableColumn("half width", o.widths[t]),
        TableColumn("true mean", o.means),
    )


def draw_pulls(o: Optimism) -> go.Figure:
    """A line an arm; a straight line on this axis is what theory allows a worse one."""
    x = np.arange(1, len(o.pulls) + 1)
    fig = plot(
        *(line(x, own, k, name) for k, (name, own) in enumerate(zip(_names(o), o.counts.T))),
        x="Round", y="Pulls before it",
    )  # fmt: skip
    return fig.update_xaxes(**log_axis(x))


def pulls_reading(o: Optimism) -> str:
    """Shares of the best and of the worst arm."""
    best, worst = int(o.means.argmax()), int(o.means.argmin())
    each = np.bincount(o.pulls, minlength=len(o.means))
    return (
        f"Of {count(len(o.pulls), 'pull')} the best arm got {spaced(int(each[best]))}, the worst "
        f"{spaced(int(each[worst]))}."
    )


def pulls_table(o: Optimism) -> tuple[TableColumn, ...]:
    """One line a round."""
    counts = (TableColumn(f"pulls, {name}", own) for name, own in zip(_names(o), o.counts.T))
    return (
        TableColumn("round", np.arange(1, len(o.pulls) + 1)),
        TableColumn("pulled", o.pulls + 1),
        *counts,
    )
