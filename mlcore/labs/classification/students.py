"""Students: one table by membership, a line, neighbours, and questions about single rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.classification.queries import Margin
from mlcore.data.generators.classes.students import BOX
from mlcore.data.sampling.fresh import draw
from mlcore.distances.neighbourhoods import kneighbors
from mlcore.labs.lab import Lab
from mlcore.neighbours.knn import KNNClassifier
from mlcore.neighbours.vote_weights import InverseDistance, Uniform, VoteWeight
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

N_STUDENTS = 300
NEAREST = 2  # of the membership test
HEIGHT = 180.0  # cm, where the line crosses the chosen weight
QUERIES = 2
PLACES = 71  # along each side of the plane


class StudentsSeen(NamedTuple):
    """One table, and four ways to learn from it."""

    X: np.ndarray  # (n, 2) kg and cm
    y: np.ndarray  # (n,) 1 for wrestlers
    person: np.ndarray  # (2,) kg and cm
    weights: np.ndarray  # (a,) places of the plane
    heights: np.ndarray  # (b,)
    remote: np.ndarray  # (b, a) mean distance to the two nearest students
    threshold: float
    person_remote: float
    accepted: float  # share of the students, each left out of its own test
    line: np.ndarray  # (3,) a, b and c of the score a weight + b height + c
    scores: np.ndarray  # (n,)
    person_score: float
    wrestling: np.ndarray  # (b, a) share of wrestlers among the nearest neighbours
    person_wrestling: float
    is_labelled: np.ndarray  # (n,) bool
    queries: np.ndarray  # (2,) rows asked for next
    errors: tuple[float, float]  # on the unlabelled rows, before and after the answers


@enter(
    Card(
        "students",
        "Learning tasks on one table",
        ("lab",),
        sources=("cs1:linear_classifier_score", "cs1:clustering_intro"),
        random=True,
        cost=lambda n, p, it: (0.08, 5e6),
        formula=r"\tfrac12 \left(\|x - x_{(1)}\| + \|x - x_{(2)}\|\right) \le t,\qquad"
        r" s = a\,w + b\,h + c,\quad \text{distance} = \frac{s}{\sqrt{a^2 + b^2}}",
        kind="lab",
        pages=("classification",),
        synonyms=("supervised and unsupervised learning", "novelty detection", "active learning"),
        line="what can be asked of one table",
    )
)
@dataclass(frozen=True, kw_only=True)
class StudentsLab(Lab):
    r"""What can be asked of one table: does one belong here, is one a wrestler, whom to ask next?

    300 students by weight $w$ and height $h$, a few of them wrestlers. Membership knows no classes:
    a person belongs if the mean distance to the two nearest students is at most $t$. A line scores
    by its sign, and its distance says how sure. Neighbours vote. With few labels, the rows to ask
    about are those on which the votes of the labelled ones are most divided.
    """

    tasks = (
        "Ask for a person of 100 kg and 120 cm: the line and the neighbours have an answer, the "
        "membership test says that there is nobody like that.",
        "Move and lean the line until few students are on the wrong side, and compare with the "
        "border that neighbours draw.",
        "Lower the share of labels, and see where the next two questions are put.",
    )
    seen = (
        "With a threshold of 7 nearly all students are accepted and the odd person is not. A "
        "straight line parts most wrestlers from the others, and scores far from it are safe. The "
        "questions are put where the classes meet, not where a class is plain already."
    )

    threshold: float = real(
        7.0, low=0.0, high=100.0, soft=(0.5, 20.0), symbol="t",
        doc="Largest mean distance to the two nearest, with a kg as long as a cm.",
    )  # fmt: skip
    border: float = real(
        105.0, low=20.0, high=160.0, soft=(60.0, 140.0), unit="kg", label="Line at 180 cm",
        doc="Weight at which the line crosses a height of 180 cm.",
    )  # fmt: skip
    lean: float = real(
        0.5, low=-5.0, high=5.0, soft=(-2.0, 2.0), label="Lean of the line", unit="kg per cm",
        doc="By how much heavier a taller person may be.",
    )  # fmt: skip
    n_neighbors: int = integer(
        10, low=1, high=50, soft=(1, 30), symbol="k", label="Neighbours", doc="That vote."
    )
    labelled: float = real(
        0.1, low=0.02, high=0.9, soft=(0.05, 0.9), label="Labelled fraction",
        doc="Share of each class whose class is known in the last picture.",
    )  # fmt: skip
    weight: float = real(
        100.0, low=20.0, high=160.0, soft=(40.0, 160.0), unit="kg", doc="Of the person asked for."
    )
    height: float = real(
        120.0, low=50.0, high=250.0, soft=(100.0, 220.0), unit="cm", doc="Of the person asked for."
    )

    def compute(self, seed: int = 0) -> StudentsSeen:
        """All four answers, on the plane and for one person."""
        rows = draw("students", N_STUDENTS, seed)
        X, y = rows.X, np.asarray(rows.y)
        person = np.array([self.weight, self.height])
        weights, heights = np.linspace(BOX[0], BOX[1], PLACES).T
        plane = np.stack(np.meshgrid(weights, heights), axis=-1).reshape(-1, 2)
        at = np.vstack([plane, person])
        remote = kneighbors(X, at, k=NEAREST).distances.mean(axis=1)
        wrestling = _shares(X, y, at, self.n_neighbors)
        line = np.array([1.0, -self.lean, self.lean * HEIGHT - self.border])
        shape = (len(heights), len(weights))
        return StudentsSeen(
            X, y, person, weights, heights,
            remote[:-1].reshape(shape), self.threshold, float(remote[-1]),
            float((kneighbors(X, k=NEAREST).distances.mean(axis=1) <= self.threshold).mean()),
            line, X @ line[:2] + line[2], float(person @ line[:2] + line[2]),
            wrestling[:-1].reshape(shape), float(wrestling[-1]),
            *self._questions(X, y, generator(seed, "labels")),
        )  # fmt: skip

    def _questions(
        self, X: np.ndarray, y: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
        """Which rows are labelled, which to ask for, the errors without and with the answers."""
        known = np.zeros(len(y), dtype=bool)
        for k in (0, 1):
            own = rng.permutation(np.flatnonzero(y == k))
            known[own[: max(round(self.labelled * len(own)), 1)]] = True
        open_rows = np.flatnonzero(~known)
        # By distance, since the votes of few labelled rows have too many ties to choose by.
        shares = self._by_distance(X[known], y[known], X[open_rows])
        worth = Margin().scores(np.column_stack([1 - shares, shares]), rng)
        queries = open_rows[np.argsort(-worth, kind="stable")[:QUERIES]]
        rest = np.setdiff1d(open_rows, queries)
        answered = known.copy()
        answered[queries] = True
        errors = [
            float(((self._by_distance(X[own], y[own], X[rest]) > 0.5) != y[rest]).mean())
            for own in (known, answered)
        ]
        return known, queries, (errors[0], errors[1])

    def _by_distance(self, X: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
        return _shares(X, y, at, self.n_neighbors, InverseDistance())


def _shares(
    X: np.ndarray, y: np.ndarray, at: np.ndarray, k: int, weights: VoteWeight | None = None
) -> np.ndarray:
    """Share of wrestlers in the votes of the k nearest, of all rows if there are fewer."""
    fit = KNNClassifier(n_neighbors=min(k, len(X)), weights=weights or Uniform()).fit(X, y)
    return fit.probabilities(at)[:, 1]
