"""Every sequence as a strip of its states: the likeliest path, and the likeliest states below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import legend_entry, mark_of, numbered
from figures.names import cut
from figures.numbers.sequences import in_sequences, sequences_of
from figures.options import Options
from figures.recording import Changes
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasHiddenStates
from mlcore.spine.params import choice
from mlcore.spine.wording import count, percent

MOST, CELLS = 24, 600  # strips that are drawn, and cells of the longest
ROW, HEAD, LEAST = 27, 110, 240  # pixels: a strip with its gap, what is around, the whole
THICK, THIN, GAP = 0.56, 0.2, 0.24  # shares of a strip: path, states by themselves, nothing
NUMBERED = 0.035  # of the width: a stay that is as long bears its number
LETTER = 6  # pixels, beside the strips, of each letter about their ends
LONGEST = 14  # letters of the name of a sequence
STRIPS, FRAMES, STAYS, ENDS = "strips", "frames", "stays", "ends"


class Strips(NamedTuple):
    """Sequences in the order in which they are drawn, the first on top."""

    rows: tuple[slice, ...]  # (s,) of the data set
    names: tuple[str, ...]  # (s,)
    X: np.ndarray  # (n, p) of all sequences
    lengths: np.ndarray  # (k,) of all sequences
    path: np.ndarray  # (n,)
    states: np.ndarray  # (n,)
    state_names: tuple[str, ...]  # (N,)
    impossible: int  # sequences whose likeliest states are no path
    marks: np.ndarray  # (s,) what a click on a strip names
    where: str


@dataclass(frozen=True, kw_only=True)
class StripOptions(Options):
    """In which order the strips stand."""

    order: str = choice(
        "table", "table", "longest", "differences", label="Order",
        doc="As in the table, the longest first, or those first whose two paths differ most.",
    )  # fmt: skip


@view(
    "state_strips",
    title="Sequences and their states",
    asks=HasHiddenStates,
    options=StripOptions,
    on="sequences report compare",
    order=55,
    share=2,
    sources=("epfl:hmm_viterbi", "epfl:hmm_posterior_decode"),
    synonyms=("decoding", "Viterbi path", "state sequence", "segmentation of sequences"),
)
def state_strips(dataset: Dataset, whole: Whole, *, options: StripOptions) -> View:
    """The likeliest path of each sequence, below it the likeliest state of each row by itself."""
    s = numbers(dataset, whole, options.order)
    return joined(s, draw, reading, table, note=f"fitted on {s.where}", step=step)


def numbers(dataset: Dataset, whole: Whole, order: str = "table") -> Strips:
    """Both paths of every sequence, and which are drawn."""
    fit: Any = whole.fit
    every = sequences_of(dataset, whole)
    decoded = fit.decoded(every.X, every.lengths)
    differ = np.add.reduceat(decoded.likeliest_path != decoded.likeliest_states, every.first)
    rank = {"table": np.arange(len(differ)), "longest": -every.lengths, "differences": -differ}
    drawn = np.argsort(rank[order], kind="stable")[:MOST]
    return Strips(
        tuple(every.span(int(k)) for k in drawn), tuple(every.names[k] for k in drawn),
        every.X, every.lengths, decoded.likeliest_path, decoded.likeliest_states,
        fit.state_names, int(np.isneginf(decoded.states_scores).sum()),
        np.array([mark_of(dataset, "sequence", int(k)) for k in drawn]), in_sequences(every),
    )  # fmt: skip


def draw(s: Strips) -> go.Figure:
    """One heat map of all strips; frames where the two paths differ; numbers on long stays."""
    n, width, longest = len(s.rows), _width(s), _longest(s)
    edges = np.concatenate([[k, k + THICK, k + THICK + THIN] for k in range(n)] + [[n]])
    cells = _cells(s)
    strips = go.Heatmap(
        z=cells, x0=width / 2, dx=width, y=edges, zmin=-0.5, zmax=len(s.state_names) + 0.5,
        colorscale=_scale(len(s.state_names)), showscale=False, uid=STRIPS,
        hovertemplate="row %{x:.0f}, state %{z}<extra></extra>",
    )  # fmt: skip
    numbered(strips, np.repeat(s.marks, 3)[:, None] + np.zeros_like(cells, dtype=np.int64))
    keys = [legend_entry(name, k) for k, name in enumerate(s.state_names)]
    height = max(HEAD + ROW * n, LEAST)
    middles = [k + THICK / 2 for k in range(n)]
    return figure(
        strips, *keys, _frames(s), _stays(s), _ends(s),
        height=height,
        showlegend=True,
        margin={"r": LETTER * max(len(text) for text in _end_texts(s))},
        xaxis={"title": {"text": "Row of the sequence"}, "range": [0, longest * 1.01],
               "zeroline": False, "showgrid": False},
        yaxis={"range": [n, -0.15], "tickvals": middles, "zeroline": False, "showgrid": False,
               "ticktext": [cut(name, LONGEST) for name in s.names]},
    )  # fmt: skip


def _longest(s: Strips) -> int:
    return max(own.stop - own.start for own in s.rows)


def _width(s: Strips) -> int:
    """Rows in a cell: a strip that is longer than the screen is wide is drawn by majorities."""
    return -(-_longest(s) // CELLS)


def _scale(n: int) -> list[tuple[float, str]]:
    colors = ["rgba(0,0,0,0)", *(class_color(k) for k in range(n))]
    return [(at / (n + 1), color) for k, color in enumerate(colors) for at in (k, k + 1)]


def _cells(s: Strips) -> np.ndarray:
    """State from 1 of each cell, 0 where there is nothing: three lines a strip."""
    width = _width(s)
    z = np.zeros((3 * len(s.rows), -(-_longest(s) // width)), dtype=np.int16)
    for k, own in enumerate(s.rows):
        for line, states in ((0, s.path), (1, s.states)):
            cells = _majorities(states[own], width, len(s.state_names))
            z[3 * k + line, : len(cells)] = cells + 1
    return z


def _majorities(states: np.ndarray, width: int, n: int) -> np.ndarray:
    if width == 1:
        return states
    counts = np.zeros((-(-len(states) // width), n))
    np.add.at(counts, (np.arange(len(states)) // width, states), 1.0)
    return counts.argmax(axis=1)


def _runs(values: np.ndarray) -> list[tuple[int, int]]:
    """Begin and end of each piece of equal values."""
    cuts = [int(at) + 1 for at in np.flatnonzero(np.diff(values))]
    return list(zip([0, *cuts], [*cuts, len(values)], strict=True))


def _frames(s: Strips) -> go.Scatter:
    """A frame around each piece in which the two paths differ."""
    x, y = _frame_lines(s)
    return go.Scatter(
        x=x, y=y, mode="lines", name="the two paths differ", uid=FRAMES, hoverinfo="skip",
        line={"color": LIGHT.text, "width": 1.5}, showlegend=len(x) > 1,
    )  # fmt: skip


def _frame_lines(s: Strips) -> tuple[list[float], list[float]]:
    x, y = [np.nan], [np.nan]
    for k, own in enumerate(s.rows):
        differ = s.path[own] != s.states[own]
        for begin, end in _runs(differ):
            if differ[begin]:
                top, bottom = k - 0.05, k + THICK + THIN + 0.05
                x += [begin, end, end, begin, begin, np.nan]
                y += [top, top, bottom, bottom, top, np.nan]
    return x, y


def _stays(s: Strips) -> go.Scatter:
    """The number of the state on each stay that is long enough."""
    x, y, text = _stay_marks(s)
    return go.Scatter(
        x=x, y=y, text=text, mode="text", uid=STAYS, hoverinfo="skip", showlegend=False,
        textfont={"size": 11, "color": "white"},
    )  # fmt: skip


def _stay_marks(s: Strips) -> tuple[list[float], list[float], list[str]]:
    least, marks = NUMBERED * _longest(s), []
    for k, own in enumerate(s.rows):
        path = s.path[own]
        marks += [
            ((begin + end) / 2, k + THICK / 2, str(path[begin] + 1))
            for begin, end in _runs(path)
            if end - begin >= least
        ]
    x, y, text = zip(*marks, strict=True) if marks else ((), (), ())
    return list(x), list(y), list(text)


def _ends(s: Strips) -> go.Scatter:
    """How long each strip is, and at how many rows the two paths differ."""
    return go.Scatter(
        x=[own.stop - own.start for own in s.rows], y=[k + THICK / 2 for k in range(len(s.rows))],
        text=_end_texts(s), mode="text", textposition="middle right", uid=ENDS, hoverinfo="skip",
        textfont={"size": 11, "color": LIGHT.quiet}, showlegend=False, cliponaxis=False,
    )  # fmt: skip


def _end_texts(s: Strips) -> list[str]:
    texts = []
    for own in s.rows:
        differ = int((s.path[own] != s.states[own]).sum())
        texts.append(f" {own.stop - own.start}" + (f" · {differ}" if differ else ""))
    return texts


def step(s: Strips, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the states, and what follows from them."""
    fit: Any = whole.fit
    decoded = fit.decoded(s.X, s.lengths)
    now = s._replace(path=decoded.likeliest_path, states=decoded.likeliest_states)
    (x, y), stays = _frame_lines(now), _stay_marks(now)
    return {
        at[STRIPS]: {"z": _cells(now)},
        at[FRAMES]: {"x": x, "y": y, "showlegend": len(x) > 1},
        at[STAYS]: {"x": stays[0], "y": stays[1], "text": stays[2]},
        at[ENDS]: {"text": _end_texts(now)},
    }


