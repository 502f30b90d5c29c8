"""How the prediction changes with one variable: a curve a row, their mean, and the data below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.handle import Handle, with_handle
from figures.drawing.traces import axis_name, dash_of, dated, empty, value_text
from figures.numbers.outputs import output_of, output_option, rows_asked, wording_of
from figures.options import Offered, Options, among
from figures.theme import CLASS_COLORS, LIGHT, band, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.fit import Column
from mlcore.spine.params import choice, column, integer
from mlcore.spine.wording import plural, rough, rough_beside

HEIGHT, BELOW = 460, 0.16  # pixels; share of the height for the histogram
BINS, MOST_GROUPS = 30, 6
NOTHING = "No fold has answered yet."
WAYS = {"dependence": "Dependence", "centred": "Centred", "accumulated": "Accumulated"}


class OwnCurve(NamedTuple):
    """The row of What if, by the model of all rows."""

    row: int
    y: np.ndarray  # (a,)
    values: np.ndarray  # (a,) of the variable, from the least on
    at: int  # where it stands now
    says: tuple[str, ...]  # (a,) the value, and what is predicted with it


class EffectCurves(NamedTuple):
    """Curves of one output."""

    variable: Column
    output: str
    wording: str  # what stands before the name of the output
    way: str
    grid: np.ndarray  # (G,) of the mean: values, or codes of levels
    mean: np.ndarray  # (G,)
    low: np.ndarray  # (G,) mean less a standard deviation over the folds; empty if accumulated
    high: np.ndarray  # (G,)
    curves: np.ndarray  # (m, G) of the rows that are drawn; empty if accumulated
    group: np.ndarray  # (m,) codes of the factor by which they are coloured, 0 without one
    groups: tuple[str, ...]  # names of these codes
    group_means: np.ndarray  # (groups, G)
    bars: np.ndarray  # (b,) rows in each bin of the variable
    bins: np.ndarray  # (b,) middles
    near: np.ndarray  # (G,) bool: whether any row has such a value
    own: OwnCurve | None  # of the row of What if
    n_rows: int
    n_folds: int


def _factors(offered: Offered) -> dict[Any, str]:
    """The columns of few names by which the curves may be coloured."""
    dataset = offered.get("dataset")
    explanation = offered.get("explanation")
    answers = None if explanation is None else explanation.joined
    own = None if answers is None else answers.variable
    columns = dataset.columns if dataset is not None else ()
    names = [c.name for c in columns if 2 <= len(c.levels) <= MOST_GROUPS]
    if dataset is not None and 2 <= len(dataset.classes) <= MOST_GROUPS:
        names.append(dataset.target)
    return {None: "nothing"} | {n: n for n in names if own is None or n != own.name}


@dataclass(frozen=True, kw_only=True)
class EffectOptions(Options):
    """What may be chosen of the picture."""

    way: str = choice(
        "dependence", *WAYS, label="Effect", doc="Partial dependence with the curve of each row; "
        "the same with all curves at 0 on the left; or accumulated local effects, which stay right "
        "where variables hang together."
    )  # fmt: skip
    output: str = output_option()
    by: str | None = among(
        column(None, or_none="nothing", label="Colour by", doc="A column of few names."), _factors
    )
    shown: int = integer(48, low=0, high=500, soft=(0, 150), label="Curves shown",
                         doc="Rows whose curve is drawn.")  # fmt: skip


@view(
    "effect_curves",
    title="Effect",
    options=EffectOptions,
    on="effect",
    synonyms=("partial dependence", "ICE", "accumulated local effects", "ALE"),
)
def effect_curves(
    explanation: Any, dataset: Dataset, what_if: Any = None, *, options: EffectOptions
) -> View:
    """The prediction by the value of a variable, for rows that the models had not seen.

    `what_if` is the answer about one row, whose curve is drawn among them where it stands beside.
    """
    e = numbers(explanation, dataset, options, what_if)
    note = (
        "rows left out of each fold"
        if e is None
        else f"of {e.variable.name}, {rows_asked(e.n_rows, dataset)} left out"
    )
    return joined(e, draw, reading, table, note=note)


def numbers(
    explanation: Any, dataset: Dataset, options: EffectOptions, what_if: Any = None
) -> EffectCurves | None:
    """The curves of the output that is chosen; None before there is one."""
    answers = explanation.joined
    if answers is None:
        return None
    heights = answers.accumulated if options.way == "accumulated" else answers.mean
    changes = np.ptp(heights, axis=0) if len(heights) else np.zeros(len(answers.outputs))
    # Of two classes one is the mirror of the other: the second is shown, as elsewhere.
    best = 1 if len(answers.outputs) == 2 else int(changes.argmax())
    o = output_of(answers.outputs, options.output, best)
    group, groups = _groups(dataset, answers.rows, options.by)
    curves = answers.curves[:, :, o]
    if options.way == "centred":
        curves = curves - curves[:, :1]
    is_accumulated = options.way == "accumulated"
    none = np.empty((0, 0))
    of_folds = np.array([curves[answers.folds == k].mean(axis=0) for k in np.unique(answers.folds)])
    mean = answers.accumulated[:, o] if is_accumulated else curves.mean(axis=0)
    sd = of_folds.std(axis=0, ddof=1) if len(of_folds) > 1 else np.zeros(len(answers.grid))
    means = [curves[group == g].mean(axis=0) for g in range(len(groups)) if (group == g).any()]
    kept = tuple(name for g, name in enumerate(groups) if (group == g).any())
    some = np.linspace(0, len(curves) - 1, min(options.shown, len(curves))).round().astype(int)
    bars, bins = _histogram(answers.variable, answers.values, answers.grid)
    return EffectCurves(
        variable=answers.variable,
        output=answers.outputs[o],
        wording=wording_of(explanation, dataset),
        way=options.way,
        grid=answers.edges if is_accumulated else answers.grid,
        mean=mean,
        low=none[0:0].ravel() if is_accumulated else mean - sd,
        high=none[0:0].ravel() if is_accumulated else mean + sd,
        curves=none if is_accumulated else curves[some],
        group=group[some],
        groups=groups,
        group_means=np.array(means)
        if len(kept) == len(groups) > 1 and not is_accumulated
        else none,
        bars=bars,
        bins=bins,
        n_rows=len(answers.rows),
        n_folds=len(of_folds),
        near=np.ones(len(answers.edges), dtype=bool) if is_accumulated else answers.near,
        own=None if is_accumulated else _own(answers, o, what_if, options.way),
    )


def _own(answers: Any, o: int, what_if: Any, way: str) -> OwnCurve | None:
    """The curve of the row of What if along the variable, where it has numbers."""
    if what_if is None or not what_if.profiles or answers.outputs[o] not in what_if.outputs:
        return None
    j = [column.name for column in what_if.variables].index(answers.variable.name)
    x, now = what_if.profiles[j].grid, float(what_if.now[j])
    if not len(x) or np.isnan(now):
        return None
    curve = what_if.profiles[j].curve
    y = curve[:, what_if.outputs.index(answers.outputs[o])]
    y = y - y[0] if way == "centred" else y
    says = tuple(
        f"{value_text(answers.variable, value)}: {_answer(what_if, outputs)}"
        for value, outputs in zip(x, curve, strict=True)
    )
    return OwnCurve(what_if.row, y, x, int(np.searchsorted(x, now)), says)


def _answer(what_if: Any, outputs: np.ndarray) -> str:
    """The class that wins with what speaks for it, or the quantity."""
    best = int(outputs.argmax())
    return f"{what_if.outputs[best]} {outputs[best]:.3g}" if what_if.is_class else rough(outputs[0])


def _groups(dataset: Dataset, rows: np.ndarray, by: str | None) -> tuple[np.ndarray, tuple]:
    """The code of each row by a column of names, or by the classes; all 0 without one."""
    if by is None:
        return np.zeros(len(rows), dtype=np.int64), ("",)
    if by == dataset.target and dataset.y is not None:
        return dataset.y[rows], dataset.classes
    at = next((j for j, c in enumerate(dataset.columns) if c.name == by), None)
    if at is None:
        return np.zeros(len(rows), dtype=np.int64), ("",)
    codes = np.nan_to_num(dataset.X[rows, at], nan=-1).astype(np.int64)
    return codes, dataset.columns[at].levels


def _histogram(
    variable: Column, values: np.ndarray, grid: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    known = values[~np.isnan(values)]
    if variable.levels:
        return np.array([(known == code).sum() for code in grid]), grid
    bars, edges = np.histogram(known, bins=BINS)
    return bars, (edges[1:] + edges[:-1]) / 2


def draw(e: EffectCurves | None) -> go.Figure:
    """Thin curves, the mean thick over the band of the folds, the rows of the table below."""
    if e is None:
        return empty(NOTHING)
    if not len(e.mean):
        return empty("A variable of names has no order, so its effects cannot be accumulated.")
    kind = e.variable.kind
    x = dated(e.grid, kind)
    is_name = bool(e.variable.levels)
    traces: list[Any] = [] if is_name else _thin(e, x)
    traces += _levels(e, x) if is_name else _lines(e, x)
    traces += [] if e.own is None else _row(e.own, kind)
    bars = go.Bar(
        x=dated(e.bins, kind), y=e.bars, yaxis="y2", marker={"color": faded(LIGHT.quiet, 0.45)},
        showlegend=False, hovertemplate="%{y} rows<extra></extra>",
    )  # fmt: skip
    axis: dict[str, Any] = {"title": {"text": axis_name(e.variable.name)}, "anchor": "y2"}
    if is_name:
        names = [value_text(e.variable, code) for code in e.grid]
        axis |= {"tickvals": list(e.grid), "ticktext": names}
    what = f"{e.wording} {e.output}"
    change = "Change in " + what[:1].lower() + what[1:]
    drawn = figure(
        *traces,
        bars,
        height=HEIGHT,
        xaxis=axis,
        yaxis={"title": {"text": what if e.way == "dependence" else change},
               "domain": [BELOW + 0.03, 1]},
        yaxis2={"domain": [0, BELOW], "showgrid": False, "showticklabels": False, "ticks": "",
                "title": {"text": "rows"}},
        showlegend=True,
    )  # fmt: skip
    return with_handle(drawn, None if e.own is None else _handle(e.own, e.variable))


def _handle(own: OwnCurve, variable: Column) -> Handle:
    """By which the row is moved along its curve."""
    label = f"{variable.name} of row {own.row}"
    return Handle(label, dated(own.values, variable.kind), own.y, own.values, own.says, own.at)


def _thin(e: EffectCurves, x: Any) -> list[Any]:
    """One trace a group, the curves of its rows with gaps between them."""
    traces = []
    for g in range(len(e.groups)):
        own = e.curves[e.group == g] if len(e.curves) else e.curves
        if not len(own):
            continue
        xs = np.tile([*x, x[-1]], len(own))
        color = CLASS_COLORS[g % len(CLASS_COLORS)] if len(e.groups) > 1 else LIGHT.quiet
        for part, strength in zip(_parts(e.near), (0.35, 0.1), strict=True):
            if not part.any():
                continue
            y = np.column_stack([np.where(part, own, np.nan), np.full(len(own), np.nan)]).ravel()
            style = {"color": faded(color, strength), "width": 1}
            traces.append(
                go.Scatter(x=xs, y=y, mode="lines", line=style, hoverinfo="skip", showlegend=False)
            )
    return traces


def _parts(near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points of a curve where there are rows, and those of the pieces where there are none."""
    away = ~near
    beside = away.copy()
    beside[1:] |= away[:-1]
    beside[:-1] |= away[1:]
    return near, beside


