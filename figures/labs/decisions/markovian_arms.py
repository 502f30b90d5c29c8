"""Indices beside rewards, which arm to pull in each pair of states, and what policies lose."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from mlcore.labs.decisions.markovian_arms import POLICIES, MarkovianArms
from mlcore.spine.wording import count, rough

ARMS = ("first", "second")
SIDE = 34  # pixels of a pair of states


def pictures(m: MarkovianArms) -> tuple[View, ...]:
    """Indices, choices, losses."""
    note = f"discount {m.gamma:g}"
    return (
        picture("Rewards and indices", m, draw, reading, table, note=note),
        picture("Which arm to pull", m, draw_choices, choices_reading, choices_table, note=note),
        picture("What policies lose", m, draw_losses, losses_reading, losses_table,
                note="reward a move, mean over all pairs of states"),
    )  # fmt: skip


def _states(m: MarkovianArms) -> list[str]:
    """Arm and state, first arm first."""
    n = m.rewards.shape[1]
    return [f"{arm}, {s + 1}" for arm in ARMS for s in range(n)]


def draw(m: MarkovianArms) -> go.Figure:
    """Two bars a state."""
    both = (("reward", m.rewards), ("index", m.indices))
    bars = [
        go.Bar(x=_states(m), y=own.ravel(), name=name, marker_color=class_color(k))
        for k, (name, own) in enumerate(both)
    ]
    return plot(*bars, x="Arm and state", y="Reward a move", barmode="group")


def reading(m: MarkovianArms) -> str:
    """The state whose index is farthest above its reward."""
    above = (m.indices - m.rewards).ravel()
    k = int(above.argmax())
    arm, state = divmod(k, m.rewards.shape[1])
    if above[k] < 1e-9:
        return "Every index is the reward of its state: nothing later counts."
    return (
        f"State {state + 1} of the {ARMS[arm]} arm pays {rough(float(m.rewards[arm, state]))}, and "
        f"its index is {rough(float(m.indices[arm, state]))}: better states are near."
    )


def table(m: MarkovianArms) -> tuple[TableColumn, ...]:
    """One line a state of an arm."""
    return (
        TableColumn("arm and state", tuple(_states(m))),
        TableColumn("reward", m.rewards.ravel()),
        TableColumn("index", m.indices.ravel()),
    )


def _pairs(m: MarkovianArms) -> np.ndarray:
    """States of both arms, counted from 1, (2, n * n)."""
    return np.indices(m.values.shape).reshape(2, -1) + 1


def _is_wrong(m: MarkovianArms) -> np.ndarray:
    """Where the next reward points to another arm than the index, (n * n,)."""
    return (m.choices[0] != m.choices[1]).ravel()


def draw_choices(m: MarkovianArms) -> go.Figure:
    """A square a pair of states, in the colour of the arm of the higher index; crosses where the
    next reward points to the other."""
    (first, second), arm, traces = _pairs(m), m.choices[0].ravel(), []
    for k, name in enumerate(ARMS):
        own = arm == k
        mark = {"symbol": "square", "size": SIDE, "color": class_color(k), "opacity": 0.8}
        traces.append(go.Scatter(x=second[own], y=first[own], mode="markers", marker=mark,
                                 name=f"{name} arm"))  # fmt: skip
    wrong, cross = _is_wrong(m), {"symbol": "x", "size": 12, "color": LIGHT.text}
    traces.append(go.Scatter(x=second[wrong], y=first[wrong], mode="markers", marker=cross,
                             name="next reward differs"))  # fmt: skip
    fig = plot(*traces, x="State of the second arm", y="State of the first arm")
    n, axis = len(m.values), {"dtick": 1, "zeroline": False, "showgrid": False}
    fig.update_layout(legend_itemsizing="constant")
    return fig.update_xaxes(range=[0.4, n + 0.6], **axis).update_yaxes(range=[n + 0.6, 0.4], **axis)


def choices_reading(m: MarkovianArms) -> str:
    """How often the next reward is wrong, and what that costs at most."""
    wrong = int(_is_wrong(m).sum())
    if not wrong:
        return "In every pair of states the next reward points to the arm of the higher index."
    return (
        f"In {count(wrong, 'pair')} of states of {_pairs(m).shape[1]} the next reward points to "
        f"the other arm; going by it loses up to {rough(float(m.lost[1].max()))} a move."
    )


def choices_table(m: MarkovianArms) -> tuple[TableColumn, ...]:
    """One line a pair of states."""
    first, second = _pairs(m)
    arms = (
        TableColumn(f"arm by {name}", own.ravel() + 1) for name, own in zip(POLICIES, m.choices)
    )
    lost = (TableColumn(f"lost by {name}", own.ravel()) for name, own in zip(POLICIES, m.lost))
    return (
        TableColumn("state of the first arm", first),
        TableColumn("state of the second arm", second),
        TableColumn("best value, a move", m.values.ravel()),
        *arms,
        *lost,
    )


def draw_losses(m: MarkovianArms) -> go.Figure:
    """A line a policy; that of the index lies on the axis."""
    lines = (line(m.gammas, own, k, name) for k, (name, own) in enumerate(zip(POLICIES, m.losses)))
    fig = plot(*lines, x="Discount", y="Lost reward a move")
    return named_line(fig, "here", x=m.gamma)


def losses_reading(m: MarkovianArms) -> str:
    """What each loses here, against planning in the world of both arms."""
    index, reward, mean = (rough(float(own.mean())) for own in m.lost)
    n = m.values.size
    return (
        f"Against the best policy of the world of {n} pairs, going by the index loses {index} a "
        f"move, by the next reward {reward}, by the mean reward of an arm {mean}."
    )


def losses_table(m: MarkovianArms) -> tuple[TableColumn, ...]:
    """One line a discount."""
    each = (TableColumn(f"lost by {name}", own) for name, own in zip(POLICIES, m.losses))
    return TableColumn("discount", m.gammas), *each
