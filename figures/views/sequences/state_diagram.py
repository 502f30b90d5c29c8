"""The chain as a diagram: a disc a state, an arrow for each move that it makes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.names import cut
from figures.recording import Changes
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasChain
from mlcore.sequences.chains import communicating_classes, long_run_shares
from mlcore.spine.errors import DataError
from mlcore.spine.wording import listed, percent

MOST = 12  # states: of more only the matrix is readable
ALWAYS = 1 - 1e-6  # from which probability on a state is said to stay
LEAST = 0.005  # of an arrow
CROWD = 5  # states from which on only moves are drawn that are likelier than at random
NAMED = 0.02  # of an arrow that bears its number
HEIGHT = 400
SMALL, LARGE = 34.0, 66.0  # pixels of a disc, by its share in the long run
WIDTHS = (0.03, 0.1, 0.25, 0.5, 1.01)  # ends of the classes of arrows by their probability
LONGEST = 12  # letters of a name
PIXELS = 118  # of a unit of the plane, about
BOX = (0.27, 0.13)  # of a number beside an arrow
ALONG = (7, 9, 5, 11, 13, 3, 15)  # which of twenty places of an arrow its number may stand at
ASIDE = (0.09, 0.14, 0.2, -0.14)  # and how far from it
BEND = 0.16  # of an arrow, in lengths of its chord
DISCS, TEXTS = "discs", "texts"


class Diagram(NamedTuple):
    """A chain of N states."""

    names: tuple[str, ...]  # (N,)
    transitions: np.ndarray  # (N, N)
    start: np.ndarray  # (N,)
    long_run: np.ndarray  # (N,)
    places: np.ndarray  # (N, 2)


@view(
    "state_diagram",
    title="Moves between states",
    asks=HasChain,
    on="sequences report compare",
    order=60,
    sources=("epfl:markov_chain", "epfl:hmm_topology_full"),
    synonyms=("state graph", "transition graph", "stationary distribution"),
)
def state_diagram(whole: Whole) -> View:
    """A disc as large as the share of the state in the long run, in it the chance to stay."""
    d = numbers(whole)
    return joined(d, draw, reading, table, note="disc: share in the long run", step=step)


def numbers(whole: Whole) -> Diagram:
    """The chain of a fit; DataError for more states than a diagram can hold."""
    fit: Any = whole.fit
    N = len(fit.start)
    if N > MOST:
        raise DataError(
            f"{N} states and their moves are no diagram any more; at most {MOST} are drawn. "
            "Look at the matrix of the moves."
        )
    long_run = long_run_shares(fit.start, fit.transitions)
    return Diagram(fit.state_names, fit.transitions, fit.start, long_run, _places(N))


def _places(N: int) -> np.ndarray:
    """Two side by side, three as a triangle, more around a ring, the first at the left or top."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(N) / N + (np.pi / 2 if N == 2 else 0.0)
    return np.column_stack([np.cos(angle), np.sin(angle)]) * (N > 1)


def draw(d: Diagram) -> go.Figure:
    """Arrows of five widths behind, discs in front."""
    return figure(
        *_arrows(d), _heads(d), _arrow_texts(d), _discs(d),
        height=HEIGHT,
        showlegend=False,
        margin={"l": 10, "r": 10, "t": 20, "b": 20},
        xaxis={"visible": False, "range": [-1.4, 1.4]},
        yaxis={"visible": False, "range": [-1.22, 1.22], "scaleanchor": "x"},
    )  # fmt: skip


def _moves(d: Diagram) -> list[tuple[int, int, float]]:
    N = len(d.names)
    pairs = [(i, j) for i in range(N) for j in range(N) if i != j]
    return [
        (i, j, float(d.transitions[i, j])) for i, j in pairs if d.transitions[i, j] >= _least(d)
    ]


def _least(d: Diagram) -> float:
    """The probability of the least likely arrow."""
    N = len(d.names)
    return LEAST if N < CROWD else 1 / N


