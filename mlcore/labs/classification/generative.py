"""A model of each class, or of the classes given the inputs: what is missing, and what is odd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.mixtures import Mixture
from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator

GRID = 61
REACH = 5.0  # half the side of the plane
NEW = 1000  # rows that judge both
RARE = 0.02  # share of the learned rows that are less dense than an odd row must be
SLANTED = ((1.0, 0.85), (0.85, 1.0))
ROUND = ((0.7, 0.0), (0.0, 0.7))
# Of each class: the means of its components, which weigh the same, and their covariance.
SHAPES = {
    "two lumps and one": ((((-2.0, 2.0), (2.0, -2.0)), ROUND), (((0.0, 0.0),), ROUND)),
    "slanted": ((((-0.8, 0.8),), SLANTED), (((0.8, -0.8),), SLANTED)),
    "round": ((((-1.3, 0.0),), ROUND), (((1.3, 0.0),), ROUND)),
}
INPUTS = ("x1", "x2")


class Both(NamedTuple):
    """Two classifiers of the same rows, on the plane and where one input is missing."""

    X: np.ndarray  # (n, 2)
    y: np.ndarray  # (n,) 0 or 1
    places: np.ndarray  # (GRID,)
    generative: np.ndarray  # (GRID, GRID) probability of class 1, columns along the first axis
    discriminative: np.ndarray  # (GRID, GRID)
    is_odd: np.ndarray  # (GRID, GRID) bool: less dense than nearly all learned rows
    truth_without: np.ndarray  # (GRID,) probability of class 1 by the other input alone
    generative_without: np.ndarray  # (GRID,)
    discriminative_without: np.ndarray  # (GRID,) with the mean in place of what is missing
    errors: np.ndarray  # (3, 2) of truth and both models, on whole new rows and without the input
    odd_noticed: float  # share of rows from the whole plane that are as odd
    odd_sure: float  # mean probability that the other gives to the class it says of those
    missing: str


@enter(
    Card(
        "generative_lab",
        "Generative and discriminative classifiers",
        ("lab",),
        paper="Ng and Jordan (2001), NIPS 14",
        sources=("epfl:generative_vs_discriminative",),
        random=True,
        cost=lambda n, p, it: (0.4 + 4e-3 * it.n_rows, 1e7),
        formula=r"p(c \mid x) = \frac{\pi_c\, p(x \mid c)}{\sum_k \pi_k\, p(x \mid k)},\qquad"
        r"p(c \mid x_1) \propto \pi_c \int p(x_1, x_2 \mid c)\, dx_2",
        kind="lab",
        pages=("classification", "kernels"),
        synonyms=(
            "generative model", "discriminative model", "missing input", "Bayes classifier",
            "mixture discriminant analysis", "novelty", "imputation",
        ),
        line="who models the inputs can miss one",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GenerativeLab(Lab):
    r"""A model of each class copes with a missing input and knows an odd row; one of borders not.

    The generative classifier fits a Gaussian mixture to each class and asks by Bayes' rule which
    is likelier. The discriminative one, a Gaussian process, models the class given both inputs and
    nothing else. Where an input is missing, the mixtures integrate over it; the process can only be
    given its mean instead. The density of the mixtures also says where hardly any row lies.
    """

    tasks = (
        "Compare the two maps: where do they differ, and are there rows?",
        "Look in the third picture at what is said when one input is missing.",
        "Take slanted classes: how much is lost with the input, and by whom?",
        "Give each class too few components, one for two lumps, and see who is right then.",
    )
    seen = (
        "With both inputs and the right shape the two err alike. Without one, the mixtures follow "
        "the true probability, while the process with a mean filled in answers for a place where "
        "its rows may never lie. Far from all rows the process says about one half; the mixtures "
        "are sure of whichever tail is thicker, but their density says that such rows were never "
        "seen. With too few components the mixtures err more on whole rows too."
    )

    shape: str = choice(next(iter(SHAPES)), *SHAPES, doc="Of the two classes.")
    n_components: int = integer(
        2, low=1, high=6, soft=(1, 4), symbol="K", label="Components of each class",
        doc="Normal distributions in the mixture of a class.",
    )  # fmt: skip
    missing: str = choice(INPUTS[1], *INPUTS, label="Missing input", doc="Of the third picture.")
    prior: float = real(
        0.5, low=0.1, high=0.9, soft=(0.1, 0.9), symbol=r"\pi_1", doc="Share of class 1."
    )
    n_rows: int = row_count(100, (20, 150), doc="That are learned.")

    def compute(self, seed: int = 0) -> Both:
        """Both fits, on whole rows and without an input."""
        X, y = self._rows(self.n_rows, seed, "rows")
        learned = tuple(
            GaussianMixture(n_components=min(self.n_components, int((y == c).sum()))).fit(
                X[y == c], seed=seed
            ).mixture
            for c in (0, 1)
        )  # fmt: skip
        share, process = float(y.mean()), GPClassifier().fit(X, y, seed=seed)
        places = np.linspace(-REACH, REACH, GRID)
        square = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2)
        line = self._without(np.column_stack([places, places]))
        filled = np.where(np.isnan(line), X.mean(axis=0), line)
        least = np.quantile(_log_density(learned, share, X), RARE)
        odd = generator(seed, "odd rows").uniform(-REACH, REACH, (NEW, 2))
        odd = odd[_log_density(learned, share, odd) < least]
        sure = process.probabilities(odd).max(axis=1) if len(odd) else np.zeros(1)
        return Both(
            X, y, places, _of_one(learned, share, square).reshape(GRID, GRID),
            process.probabilities(square)[:, 1].reshape(GRID, GRID),
            (_log_density(learned, share, square) < least).reshape(GRID, GRID),
            _of_one(self._truth(), self.prior, line), _of_one(learned, share, line),
            process.probabilities(filled)[:, 1], self._errors(seed, learned, share, process, X),
            len(odd) / NEW, float(sure.mean()), self.missing,
        )  # fmt: skip

    def _truth(self) -> tuple[Mixture, ...]:
        return tuple(
            Mixture(
                np.full(len(means), 1 / len(means)),
                np.array(means),
                np.array([covariance] * len(means)),
            )
            for means, covariance in SHAPES[self.shape]
        )

    def _rows(self, n: int, seed: int, name: str) -> tuple[np.ndarray, np.ndarray]:
        rng = generator(seed, name)
        y = (np.arange(n) < np.clip(round(self.prior * n), 2, n - 2)).astype(np.int64)
        X = np.empty((n, 2))
        for c, (means, covariance) in enumerate(SHAPES[self.shape]):
            own = y == c
            middles = np.array(means)[rng.integers(len(means), size=int(own.sum()))]
            X[own] = middles + rng.multivariate_normal(np.zeros(2), covariance, len(middles))
        return X, y

    def _without(self, X: np.ndarray) -> np.ndarray:
        """The rows, (m, 2), with the missing input left out."""
        gone = X.copy()
        gone[:, INPUTS.index(self.missing)] = np.nan
        return gone

    def _errors(
        self,
        seed: int,
        learned: tuple[Mixture, ...],
        share: float,
        process: GivesProbabilities,
        X: np.ndarray,
    ) -> np.ndarray:
        """Shares wrong of new rows, (3, 2): truth and both, whole and without the input."""
        new, y = self._rows(NEW, seed, "new rows")
        gone = self._without(new)
        filled = np.where(np.isnan(gone), X.mean(axis=0), gone)
        of_one = [
            [_of_one(self._truth(), self.prior, rows) for rows in (new, gone)],
            [_of_one(learned, share, rows) for rows in (new, gone)],
            [process.probabilities(rows)[:, 1] for rows in (new, filled)],
        ]
        return np.array([[float(((P > 0.5) != y).mean()) for P in each] for each in of_one])


def _joint(classes: tuple[Mixture, ...], share: float, X: np.ndarray) -> np.ndarray:
    """Logarithm of share times density of each class at rows X, which may lack inputs, (m, 2)."""
    logs = [mixture.shares(X)[1] for mixture in classes]
    return np.column_stack(logs) + np.log([1 - share, share])


def _of_one(classes: tuple[Mixture, ...], share: float, X: np.ndarray) -> np.ndarray:
    """Probability of class 1, (m,)."""
    joint = _joint(classes, share, X)
    return expit(joint[:, 1] - joint[:, 0])


def _log_density(classes: tuple[Mixture, ...], share: float, X: np.ndarray) -> np.ndarray:
    """Of a row of either class, (m,)."""
    return np.logaddexp(*_joint(classes, share, X).T)
