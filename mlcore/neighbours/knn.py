"""Nearest neighbours: a new row is like the stored rows that lie nearest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mlcore.distances.metrics import Distance, Frame
from mlcore.distances.neighbours import NearestRows, Neighbours, search_seconds
from mlcore.maths.arrays import vanishing
from mlcore.maths.conflicts import note_of_conflicts
from mlcore.neighbours.vote_weights import VoteWeight
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer, part
from mlcore.spine.records import function

TIED = 1e-12  # votes that differ by less, relative, are equal


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighboursFit(Fit):
    """The stored rows, and the space in which distances are taken."""

    made_by: NeighbourMethod
    stored: np.ndarray  # (n, p)
    target: np.ndarray  # (n,) codes of the classes, or quantities
    frame: Frame
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there are rows of these columns, as many as are asked, each with a target."""
        n = len(self.target)
        is_stored = self.stored.shape == (n, self.n_columns) and self.frame.is_of(self.n_columns)
        return is_stored and n >= self.made_by.n_neighbors

    @cached_property
    def _search(self) -> Neighbours:
        frame = self.frame
        return Neighbours(frame.placed(self.stored), frame.power, self.made_by.search)

    def __getstate__(self) -> dict[str, Any]:
        """The state without the search, which is quicker to build than to send."""
        return {name: value for name, value in self.__dict__.items() if name != "_search"}

    def neighbours(self, X: Any) -> NearestRows:
        """The k nearest stored rows of each row of X: distances and numbers, shape (m, k)."""
        return self._search.nearest(self.frame.placed(self._rows(X)), self.made_by.n_neighbors)

    def loo_predictions(self) -> np.ndarray:
        """Prediction for each stored row by the others, shape (n,).

        The row itself is left out by its number, not by distance 0: it may have equals. Raises
        DataError if fewer than k other rows are left.
        """
        k = self.made_by.n_neighbors
        if len(self.stored) <= k:
            raise DataError(
                f"Leaving one of {len(self.stored)} rows out leaves fewer than {k} neighbours; "
                "lower n_neighbors."
            )
        return self._answer(self._search.others(k))

    def _answer(self, nearest: NearestRows) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} declares no answer")


