"""Texts against terms: how often each term of the vocabulary stands in each text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import empty
from figures.names import cut
from figures.numbers.sampled import drawn_rows
from figures.numbers.target import target_of
from figures.theme import SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.capabilities import CountsTerms
from mlcore.preparation.chain import Prepared
from mlcore.spine.asking import can
from mlcore.spine.wording import count, listed, percent

MOST_TEXTS, MOST_TERMS = 40, 40
ROW, ROOM = 18, 130  # pixels a text, and around them
TERM, BESIDE = 15, 210  # pixels across: a term, whose name is slanted, and beside them all
LETTERS = 32  # of a text at the left


class TermMatrix(NamedTuple):
    """Texts down, terms across, the commonest first."""

    column: str
    texts: tuple[str, ...]  # (m,) drawn, the rows of a class together
    rows: np.ndarray  # (m,) row numbers of the table
    terms: tuple[str, ...]  # (q,) of the whole vocabulary
    with_term: np.ndarray  # (q,) training rows that have the term
    values: np.ndarray  # (m, t) of the commonest t terms
    zeros: float  # share of zeros among all rows and terms
    n: int  # training rows


NOTHING = TermMatrix("", (), np.array([]), (), np.array([]), np.zeros((0, 0)), 1.0, 0)


@view(
    "term_matrix",
    title="Document-term matrix",
    of_step=CountsTerms,
    is_wide=True,
    sources=("cs1:text_bow", "cs1:text_ngrams"),
    synonyms=("bag of words", "term-document matrix"),
)
def term_matrix(dataset: Dataset, prepared: Prepared) -> View:
    """Which terms stand in which texts, for the commonest terms, and how empty the matrix is."""
    m = numbers(dataset, prepared)
    drawn = f"{len(m.texts)} of {count(dataset.n, 'row')}"
    return joined(m, draw, reading, table, note=f"vocabulary of all rows; {drawn} drawn")


def numbers(dataset: Dataset, prepared: Prepared) -> TermMatrix:
    """Of the column of text with the most terms; nothing without one."""
    every = [
        (step, bag)
        for step, fit in enumerate(prepared.fits)
        if can(fit, CountsTerms)
        for bag in fit.bags
    ]
    if not every:
        return NOTHING
    step, bag = max(every, key=lambda each: len(each[1].terms))
    fit = prepared.fits[step]
    rows = _by_class(dataset, drawn_rows(dataset.n, MOST_TEXTS))
    at = np.argsort(-bag.rows, kind="stable")
    X, column = prepared.transform(dataset.X[rows], step), fit.columns[bag.column]
    return TermMatrix(
        column.name,
        tuple("" if np.isnan(code) else column.levels[int(code)] for code in X[:, bag.column]),
        dataset.rows[rows],
        tuple(bag.terms[k] for k in at),
        bag.rows[at],
        fit.block(X, bag)[:, at[:MOST_TERMS]],
        1 - bag.filled / max(fit.n_training * len(bag.terms), 1),
        fit.n_training,
    )


def _by_class(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """The rows, those of a class together."""
    if dataset.task != "classification":
        return rows
    return rows[np.argsort(target_of(dataset)[rows], kind="stable")]


def draw(m: TermMatrix) -> go.Figure:
    """One hue by what stands in the cell; zeros are as light as the page."""
    if not m.texts or not m.terms:
        return empty("No step of the preparation counts words.", ROOM + 3 * ROW)
    shown = m.terms[: m.values.shape[1]]
    heat = go.Heatmap(
        z=m.values.astype(np.float32),
        x=list(range(len(shown))),
        y=list(range(len(m.texts))),
        zmin=0,
        colorscale=SHARES,
        showscale=False,
        xgap=1,
        ygap=1,
        text=[[f"{term} in row {row + 1}" for term in shown] for row in m.rows],
        hovertemplate="%{text}<br>%{z:.3~g}<extra></extra>",
    )
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    return figure(
        marks.numbered(heat, [[[int(row)] for _ in shown] for row in m.rows]),
        height=ROOM + ROW * len(m.texts),
        xaxis=plain
        | {"side": "top", "tickangle": -60, "tickvals": list(range(len(shown)))}
        | {"ticktext": [cut(term, LETTERS // 2) for term in shown]},
        yaxis=plain
        | {"autorange": "reversed", "tickvals": list(range(len(m.texts)))}
        | {"ticktext": [cut(text, LETTERS) or "(no text)" for text in m.texts]},
        meta={"least": BESIDE + TERM * len(shown)},
    )


def reading(m: TermMatrix) -> str:
    """The size of the vocabulary, its commonest terms, and the share of zeros."""
    if not m.texts or not m.terms:
        return "No step of the preparation counts words."
    common = [f"{t} ({c})" for t, c in zip(m.terms[:4], m.with_term[:4], strict=True)]
    text = (
        f"{count(len(m.terms), 'term')} of {m.column} in {count(m.n, 'row')}; "
        f"{percent(m.zeros)} of the cells are 0. In the most rows: {listed(common)}."
    )
    if len(m.terms) > m.values.shape[1]:
        text += f" The {m.values.shape[1]} terms that most rows have are drawn."
    return text


def table(m: TermMatrix) -> tuple[TableColumn, ...]:
    """One line a term of the whole vocabulary."""
    return (TableColumn("term", m.terms), TableColumn("rows with it", m.with_term))
