"""Balancing: training rows in which the classes are about equally common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import StepFit
from mlcore.spine import checks
from mlcore.spine.capabilities import Resampled
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, real
from mlcore.spine.random import generator
from mlcore.spine.wording import spaced


@dataclass(frozen=True, eq=False, kw_only=True)
class BalancerFit(StepFit):
    """How many rows of each class there were, and how many there should be."""

    made_by: Balancer
    classes: np.ndarray  # (K,) sorted
    counts_before: np.ndarray  # (K,) training rows of each class
    counts_after: np.ndarray  # (K,) rows of each class to learn from
    seed: int  # of the random draws

    def resample(self, X: Any, y: Any) -> Resampled:
        """Rows of X, shape (n, p), in the wanted numbers, in order; y, (n,), are the classes."""
        X = self._rows(X)
        codes, _ = checks.classes(y, len(X), self.made_by.title())
        rng = generator(self.seed, "balancing")
        wanted = self.made_by.wanted(np.bincount(codes))
        drawn = [
            _drawn(np.flatnonzero(codes == k), int(count), self.made_by.method, rng)
            for k, count in enumerate(wanted)
        ]
        rows = np.sort(np.concatenate(drawn))
        return Resampled(X[rows], rows)

    def corrected(self, P: np.ndarray) -> np.ndarray:
        r"""Probabilities learned from these rows, for the shares of the data, both (m, K).

        $p'_k \propto p_k \, \pi_k / \pi'_k$ with the shares before and after balancing.
        """
        weighed = P * (self.counts_before / self.counts_after)
        return weighed / weighed.sum(axis=1, keepdims=True)

    def summary(self) -> StepSummary:
        """Rows of each class before and after."""
        pairs = zip(self.counts_before, self.counts_after, strict=True)
        values = tuple(
            (code if isinstance(code, int) else str(code), what, float(count))
            for code, counts in zip(self.classes.tolist(), pairs, strict=True)
            for what, count in zip(("rows", "rows to learn from"), counts, strict=True)
        )
        is_even = int(np.ptp(self.counts_after)) <= 1
        trained_on = "on balanced classes" if is_even else "on classes that are nearer in number"
        return StepSummary(self.made_by.title(), values, self._note(), trained_on)

    def _note(self) -> str:
        """What was made of the rows, and what that does to probabilities."""
        before, after = int(self.counts_before.sum()), int(self.counts_after.sum())
        low, high = int(self.counts_after.min()), int(self.counts_after.max())
        per_class = spaced(low) if low == high else f"{spaced(low)} to {spaced(high)}"
        rows = f"{spaced(after)} rows of {spaced(before)}"
        return (
            f"Made {rows}, {per_class} of each class. They are no sample of the "
            "data any more: probabilities are those of the new shares."
        )


@enter(
    Card(
        "balancer",
        "Class balancing",
        ("preparation",),
        stage="resample",
        paper="He and Garcia (2009), IEEE Transactions on Knowledge and Data Engineering 21",
        sources=("cs1:balance_classes", "epfl:balanced_training"),
        takes=("columns", "missing", "target"),
        random=True,
        cost=lambda n, p, self: (1e-4 + 8e-8 * n * p, 16.0 * n * p),
        formula=r"n'_k \ge \rho \max_l n'_l",
        synonyms=(
            "SMOTE",
            "oversampling",
            "undersampling",
            "resampling",
            "imbalanced classes",
            "class imbalance",
            "RandomOverSampler",
            "RandomUnderSampler",
        ),
        line="no class much rarer than another",
    )
)
@dataclass(frozen=True, kw_only=True)
class Balancer(Method):
    r"""Gives the method training rows in which no class is much rarer than another.

    Of $n_k$ rows of class k, $\min(n_k, \min_l n_l / \rho)$ are kept (undersample); or rows are
    repeated until there are $\max(n_k, \rho \max_l n_l)$ (oversample); or as many rows as there
    were are drawn with replacement, in the shares of the latter (bootstrap). Test rows
    are never touched: scores are those of the real shares.

    For methods that otherwise never answer with a rare class. The rows are no sample of the data
    any more: false alarms multiply, and probabilities are those of the new shares. A saved model
    tells them for the true shares too, $p'_k \propto p_k \pi_k / \pi'_k$. Undersampling throws
    rows away; copies make methods sure of single rows. O(n p).
    """

    method: str = choice(
        "undersample",
        "undersample",
        "oversample",
        "bootstrap",
        doc="Whether common classes lose rows, rare ones are repeated, or all are drawn anew.",
    )
    ratio: float = real(
        1.0,
        low=0.05,
        high=1.0,
        soft=(0.05, 1.0),
        symbol="ρ",
        label="Minority-to-majority ratio",
        doc="Rows of the rarest class for each row of the commonest; 1 makes all equal.",
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Only classes y, shape (n,), can be balanced: the sentence that says so, or None."""
        if y is not None and y.dtype.kind == "f":
            return (
                f"{self.title()} needs classes; the target is a quantity. Remove the step, or "
                "choose another target."
            )
        return None

    def wanted(self, counts: np.ndarray) -> np.ndarray:
        """Rows of each class to learn from, shape (K,), of classes with so many rows, (K,)."""
        if self.method == "undersample":
            return np.minimum(counts, int(counts.min() / self.ratio + ROUNDING))
        raised = np.maximum(counts, int(np.ceil(counts.max() * self.ratio - ROUNDING)))
        return raised if self.method == "oversample" else _apportioned(raised, int(counts.sum()))

    def rows_made(self, n: int, y: np.ndarray | None = None) -> int:
        """The rows wanted of all classes together, for n rows with the classes y, shape (n,)."""
        if y is None or y.dtype.kind == "f":
            return n
        return int(self.wanted(np.unique(y, return_counts=True)[1]).sum())

    def _fit(self, given: Given) -> BalancerFit:
        before = np.bincount(given.target)
        return BalancerFit(
            made_by=self,
            columns=given.columns,
            out_columns=given.columns,
            classes=given.labels,
            counts_before=before,
            counts_after=self.wanted(before),
            seed=given.seed,
        )


ROUNDING = 1e-9  # 3 / 0.05 is a little below 60


def _apportioned(parts: np.ndarray, total: int) -> np.ndarray:
    """`total` in proportion to the parts, shape (K,), in whole numbers of at least 1.

    The largest remainders are rounded up.
    """
    exact = parts * (total / parts.sum())
    counts = np.floor(exact).astype(np.int64)
    largest = np.argsort(counts - exact, kind="stable")
    counts[largest[: total - int(counts.sum())]] += 1
    return np.maximum(counts, 1)


def _drawn(rows: np.ndarray, count: int, method: str, rng: np.random.Generator) -> np.ndarray:
    """`count` of the rows of a class, each repeated equally often unless it is a bootstrap."""
    if method == "bootstrap":
        return rng.choice(rows, count)
    copies, rest = divmod(count, len(rows))
    return np.concatenate([np.repeat(rows, copies), rng.choice(rows, rest, replace=False)])
