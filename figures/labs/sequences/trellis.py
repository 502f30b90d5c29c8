"""The trellis with its values and paths, and what summing over every path would cost."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View
from mlcore.labs.sequences.trellis import BACKWARD, LIKELIEST, Trellis
from mlcore.sequences.recursions import operation_count
from mlcore.spine.wording import count, listed, rough

HEIGHT = 340
DISC = 54  # pixels
LONGEST = 12  # steps of the curve of costs
VALUES, LAST = "values", "last"  # traces by name
TITLES = {
    "forward": "Forward values", "backward": "Backward values", "posterior": "Posterior",
    "likeliest": "Likeliest way to each state",
}  # fmt: skip


def pictures(t: Trellis) -> tuple[View, ...]:
    """The trellis, then the cost of two ways to sum."""
    return (
        picture("Trellis", t, draw, reading, table, note=TITLES[t.shows].lower(),
                player=lambda: recording(t)),
        picture("Cost of the sum", t, draw_cost, cost_reading, cost_table,
                note=f"{count(len(t.model.states), 'state')}"),
    )  # fmt: skip


def _values(t: Trellis) -> np.ndarray:
    return getattr(t, t.shows)


def draw(t: Trellis) -> go.Figure:
    """A disc a state and step with its value; every move that can be made, and both paths."""
    T, N = t.forward.shape
    x, y = np.repeat(np.arange(T), N), np.tile(np.arange(N), T)
    discs = go.Scatter(
        x=x, y=y, mode="markers+text", uid=VALUES, text=_texts(t), showlegend=False,
        marker={"size": DISC, "color": [class_color(int(k)) for k in y]},
        textfont={"color": "white", "size": 12}, hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    column = go.Scatter(
        x=[T - 1, T - 1], y=[-0.5, N - 0.5], mode="lines", uid=LAST, hoverinfo="skip",
        line={"color": faded(LIGHT.accent, 0.12), "width": DISC + 14}, showlegend=False,
    )  # fmt: skip
    return figure(
        column, *_moves(t), _path(t.path, "likeliest path", LIGHT.text, "solid"),
        _path(t.states, "likeliest states", class_color(1), "dot"), discs,
        height=HEIGHT, showlegend=True,
        xaxis={"tickvals": list(range(T)), "range": [-0.5, T - 0.5], "showgrid": False,
               "ticktext": [t.model.names[k] for k in t.seen], "title": {"text": "Seen"},
               "zeroline": False},
        yaxis={"tickvals": list(range(N)), "ticktext": list(t.model.states), "zeroline": False,
               "range": [N - 0.4, -0.6], "showgrid": False, "title": {"text": "State"}},
    )  # fmt: skip


def _texts(t: Trellis, until: int | None = None) -> list[str]:
    """The values as they stand when the columns until this one are filled, from their side."""
    values = _values(t)
    T = len(values)
    first, last = (0, T - 1) if until is None else (0, until)
    if until is not None and t.shows == BACKWARD:
        first, last = T - 1 - until, T - 1
    return [
        rough(float(v)) if first <= k <= last else "" for k, row in enumerate(values) for v in row
    ]


def _moves(t: Trellis) -> list[go.Scatter]:
    """The moves of the chain, thicker where likelier."""
    T, A = len(t.seen), t.model.transitions
    common: dict[str, Any] = {"mode": "lines", "hoverinfo": "skip", "showlegend": False}
    return [
        go.Scatter(
            x=np.ravel([(s, s + 1, np.nan) for s in range(T - 1)]),
            y=np.ravel([(i, j, np.nan) for _ in range(T - 1)]),
            line={"color": LIGHT.hairline, "width": 1 + 5 * A[i, j]}, **common,
        )
        for i, j in np.argwhere(A > 0)
        if T > 1
    ]  # fmt: skip


def _path(states: np.ndarray, name: str, color: str, dash: str) -> go.Scatter:
    return go.Scatter(
        x=np.arange(len(states)), y=states, mode="lines", name=name, hoverinfo="skip",
        line={"color": color, "width": 4, "dash": dash},
    )  # fmt: skip


def recording(t: Trellis) -> Recording:
    """A frame a column, in the order in which the recursion fills them."""
    at = traces_by_name(draw(t))
    T = len(t.seen)
    columns = [T - 1 - k if t.shows == BACKWARD else k for k in range(T)]
    frames: list[Changes] = [
        {at[VALUES]: {"text": _texts(t, k)}, at[LAST]: {"x": np.array([c, c])}}
        for k, c in enumerate(columns)
    ]
    return Recording(
        frames=frames,
        objective=np.array([_values(t)[c].sum() for c in columns]),
        sentences=[_sentence(t, c) for c in columns],
        steps=np.arange(1, T + 1),
        label="sum of the column",
    )


def _sentence(t: Trellis, c: int) -> str:
    """How the first value of a column comes about, with its numbers."""
    m, state, value = t.model, t.model.states[0], rough(float(_values(t)[c, 0]))
    shown = rough(float(m.shown[0, t.seen[c]]))
    if t.shows == "posterior":
        a, b = rough(float(t.forward[c, 0])), rough(float(t.backward[c, 0]))
        return f"{state}: {a} × {b} / {rough(t.likelihood)} = {value}."
    if t.shows == BACKWARD:
        if c == len(t.seen) - 1:
            return f"Nothing comes after the last step: {value}."
        after = [
            f"{rough(float(m.transitions[0, j]))} × {rough(float(m.shown[j, t.seen[c + 1]]))} × "
            f"{rough(float(t.backward[c + 1, j]))}"
            for j in range(len(m.states))
        ]
        return f"{state}: {' + '.join(after)} = {value}."
    if c == 0:
        return f"{state}: {rough(float(m.start[0]))} × {shown} = {value}."
    before = _values(t)[c - 1]
    ways = [
        f"{rough(float(p))} × {rough(float(a))}"
        for p, a in zip(before, m.transitions[:, 0], strict=True)
    ]
    joined = f"max({', '.join(ways)})" if t.shows == LIKELIEST else f"({' + '.join(ways)})"
    return f"{state}: {joined} × {shown} = {value}."


def reading(t: Trellis) -> str:
    """Three sums that are one, and both paths."""
    path, states = ([t.model.states[k] for k in own] for own in (t.path, t.states))
    text = (
        f"The probability of what is seen is {rough(t.likelihood)} by the forward values, "
        f"{rough(t.backwards)} by the backward ones, {rough(t.enumerated)} over all "
        f"{count(t.n_paths, 'path')}. Likeliest path: {listed(path, most=8)} ({rough(t.of_path)}). "
    )
    if path == states:
        return text + "The likeliest states, step by step, are the same."
    if not t.of_states:
        return (
            text
            + f"The likeliest states, {listed(states, most=8)}, are no path: no move joins them."
        )
    return text + f"The likeliest states: {listed(states, most=8)} ({rough(t.of_states)})."


def table(t: Trellis) -> tuple[TableColumn, ...]:
    """One line a step and state."""
    T, N = t.forward.shape
    return (
        TableColumn("step", np.repeat(np.arange(1, T + 1), N)),
        TableColumn("state", tuple(t.model.states) * T),
        TableColumn("forward", t.forward.ravel()),
        TableColumn("backward", t.backward.ravel()),
        TableColumn("posterior", t.posterior.ravel()),
        TableColumn("likeliest way", t.likeliest.ravel()),
    )


def _costs(t: Trellis) -> tuple[np.ndarray, np.ndarray]:
    """Lengths, (m,), and operations by enumeration and recursion, (m, 2)."""
    lengths = np.arange(1, LONGEST + 1)
    each = [operation_count(len(t.model.states), int(T)) for T in lengths]
    return lengths, np.array(each)


def draw_cost(t: Trellis) -> go.Figure:
    """Both on a scale of powers of ten."""
    lengths, each = _costs(t)
    fig = plot(
        line(lengths, each[:, 0], 0, "every path"), line(lengths, each[:, 1], 1, "recursion"),
        x="Steps", y="Operations",
    )  # fmt: skip
    return fig.update_yaxes(type="log")


def cost_reading(t: Trellis) -> str:
    """The cost of this sequence."""
    every, few = operation_count(len(t.model.states), len(t.seen))
    steps = count(len(t.seen), "step")
    return f"For {steps} every path takes about {every:,.0f} operations, the recursion {few:,.0f}."


def cost_table(t: Trellis) -> tuple[TableColumn, ...]:
    """One line a length."""
    lengths, each = _costs(t)
    return (
        TableColumn("steps", lengths),
        TableColumn("every path", each[:, 0]),
        TableColumn("recursion", each[:, 1]),
    )