def _curve(d: Diagram, i: int, j: int) -> np.ndarray:
    """An arrow from i to j that keeps to the right of its chord, (20, 2), free of the discs."""
    a, b = d.places[i], d.places[j]
    chord = b - a
    middle = (a + b) / 2 + BEND * np.array([chord[1], -chord[0]])
    t = np.linspace(0.0, 1.0, 60)[:, None]
    curve = (1 - t) ** 2 * a + 2 * t * (1 - t) * middle + t**2 * b
    ends = [_size(d, k) / 2 / PIXELS for k in (i, j)]
    free = (np.linalg.norm(curve - a, axis=1) > ends[0] + 0.02) & (
        np.linalg.norm(curve - b, axis=1) > ends[1] + 0.07
    )
    kept = curve[free]
    return kept[np.linspace(0, len(kept) - 1, 20).astype(np.int64)]


def _size(d: Diagram, k: int) -> float:
    """Pixels of a disc, its area rising with the share."""
    return SMALL + (LARGE - SMALL) * float(np.sqrt(d.long_run[k]))


def _arrows(d: Diagram) -> list[go.Scatter]:
    traces = []
    for level, end in enumerate(WIDTHS):
        x, y = _lines(d, WIDTHS[level - 1] if level else 0.0, end)
        traces.append(
            go.Scatter(
                x=x, y=y, mode="lines", hoverinfo="skip", uid=f"arrows {level}",
                line={"color": LIGHT.quiet, "width": 0.8 + 1.3 * level, "shape": "spline"},
                opacity=0.55 + 0.1 * level,
            )
        )  # fmt: skip
    return traces


