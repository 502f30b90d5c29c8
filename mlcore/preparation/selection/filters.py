"""Filters: variables chosen one at a time, by their relevance to the target or their variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.selection.choice import ChoiceFit, choice_fields, refuse_names
from mlcore.preparation.selection.gaps import judged
from mlcore.preparation.selection.judge import TIE, Variables
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given, Method
from mlcore.spine.params import integer, part, real


@dataclass(frozen=True, eq=False, kw_only=True)
class FilterFit(ChoiceFit):
    """The chosen variables, and the number by which each was judged."""

    relevance: np.ndarray  # (d,)
    measure: str  # what the number is called
    chance: float = float("nan")  # 95 % quantile for a variable independent of the target


@enter(
    Card(
        "univariate_filter",
        "Univariate feature selection",
        ("preparation",),
        stage="select",
        peer="sklearn.feature_selection.SelectKBest",
        sources=("cs1:vs_filter_corr", "cs1:vs_filter_mi", "s841:fisher_score", "s841:hsic"),
        takes=("columns", "missing", "target"),
        cost=lambda n, p, self: (1e-4 + self.relevance.seconds(n, p), 24.0 * n * p),
        formula=r"\{\, j : R(x_j, y) \text{ among the largest} \,\}",
        synonyms=(
            "feature selection",
            "filter method",
            "SelectKBest",
            "mutual information",
            "F-test",
            "ANOVA F-value",
        ),
        line="what says most of the target by itself",
    )
)
@dataclass(frozen=True, kw_only=True)
class UnivariateFilter(Method):
    """Keeps the variables that say most of the target, each by itself.

    Every variable gets a number for its relation to the target; the variables with the largest are
    kept, ties in the order of the table. Columns of one-hot encoding stay or go together.

    The quickest way out of very many variables. Blind to what helps only together, and keeps all
    copies of a good variable. It looks at the target, so it belongs inside the folds. Missing
    values stay: a variable is judged on the rows that have its value, where its relevance has no
    rule of its own for them. O(n d).
    """

    relevance: Any = part("correlation", slot="relevance", doc="How a variable is judged.")
    n_features: int = integer(
        10,
        low=1,
        soft=(1, 50),
        symbol="D",
        label="Number of variables",
        doc="Variables to keep at most.",
    )
    threshold: float | None = real(
        None,
        low=0.0,
        soft=(0.0, 1.0),
        or_none="no limit",
        label="Minimum relevance",
        doc="Keep only variables above this, in the units of the relevance; the best always stays.",
    )

    def _fit(self, given: Given) -> FilterFit:
        refuse_names(given.columns, self.title())
        variables = Variables.of(given.columns)
        relevance, chance = judged(self.relevance, given, variables)
        order = best_first(relevance)
        chosen = np.zeros(len(relevance), dtype=bool)
        chosen[order[: self.n_features]] = True
        if self.threshold is not None:
            chosen &= relevance > self.threshold
            chosen[order[0]] = True
        return FilterFit(
            made_by=self,
            relevance=relevance,
            measure=self.relevance.title(),
            chance=chance,
            **choice_fields(given.columns, variables, chosen),
        )


@enter(
    Card(
        "variance_threshold",
        "Variance threshold",
        ("preparation",),
        peer="sklearn.feature_selection.VarianceThreshold",
        sources=("cs1:vs_constant",),
        takes=("columns",),
        cost=lambda n, p, self: (1e-4 + 1e-8 * n * p, 16.0 * n * p),
        formula=r"\{\, j : \operatorname{var}(x_j) > \theta \,\}",
        synonyms=("VarianceThreshold", "constant columns", "low variance filter"),
        line="leaves out what hardly varies",
    )
)
@dataclass(frozen=True, kw_only=True)
class VarianceThreshold(Method):
    """Leaves out variables that do not vary over the training rows, or hardly.

    Keeps those with a column whose variance (divisor n) is above the threshold. Does not look at
    the target. A threshold above 0 compares units: standardised columns all have variance 1, so it
    must stand before scaling, where a column in metres varies a million times less than in
    millimetres. O(n d).
    """

    threshold: float = real(
        0.0, low=0.0, soft=(0.0, 1.0), doc="Variance that a variable must exceed, in squared units."
    )

    def _fit(self, given: Given) -> FilterFit:
        refuse_names(given.columns, self.title())
        variables = Variables.of(given.columns)
        # Rounding leaves a variance of equal values, which is none.
        column_variances = given.X.var(axis=0) * (np.ptp(given.X, axis=0) > 0)
        variances = np.array([column_variances[at].max() for at in variables.blocks])
        chosen = variances > self.threshold
        if not chosen.any():
            raise DataError(
                f"No variable has a variance above {self.threshold:g}; the largest is "
                f"{variances.max():.3g}. Lower the threshold, or leave this step out."
            )
        return FilterFit(
            made_by=self,
            relevance=variances,
            measure="Variance",
            **choice_fields(given.columns, variables, chosen),
        )


def best_first(values: np.ndarray) -> np.ndarray:
    """The variables by falling value, ties in the order of the table, shape (d,)."""
    finite = values[np.isfinite(values)]
    step = TIE * max(finite.max(initial=0.0), 1e-300)
    # Ties that only rounding parts must not depend on the machine.
    return np.argsort(-np.round(values / step) * step, kind="stable")