def _row(own: OwnCurve, kind: str) -> list[Any]:
    """In the colour of text, with a handle at the value that it has now, and on the axis below."""
    name, at = f"row {own.row}", dated(own.values[[own.at]], kind)
    line = {"color": LIGHT.text, "width": 2}
    handle = {"size": 11, "color": LIGHT.background, "line": {"color": LIGHT.text, "width": 2}}
    hover = f"{name} now<br>%{{x}}<br>%{{y:.4~g}}<extra></extra>"
    return [
        go.Scatter(x=dated(own.values, kind), y=own.y, mode="lines", name=name, line=line,
                   hovertemplate="%{x}<br>%{y:.4~g}<extra>%{fullData.name}</extra>"),
        go.Scatter(x=at, y=own.y[[own.at]], mode="markers", marker=handle, showlegend=False,
                   hovertemplate=hover),
        go.Scatter(x=at, y=[0], yaxis="y2", mode="markers", marker=handle, showlegend=False,
                   hovertemplate=hover, cliponaxis=False),
    ]  # fmt: skip


def _lines(e: EffectCurves, x: Any) -> list[Any]:
    """The means of the groups, the band of the folds and the mean of all rows."""
    traces: list[Any] = []
    if len(e.low):
        traces.append(
            go.Scatter(
                x=[*x, *x[::-1]], y=[*e.low, *e.high[::-1]], fill="toself", mode="lines",
                fillcolor=band(LIGHT.accent), line={"width": 0}, hoverinfo="skip",
                name=f"± sd of {e.n_folds} folds",
            )
        )  # fmt: skip
    for g, mean in enumerate(e.group_means):
        style = {"color": CLASS_COLORS[g % len(CLASS_COLORS)], "dash": dash_of(g), "width": 2}
        traces.append(go.Scatter(x=x, y=mean, mode="lines", name=e.groups[g], line=style))
    name = "accumulated" if e.way == "accumulated" else "mean of all rows"
    hover = "%{x}<br>%{y:.4~g}<extra>%{fullData.name}</extra>"
    for part, strength, width in zip(_parts(e.near), (1.0, 0.3), (4, 2), strict=True):
        if not part.any():
            continue
        line = {"color": faded(LIGHT.accent, strength), "width": width}
        is_seen = strength == 1.0
        traces.append(
            go.Scatter(x=x, y=np.where(part, e.mean, np.nan), mode="lines", line=line,
                       name=name if is_seen else f"{name}, no rows", showlegend=is_seen,
                       hovertemplate=hover)
        )  # fmt: skip
    return traces


