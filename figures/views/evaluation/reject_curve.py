"""How often the rows that are decided are wrong, the more of the doubtful ones are left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import BETWEEN, HEIGHT
from figures.graph import make_subplots
from figures.numbers.left_out import left_out, note_of, probabilities
from figures.numbers.target import target_of
from figures.options import Options
from figures.theme import LIGHT, NO_TEMPLATE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Outcome
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.capabilities_of_costs import HasCosts, Rejects
from mlcore.spine.params import real
from mlcore.spine.wording import percent, rough

FEWEST = 10.0  # rows that are decided: of fewer a mean says little
USUAL = 0.2  # of the dearest error: what leaving a row costs where nobody says
POINTS = 400  # of a line
ENOUGH = 1.1  # times the least cost: how much dearer Chow's threshold may be
ROUNDING = 1e-12  # of the dearest error: what a row is expected to cost below it is none
SAME = 0.2  # share by which found and promised costs may differ and are called alike


@dataclass(frozen=True, kw_only=True)
class RejectOptions(Options):
    """What leaving a row costs."""

    reject_cost: float | None = real(
        None, low=0.0, soft=(0.0, 1.0), or_none="as the method has it, else a fifth of an error",
        label="Cost of rejection", doc="What a row costs that is left to somebody else.",
    )  # fmt: skip


class RejectCurve(NamedTuple):
    """Rows in order of their doubt; the k-th line leaves the doubtful ones before it undecided."""

    limits: np.ndarray  # (a,) expected costs from above which rows are left, falling
    left: np.ndarray  # (a,) share of the rows that are left
    decided: np.ndarray  # (a,) mean cost of the rows that are decided
    promised: np.ndarray  # (a,) the same by the probabilities
    reject_cost: float
    errors: bool  # whether every error costs 1, so that costs are shares of wrong rows
    other: float  # share of rows to which the method itself gives another class
    own: float  # mean cost of the classes that the method gives

    @property
    def total(self) -> np.ndarray:
        """Mean cost of all rows, decided and left, (a,)."""
        return (1.0 - self.left) * self.decided + self.left * self.reject_cost

    @property
    def at(self) -> int:
        """The place of Chow's threshold: rows that are expected to cost more are left."""
        return int((self.limits > self.reject_cost).sum().clip(0, len(self.limits) - 1))

    @property
    def best(self) -> int:
        """The place that is cheapest on these rows; of several the one that leaves fewest."""
        return int(self.total.argmin())


@view(
    "reject_curve",
    title="Error against rejections",
    asks=GivesProbabilities,
    options=RejectOptions,
    on="classification report compare",
    order=93,
    synonyms=(
        "reject option", "Chow's rule", "abstention", "risk-coverage curve",
        "selective classification", "accuracy-rejection curve",
    ),
)  # fmt: skip
def reject_curve(dataset: Dataset, outcome: Outcome, *, options: RejectOptions) -> View:
    """Errors on test rows that are decided, the more of the doubtful ones are left undecided.

    A row gets the class that is expected to cost least by its probabilities, which a method that
    decides otherwise need not name.
    """
    return joined(numbers(dataset, outcome, options), draw, reading, table, note=note_of(outcome))


def numbers(
    dataset: Dataset, outcome: Outcome, options: RejectOptions | None = None
) -> RejectCurve:
    """Over all folds; with repeats a row counts once. Chow (1970), IEEE Trans. Inf. Theory 16(1).

    Rows that are expected to cost the same are left or decided together.
    """
    fit: Any = outcome.whole.fit
    outside = left_out(outcome, "classification")
    P = probabilities(outside, outcome.run.method.title())
    errors = 1.0 - np.eye(P.shape[1])
    costs = fit.costs if can(fit, HasCosts) and fit.costs.shape == errors.shape else errors
    expected = P @ costs
    doubt, w = expected.min(axis=1), outside.weights
    doubt[doubt <= ROUNDING * np.abs(costs).max()] = 0.0
    truth, named = target_of(dataset)[outside.rows], expected.argmin(axis=1)
    # As likely classes are no difference: the method may name the other one.
    mine = np.asarray(outside.predictions, dtype=np.int64)
    at = np.arange(len(mine))
    other = expected[at, mine] > doubt + ROUNDING * np.abs(costs).max()
    cost = costs[truth, named]
    own = float(np.average(costs[truth, mine], weights=w))
    order = np.argsort(-doubt, kind="stable")
    doubt, cost, w = doubt[order], cost[order], w[order]
    sums = [np.append(np.cumsum((w * v)[::-1])[::-1], 0.0) for v in (np.ones(len(w)), cost, doubt)]
    # Where the next row is expected to cost less, and rows enough are decided.
    first = np.append(True, np.diff(doubt) < 0)
    starts = np.flatnonzero(first & (sums[0][:-1] >= min(FEWEST, sums[0][0])))
    weight = sums[0][starts]
    return RejectCurve(
        doubt[starts], 1.0 - weight / sums[0][0], sums[1][starts] / weight,
        sums[2][starts] / weight, _reject_cost(fit, costs, options or RejectOptions()),
        bool((costs == errors).all()), float(np.average(other, weights=w)), own,
    )  # fmt: skip


def _reject_cost(fit: Any, costs: np.ndarray, options: RejectOptions) -> float:
    """As given, of the method, or a share of the dearest error."""
    if options.reject_cost is not None:
        return options.reject_cost
    if can(fit, Rejects) and np.isfinite(fit.reject_cost):
        return float(fit.reject_cost)
    return USUAL * float(costs.max())


