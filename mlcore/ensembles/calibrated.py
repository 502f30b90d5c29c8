"""Calibration: probabilities of a classifier corrected by what came true among rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

from mlcore.ensembles.members import fitted, know_the_same, with_weight
from mlcore.ensembles.probability_maps import (
    isotonic_map,
    joined,
    platt_scaling,
    temperature_scaling,
)
from mlcore.maths.class_scores import softmax
from mlcore.maths.dealing import RowsToSplit, folds
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesDecision, GivesProbabilities
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import ClassError, DataError
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, flag, integer, part

SIGMOID, ISOTONIC, TEMPERATURE = "sigmoid", "isotonic", "temperature"
LEAST = 1e-9  # of a probability whose logarithm is taken


@dataclass(frozen=True, eq=False, kw_only=True)
class CalibratedFit(Fit):
    """Classifiers, and for each a map of each class from its score to a probability."""

    made_by: Calibrated
    classes: np.ndarray  # (K,) sorted labels
    members: tuple[Any, ...]  # (B,) fits that know codes of classes
    # (B, C, 2) slope and offset, C = K or 1 for two classes; one slope in all with a temperature.
    lines: np.ndarray
    knots: np.ndarray  # (q, 2) of isotonic maps, score and value, one map after the other
    starts: np.ndarray  # (B C + 1,) where the knots of each map begin

    def probabilities(self, X: Any) -> np.ndarray:
        """Calibrated probabilities, shape (m, K): the mean over the members."""
        X = self._rows(X)
        parts = [self.mapped(b, scores_of(it, X, self._way)) for b, it in enumerate(self.members)]
        return np.mean(parts, axis=0)

    def raw_probabilities(self, X: Any) -> np.ndarray:
        """Those of the members before they are calibrated, shape (m, K); NaN without any."""
        X = self._rows(X)
        if not all(isinstance(member, GivesProbabilities) for member in self.members):
            return np.full((len(X), len(self.classes)), np.nan)
        return np.mean([member.probabilities(X) for member in self.members], axis=0)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class after calibration, shape (m,); the first on ties."""
        return self.classes[self.probabilities(X).argmax(axis=1)]

    def mapped(self, b: int, scores: np.ndarray) -> np.ndarray:
        """Probabilities, (m, K), from the scores of member b, shape (m, C)."""
        if self._way == TEMPERATURE:
            S = self.lines[b, 0, 0] * scores
            return joined(expit(S)) if S.shape[1] == 1 else softmax(S)
        if self._way == SIGMOID:
            return joined(expit(self.lines[b, :, 0] * scores + self.lines[b, :, 1]))
        C = scores.shape[1]
        own = (self.knots[slice(*self.starts[i : i + 2])] for i in range(b * C, (b + 1) * C))
        columns = [np.interp(scores[:, c], *k.T) for c, k in enumerate(own)]
        return joined(np.column_stack(columns))

    @property
    def _way(self) -> str:
        return self.made_by.calibration

    def holds_together(self) -> bool:
        """Whether the members know these classes and each has its maps."""
        K, B = len(self.classes), len(self.members)
        C = 1 if K == 2 else K
        if not (B and know_the_same(self.members, K, self.n_columns)):
            return False
        if self._way != ISOTONIC:
            return self.lines.shape == (B, C, 2)
        bounds = self.starts
        return (
            bounds.shape == (B * C + 1,)
            and self.knots.ndim == 2
            and self.knots.shape[1] == 2
            and bounds[0] == 0
            and bounds[-1] == len(self.knots)
            and bool((np.diff(bounds) > 0).all())
        )


def scores_of(member: Any, X: np.ndarray, way: str) -> np.ndarray:
    """What a map starts from, shape (m, K), or (m, 1) for two classes.

    The log-odds of each class where there are probabilities, so that right ones can stay as they
    are; their logarithms for a temperature. Else the scores of the decision.
    """
    if not isinstance(member, GivesProbabilities):
        scores = member.decision(X)
        return scores[:, None] if scores.ndim == 1 else scores
    # Sums of logarithms of densities differ by thousands from row to row: bounded, a few rows far
    # away do not decide where the map is steep.
    P = np.clip(member.probabilities(X), LEAST, 1 - LEAST)
    if P.shape[1] == 2:
        return logit(P[:, 1:])
    return np.log(P) if way == TEMPERATURE else logit(P)


def _cost(n: int, p: int, it: Calibrated) -> tuple[float, float]:
    own = it.estimator.card.cost
    seconds, size = own(n, p, it.estimator) if own else (1e-3, 8.0 * n * p)
    times = it.folds + (0 if it.ensemble else 1)
    return 2e-3 + times * seconds, (it.folds if it.ensemble else 1) * size