def _levels(e: EffectCurves, x: Any) -> list[Any]:
    """Dots with whiskers instead of lines: names have no order."""
    traces = []
    for g, mean in enumerate(e.group_means):
        mark = {"color": CLASS_COLORS[g % len(CLASS_COLORS)], "size": 8}
        shift = 0.08 * (g + 1)
        traces.append(
            go.Scatter(x=np.asarray(x) + shift, y=mean, mode="markers", name=e.groups[g],
                       marker=mark)
        )  # fmt: skip
    whiskers = {"array": e.high - e.mean, "color": LIGHT.accent, "width": 6}
    traces.append(
        go.Scatter(x=x, y=e.mean, mode="markers", name=f"mean ± sd of {e.n_folds} folds",
                   error_y=whiskers, marker={"color": LIGHT.accent, "size": 11})
    )  # fmt: skip
    return traces


def reading(e: EffectCurves | None) -> str:
    """From where to where the mean goes, and whether the rows agree."""
    if e is None:
        return NOTHING
    name = e.variable.name
    if not len(e.mean):
        return f"{name} holds names, which have no order; its effects cannot be accumulated."
    low, high = int(e.mean.argmin()), int(e.mean.argmax())
    what = f"{e.wording} {e.output}"
    if np.ptp(e.mean) == 0:
        return f"{what} does not change with {name}."
    size = float(np.abs(e.mean).max())
    text = (
        f"{what} is {rough_beside(float(e.mean[low]), size)} at the lowest, with {name} "
        f"{value_text(e.variable, float(e.grid[low]))}, and "
        f"{rough_beside(float(e.mean[high]), size)} at the "
        f"highest, with {value_text(e.variable, float(e.grid[high]))}."
    )
    return text + _hidden(e) + _unseen(e) + _now(e)


