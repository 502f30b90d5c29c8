"""What the errors on test rows would cost under each cut of a probability."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures.drawing.traces import HEIGHT, named_line
from figures.numbers.left_out import left_out, note_of, probabilities
from figures.numbers.target import target_of
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.costs import optimal_threshold
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Outcome
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.capabilities_of_costs import HasCosts
from mlcore.spine.errors import DataError
from mlcore.spine.wording import rough

CUTS = np.linspace(0.005, 0.995, 199)  # at 0 and 1 one class is never named
ENOUGH = 1.1  # times the least cost: how much dearer the cut of the costs may be


class CostCurve(NamedTuple):
    """Mean costs a test row."""

    cuts: np.ndarray  # (a,) of the probability of the second class
    misses: np.ndarray  # (a,) of rows of the second class taken for the first
    alarms: np.ndarray  # (a,) of rows of the first class taken for the second
    at: float  # the cut of least expected cost, were the probabilities right
    classes: tuple[str, ...]

    @property
    def total(self) -> np.ndarray:
        """Both kinds of error, (a,)."""
        return self.misses + self.alarms

    def near(self, cut: float) -> int:
        """The place of a cut."""
        return int(np.abs(self.cuts - cut).argmin())


@view(
    "cost_curve",
    title="Cost by cut",
    asks=(HasCosts, GivesProbabilities),
    on="classification report",
    order=92,
    sources=("prac:cost_tradeoff", "epfl:fp_fn_tradeoff"),
    synonyms=("threshold", "false positives and false negatives", "operating point"),
)
def cost_curve(dataset: Dataset, outcome: Outcome) -> View:
    """Mean cost of the errors on test rows against the cut, by kind of error."""
    return joined(numbers(dataset, outcome), draw, reading, table, note=note_of(outcome))


def numbers(dataset: Dataset, outcome: Outcome) -> CostCurve:
    """Over all folds. Raises DataError where there are more classes than two."""
    if len(dataset.classes) != 2:
        raise DataError(
            f"A cut parts two classes; these are {len(dataset.classes)}. The costs of the errors "
            "of several classes stand in their matrix."
        )
    fit: Any = outcome.whole.fit
    outside = left_out(outcome, "classification")
    p = probabilities(outside, outcome.run.method.title())[:, 1]
    true = target_of(dataset)[outside.rows]
    weights = outside.weights if outside.is_repeated else np.ones(len(p))
    miss, alarm = float(fit.costs[1, 0]), float(fit.costs[0, 1])
    at = optimal_threshold(alarm, miss)
    cuts = np.unique(np.append(CUTS, at))
    is_second = p[:, None] >= cuts
    total = weights.sum()
    misses = miss * (weights * (true == 1)) @ ~is_second / total
    alarms = alarm * (weights * (true == 0)) @ is_second / total
    return CostCurve(cuts, misses, alarms, at, dataset.classes)


def draw(c: CostCurve) -> go.Figure:
    """Three lines; the cut of the costs crosses them."""
    first, second = c.classes
    lines = (
        ("all errors", c.total, LIGHT.accent, "solid"),
        (f"{second} taken for {first}", c.misses, CLASS_COLORS[1], "dash"),
        (f"{first} taken for {second}", c.alarms, CLASS_COLORS[0], "dot"),
    )
    traces = [
        go.Scatter(
            x=c.cuts, y=values, name=name, mode="lines", line={"color": color, "dash": dash},
            hovertemplate=f"{name}<br>cut %{{x:.3~g}}: %{{y:.4~g}} a row<extra></extra>",
        )
        for name, values, color, dash in lines
    ]  # fmt: skip
    fig = figure(
        *traces,
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": f"Probability of {second} from which on it is said"}},
        yaxis={"title": {"text": "Mean cost a row"}, "rangemode": "tozero"},
    )
    named_line(fig, f"by the costs {rough(c.at)}", x=c.at)
    return fig.update_layout(margin_t=100)


def reading(c: CostCurve) -> str:
    """What the cut costs, what one half would cost, and whether another is cheaper."""
    here, half = c.total[c.near(c.at)], c.total[c.near(0.5)]
    best = int(c.total.argmin())
    text = f"From a probability of {rough(c.at)} on, {c.classes[1]} is said: errors cost "
    text += f"{rough(float(here))} a row, where the more probable class would cost "
    text += f"{rough(float(half))}. "
    if c.total[best] * ENOUGH < here:
        return text + (
            f"A cut at {rough(float(c.cuts[best]))} would cost {rough(float(c.total[best]))} on "
            "these rows: the probabilities may be off, or the rows few."
        )
    return text + "No other cut is much cheaper on these rows."


def table(c: CostCurve) -> tuple[TableColumn, ...]:
    """One line a cut."""
    return (
        TableColumn("cut", c.cuts),
        TableColumn("mean cost", c.total),
        TableColumn(f"of {c.classes[1]} taken for {c.classes[0]}", c.misses),
        TableColumn(f"of {c.classes[0]} taken for {c.classes[1]}", c.alarms),
    )