@enter(
    Card(
        "calibrated_classifier",
        "Calibrated classifier",
        ("classification",),
        paper="Platt (1999); Zadrozny and Elkan (2002), KDD 8; Guo and others (2017), ICML 34",
        task="classification",
        peer="sklearn.calibration.CalibratedClassifierCV",
        takes=("weights", "groups"),
        random=True,
        cost=_cost,
        formula=r"\hat p_k(x) = \tfrac1B \sum_b m_k^{(b)}\big(s_k^{(b)}(x)\big)",
        synonyms=(
            "CalibratedClassifierCV", "Platt scaling", "isotonic calibration",
            "temperature scaling", "probability calibration", "sigmoid calibration",
        ),
        line="probabilities that mean what they say",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Calibrated(Method):
    r"""Corrects the probabilities of a classifier by what came true among rows it had not seen.

    The training rows are dealt to folds. For each, a classifier is fitted to the others and a map
    m to its log-odds on the fold (to its scores, where it gives no probabilities): Platt's sigmoid,
    the isotonic curve, or one temperature for all classes. $\hat p_k(x)$ is the mean over these
    pairs, or one classifier fitted to all rows with one map of all folds. Maps of single classes
    are brought to sum 1.

    Use it where probabilities decide, and the classifier is too sure (naive Bayes, boosting, deep
    networks) or gives none (support vectors). O(folds) fits. The sigmoid needs few rows and mends
    sigmoid errors; isotonic mends any that leave the order, and learns noise below some hundred
    rows; a temperature never changes which class is said. Fails to gain where probabilities are
    right already, as those of logistic regression are as a rule: it adds variance.
    """

    peer_differs = (
        "Its folds are not shuffled, and it maps the decision function where there is one and "
        "else probabilities; here it is log-odds where there are probabilities."
    )

    estimator: Method = part(
        "naive_bayes",
        slot="classification",
        label="Classifier",
        doc="Whose scores or probabilities are mapped.",
    )
    calibration: str = choice(
        SIGMOID, SIGMOID, ISOTONIC, TEMPERATURE, doc="How a score becomes a probability."
    )
    folds: int = integer(
        5, low=2, high=50, soft=(2, 10), doc="Parts of the training rows, each left out once."
    )
    ensemble: bool = flag(
        True,
        doc="Keep the classifier and the maps of every fold and average; else one classifier is "
        "fitted to all rows, with the maps of all rows left out.",
    )

    def conflict(self) -> str | None:
        """Refuse a classifier without scores and probabilities."""
        if promises(self.estimator, GivesDecision) or promises(self.estimator, GivesProbabilities):
            return None
        return (
            f"{self.title()} needs scores or probabilities, of which {self.estimator.title()} "
            "gives none. Choose another classifier."
        )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse fewer rows than folds."""
        if len(X) >= self.folds:
            return None
        return f"{self.title()} on {self.folds} folds needs as many rows; there are {len(X)}."

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {
            "estimator": self.estimator,
            "method": self.calibration,
            "cv": self.folds,
            "ensemble": self.ensemble,
        }

    def _fit(self, given: Given) -> CalibratedFit:
        given = with_weight(given, self.title())
        members, scores = [], []
        fold_of = self._dealt(given)
        for k in np.unique(fold_of):
            out, learned = np.flatnonzero(fold_of == k), np.flatnonzero(fold_of != k)
            (member,) = fitted((self.estimator,), given, self.title(), learned)
            members.append(member)
            scores.append((out, scores_of(member, given.X[out], self.calibration)))
        if not self.ensemble:
            members = fitted((self.estimator,), given, self.title())
            out, S = (np.concatenate(side) for side in zip(*scores, strict=True))
            scores = [(out, S)]
        maps = [self._maps(S, given.target[out], given.w[out]) for out, S in scores]
        arrays: dict[str, Any] = self._arrays(maps)
        return CalibratedFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            members=tuple(members),
            **arrays,
        )

    def _dealt(self, given: Given) -> np.ndarray:
        """The fold of each row, (n,), such that every class can be learned without any of them."""
        y, n_groups = given.target, given.n if given.groups is None else _many(given.groups)
        if n_groups < self.folds:
            what = "rows" if given.groups is None else "groups"
            raise DataError(
                f"{self.title()} on {self.folds} folds needs as many {what} with a weight above "
                f"zero; there are {n_groups}. Take fewer folds."
            )
        rows = RowsToSplit(given.n, y, given.groups, None, given.seed, "row")
        fold_of = folds(rows, y, self.folds, given.rng("folds"))
        for k, label in enumerate(given.labels):
            if len(np.unique(fold_of[y == k])) < 2:
                raise ClassError(
                    f"{self.title()} needs every class in two folds at least; ", [label],
                    " is in one. Bring more rows of it, or leave it out.",
                )  # fmt: skip
        return fold_of

    def _maps(self, S: np.ndarray, y: np.ndarray, w: np.ndarray) -> list[Any]:
        """The map of each column of scores, (n, C), learned from codes y with weights w."""
        if self.calibration == TEMPERATURE:
            return [(temperature_scaling(S, y, w), 0.0)] * S.shape[1]
        learn = platt_scaling if self.calibration == SIGMOID else isotonic_map
        first = 1 if S.shape[1] == 1 else 0  # of two classes the second has the score
        return [learn(S[:, c], y == c + first, w) for c in range(S.shape[1])]

    def _arrays(self, maps: list[list[Any]]) -> dict[str, np.ndarray]:
        """All maps as the arrays of the fit."""
        if self.calibration != ISOTONIC:
            none = {"knots": np.zeros((0, 2)), "starts": np.zeros(1, dtype=np.int64)}
            return {"lines": np.array(maps, dtype=np.float64), **none}
        each = [knots for of_member in maps for knots in of_member]
        starts = np.cumsum([0, *map(len, each)])
        return {"lines": np.zeros((0, 1, 2)), "knots": np.concatenate(each), "starts": starts}


def _many(groups: np.ndarray) -> int:
    return len(np.unique(groups))