def _unseen(e: EffectCurves) -> str:
    """How much of the axis is a guess."""
    if e.near.all():
        return ""
    away = int((~e.near).sum())
    return (
        f" {away} of the {len(e.near)} values asked {plural(away, 'is', 'are')} near no training "
        "row: there the curves are faded, and a guess."
    )


def _now(e: EffectCurves) -> str:
    if e.own is None:
        return ""
    value = value_text(e.variable, float(e.own.values[e.own.at]))
    return f" With the ring: row {e.own.row}, which has {value} now, by the model of all rows."


def _hidden(e: EffectCurves) -> str:
    """Whether the mean hides that rows differ: curves that run another way than it does."""
    if not len(e.curves) or e.variable.levels:
        return " Whiskers are the models of the folds." if e.variable.levels else ""
    rises = e.curves[:, -1] - e.curves[:, 0]
    against = (rises * (e.mean[-1] - e.mean[0]) < -0.01 * np.ptp(e.mean) ** 2).mean()
    if against > 0.1:
        return f" The mean hides that {100 * against:.0f} % of the rows go the other way."
    return " Thin: single rows; band: the folds; below: where there are rows."


def table(e: EffectCurves | None) -> tuple[TableColumn, ...]:
    """One line a value of the variable."""
    if e is None:
        return (TableColumn("value", ()),)
    columns = [
        TableColumn(e.variable.name, tuple(value_text(e.variable, v) for v in e.grid))
        if e.variable.levels else TableColumn(e.variable.name, e.grid),
        TableColumn(f"mean, {e.output}", e.mean),
    ]  # fmt: skip
    if len(e.low):
        columns += [TableColumn("mean - sd of the folds", e.low)]
        columns += [TableColumn("mean + sd of the folds", e.high)]
    columns += [TableColumn(f"mean where {e.groups[g]}", m) for g, m in enumerate(e.group_means)]
    return tuple(columns)
