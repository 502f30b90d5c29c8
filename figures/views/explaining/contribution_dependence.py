"""The contribution of one variable by its value, coloured by the one it acts together with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.marks import across
from figures.drawing.traces import axis_name, color_bar, dated, empty, value_text
from figures.numbers.contributions import Contributed, contributed
from figures.numbers.outputs import output_option
from figures.options import Offered, Options, among
from figures.theme import LIGHT, NO_CLASS, SEQUENTIAL, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.interplay import interplay
from mlcore.spine.fit import Column
from mlcore.spine.params import column
from mlcore.spine.wording import percent, rough

HEIGHT, BELOW, BINS = 460, 0.14, 30  # pixels; share for the histogram; its bars
TOLD = 0.1  # of the spread of the contributions: less is hardly seen
JITTER = 0.22  # of the distance of two levels
MOST_LEVELS = 8  # that have colours of their own
NOTHING = "No fold has answered yet."


class Dependence(NamedTuple):
    """The contributions of one variable."""

    c: Contributed
    j: int  # the variable
    other: int | None  # the one that colours
    told: float  # share of the spread, at equal values, that it tells


def _names(offered: Offered) -> tuple[str, ...]:
    explanation = offered.get("explanation")
    answers = None if explanation is None else explanation.joined
    return () if answers is None else tuple(c.name for c in answers.variables)


def _variables(offered: Offered) -> Mapping[Any, str]:
    return {"auto": "the largest contributions", **{name: name for name in _names(offered)}}


def _colours(offered: Offered) -> Mapping[Any, str]:
    own = {name: name for name in _names(offered)}
    return {"auto": "the one it acts together with most", None: "nothing", **own}


@dataclass(frozen=True, kw_only=True)
class DependenceOptions(Options):
    """What may be chosen of the picture."""

    variable: str | None = among(
        column("auto", auto="auto", doc="Whose contributions are shown."), _variables
    )
    by: str | None = among(
        column("auto", auto="auto", or_none="nothing", label="Colour by",
               doc="Another variable: where its colours part, the two act together."),
        _colours,
    )  # fmt: skip
    output: str = output_option()


@view(
    "contribution_dependence",
    title="Contribution by value",
    options=DependenceOptions,
    on="shapley_rows",
    order=20,
    synonyms=("SHAP dependence plot", "SHAP scatter plot", "interaction"),
)
def contribution_dependence(
    explanation: Any, dataset: Dataset, *, options: DependenceOptions
) -> View:
    """The contribution of a variable by its value, for rows that the models had not seen."""
    d = numbers(explanation, dataset, options)
    note = "rows left out" if d is None else f"of {d.c.variables[d.j].name}, rows left out"
    return joined(d, draw, reading, table, note=note)


def numbers(explanation: Any, dataset: Dataset, options: DependenceOptions) -> Dependence | None:
    """The variable and its colours that are chosen, or those that tell most; None before that."""
    c = contributed(explanation, dataset, options.output)
    if c is None:
        return None
    names = [one.name for one in c.variables]
    j = names.index(options.variable) if options.variable in names else int(c.order[0])
    is_name = np.array([one.kind in ("nominal", "text") for one in c.variables])
    others = np.flatnonzero(np.arange(len(names)) != j)
    told = np.zeros(len(names))
    told[others] = interplay(c.phi[:, j], c.values[:, j], c.values[:, others], is_name[others])
    if options.by in names and options.by != names[j]:
        other = names.index(options.by)
    else:
        best = int(told.argmax())
        other = best if options.by == "auto" and told[best] >= TOLD else None
    return Dependence(c, j, other, 0.0 if other is None else float(told[other]))


def draw(d: Dependence | None) -> go.Figure:
    """A point a row, the rows by value below."""
    if d is None:
        return empty(NOTHING)
    own = d.c.variables[d.j]
    values, phi = d.c.values[:, d.j], d.c.phi[:, d.j]
    if np.isnan(values).all():
        return empty("None of these rows has a value of this variable.")
    x = dated(_spread(own, values), own.kind)
    bars, at = _histogram(own, values)
    below = go.Bar(
        x=dated(at, own.kind), y=bars, yaxis="y2", marker={"color": faded(LIGHT.quiet, 0.45)},
        showlegend=False, hovertemplate="%{y} rows<extra></extra>",
    )  # fmt: skip
    axis: dict[str, Any] = {"title": {"text": axis_name(own.name)}, "anchor": "y2"}
    if own.levels:
        axis |= {"tickvals": list(range(len(own.levels))), "ticktext": list(own.levels)}
    what = d.c.what[:1].lower() + d.c.what[1:]
    fig = figure(
        *_points(d, x, phi),
        below,
        height=HEIGHT,
        xaxis=axis,
        yaxis={"title": {"text": f"Contribution to the {what}"}, "domain": [BELOW + 0.03, 1]},
        yaxis2={"domain": [0, BELOW], "showgrid": False, "showticklabels": False, "ticks": "",
                "title": {"text": "rows"}},
    )  # fmt: skip
    return across(fig, y=0, line={"color": LIGHT.quiet, "width": 1}, layer="below")


def _spread(own: Column, values: np.ndarray) -> np.ndarray:
    """Values on the axis; rows of one level side by side, in the same places each time."""
    if not own.levels:
        return values
    golden = (np.arange(len(values)) * 0.6180339887498949) % 1.0
    return values + (2 * golden - 1) * JITTER


def _histogram(own: Column, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = values[~np.isnan(values)]
    if own.levels:
        return np.bincount(known.astype(np.int64), minlength=len(own.levels)), np.arange(
            len(own.levels)
        )
    bars, edges = np.histogram(known, bins=BINS)
    return bars, (edges[1:] + edges[:-1]) / 2


def _points(d: Dependence, x: np.ndarray, phi: np.ndarray) -> list[Any]:
    """One trace, or one a level of names that colour it."""
    other = None if d.other is None else d.c.variables[d.other]
    texts = np.array([_hover(d, i) for i in range(len(phi))], dtype=object)
    if other is None:
        return [_marks(d, x, phi, texts, slice(None), {"color": LIGHT.accent})]
    z = d.c.values[:, d.other]
    if other.levels and len(other.levels) <= MOST_LEVELS:
        return [
            _marks(d, x, phi, texts, z == code, {"color": class_color(code)}, name)
            for code, name in enumerate(other.levels)
            if (z == code).any()
        ]
    known = ~np.isnan(z)
    low, high = np.nanquantile(z, [0.02, 0.98])  # one remote value must not paint the rest alike
    scale = {"colorscale": SEQUENTIAL, "colorbar": color_bar(other.name), "cmin": low, "cmax": high}
    traces = [_marks(d, x, phi, texts, known, {"color": z[known], **scale})]
    if not known.all():
        traces.append(_marks(d, x, phi, texts, ~known, {"color": NO_CLASS}, "missing"))
    return traces


def _marks(
    d: Dependence, x: np.ndarray, phi: np.ndarray, texts: np.ndarray, here: Any,
    color: dict[str, Any], name: str = "",
) -> Any:  # fmt: skip
    trace = go.Scatter(
        x=x[here], y=phi[here], mode="markers", text=texts[here], name=name,
        showlegend=bool(name), marker={"size": 7, "opacity": 0.85, "line": {"width": 0}, **color},
        hovertemplate="%{text}<br>%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    return marks.numbered(trace, d.c.rows[here])


def _hover(d: Dependence, i: int) -> str:
    shown = [d.j] if d.other is None else [d.j, d.other]
    parts = [
        f"{d.c.variables[j].name} {_in_words(d.c.variables[j], d.c.values[i, j])}" for j in shown
    ]
    return ", ".join([*parts, f"row {d.c.rows[i] + 1}"])


def _in_words(own: Column, value: float) -> str:
    return "missing" if np.isnan(value) else value_text(own, value)


def reading(d: Dependence | None) -> str:
    """Where it raises most, and whether another variable decides how much."""
    if d is None:
        return NOTHING
    own, phi = d.c.variables[d.j], d.c.phi[:, d.j]
    low, high = int(phi.argmin()), int(phi.argmax())
    at = d.c.values[:, d.j]
    text = (
        f"{own.name} adds from {rough(float(phi[low]))} (at {_in_words(own, at[low])}) to "
        f"{rough(float(phi[high]))} (at {_in_words(own, at[high])}) to the "
        f"{d.c.what[:1].lower()}{d.c.what[1:]}."
    )
    if d.other is None:
        return f"{text} At equal values no other variable tells much of what is left."
    return (
        f"{text} At about equal values {d.c.variables[d.other].name} tells "
        f"{percent(d.told)} of what is left: the two act together where its colours part."
    )


def table(d: Dependence | None) -> tuple[TableColumn, ...]:
    """One line a row."""
    if d is None:
        return (TableColumn("row", ()),)
    shown = [d.j] if d.other is None else [d.j, d.other]
    values = (
        TableColumn(d.c.variables[j].name,
                    tuple(_in_words(d.c.variables[j], v) for v in d.c.values[:, j]))
        for j in shown
    )  # fmt: skip
    contribution = TableColumn(f"contribution to {d.c.output}", d.c.phi[:, d.j])
    return TableColumn("row", d.c.rows + 1), *values, contribution
