"""What the errors on test rows would cost under each threshold of a probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, UNDER_NAMES, named_line
from figures.numbers.interest import class_of_interest
from figures.numbers.left_out import left_out, note_of, probabilities
from figures.numbers.target import target_of
from figures.options import Options
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.costs import optimal_threshold
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Outcome
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.capabilities_of_costs import HasCosts
from mlcore.spine.params import real
from mlcore.spine.wording import rough

CUTS = np.linspace(0.005, 0.995, 199)  # at 0 and 1 one class is never named
ENOUGH = 1.1  # times the least cost: how much dearer the threshold of the costs may be
FAINT = 0.3  # opacity of the line of one fold
MOST_FOLDS = 30  # of which each has a line: of more, such as single rows, none says anything


def _cost(label: str, doc: str) -> Any:
    return real(
        None, low=0.0, soft=(0.0, 20.0), or_none="as the method has it, else 1", label=label,
        doc=doc,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ThresholdCosts(Options):
    """The class of interest, and what either error costs."""

    positive: str | None = class_of_interest(
        "The class that is said from the threshold on; all others together are the rest.",
        of_more="the rarest", unnamed="The rarest class",
    )  # fmt: skip
    false_positive: float | None = _cost(
        "Cost of a false positive", "What it costs to say the class of a row that is not of it."
    )
    false_negative: float | None = _cost(
        "Cost of a false negative", "What it costs to miss a row of the class."
    )

    def conflict(self) -> str | None:
        """One of the errors costs something."""
        if self.false_positive == 0 and self.false_negative == 0:
            return "One of the two costs must be above 0, or every threshold is as good."
        return None


class CostCurve(NamedTuple):
    """Mean costs a test row."""

    cuts: np.ndarray  # (a,) thresholds of the probability of the class
    misses: np.ndarray  # (a,) of rows of the class taken for another
    alarms: np.ndarray  # (a,) of other rows taken for the class
    folds: np.ndarray  # (f, a) of both, by fold; empty where there are many
    at: float  # the threshold of least expected cost, were the probabilities right
    k: int
    name: str  # of the class
    rest: str  # of the others
    false_positive: float
    false_negative: float

    @property
    def total(self) -> np.ndarray:
        """Both kinds of error, (a,)."""
        return self.misses + self.alarms

    @property
    def best(self) -> int:
        """The place of the threshold that is cheapest on these rows, the nearest to `at` of them.

        Of many that cost the same to the last digit the first would be a matter of chance.
        """
        cheapest = np.flatnonzero(self.total <= self.total.min() * (1 + 1e-12))
        return int(cheapest[np.abs(self.cuts[cheapest] - self.at).argmin()])

    def near(self, cut: float) -> int:
        """The place of a threshold."""
        return int(np.abs(self.cuts - cut).argmin())


@view(
    "cost_curve",
    title="Cost by threshold",
    asks=GivesProbabilities,
    options=ThresholdCosts,
    on="classification report compare",
    order=92,
    sources=("prac:cost_tradeoff", "epfl:fp_fn_tradeoff"),
    synonyms=(
        "threshold", "false positives and false negatives", "operating point",
        "decision threshold", "threshold tuning", "expected cost", "TunedThresholdClassifierCV",
    ),
)  # fmt: skip
def cost_curve(dataset: Dataset, outcome: Outcome, *, options: ThresholdCosts) -> View:
    """Mean cost of the errors on test rows against the threshold, by kind of error."""
    return joined(numbers(dataset, outcome, options), draw, reading, table, note=note_of(outcome))


def numbers(dataset: Dataset, outcome: Outcome, options: ThresholdCosts | None = None) -> CostCurve:
    """Over all folds, of one class against the rest; with repeats a row counts once."""
    options = options or ThresholdCosts()
    outside = left_out(outcome, "classification")
    k = _class(dataset, options.positive)
    p = probabilities(outside, outcome.run.method.title())[:, k]
    is_k = target_of(dataset)[outside.rows] == k
    alarm, miss = _costs(outcome.whole.fit, k, options)
    at = optimal_threshold(alarm, miss)
    cuts = np.unique(np.append(CUTS, at))
    w = outside.weights
    misses, alarms = _by_cut(p, is_k, w, cuts)
    folds = np.unique(outside.folds)
    each = [_by_cut(p[of], is_k[of], w[of], cuts) for of in (outside.folds == f for f in folds)]
    totals = [miss * m + alarm * a for m, a in each] if len(folds) <= MOST_FOLDS else []
    rest = dataset.classes[1 - k] if len(dataset.classes) == 2 else "the rest"
    return CostCurve(
        cuts, miss * misses, alarm * alarms, np.array(totals).reshape(len(totals), len(cuts)),
        at, k, dataset.classes[k], rest, alarm, miss,
    )  # fmt: skip


def _class(dataset: Dataset, positive: str | None) -> int:
    if positive:
        return dataset.classes.index(positive)
    if len(dataset.classes) == 2:
        return 1
    present, counts = np.unique(target_of(dataset), return_counts=True)
    return int(present[counts.argmin()])


def _costs(fit: Any, k: int, options: ThresholdCosts) -> tuple[float, float]:
    """Of a false positive and a false negative: given, those of the method, or 1."""
    alarm = miss = 1.0
    if can(fit, HasCosts):
        others = np.arange(len(fit.costs)) != k
        alarm, miss = float(fit.costs[others, k].mean()), float(fit.costs[k, others].mean())
    alarm = alarm if options.false_positive is None else options.false_positive
    miss = miss if options.false_negative is None else options.false_negative
    return (alarm, miss) if alarm + miss > 0 else (1.0, 1.0)


def _by_cut(
    p: np.ndarray, is_k: np.ndarray, w: np.ndarray, cuts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the rows that are missed and that are false alarms at each threshold, (a,) each."""
    order = np.argsort(p, kind="stable")
    below = np.searchsorted(p[order], cuts, side="left")  # rows not said to be of the class
    missed = np.append(0.0, np.cumsum((w * is_k)[order]))
    others = np.append(0.0, np.cumsum((w * ~is_k)[order]))
    return missed[below] / w.sum(), (others[-1] - others[below]) / w.sum()


