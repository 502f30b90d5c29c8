"""A tree of questions: what each node asks, how many rows reach it, and what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import color_bar
from figures.drawing.words import fitted_on
from figures.names import cut
from figures.numbers.trees import TreePicture, tree_picture
from figures.options import Offered, Options, Values, among
from figures.theme import LIGHT, SEQUENTIAL, class_color, class_hatch, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.ensembles.capabilities import HasTrees
from mlcore.runs.carry import Whole
from mlcore.spine.asking import any_of, can
from mlcore.spine.capabilities_of_members import HasTree
from mlcore.spine.params import integer
from mlcore.spine.wording import count, percent, rough, spaced

LEVEL, ROOM, TALLEST = 86, 50, 660  # pixels: a level, above and below, all together
WIDE, HIGH = 0.84, 0.2  # of the bar of a node, in leaves and levels
BESIDE = 0.6  # leaves of room on either side
WIDTH, LETTER = 760, 7.0  # pixels: the least width of the picture (ui/style.css), and of a letter
SHORTEST = 6  # letters; a shorter text is left to hovering


def _members(offered: Offered) -> Values:
    """The trees of a forest, from 1; a single tree has no others."""
    fit = offered["fit"]
    count_of = len(fit.trees) if can(fit, HasTrees) else 0
    return {member: f"tree {member}" for member in range(1, count_of + 1)}


@dataclass(frozen=True, kw_only=True)
class OneOfTrees(Options):
    """Which tree is drawn."""

    member: int = among(
        integer(1, low=1, soft=(1, 100), label="Tree", doc="The tree of a forest that is drawn."),
        _members,
    )


@view(
    "tree_diagram",
    title="Tree diagram",
    asks=any_of(HasTree, HasTrees),
    options=OneOfTrees,
    on="classification regression report",
    order=160,
    is_wide=True,
    sources=("cs2:tree_predict",),
    synonyms=("plot_tree", "decision tree plot"),
)
def tree_diagram(
    fit: Any, dataset: Dataset, whole: Whole | None = None, *, options: OneOfTrees
) -> View:
    """Every node with its question and a bar of the classes of its rows; yes goes left.

    Questions are in the units of the data where the preparation only scaled.
    """
    note = fitted_on(dataset, whole)
    if can(fit, HasTrees):
        note = f"tree {options.member} of {len(fit.trees)}, {note}"
    picture = tree_picture(fit, dataset, whole, options.member)
    return joined(picture, draw, reading, table, note=note)


def draw(t: TreePicture) -> go.Figure:
    """Lines to the nodes below, a bar a node, the question above it and the rows beneath."""
    levels = int(t.depth.max()) + 1
    fig = figure(
        _edges(t),
        *(_class_bars(t) if t.classes else [_mean_marks(t)]),
        _hover(t),
        height=min(ROOM + LEVEL * levels, TALLEST),
        showlegend=bool(t.classes),
        xaxis={"visible": False, "range": [-BESIDE, t.leaves - 1 + BESIDE]},
        yaxis={"visible": False, "range": [-(levels - 1) - 0.55, 0.5]},
        meta={"start": float(t.x[0])},  # the root, which a narrow screen shows first
    )
    for s in range(len(t.node)):
        _write(fig, t, s)
    return fig


def _edges(t: TreePicture) -> go.Scatter:
    """From each node to the one above it."""
    below = np.flatnonzero(t.parent >= 0)
    x, y = (np.full((len(below), 3), np.nan) for _ in range(2))
    x[:, 0], x[:, 1] = t.x[t.parent[below]], t.x[below]
    y[:, 0], y[:, 1] = -t.depth[t.parent[below]], -t.depth[below]
    return go.Scatter(
        x=x.ravel(), y=y.ravel(), mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": LIGHT.quiet, "width": 1},
    )  # fmt: skip


def _class_bars(t: TreePicture) -> list[go.Scatter]:
    """One trace a class: its part of the bar of every node."""
    ends = np.cumsum(t.shares, axis=1)
    traces = []
    for k, name in enumerate(t.classes):
        here = np.flatnonzero(t.shares[:, k] > 0)
        left = t.x[here] + WIDE * (ends[here, k] - t.shares[here, k] - 0.5)
        right = t.x[here] + WIDE * (ends[here, k] - 0.5)
        low, high = -t.depth[here] - HIGH / 2, -t.depth[here] + HIGH / 2
        gap = np.full(len(here), np.nan)
        x = np.column_stack([left, right, right, left, left, gap])
        y = np.column_stack([low, low, high, high, low, gap])
        traces.append(
            go.Scatter(
                x=x.ravel(),
                y=y.ravel(),
                mode="lines",
                fill="toself",
                name=name,
                hoverinfo="skip",
                fillcolor=class_color(k),
                fillpattern=class_hatch(k),
                line={"width": 0.5, "color": class_color(k)},
            )
        )
    return traces


def _mean_marks(t: TreePicture) -> go.Scatter:
    """A square a node, coloured by the mean of its rows."""
    marker = {
        "symbol": "square", "size": 18, "color": t.mean, "colorscale": SEQUENTIAL,
        "colorbar": color_bar(f"mean of {t.target}"),
        "showscale": bool(np.ptp(t.mean) > 0),  # of one mean, which is written, a bar tells nothing
    }  # fmt: skip
    return go.Scatter(
        x=t.x, y=-t.depth, mode="markers", marker=marker, hoverinfo="skip", showlegend=False
    )


def _hover(t: TreePicture) -> go.Scatter:
    """A mark that is not seen on every node, to say what it holds."""
    return go.Scatter(
        x=t.x, y=-t.depth, mode="markers", marker={"size": 22, "opacity": 0}, showlegend=False,
        text=[_node_text(t, s) for s in range(len(t.node))], hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _node_text(t: TreePicture, s: int) -> str:
    lines = [f"{t.questions[s]}?" if t.questions[s] else "leaf", count(t.rows[s], "row")]
    if t.classes:
        lines += [
            f"{name} {percent(share)}"
            for name, share in zip(t.classes, t.shares[s], strict=True)
            if share > 0
        ]
    else:
        lines.append(f"mean {rough(float(t.mean[s]))}")
    if t.questions[s]:
        lines.append(f"lowers the risk by {rough(float(t.gain[s]))}")
    return "<br>".join(lines)


def _write(fig: go.Figure, t: TreePicture, s: int) -> None:
    """The question above a node and its rows beneath, as far as there is room. Changes `fig`."""
    same = np.abs(t.x[t.depth == t.depth[s]] - t.x[s])
    beside = min(same[same > 0].min(initial=t.leaves), 2 * _to_edge(t, float(t.x[s])))
    letters = int(beside * WIDTH / max(t.leaves, 3) / LETTER)
    font = {"size": 12, "color": LIGHT.text}
    if t.questions[s] and letters >= SHORTEST:
        fig.add_annotation(
            x=t.x[s], y=-t.depth[s] + HIGH / 2, yanchor="bottom", font=font, showarrow=False,
            text=_shortened(t.questions[s], letters), bgcolor=LIGHT.background, borderpad=1,
        )  # fmt: skip
    if not t.is_leaf[s]:
        return
    value = t.answer(s) if t.classes else rough(float(t.mean[s]))
    lines = [cut(value, letters)] if letters >= SHORTEST or not t.classes else []
    lines.append(spaced(t.rows[s]) + (" …" if t.is_cut[s] else ""))
    font = {"size": 12, "color": LIGHT.quiet}
    fig.add_annotation(
        x=t.x[s], y=-t.depth[s] - HIGH / 2 - 0.03, yanchor="top", text="<br>".join(lines),
        font=font, showarrow=False,
    )  # fmt: skip


def _shortened(asked: str, letters: int) -> str:
    """A question that fits, with its number if that is possible."""
    name, sign, number = asked.rpartition(" ≤ ")
    room = letters - len(sign) - len(number)
    if len(asked) <= letters or not sign:
        return cut(asked, letters)
    # Half a number would be another one: without room for the name it is said when hovering.
    return f"{cut(name, room)}{sign}{number}" if room >= 3 else f"≤ {number}"


def _to_edge(t: TreePicture, x: float) -> float:
    """How far a place lies from the nearer edge of the picture."""
    return min(x + BESIDE, t.leaves - 1 + BESIDE - x)


def reading(t: TreePicture) -> str:
    """What is asked first, how large the tree is, and its largest leaf."""
    if not t.questions[0]:
        value = t.answer(0) if t.classes else rough(float(t.mean[0]))
        return f"A single leaf: no split lowers the risk, and every row is answered by {value}."
    most = count(t.n_depth, "question")
    text = f"First it asks whether {t.questions[0]}; yes goes left. "
    text += f"It has {t.n_leaves} leaves, with at most {most} in a row. "
    ends = np.flatnonzero(t.is_leaf & ~t.is_cut)
    if len(ends):
        s = int(ends[t.rows[ends].argmax()])
        share = percent(float(t.shares[s, t.label[s]])) + " " if t.classes else "mean "
        value = t.answer(s) if t.classes else rough(float(t.mean[s]))
        text += f"The largest leaf has {count(t.rows[s], 'row')}, {share}{value}."
    if t.is_cut.any():
        text += f" Drawn are the {t.leaves - 1} splits that were made first."
    return text.strip()


def table(t: TreePicture) -> tuple[TableColumn, ...]:
    """One line a node that is drawn."""
    if t.classes:
        values = [TableColumn("predicts", tuple(t.answer(s) for s in range(len(t.node))))]
        values += [
            TableColumn(f"share of {name}", t.shares[:, k]) for k, name in enumerate(t.classes)
        ]
    else:
        values = [TableColumn("mean", t.mean)]
    return (
        TableColumn("node", t.node),
        TableColumn("above", np.where(t.parent < 0, -1, t.node[t.parent])),
        TableColumn("question", tuple(asked or "leaf" for asked in t.questions)),
        TableColumn("rows", t.rows),
        TableColumn("risk", t.risk),
        TableColumn("gain", t.gain),
        *values,
    )
