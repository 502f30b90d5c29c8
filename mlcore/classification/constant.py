"""The constant baseline of classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine import checks
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer


@dataclass(frozen=True, eq=False, kw_only=True)
class ConstantClassifierFit(Fit):
    """One class, and one row of probabilities, for every row."""

    classes: np.ndarray  # (K,) sorted labels
    shares: np.ndarray  # (K,) probability of each class
    counts: np.ndarray  # (K,) weight of each class among the training rows

    def predict(self, X: Any) -> np.ndarray:
        """The same label for each row, shape (m,); of classes that tie, the first."""
        return np.full(len(self._rows(X)), self.classes[self.shares.argmax()])

    def probabilities(self, X: Any) -> np.ndarray:
        """The same probabilities for each row, shape (m, K)."""
        return np.tile(self.shares, (len(self._rows(X)), 1))


def _cost(n: int, p: int, method: ConstantClassifier) -> tuple[float, float]:
    return 3e-5 + 2e-8 * n, 16.0 * n


@enter(
    Card(
        "constant",
        "Dummy classifier",
        ("classification",),
        task="classification",
        peer="sklearn.dummy.DummyClassifier",
        sources=("cs1:constant_baseline", "epfl:baseline_compare"),
        takes=("weights", "columns", "missing"),
        cost=_cost,
        formula=r"\hat y = \arg\max_k \pi_k, \qquad p_k(x) = \pi_k = n_k / n",
        synonyms=("baseline", "majority class", "most frequent class", "DummyClassifier"),
        line="one class for every row",
    )
)
@dataclass(frozen=True, kw_only=True)
class ConstantClassifier(Method):
    r"""Predicts one class for every row, whatever its columns say.

    The class is the commonest of the training rows. Its probabilities are the shares of the
    classes, which minimise the log loss among all constant answers; the majority strategy is
    certain instead.

    The line under every score table: a method that does no better has learned nothing from the
    columns. O(n). On unbalanced classes its accuracy looks good; its balanced accuracy is 1/K.
    """

    strategy: str = choice(
        "prior",
        "prior",
        "majority",
        "given",
        doc="Commonest class with the class shares as probabilities, the same with certainty, "
        "or a given class with certainty.",
    )
    number: int = integer(
        1,
        low=1,
        soft=(1, 10),
        doc="Which class is predicted: its place among the sorted classes.",
        only_if={"strategy": "given"},
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        names = {"prior": "prior", "majority": "most_frequent"}
        return self.beyond_peer(strategy=tuple(names)) or {"strategy": names[self.strategy]}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse a class number beyond the last class."""
        if self.strategy != "given" or y is None or self.number <= int(y.max()) + 1:
            return None
        return (
            f"{self.title()} is told to predict class number {self.number}; these rows have "
            f"{int(y.max()) + 1} classes. Choose a smaller number."
        )

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        return checks.classes(y, n, self.title())  # a single class is no problem here

    def _fit(self, given: Given) -> ConstantClassifierFit:
        counts = np.bincount(given.target, weights=given.w, minlength=len(given.labels))
        return ConstantClassifierFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            shares=self._shares(counts),
            counts=counts,
        )

    def _shares(self, counts: np.ndarray) -> np.ndarray:
        if self.strategy == "prior":
            return counts / counts.sum()
        sure = self.number - 1 if self.strategy == "given" else int(counts.argmax())
        return (np.arange(len(counts)) == sure).astype(float)
