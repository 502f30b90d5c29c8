"""The equation of a straight border between classes, in units of the table."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.words import fitted_on
from figures.numbers.rules import classes_of
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.maths.arrays import deviations
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasClasses, HasCoefficients
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, rough

MOST_BARS, MOST_TERMS, MOST_SPOKEN = 20, 6, 3  # columns drawn and written, and borders written
ROW, ROOM = 24, 90  # pixels a column, and the axis
FURTHER, MOST_FURTHER = 8, 5  # pixels that each further border adds to a column, for so many
FAINTEST = 0.3  # of the bars of the last border: the colours of the classes are theirs alone
CHECKED = 500  # rows on which it is seen whether a score is a plane
MOST_COLUMNS = 500  # which are followed one by one
STRAIGHT = 1e-7  # of the largest score: from planes that far off it is rounding


class Boundary(NamedTuple):
    """Where the scores of two classes are equal: normals . x + offsets = 0, for each pair."""

    names: tuple[str, ...]  # (p,)
    pairs: tuple[tuple[str, str], ...]  # (B,) the second lies where the left side is positive
    normals: np.ndarray  # (B, p)
    offsets: np.ndarray  # (B,)
    spread: np.ndarray  # (p,) standard deviation of each column
    is_of_table: bool  # in columns of the table, else as prepared
    otherwise: int  # fitted rows on which the method does not name the class of the larger score

    @property
    def moves(self) -> np.ndarray:
        """By what one standard deviation of each column changes the difference, (B, p)."""
        return self.normals * self.spread


@view(
    "boundary_equation",
    title="Equation of the border",
    asks=(HasCoefficients, HasClasses),
    on="classification",
    order=192,
    sources=("cs2:perceptron", "epfl:nearest_mean"),
    synonyms=("decision boundary", "separating hyperplane", "discriminant function", "formula"),
)
def boundary_equation(dataset: Dataset, whole: Whole) -> View:
    """Where two classes score alike, as an equation in the columns and units of the table.

    Bars: by what one standard deviation of a column moves the difference of the two scores.
    """
    b = numbers(dataset, whole)
    return joined(b, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> Boundary:
    """Of the columns of the table where the preparation is straight in these, else as prepared.

    Raises DataError where there is not one score a class.
    """
    fit: Any = whole.fit
    classes = classes_of(fit, dataset)
    W, b = np.atleast_2d(fit.coefficients), np.atleast_1d(np.asarray(fit.intercept, dtype=float))
    K = len(classes)
    if len(W) != (1 if K == 2 else K):
        raise DataError(
            f"An equation of the border needs one score a class; here {len(W)} stand for {K}. "
            "Choose a method with a line of scores for each class."
        )
    pairs = list(combinations(range(K), 2))
    if K > 2:
        first, second = np.array(pairs).T
        W, b = W[second] - W[first], b[second] - b[first]
    prepared = whole.prepared
    X = prepared.transform(dataset.X)
    plane = _plane(lambda rows: prepared.transform(rows) @ W.T + b, dataset.X)
    normals, offsets = plane if plane is not None else (W, b)
    columns = dataset.columns if plane is not None else fit.columns
    of = dataset.X if plane is not None else X
    return Boundary(
        tuple(column.name for column in columns), tuple((classes[i], classes[j]) for i, j in pairs),
        normals, offsets, np.nanstd(of, axis=0), plane is not None,
        int((fit.predict(X) != fit.classes[_named(X @ W.T + b, pairs, K)]).sum()),
    )  # fmt: skip


def _plane(
    score: Callable[[np.ndarray], np.ndarray], X: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Slopes, (B, p), and offsets, (B,), of scores, (m, B), that are planes; None if they are not.

    They are followed along each column from the mean, and held against the scores of the rows.
    """
    known = X[np.isfinite(X).all(axis=1)]
    if (
        len(known) < len(X) or X.shape[1] > MOST_COLUMNS
    ):  # what is filled in where a value is missing is no plane
        return None
    known = known[np.unique(np.linspace(0, len(X) - 1, min(len(X), CHECKED)).astype(np.int64))]
    centre, reach = known.mean(axis=0), deviations(known)
    reach = np.where(reach > 0, reach, 1.0)
    ends = score(np.vstack([centre, centre + np.diag(reach)]))
    slopes = ((ends[1:] - ends[0]) / reach[:, None]).T
    offsets = ends[0] - slopes @ centre
    off = np.abs(score(known) - known @ slopes.T - offsets).max()
    is_plane = off <= STRAIGHT * max(float(np.abs(ends).max()), np.finfo(float).tiny)
    return (slopes, offsets) if is_plane else None


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
    order = np.argsort(-np.abs(b.moves).max(axis=0), kind="stable")[:MOST_BARS]
    row = ROW + FURTHER * min(len(b.pairs) - 1, MOST_FURTHER)
    fig = figure(
        height=ROOM + row * max(len(order), 3),
        barmode="group",
        showlegend=len(b.pairs) > 1,
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
        xaxis={"title": {"text": "Change of the score by one standard deviation"}},
    )
    shades = [faded(LIGHT.accent, s) for s in np.linspace(1.0, FAINTEST, len(b.pairs))]
    for k, (first, second) in enumerate(b.pairs):
        moves, color = b.moves[k, order], shades[k]
        if len(b.pairs) == 1:  # the colour of the class that it speaks for
            color = [CLASS_COLORS[int(move > 0)] for move in moves]
        fig.add_bar(
            x=moves, y=[b.names[j] for j in order], orientation="h", name=f"{second} over {first}",
            marker={"color": color}, customdata=b.normals[k, order],
            hovertemplate="%{y}<br>%{x:.4~g} by a standard deviation, %{customdata:.4~g} by one "
            "unit<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    return across(fig, x=0, line={"color": LIGHT.quiet, "width": 1})


def reading(b: Boundary) -> str:
    """The equations, for as many columns and borders as a sentence bears."""
    texts = [_equation(b, k) for k in range(min(len(b.pairs), MOST_SPOKEN))]
    text = " ".join(texts)
    if len(b.pairs) > MOST_SPOKEN:
        text += f" The table beside has all {len(b.pairs)} borders."
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
    text = ""
    for j in order[:MOST_TERMS]:
        weight = float(b.normals[k, j])
        sign = ("−" if weight < 0 else "") if not text else (" − " if weight < 0 else " + ")
        text += f"{sign}{rough(abs(weight))} × {b.names[j]}"
    more = len(order) - MOST_TERMS
    text += f" + {count(more, 'smaller term')}" if more > 0 else ""
    return f"{second} scores above {first} where {text} > {rough(-float(b.offsets[k]))}."


def table(b: Boundary) -> tuple[TableColumn, ...]:
    """One line a column, and the number on the other side of the equation."""
    names = (*b.names, "(is above)")
    return (
        TableColumn("column", names),
        *(
            TableColumn(f"{second} over {first}", np.append(b.normals[k], -b.offsets[k]))
            for k, (first, second) in enumerate(b.pairs)
        ),
    )