def reading(s: Strips) -> str:
    """How much the two paths differ, and whether the lower one can be taken."""
    n, differ = len(s.path), int((s.path != s.states).sum())
    shares = np.bincount(s.path, minlength=len(s.state_names)) / n
    most = int(shares.argmax())
    name = s.state_names[most]
    text = (
        f"{name[:1].upper()}{name[1:]} holds most rows, {percent(float(shares[most]))} of {n:,}. "
    )
    if differ:
        text += f"The likeliest path (thick) and the likeliest states (thin) differ at {differ:,} "
        text += "of them: a path has to be walked, a state is asked of its row alone."
    else:
        text += "The likeliest path (thick) and the likeliest states (thin) are the same."
    if s.impossible:
        text += f" In {count(s.impossible, 'sequence')} the likeliest states are no path at all."
    if len(s.rows) < len(s.lengths):
        text += f" {len(s.rows)} of {len(s.lengths):,} sequences are drawn."
    if (width := _width(s)) > 1:
        text += f" A cell is the commonest state of {width} rows."
    return text


def table(s: Strips) -> tuple[TableColumn, ...]:
    """One line a row of the data set."""
    k = len(s.lengths)
    place = np.arange(len(s.path)) - np.repeat(np.cumsum(s.lengths) - s.lengths, s.lengths)
    return (
        TableColumn("sequence", np.repeat(np.arange(1, k + 1), s.lengths)),
        TableColumn("row", place + 1),
        TableColumn("likeliest path", s.path + 1),
        TableColumn("likeliest state", s.states + 1),
    )
