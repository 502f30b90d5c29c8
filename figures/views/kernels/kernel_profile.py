"""How a kernel falls with the distance from one row: alike near by, strangers far away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import numbered
from figures.drawing.traces import HEIGHT, named_line
from figures.numbers.sampled import drawn_rows
from figures.options import Options
from figures.theme import LIGHT, class_color, class_symbol, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.kernels.kernel import Kernel
from mlcore.runs.carry import Whole
from mlcore.spine.params import integer
from mlcore.spine.wording import percent, rough
from mlcore.svm.capabilities import HasSupportVectors

MOST_ROWS = 2_000
PLACES = 201  # on the curve
EXACT = 1e-9  # of the largest value: where directions differ by less, the distance alone counts


class Profile(NamedTuple):
    """Likeness to one row, of rows and, where the distance alone counts, at every distance."""

    row: int  # the number of the row in the table
    away: np.ndarray  # (m,) distances from it, in units of the prepared columns
    alike: np.ndarray  # (m,) values of the kernel
    own: float  # that of the row with itself
    klass: np.ndarray  # (m,) 0 where there are no classes
    names: tuple[str, ...]
    rows: np.ndarray  # (m,) numbers in the table
    at: np.ndarray  # (PLACES,) distances of the curve, or (0,) where directions differ
    curve: np.ndarray  # of the same shape
    kernel_text: str

    @property
    def half(self) -> float:
        """The distance at which likeness first is half of its value at the row; NaN if none."""
        below = np.flatnonzero(self.curve <= self.own / 2)
        if self.own <= 0 or not len(below):
            return np.nan
        k = int(below[0])
        return float(np.interp(-self.own / 2, -self.curve[k - 1 : k + 1], self.at[k - 1 : k + 1]))


@dataclass(frozen=True, kw_only=True)
class ProfileOptions(Options):
    """What may be chosen of the picture."""

    row: int | None = integer(
        None, low=1, soft=(1, 200), or_none="the row nearest to the mean", label="Row",
        doc="The number of the row in the table from which distances are measured.",
    )  # fmt: skip


@view(
    "kernel_profile",
    title="Kernel by distance",
    asks=HasSupportVectors,
    options=ProfileOptions,
    on="svm",
    order=71,
    sources=("prac:kernel_matrix", "cs1:gram_matrix"),
    synonyms=("radial profile", "width of the kernel", "similarity", "bandwidth"),
)
def kernel_profile(dataset: Dataset, whole: Whole, *, options: ProfileOptions) -> View:
    """The kernel of every row with one of them, by their distance in the prepared columns.

    Where the distance alone counts, all rows lie on the curve. A kernel of products, or one with a
    width a column, gives rows at one distance different values.
    """
    p = numbers(dataset, whole, row=options.row)
    return joined(p, draw, reading, table, note="columns as prepared", rows=p.rows)


def numbers(dataset: Dataset, whole: Whole, *, row: int | None = None) -> Profile:
    """From the row of that number in the table, or the nearest number that there is."""
    Z, kernel = whole.prepared.transform(dataset.X), whole.fit.kernel
    if row is None:
        at = int(((Z - Z.mean(axis=0)) ** 2).sum(axis=1).argmin())
    else:
        at = int(np.abs(dataset.rows + 1 - row).argmin())
    some = np.union1d(drawn_rows(len(Z), MOST_ROWS), [at])
    like = kernel.against(Z[at][None])
    away = np.sqrt(((Z[some] - Z[at]) ** 2).sum(axis=1))
    is_class = dataset.task == "classification"
    places, curve = _curve(kernel, Z[at], float(away.max()))
    settings = kernel.settings_text()
    return Profile(
        int(dataset.rows[at]), away, like(Z[some])[:, 0], float(like(Z[at][None])[0, 0]),
        np.asarray(dataset.y)[some] if is_class else np.zeros(len(some), dtype=np.int64),
        dataset.classes if is_class else ("rows",), dataset.rows[some], places, curve,
        f"{kernel.title()}, {settings}" if settings else kernel.title(),
    )  # fmt: skip


def _curve(kernel: Kernel, x: np.ndarray, far: float) -> tuple[np.ndarray, np.ndarray]:
    """Distances and values along a line from x, (p,); empty where lines differ."""
    p, at = len(x), np.linspace(0.0, far, PLACES)
    ways = np.array([np.eye(p)[0], -np.eye(p)[-1], np.ones(p) / np.sqrt(p)])
    like = kernel.against(x[None])
    every = np.array([like(x + at[:, None] * way)[:, 0] for way in ways])
    apart = np.abs(every - every[0]).max()
    is_radial = far > 0 and apart <= EXACT * max(float(np.abs(every).max()), 1e-300)
    return (at, every[0]) if is_radial else (np.empty(0), np.empty(0))


def draw(p: Profile) -> go.Figure:
    """A mark a row in the colour of its class; the curve behind, and where it has halved."""
    traces: list[Any] = []
    if len(p.at):
        traces.append(
            go.Scatter(
                x=p.at, y=p.curve, mode="lines", name="at every distance",
                line={"color": LIGHT.accent, "width": 2}, hoverinfo="skip",
            )
        )  # fmt: skip
    for k, name in enumerate(p.names):
        own = p.klass == k
        if own.any():
            marks = go.Scatter(
                x=p.away[own], y=p.alike[own], mode="markers", name=name,
                marker={"color": class_color(k), "symbol": class_symbol(k), "size": 6,
                        "opacity": 0.7, "line": {"width": 0}},
                text=[f"row {row + 1}" for row in p.rows[own]],
                hovertemplate="%{text}<br>distance %{x:.4~g}<br>alike %{y:.4~g}<extra></extra>",
            )  # fmt: skip
            traces.append(numbered(marks, p.rows[own]))
    fig = figure(
        *traces, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": f"Distance from row {p.row + 1}"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "Value of the kernel"}},
    )  # fmt: skip
    return named_line(fig, "half", x=p.half) if np.isfinite(p.half) else fig


def reading(p: Profile) -> str:
    """How far likeness reaches, and how many rows that is."""
    text = f"{p.kernel_text}. "
    if not len(p.at):
        best = int(np.where(p.rows == p.row, -np.inf, p.alike).argmax())
        text += "Rows at one distance differ in what they have in common with the row. "
        return f"{text}The most alike is row {p.rows[best] + 1}, {rough(float(p.alike[best]))}."
    if not np.isfinite(p.half):
        return f"{text}Within the rows likeness does not fall to half of its value at the row."
    share = float((p.away < p.half).mean())
    text += f"Likeness has halved at a distance of {rough(p.half)}, "
    return f"{text}within which {percent(share)} of the rows lie."


def table(p: Profile) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("row", p.rows + 1),
        TableColumn("class", np.array(p.names)[p.klass]),
        TableColumn("distance", p.away),
        TableColumn("value of the kernel", p.alike),
    )
