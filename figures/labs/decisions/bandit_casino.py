"""A casino: arms to click, the regret of all who played, and of strategies in other casinos."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces
from figures.drawing.marks import numbered
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.numbers.trials import ReplicateCurve, replicated
from figures.theme import LIGHT, class_color, faded
from figures.view import TableColumn, View
from mlcore.labs.decisions.bandit_casino import LONG, N_CASINOS, Casino
from mlcore.spine.wording import count, listed, percent, rough, spaced


def pictures(c: Casino) -> tuple[View, ...]:
    """The arms, who lost what here, and elsewhere."""
    note = f"mean of {count(N_CASINOS, 'casino')}, band: 95 % interval"
    return (
        picture("Arms", c, draw, reading, table, note="click an arm to pull it"),
        picture("Regret in this casino", c, draw_regret, regret_reading, regret_table),
        picture("Regret in other casinos", c, draw_long, long_reading, long_table, note=note),
    )


def _means(c: Casino) -> np.ndarray:
    """Mean reward of the own pulls of each arm; NaN where there is none."""
    return np.where(c.counts > 0, c.sums / np.maximum(c.counts, 1), np.nan)


def draw(c: Casino) -> go.Figure:
    """A bar an arm with what it has paid; all of its column can be clicked."""
    K = len(c.counts)
    names = [f"arm {k + 1}" for k in range(K)]
    texts = [f"{s:.0f} of {n}" if n else "never pulled" for s, n in zip(c.sums, c.counts)]
    column = go.Bar(
        x=names, y=np.ones(K), marker_color=faded(LIGHT.accent, 0.06), text=texts,
        textposition="inside", insidetextanchor="end", textfont={"color": LIGHT.text},
        hovertemplate="%{x}: %{text}<br>click to pull<extra></extra>",
    )  # fmt: skip
    paid = go.Bar(x=names, y=_means(c), marker_color=class_color(0), hoverinfo="skip")
    traces: list[Any] = [column, paid]
    if c.is_open:
        mark = {"symbol": "line-ew-open", "size": 42, "line": {"width": 3}, "color": LIGHT.text}
        traces.append(go.Scatter(x=names, y=c.means, mode="markers", marker=mark,
                                 hovertemplate="true mean %{y:.3f}<extra></extra>"))  # fmt: skip
    for trace in traces:
        numbered(trace, np.arange(K))
    fig = plot(*traces, x="Arm", y="Mean reward", barmode="overlay")
    return fig.update_yaxes(range=[0, 1.02])


def reading(c: Casino) -> str:
    """What the last pull paid and how it stands; once open, which arm was best."""
    n = int(c.counts.sum())
    text = f"{count(n, 'pull')}, {count(int(c.sums.sum()), 'reward')}."
    if c.last is not None:
        arm, paid = c.last
        text += f" Arm {arm + 1} paid {'1' if paid else 'nothing'}."
    if c.is_open:
        best = int(c.means.argmax())
        text += f" Arm {best + 1} is the best, with {rough(float(c.means[best]))} a pull."
    return text


def table(c: Casino) -> tuple[TableColumn, ...]:
    """One line an arm; the truth once it is open."""
    own = (
        TableColumn("arm", np.arange(1, len(c.counts) + 1)),
        TableColumn("pulls", c.counts),
        TableColumn("mean reward", _means(c)),
    )
    return (*own, TableColumn("true mean", c.means)) if c.is_open else own


def _here(c: Casino) -> dict[str, np.ndarray]:
    """Regret by round of everybody who may be seen."""
    curves = dict(zip(c.names, c.theirs, strict=True))
    return curves | {"you": c.regret} if c.is_open and len(c.regret) else curves


def draw_regret(c: Casino) -> go.Figure:
    """A line a player; one's own is thick."""
    lines = []
    for k, (name, regret) in enumerate(_here(c).items()):
        own = line(np.arange(1, len(regret) + 1), regret, k, name)
        if name == "you":
            own.update(line={"color": LIGHT.text, "width": 4, "dash": "solid"})
        lines.append(own)
    return plot(*lines, x="Round", y="Regret (reward lost)")


def regret_reading(c: Casino) -> str:
    """Everybody after as many rounds as one has played oneself."""
    n = len(c.regret)
    if not c.is_open or not n:
        ends = listed(
            f"{name} {rough(float(own[-1]))}" for name, own in zip(c.names, c.theirs, strict=True)
        )
        return (
            f"After {c.theirs.shape[1]} rounds the strategies have lost: {ends}. Your regret would "
            "give the arms away; it stands here once you have pulled some and opened them."
        )
    others = listed(
        f"{name} {rough(float(own[n - 1]))}" for name, own in zip(c.names, c.theirs, strict=True)
    )
    return f"After {count(n, 'pull')} you have lost {rough(float(c.regret[-1]))}; {others}."


def regret_table(c: Casino) -> tuple[TableColumn, ...]:
    """One line a round; NaN where one has not played it."""
    n = c.theirs.shape[1]
    filled = {
        name: np.concatenate([own, np.full(n - len(own), np.nan)]) for name, own in _here(c).items()
    }
    columns = (TableColumn(f"regret, {name}", own) for name, own in filled.items())
    return TableColumn("round", np.arange(1, n + 1)), *columns


def _long(c: Casino) -> tuple[ReplicateCurve, ...]:
    return tuple(replicated(name, c.rounds, own) for name, own in zip(c.names, c.long, strict=True))


def draw_long(c: Casino) -> go.Figure:
    """A line a strategy."""
    traces = [t for k, own in enumerate(_long(c)) for t in curve_traces(own, k, lines=False)]
    return plot(*traces, x="Round", y="Regret (reward lost)")


def long_reading(c: Casino) -> str:
    """Means, and how often each stays with a worse arm."""
    ends = listed(f"{own.label} {rough(own.end)}" for own in _long(c))
    astray = listed(
        f"{name} {percent(float(share))}" for name, share in zip(c.names, c.astray, strict=True)
    )
    return (
        f"After {spaced(LONG)} rounds the strategies have lost in the mean: {ends}. Casinos in "
        f"which most pulls went to one worse arm: {astray}."
    )


def long_table(c: Casino) -> tuple[TableColumn, ...]:
    """One line a round that was noted."""
    return curve_columns("round", _long(c), "regret")
