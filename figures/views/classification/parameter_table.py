"""What independent columns know of each class: shares, means and widths, or frequencies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import SIGNED
from figures.drawing.words import fitted_on
from figures.names import TICK, cut
from figures.numbers.projections import straight
from figures.numbers.rules import classes_of
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import HasParametersByClass
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, percent, rough, rough_beside, rough_value

MOST = 24  # lines that are drawn, those that part the classes most
ROW, ROOM = 26, 90  # pixels: a line, the names above
FAR = 2.0  # widths, or powers of e of a frequency, from which on the colour is full
LETTER, DIGIT, GAPS = 7, 6, 10  # pixels
MOST_ROWS = 500  # on which it is seen whether a column was only shifted and scaled
FLAT = 0.02  # of a mean: a smaller width gives it no more digits
STILL = 1e-3  # of a mean: a smaller width is that of a column that does not vary in the class
PRIOR = "share of the class"


class Parameters(NamedTuple):
    """One line the prior, a column of numbers, or a level of a column of names."""

    classes: tuple[str, ...]  # (K,)
    names: tuple[str, ...]  # (r,) the prior first
    values: np.ndarray  # (r, K) means, or shares
    widths: np.ndarray  # (r, K) standard deviations; NaN where the values are shares
    away: np.ndarray  # (r, K) from the mean of the classes: in widths, or as a log ratio
    order: np.ndarray  # (r,) lines by how far they part the classes, the prior first

    @property
    def drawn(self) -> np.ndarray:
        """The lines that are drawn."""
        return self.order[:MOST]

    def text(self, line: int, k: int) -> str:
        """What a cell says."""
        value, width = float(self.values[line, k]), float(self.widths[line, k])
        if np.isnan(width):
            return "" if np.isnan(value) else percent(value)
        widest = float(self.widths[line].max())
        if width < STILL * max(abs(value), widest):
            return rough_beside(value, widest)
        return f"{rough_value(value, max(width, FLAT * abs(value)))} ± {rough(width, width)}"


@view(
    "parameter_table",
    title="Parameters of the classes",
    asks=HasParametersByClass,
    on="classification report compare",
    order=117,
    sources=("s841:naive_bayes_gaussian", "s841:naive_bayes_discrete"),
    synonyms=("means and variances", "frequencies", "priors", "class-conditional parameters"),
)
def parameter_table(dataset: Dataset, whole: Whole) -> View:
    """All that is known of each class: its share, means with standard deviations, frequencies.

    Colours say on which side of the classes' mean a class lies, in widths, or how many times as
    frequent a level is: by these alone classes are told apart. Columns that were only shifted and
    scaled are in units of the table, others as prepared.
    """
    p = numbers(dataset, whole)
    return joined(p, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> Parameters:
    """The lines in the order of the columns, and how far each parts the classes."""
    fit: Any = whole.fit
    K, back = len(fit.classes), _back(dataset, whole.prepared)
    lines = [(-1, PRIOR, fit.prior, np.full(K, np.nan))]
    for at, j in enumerate(fit.numeric):
        scale, shift = back.get(int(j), (1.0, 0.0))
        center, width = scale * fit.centers[:, at] + shift, abs(scale) * fit.widths[:, at]
        lines.append((int(j), fit.columns[j].name, center, width))
    for each in fit.frequencies:
        column = fit.columns[each.column]
        for level, shares in zip(column.levels, each.shares.T, strict=True):
            lines.append((each.column, f"{column.name} {level}", shares, np.full(K, np.nan)))
    lines.sort(key=lambda line: line[0])  # stable: levels keep theirs
    values, widths = (np.array([line[at] for line in lines], dtype=float) for at in (2, 3))
    away = _away(values, widths, fit.prior)
    apart = np.ptp(np.nan_to_num(away), axis=1)
    apart[0] = np.inf
    order = np.argsort(-apart, kind="stable")
    names = tuple(line[1] for line in lines)
    return Parameters(classes_of(fit, dataset), names, values, widths, away, order)


def _back(dataset: Dataset, prepared: Prepared) -> dict[int, tuple[float, float]]:
    """Scale and shift back to the table, by prepared column; of those that have any."""
    some = np.unique(np.linspace(0, dataset.n - 1, MOST_ROWS).astype(np.int64))
    Z = prepared.transform(dataset.X[some])
    own: dict[str, list[int]] = {}
    for j, column in enumerate(prepared.columns):
        own.setdefault(column.variable, []).append(j)
    back = {}
    for at, column in enumerate(dataset.columns):
        if len(made := own.get(column.name, [])) == 1:
            way = straight(dataset.X[some, at], Z[:, made[0]])
            back |= {made[0]: way} if way else {}
    return back


def _away(values: np.ndarray, widths: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """From the mean by the shares of the classes: in mean widths, or as a log ratio, (r, K)."""
    middle = values @ prior
    width = np.sqrt(widths**2 @ prior)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(values / middle[:, None])
        apart = (values - middle[:, None]) / width[:, None]
    away = np.where(np.isnan(widths), np.clip(ratio, -2 * FAR, 2 * FAR), apart)
    away[0] = 0.0  # the prior parts no rows
    return away


def draw(p: Parameters) -> go.Figure:
    """A cell a line and class: its numbers, on the colour of its side."""
    lines = p.drawn
    text = [[p.text(line, k) for k in range(len(p.classes))] for line in lines]
    names = [p.names[line] for line in lines]
    cells = go.Heatmap(
        z=p.away[lines], zmin=-FAR, zmax=FAR, colorscale=SIGNED, showscale=False,
        x=list(p.classes), y=names, text=text, texttemplate="%{text}", xgap=2, ygap=2,
        hovertemplate="%{y}, %{x}<br>%{text}<extra></extra>",
    )  # fmt: skip
    fig = figure(
        cells, height=ROOM + ROW * max(len(lines), 3),
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": "", "type": "category"},
        xaxis={"side": "top", "showgrid": False, "ticks": "", "type": "category", "tickangle": 0},
    )  # fmt: skip
    beside = max(len(cut(name, TICK)) for name in names)
    heads = [cut(name, TICK) for name in p.classes]
    cell = max(map(len, [*(each for row in text for each in row), *heads]))
    least = LETTER * beside + len(p.classes) * (DIGIT * cell + GAPS)
    return fig.update_layout(meta={"least": least})


def reading(p: Parameters) -> str:
    """Which line parts the classes most, and between which of them."""
    if len(p.order) == 1:
        return "There is no column: every row is said to be of the commonest class."
    line = int(p.order[1])
    high, low = int(np.nanargmax(p.away[line])), int(np.nanargmin(p.away[line]))
    if high == low:
        return "No column parts the classes: all have the same means and frequencies."
    text = f"{p.names[line]} parts the classes most: {p.text(line, high)} in {p.classes[high]}, "
    text += f"{p.text(line, low)} in {p.classes[low]}."
    text += " After ± stands the standard deviation." if np.isfinite(p.widths).any() else ""
    more = len(p.order) - MOST
    return text + (f" The {MOST} lines of {count(len(p.order), 'line')} that part them most are "
                   "drawn." if more > 0 else "")  # fmt: skip


def table(p: Parameters) -> tuple[TableColumn, ...]:
    """One line the prior, a column of numbers, or a level."""
    columns = [TableColumn("parameter", p.names)]
    for k, name in enumerate(p.classes):
        columns.append(TableColumn(f"{name}: mean or share", p.values[:, k]))
        if np.isfinite(p.widths).any():
            columns.append(TableColumn(f"{name}: standard deviation", p.widths[:, k]))
    return tuple(columns)