def draw(c: CostCurve) -> go.Figure:
    """Three lines; the threshold of the costs crosses them, the cheapest is a mark."""
    first = 1 - c.k if c.k < 2 else 0
    lines = (
        ("all errors", c.total, LIGHT.accent, "solid"),
        (f"{c.name} missed", c.misses, class_color(c.k), "dash"),
        (f"{c.rest} taken for {c.name}", c.alarms, class_color(first), "dot"),
    )
    traces = [
        go.Scatter(
            x=c.cuts, y=values, name=name, mode="lines", line={"color": color, "dash": dash},
            hovertemplate=f"{name}<br>threshold %{{x:.3~g}}: %{{y:.4~g}} a row<extra></extra>",
        )
        for name, values, color, dash in lines
    ]  # fmt: skip
    fig = figure(
        *[_of_fold(c, fold) for fold in c.folds],
        *traces,
        _cheapest(c),
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": f"Threshold on the probability of {c.name}"}},
        yaxis={"title": {"text": "Mean cost a row"}, "rangemode": "tozero"},
    )
    named_line(fig, f"by the costs {rough(c.at)}", x=c.at)
    return fig.update_layout(margin_t=UNDER_NAMES)


def _of_fold(c: CostCurve, total: np.ndarray) -> go.Scatter:
    style = {"color": faded(LIGHT.quiet, FAINT), "width": 1}
    return go.Scatter(
        x=c.cuts, y=total, mode="lines", line=style, showlegend=False, hoverinfo="skip"
    )


def _cheapest(c: CostCurve) -> go.Scatter:
    at, cost = float(c.cuts[c.best]), float(c.total[c.best])
    ring = {"symbol": "circle-open", "size": 12, "color": LIGHT.accent, "line": {"width": 2.5}}
    return go.Scatter(
        x=[at], y=[cost], mode="markers", marker=ring, name=f"cheapest here {rough(at)}",
        hovertemplate="cheapest on these rows<br>threshold %{x:.3~g}: %{y:.4~g} a row"
        "<extra></extra>",
    )  # fmt: skip


def reading(c: CostCurve) -> str:
    """What the threshold of the costs and one half cost, and whether another is cheaper."""
    here, half = float(c.total[c.near(c.at)]), float(c.total[c.near(0.5)])
    text = (
        f"With {rough(c.false_positive)} for a false positive and {rough(c.false_negative)} for a "
        f"false negative, {c.name} is said from {rough(c.false_positive)} / "
        f"({rough(c.false_positive)} + {rough(c.false_negative)}) = {rough(c.at)} on: errors cost "
        f"{rough(here)} a row"
    )
    text += f", and {rough(half)} at 0.5. " if abs(c.at - 0.5) > 1e-9 else ". "
    best = float(c.total[c.best])
    if best * ENOUGH < here:
        return text + (
            f"A threshold of {rough(float(c.cuts[c.best]))} would cost {rough(best)} on these "
            "rows: the probabilities may be off, or the rows few."
        )
    return text + "No other threshold is much cheaper on these rows."


def table(c: CostCurve) -> tuple[TableColumn, ...]:
    """One line a threshold."""
    return (
        TableColumn("threshold", c.cuts),
        TableColumn("mean cost", c.total),
        TableColumn(f"of {c.name} missed", c.misses),
        TableColumn(f"of {c.rest} taken for {c.name}", c.alarms),
    )
