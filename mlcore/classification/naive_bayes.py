"""Naive Bayes: the columns as independent within each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.classification.marginals import Distributions, Marginal, Moments, moments
from mlcore.classification.priors import ClassPrior, refuse_empty
from mlcore.maths.arrays import vanishing
from mlcore.maths.class_scores import softmax
from mlcore.spine import checks
from mlcore.spine.batches import BatchMethod
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit, freeze
from mlcore.spine.method import Given
from mlcore.spine.params import part, real
from mlcore.spine.records import function


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How often each level of a column of names occurs in each class."""

    column: int  # position in X
    counts: np.ndarray  # (K, L) weight
    logs: np.ndarray  # (L + 1, K) log frequencies; 0 where training rows had no such level

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        freeze(self)

    @property
    def shares(self) -> np.ndarray:
        """Frequency of each level in each class, (K, L); NaN where training rows had no such."""
        seen = self.counts.sum(axis=0) > 0
        return np.where(seen, np.exp(self.logs[:-1].T), np.nan)

    def of(self, x: np.ndarray) -> np.ndarray:
        """Log frequency in each class of the levels of some rows, shape (m, K)."""
        last = len(self.logs) - 1
        at = np.where(np.isnan(x) | (x < 0) | (x >= last), last, x).astype(np.int64)
        return self.logs[at]


