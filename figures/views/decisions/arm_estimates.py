"""The arms of a bandit: what they pay, what a strategy takes them to pay, how often it pulls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import CLASS_COLORS, LIGHT, class_symbol, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasArmEstimates
from mlcore.runs.carry_trial import MethodResult, TrialOutcome
from mlcore.spine.wording import count, listed, percent, rough

HEIGHT = 400


class Arms(NamedTuple):
    """Estimates and pulls of each strategy, by arm."""

    truth: np.ndarray  # (K,)
    labels: tuple[str, ...]  # (s,)
    means: np.ndarray  # (s, K) median estimate over the replicates
    low: np.ndarray  # (s, K) tenth of the replicates below
    high: np.ndarray  # (s, K) tenth of the replicates above
    shares: np.ndarray  # (s, K) of all pulls
    replicates: int
    # (s, K) the most of all pulls by theory; NaN where it says nothing of a strategy; None: of none
    allowed: np.ndarray | None = None

    @property
    def best(self) -> int:
        """The arm with the largest mean."""
        return int(self.truth.argmax())


@view(
    "arm_estimates",
    title="Arm estimates",
    asks=HasArmEstimates,
    on="bandit",
    order=20,
    share=3,
    sources=("cs2:optimism",),
    synonyms=("multi-armed bandit", "action values"),
)
def arm_estimates(trial: TrialOutcome) -> View:
    """True and estimated mean of each arm, and the share of pulls that it got."""
    a = numbers(trial)
    note = f"median and 10 to 90 % of {count(a.replicates, 'replicate')}"
    return joined(a, draw, reading, table, note=note)


def numbers(trial: TrialOutcome) -> Arms:
    """Quantiles of the estimates over replicates; an arm that was never pulled has none."""
    rows = [row for row in trial.results if row.fits]
    low, middle, high = zip(*(_quantiles(row.stacked("means")) for row in rows), strict=True)
    counts = [row.stacked("counts").mean(axis=0) for row in rows]
    return Arms(
        trial.world.means,
        tuple(row.label for row in rows),
        np.array(middle),
        np.array(low),
        np.array(high),
        np.array([c / c.sum() for c in counts]),
        max(len(row.fits) for row in rows),
        _allowed(rows, trial),
    )


def _allowed(rows: Sequence[MethodResult], trial: TrialOutcome) -> np.ndarray | None:
    """The most pulls that theory expects of each strategy, (s, K), where it says something."""
    n = trial.run.budget
    most = [row.method.most_pulls(trial.world, n) for row in rows]
    if all(pulls is None for pulls in most):
        return None
    nothing = np.full(len(trial.world.means), np.nan)
    return np.array([nothing if pulls is None else pulls / n for pulls in most])


def _quantiles(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The 10, 50 and 90 % quantiles of each column that has a number, shape (K,) each."""
    quantiles = np.full((3, values.shape[1]), np.nan)
    for j, column in enumerate(values.T):
        known = column[np.isfinite(column)]
        if len(known):
            quantiles[:, j] = np.quantile(known, (0.1, 0.5, 0.9))
    return quantiles[0], quantiles[1], quantiles[2]


