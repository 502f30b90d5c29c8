"""Odds ratios: by what a unit of each column multiplies the odds of a class, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.rules import classes_of
from figures.options import Offered, Options, Values, among
from figures.view import TableColumn, View, joined, view
from figures.views.regression import coefficient_intervals
from figures.views.regression.coefficient_intervals import Intervals
from mlcore.classification.capabilities import HasOdds
from mlcore.data.dataset import Dataset
from mlcore.spine.params import integer, real
from mlcore.spine.wording import listed, rough


class Odds(NamedTuple):
    """Intervals of the log odds of one class, drawn as factors of the odds."""

    lines: Intervals
    name: str  # the class
    missing: str  # why there are no intervals; empty where there are


def _with_odds(offered: Offered) -> Values:
    """The names of more than two classes by their number, from 1, without a reference class."""
    fit = offered["fit"]
    names = classes_of(fit, offered["dataset"])
    return {k + 1: names[k] for k in fit.with_odds} if len(names) > 2 else {}


@dataclass(frozen=True, kw_only=True)
class OddsOptions(Options):
    """What may be chosen of the picture."""

    of: int = among(
        integer(2, low=1, soft=(1, 10), label="Class", doc="Whose odds are drawn."), _with_odds
    )
    level: float = real(
        0.95, above=0.0, below=1.0, soft=(0.5, 0.999), doc="Share of such intervals that hold."
    )


@view(
    "odds",
    title="Odds ratios",
    asks=HasOdds,
    options=OddsOptions,
    on="classification report compare",
    order=191,
    sources=("s841:logistic_newton",),
    synonyms=("odds ratio", "confidence interval", "forest plot", "Wald", "p-value", "z statistic"),
)
def odds(fit: Any, dataset: Dataset, *, options: OddsOptions) -> View:
    """By what a unit of each column multiplies the odds of a class, and how sure that is.

    An interval that crosses 1 may as well be nothing. A penalty leaves no intervals. One model of
    several classes without a reference has odds against their mean, which is geometric.
    """
    o = numbers(fit, dataset, of=options.of, level=options.level)
    return joined(o, draw, reading, table, note="of the columns as prepared, on the fitted rows")


def numbers(fit: Any, dataset: Dataset, *, of: int = 2, level: float = 0.95) -> Odds:
    """Of class `of`, counted from 1; of two classes the odds are those of the second."""
    names = classes_of(fit, dataset)
    k = 1 if len(names) == 2 else min(of, len(names)) - 1
    line = fit.odds_of(k)
    lines = coefficient_intervals.numbers(line, level=level)
    others = _others(line.against, names)
    return Odds(
        lines._replace(factor_of=f"odds of {names[k]} against {others}"), names[k], line.missing
    )


def _others(against: tuple[int, ...], names: tuple[str, ...]) -> str:
    """What the odds are against, in words."""
    if len(against) == len(names):
        return "the mean of all classes"
    if len(against) == len(names) - 1 > 1:
        return "all others"
    return listed([names[j] for j in against])


def draw(o: Odds) -> go.Figure:
    """A mark and a line a column on a logarithmic axis; grey where the interval holds 1."""
    return coefficient_intervals.draw(o.lines)


def reading(o: Odds) -> str:
    """Which ratios the rows are sure of, or why nothing tells."""
    if not o.missing:
        return coefficient_intervals.reading(o.lines)
    lines = o.lines
    by = rough(float(np.exp(np.clip(lines.values[0], -700.0, 700.0))))
    return (
        f"A unit of {lines.names[0]} multiplies the {lines.factor_of} by {by}. There are no "
        f"intervals: {o.missing[0].lower()}{o.missing[1:]}"
    )


def table(o: Odds) -> tuple[TableColumn, ...]:
    """One line a column with its ratio, then its logarithm; the intercept last."""
    i = o.lines
    end = f"{100 * i.level:.4g} %"
    ratio, low, high = (np.exp(np.clip(v, -700.0, 700.0)) for v in (i.values, i.low, i.high))
    name, *own = coefficient_intervals.table(i)
    return (
        name,
        TableColumn("odds ratio", ratio),
        TableColumn(f"ratio, low, {end}", low),
        TableColumn(f"ratio, high, {end}", high),
        *own,
    )
