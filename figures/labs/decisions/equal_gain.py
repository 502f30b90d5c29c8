"""Running averages that meet, sums that do not, and what discounts make of both."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.decisions.equal_gain import MOVES, POLICIES, EqualGain
from mlcore.spine.wording import rough, spaced

AT = np.arange(1, MOVES + 1)
ALIKE = 1e-9  # of a difference: what is smaller is rounding


def pictures(e: EqualGain) -> tuple[View, ...]:
    """Averages, sums, discounted values."""
    return (
        picture("Running average", e, draw, reading, table, note=f"bonus {e.bonus:g}"),
        picture("Sum beyond the gain", e, draw_sums, sums_reading, sums_table,
                note="its end is the bias"),
        picture("Market less office", e, draw_values, values_reading, values_table,
                note="discounted values of the start"),
    )  # fmt: skip


def _averages(e: EqualGain) -> np.ndarray:
    """Mean reward of the moves so far, (2, MOVES)."""
    return np.cumsum(e.rewards, axis=1) / AT


def _sums(e: EqualGain) -> np.ndarray:
    """Rewards so far less the gain of as many moves, (2, MOVES)."""
    return np.cumsum(e.rewards - e.gains[:, None], axis=1)


def _lines(values: np.ndarray, y: str) -> go.Figure:
    each = (line(AT, own, k, name) for k, (name, own) in enumerate(zip(POLICIES, values)))
    return plot(*each, x="Move", y=y).update_xaxes(**log_axis(AT))


def _columns(values: np.ndarray, what: str) -> tuple[TableColumn, ...]:
    each = (TableColumn(f"{what}, {name}", own) for name, own in zip(POLICIES, values))
    return TableColumn("move", AT), *each


def draw(e: EqualGain) -> go.Figure:
    """Both tend to the gain."""
    return named_line(_lines(_averages(e), "Mean reward so far"), "gain", y=float(e.gains[0]))


def reading(e: EqualGain) -> str:
    """Early and late."""
    own = _averages(e)
    early, late = (f"{rough(float(own[0, t]))} and {rough(float(own[1, t]))}" for t in (9, -1))
    return (
        f"Office and market have paid {early} a move after 10 moves, {late} after "
        f"{spaced(MOVES)}; in the long run both pay {rough(float(e.gains[0]))}."
    )


def table(e: EqualGain) -> tuple[TableColumn, ...]:
    """One line a move."""
    return _columns(_averages(e), "average")


def draw_sums(e: EqualGain) -> go.Figure:
    """Each tends to its bias, and stays there."""
    return _lines(_sums(e), "Sum of rewards less gain")


def _better(difference: float) -> str:
    if abs(difference) < ALIKE:
        return "both are alike"
    return f"the {POLICIES[int(difference > 0)]} is better"


def sums_reading(e: EqualGain) -> str:
    """The biases, and what they decide."""
    office, market = (float(bias) for bias in e.biases)
    return (
        f"The bias of the office is {rough(office)}, that of the market {rough(market)}: "
        f"{_better(market - office)}, though the gains are equal."
    )


def sums_table(e: EqualGain) -> tuple[TableColumn, ...]:
    """One line a move."""
    return _columns(_sums(e), "sum")


def draw_values(e: EqualGain) -> go.Figure:
    """Above 0 the market is better; the line tends to the difference of the biases."""
    difference = e.discounted[1] - e.discounted[0]
    fig = plot(line(e.gammas, difference, 0, ""), x="Discount", y="Difference of values")
    return named_line(fig, "difference of biases", y=float(e.biases[1] - e.biases[0]))


def values_reading(e: EqualGain) -> str:
    """With the lowest discount of the picture and with the highest."""
    low, high = (_better(float(e.discounted[1, k] - e.discounted[0, k])) for k in (0, -1))
    return (
        f"With a discount of {e.gammas[0]:g} {low}, with {e.gammas[-1]:g} {high}; as the discount "
        f"tends to 1 the difference tends to {rough(float(e.biases[1] - e.biases[0]))}, that of "
        "the biases."
    )


def values_table(e: EqualGain) -> tuple[TableColumn, ...]:
    """One line a discount."""
    each = (TableColumn(f"value, {name}", own) for name, own in zip(POLICIES, e.discounted))
    return TableColumn("discount", e.gammas), *each