def draw(a: Arms) -> go.Figure:
    """Above: estimates about the true means. Below: shares of the pulls."""
    n_arms, n = len(a.truth), len(a.labels)
    arms = np.arange(1, n_arms + 1)
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Arm"}, "tickvals": arms, "anchor": "y2"},
        yaxis={"title": {"text": "Mean reward"}, "domain": [0.46, 1.0]},
        yaxis2={"title": {"text": "Pulls"}, "domain": [0.0, 0.36], "tickformat": ".0%"},
        showlegend=True,
        barmode="group",
        bargap=0.3,
    )
    for arm, mean in zip(arms, a.truth, strict=True):
        line = {"color": LIGHT.text, "width": 1.5, "dash": "dot"}
        fig.add_shape(type="line", x0=arm - 0.4, x1=arm + 0.4, y0=mean, y1=mean, line=line)
    for k, label in enumerate(a.labels):
        color, x = CLASS_COLORS[k % len(CLASS_COLORS)], arms + (k - (n - 1) / 2) * 0.7 / n
        spread = {"array": a.high[k] - a.means[k], "arrayminus": a.means[k] - a.low[k]}
        fig.add_scatter(
            x=x, y=a.means[k], mode="markers", name=label, legendgroup=label,
            marker={"color": color, "symbol": class_symbol(k)},
            error_y=spread | {"color": color, "width": 0, "thickness": 1.5},
            hovertemplate=f"{label}<br>estimate %{{y:.3f}}<extra></extra>",
        )  # fmt: skip
        fig.add_bar(
            x=x, y=a.shares[k], width=0.6 / n, yaxis="y2", marker={"color": color}, name=label,
            legendgroup=label, showlegend=False,
            hovertemplate=f"{label}<br>%{{y:.1%}} of the pulls<extra></extra>",
        )  # fmt: skip
        if a.allowed is not None and np.isfinite(a.allowed[k]).any():
            # Where it is all rounds or more, a bound says nothing.
            most = np.where(a.allowed[k] < 1, a.allowed[k], np.nan)
            reach = {"array": np.full(n_arms, 0.3 / n), "width": 0, "thickness": 2, "color": color}
            fig.add_scatter(
                x=x, y=most, yaxis="y2", mode="markers", error_x=reach,
                marker={"color": color, "size": 2},
                name=f"{label}, at most", legendgroup=label, showlegend=False,
                hovertemplate=f"{label}<br>at most %{{y:.1%}} by theory<extra></extra>",
            )  # fmt: skip
    return fig


def reading(a: Arms) -> str:
    """Who pulls the best arm most, and least, and what theory allows for the others."""
    return _most_pulled(a) + _bounded(a)


def _bounded(a: Arms) -> str:
    """Which bounds are drawn, or that they say nothing yet."""
    if a.allowed is None:
        return ""
    told = [label for label, most in zip(a.labels, a.allowed, strict=True) if (most < 1).any()]
    mute = [label for label, most in zip(a.labels, a.allowed, strict=True) if (most >= 1).all()]
    text = ""
    if told:
        text += f" The dashes are the most pulls that theory expects of {listed(told)}."
    if mute:
        text += f" What theory allows {listed(mute)} is more than all rounds, so it says nothing."
    return text


def _most_pulled(a: Arms) -> str:
    shares = [float(share) for share in a.shares[:, a.best]]
    order = np.argsort(shares, kind="stable")[::-1]
    text = f"Arm {a.best + 1} pays best, {rough(float(a.truth[a.best]))} in the mean (dotted)."
    if len(order) == 1:
        return f"{text} {a.labels[0]} pulls it in {percent(shares[0])} of its rounds{_other(a)}."
    text += f" Of {len(order)} methods {a.labels[order[0]]} pulls it most, in "
    text += f"{percent(shares[order[0]])} of its rounds; {a.labels[order[-1]]} least, in "
    return f"{text}{percent(shares[order[-1]])}."


def _other(a: Arms) -> str:
    """The arm that the only method pulls more than the best."""
    most = int(a.shares[0].argmax())
    if a.shares[0, most] <= a.shares[0, a.best]:
        return ""
    return f", and arm {most + 1} more, in {percent(float(a.shares[0, most]))}"


def table(a: Arms) -> tuple[TableColumn, ...]:
    """One line an arm, two columns a strategy."""
    columns = [TableColumn("arm", np.arange(1, len(a.truth) + 1)), TableColumn("mean", a.truth)]
    for k, label in enumerate(a.labels):
        columns.append(TableColumn(f"estimate, {label}", a.means[k]))
        columns.append(TableColumn(f"share of pulls, {label}", a.shares[k]))
        if a.allowed is not None and np.isfinite(a.allowed[k]).any():
            columns.append(TableColumn(f"at most by theory, {label}", a.allowed[k]))
    return tuple(columns)
