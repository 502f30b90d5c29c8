"""The subsets of the variables by size, and the way of a search through them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import color_bar, empty
from figures.names import cut
from figures.numbers.subsets import NONE, Stand, player_of, search_of
from figures.recording import Changes
from figures.theme import LIGHT, SEQUENTIAL, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.preparation.capabilities import SearchesVariables
from mlcore.preparation.chain import Prepared
from mlcore.spine.wording import count, listed, rough, spaced

LEVEL, ROOM, HIGHEST = 72, 110, 620  # pixels between two sizes, around them, and of the picture
NARROW = 36  # pixels between two sizes where only the way is drawn
MOST_NAMED = 40  # subsets that are named by the move that led there
MOST_TURNED = 4  # variables that one move names; a complete search changes more at a time
MINUS = "\N{MINUS SIGN}"
HERE = "here"  # the trace that the player moves


class Lattice(NamedTuple):
    """Subsets by size; all of them where they are few, else those that were visited."""

    subsets: np.ndarray  # (m, d)
    x: np.ndarray  # (m,) place within the size
    J: np.ndarray  # (m,) NaN where it was not scored
    edges: np.ndarray  # (e, 2) pairs of subsets that differ by one variable
    path: np.ndarray  # (t,) the subsets that were visited, in order
    kept: int
    names: tuple[str, ...]  # (d,)
    is_whole: bool

    @property
    def size(self) -> np.ndarray:
        """How many variables each has, shape (m,)."""
        return self.subsets.sum(axis=1)


@view("subset_lattice", title="Lattice of subsets", sources=("cs1:vs_exhaustive",))
def subset_lattice(prepared: Prepared) -> View:
    """Every subset of few variables, or those visited of many, with J and the way of the search."""
    s = numbers(prepared)
    player = player_of(search_of(prepared), lambda stand: _frame(s, stand))
    return joined(s, draw, reading, table, note="all rows, J as the search sees it", player=player)


def numbers(prepared: Prepared) -> Lattice:
    """Of the last step that searches; empty without one."""
    fit = search_of(prepared)
    if fit is None:
        none = np.zeros((0, 0))
        edges = np.zeros((0, 2), dtype=int)
        return Lattice(none, none[0:0].sum(axis=1), none.sum(axis=1), edges, edges[:, 0], -1, (),
                       is_whole=True)  # fmt: skip
    if not len(fit.lattice):
        return _visited(fit)
    return whole(fit.variables, fit.lattice, fit.path, fit.chosen)


def whole(names: tuple[str, ...], J: np.ndarray, path: np.ndarray, kept: np.ndarray) -> Lattice:
    """All 2^d subsets; those of one size in the order of the variables.

    `J` has the first variable as highest bit, NaN where it is not known; `path`, shape (t, d), are
    the subsets that were visited, and `kept`, shape (d,), is the one that was kept.
    """
    d = len(names)
    bits = 1 << np.arange(d)[::-1]
    places = np.arange(2**d)
    subsets = (places[:, None] & bits) > 0
    below = [(place & ~bit, place) for place in places for bit in bits if place & bit]
    # Numbers fall as the first variables leave, so the first subset of a size stands leftmost.
    x = _spread(subsets.sum(axis=1), -places)
    return Lattice(subsets, x, J, np.array(below), path @ bits, int(kept @ bits), names, True)


def _visited(fit: SearchesVariables) -> Lattice:
    """What the search visited, and what it keeps, joined as it moved."""
    visits = np.concatenate([fit.path, fit.chosen[None]])
    subsets, first, at = np.unique(visits, axis=0, return_index=True, return_inverse=True)
    at = at.reshape(-1)
    values = np.append(fit.path_values, fit.best[int(fit.chosen.sum())])
    path, kept = at[:-1], int(at[-1])
    edges = np.column_stack([path[:-1], path[1:]])
    x = _spread(subsets.sum(axis=1), first)
    return Lattice(subsets, x, values[first], edges, path, kept, fit.variables, False)


def _spread(size: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Places side by side within each size, about 0, in the given order, shape (m,)."""
    x = np.zeros(len(size))
    for k in np.unique(size):
        own = np.flatnonzero(size == k)
        x[own[np.argsort(order[own])]] = np.arange(len(own)) - (len(own) - 1) / 2
    return x


def _frame(s: Lattice, stand: Stand) -> Changes:
    at = int((s.subsets == stand.members).all(axis=1).argmax())
    return {_trace(HERE): {"x": s.x[[at]], "y": s.size[[at]].astype(float)}}


def _trace(name: str) -> int:
    return ("edges", "path", "subsets", HERE).index(name)


