"""The conditions of an optimal support vector machine, and how far they are from holding."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.words import fitted_on
from figures.numbers.optimality import OF_NO_ROW, SUM, Conditions, conditions_of
from figures.theme import CLASS_COLORS, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, listed
from mlcore.svm.capabilities import HasOptimum

HEIGHT = 320
LEAST = 1e-16  # a residual of rounding or none
CLOSE = 1e-3  # above which a condition is said not to hold
NUMERALS = {4: "four", 5: "five", 6: "six", 7: "seven"}


@view(
    "kkt_table",
    title="Optimality conditions",
    asks=HasOptimum,
    on="svm regression",
    order=53,
    sources=("epfl:svm_kkt", "cs1:kkt_check", "prac:svm_kkt", "s841:kkt_checker"),
    synonyms=("KKT", "Karush-Kuhn-Tucker", "complementary slackness", "duality gap"),
)
def kkt_table(dataset: Dataset, whole: Whole) -> View:
    """The conditions of Karush, Kuhn and Tucker, each with its largest residual.

    α is the multiplier of a row, C its bound, or the price of a squared slack. Of classes s is the
    side of a row, -1 or 1, and f the output there, which is -1 and 1 on the margins. Of a quantity
    r is the target less the prediction, s its sign and ε half the width of the tube; residuals of
    rows are then in standard deviations of the target. Of a region s is the sum of the kernel and ρ
    that on its border, and residuals of rows are shares of ρ. At the solution no residual is left
    but that of the tolerance.
    """
    c = conditions_of(dataset, whole)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole))


def draw(c: Conditions) -> go.Figure:
    """A dot a condition; one that holds to the last digit stands at the left edge."""
    shown = np.maximum(c.residual, LEAST)
    texts = [
        f"{name}<br>residual {value:.3g}" + (f", row {row + 1}" if row >= 0 and value else "")
        for name, value, row in zip(c.names, c.residual, c.worst, strict=True)
    ]
    is_met = c.residual <= CLOSE
    top = max(0.5, float(np.log10(shown.max())) + 0.3)
    dots = go.Scatter(
        x=shown, y=c.names, mode="markers", text=texts,
        hovertemplate="%{text}<extra></extra>",
        marker={"size": 12, "color": [CLASS_COLORS[0 if met else 1] for met in is_met],
                "symbol": ["circle" if met else "diamond" for met in is_met]},
    )  # fmt: skip
    return figure(
        dots, height=HEIGHT, showlegend=False,
        xaxis={"title": {"text": "Largest residual"}, "type": "log", "range": [-16.5, top],
               "tickvals": [1e-16, 1e-12, 1e-8, 1e-4, 1.0],
               "ticktext": ["0", "10⁻¹²", "10⁻⁸", "10⁻⁴", "1"]},
        yaxis={"autorange": "reversed"},
    )  # fmt: skip


def reading(c: Conditions) -> str:
    """Whether the fit is a solution, and which rows decide on the border."""
    broken = [name for name, value in zip(c.names, c.residual, strict=True) if value > CLOSE]
    if broken:
        text = f"Not met within {CLOSE:g}: {listed(broken)}. The solver stopped before the solution"
        text += ", or the kernel is not positive definite."
    else:
        text = f"All {NUMERALS[len(c.names)]} hold; the largest residual is {c.residual.max():.2g}."
    where = f" In {c.machines} machines, a row in each that has it," if c.machines > 1 else " There"
    text += f"{where} are {count(c.without, 'row')} without multiplier"
    if c.bound:
        text += f", {c.on_edge} between the bounds and {c.at_bound} at {c.bound}."
    else:
        text += f" and {c.on_edge} with one."
    if not c.on_edge and SUM in c.names:
        text += " With none between the bounds the offset may lie anywhere in an interval."
    return text


def table(c: Conditions) -> tuple[TableColumn, ...]:
    """One line a condition."""
    each = zip(c.names, c.rows, strict=True)
    rows = ["" if name in OF_NO_ROW else str(n) for name, n in each]
    return (
        TableColumn("condition", c.names),
        TableColumn("largest residual", c.residual),
        TableColumn("rows", rows),
        TableColumn("worst row", ["" if row < 0 else str(row + 1) for row in c.worst]),
    )
