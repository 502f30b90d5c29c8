"""What a Gaussian policy draws, move by move of a greedy episode."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

import figures.graph as go
from figures.drawing.traces import HEIGHT
from figures.numbers.paths import together
from figures.numbers.trials import one_of
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import DrawsAmounts, HasPaths
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, percent, rough

POINTS = 161  # of a density
BEYOND = 0.5  # of the range of what can be pushed: how far a density is drawn beyond its ends
NOW, DENSITY = "now", "density"  # traces by name


class ActionDensity(NamedTuple):
    """What is drawn at the T + 1 moments of an episode, in the unit of the push."""

    means: np.ndarray  # (T + 1,)
    spreads: np.ndarray  # (T + 1,)
    cut: np.ndarray  # (T + 1,) share of the draws that lie beyond an end
    ends: tuple[float, float]  # of what can be pushed
    first: float  # spread before anything was learned
    name: str  # of the push

    @property
    def n(self) -> int:
        """Moves."""
        return len(self.means) - 1


@view(
    "policy_density",
    title="Density of the actions",
    asks=(DrawsAmounts, HasPaths),
    on="continuous_states",
    order=26,
    sources=("cs2:policy_gaussian",),
    synonyms=("Gaussian policy", "stochastic policy", "exploration of a policy"),
)
def policy_density(trial: TrialOutcome, which: int = 0) -> View:
    """Mean and spread of what the learned policy draws along its greedy episode."""
    row = trial.results[which]
    same = together(trial, which, int(row.fits[0].paths.after[-1]))
    density = numbers(trial, which)
    return joined(
        density, draw, reading, table, note=one_of(row), player=lambda: recording(density, same)
    )


def numbers(trial: TrialOutcome, which: int) -> ActionDensity:
    """Of the episode that the first replicate ended with."""
    world: ContinuousWorld = trial.world
    fit = trial.results[which].fits[0]
    means, spreads = fit.action_moments(fit.paths.states[-1, : int(fit.paths.lengths[-1]) + 1])
    low, high = world.push
    half = (high - low) / 2
    cut = ndtr((-1 - means) / spreads) + ndtr((means - 1) / spreads)
    return ActionDensity(
        low + half * (means + 1), np.abs(half) * spreads, cut, (low, high),
        abs(half) * fit.made_by.policy.numbers[0], world.push_name,
    )  # fmt: skip


def _amounts(density: ActionDensity) -> np.ndarray:
    """What densities are drawn over, (POINTS,)."""
    low, high = sorted(density.ends)
    room = BEYOND * (high - low)
    return np.linspace(low - room, high + room, POINTS)


def _heights(density: ActionDensity, t: int) -> np.ndarray:
    """Of a draw at moment t, (POINTS,)."""
    away = (_amounts(density) - density.means[t]) / density.spreads[t]
    return np.exp(-(away**2) / 2) / (density.spreads[t] * np.sqrt(2 * np.pi))


def _band(density: ActionDensity, times: float, opacity: float) -> go.Scatter:
    """The mean with so many standard deviations on either side, as one outline."""
    x = np.arange(1, density.n + 2)
    low, high = (density.means + sign * times * density.spreads for sign in (-1, 1))
    return go.Scatter(
        x=np.concatenate([x, x[::-1]]), y=np.concatenate([low, high[::-1]]), mode="lines",
        fill="toself", fillcolor=faded(LIGHT.accent, opacity), line={"width": 0},
        name=f"± {times:g} standard deviation{'s' if times > 1 else ''}", hoverinfo="skip",
    )  # fmt: skip


def draw(density: ActionDensity) -> go.Figure:
    """Mean and bands over the moves, what can be pushed between dashed lines; below it the density
    of one moment, the first."""
    x, name = np.arange(1, density.n + 2), density.name.capitalize()
    here = {"size": 10, "color": LIGHT.text, "line": {"color": LIGHT.halo, "width": 2}}
    amounts = _amounts(density)
    top = 1.05 / (float(density.spreads.min()) * np.sqrt(2 * np.pi))
    fig = figure(
        _band(density, 2, 0.12), _band(density, 1, 0.25),
        go.Scatter(x=x, y=density.means, mode="lines", name="mean",
                   line={"color": LIGHT.accent, "width": 2},
                   hovertemplate="move %{x}<br>mean %{y:.4~g}<extra></extra>"),
        go.Scatter(x=x[:1], y=density.means[:1], mode="markers", uid=NOW, marker=here,
                   showlegend=False, hoverinfo="skip"),
        go.Scatter(x=amounts, y=_heights(density, 0), mode="lines", uid=DENSITY, xaxis="x2",
                   yaxis="y2", line={"color": LIGHT.accent, "width": 2}, fill="tozeroy",
                   fillcolor=faded(LIGHT.accent, 0.15), showlegend=False,
                   hovertemplate="%{x:.4~g}<br>density %{y:.4~g}<extra></extra>"),
        height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Move", "standoff": 4}},
        yaxis={"title": {"text": name}, "range": [amounts[0], amounts[-1]], "domain": [0.5, 1.0]},
        xaxis2={"title": {"text": name}, "anchor": "y2", "range": [amounts[0], amounts[-1]]},
        yaxis2={"title": {"text": "Density"}, "domain": [0.0, 0.3], "range": [0, top]},
    )  # fmt: skip
    dashed = {"color": LIGHT.quiet, "dash": "dash", "width": 1}
    for end in density.ends:
        fig.add_shape(type="line", xref="x domain", x0=0, x1=1, y0=end, y1=end, line=dashed)
        fig.add_shape(type="line", xref="x2", yref="y2 domain", x0=end, x1=end, y0=0, y1=1,
                      line=dashed)  # fmt: skip
    return fig


def recording(density: ActionDensity, follows: str) -> Recording:
    """A frame a moment: where it is, and its density."""
    at = traces_by_name(draw(density))

    def frame(t: int) -> Changes:
        return {
            at[NOW]: {"x": np.array([t + 1]), "y": density.means[t : t + 1]},
            at[DENSITY]: {"y": _heights(density, t)},
        }

    moments = range(density.n + 1)
    return Recording(
        frames=[frame(t) for t in moments],
        objective=density.spreads,
        sentences=[_sentence(density, t) for t in moments],
        steps=np.arange(1, density.n + 2),
        label="standard deviation",
        follows=follows,
    )


def _sentence(density: ActionDensity, t: int) -> str:
    mean, spread = rough(float(density.means[t])), rough(float(density.spreads[t]))
    text = f"Move {t + 1}: a {density.name} of {mean} in the mean, standard deviation {spread}."
    return (
        f"{text} {percent(float(density.cut[t]))} of the draws lie beyond an end and are cut there."
    )


def reading(density: ActionDensity) -> str:
    """The standard deviation, against that of the start, and how much is cut."""
    low, high = (rough(float(of(density.spreads))) for of in (np.min, np.max))
    return (
        f"Along a greedy episode of {count(density.n, 'move')} the standard deviation of the "
        f"{density.name} goes from {low} to {high}; it was {rough(density.first)} before learning. "
        f"{percent(float(density.cut.mean()))} of the draws lie beyond an end in the mean. The "
        "player moves it."
    )


def table(density: ActionDensity) -> tuple[TableColumn, ...]:
    """One line a moment."""
    return (
        TableColumn("move", np.arange(1, density.n + 2)),
        TableColumn(f"mean {density.name}", density.means),
        TableColumn("standard deviation", density.spreads),
        TableColumn("share beyond the ends", density.cut),
    )