def draw(c: RejectCurve) -> go.Figure:
    """Left the errors of decided rows by the share that is left; right what all rows cost."""
    fig = make_subplots(1, 2, horizontal_spacing=BETWEEN)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=True, margin_t=100)
    some = np.unique(np.linspace(0, len(c.left) - 1, POINTS).astype(np.int64))
    what = "wrong" if c.errors else "mean cost"
    for name, values, style in (
        ("found", c.decided, {"color": LIGHT.accent, "width": 2.5}),
        ("promised by the probabilities", c.promised, {"color": LIGHT.quiet, "dash": "dash"}),
    ):
        line = go.Scatter(
            x=c.left[some], y=values[some], mode="lines", name=name, line=style,
            hovertemplate=f"{name}<br>%{{x:.1%}} left, {what} %{{y:.3~g}}<extra></extra>",
        )  # fmt: skip
        fig.add_trace(line, row=1, col=1)
    total = go.Scatter(
        x=c.limits[some], y=c.total[some], mode="lines", showlegend=False,
        line={"color": LIGHT.accent, "width": 2.5},
        hovertemplate="left above %{x:.3~g}: %{y:.4~g} a row<extra></extra>",
    )  # fmt: skip
    fig.add_trace(total, row=1, col=2)
    for k, name, symbol in (
        (c.at, "Chow's rule", "diamond"),
        (c.best, "cheapest here", "circle-open"),
    ):
        for col, x, y in ((1, c.left[k], c.decided[k]), (2, c.limits[k], c.total[k])):
            fig.add_trace(_mark(float(x), float(y), name, symbol, shown=col == 1), row=1, col=col)
    across(fig, x=c.reject_cost, on=2, line={"color": LIGHT.quiet, "dash": "dot", "width": 1.5})
    fig.add_annotation(
        x=c.reject_cost, y=1, yref="domain", xanchor="left", yanchor="top", showarrow=False,
        text=f"cost {rough(c.reject_cost)}", font_color=LIGHT.quiet, row=1, col=2,
    )  # fmt: skip
    of = "Error of decided rows" if c.errors else "Cost of decided rows"
    fig.update_xaxes(
        title_text="Share left undecided",
        tickformat=".0%",
        nticks=4,  # on a phone more would stand upright
        row=1,
        col=1,
    )
    if not np.ptp(c.left[some]):  # around a single share Plotly would show -100 % to 100 %
        fig.update_xaxes(range=[-0.02, 1.0], row=1, col=1)
    fig.update_yaxes(title_text=of, rangemode="tozero", row=1, col=1)
    fig.update_xaxes(title_text="Limit of expected cost", row=1, col=2)
    return fig.update_yaxes(title_text="Cost of all rows", rangemode="tozero", row=1, col=2)


def _mark(x: float, y: float, name: str, symbol: str, *, shown: bool) -> go.Scatter:
    style = {"symbol": symbol, "size": 12, "color": LIGHT.accent, "line": {"width": 2.5}}
    return go.Scatter(
        x=[x], y=[y], mode="markers", marker=style, name=name, showlegend=shown, legendgroup=name,
        cliponaxis=False,  # where nothing is wrong it lies on the axis
        hovertemplate=f"{name}<br>%{{x:.3~g}}, %{{y:.3~g}}<extra></extra>",
    )  # fmt: skip


def reading(c: RejectCurve) -> str:
    """What is left and how wrong the rest is by Chow's rule, and whether the doubts are right."""
    k, share = c.at, percent if c.errors else rough
    what = "are wrong" if c.errors else "is what an error costs on average"
    text = f"Of all rows {share(float(c.decided[0]))} {what}. "
    if c.other > 0:
        cheapest = "likeliest" if c.errors else "cheapest"
        text = (
            f"Classes here are the {cheapest} by the probabilities: of all rows "
            f"{share(float(c.decided[0]))} {what}. The method itself decides otherwise and names "
            f"another class on {percent(c.other)}; of its own answers {share(c.own)} {what}. "
        )
    left = float(c.left[k])
    if left == 0:
        text += f"At {rough(c.reject_cost)} a row Chow's rule leaves none. "
    else:
        text += (
            f"At {rough(c.reject_cost)} a row Chow's rule leaves {percent(left)}; of the others "
            f"{share(float(c.decided[k]))} {what}, and all rows cost {rough(float(c.total[k]))} "
            f"instead of {rough(float(c.decided[0]))}. "
        )
    best, limit = float(c.total[c.best]), rough(float(c.limits[c.best]))
    if best * ENOUGH < float(c.total[k]):
        return text + (
            f"To leave those above {limit}, {percent(float(c.left[c.best]))} of them, would cost "
            f"{rough(best)} on these rows: the probabilities may be off, or the rows few."
        )
    gap = float(c.decided[0] - c.promised[0])
    if abs(gap) > SAME * max(float(c.decided[0]), float(c.promised[0])):
        return text + f"The probabilities promise {share(float(c.promised[0]))} for all rows."
    return text + "No other threshold is much cheaper on these rows."


def table(c: RejectCurve) -> tuple[TableColumn, ...]:
    """One line a threshold."""
    of = "share wrong of decided" if c.errors else "mean cost of decided"
    return (
        TableColumn("left above", c.limits),
        TableColumn("share left", c.left),
        TableColumn(of, c.decided),
        TableColumn("promised", c.promised),
        TableColumn("mean cost of all", c.total),
    )
