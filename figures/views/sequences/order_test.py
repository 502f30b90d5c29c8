"""How far back a chain looks: each order against the next lower one, and what it costs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasOrder
from mlcore.sequences.orders import Order, compare_orders
from mlcore.spine.wording import rough

HEIGHT = 320
HIGHEST = 3


class Orders(NamedTuple):
    """The orders that were compared, from 0."""

    orders: tuple[Order, ...]
    used: int  # the order of the fit
    n: int  # rows on which they are judged


@view(
    "order_test",
    title="How far back",
    asks=HasOrder,
    on="sequences report",
    order=88,
    sources=("epfl:markov_chain",),
    synonyms=("order of a Markov chain", "likelihood ratio test", "BIC", "AIC"),
)
def order_test(whole: Whole) -> View:
    """Information criteria of the orders 0 to 3, and the test of each against the next lower."""
    return joined(numbers(whole), draw, reading, table, note="on the training rows")


def numbers(whole: Whole) -> Orders:
    """The orders of which the sequences are long enough."""
    fit: Any = whole.fit
    highest = min(HIGHEST, int(fit.lengths.max()) - 1)
    orders = compare_orders(fit.codes, fit.lengths, len(fit.start), max(highest, 0))
    n = int(np.maximum(fit.lengths - highest, 0).sum())
    return Orders(orders, fit.order, n)


def draw(o: Orders) -> go.Figure:
    """Both criteria a row over the order; the lowest is filled."""
    x = [it.order for it in o.orders]
    lines = [
        _line(x, np.array([getattr(it, name) for it in o.orders]) / o.n, k, name.upper())
        for k, name in enumerate(("bic", "aic"))
    ]
    return figure(
        *lines, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Order"}, "tickvals": x, "range": [-0.3, len(x) - 0.7]},
        yaxis={"title": {"text": "Criterion a row, in nats"}},
    )  # fmt: skip


def _line(x: list[int], y: np.ndarray, k: int, name: str) -> go.Scatter:
    best = y == y.min()
    return go.Scatter(
        x=x, y=y, name=name, mode="lines+markers",
        line={"color": class_color(k), "dash": ("solid", "dash")[k]},
        marker={"size": [13 if it else 8 for it in best],
                "color": [class_color(k) if it else LIGHT.background for it in best],
                "line": {"width": 2, "color": class_color(k)}},
        hovertemplate=f"order %{{x}}<br>{name} %{{y:.4f}}<extra></extra>",
    )  # fmt: skip


def reading(o: Orders) -> str:
    """Which order BIC prefers, and what the tests say."""
    best = min(o.orders, key=lambda it: it.bic).order
    text = f"BIC is lowest at order {best}"
    text += ", which is used." if best == o.used else f"; order {o.used} is used."
    tested = [it for it in o.orders if it.order and np.isfinite(it.p_value)]
    for it in tested[:2]:
        p = "below 0.001" if it.p_value < 1e-3 else f"of {rough(it.p_value)}"
        text += f" Order {it.order} against {it.order - 1}: G² = {rough(it.statistic)} with "
        text += f"{it.freedom} degrees of freedom, a p-value {p}."
    few = next((it for it in o.orders if it.n_parameters > o.n / 5), None)
    if few:
        text += f" From order {few.order} on there are fewer than 5 rows a parameter, so the "
        text += "test is no guide there."
    return text


def table(o: Orders) -> tuple[TableColumn, ...]:
    """One line an order."""
    names = {
        "order": "order", "log_likelihood": "log-likelihood", "n_parameters": "parameters",
        "statistic": "G²", "freedom": "degrees of freedom", "p_value": "p", "bic": "BIC",
        "aic": "AIC",
    }  # fmt: skip
    return tuple(
        TableColumn(title, np.array([getattr(it, name) for it in o.orders]))
        for name, title in names.items()
    )