@dataclass(frozen=True, eq=False, kw_only=True)
class KNNFit(NeighboursFit):
    """Stored rows with their classes."""

    made_by: KNNClassifier
    classes: np.ndarray  # (K,) sorted labels
    rank: np.ndarray  # (n,) order in which rows win ties of votes, if by chance

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes, shape (m,); on ties as `ties` says."""
        return self._answer(self.neighbours(X))

    def probabilities(self, X: Any) -> np.ndarray:
        """Share of each class in the votes, shape (m, K).

        Of equal shares that of the predicted class is larger by one rounding.
        """
        nearest = self.neighbours(X)
        votes = self._votes(nearest)
        shares = _shares(votes)
        at = np.arange(len(votes)), self._winners(nearest, votes)
        is_level = (shares >= shares[at][:, None]).sum(axis=1) > 1
        shares[at] = np.where(is_level, np.nextafter(shares.max(axis=1), 2.0), shares[at])
        return shares

    def vote_shares(self, X: Any) -> np.ndarray:
        """Share of each class in the weights of the neighbours, shape (m, K)."""
        return _shares(self._votes(self.neighbours(X)))

    def _votes(self, nearest: NearestRows) -> np.ndarray:
        weights = self.made_by.weights.weights(nearest.distances)
        m, K = len(nearest.rows), len(self.classes)
        at = np.arange(m)[:, None] * K + self.target[nearest.rows]
        counts = np.bincount(at.ravel(), weights=weights.ravel(), minlength=m * K)
        return counts.reshape(m, K)

    def _answer(self, nearest: NearestRows) -> np.ndarray:
        return self.classes[self._winners(nearest, self._votes(nearest))]

    def _winners(self, nearest: NearestRows, votes: np.ndarray) -> np.ndarray:
        """The code of the class with most votes, shape (m,)."""
        best = votes.argmax(axis=1)
        tied = votes >= votes.max(axis=1, keepdims=True) * (1 - TIED)
        open_rows = np.flatnonzero(tied.sum(axis=1) > 1)
        if len(open_rows):
            near = nearest.rows[open_rows]
            codes = self.target[near]
            is_tied = np.take_along_axis(tied[open_rows], codes, axis=1)
            by_chance = self.made_by.ties == "random"
            order = self.rank[near] if by_chance else np.arange(near.shape[1])
            first = np.where(is_tied, order, len(self.stored)).argmin(axis=1)
            best[open_rows] = codes[np.arange(len(codes)), first]
        return best


@dataclass(frozen=True, eq=False, kw_only=True)
class KNNRegressionFit(NeighboursFit):
    """Stored rows with their quantities."""

    made_by: KNNRegression

    def predict(self, X: Any) -> np.ndarray:
        """The weighted mean of the neighbours, in units of the target, shape (m,)."""
        return self._answer(self.neighbours(X))

    def _answer(self, nearest: NearestRows) -> np.ndarray:
        weights = self.made_by.weights.weights(nearest.distances)
        return (weights * self.target[nearest.rows]).sum(axis=1) / weights.sum(axis=1)


def _shares(votes: np.ndarray) -> np.ndarray:
    return votes / votes.sum(axis=1, keepdims=True)


def _cost(n: int, p: int, method: NeighbourMethod) -> tuple[float, float]:
    """Storing the rows and predicting as many: by a tree in few dimensions, else by products."""
    looks = search_seconds(n, p)
    return 1e-3 + looks + 2e-8 * n * method.n_neighbors, 24.0 * n * (p + method.n_neighbors)


@dataclass(frozen=True, kw_only=True)
class NeighbourMethod(Method):
    """A method that stores rows and asks the nearest of them."""

    peer_differs = "Of rows equally far and of classes with equal votes, theirs takes the first."

    n_neighbors: int = integer(
        10,
        low=1,
        soft=(1, 100),
        log=True,
        symbol="k",
        label="Neighbours",
        doc="Stored rows that are asked; few follow the noise, many blur the borders.",
    )
    metric: Distance = part(
        "euclidean", slot="metric", label="Distance", doc="How far apart two rows are."
    )
    weights: VoteWeight = part("uniform", slot="vote_weight", doc="How much each neighbour counts.")
    search: str = choice(
        "auto",
        "auto",
        "tree",
        "brute",
        doc="A tree, all distances, or whichever is quicker; the answer is the same.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        metric, weights = self.metric.peer_settings(), self.weights.peer_settings()
        if isinstance(metric, str) or isinstance(weights, str):
            return next(reason for reason in (metric, weights) if isinstance(reason, str))
        return {"n_neighbors": self.n_neighbors, **metric, **weights}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse fewer rows than neighbours, and rows whose squared differences vanish."""
        if len(X) < self.n_neighbors:
            return (
                f"{self.title()} with {self.n_neighbors} neighbours needs as many rows; there are "
                f"{len(X)}. Lower n_neighbors or add rows."
            )
        return vanishing(X, self.title())

    def _notes(self, given: Given, frame: Frame) -> tuple[str, ...]:
        """What the distance says, and that one neighbour cannot have two targets."""
        of_frame = (frame.note,) if frame.note else ()
        if self.n_neighbors > 1:
            return of_frame
        instead = "a new row there gets that of one of them"
        return (*of_frame, *note_of_conflicts(given.X, given.target, instead))


