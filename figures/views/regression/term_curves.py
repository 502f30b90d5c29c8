"""What each variable adds to the prediction of an additive model: one picture a variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import dated, named_axis
from figures.drawing.words import fitted_on
from figures.graph import make_subplots
from figures.numbers.planes import axis, span, typical
from figures.numbers.terms import class_of_odds, sum_of
from figures.options import Options
from figures.theme import LIGHT, NO_TEMPLATE, band
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import HasTermsByClass
from mlcore.data.dataset import Dataset
from mlcore.regression.capabilities import GivesConcurvity, HasLink
from mlcore.runs.carry import Whole
from mlcore.spine.asking import any_of
from mlcore.spine.capabilities import HasTerms
from mlcore.spine.fit import Column
from mlcore.spine.params import flag
from mlcore.spine.wording import percent, plural, rough

POINTS = 100  # of a curve
MOST = 12  # variables that are drawn
ACROSS = 3
ROW = 230  # pixels of a row of pictures
RUG = 400  # rows at most that are marked below a curve
JUDGED = 2000  # rows at most by which concurvity is judged
MUCH = 0.8  # concurvity of a fitted curve from which on it is told
WIDE = 2.0  # standard deviations of the band: 95 in 100 of a normal distribution


class Term(NamedTuple):
    """What one variable adds."""

    column: Column
    at: np.ndarray  # (g,) its values
    effect: np.ndarray  # (g,)
    deviation: np.ndarray  # (g,)
    dof: float  # effective degrees of freedom
    spread: float  # standard deviation of what it adds over the fitted rows
    seen: np.ndarray  # (r,) values of fitted rows
    shared: tuple[float, float]  # concurvity of the fitted curve and the worst; NaN if unknown


class Terms(NamedTuple):
    """The terms by falling spread."""

    terms: tuple[Term, ...]
    target: str  # or the class
    link: str  # `log` or `logit` of the mean is added up, or the mean itself: `identity`
    is_factor: bool


@dataclass(frozen=True, kw_only=True)
class TermOptions(Options):
    """What may be chosen of the picture."""

    positive: str | None = class_of_odds()
    factors: bool = flag(
        False,
        label="As factors",
        doc="Whether e to the power of the curve is drawn, by which the variable multiplies the "
        "mean, or of the link logit the odds.",
    )


@view(
    "term_curves",
    title="Curves of the variables",
    asks=any_of(HasTerms, HasTermsByClass),
    options=TermOptions,
    on="regression classification report compare",
    order=144,
    is_wide=True,
    synonyms=("partial effects", "smooth terms", "partial dependence", "component functions"),
)
def term_curves(dataset: Dataset, whole: Whole, *, options: TermOptions) -> View:
    """Each variable's curve with a band of two standard deviations, and marks where rows are."""
    t = numbers(dataset, whole, factors=options.factors, positive=options.positive)
    return joined(t, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(
    dataset: Dataset, whole: Whole, *, factors: bool = False, positive: str | None = None
) -> Terms:
    """Every variable of the table that stands behind a column of the fit, or else the columns."""
    fit, target = sum_of(dataset, whole, positive)
    prepared = whole.prepared.transform(dataset.X)
    of = {column.name: j for j, column in enumerate(dataset.columns)}
    behind = list(dict.fromkeys(column.variable for column in whole.fit.columns))
    terms = []
    for variable in behind:
        which = [j for j, column in enumerate(whole.fit.columns) if column.variable == variable]
        if variable in whole.fit.made_by.untouched():
            continue  # an exposure is not fitted
        if variable in of:
            terms.append(_of_variable(dataset, whole, fit, of[variable], which, prepared))
        else:  # a column that several variables were made into has its own units
            terms += [_of_column(fit, whole.fit.columns[j], j, prepared) for j in which]
    terms.sort(key=lambda term: -term.spread)
    link = fit.link if isinstance(fit, HasLink) else "identity"
    is_factor = factors and link != "identity"
    return Terms(tuple(terms), target, link, is_factor)


def _of_variable(
    dataset: Dataset, whole: Whole, fit: Any, v: int, which: list[int], prepared: np.ndarray
) -> Term:
    on, values = axis(dataset, v), dataset.X[:, v]
    seen = values[np.isfinite(values)]
    at = on.cells if on.column.levels else np.linspace(seen.min(), seen.max(), POINTS)
    rows = np.tile(typical(dataset.X, dataset.columns), (len(at), 1))
    rows[:, v] = at
    effect, deviation = fit.term(whole.prepared.transform(rows), which).T
    spread = float(fit.term(prepared, which)[:, 0].std())
    dof, shared = float(fit.dof[which].sum()), _shared(fit, prepared, which)
    return Term(on.column, at, effect, deviation, dof, spread, seen[:RUG], shared)


def _of_column(fit: Any, column: Column, j: int, prepared: np.ndarray) -> Term:
    at = np.linspace(fit.lows[j], fit.highs[j], POINTS)
    rows = np.tile(prepared[0], (POINTS, 1))
    rows[:, j] = at
    effect, deviation = fit.term(rows, [j]).T
    spread = float(fit.term(prepared, [j])[:, 0].std())
    seen = prepared[:RUG, j]
    dof, shared = float(fit.dof[j]), _shared(fit, prepared, [j])
    return Term(column, at, effect, deviation, dof, spread, seen, shared)


def _shared(fit: Any, prepared: np.ndarray, which: list[int]) -> tuple[float, float]:
    """Concurvity at evenly chosen rows: of the fitted curve, and of any curve there might be."""
    if not isinstance(fit, GivesConcurvity):
        return np.nan, np.nan
    shares = fit.concurvity(prepared[:: -(-len(prepared) // JUDGED)], which)
    return shares.observed, shares.worst


def draw(t: Terms) -> go.Figure:
    """Up to twelve pictures, the largest effect first, all to one scale."""
    shown = t.terms[:MOST]
    across = min(ACROSS, len(shown))
    down = -(-len(shown) // across)
    fig = make_subplots(
        down, across, horizontal_spacing=0.08, vertical_spacing=min(0.32 / down, 0.2)
    )
    fig.update_layout(template=NO_TEMPLATE, height=max(ROW * down + 60, 320), showlegend=False)
    ends = span(np.concatenate([_limits(t, term) for term in shown]))
    for k, term in enumerate(shown):
        place: dict[str, Any] = {"row": k // across + 1, "col": k % across + 1}
        for trace in _traces(t, term, ends[0]):
            fig.add_trace(trace, **place)
        few = {} if term.column.levels else {"nticks": 4, "tickangle": 0}  # side by side on a phone
        fig.update_xaxes(**named_axis(term.column), **few, **place)
        head = f"{'Factor' if t.is_factor else 'Adds to'} {_scale(t)}"
        fig.update_yaxes(range=list(ends), title_text=head if k % across == 0 else "", **place)
    return fig


def _scale(t: Terms) -> str:
    """What is added up, or what is multiplied."""
    of = f"odds of {t.target}" if t.link == "logit" else t.target
    return of if t.is_factor or t.link == "identity" else f"log {of}"


def _limits(t: Terms, term: Term) -> np.ndarray:
    sides = [_shown(t, term.effect + s * WIDE * term.deviation) for s in (-1, 1)]
    return np.concatenate(sides)


def _shown(t: Terms, values: np.ndarray) -> np.ndarray:
    return np.exp(np.clip(values, -700.0, 700.0)) if t.is_factor else values


def _traces(t: Terms, term: Term, bottom: float) -> list[go.Scatter]:
    low, high = (_shown(t, term.effect + s * WIDE * term.deviation) for s in (-1, 1))
    middle, at = _shown(t, term.effect), dated(term.at, term.column.kind)
    hover = "%{x}<br>%{y:.4~g}<extra></extra>"
    if term.column.levels:
        error = {"array": high - middle, "arrayminus": middle - low, "symmetric": False}
        mark = {"size": 9, "color": LIGHT.accent}
        return [go.Scatter(x=at, y=middle, mode="markers", marker=mark, hovertemplate=hover,
                           error_y=error | {"color": LIGHT.text, "width": 4})]  # fmt: skip
    seen = dated(term.seen, term.column.kind)
    style = {"symbol": "line-ns", "size": 7, "line": {"width": 1, "color": LIGHT.quiet}}
    return [
        go.Scatter(
            x=np.concatenate([at, at[::-1]]), y=np.concatenate([high, low[::-1]]), fill="toself",
            fillcolor=band(LIGHT.accent), mode="lines", line={"width": 0}, hoverinfo="skip",
        ),
        go.Scatter(x=at, y=middle, mode="lines", line={"color": LIGHT.accent, "width": 2.5},
                   hovertemplate=hover),
        go.Scatter(x=seen, y=np.full(len(seen), bottom), mode="markers", marker=style,
                   hoverinfo="skip"),
    ]  # fmt: skip


def reading(t: Terms) -> str:
    """Which variable moves the prediction most, from where to where, and which curves are lines."""
    first = t.terms[0]
    low, high = float(first.effect.min()), float(first.effect.max())
    text = f"{first.column.name} moves {_scale(t)} most: it adds {rough(low)} to {rough(high)}"
    if t.is_factor:
        ends = [rough(float(_shown(t, np.array([v]))[0])) for v in (low, high)]
        text = f"{first.column.name} moves {_scale(t)} most: by factors of {ends[0]} to {ends[1]}"
    curves = [term for term in t.terms if not term.column.levels]
    straight = sum(term.dof < 1.1 for term in curves)
    text += f", with {rough(first.dof)} degrees of freedom."
    if straight:
        what = plural(straight, "is a straight line", "are straight lines")
        text += f" {straight} of {len(curves)} curves {what}, or nearly so."
    if len(t.terms) > MOST:
        text += f" The {MOST} largest are drawn."
    most = max(t.terms, key=lambda term: np.nan_to_num(term.shared[0]))
    if not most.shared[0] >= MUCH:
        return text
    return text + (
        f" {percent(most.shared[0])} of the curve of {most.column.name} can be written by the "
        "others (concurvity): its shape is uncertain."
    )


def table(t: Terms) -> tuple[TableColumn, ...]:
    """One line a value of a variable."""
    return (
        TableColumn("variable", [term.column.name for term in t.terms for _ in term.at]),
        TableColumn("value", np.concatenate([term.at for term in t.terms])),
        TableColumn("effect", np.concatenate([term.effect for term in t.terms])),
        TableColumn("standard deviation", np.concatenate([term.deviation for term in t.terms])),
        TableColumn("concurvity", [term.shared[0] for term in t.terms for _ in term.at]),
        TableColumn("worst concurvity", [term.shared[1] for term in t.terms for _ in term.at]),
    )
