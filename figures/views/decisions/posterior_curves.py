"""What is believed of the mean of each arm: densities that grow narrow where it is pulled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.trials import one_of, seen_of
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import CLASS_COLORS, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.agent import Seen
from mlcore.decisions.bandit import Bandit
from mlcore.decisions.capabilities import BelievesMeans
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import percent, spaced

HEIGHT = 360
POINTS = 241  # of a density
NEAR, FINE = 2.0, 33  # about what was seen: range / root of the pulls either way, and the points
BEYOND = 2.0  # ranges of the true means that are drawn on either side, where any reward can be
TINY = 1e-300  # for the logarithm of a probability


class Beliefs(NamedTuple):
    """Densities of the means of the arms at some rounds of one replicate; the last is the end."""

    truth: np.ndarray  # (K,)
    x: np.ndarray  # (q,) means
    rounds: np.ndarray  # (m,)
    counts: np.ndarray  # (m, K)
    sums: np.ndarray  # (m, K)
    densities: np.ndarray  # (m, K, q)
    best: np.ndarray  # (m, K) probability that an arm is the best one, as it is believed


@view(
    "posterior_curves",
    title="What is believed of each arm",
    asks=BelievesMeans,
    on="bandit",
    order=24,
    sources=("cs2:bandit_thompson",),
    synonyms=("posterior", "Beta distribution", "probability to be the best"),
)
def posterior_curves(trial: TrialOutcome, which: int = 0) -> View:
    """The posterior of each mean; the player goes through the rounds of one replicate."""
    row = trial.results[which]
    b = numbers(trial, which)
    return joined(b, draw, reading, table, note=one_of(row), player=lambda: recording(b))


def numbers(trial: TrialOutcome, which: int = 0) -> Beliefs:
    """Of the first replicate."""
    method, world = trial.results[which].method, trial.world
    seen = seen_of(trial, which)
    x = _points(world, seen)
    each = zip(seen.counts, seen.sums, strict=True)
    densities = np.array([method.prior.density(x, c, sums) for c, sums in each])
    best = np.array([_best(x, d) for d in densities])
    return Beliefs(world.means, x, seen.rounds, seen.counts, seen.sums, densities, best)


def _points(world: Bandit, seen: Seen) -> np.ndarray:
    """Means at which densities are drawn, (POINTS or more,): closer about what was seen at the end,
    where they are narrow."""
    low, high = _ends(world)
    pulled = np.maximum(seen.counts[-1], 1)
    middles, widths = seen.sums[-1] / pulled, (high - low) / np.sqrt(pulled)
    near = middles[:, None] + widths[:, None] * np.linspace(-NEAR, NEAR, FINE)
    every = np.concatenate([np.linspace(low, high, POINTS), near.ravel()])
    return np.unique(every[(every >= low) & (every <= high)])


def _ends(world: Bandit) -> tuple[float, float]:
    """The means that are drawn: all that there can be, or those about the true ones."""
    means, rewards = world.means, world.distribution
    if np.isfinite([rewards.low, rewards.high]).all():
        return float(rewards.low), float(rewards.high)
    spread = float(np.ptp(means)) or 1.0
    return float(means.min()) - BEYOND * spread, float(means.max()) + BEYOND * spread


def _best(x: np.ndarray, densities: np.ndarray) -> np.ndarray:
    """Probability that each arm has the largest mean, (K,): the integral of its density times the
    probability that all others lie below."""
    masses = (densities[:, 1:] + densities[:, :-1]) / 2 * np.diff(x)
    masses /= masses.sum(axis=1, keepdims=True)
    logs = np.log(np.maximum(np.cumsum(masses, axis=1) - masses / 2, TINY))
    parts = (masses * np.exp(logs.sum(axis=0) - logs)).sum(axis=1)
    return parts / parts.sum()


def draw(b: Beliefs) -> go.Figure:
    """A curve an arm, and a star on the axis at its true mean."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Mean reward"}, "range": [b.x[0], b.x[-1]]},
        yaxis={"title": {"text": "Density"}, "rangemode": "tozero"},
        showlegend=True,
    )
    for k, density in enumerate(b.densities[-1]):
        name, color = f"arm {k + 1}", CLASS_COLORS[k % len(CLASS_COLORS)]
        fig.add_scatter(
            x=b.x, y=density, mode="lines", name=name, uid=name, legendgroup=name,
            line={"color": color, "width": 2},
            hovertemplate="%{x:.3f}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
        fig.add_scatter(
            x=b.truth[k : k + 1], y=[0.0], mode="markers", showlegend=False, legendgroup=name,
            marker={"color": color, "symbol": "star-open", "size": 11, "line": {"width": 2}},
            cliponaxis=False, hovertemplate=f"true mean of {name} %{{x:.3f}}<extra></extra>",
        )  # fmt: skip
    return fig


def recording(b: Beliefs) -> Recording:
    """A frame a round that was noted."""
    at = traces_by_name(draw(b))
    moments = range(len(b.rounds))

    def frame(t: int) -> Changes:
        return {at[f"arm {k + 1}"]: {"y": density} for k, density in enumerate(b.densities[t])}

    return Recording(
        frames=[frame(t) for t in moments],
        objective=b.sums.sum(axis=1) / b.rounds,
        sentences=[_sentence(b, t) for t in moments],
        steps=b.rounds,
        label="mean reward so far",
    )


def _sentence(b: Beliefs, t: int) -> str:
    arm = int(b.best[t].argmax())
    return (
        f"After {spaced(int(b.rounds[t]))} rounds arm {arm + 1} is believed to be the best with "
        f"probability {percent(float(b.best[t, arm]))}, with which it is pulled next."
    )


def reading(b: Beliefs) -> str:
    """Which arm is believed to be best, and what is known least."""
    least = int(b.counts[-1].argmin())
    pulls = int(b.counts[-1, least])
    return (
        f"{_sentence(b, len(b.rounds) - 1)} Least is known of arm {least + 1}, pulled "
        f"{spaced(pulls)} times. Stars are the true means."
    )


def table(b: Beliefs) -> tuple[TableColumn, ...]:
    """One line an arm, after the last round."""
    return (
        TableColumn("arm", np.arange(1, len(b.truth) + 1)),
        TableColumn("true mean", b.truth),
        TableColumn("pulls", b.counts[-1]),
        TableColumn("sum of rewards", b.sums[-1]),
        TableColumn("probability to be the best", b.best[-1]),
    )
