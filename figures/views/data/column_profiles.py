"""A small histogram or bar chart a column, by class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import dated
from figures.drawing.words import drawn_of
from figures.graph import make_subplots
from figures.names import cut
from figures.numbers.profiles import Profile, profile
from figures.numbers.sampled import sampled
from figures.theme import LIGHT, NO_TEMPLATE, class_color
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.wording import count, listed, percent

MOST_COLUMNS = 16
ACROSS = 4
ROW = 170  # pixels a row of small charts
GAP = 64  # pixels between two rows: the ticks of one, the names of the next
TOP = 44  # pixels for the legend and the names of the first row
SMALL = "#7F8FA9"  # bars without a class; bears the light and the dark background


class Profiles(NamedTuple):
    """The first columns of a data set, in bins."""

    profiles: tuple[Profile, ...]
    classes: tuple[str, ...]
    n: int
    n_columns: int


@view(
    "column_profiles",
    title="Distributions",
    on="data",
    order=10,
    synonyms=("histogram", "box plot", "density plot"),
)
def column_profiles(dataset: Dataset) -> View:
    """How the values of each column are distributed, by class where the target has classes."""
    p = numbers(dataset)
    return joined(p, draw, reading, table, note=drawn_of(p.n, dataset.n))


def numbers(dataset: Dataset) -> Profiles:
    """Profiles of the first 16 columns, over at most 20 000 rows."""
    dataset = sampled(dataset)
    shown = range(min(len(dataset.columns), MOST_COLUMNS))
    profiles = tuple(profile(dataset, j) for j in shown)
    return Profiles(profiles, dataset.classes, dataset.n, len(dataset.columns))


def draw(p: Profiles) -> go.Figure:
    """Bars of the classes stand on one another, so that the outline is the whole column."""
    across = min(ACROSS, len(p.profiles))
    down = -(-len(p.profiles) // across)
    titles = [f"{cut(one.column.name, 20)}{_missing_text(one, p.n)}" for one in p.profiles]
    height = ROW * down + (24 if p.classes else 0)
    fig: Any = make_subplots(
        down,
        across,
        subplot_titles=titles,
        horizontal_spacing=0.05,
        vertical_spacing=GAP / (height - TOP) if down > 1 else 0.0,
    )
    fig.update_layout(template=NO_TEMPLATE, height=height, barmode="stack", bargap=0.06)
    fig.update_annotations(font={"size": 13, "color": LIGHT.text})
    for name, one in zip(fig.layout.annotations, p.profiles, strict=True):
        name.hovertext = _profile_text(one)
    for i, one in enumerate(p.profiles):
        row, col = i // across + 1, i % across + 1
        bars = _bars(one, p, first=i == 0)
        fig.add_traces(bars, rows=[row] * len(bars), cols=[col] * len(bars))
        if one.labels:
            short = [cut(label, 9) for label in one.labels]
            fig.update_xaxes(tickvals=list(range(len(short))), ticktext=short, row=row, col=col)
    fig.update_xaxes(nticks=4, showgrid=False, tickangle=0)
    fig.update_layout(showlegend=bool(p.classes), legend_y=1 + 44 / (height - TOP), margin_t=TOP)
    return fig.update_yaxes(showticklabels=False, ticks="", showgrid=False, showline=False)


def _profile_text(one: Profile) -> str:
    """The whole name of a column, how many values it has, the range, and those missing."""
    text = f"{one.column.name}: {count(one.distinct, 'different value')}"
    if not one.column.levels and len(one.edges) > 1:
        first, last = _bin_text(one, 0), _bin_text(one, len(one.edges) - 2)
        text += f" from {first.split(' to ')[0]} to {last.split(' to ')[-1]}"
    return f"{text}, {count(one.missing, 'row')} without"


def _missing_text(one: Profile, n: int) -> str:
    if not one.missing:
        return ""
    return f" <span style='font-size:11px'>{percent(one.missing / n)} missing</span>"


def _bars(one: Profile, p: Profiles, *, first: bool) -> list[go.Bar]:
    middles = (one.edges[:-1] + one.edges[1:]) / 2
    texts = [_bin_text(one, i) for i in range(len(middles))]
    return [
        marks.numbered(
            go.Bar(
                x=middles if one.labels else dated(middles, one.column.kind),
                y=one.counts[:, k],
                name=name,
                legendgroup=name,
                showlegend=first and bool(p.classes),
                marker_color=class_color(k) if p.classes else SMALL,
                text=texts,
                textposition="none",
                hovertemplate=f"%{{text}}<br>%{{y}} rows<extra>{name}</extra>",
            ),
            [rows.tolist() for rows in one.rows[k]],
        )
        for k, name in enumerate(p.classes or ("rows",))
    ]


def _bin_text(one: Profile, i: int) -> str:
    if one.labels:
        return one.labels[i]
    ends = dated(one.edges[i : i + 2], one.column.kind)
    if one.column.kind == "datetime":
        return f"{str(ends[0])[:10]} to {str(ends[1])[:10]}"
    return f"{ends[0]:.4g} to {ends[1]:.4g}"


def reading(p: Profiles) -> str:
    """How many columns of what kind, and which have missing values."""
    names = sum(bool(one.column.levels) for one in p.profiles)
    text = f"{count(len(p.profiles), 'column')} over {count(p.n, 'row')}: "
    text += f"{len(p.profiles) - names} of numbers, {names} of names."
    incomplete = sorted((one for one in p.profiles if one.missing), key=lambda one: -one.missing)
    if incomplete:
        texts = [f"{one.column.name} in {count(one.missing, 'row')}" for one in incomplete]
        text += f" Missing: {listed(texts)}."
    if p.classes:
        text += f" Bars stand on one another from {p.classes[0]} up, in the order of the legend."
    if p.n_columns > len(p.profiles):
        text += f" The first {len(p.profiles)} of {p.n_columns} columns are drawn."
    return text


def table(p: Profiles) -> tuple[TableColumn, ...]:
    """One line a bin of a column."""
    bins = [(one, i) for one in p.profiles for i in range(len(one.counts))]
    classes = p.classes or ("rows",)
    counts = (
        TableColumn(name, np.array([one.counts[i, k] for one, i in bins], dtype=np.int64))
        for k, name in enumerate(classes)
    )
    return (
        TableColumn("column", [one.column.name for one, _ in bins]),
        TableColumn(
            "different values", np.array([one.distinct for one, _ in bins], dtype=np.int64)
        ),
        TableColumn("value", [_bin_text(one, i) for one, i in bins]),
        *counts,
    )
