"""Small methods whose fits have one capability more than they need, so that views have a subject.

They are not in the catalogue; a run takes them because their cards name a slot. Beside them stand
small pictures of letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.data.generators.pictures.glyphs import Glyphs
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method

LETTERS = Glyphs(n_samples=40, height=8, width=7, alphabet="like letters")  # of four classes


@dataclass(frozen=True, eq=False, kw_only=True)
class MeansFit(Fit):
    """Class means; the nearer, the likelier."""

    classes: np.ndarray  # (K,)
    means: np.ndarray  # (K, p)

    def probabilities(self, X):
        """softmax of half the squared distance, shape (m, K)."""
        X = self._rows(X)
        d2 = ((X[:, None] - self.means[None]) ** 2).sum(axis=2)
        p = np.exp(-(d2 - d2.min(axis=1, keepdims=True)) / 2)
        return p / p.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The class of the nearest mean, shape (m,)."""
        return self.classes[self.probabilities(X).argmax(axis=1)]


@enter(Card("nearest_means", "Nearest mean", ("classification",), task="classification"))
@dataclass(frozen=True, kw_only=True)
class NearestMeans(Method):
    """The class whose mean is nearest."""

    followed: ClassVar[str] = "objective"  # of steps that tests make by hand

    def _fit(self, given: Given) -> MeansFit:
        means = [given.X[given.y == k].mean(axis=0) for k in range(len(given.classes))]
        return MeansFit(
            made_by=self, columns=given.columns, classes=given.classes, means=np.array(means)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class SilentFit(Fit):
    """Class means without probabilities, and with coefficients of no meaning."""

    classes: np.ndarray  # (K,)
    means: np.ndarray  # (K, p)
    coefficients: np.ndarray  # (K, p)
    intercept: np.ndarray  # (K,)

    def predict(self, X):
        """The class of the nearest mean, shape (m,)."""
        d2 = ((self._rows(X)[:, None] - self.means[None]) ** 2).sum(axis=2)
        return self.classes[d2.argmin(axis=1)]


@enter(Card("silent_means", "Silent means", ("classification",), task="classification"))
@dataclass(frozen=True, kw_only=True)
class SilentMeans(Method):
    """The class whose mean is nearest, and no word on how sure."""

    def _fit(self, given: Given) -> SilentFit:
        means = [given.X[given.y == k].mean(axis=0) for k in range(len(given.classes))]
        return SilentFit(
            made_by=self,
            columns=given.columns,
            classes=given.classes,
            means=np.array(means),
            coefficients=np.array(means),
            intercept=-((np.array(means) ** 2).sum(axis=1)) / 2,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseFit(Fit):
    """Labels of the training rows, and no word on others."""

    labels: np.ndarray  # (n,)


@enter(Card("far_is_noise", "Far is noise", ("clustering",), scores=("stability",)))
@dataclass(frozen=True, kw_only=True)
class FarIsNoise(Method):
    """Cluster 0 around the mean, all that lies far from it is noise."""

    def _fit(self, given: Given) -> NoiseFit:
        far = ((given.X - given.X.mean(axis=0)) ** 2).sum(axis=1) > given.p
        return NoiseFit(made_by=self, columns=given.columns, labels=np.where(far, -1, 0))


def named(*names: str) -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(name, "number", (), name) for name in names)
