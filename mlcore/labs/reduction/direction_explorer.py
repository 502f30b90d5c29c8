"""A direction by its angle: what is kept along it, what is lost, and how it parts two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real
from mlcore.spine.random import generator

STEPS = 181  # one a degree, both ends
STRETCH = 2.5  # spread of the long axis over that of the short one
APART = {"side by side": (0.0, 3.0), "end to end": (9.0, 0.0), "crossed": (3.0, 3.0)}


class Directions(NamedTuple):
    """Two classes in the plane, and three measures of every direction."""

    X: np.ndarray  # (n, 2) centred
    y: np.ndarray  # (n,) class 0 or 1
    angles: np.ndarray  # (STEPS,) degrees
    variance: np.ndarray  # (STEPS,) along the direction, divisor n
    residual: np.ndarray  # (STEPS,) mean squared distance from the line
    fisher: np.ndarray  # (STEPS,) between the classes over within them
    angle: float
    scores: np.ndarray  # (n,) places along the chosen direction
    pca_angle: float
    fisher_angle: float


@enter(
    Card(
        "direction_explorer",
        "Projection onto a direction: PCA and LDA",
        ("lab",),
        sources=(
            "epfl:pca_min_error", "epfl:pca_max_variance", "cs1:pca_variance",
            "cs1:pca_reconstruction", "prac:pca_variance_view", "s841:fda_vs_pca_demo",
        ),
        random=True,
        cost=lambda n, p, it: (2e-3 + 1e-6 * it.n_rows, 3e3 * it.n_rows),
        formula=r"\underbrace{w^\top \Sigma w}_{\text{kept}} + \underbrace{\tfrac1n \sum_i"
        r" \|x_i - w w^\top x_i\|^2}_{\text{lost}} = \operatorname{tr} \Sigma,\qquad"
        r" J(w) = \frac{(w^\top (m_1 - m_0))^2}{w^\top S_w w}",
        kind="lab",
        pages=("dimensionality_reduction", "classification"),
        synonyms=("projection pursuit", "Fisher's discriminant"),
        line="largest variance need not part the classes",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class DirectionExplorer(Lab):
    """Turn a line: the direction of largest variance need not be the one that parts the classes.

    Rows are projected to a line through their mean. What is kept is the variance along the line,
    what is lost the mean squared distance from it; Fisher's criterion compares the distance of
    the two class means along the line with the spread inside the classes.
    """

    tasks = (
        "Turn the line until as little as possible is lost, and read how much is kept there.",
        "Look for the angle at which the two histograms overlap least.",
        "Change how the classes lie, and find the case where both angles agree.",
    )
    seen = (
        "What is kept and what is lost always add up to the same total, so least lost is most "
        "kept: the first principal component. Where the classes lie side by side along their long "
        "axis, that direction mixes them, and Fisher's is at a right angle to it."
    )

    angle: float = real(
        30.0, low=0.0, high=180.0, soft=(0.0, 180.0), symbol=r"\theta", doc="In degrees."
    )
    classes: str = choice(
        "side by side", "side by side", "end to end", "crossed",
        label="Classes lie", doc="How the two long classes stand to each other.",
    )  # fmt: skip
    n_rows: int = row_count(200, (20, 1000), high=2000, doc="Of both classes.")

    def compute(self, seed: int = 0) -> Directions:
        """Every measure at every degree, and the rows at one."""
        X, y = self._rows(generator(seed, "rows"))
        angles = np.linspace(0.0, 180.0, STEPS)
        variance, residual, fisher = _measures(X, y, _unit(angles))
        w = _unit(np.array([self.angle]))[0]
        return Directions(
            X, y, angles, variance, residual, fisher, self.angle, X @ w,
            float(angles[variance.argmax()]), float(angles[fisher.argmax()]),
        )  # fmt: skip

    def _rows(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        y = np.arange(self.n_rows) % 2
        X = rng.normal(size=(self.n_rows, 2)) * [STRETCH, 1.0] + y[:, None] * APART[self.classes]
        rotation = _unit(np.array([20.0, 110.0]))  # so that no axis of the plot is special
        X = X @ rotation
        return X - X.mean(axis=0), y


def _unit(degrees: np.ndarray) -> np.ndarray:
    """Unit vectors of these angles, shape (a, 2)."""
    radians = np.deg2rad(degrees)
    return np.column_stack([np.cos(radians), np.sin(radians)])


def _measures(X: np.ndarray, y: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, ...]:
    """Variance, residual and Fisher's criterion along each row of W."""
    scores = X @ W.T  # (n, a)
    variance = (scores**2).mean(axis=0)
    residual = np.array([((X - np.outer(X @ w, w)) ** 2).sum(axis=1).mean() for w in W])
    parts = [scores[y == k] for k in (0, 1)]
    within = sum(((part - part.mean(axis=0)) ** 2).sum(axis=0) for part in parts)
    between = (parts[1].mean(axis=0) - parts[0].mean(axis=0)) ** 2
    return variance, residual, between / (within / len(X))
