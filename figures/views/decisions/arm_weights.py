"""What a strategy takes the weights of each arm to be, with its ellipses of confidence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT
from figures.numbers.trials import one_of
from figures.theme import CLASS_COLORS, band, class_symbol, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasArmWeights
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, rough

POINTS = 80  # of the outline of an ellipse


class ArmWeights(NamedTuple):
    """Weights of the arms, true and estimated."""

    truth: np.ndarray  # (K, d)
    weights: np.ndarray  # (K, d)
    outlines: np.ndarray  # (K, POINTS, 2) of the ellipses, in the first two weights
    is_inside: np.ndarray  # (K,) whether the ellipsoid of an arm holds its true weights
    counts: np.ndarray  # (K,) pulls


@view(
    "arm_weights",
    title="Weights of the arms",
    asks=HasArmWeights,
    on="contexts",
    order=20,
    share=4,
    sources=("cs2:bandit_contextual",),
    synonyms=("confidence ellipse",),
)
def arm_weights(trial: TrialOutcome, which: int = 0) -> View:
    """The estimated weights of each arm with their ellipse of confidence, and the true ones."""
    row = trial.results[which]
    return joined(numbers(trial, which), draw, reading, table, note=one_of(row))


def numbers(trial: TrialOutcome, which: int = 0) -> ArmWeights:
    """Of the first replicate; an ellipse is the ellipsoid projected on the first two weights."""
    fit, truth = trial.results[which].fits[0], trial.world.weights
    off = truth - fit.weights
    pairs = zip(off, fit.inverses, strict=True)
    distance = np.array([o @ np.linalg.solve(inverse, o) for o, inverse in pairs])
    outlines = np.array([
        center[:2] + fit.radius * _circle() @ np.linalg.cholesky(inverse[:2, :2]).T
        for center, inverse in zip(fit.weights, fit.inverses, strict=True)
    ])  # fmt: skip
    return ArmWeights(truth, fit.weights, outlines, distance <= fit.radius**2, fit.counts)


def _circle() -> np.ndarray:
    """Points of the unit circle, closed, shape (POINTS, 2)."""
    angles = np.linspace(0, 2 * np.pi, POINTS)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def draw(a: ArmWeights) -> go.Figure:
    """An ellipse, a mark at its middle and a hollow one at the truth, a colour an arm."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "First weight"}},
        yaxis={"title": {"text": "Second weight"}, "scaleanchor": "x"},
        showlegend=True,
    )
    for k in range(len(a.weights)):
        color, name = CLASS_COLORS[k % len(CLASS_COLORS)], f"arm {k + 1}"
        fig.add_scatter(
            x=a.outlines[k, :, 0], y=a.outlines[k, :, 1], mode="lines", line={"color": color},
            fill="toself", fillcolor=band(color), hoverinfo="skip", showlegend=False,
            legendgroup=name,
        )  # fmt: skip
        for at, symbol, what in (
            (a.weights[k], class_symbol(k), name),
            (a.truth[k], "star-open", f"true weights of {name}"),
        ):
            fig.add_scatter(
                x=at[:1], y=at[1:2], mode="markers", name=what, legendgroup=name,
                marker={"color": color, "symbol": symbol, "size": 10, "line": {"width": 2}},
                showlegend=what == name, hovertemplate=f"{what}<br>%{{x:.3f}}, %{{y:.3f}}"
                "<extra></extra>",
            )  # fmt: skip
    return fig


def reading(a: ArmWeights) -> str:
    """Which arm is known best and worst, and how many ellipses hold the truth."""
    errors = np.linalg.norm(a.weights - a.truth, axis=1)
    near, far = int(errors.argmin()), int(errors.argmax())
    n = len(errors)
    text = (
        f"The weights of arm {near + 1} are known best, to {rough(errors[near])} of their length; "
        f"those of arm {far + 1} least, to {rough(errors[far])}. The ellipses hold the true "
        f"weights (stars) of {int(a.is_inside.sum())} of {count(n, 'arm')}."
    )
    if a.weights.shape[1] > 2:
        text += f" Two of {a.weights.shape[1]} weights are drawn."
    return text


def table(a: ArmWeights) -> tuple[TableColumn, ...]:
    """One line an arm."""
    columns = [TableColumn("arm", np.arange(1, len(a.counts) + 1)), TableColumn("pulls", a.counts)]
    for j in range(a.weights.shape[1]):
        columns.append(TableColumn(f"weight {j + 1}", a.truth[:, j]))
        columns.append(TableColumn(f"estimated weight {j + 1}", a.weights[:, j]))
    return tuple(columns)