@dataclass(frozen=True, eq=False, kw_only=True)
class NaiveBayesFit(Fit):
    """The distributions of the columns within each class."""

    made_by: NaiveBayes
    classes: np.ndarray  # (K,) sorted labels
    prior: np.ndarray  # (K,) probabilities of the classes before a row is seen
    numeric: np.ndarray  # (q,) positions of the columns of numbers
    distributions: Distributions
    frequencies: tuple[Frequencies, ...]  # of each column of names

    def holds_together(self) -> bool:
        """Whether there is a distribution of each numeric column in each class."""
        shape = (len(self.classes), len(self.numeric))
        arrays = (self.distributions.means, self.distributions.variances)
        exist = ((self.numeric >= 0) & (self.numeric < self.n_columns)).all()
        return bool(exist) and all(array.shape == shape for array in arrays)

    @property
    def centers(self) -> np.ndarray:
        """Mean of each column of numbers in each class, shape (K, q)."""
        return self.distributions.means

    @property
    def widths(self) -> np.ndarray:
        """Standard deviation of each column of numbers in each class, shape (K, q)."""
        return np.sqrt(self.distributions.variances)

    def factors(self, X: Any) -> np.ndarray:
        """Log of the prior and of each factor, shape (m, p + 1, K); a missing value gives 0."""
        X = self._rows(X)
        out = np.zeros((len(X), self.n_columns + 1, len(self.classes)))
        out[:, 0] = np.log(self.prior)
        for at, j in enumerate(self.numeric):
            out[:, 1 + j] = self.distributions.of(at).logs(X[:, [j]])
        for each in self.frequencies:
            out[:, 1 + each.column] = each.of(X[:, each.column])
        return out

    def log_marginals(self, j: int, x: Any) -> np.ndarray:
        """Log of prior times the factor of column j at values or codes x, shape (m, K)."""
        x = np.asarray(x, dtype=np.float64)
        named = {each.column: each for each in self.frequencies}
        if j in named:
            return np.log(self.prior) + named[j].of(x)
        at = int(np.flatnonzero(self.numeric == j)[0])
        return np.log(self.prior) + self.distributions.of(at).logs(x[:, None])

    def decision(self, X: Any) -> np.ndarray:
        """Log-odds of the second class, shape (m,), or the log of prior times factors, (m, K)."""
        Z = self._joint(self._rows(X))
        if len(self.classes) > 2:
            return Z
        with np.errstate(invalid="ignore"):  # impossible under both: undefined
            return Z[:, 1] - Z[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, shape (m,), the first on ties; of a row that no class allows
        the class that is commonest beforehand."""
        Z = self._joint(self._rows(X))
        best = Z.argmax(axis=1)
        best[np.isneginf(Z.max(axis=1))] = self.prior.argmax()
        return self.classes[best]

    def probabilities(self, X: Any) -> np.ndarray:
        """Posterior probabilities, shape (m, K); NaN for a row that no class allows."""
        Z = self._joint(self._rows(X))
        with np.errstate(invalid="ignore"):
            return softmax(Z)

    def _joint(self, X: np.ndarray) -> np.ndarray:
        numbers = X if len(self.numeric) == self.n_columns else X[:, self.numeric]
        Z = self.distributions.logs(numbers) + np.log(self.prior)
        for each in self.frequencies:
            Z += each.of(X[:, each.column])
        return Z


@dataclass(frozen=True, eq=False)
class Seen:
    """Counts and moments of the rows seen so far."""

    weights: np.ndarray  # (K,) of the classes
    numeric: np.ndarray  # (q,) positions of the columns of numbers
    numbers: Moments
    levels: dict[int, np.ndarray]  # (K, L) of each column of names, by its position


def _cost(n: int, p: int, method: NaiveBayes) -> tuple[float, float]:
    return 5e-4 + 5e-9 * n * p, 16.0 * n * p


@enter(
    Card(
        "naive_bayes",
        "Naive Bayes",
        ("classification",),
        paper="Maron (1961), Journal of the ACM 8(3)",
        task="classification",
        peer="sklearn.naive_bayes.GaussianNB",
        sources=(
            "s841:naive_bayes_discrete", "s841:naive_bayes_gaussian", "s841:naive_bayes_mixed",
        ),
        takes=("weights", "columns", "missing"),
        cost=_cost,
        formula=r"P(c \mid x) \propto \pi_c \prod_j p_j(x_j \mid c)",
        synonyms=("GaussianNB", "Bayes classifier", "CategoricalNB", "generative classifier"),
        line="columns independent within a class",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class NaiveBayes(BatchMethod):
    r"""Multiplies the densities of the columns, as if they were independent within each class.

    $P(c \mid x) \propto \pi_c \prod_j p_j(x_j \mid c)$, with a distribution of each column in each
    class: for numbers a Gaussian, for names the frequencies, $\alpha$ added to each count. A
    missing value and a level that no training row had leave their factor out.

    It learns by batches too: what is kept of the rows is their weights, means and squares.

    Use it for many columns and few rows, for names beside numbers, and as a first line: O(n p),
    with every factor in sight. It counts what two columns say alike twice, so its probabilities are
    too sure; it fails where classes differ only in how columns go together.
    """

    numeric: Marginal = part(
        "gaussian",
        slot="marginal",
        label="Distribution of numbers",
        doc="The distribution of a column of numbers within a class.",
        advanced=True,
    )
    smoothing: float = real(
        1.0,
        low=0.0,
        soft=(0.0, 10.0),
        symbol="α",
        label="Laplace smoothing",
        doc="Added to the count of each level of a column of names; 0 lets what was never seen "
        "rule a class out.",
    )
    prior: ClassPrior = part("empirical", slot="class_prior", doc="How common each class is.")
    variance_floor: float = real(
        1e-9,
        low=0.0,
        high=1.0,
        soft=(1e-12, 0.1),
        log=True,
        label="Minimum variance",
        doc="Added to all variances, as a share of the largest variance of a column.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        missing = self.beyond_peer(numeric="gaussian", prior="empirical")
        return missing or {"var_smoothing": self.variance_floor}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse values whose squares vanish."""
        return vanishing(np.nan_to_num(X) if np.isnan(X).any() else X, self.title())

    def _begun(self, columns: tuple[Column, ...], n_classes: int) -> Seen:
        named = [j for j, column in enumerate(columns) if _holds_names(column)]
        numeric = np.array([j for j in range(len(columns)) if j not in named], dtype=np.int64)
        none = np.zeros((n_classes, len(numeric)))
        levels = {j: np.zeros((n_classes, len(columns[j].levels))) for j in named}
        return Seen(np.zeros(n_classes), numeric, Moments(none, none, none), levels)

    def _learned(self, state: Seen, given: Given) -> Seen:
        K = len(given.labels)
        weights = np.bincount(given.target, weights=given.w, minlength=K)
        X = given.X if not state.levels else given.X[:, state.numeric]
        counts = {j: seen + self._counts(given, j, K) for j, seen in state.levels.items()}
        return Seen(
            state.weights + weights,
            state.numeric,
            state.numbers.plus(moments(X, given.target, given.w, K)),
            counts,
        )

    def _settled(
        self, columns: tuple[Column, ...], classes: np.ndarray | None, state: Seen
    ) -> NaiveBayesFit:
        assert classes is not None  # it predicts classes
        refuse_empty(state.weights, classes, self.title())
        return NaiveBayesFit(
            made_by=self,
            columns=columns,
            classes=classes,
            prior=self.prior.shares(state.weights),
            numeric=state.numeric,
            distributions=self.numeric.distributions(state.numbers, self.variance_floor),
            frequencies=tuple(self._frequencies(j, counts) for j, counts in state.levels.items()),
        )

    def _counts(self, given: Given, j: int, K: int) -> np.ndarray:
        """Weight of each level of a column of names in each class, shape (K, L)."""
        x, column = given.X[:, j], given.columns[j]
        L = len(column.levels)
        here = ~np.isnan(x)
        codes = np.where(here, x, 0.0)
        if ((codes != np.round(codes)) | (codes < 0) | (codes >= L)).any():
            raise DataError(
                f"{self.title()} needs codes of the {L} levels in column {column.name}; some "
                "values are none. Give the codes with which it was read."
            )
        at = given.target[here] * L + codes[here].astype(np.int64)
        return np.bincount(at, weights=given.w[here], minlength=K * L).reshape(K, L)

    def _frequencies(self, j: int, counts: np.ndarray) -> Frequencies:
        total = counts.sum(axis=1, keepdims=True) + self.smoothing * counts.shape[1]
        with np.errstate(divide="ignore"):  # without smoothing what was never seen has -infinity
            logs = np.log((counts + self.smoothing) / np.where(total > 0, total, 1.0))
        logs[:, counts.sum(axis=0) == 0] = 0.0
        return Frequencies(j, counts, np.vstack([logs.T, np.zeros((1, len(counts)))]))


def _holds_names(column: Column) -> bool:
    """Whether the values are codes of names without an order."""
    return bool(column.levels) and column.kind != "ordinal"


@function("contributions", title="Log-odds contributions", sources=("s841:naive_bayes_gam",))
def contributions(fit: NaiveBayesFit, x: Any, code: int = 1) -> np.ndarray:
    """Log-odds of class `code` against the first, in parts: prior and columns, shape (p + 1,).

    `x` is one row, shape (p,); the parts sum to the log-odds.
    """
    row = checks.matrix(np.reshape(x, (1, -1)), "Log-odds contributions", missing=True)
    logs = fit.factors(row)[0]
    return logs[:, code] - logs[:, 0]
