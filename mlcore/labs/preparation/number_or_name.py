"""Number or name: codes 1, 2, 3 invent an order, and results depend on which."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from mlcore.distances.pairwise import pairwise_distances
from mlcore.evaluation.splits import KFold
from mlcore.labs.lab import Lab
from mlcore.neighbours.knn import KNNClassifier
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.ordinal import Ordinal
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator

LEVELS = ("red", "green", "blue", "yellow")
CLASSES = np.array([0, 1, 0, 1])  # of each level, before noise
ORDERS = tuple(permutations(range(4)))
CHOSEN = {"as named": (0, 1, 2, 3), "like by like": (0, 2, 1, 3), "one within": (0, 1, 3, 2)}
EACH = 20  # rows a level


class NumberOrName(NamedTuple):
    """One table with its column of names written in two ways, for every order of the names."""

    order: tuple[str, ...]  # (4,) chosen
    numbers: np.ndarray  # (4, 4) distances of the levels as numbers, in that order
    names: np.ndarray  # (4, 4) one-hot
    by_number: np.ndarray  # (24,) accuracy of neighbours on test rows, for each order
    by_name: np.ndarray  # (24,)
    at: int  # which of the 24 is chosen


@enter(
    Card(
        "number_or_name",
        "Ordinal or one-hot encoding",
        ("lab",),
        sources=("cs1:enc_integer_trap", "cs1:enc_onehot"),
        random=True,
        cost=lambda n, p, it: (0.15, 1e6),
        formula=r"|i - j| \quad\text{against}\quad \|e_i - e_j\| = \sqrt2\,[i \ne j]",
        kind="lab",
        pages=("preprocessing",),
        synonyms=("dummy variables", "categorical variables", "label encoding"),
        line="colours written as 1, 2, 3 are near by whim",
    )
)
@dataclass(frozen=True, kw_only=True)
class NumberOrNameLab(Lab):
    r"""Colours written as 1, 2, 3, 4 are near or far by the whim of a list.

    Rows have a colour and a measured number that says nothing. Red and blue rows are mostly of one
    class, green and yellow ones of the other. k-nearest neighbours are scored by cross-validation
    with the colours as numbers, for each of the 24 orders in which they may be listed, and with a
    column for each colour.
    """

    tasks = (
        "Change the order of the colours, and see which of them become neighbours.",
        "Compare the best and the worst order: nothing else of the data has changed.",
        "Make the measured column narrow, so that hardly any colour is mixed with another.",
    )
    seen = (
        "As numbers, accuracy depends on the order: best where colours of a class stand together, "
        "worst where they alternate. With a column for each colour all pairs are equally far "
        "apart, and every order gives the same result. A lucky order may do better still, but "
        "which one is lucky, the data had to tell."
    )

    order: str = choice("as named", *CHOSEN, doc="In which order the colours are numbered.")
    spread: float = real(
        3.0, low=0.0, high=20.0, soft=(0.0, 6.0), symbol=r"\sigma", label="Measured column",
        doc="Its standard deviation; neighbouring numbers of colours are 1 apart.",
    )  # fmt: skip
    flip: float = real(
        0.1,
        low=0.0,
        high=0.5,
        soft=(0.0, 0.5),
        label="Label noise",
        doc="Share of classes flipped.",
    )
    n_neighbors: int = integer(
        9, low=1, high=30, soft=(1, 30), symbol="k", label="Neighbours", doc="That vote."
    )

    def compute(self, seed: int = 0) -> NumberOrName:
        """Accuracy for every order, both ways."""
        colour = np.repeat(np.arange(4), EACH)
        rng = generator(seed, "rows")
        measured = self.spread * rng.normal(size=len(colour))
        y = np.where(rng.uniform(size=len(colour)) < self.flip, 1, 0) ^ CLASSES[colour]
        scores = [self._scores(colour, measured, y, order, seed) for order in ORDERS]
        by_number, by_name = np.array(scores).T
        order = CHOSEN[self.order]
        alone = np.arange(4.0)[:, None]
        numbers, names = (pairwise_distances(step) for step in _written(alone, order))
        return NumberOrName(
            tuple(LEVELS[k] for k in order), numbers, names, by_number, by_name,
            ORDERS.index(order),
        )  # fmt: skip

    def _scores(
        self, colour: np.ndarray, measured: np.ndarray, y: np.ndarray, order: tuple, seed: int
    ) -> tuple[float, float]:
        place = np.argsort(order)[colour]  # of each row's colour in the list
        X = np.column_stack([place, measured]).astype(float)
        by_number, by_name = (self._accuracy(Z, y, seed) for Z in _written(X, order))
        return by_number, by_name

    def _accuracy(self, Z: np.ndarray, y: np.ndarray, seed: int) -> float:
        right = 0
        for train, test in KFold().splits(len(y), y=y, seed=seed):
            fit = KNNClassifier(n_neighbors=self.n_neighbors).fit(Z[train], y[train])
            right += int((fit.predict(Z[test]) == y[test]).sum())
        return right / len(y)


def _written(X: np.ndarray, order: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Rows with the first column, places in the list, as numbers and as columns of 0 and 1."""
    colour = Column("colour", "nominal", tuple(LEVELS[k] for k in order))
    columns = (colour, Column("measured", "number"))[: X.shape[1]]
    steps = (Ordinal(kinds=("nominal",)), OneHot())
    numbers, names = (step.fit(X, columns=columns).transform(X) for step in steps)
    return numbers, names