@enter(
    Card(
        "knn",
        "k-nearest neighbours",
        ("classification",),
        paper="Cover and Hart (1967), IEEE Transactions on Information Theory 13(1)",
        task="classification",
        peer="sklearn.neighbors.KNeighborsClassifier",
        sources=(
            "cs1:knn", "s841:knn", "s841:knn_discriminant", "s841:nearest_sample_1nn",
            "s841:knn_weighted",
        ),
        cost=_cost,
        formula=r"\hat y = \arg\max_c \sum_{i \in N_k(x)} w_i [y_i = c]",
        synonyms=(
            "kNN", "nearest neighbours", "KNeighborsClassifier", "instance-based learning",
            "lazy learning",
        ),
        line="votes among the k nearest rows",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class KNNClassifier(NeighbourMethod):
    r"""Predicts the commonest class among the k stored rows that lie nearest.

    $\hat y = \arg\max_c \sum_{i \in N_k(x)} w_i [y_i = c]$ with the k nearest rows $N_k(x)$. With
    k = 1 the error of ever more rows is at most twice the least possible; more neighbours smooth.

    Use it where classes have any shape and columns are few and on one scale: standardise first. It
    learns nothing but the rows, so fitting is free and each answer looks at all of them, O(n p), or
    at few with a tree. It fails in many columns, where all rows are about equally far.
    """

    ties: str = choice(
        "nearest",
        "nearest",
        "random",
        doc="Of classes with equal votes that of the nearest neighbour, or one by chance.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(ties="nearest") or super().peer_settings()

    def _fit(self, given: Given) -> KNNFit:
        frame = self.metric.frame(given.X, given.target)
        by_chance = self.ties == "random"
        rank = given.rng("ties").permutation(given.n) if by_chance else np.arange(given.n)
        return KNNFit(
            made_by=self,
            columns=given.columns,
            stored=given.X.copy(),
            target=given.target.copy(),
            frame=frame,
            notes=self._notes(given, frame),
            classes=given.labels,
            rank=rank,
        )


@enter(
    Card(
        "knn_regression",
        "k-nearest neighbours",
        ("regression",),
        paper="Cover (1968), IEEE Transactions on Information Theory 14(1)",
        task="regression",
        peer="sklearn.neighbors.KNeighborsRegressor",
        sources=("s841:knn", "s841:knn_weighted"),
        cost=_cost,
        formula=r"\hat y = \sum_{i \in N_k(x)} w_i y_i \Big/ \sum_{i \in N_k(x)} w_i",
        synonyms=("kNN regression", "nearest neighbours", "KNeighborsRegressor"),
        line="the mean of the k nearest rows",
    )
)
@dataclass(frozen=True, kw_only=True)
class KNNRegression(NeighbourMethod):
    r"""Predicts the mean of the k stored rows that lie nearest.

    $\hat y = \sum_{i \in N_k(x)} w_i y_i / \sum_{i \in N_k(x)} w_i$ with the k nearest rows.

    Use it where the target follows the columns in any smooth way and columns are few and on one
    scale: standardise first. Fitting is free, an answer looks at all rows, O(n p), or at few with a
    tree. Near the border of the data the mean is drawn inwards, beyond it stays constant, and in
    many columns all rows are about equally far.
    """

    def _fit(self, given: Given) -> KNNRegressionFit:
        frame = self.metric.frame(given.X, None)
        return KNNRegressionFit(
            made_by=self,
            columns=given.columns,
            stored=given.X.copy(),
            target=given.target.copy(),
            frame=frame,
            notes=self._notes(given, frame),
        )


@function("cover_hart", title="Cover-Hart bound", sources=("s841:cover_hart_bound",))
def cover_hart(r_star: float, K: int = 2) -> float:
    """The largest error of one neighbour, for ever more rows: R* (2 - K R* / (K - 1)).

    `r_star` is the least possible error, between 0 and (K - 1) / K, of K classes. Raises DataError
    if it is not. Cover and Hart (1967), IEEE Transactions on Information Theory 13(1).
    """
    if K < 2 or not 0 <= r_star <= (K - 1) / K:
        raise DataError(
            "The least error of K classes lies between 0 and (K - 1) / K, and K is at least 2."
        )
    return r_star * (2 - K / (K - 1) * r_star)
