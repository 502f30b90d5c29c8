"""A stream of rows: one at a time, a few or all at once, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.sampling.stream import ORDERS, SCHEMES, Batch, stream
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator

RECORDED = 200  # updates that are drawn, at most


class Course(NamedTuple):
    """How a learner fares while rows come in."""

    at: np.ndarray  # (u,) numbers of these updates, from 1; 200 of them at most
    given: tuple[np.ndarray, ...]  # (u) the rows of each
    seen: np.ndarray  # (u,) rows that were given so far, repeats counted
    path: np.ndarray  # (u, q) the mean (q = 2) or weights and offset of the line (q = 3)
    off: np.ndarray  # (u,) distance from the mean of all rows, or share of rows wrongly classed
    updates: int
    passes: int


class Streamed(NamedTuple):
    """Two classes in the plane, in the order of the file, and two courses through them."""

    X: np.ndarray  # (n, 2), line by line: by rising second column
    y: np.ndarray  # (n,) -1 or 1
    chosen: Course
    shuffled: Course
    learner: str
    order: str


@enter(
    Card(
        "stream",
        "Online learning from a stream",
        ("lab",),
        sources=(
            "cs1:sampling_online", "cs1:sampling_minibatch", "cs1:sampling_batch",
            "cs1:som_order_demo", "cs2:sampling_order_demo",
        ),
        random=True,
        cost=lambda n, p, it: (5e-3 + 1e-5 * it.n_rows * it.passes, 2e4 * it.n_rows),
        formula=r"\bar x_t = \bar x_{t-1} + \frac{b}{t}\,(\bar x_{\text{batch}} - \bar x_{t-1}),"
        r"\qquad w \leftarrow w + \frac{1}{b} \sum_{i \in \text{batch}}"
        r" [\,y_i (w^\top x_i) \le 0\,]\; y_i x_i",
        kind="lab",
        pages=("data", "classification"),
        synonyms=("stochastic gradient descent", "SGD", "mini-batch", "incremental learning"),
        line="knows something early, depends on the order",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class StreamLab(Lab):
    r"""A learner that takes rows as they come knows something early, and depends on their order.

    It is called once for each batch: one row (online), a few (minibatch) or all (batch). A call is
    one *update*, all rows once are one *pass*; both go by the name of epoch in texts, so both are
    counted here. The learner keeps the mean of all rows so far, $t$ of them, or moves a line by the
    perceptron rule. The rows of the file stand line by line, from the bottom of the plane upwards;
    sorted, one class comes after the other.
    """

    tasks = (
        "Take the mean, online and shuffled: see how few rows it needs to come near, and play the "
        "second picture to follow it row by row.",
        "Give the rows in the order of the file, or sorted by class, and follow the way of the "
        "mean until the pass is over.",
        "Take the perceptron line with sorted rows, online: compare its errors with those of "
        "shuffled rows, and count updates and passes for each scheme.",
    )
    seen = (
        "One row at a time is noisy but useful early; all at once says nothing before the last row "
        "is there. A mean does not care for the order in the end, but is misled for most of the "
        "pass by rows in file order. A learner that forgets, such as the perceptron or a "
        "self-organising map, keeps the mark of what came last, so rows are shuffled anew in every "
        "pass."
    )

    learner: str = choice("mean", "mean", "perceptron", doc="What is updated.")
    scheme: str = choice("online", *SCHEMES, doc="How many rows make an update.")
    order: str = choice("sorted", *ORDERS, doc="In which order the rows come.")
    batch_size: int = integer(
        10,
        low=1,
        high=500,
        soft=(1, 100),
        log=True,
        symbol="b",
        doc="Rows of a minibatch.",
        only_if={"scheme": "minibatch"},
    )
    passes: int = integer(1, low=1, high=20, soft=(1, 10), doc="How often all rows are given.")
    distance: float = real(
        4.0,
        low=0.0,
        high=10.0,
        soft=(0.0, 8.0),
        symbol="d",
        doc="Of the two means, in standard deviations.",
    )
    n_rows: int = row_count(200, (20, 500), high=1000)

    def compute(self, seed: int = 0) -> Streamed:
        """The course of the chosen order, and of shuffled rows."""
        rng = generator(seed, "rows")
        y = np.repeat([-1.0, 1.0], [self.n_rows // 2, self.n_rows - self.n_rows // 2])
        X = rng.normal(size=(self.n_rows, 2))
        X[:, 0] += y * self.distance / 2
        line_by_line = np.argsort(X[:, 1])
        X, y = X[line_by_line], y[line_by_line]
        chosen = self._course(X, y, self.order, seed)
        shuffled = self._course(X, y, "shuffled", seed)
        return Streamed(X, y, chosen, shuffled, self.learner, self.order)

    def _course(self, X: np.ndarray, y: np.ndarray, order: str, seed: int) -> Course:
        batches = list(
            stream(
                len(X), self.scheme, batch_size=self.batch_size, order=order, passes=self.passes,
                y=y, seed=seed,
            )
        )  # fmt: skip
        walk = _means if self.learner == "mean" else _lines
        path = np.array(list(walk(X, y, batches)))
        seen = np.cumsum([len(batch.rows) for batch in batches])
        recorded = np.unique(np.linspace(0, len(path) - 1, RECORDED).astype(int))
        path = path[recorded]
        off = _astray(X, path) if self.learner == "mean" else _wrong(X, y, path)
        return Course(
            recorded + 1, tuple(batches[k].rows for k in recorded), seen[recorded], path, off,
            batches[-1].update, batches[-1].epoch,
        )  # fmt: skip


def _means(X: np.ndarray, y: np.ndarray, batches: list[Batch]) -> Iterator[np.ndarray]:
    """The mean of all rows so far, after each update."""
    mean, count = np.zeros(2), 0
    for batch in batches:
        count += len(batch.rows)
        mean = mean + len(batch.rows) / count * (X[batch.rows].mean(axis=0) - mean)
        yield mean


def _lines(X: np.ndarray, y: np.ndarray, batches: list[Batch]) -> Iterator[np.ndarray]:
    """Weights and offset of the perceptron, after each update."""
    Z, w = _with_ones(X), np.zeros(3)
    for batch in batches:
        own, signs = Z[batch.rows], y[batch.rows]
        missed = signs * (own @ w) <= 0
        w = w + (missed * signs) @ own / len(own)
        yield w


def _with_ones(X: np.ndarray) -> np.ndarray:
    return np.column_stack([X, np.ones(len(X))])


def _astray(X: np.ndarray, path: np.ndarray) -> np.ndarray:
    return np.linalg.norm(path - X.mean(axis=0), axis=1)


def _wrong(X: np.ndarray, y: np.ndarray, path: np.ndarray) -> np.ndarray:
    return (y[:, None] * (_with_ones(X) @ path.T) <= 0).mean(axis=0)