def draw(s: Lattice) -> go.Figure:
    """A mark a subset, coloured by J and open where it was not scored; the way as a thick line."""
    if not s.names:
        return empty(NONE)
    sizes = np.unique(s.size)
    level = LEVEL if s.is_whole else NARROW
    height = min(ROOM + level * max(len(sizes), 3), HIGHEST)
    fig = figure(
        _edges(s),
        go.Scatter(x=s.x[s.path], y=s.size[s.path], mode="lines", name="way", hoverinfo="skip",
                   line={"color": class_color(1), "width": 3}),
        _marks(s),
        _here(s),
        _unknown(s),
        height=height,
        xaxis={"visible": False},
        yaxis={"title": {"text": "Number of variables"}, "showgrid": False,
               "tickvals": sizes[:: max(1, len(sizes) // 12)]},
        showlegend=False,
    )  # fmt: skip
    return _named(fig, s)


def _edges(s: Lattice) -> go.Scatter:
    gap = np.full(len(s.edges), np.nan)
    low, high = s.edges.T
    return go.Scatter(
        x=np.column_stack([s.x[low], s.x[high], gap]).ravel(),
        y=np.column_stack([s.size[low], s.size[high], gap]).ravel(),
        mode="lines",
        hoverinfo="skip",
        line={"color": faded(LIGHT.quiet, 0.3), "width": 1},
    )


def _marks(s: Lattice) -> go.Scatter:
    """Subsets that were scored, by their J."""
    known = np.isfinite(s.J)
    marker = {
        "size": 15,
        "color": s.J[known],
        "colorscale": SEQUENTIAL,
        "colorbar": color_bar("J"),
        "line": {"color": LIGHT.quiet, "width": 1},
    }
    return _subsets(s, known, marker)


def _unknown(s: Lattice) -> go.Scatter:
    """Subsets that nobody has asked for."""
    marker = {"size": 13, "symbol": "circle-open", "color": LIGHT.quiet}
    return _subsets(s, ~np.isfinite(s.J), marker)


def _subsets(s: Lattice, shown: np.ndarray, marker: dict[str, Any]) -> go.Scatter:
    at = np.flatnonzero(shown)
    return go.Scatter(
        x=s.x[at], y=s.size[at], mode="markers", marker=marker,
        text=[f"{_subset_text(s, i)}<br>{_value(s.J[i])}" for i in at.tolist()],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _here(s: Lattice) -> go.Scatter:
    mark = {"symbol": "circle-open", "size": 26, "color": class_color(1), "line": {"width": 3}}
    return go.Scatter(
        x=s.x[[s.kept]], y=s.size[[s.kept]].astype(float), mode="markers", marker=mark,
        hoverinfo="skip",
    )  # fmt: skip


def _named(fig: go.Figure, s: Lattice) -> go.Figure:
    """What moved, beside each subset of a way; else the subset that is kept. Changes `fig`."""
    font: dict[str, Any] = {"color": LIGHT.text, "size": 12}
    if not s.is_whole and len(s.x) <= MOST_NAMED:
        for i, text in _moves(s).items():
            fig.add_annotation(x=float(s.x[i]), y=float(s.size[i]), text=text, font=font,
                               xanchor="left", xshift=16, showarrow=False)  # fmt: skip
        # Without a range the names of a way that is one column would stand outside the picture.
        return fig.update_xaxes(range=[float(s.x.min()) - 0.6, float(s.x.max()) + 0.9])
    names = [name for name, inside in zip(s.names, s.subsets[s.kept], strict=True) if inside]
    kept_text = f"kept: {listed(names) if names else 'nothing'}"
    return fig.add_annotation(
        x=float(s.x[s.kept]), y=float(s.size[s.kept]), text=kept_text, font=font,
        bgcolor=faded(LIGHT.background, 0.8), yshift=24, showarrow=False,
    )  # fmt: skip


def _moves(s: Lattice) -> dict[int, str]:
    """Who came in or went out when a subset was first visited, by its place."""
    moves: dict[int, str] = {}
    for before, now in pairwise(s.path.tolist()):
        turned = np.flatnonzero(s.subsets[before] != s.subsets[now])
        texts = (f"{'+' if s.subsets[now, v] else MINUS} {cut(s.names[v], 16)}" for v in turned)
        moves.setdefault(now, ", ".join(texts) if len(turned) <= MOST_TURNED else "")
    return moves


def _subset_text(s: Lattice, i: int) -> str:
    names = [name for name, inside in zip(s.names, s.subsets[i], strict=True) if inside]
    return ", ".join(names) or "none"


def _value(J: float) -> str:
    return f"J = {rough(J)}" if np.isfinite(J) else "not scored"


def reading(s: Lattice) -> str:
    """How many subsets there are, how many were scored or visited, and where the search ended."""
    if not s.names:
        return NONE
    if s.is_whole:
        text = f"{count(len(s.x), 'subset')} of {count(len(s.names), 'variable')}; "
        text += f"J is known of {int(np.isfinite(s.J).sum())}."
    else:
        text = f"{count(len(s.x), 'subset')} visited of the {_power(len(s.names))} there are."
    downward = int((np.diff(s.size[s.path]) < 0).sum())
    steps = len(s.path) - 1
    text += f" The search took {count(steps, 'step')}"
    mixed = 0 < downward < steps
    text += f", {downward} of them downwards." if mixed else "."
    return f"{text} Kept: {_subset_text(s, s.kept)}, {_value(s.J[s.kept])}."


def _power(d: int) -> str:
    """2^d, written out as far as it can be read."""
    return spaced(2**d) if d <= 20 else f"2^{d}"


def table(s: Lattice) -> tuple[TableColumn, ...]:
    """One line a subset."""
    visited = np.isin(np.arange(len(s.x)), s.path)
    return (
        TableColumn("variables", s.size if len(s.names) else np.array([])),
        TableColumn("subset", tuple(_subset_text(s, i) for i in range(len(s.x)))),
        TableColumn("J", s.J),
        TableColumn("visited", tuple("visited" if v else "" for v in visited)),
    )