def _lines(d: Diagram, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    gap = np.full((1, 2), np.nan)
    pieces = [gap]
    for i, j, p in _moves(d):
        if low <= p < high:
            pieces += [_curve(d, i, j), gap]
    xy = np.concatenate(pieces)
    return xy[:, 0], xy[:, 1]


def _heads(d: Diagram) -> go.Scatter:
    """Heads of the arrows, turned as they point."""
    x, y, angle = _head_marks(d)
    return go.Scatter(
        x=x, y=y, mode="markers", hoverinfo="skip", uid="heads",
        marker={"symbol": "triangle-up", "size": 10, "angle": angle, "color": LIGHT.quiet},
    )  # fmt: skip


def _head_marks(d: Diagram) -> tuple[list[float], list[float], list[float]]:
    x, y, angles = [], [], []
    for i, j, _ in _moves(d):
        before, end = _curve(d, i, j)[[-3, -1]]
        x.append(float(end[0]))
        y.append(float(end[1]))
        angles.append(float(np.degrees(np.arctan2(end[0] - before[0], end[1] - before[1]))))
    return x, y, angles


def _arrow_texts(d: Diagram) -> go.Scatter:
    x, y, text, hover = _arrow_marks(d)
    return go.Scatter(
        x=x, y=y, text=text, mode="text", uid=TEXTS, hovertext=hover, hoverinfo="text",
        textfont={"size": 11, "color": LIGHT.text},
    )  # fmt: skip


def _arrow_marks(d: Diagram) -> tuple[list[float], list[float], list[str], list[str]]:
    """Beside each arrow its probability, where it covers least of the others."""
    x, y, text, hover = [], [], [], []
    moves = _moves(d)
    curves = [_curve(d, i, j) for i, j, _ in moves]
    taken: list[np.ndarray] = []
    for (i, j, p), curve in zip(moves, curves, strict=True):
        places = _beside(curve, d.places[j] - d.places[i])
        best = places[int(np.argmin(_covered(d, places, curves, taken)))]
        if p >= NAMED:
            taken.append(best)
        else:  # it is empty, and covers nothing
            best = places[0]
        x.append(float(best[0]))
        y.append(float(best[1]))
        text.append(f"{p:.2f}" if p >= NAMED else "")
        hover.append(f"{d.names[i]} to {d.names[j]}: {p:.3f}")
    return x, y, text, hover


def _beside(curve: np.ndarray, chord: np.ndarray) -> np.ndarray:
    """Where the number of an arrow may stand, (m, 2): near its middle and on its outside first."""
    across = np.array([chord[1], -chord[0]]) / max(float(np.linalg.norm(chord)), 1e-9)
    return np.array([curve[k] + away * across for k in ALONG for away in ASIDE])


def _covered(
    d: Diagram, places: np.ndarray, curves: list[np.ndarray], taken: list[np.ndarray]
) -> np.ndarray:
    """How much a number at each of the places, (m, 2), covers, (m,): pieces of arrows, and more
    for each other number and disc."""
    onto = np.abs(places[:, None] - np.concatenate(curves)) < np.array(BOX) / 2
    cost = onto.all(axis=2).sum(axis=1)
    for other in taken:
        cost += 20 * (np.abs(places - other) < BOX).all(axis=1)
    radii = np.array(_sizes(d)) / 2 / PIXELS
    apart = np.linalg.norm(places[:, None] - d.places, axis=2)
    return cost + 20 * (apart < radii + BOX[0] / 2).sum(axis=1)


def _discs(d: Diagram) -> go.Scatter:
    colors = [class_color(k) for k in range(len(d.names))]
    return go.Scatter(
        x=d.places[:, 0], y=d.places[:, 1], mode="markers+text", uid=DISCS,
        marker={"size": _sizes(d), "color": colors, "opacity": 1,
                "line": {"width": 2, "color": LIGHT.background}},
        text=_disc_texts(d), textfont={"size": 11, "color": "white"},
        hovertext=_disc_hovers(d), hoverinfo="text",
    )  # fmt: skip


def _sizes(d: Diagram) -> list[float]:
    return [_size(d, k) for k in range(len(d.names))]


def _disc_texts(d: Diagram) -> list[str]:
    shown = [name.removeprefix("state ") for name in d.names]
    return [
        f"<b>{cut(name, LONGEST)}</b><br>{p:.2f}"
        for name, p in zip(shown, np.diagonal(d.transitions), strict=True)
    ]


def _disc_hovers(d: Diagram) -> list[str]:
    return [
        f"{name}<br>stays: {stay:.3f}<br>first: {first:.3f}<br>in the long run: {share:.3f}"
        for name, stay, first, share in zip(
            d.names, np.diagonal(d.transitions), d.start, d.long_run, strict=True
        )
    ]


def step(d: Diagram, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: every probability."""
    now = numbers(whole)._replace(names=d.names)
    changes: dict[int, dict[str, Any]] = {}
    for level, end in enumerate(WIDTHS):
        x, y = _lines(now, WIDTHS[level - 1] if level else 0.0, end)
        changes[at[f"arrows {level}"]] = {"x": x, "y": y}
    x, y, angle = _head_marks(now)
    changes[at["heads"]] = {"x": x, "y": y, "marker.angle": angle}
    x, y, text, hover = _arrow_marks(now)
    changes[at[TEXTS]] = {"x": x, "y": y, "text": text, "hovertext": hover}
    changes[at[DISCS]] = {
        "marker.size": _sizes(now), "text": _disc_texts(now), "hovertext": _disc_hovers(now)
    }  # fmt: skip
    return changes


def reading(d: Diagram) -> str:
    """Which state lasts longest, and which can never be left."""
    stay = np.diagonal(d.transitions)
    lasting = int(stay.argmax())
    text = f"{d.names[lasting][:1].upper()}{d.names[lasting][1:]} lasts longest: it "
    if stay[lasting] > ALWAYS:
        text += "was never left."
    else:
        rows = 1 / (1 - stay[lasting])
        text += f"stays with probability {percent(float(stay[lasting]))}, "
        text += f"{rows:.3g} rows on average."
    if (least := _least(d)) > LEAST:
        text += f" Moves of less than {least:.2f}, which are rarer than at random, have no arrow."
    closed = [it for it in communicating_classes(d.transitions) if it.is_closed]
    if len(closed) > 1:
        parts = [" and ".join(d.names[k] for k in it.states) for it in closed]
        text += f" What is entered and never left: {listed(parts)}."
    elif closed[0].period > 1:
        text += f" States come back only after multiples of {closed[0].period} rows."
    return text


def table(d: Diagram) -> tuple[TableColumn, ...]:
    """One line a state."""
    moves = (TableColumn(f"to {name}", d.transitions[:, j]) for j, name in enumerate(d.names))
    return (
        TableColumn("state", d.names),
        TableColumn("first", d.start),
        TableColumn("in the long run", d.long_run),
        *moves,
    )
