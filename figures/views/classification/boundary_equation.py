"""The equation of a straight border between classes, or of a conic, in units of the table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.words import fitted_on
from figures.numbers.borders.conics import conics_of
from figures.numbers.borders.straight import plane
from figures.numbers.rules import classes_of
from figures.options import Offered, Options, Values, among
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import any_of, can
from mlcore.spine.capabilities import HasClasses, HasCoefficients, HasComponents
from mlcore.spine.errors import DataError
from mlcore.spine.params import text as text_param
from mlcore.spine.wording import count, plural, rough

MOST_BARS, MOST_TERMS = 20, 6  # columns drawn and written
MOST_PAIRS = 3  # borders drawn and written where none is chosen: the bars of more are alike
ROW, ROOM = 24, 90  # pixels a column, and the axis
FURTHER = 8  # pixels that each further border adds to a column
FAINTEST = 0.3  # of the bars of the last border: the colours of the classes are theirs alone


class Boundary(NamedTuple):
    """Where the scores of two classes are equal: normals . x + offsets = 0, for each pair."""

    names: tuple[str, ...]  # (p,)
    pairs: tuple[tuple[str, str], ...]  # (B,) the second lies where the left side is positive
    normals: np.ndarray  # (B, p)
    offsets: np.ndarray  # (B,)
    spread: np.ndarray  # (p,) standard deviation of each column
    is_of_table: bool  # in columns of the table, else as prepared
    otherwise: int  # fitted rows on which the method does not name the class of the larger score
    decides: np.ndarray  # (B,) fitted rows whose two largest scores are those of the pair
    shown: tuple[int, ...]  # the pairs that are drawn and written
    written: tuple[str, ...] = ()  # (p,) the terms of an equation, where these are no columns

    @property
    def moves(self) -> np.ndarray:
        """By what one standard deviation of each column changes the difference, (B, p)."""
        return self.normals * self.spread


def _name(pair: tuple[str, str]) -> str:
    return f"{pair[1]} over {pair[0]}"


def _borders(offered: Offered) -> Values:
    """Every border by its name, where there are several."""
    if "whole" not in offered:
        return {}
    pairs = list(combinations(classes_of(offered["whole"].fit, offered["dataset"]), 2))
    if len(pairs) < 2:
        return {}
    return {None: "Those that decide most rows"} | {_name(pair): _name(pair) for pair in pairs}


@dataclass(frozen=True, kw_only=True)
class BorderOptions(Options):
    """Which border is shown."""

    border: str | None = among(
        text_param(
            None, none="those that decide most rows", label="Border",
            doc=f"Of more than three classes one border, or the {MOST_PAIRS} between the classes "
            "that most rows lie between.",
        ),
        _borders,
    )  # fmt: skip


@view(
    "boundary_equation",
    title="Equation of the border",
    asks=(HasClasses, any_of(HasCoefficients, HasComponents)),
    options=BorderOptions,
    on="classification",
    order=192,
    sources=("cs2:perceptron", "epfl:nearest_mean", "s841:qda_pairwise_boundary"),
    synonyms=(
        "decision boundary", "conic section", "quadratic discriminant", "separating hyperplane",
        "discriminant function", "formula",
    ),
)  # fmt: skip
def boundary_equation(dataset: Dataset, whole: Whole, *, options: BorderOptions) -> View:
    """Where two classes score alike, as an equation in the columns and units of the table.

    Bars: by what one standard deviation of a column moves the difference of the two scores. Of many
    pairs of classes those are shown between which most rows lie, or the one that is chosen. A
    border between Gaussians is of squares and products too, of columns counted from their means.
    """
    b = numbers(dataset, whole, options.border)
    return joined(b, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, border: str | None = None) -> Boundary:
    """Of the columns of the table where the preparation is straight in these, else as prepared.

    Raises DataError where there is not one score a class.
    """
    fit: Any = whole.fit
    if not can(fit, HasCoefficients):
        return _of_gaussians(dataset, whole, border)
    classes = classes_of(fit, dataset)
    W, b = np.atleast_2d(fit.coefficients), np.atleast_1d(np.asarray(fit.intercept, dtype=float))
    K = len(classes)
    if len(W) != (1 if K == 2 else K):
        raise DataError(
            f"An equation of the border needs one score a class; here {len(W)} stand for {K}. "
            "Choose a method with a line of scores for each class."
        )
    pairs = list(combinations(range(K), 2))
    names = tuple((classes[i], classes[j]) for i, j in pairs)
    X = whole.prepared.transform(dataset.X)
    decides = _decided(X @ W.T + b, pairs)
    if K > 2:
        first, second = np.array(pairs).T
        W, b = W[second] - W[first], b[second] - b[first]
    prepared = whole.prepared
    straight = plane(lambda rows: prepared.transform(rows) @ W.T + b, dataset)
    normals, offsets = straight if straight is not None else (W, b)
    columns = dataset.columns if straight is not None else fit.columns
    of = dataset.X if straight is not None else X
    return Boundary(
        tuple(column.name for column in columns), names,
        normals, offsets, np.nanstd(of, axis=0), straight is not None,
        int((fit.predict(X) != fit.classes[_named(X @ W.T + b, pairs, K)]).sum()),
        decides, _shown(names, decides, border),
    )  # fmt: skip


def _of_gaussians(dataset: Dataset, whole: Whole, border: str | None) -> Boundary:
    """The columns and their products in place of the columns."""
    classes = classes_of(whole.fit, dataset)
    pairs = list(combinations(range(len(classes)), 2))
    names = tuple((classes[i], classes[j]) for i, j in pairs)
    c = conics_of(whole.fit, dataset, whole.prepared, pairs)
    above_first = c.terms @ c.normals[: len(classes) - 1].T + c.offsets[: len(classes) - 1]
    decides = _decided(np.column_stack([np.zeros(len(c.terms)), above_first]), pairs)
    return Boundary(
        c.names, names, c.normals, c.offsets, c.terms.std(axis=0), c.is_of_table, 0, decides,
        _shown(names, decides, border), c.written,
    )  # fmt: skip


def _decided(scores: np.ndarray, pairs: list[tuple[int, int]]) -> np.ndarray:
    """How many rows have their two largest scores, of (m, K), in each pair, (B,)."""
    if len(pairs) == 1:
        return np.array([len(scores)])
    highest = np.sort(np.argsort(-scores, axis=1, kind="stable")[:, :2], axis=1)
    return np.array([(highest == pair).all(axis=1).sum() for pair in pairs])


def _shown(
    names: tuple[tuple[str, str], ...], decides: np.ndarray, border: str | None
) -> tuple[int, ...]:
    """The pair of that name, else those that decide most rows, in their order."""
    chosen = tuple(k for k, pair in enumerate(names) if _name(pair) == border)
    most = np.argsort(-decides, kind="stable")[:MOST_PAIRS]
    return chosen or tuple(sorted(most.tolist()))


def _named(differences: np.ndarray, pairs: list[tuple[int, int]], K: int) -> np.ndarray:
    """The class that no other outscores, (m,), by differences of the pairs, (m, B)."""
    if K == 2:
        return (differences[:, 0] >= 0).astype(int)
    lost = np.zeros((len(differences), K))
    for (i, j), difference in zip(pairs, differences.T, strict=True):
        lost[:, i] += difference > 0
        lost[:, j] += difference < 0
    return lost.argmin(axis=1)


def draw(b: Boundary) -> go.Figure:
    """A bar a column and pair, the farthest reaching first; several pairs are shades of one hue."""
    moves_of_shown = b.moves[list(b.shown)]
    order = np.argsort(-np.abs(moves_of_shown).max(axis=0), kind="stable")[:MOST_BARS]
    row = ROW + FURTHER * (len(b.shown) - 1)
    fig = figure(
        height=ROOM + row * max(len(order), 3),
        barmode="group",
        showlegend=len(b.pairs) > 1,  # a single one that was chosen is named as well
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
        xaxis={"title": {"text": "Change of the score by one standard deviation"}},
    )
    shades = [faded(LIGHT.accent, s) for s in np.linspace(1.0, FAINTEST, len(b.shown))]
    for shade, k in zip(shades, b.shown, strict=True):
        moves, color = b.moves[k, order], shade
        if len(b.pairs) == 1:  # the colour of the class that it speaks for
            color = [CLASS_COLORS[int(move > 0)] for move in moves]
        fig.add_bar(
            x=moves, y=[b.names[j] for j in order], orientation="h", name=_name(b.pairs[k]),
            marker={"color": color}, customdata=b.normals[k, order],
            hovertemplate="%{y}<br>%{x:.4~g} by a standard deviation, %{customdata:.4~g} by one "
            "unit<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    return across(fig, x=0, line={"color": LIGHT.quiet, "width": 1})


def reading(b: Boundary) -> str:
    """The equations, for as many columns and borders as a sentence bears."""
    text = " ".join(_equation(b, k) for k in b.shown)
    if len(b.shown) < len(b.pairs):
        rows, total = int(b.decides[list(b.shown)].sum()), int(b.decides.sum())
        which = plural(len(b.shown), "this border", "these borders")
        text += (
            f" The two largest scores are those of {which} on {rows} of {count(total, 'row')}; the "
            f"table beside has all {len(b.pairs)}."
        )
    if not b.is_of_table:
        text += " The columns are as prepared: what prepares them is no straight line."
    if b.otherwise:
        text += (
            f" On {count(b.otherwise, 'row')} the method names another class than that of the "
            "larger score: its border is another one."
        )
    return text


def _equation(b: Boundary, k: int) -> str:
    """`B scores above A where 2.1 × width − 3 × length > 4.`"""
    first, second = b.pairs[k]
    order = np.argsort(-np.abs(b.moves[k]), kind="stable")
    order = order[b.normals[k, order] != 0]
    if not len(order):
        return f"{second} and {first} have no border: no column tells them apart."
    text, terms = "", b.written or b.names
    for j in order[:MOST_TERMS]:
        weight = float(b.normals[k, j])
        sign = ("−" if weight < 0 else "") if not text else (" − " if weight < 0 else " + ")
        text += f"{sign}{rough(abs(weight))} × {terms[j]}"
    more = len(order) - MOST_TERMS
    text += f" + {count(more, 'smaller term')}" if more > 0 else ""
    return f"{second} scores above {first} where {text} > {rough(-float(b.offsets[k]))}."


def table(b: Boundary) -> tuple[TableColumn, ...]:
    """One line a column, and the number on the other side of the equation."""
    names = (*(b.written or b.names), "(is above)")
    return (
        TableColumn("term" if b.written else "column", names),
        *(
            TableColumn(_name(pair), np.append(b.normals[k], -b.offsets[k]))
            for k, pair in enumerate(b.pairs)
        ),
    )
