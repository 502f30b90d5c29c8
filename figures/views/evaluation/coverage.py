"""Promised against found coverage of intervals and of label sets, over levels and by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import dash_of
from figures.graph import make_subplots
from figures.numbers.coverage import LEVELS, Coverage, Line, coverage, groupable
from figures.numbers.left_out import note_of
from figures.options import Offered, Options, Values, among
from figures.theme import LIGHT, NO_TEMPLATE, band, class_color, class_symbol
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Outcome
from mlcore.spine.capabilities import GivesProbabilities, Predicts
from mlcore.spine.params import column, real
from mlcore.spine.wording import count, number, percent, plural, rough

HEIGHT = 460
ROW = 34  # pixels of a group
SHARES = (0.66, 0.34)  # of the picture: the coverage, and the size
SYNONYMS = (
    "conformal prediction", "coverage", "prediction interval", "calibration of intervals",
    "conditional coverage", "coverage by group",
)  # fmt: skip


def _groups(offered: Offered) -> Values:
    return {None: "nothing"} | {name: name for name in groupable(offered["dataset"])}


@dataclass(frozen=True, kw_only=True)
class CoverageOptions(Options):
    """By what the rows are told apart, and what is promised there."""

    by: str | None = among(
        column(
            None, or_none="nothing", label="By group",
            doc="A column: its levels, or the quarters of its values, are the groups.",
        ),
        _groups,
    )  # fmt: skip
    level: float = real(
        0.9, low=0.5, high=0.99, soft=(0.5, 0.99), label="Coverage",
        doc="The share that is promised, where rows are told apart by group and in the sentence.",
    )  # fmt: skip


@view(
    "interval_coverage",
    title="Coverage of intervals",
    asks=Predicts,
    options=CoverageOptions,
    on="regression report compare",
    order=132,
    synonyms=SYNONYMS,
)
def interval_coverage(dataset: Dataset, outcome: Outcome, *, options: CoverageOptions) -> View:
    """How often intervals hold the truth of rows left out, against what they promise."""
    c = coverage(dataset, outcome, options.level, options.by)
    return joined(c, draw, reading, table, note=_note(outcome))


@view(
    "label_coverage",
    title="Coverage of label sets",
    asks=GivesProbabilities,
    options=CoverageOptions,
    on="classification report compare",
    order=172,
    synonyms=(*SYNONYMS, "prediction sets"),
)
def label_coverage(dataset: Dataset, outcome: Outcome, *, options: CoverageOptions) -> View:
    """How often sets of labels hold the class of rows left out, against what they promise."""
    c = coverage(dataset, outcome, options.level, options.by)
    return joined(c, draw, reading, table, note=_note(outcome))


def _note(outcome: Outcome) -> str:
    others = "each judged by the others" if len(outcome.done) > 1 else "either half by the other"
    return f"{note_of(outcome)}, {others}"


def draw(c: Coverage) -> go.Figure:
    """Curves over the levels, or a dot a group where rows are told apart."""
    return _by_group(c) if c.groups else _over_levels(c)


def _size_name(c: Coverage) -> str:
    return "Mean labels" if c.unit == "labels" else "Mean width"


def _over_levels(c: Coverage) -> go.Figure:
    """Found against promised, with the band of chance; the mean size below."""
    fig: Any = make_subplots(2, 1, shared_xaxes=True, row_heights=SHARES, vertical_spacing=0.06)
    x = np.concatenate([LEVELS, LEVELS[::-1]])
    y = np.concatenate([c.band[:, 0], c.band[::-1, 1]])
    around = {"fill": "toself", "fillcolor": band(LIGHT.quiet), "mode": "none"}
    fig.add_trace(go.Scatter(x=x, y=y, hoverinfo="skip", showlegend=False, **around), 1, 1)
    dotted = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
    kept = {"x": LEVELS, "y": LEVELS, "mode": "lines", "line": dotted, "showlegend": False}
    fig.add_trace(go.Scatter(**kept, hoverinfo="skip"), 1, 1)
    for k, line in enumerate(c.lines):
        fig.add_trace(_curve(line, k, line.observed, "found %{y:.3f}"), 1, 1)
        finite = np.where(np.isfinite(line.size), line.size, np.nan)
        fig.add_trace(_curve(line, k, finite, f"{_size_name(c).lower()} %{{y:.4~g}}", False), 2, 1)
    fig.update_yaxes(title={"text": "Found coverage"}, row=1, col=1)
    fig.update_yaxes(title={"text": _size_name(c)}, rangemode="tozero", row=2, col=1)
    fig.update_xaxes(title={"text": "Promised coverage"}, row=2, col=1)
    return fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=True)


def _curve(line: Line, k: int, y: np.ndarray, what: str, is_named: bool = True) -> go.Scatter:
    style = {"color": class_color(k), "dash": dash_of(k)}
    marks = {"color": class_color(k), "symbol": class_symbol(k), "size": 7}
    return go.Scatter(
        x=line.levels, y=y, mode="lines+markers", name=line.name, line=style, marker=marks,
        legendgroup=line.name, showlegend=is_named,
        hovertemplate=f"{line.name}<br>promised %{{x}}, {what}<extra></extra>",
    )  # fmt: skip


def _by_group(c: Coverage) -> go.Figure:
    """A dot with its interval a group and way; the mean size beside it."""
    fig: Any = make_subplots(1, 2, shared_yaxes=True, column_widths=SHARES, horizontal_spacing=0.04)
    names = list(dict.fromkeys(g.group for g in c.groups))
    for k, line in enumerate(c.lines):
        mine = [g for g in c.groups if g.way == k]
        # Ways stand a little apart, so that their intervals do not cover one another.
        y = [names.index(g.group) + 0.22 * (k - (len(c.lines) - 1) / 2) for g in mine]
        fig.add_trace(_dots(k, line, mine, y), 1, 1)
        fig.add_trace(_sizes(c, k, line, mine, y), 1, 2)
    fig.add_vline(x=c.level, line={"color": LIGHT.quiet, "dash": "dot", "width": 1.5}, col=1)
    sizes = {name: next(g.n for g in c.groups if g.group == name) for name in names}
    ticks = [f"{name} ({sizes[name]:,})" for name in names]
    fig.update_yaxes(
        tickvals=list(range(len(names))), ticktext=ticks, range=[len(names) - 0.5, -0.5],
        automargin=True,
    )  # fmt: skip
    fig.update_xaxes(title={"text": f"Found, {rough(c.level)} promised"}, row=1, col=1)
    fig.update_xaxes(title={"text": _size_name(c)}, rangemode="tozero", row=1, col=2)
    height = max(220, 130 + ROW * len(names) * max(1, len(c.lines) - 1))
    return fig.update_layout(template=NO_TEMPLATE, height=height, showlegend=True)


def _dots(k: int, line: Line, mine: list[Any], y: list[float]) -> go.Scatter:
    x = np.array([g.observed for g in mine])
    error = {
        "type": "data", "array": [g.high - g.observed for g in mine],
        "arrayminus": [g.observed - g.low for g in mine], "thickness": 1.5, "width": 0,
    }  # fmt: skip
    return go.Scatter(
        x=x, y=y, error_x=error, mode="markers", name=line.name, legendgroup=line.name,
        marker={"color": class_color(k), "symbol": class_symbol(k), "size": 9},
        text=[f"{g.group}, n = {g.n:,}" for g in mine],
        hovertemplate=f"%{{text}}<br>{line.name}: %{{x:.3f}}<extra></extra>",
    )  # fmt: skip


def _sizes(c: Coverage, k: int, line: Line, mine: list[Any], y: list[float]) -> go.Scatter:
    size = [g.size if np.isfinite(g.size) else None for g in mine]
    what = _size_name(c).lower()
    return go.Scatter(
        x=size, y=y, mode="markers", name=line.name, legendgroup=line.name, showlegend=False,
        marker={"color": class_color(k), "symbol": class_symbol(k), "size": 8},
        text=[g.group for g in mine],
        hovertemplate=f"%{{text}}<br>{line.name}: {what} %{{x:.4~g}}<extra></extra>",
    )  # fmt: skip


def reading(c: Coverage) -> str:
    """What was found where the level was promised, and the group that is served worst."""
    parts = []
    for line in c.lines:
        at = int(np.abs(line.levels - c.level).argmin())
        level, share = float(line.levels[at]), float(line.observed[at])
        size = line.size[at]
        what = f"{rough(float(size))} {'labels' if c.unit == 'labels' else 'wide'} on average"
        wide = what if np.isfinite(size) else "as too few rows say more, without ends"
        parts.append(f"{line.name} {percent(share)} of {percent(level)} promised, {wide}")
    text = f"Truth inside for {count(c.n, c.of)} left out: {'; '.join(parts)}."
    return f"{text} {_worst(c) if c.groups else _off(c)}".strip()


def _off(c: Coverage) -> str:
    """Which line leaves the band of chance."""
    off = []
    for line in c.lines:
        low, high = (np.interp(line.levels, LEVELS, side) for side in c.band.T)
        if (line.observed < low - 1e-9).any():
            off.append(f"{line.name}: fewer than chance explains")
        elif (line.observed > high + 1e-9).any():
            off.append(f"{line.name}: more than chance explains, and wider than needed")
    if not off:
        return "All lie within what chance allows (grey band)."
    return f"Rows inside at some level, {'; '.join(off)}."


def _worst(c: Coverage) -> str:
    """The group of which least is covered, by the first way."""
    first = [g for g in c.groups if g.way == 0]
    worst = min(first, key=lambda g: g.observed)
    more = c.n_groups - len(first)
    text = (
        f"Of the groups by {c.by}, {c.lines[0].name} hold least of {worst.group}: "
        f"{percent(worst.observed)} of {count(worst.n, 'row')}, likely {percent(worst.low)} to "
        f"{percent(worst.high)}. The promise is for all rows together and not for each group."
    )
    if more <= 0:
        return text
    return f"{text} The {count(more, 'smallest group')} {plural(more, 'is', 'are')} not drawn."


def table(c: Coverage) -> tuple[TableColumn, ...]:
    """One line a level and way, or a group and way."""
    if c.groups:
        return (
            TableColumn("group", tuple(g.group for g in c.groups)),
            TableColumn("intervals or sets", tuple(c.lines[g.way].name for g in c.groups)),
            TableColumn("rows", np.array([g.n for g in c.groups])),
            TableColumn("found coverage", np.array([g.observed for g in c.groups])),
            TableColumn("from", np.array([g.low for g in c.groups])),
            TableColumn("to", np.array([g.high for g in c.groups])),
            TableColumn(_size_name(c).lower(), [number(g.size) for g in c.groups]),
        )
    lines = c.lines
    return (
        TableColumn("intervals or sets", tuple(x.name for x in lines for _ in x.levels)),
        TableColumn("promised coverage", np.concatenate([x.levels for x in lines])),
        TableColumn("found coverage", np.concatenate([x.observed for x in lines])),
        TableColumn(_size_name(c).lower(), [number(v) for x in lines for v in x.size]),
    )
