"""What sets the clusters apart: each in words, beside its means in the most telling columns."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across, numbered
from figures.drawing.traces import axis_name, value_text
from figures.graph import make_subplots
from figures.names import cut, cut_apart
from figures.numbers.sampled import drawn_rows
from figures.options import Options
from figures.theme import LIGHT, NO_TEMPLATE, class_color, class_symbol
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.group_profiles import BOLD, NAMED, Trait, plain_name, profiles, words
from mlcore.runs.carry import Whole
from mlcore.runs.labels import NOISE
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasLattice
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer
from mlcore.spine.wording import count, listed, percent, plural

FIRST = 6  # columns that are drawn unasked
MOST_GROUPS = 40  # that are drawn; of more clusters the largest
MOST_WORDS = 5
LINE = 34  # characters of a line of words
HEADING = 16  # of the name of a column
ROW, HEAD = 52, 56  # pixels of a cluster, and of the names of the columns
WORDS = 0.36  # of the width, for names and words
EDGE = 1.15  # of the largest score, where a cell ends on the left
TEXT = 2.4  # of the reach of the bars, for the value beside them
# Not `<b>`, which a name of the table may hold too.
STRONG = '<span style="font-weight:bold">{}</span>'
LEAST_SHARE = 0.01  # of variance between clusters: columns below it tell nothing


class Groups(NamedTuple):
    """The clusters, noise last, and the columns, the most telling first."""

    names: tuple[str, ...]  # (K,)
    codes: tuple[int, ...]  # (K,) -1 is noise
    sizes: tuple[int, ...]
    words: tuple[tuple[tuple[str, float], ...], ...]  # (K,) of what and how strong
    traits: tuple[Trait, ...]  # all that are not constant
    shown: int  # of them
    rows: tuple[np.ndarray, ...]  # (K,) some row numbers of the table
    n_groups: int  # clusters in all, without noise


@dataclass(frozen=True, kw_only=True)
class ProfileOptions(Options):
    """What may be chosen of the picture."""

    columns: int = integer(
        FIRST, low=1, high=24, soft=(2, 12), label="Columns",
        doc="How many columns are drawn, the most telling first.",
    )  # fmt: skip


@view(
    "cluster_profiles",
    title="What sets the clusters apart",
    asks=HasLabels,
    unless=HasLattice,  # whose planes tell every column of its many units
    options=ProfileOptions,
    on="clustering report",
    order=265,
    is_wide=True,
    synonyms=("cluster profiles", "cluster interpretation", "persona", "snake plot", "describe"),
)
def cluster_profiles(dataset: Dataset, whole: Whole, *, options: ProfileOptions) -> View:
    """Each cluster in words, and its means against all rows, in units of the table.

    Of columns of names the level that stands out is told. Memberships count by the largest.
    """
    g = numbers(dataset, whole, columns=options.columns)
    _check(g)
    note = "cluster mean against all rows; bar in standard deviations, line = sd within"
    return joined(g, draw, reading, table, note=note)


def numbers(dataset: Dataset, whole: Whole, *, columns: int = FIRST) -> Groups:
    """Profiles of the largest clusters, over at most 20 000 rows."""
    at, labels = drawn_rows(dataset.n), whole.labels(dataset.X)
    every, sizes = np.unique(labels[labels >= 0], return_counts=True)
    kept = np.sort(every[np.argsort(-sizes, kind="stable")][:MOST_GROUPS])
    noise = [-1] if (labels < 0).any() else []
    codes = [*(int(k) for k in kept), *noise]
    some = labels[at]
    is_kept = np.isin(some, codes)
    at, some = at[is_kept], some[is_kept]
    traits = profiles(dataset.X[at], dataset.columns, some)
    # Of very many rows the sample may have missed a small cluster: it then has no profile.
    codes = [k for k in codes if (some == k).any()]
    return Groups(
        tuple(NOISE if k < 0 else f"cluster {k + 1}" for k in codes),
        tuple(codes),
        tuple(int((labels == k).sum()) for k in codes),
        tuple(words(traits, i) for i in range(len(codes))),
        traits,
        min(columns, max(sum(t.share >= LEAST_SHARE for t in traits), 1), len(traits)),
        tuple(dataset.rows[at[some == k]] for k in codes),
        len(every),
    )


def draw(g: Groups) -> go.Figure:
    """A row a cluster: name and words, then a cell a column with bar, line and number."""
    shown, k = g.traits[: g.shown], len(g.names)
    fig: Any = make_subplots(
        1, len(shown) + 1, shared_yaxes=True, horizontal_spacing=0.012,
        column_widths=[WORDS, *[(1 - WORDS) / len(shown)] * len(shown)],
    )  # fmt: skip
    fig.update_layout(template=NO_TEMPLATE, height=HEAD + ROW * k + 20, showlegend=False)
    fig.update_layout(margin={"l": 8, "r": 8, "t": HEAD, "b": 12}, bargap=0.5)
    fig.update_xaxes(visible=False, fixedrange=True)
    fig.update_yaxes(visible=False, fixedrange=True, range=[k - 0.5, -0.5])
    _named(fig, g)
    heads = cut_apart((axis_name(trait.column.name) for trait in shown), HEADING)
    for j, (trait, head) in enumerate(zip(shown, heads, strict=True)):
        _cell(fig, g, trait, j + 2, head)
    return fig


def _check(g: Groups) -> None:
    """Raise DataError where nothing can be set apart."""
    if len(g.names) < 2:
        k = g.n_groups
        raise DataError(
            f"Clusters are told by what sets them apart; there {plural(k, 'is', 'are')} "
            f"{count(k, 'cluster')}. Ask for more clusters."
        )
    if not g.traits:
        raise DataError("No column of these rows varies: nothing sets the clusters apart.")


def _named(fig: Any, g: Groups) -> None:
    """Names with their sizes and the words, and a mark that selects the rows of a cluster."""
    fig.update_xaxes(range=[0, 1], row=1, col=1)
    marker = {
        "color": [class_color(k) for k in g.codes],
        "symbol": [class_symbol(k) for k in g.codes],
        "size": 10,
    }
    mark = go.Scatter(
        x=[0.02] * len(g.names), y=list(range(len(g.names))), mode="markers", marker=marker,
        text=g.names, hovertemplate="%{text}: click selects its rows<extra></extra>",
    )  # fmt: skip
    fig.add_trace(numbered(mark, [rows.tolist() for rows in g.rows]), row=1, col=1)
    sizes = (count(size, "row") for size in g.sizes)
    names = [f"<b>{name}</b><br>{size}" for name, size in zip(g.names, sizes, strict=True)]
    fig.add_trace(_written(0.05, names), row=1, col=1)
    fig.add_trace(_written(0.3, [_lines(told) for told in g.words]), row=1, col=1)
    head = {"y": 1, "yref": "paper", "yanchor": "bottom", "xref": "x", "xanchor": "left"}
    fig.add_annotation(x=0.05, text="Cluster", yshift=6, **head)
    rule = f"In words, from {NAMED:g} sd; bold from {BOLD:g}"
    fig.add_annotation(x=0.3, text=rule, yshift=6, **head)


def _written(x: float, texts: list[str], size: int | None = None) -> go.Scatter:
    """A text in each row from x on: one trace, where a note a row takes seconds for 40 rows."""
    return go.Scatter(
        x=[x] * len(texts), y=list(range(len(texts))), text=texts, mode="text",
        textposition="middle right", textfont={"color": LIGHT.text, "size": size},
        cliponaxis=False, hoverinfo="skip",
    )  # fmt: skip


def _lines(told: tuple[tuple[str, float], ...]) -> str:
    """The words in lines, the strong ones bold, the strongest first."""
    if not told:
        return "much like all rows"
    strong = {text for text, score in told if abs(score) >= BOLD}
    parts = [text for text, _ in told[:MOST_WORDS]]
    # Words are kept together by marks that wrap() does not cut, and made bold afterwards.
    # A comma stands behind each, so that what was cut still fits a line.
    joined_up = wrap(", ".join(cut(p, LINE - 1).replace(" ", "\0") for p in parts), LINE)
    lines = "<br>".join(joined_up[:3]).replace("\0", " ")
    for text in strong & set(parts):
        short = cut(text, LINE - 1)
        lines = lines.replace(short, STRONG.format(short), 1)
    return lines


def _cell(fig: Any, g: Groups, trait: Trait, col: int, head: str) -> None:
    """Bars of one column, with the spread inside each cluster as a line, and the values."""
    place = {"row": 1, "col": col}
    reach = EDGE * max(1.0, float(np.nanmax(np.abs(trait.scores) + trait.spreads)))
    fig.update_xaxes(range=[-reach, reach * (1 + TEXT)], **place)
    fig.add_trace(
        go.Bar(
            x=trait.scores, y=list(range(len(g.names))), orientation="h",
            marker={"color": [class_color(k) for k in g.codes]},
            error_x={"array": trait.spreads, "color": LIGHT.text, "thickness": 1.2, "width": 0},
            text=[_value(trait, i) for i in range(len(g.names))], textposition="none",
            customdata=list(g.names),
            hovertemplate="%{customdata}<br>%{text}<br>%{x:.2f} sd from all rows<extra></extra>",
        ),
        **place,
    )  # fmt: skip
    across(fig, x=0, on=col, line={"color": LIGHT.hairline, "width": 1.5})
    fig.add_trace(_written(reach * 1.02, _values(trait), 12), **place)
    axis = {"xref": f"x{col}", "xanchor": "left", "align": "left"}
    name = f"{head}<br>{_between(trait.share)} between"
    fig.add_annotation(x=-reach, y=1, yref="paper", yanchor="bottom", yshift=6,
                       text=name, hovertext=trait.column.name, **axis)  # fmt: skip


def _values(trait: Trait) -> list[str]:
    """Beside the bars, bold where they are long; none where there is no bar."""
    strong = np.abs(trait.scores) >= BOLD
    texts = [_value(trait, i) if np.isfinite(s) else "" for i, s in enumerate(trait.scores)]
    return [STRONG.format(text) if is_strong else text
            for text, is_strong in zip(texts, strong, strict=True)]  # fmt: skip


def _value(trait: Trait, i: int) -> str:
    """The mean of a cluster, or the level that stands out in it with its share."""
    if trait.levels:
        return f"{cut(trait.levels[i], 9)}<br>{percent(float(trait.means[i]))}"
    return value_text(trait.column, float(trait.means[i]))


def _between(share: float) -> str:
    """A share in so few letters that the head of the next column is clear of it."""
    return percent(min(round(share, 3), 1.0))


def reading(g: Groups) -> str:
    """The columns that set the clusters apart most, and the cluster that is told best."""
    first = g.traits[0]
    text = f"What sets the clusters apart most is {plain_name(first.column.name)}: "
    text += f"{percent(first.share)} of its variance lies between them."
    best = max(range(len(g.names)), key=lambda i: abs(g.words[i][0][1]) if g.words[i] else 0.0)
    if g.words[best]:
        told = listed(what for what, _ in g.words[best][:3])
        name = g.names[best]
        text += f" {name[:1].upper()}{name[1:]} stands out most: {told}."
    if g.n_groups > MOST_GROUPS:
        text += f" The {MOST_GROUPS} largest of {g.n_groups} clusters are drawn."
    return text


def table(g: Groups) -> tuple[TableColumn, ...]:
    """One line a cluster and a column."""
    lines = [(i, trait) for i in range(len(g.names)) for trait in g.traits]
    return (
        TableColumn("cluster", [g.names[i] for i, _ in lines]),
        TableColumn("rows", np.array([g.sizes[i] for i, _ in lines], dtype=np.int64)),
        TableColumn("in words", [listed((w for w, _ in g.words[i]), 9) for i, _ in lines]),
        TableColumn("column", [trait.column.name for _, trait in lines]),
        TableColumn("level", [t.levels[i] if t.levels else "" for i, t in lines]),
        TableColumn("mean or share", np.array([t.means[i] for i, t in lines])),
        TableColumn("sd from all rows", np.array([t.scores[i] for i, t in lines])),
        TableColumn("sd within, in sd of all", np.array([t.spreads[i] for i, t in lines])),
        TableColumn("share between clusters", np.array([t.share for _, t in lines])),
    )
