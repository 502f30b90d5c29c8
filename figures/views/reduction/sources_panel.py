"""Sources that were unmixed: each along the rows, and its distribution beside a normal one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.histograms import BINS, density_bars, normal_curve
from figures.drawing.words import fitted_on
from figures.graph import make_subplots
from figures.numbers.sampled import drawn_rows
from figures.theme import NO_TEMPLATE, class_color
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.reduction.capabilities import HasSources
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, listed, plural

ROW, ROOM = 110, 90  # pixels of a source, and of titles
MOST = 6  # sources that are drawn
MOST_ROWS = 2_000  # along a line: more hide each other
ALL = {1: "The source is", 2: "Both sources are"}


class Sources(NamedTuple):
    """The first sources, and how far each is from normal."""

    names: tuple[str, ...]  # (q,)
    rows: np.ndarray  # (m,) numbers in the table, rising
    values: np.ndarray  # (m, q)
    negentropies: np.ndarray  # (q,) of all training rows
    is_normal: np.ndarray  # (q,)
    total: int  # sources that there are


@view(
    "sources_panel",
    title="Sources",
    asks=HasSources,
    on="reduction report",
    order=221,
    is_wide=True,
    sources=("epfl:ica_density_recovery", "mi2:bss_audio_demo"),
    synonyms=("independent components", "signals", "unmixed signals", "negentropy"),
)
def sources_panel(dataset: Dataset, whole: Whole) -> View:
    """Each source in the order of the rows, and how often it has which value.

    Values are in standard deviations. The line over the bars is the normal density, which a
    mixture of many sources comes near to.
    """
    s = numbers(dataset, whole)
    return joined(s, draw, reading, table, note=fitted_on(dataset, whole), rows=s.rows)


def numbers(dataset: Dataset, whole: Whole) -> Sources:
    """The sources of all rows, or of some that are drawn."""
    fit = whole.fit
    at = drawn_rows(dataset.n, MOST_ROWS)
    q = min(len(fit.negentropies), MOST)
    values = fit.transform(whole.prepared.transform(dataset.X[at]))[:, :q]
    names = tuple(column.name for column in fit.out_columns[:q])
    return Sources(
        names, dataset.rows[at], values, fit.negentropies[:q], fit.is_normal[:q],
        len(fit.negentropies),
    )  # fmt: skip


def draw(s: Sources) -> go.Figure:
    """A line of panels a source: its course, and its bars with the normal curve."""
    q = len(s.names)
    fig: go.Figure = make_subplots(
        q, 2, column_widths=[0.68, 0.32], horizontal_spacing=0.1, shared_xaxes=True,
        vertical_spacing=min(0.06, 0.3 / max(q, 1)),
    )  # fmt: skip
    fig.update_layout(
        template=NO_TEMPLATE, height=ROOM + ROW * max(q, 2), showlegend=False, bargap=0.0
    )
    for k in range(q):
        fig.add_trace(_course(s, k), row=k + 1, col=1)
        for trace in _distribution(s, k):
            fig.add_trace(trace, row=k + 1, col=2)
        fig.update_yaxes(title={"text": s.names[k]}, row=k + 1, col=1)
        fig.update_yaxes(showticklabels=False, row=k + 1, col=2)
    fig.update_xaxes(title={"text": "Row"}, row=q, col=1)
    return fig.update_xaxes(title={"text": "Value"}, row=q, col=2)


def _course(s: Sources, k: int) -> go.Scatter:
    return go.Scatter(
        x=s.rows + 1, y=s.values[:, k].astype(np.float32), mode="lines", name=s.names[k],
        line={"color": class_color(k), "width": 1.2},
        hovertemplate="row %{x}<br>%{y:.3~f}<extra></extra>",
    )  # fmt: skip


def _distribution(s: Sources, k: int) -> tuple[go.Bar, go.Scatter]:
    heights, edges = np.histogram(s.values[:, k], BINS, density=True)
    return density_bars(heights, edges, class_color(k)), normal_curve()


def reading(s: Sources) -> str:
    """Which sources are told from normal ones."""
    normal = [name for name, is_normal in zip(s.names, s.is_normal, strict=True) if is_normal]
    q = len(s.names)
    if not normal:
        text = f"{ALL.get(q, f'All {q} sources are')} farther from normal than by chance."
    elif len(normal) == 1 and q > 1:
        text = f"{normal[0]} is no farther from normal than chance; the others are."
    else:
        ways = "Its direction is" if len(normal) == 1 else "Their directions are"
        text = f"{listed(normal)} {plural(len(normal), 'is', 'are')} no farther from normal than "
        text += f"chance. {ways} arbitrary."
    if s.total > q:
        text += f" {q} of {count(s.total, 'source')} are drawn, the least normal first."
    return text


def table(s: Sources) -> tuple[TableColumn, ...]:
    """One line a row."""
    columns = (TableColumn(name, s.values[:, k]) for k, name in enumerate(s.names))
    return TableColumn("row", s.rows + 1), *columns
