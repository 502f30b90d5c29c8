"""Coefficients with the intervals in which they lie, as far as the rows tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

import figures.graph as go
from figures.drawing.marks import across, log_axis
from figures.options import Options
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.regression.capabilities import HasLink
from mlcore.regression.linked import SCALES
from mlcore.spine.capabilities import HasInference
from mlcore.spine.params import flag, real
from mlcore.spine.wording import count, listed, plural, rough

MOST = 30
FACTORS = {"log": "mean", "logit": "odds"}  # what e to the power of a coefficient multiplies
ROW, ROOM = 24, 70  # pixels: a column, the axis


class Intervals(NamedTuple):
    """One line a column, the surest first; the intercept last."""

    names: tuple[str, ...]  # (p + 1,)
    values: np.ndarray  # (p + 1,)
    errors: np.ndarray  # (p + 1,) standard errors; NaN where there is none
    low: np.ndarray  # (p + 1,)
    high: np.ndarray  # (p + 1,)
    t: np.ndarray  # (p + 1,) coefficient over standard error
    p: np.ndarray  # (p + 1,) probability of a t at least as far from 0 if the coefficient were 0
    level: float
    factor_of: str  # of what they are drawn as factors: "mean", "odds", or "" for nothing
    scale: str  # what of the mean is linear: "logarithm", "log-odds", or "" for the mean itself

    @property
    def drawn(self) -> slice:
        """The columns without the intercept, which has another unit."""
        return slice(0, min(len(self.names) - 1, MOST))


@dataclass(frozen=True, kw_only=True)
class IntervalOptions(Options):
    """What may be chosen of the picture."""

    level: float = real(
        0.95, above=0.0, below=1.0, soft=(0.5, 0.999), doc="Share of such intervals that hold."
    )
    factors: bool = flag(
        False,
        label="As factors",
        doc="Whether e to the power of the coefficient is drawn, by which a unit of the column "
        "multiplies the mean, or of the link logit the odds.",
    )


@view(
    "coefficient_intervals",
    title="Intervals of the coefficients",
    asks=HasInference,
    options=IntervalOptions,
    on="regression report compare",
    order=191,
    sources=("s841:statistical_intervals",),
    synonyms=("confidence interval", "standard error", "p-value", "t statistic", "forest plot"),
)
def coefficient_intervals(fit: Any, *, options: IntervalOptions) -> View:
    """Each coefficient with its interval; one that crosses the line may as well be nothing."""
    i = numbers(fit, level=options.level, factors=options.factors)
    return joined(i, draw, reading, table, note="of the columns as prepared, on the fitted rows")


def numbers(fit: Any, *, level: float = 0.95, factors: bool = False) -> Intervals:
    """Intervals by the t statistics of the fit, in order of their size."""
    values = np.append(fit.coefficients, fit.intercept)
    errors = np.append(fit.standard_errors, fit.intercept_error)
    has_error = errors > 0  # False for NaN too
    t = np.divide(values, errors, out=np.full(len(values), np.nan), where=has_error)
    df = fit.df_residual
    wide = (stdtrit(df, 0.5 + level / 2) if df > 0 else np.nan) * errors
    p = 2.0 * stdtr(df, -np.abs(t)) if df > 0 else np.full(len(t), np.nan)
    # Without any standard errors the largest come first.
    lone = np.isnan(t[:-1]).all()
    size = np.abs(values[:-1]) if lone else np.where(np.isnan(t[:-1]), -1.0, np.abs(t[:-1]))
    order = np.append(np.argsort(-size, kind="stable"), len(values) - 1)
    names = (*(column.name for column in fit.columns), "(intercept)")
    link = fit.link if isinstance(fit, HasLink) else ""
    return Intervals(
        tuple(names[j] for j in order), values[order], errors[order], (values - wide)[order],
        (values + wide)[order], t[order], p[order], level,
        FACTORS.get(link, "") if factors else "", SCALES.get(link, ""),
    )  # fmt: skip


def draw(i: Intervals) -> go.Figure:
    """A mark and a line a column; grey where the interval holds no effect at all."""
    at = i.drawn
    ends = [_shown(i, v[at]) for v in (i.values, i.low, i.high)]
    unsure = (i.low[at] <= 0) & (i.high[at] >= 0)
    marks = go.Scatter(
        x=ends[0],
        y=list(i.names[at]),
        mode="markers",
        marker={
            "size": 9,
            "color": [LIGHT.quiet if none else CLASS_COLORS[0] for none in unsure],
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": np.nan_to_num(ends[2] - ends[0]),
            "arrayminus": np.nan_to_num(ends[0] - ends[1]),
            "thickness": 2,
            "width": 5,
            "color": LIGHT.text,
        },
        customdata=np.column_stack([ends[1], ends[2], i.p[at]]),
        hovertemplate="%{y} %{x:.4~g}<br>%{customdata[0]:.4~g} to %{customdata[1]:.4~g}"
        "<br>p = %{customdata[2]:.2~g}<extra></extra>",
    )
    fig = figure(
        marks,
        height=ROOM + ROW * max(len(ends[0]), 3),
        xaxis={"title": {"text": f"Factor of the {i.factor_of}" if i.factor_of else "Coefficient"}},
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
        showlegend=False,
    )
    nothing = 1.0 if i.factor_of else 0.0
    across(fig, x=nothing, line={"color": LIGHT.quiet, "width": 1, "dash": "dot"})
    return fig.update_xaxes(log_axis(np.concatenate(ends))) if i.factor_of else fig


def _shown(i: Intervals, values: np.ndarray) -> np.ndarray:
    return np.exp(np.clip(values, -700.0, 700.0)) if i.factor_of else values


def reading(i: Intervals) -> str:
    """Which coefficients the rows are sure of."""
    at = i.drawn
    if np.isnan(i.errors[:-1]).all():
        return (
            "There are no standard errors: the coefficients are shrunk by a penalty, or the rows "
            "do not determine them."
        )
    sure = [n for n, low, high in zip(i.names[:-1], i.low, i.high, strict=False)
            if low > 0 or high < 0]  # fmt: skip
    text = f"{len(sure)} of {count(len(i.names) - 1, 'interval')} {plural(len(sure), 'does', 'do')}"
    text += f" not hold {1 if i.factor_of else 0}"
    text += f": {listed(sure)}." if sure else "."
    first = i.names[0]
    ends = [rough(float(_shown(i, v[:1])[0])) for v in (i.low, i.high)]
    text += f" A unit of {first} {f'multiplies the {i.factor_of} by' if i.factor_of else 'adds'} "
    text += f"{ends[0]} to {ends[1]}{'' if i.factor_of or not i.scale else f' to the {i.scale}'}."
    more = len(i.names) - 1 - at.stop
    return text + (f" The {MOST} surest are drawn." if more > 0 else "")


def table(i: Intervals) -> tuple[TableColumn, ...]:
    """One line a column with t and p, the intercept last."""
    end = f"{100 * i.level:.4g} %"
    return (
        TableColumn("column", i.names),
        TableColumn("coefficient", i.values),
        TableColumn("standard error", i.errors),
        TableColumn("t", i.t),
        TableColumn("p", i.p),
        TableColumn(f"low, {end}", i.low),
        TableColumn(f"high, {end}", i.high),
    )
