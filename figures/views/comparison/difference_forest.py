"""Differences of methods, pair by pair, with their intervals and what does not matter."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.line_heads import headed, room_for
from figures.numbers.differences import WORDS, axis_of, family, names_of, tested, unit_of, what_of
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.pairs import Pair, Pairs
from mlcore.spine.wording import count, number, plural, rough

ROW, ROOM = 28, 84  # pixels of a pair without its name, and of the axis with its title
ABOVE = 8  # pixels from a mark up to the words above it
DECIDED = ("better", "worse")


class Forest(NamedTuple):
    """One line a pair; a positive difference is good for the first of the two."""

    pairs: tuple[Pair, ...]
    names: tuple[str, ...]  # (m,)
    what: str  # is subtracted from what
    mean: np.ndarray  # (m,)
    low: np.ndarray  # (m,) of the corrected interval, adjusted for all that stand together
    high: np.ndarray  # (m,)
    p: np.ndarray  # (m,) adjusted alike
    rope: float
    metric: Metric
    left: int  # pairs without a test


@view(
    "difference_forest",
    title="Pairwise differences",
    sources=("prac:significance_test",),
    synonyms=("forest plot", "confidence intervals", "pairwise comparison"),
)
def difference_forest(pairs: Pairs) -> View:
    """The mean difference of each pair with its corrected interval, beside what does not matter."""
    f = numbers(pairs)
    note = f"{f.what}, {unit_of(f.metric)}; 95 % intervals and p, {family(pairs)}"
    return joined(f, draw, reading, table, note=note)


def numbers(pairs: Pairs) -> Forest:
    """The pairs with a test, the smallest difference first."""
    with_test = tested(pairs)
    tests: list[Any] = [pair.test for pair in with_test]
    return Forest(
        with_test,
        names_of(with_test),
        what_of(with_test),
        np.array([test.difference for test in tests]),
        np.array([test.low for test in tests]),
        np.array([test.high for test in tests]),
        np.array([pair.p for pair in with_test]),
        pairs.rope,
        pairs.metric,
        len(pairs.pairs) - len(with_test),
    )


def draw(f: Forest) -> go.Figure:
    """Filled where one is better; the band holds the differences that do not matter."""
    m, room = len(f.names), room_for(f.names)
    row = ROW + room
    fig = figure(
        height=ROOM + row * m,
        xaxis={"title": {"text": axis_of(f.metric)}},
        yaxis={"range": [m - 1 + (ROW - ABOVE) / row, -(ABOVE + room) / row]},
        showlegend=False,
    )  # fmt: skip
    for at, pair in enumerate(f.pairs):
        _beside(fig, f.rope, at - ABOVE / row, at + ABOVE / row)
        fig.add_trace(_mark(f, at, pair))
    words = [WORDS[pair.verdict.kind] for pair in f.pairs]
    return headed(fig, [at - ABOVE / row for at in range(m)], f.names, words)


def _beside(fig: go.Figure, rope: float, above: float, below: float) -> None:
    """The differences that do not matter and zero, as high as a mark: not behind the names."""
    fill = {"fillcolor": faded(LIGHT.quiet, 0.16), "line": {"width": 0}, "layer": "below"}
    if rope > 0:
        fig.add_shape(type="rect", x0=-rope, x1=rope, y0=above, y1=below, **fill)
    line = {"color": LIGHT.quiet, "width": 1}
    fig.add_shape(type="line", x0=0, x1=0, y0=above, y1=below, line=line)


def _mark(f: Forest, at: int, pair: Pair) -> go.Scatter:
    is_decided = pair.verdict.kind in DECIDED
    marker = {
        "symbol": "circle" if is_decided else "circle-open",
        "size": 11,
        "color": LIGHT.accent,
        "line": {"width": 2, "color": LIGHT.accent},
    }
    error = {"array": [f.high[at] - f.mean[at]], "arrayminus": [f.mean[at] - f.low[at]]}
    style = {"symmetric": False, "color": LIGHT.accent, "thickness": 2.2, "width": 0}
    text = f"{number(f.low[at])} to {number(f.high[at])}, p {rough(f.p[at])}"
    return go.Scatter(
        x=[f.mean[at]],
        y=[at],
        mode="markers",
        marker=marker,
        error_x=error | style,
        name=f.names[at],
        hovertemplate=f"{f.names[at]}<br>difference %{{x:.3~g}}<br>{text}<extra></extra>",
    )


def reading(f: Forest) -> str:
    """How many pairs are decided, and the clearest of them in full."""
    decided = [pair for pair in f.pairs if pair.verdict.kind in DECIDED]
    text = f"{len(decided)} of {count(len(f.pairs), 'difference')} "
    text += f"{plural(len(f.pairs), 'is', 'are')} decided."
    shown = min(f.pairs, key=lambda pair: pair.p)
    text = f"{text} {shown.verdict.sentence}"
    left = count(f.left, "pair")
    return text + (
        f" {left} could not be tested; the table of verdicts says why." if f.left else ""
    )


def table(f: Forest) -> tuple[TableColumn, ...]:
    """One line a pair."""
    return (
        TableColumn("first", [pair.first.label for pair in f.pairs]),
        TableColumn("second", [pair.second.label for pair in f.pairs]),
        TableColumn("difference", f.mean),
        TableColumn("low", f.low),
        TableColumn("high", f.high),
        TableColumn("p, adjusted", f.p),
        TableColumn("folds", np.array([len(pair.differences) for pair in f.pairs])),
        TableColumn("verdict", [WORDS[pair.verdict.kind] for pair in f.pairs]),
    )
