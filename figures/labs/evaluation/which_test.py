"""Which test to trust: how often each claims a difference, beside what it promises."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import named_line
from figures.lab import picture
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View
from mlcore.labs.evaluation.which_test import Claims
from mlcore.spine.wording import percent

HEIGHT = 460
KINDS = ("allows for shared rows", "does not")


def pictures(claims: Claims) -> tuple[View, ...]:
    """One line a test."""
    title = "False alarms" if claims.is_null else "Differences found"
    note = f"of {claims.studies} studies"
    return (picture(title, claims, draw, reading, table, note=note),)


def draw(claims: Claims) -> go.Figure:
    """A dot a test with two standard errors of the simulation, and a line at the promised level."""
    names = _names(claims)
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Studies with a claim"}, "tickformat": ".0%",
               "rangemode": "tozero"},
        yaxis={"categoryorder": "array", "categoryarray": names[::-1], "automargin": True},
        margin_t=56,
    )  # fmt: skip
    for k, kind in enumerate(KINDS):
        own = claims.is_honest == (k == 0)
        errors = {"type": "data", "array": 2 * claims.errors[own], "width": 0, "color": LIGHT.quiet}
        trace = marks.points(claims.rates[own], np.arange(own.sum()), klass=k, name=kind)
        trace.update(y=[name for name, mine in zip(names, own) if mine], error_x=errors)
        trace.update(marker_size=10, hovertemplate="%{y}<br>%{x:.1%}<extra></extra>")
        fig.add_trace(trace)
    fig.update_layout(showlegend=True, legend_y=1.12)
    return named_line(fig, percent(claims.level), x=claims.level)


def reading(claims: Claims) -> str:
    """The worst and the best of what is drawn."""
    rates = claims.rates
    if claims.is_null:
        worst = int(rates.argmax())
        honest = rates[claims.is_honest]
        return (
            f"There is nothing to find. The {claims.tests[worst]} test on {claims.schemes[worst]} "
            f"claims a difference in {percent(float(rates[worst]))} of the studies, the "
            f"corrected tests in {percent(float(honest.min()))} to {percent(float(honest.max()))}; "
            f"{percent(claims.level)} are promised."
        )
    able = int(np.where(claims.is_honest, rates, -1).argmax())
    return (
        f"The second rule is truly better: right in {percent(float(claims.accuracies[1]))} of the "
        f"rows, not in {percent(float(claims.accuracies[0]))}. Of the corrected tests that on "
        f"{claims.schemes[able]} finds it most often, in {percent(float(rates[able]))} of the "
        "studies."
    )


def table(claims: Claims) -> tuple[TableColumn, ...]:
    """One line a test."""
    return (
        TableColumn("test", np.array(claims.tests)),
        TableColumn("scheme", np.array(claims.schemes)),
        TableColumn("studies with a claim", claims.rates),
        TableColumn("standard error", claims.errors),
    )


def _names(claims: Claims) -> list[str]:
    # One short line each: on a phone a row is no taller. The table says that splits are random.
    schemes = (scheme.replace("random ", "") for scheme in claims.schemes)
    return [f"{test}, {scheme}" for test, scheme in zip(claims.tests, schemes)]
