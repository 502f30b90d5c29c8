"""Membership: a row belongs to a class if it lies near its stored rows, else to none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mlcore.distances.metrics import Distance, Frame
from mlcore.distances.neighbours import Neighbours, search_seconds
from mlcore.maths.arrays import vanishing
from mlcore.maths.class_scores import best_class, decision_of, rarest
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import integer, part, real
from mlcore.spine.wording import percent


@dataclass(frozen=True, eq=False, kw_only=True)
class MembershipFit(Fit):
    """The stored rows of every class but the rarest, and the largest distance of a member."""

    made_by: NeighbourMembership
    classes: np.ndarray  # (K,) sorted labels
    rare: int  # code of the class of which no row is stored
    stored: np.ndarray  # (n, p) rows of the other classes
    target: np.ndarray  # (n,) their codes
    frame: Frame
    limit: float  # one rounding above the threshold, so that a row exactly there is a member
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether every class but the rarest has as many stored rows as are asked."""
        codes = set(range(len(self.classes))) - {self.rare}
        counts = np.bincount(self.target, minlength=len(self.classes))
        return (
            self.stored.shape == (len(self.target), self.n_columns)
            and self.frame.is_of(self.n_columns)
            and set(self.target) == codes
            and all(counts[k] >= self.made_by.n_neighbors for k in codes)
        )

    @cached_property
    def _searches(self) -> dict[int, Neighbours]:
        placed = self.frame.placed(self.stored)
        return {
            int(k): Neighbours(placed[self.target == k], self.frame.power)
            for k in np.unique(self.target)
        }

    def __getstate__(self) -> dict[str, Any]:
        """The state without the searches, which are quicker to build than to send."""
        return {name: value for name, value in self.__dict__.items() if name != "_searches"}

    def remoteness(self, X: Any) -> np.ndarray:
        """Mean distance to the nearest stored rows of each class, (m, K); infinite for the rare."""
        placed = self.frame.placed(self._rows(X))
        means = np.full((len(placed), len(self.classes)), np.inf)
        for k, search in self._searches.items():
            nearest = search.nearest(placed, self.made_by.n_neighbors)
            means[:, k] = nearest.distances.mean(axis=1)
        return means

    def decision(self, X: Any) -> np.ndarray:
        """Minus the mean distance to each class, (m, K), and minus the threshold for the rare one.

        For two classes their difference, (m,), positive for the second.
        """
        scores = -self.remoteness(X)
        scores[:, self.rare] = -self.limit
        return decision_of(scores)

    def predict(self, X: Any) -> np.ndarray:
        """The nearest class of which the row is a member, shape (m,); if of none, the rare one."""
        return self.classes[best_class(self.decision(X))]


def _cost(n: int, p: int, method: NeighbourMembership) -> tuple[float, float]:
    """A search for the nearest of every stored row, for the note."""
    looks = search_seconds(n, p)
    return 1e-3 + looks + 2e-8 * n * method.n_neighbors, 24.0 * n * (p + method.n_neighbors)


@enter(
    Card(
        "membership",
        "Novelty detection",
        ("classification",),
        task="classification",
        sources=("cs1:membership_2nn", "cs1:novelty_as_classifier"),
        cost=_cost,
        formula=r"x \in c \iff \frac1k \sum_{i \in N_k^c(x)} d(x, x_i) \le t",
        synonyms=(
            "anomaly detection",
            "one-class classification",
            "outlier detection",
            "open set recognition",
        ),
        line="a rare class as what belongs to no other",
    )
)
@dataclass(frozen=True, kw_only=True)
class NeighbourMembership(Method):
    r"""Detects a rare class as the rows that belong to none of the others.

    A row is a member of a class if its mean distance to the k nearest stored rows of that class
    is at most t. The rarest class is never looked at: of two classes the regular one alone is
    learned, and who is no member of it is called rare. Of more, all but the rarest are learned, and
    a row goes to the nearest of those that accept it. On test rows it is judged by the classes,
    so by whether the rare one is found; accuracy flatters, balanced accuracy does not.

    Use it for faults, alarms and illness, of which there are few examples and no two alike. The
    threshold is in units of the prepared columns: 7 means something in kg and cm, and everything
    after standardising. It fails where the rare lies among the regular, where some regions are
    thinner than others, since one t fits all, and in many columns. Fitting is free, an answer looks
    at all rows, O(n p), or at few with a tree.
    """

    n_neighbors: int = integer(
        2,
        low=1,
        soft=(1, 20),
        symbol="k",
        label="Neighbours",
        doc="Stored rows whose mean distance counts; with one, a stray row vouches for its place.",
    )
    threshold: float = real(
        7.0,
        low=0.0,
        soft=(0.1, 50.0),
        log=True,
        symbol="t",
        doc="Largest mean distance of a member, in units of the prepared columns.",
    )
    metric: Distance = part(
        "euclidean", slot="metric", label="Distance", doc="How far apart two rows are."
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse too few rows of a learned class, and rows whose squared differences vanish."""
        if y is None:
            return None
        counts = np.bincount(y)
        fewest = int(np.delete(counts, rarest(counts)).min())
        if fewest < self.n_neighbors:
            return (
                f"Membership with {self.n_neighbors} neighbours needs as many rows of every class "
                f"but the rarest; one has {fewest}. Lower n_neighbors or add rows."
            )
        return vanishing(X, self.title())

    def _fit(self, given: Given) -> MembershipFit:
        rare = rarest(np.bincount(given.target))
        known = given.target != rare
        X, codes = np.ascontiguousarray(given.X[known]), given.target[known]
        frame = self.metric.frame(X, np.unique(codes, return_inverse=True)[1])
        fit = MembershipFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            rare=rare,
            stored=X,
            target=codes,
            frame=frame,
            limit=float(np.nextafter(self.threshold, np.inf)),
            notes=(frame.note,) if frame.note else (),
        )
        return replace(fit, notes=(*fit.notes, *self._note(fit)))

    def _note(self, fit: MembershipFit) -> tuple[str, ...]:
        """The mean distance of stored rows of a class, compared with the threshold."""
        k = self.n_neighbors
        each = [s.others(k).distances.mean(axis=1) for s in fit._searches.values() if len(s.S) > k]
        if not each:
            return ()
        distances = np.concatenate(each)
        share = percent(float((distances <= self.threshold).mean()))
        return (
            f"The stored rows lie {distances.mean():.3g} from their nearest on average; with the "
            f"threshold {self.threshold:g} each would be a member in {share} of cases if it "
            "were not stored.",
        )
