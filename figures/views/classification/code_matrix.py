"""The code of several classes: which rule parts which, and how well."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.words import fitted_on
from figures.numbers.rules import classes_of, sides
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.multiclass_codes import distances
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_members import HasCodeMatrix, HasMemberErrors
from mlcore.spine.wording import count, percent

LINE, ROOM, LEAST = 34, 130, 240  # pixels a class, beside the classes, and of the picture
FEW = 12  # rules whose signs and errors fit into the cells
STRONG = 0.6
SCALE = [
    (0.0, faded(CLASS_COLORS[1], STRONG)), (1 / 3, faded(CLASS_COLORS[1], STRONG)),
    (1 / 3, LIGHT.background), (2 / 3, LIGHT.background),
    (2 / 3, faded(CLASS_COLORS[0], STRONG)), (1.0, faded(CLASS_COLORS[0], STRONG)),
]  # fmt: skip
SIGNS = {1.0: "+", 0.0: "", -1.0: "–"}


class CodeMap(NamedTuple):
    """The code, and what each of its rules does to its own rows."""

    code: np.ndarray  # (K, B) of -1, 0 and 1
    classes: tuple[str, ...]
    sides: list[tuple[str, str]]  # (B,) positive and negative
    errors: np.ndarray  # (B,) share of its own training rows
    counts: np.ndarray  # (B,) of these
    distances: np.ndarray  # (K, K) between the words


@view(
    "code_matrix",
    title="Output code matrix",
    asks=(HasCodeMatrix, HasMemberErrors),
    on="classification report",
    order=110,
    sources=("prac:multiclass_reduction", "epfl:multiclass_combine"),
)
def code_matrix(dataset: Dataset, whole: Whole) -> View:
    """A line a class, a column a rule: on which side of it the class stands, and its errors."""
    c = numbers(dataset, whole)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> CodeMap:
    """The code of the fit by the names of the classes."""
    fit, names = whole.fit, classes_of(whole.fit, dataset)
    return CodeMap(
        fit.code, names, sides(fit.code, names), fit.errors, fit.counts, distances(fit.code)
    )


def draw(c: CodeMap) -> go.Figure:
    """Blue for the positive side, orange for the negative, nothing for classes without a part."""
    K, B = c.code.shape
    texts = [f"{a} against {b}" for a, b in c.sides]
    heat = go.Heatmap(
        z=c.code,
        zmin=-1,
        zmax=1,
        colorscale=SCALE,
        showscale=False,
        xgap=2,
        ygap=2,
        text=[[SIGNS[float(v)] for v in row] for row in c.code],
        texttemplate="<b>%{text}</b>" if B <= FEW else "",
        textfont={"size": 15, "color": LIGHT.text},
        customdata=[texts] * K,
        hovertemplate="%{y}<br>rule %{x}: %{customdata}<extra></extra>",
    )
    ticks = [f"{j + 1}<br>{percent(e)} wrong" for j, e in enumerate(c.errors)]
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    named = {"tickvals": list(range(1, B + 1)), "ticktext": ticks} if B <= FEW else {}
    return figure(
        heat,
        height=max(LEAST, ROOM + LINE * K),
        xaxis=plain | named | {"title": {"text": "Rule"}},
        yaxis=plain
        | {"tickvals": list(range(K)), "ticktext": list(c.classes), "autorange": "reversed"},
    ).update_traces(x0=1, dx=1)


def reading(c: CodeMap) -> str:
    """How many rules, how far the words lie apart, and which rule errs most."""
    K, B = c.code.shape
    least = float(c.distances[np.triu_indices(K, 1)].min())
    worst = int(c.errors.argmax())
    one, other = c.sides[worst]
    text = f"{count(B, 'rule')} for {K} classes."
    if B > 1:
        text += f" Two words differ in at least {least:g} of them."
    if not c.errors[worst]:
        return f"{text} Every rule parts its rows without an error."
    return (
        f"{text} Most errors: rule {worst + 1}, {one} against {other}, with "
        f"{percent(c.errors[worst])} of its {c.counts[worst]} rows on the wrong side."
    )


def table(c: CodeMap) -> tuple[TableColumn, ...]:
    """One line a rule."""
    return (
        TableColumn("rule", np.arange(1, len(c.sides) + 1)),
        TableColumn("positive side", tuple(a for a, _ in c.sides)),
        TableColumn("negative side", tuple(b for _, b in c.sides)),
        TableColumn("rows", c.counts),
        TableColumn("share on the wrong side", c.errors),
    )
