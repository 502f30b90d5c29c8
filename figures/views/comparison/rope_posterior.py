"""How probable it is that one method is better than the other by more than matters."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.line_heads import headed, room_for
from figures.numbers.differences import axis_of, names_of, tested, unit_of, what_of
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.comparing.bayes import Posterior, density
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.pairs import Pairs
from mlcore.spine.wording import percent

TALL, ROOM = 44, 112  # pixels of the highest curve of a pair, and of axis and legend
GAP = 14  # pixels between a curve and the words above it
POINTS, REACH = 160, 4.5  # of a curve; scales to either side that are drawn
# Blue is good, orange bad, as in every signed picture; the middle says that it does not matter.
PARTS = (("worse", class_color(1)), ("same", LIGHT.quiet), ("better", class_color(0)))


class Posteriors(NamedTuple):
    """What is known of the true difference of each pair; positive is good for the first."""

    names: tuple[str, ...]  # (m,)
    what: str  # is subtracted from what
    posteriors: tuple[Posterior, ...]  # (m,)
    x: np.ndarray  # (m, g) places of the curves
    y: np.ndarray  # (m, g) heights, the largest of a curve 1
    rope: float
    metric: Metric
    sides: tuple[tuple[str, str], ...]  # (m,) the methods of each pair, by their names


@view(
    "rope_posterior",
    title="Posterior of the differences (ROPE)",
    synonyms=("Bayesian comparison", "ROPE", "region of practical equivalence"),
)
def rope_posterior(pairs: Pairs) -> View:
    """The posterior of each difference, in three parts: worse, practically the same, better."""
    r = numbers(pairs)
    note = (
        f"{r.what}, {unit_of(r.metric)}; differences up to {r.rope:.3g} do not matter; each "
        "pair by itself"
    )
    return joined(r, draw, reading, table, note=note)


def numbers(pairs: Pairs) -> Posteriors:
    """The posterior of the Bayesian correlated t-test for every pair with a test."""
    with_test = tested(pairs)
    posteriors: tuple[Any, ...] = tuple(pair.posterior for pair in with_test)
    curves = [_curve(each) for each in posteriors]
    return Posteriors(
        names_of(with_test),
        what_of(with_test),
        posteriors,
        np.array([x for x, _ in curves]),
        np.array([y for _, y in curves]),
        pairs.rope,
        pairs.metric,
        tuple((pair.first.label, pair.second.label) for pair in with_test),
    )


def _curve(posterior: Posterior) -> tuple[np.ndarray, np.ndarray]:
    """Places and heights; where all folds moved alike, an upright line."""
    if posterior.scale == 0:
        return np.full(POINTS, posterior.center), np.linspace(0.0, 1.0, POINTS)
    x = posterior.center + posterior.scale * np.linspace(-REACH, REACH, POINTS)
    # The ends of the region are among the places, so that the parts meet there.
    x = np.sort(np.concatenate([x[2:], [-posterior.rope, posterior.rope]]))
    y = density(posterior, x)
    return x, y / y.max()


def draw(r: Posteriors) -> go.Figure:
    """A row a pair; at the right the probability of each part, in the order of the legend."""
    m, row = len(r.names), TALL + GAP + room_for(r.names)
    tall = TALL / row
    fig = figure(
        height=ROOM + row * m,
        xaxis={"title": {"text": axis_of(r.metric)}, "range": _ends(r)},
        yaxis={"range": [m + 0.15, -0.1]},
    )  # fmt: skip
    for name, color in PARTS:
        fig.add_trace(_key(name, color))
    for k in range(m):
        fig.add_traces([_part(r, k, tall, *part) for part in PARTS])
    dotted = {"color": LIGHT.quiet, "width": 1, "dash": "dot"}
    for k, at in product(range(m), sorted({-r.rope, r.rope})):  # as high as a curve: not the names
        fig.add_shape(type="line", x0=at, x1=at, y0=k + 1 - tall, y1=k + 1, line=dotted)
    shares = [f"{_shares(posterior)} %" for posterior in r.posteriors]
    return headed(fig, [k + 1 - tall - GAP / row / 2 for k in range(m)], r.names, shares)


def _ends(r: Posteriors) -> list[float]:
    low, high = min(float(r.x.min()), -r.rope), max(float(r.x.max()), r.rope)
    room = 0.03 * (high - low) or 0.01
    return [low - room, high + room]


def _key(name: str, color: str) -> go.Scatter:
    text = {"worse": "worse", "same": "practically the same", "better": "better"}[name]
    marker = {"symbol": "square", "size": 11, "color": faded(color, 0.6)}
    return go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=text)


def _part(r: Posteriors, k: int, tall: float, name: str, color: str) -> go.Scatter:
    """The piece of one curve that lies in one part, filled down to the foot of its row, of which
    the highest takes the share `tall`."""
    x, y = r.x[k], r.y[k]
    here = {"worse": x <= -r.rope, "same": np.abs(x) <= r.rope, "better": x >= r.rope}[name]
    foot = k + 1.0
    x, y = x[here], foot - tall * y[here]
    closed_x = np.concatenate([x[:1], x, x[-1:]])
    closed_y = np.concatenate([[foot], y, [foot]]) if len(x) else y
    return go.Scatter(
        x=closed_x,
        y=closed_y,
        mode="lines",
        fill="toself",
        fillcolor=faded(color, 0.4),
        line={"color": color, "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )


def _shares(p: Posterior) -> str:
    """In per cent, with signs for words: on a phone the name of the pair stands beside it."""
    shares = (percent(share).removesuffix(" %") for share in (p.worse, p.same, p.better))
    return " / ".join(shares).replace("under ", "&lt;").replace("over ", "&gt;")


def reading(r: Posteriors) -> str:
    """The surest pair in words."""
    sure = [max(p.worse, p.same, p.better) for p in r.posteriors]
    k = int(np.argmax(sure))
    p = r.posteriors[k]
    first, second = r.sides[k]
    says = max(
        (p.worse, f"{second} is better than {first}"),
        (p.same, f"{first} and {second} are practically the same"),
        (p.better, f"{first} is better than {second}"),
    )[1]
    text = f"The surest of all pairs: {says}, by {percent(sure[k])} of the posterior."
    return text + f" The parts meet at a difference of {r.rope:.3g} to either side."


def table(r: Posteriors) -> tuple[TableColumn, ...]:
    """One line a pair."""
    every = r.posteriors
    return (
        TableColumn("pair", r.names),
        TableColumn("center", np.array([p.center for p in every])),
        TableColumn("scale", np.array([p.scale for p in every])),
        TableColumn("degrees of freedom", np.array([p.df for p in every])),
        TableColumn("P(worse)", np.array([p.worse for p in every])),
        TableColumn("P(same)", np.array([p.same for p in every])),
        TableColumn("P(better)", np.array([p.better for p in every])),
    )
