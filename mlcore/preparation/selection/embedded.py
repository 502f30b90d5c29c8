"""Embedded selection: a method is fitted once, and the variables that it uses are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.selection.choice import choice_fields, refuse_names
from mlcore.preparation.selection.filters import FilterFit, best_first
from mlcore.preparation.selection.judge import Variables
from mlcore.spine.capabilities import HasCoefficients
from mlcore.spine.capabilities_of_members import HasImportances
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given, Method
from mlcore.spine.params import integer, part, real


def _cost(n: int, p: int, step: EmbeddedSelector) -> tuple[float, float]:
    cost = step.learner.card.cost
    seconds, size = cost(n, p, step.learner) if cost else (1e-3, 0.0)
    return 1e-3 + seconds, size + 24.0 * n * p


@enter(
    Card(
        "embedded_selector",
        "Embedded feature selection",
        ("preparation",),
        stage="select",
        peer="sklearn.feature_selection.SelectFromModel",
        sources=("cs1:vs_lasso", "cs1:vs_lars", "cs1:vs_elastic_net", "cs1:vs_tree_embedded"),
        takes=("columns", "target"),
        cost=_cost,
        formula=r"\{\, v : \|w_v\| > \theta \cdot \tfrac1d \textstyle\sum_u \|w_u\| \,\}",
        synonyms=(
            "SelectFromModel",
            "feature selection",
            "lasso selection",
            "importance-based selection",
        ),
        line="variables to which a fit gives weight",
    )
)
@dataclass(frozen=True, kw_only=True)
class EmbeddedSelector(Method):
    r"""Keeps the variables that a fitted method gives weight to.

    The importance of a variable is the length of the coefficients of its columns, over all classes,
    or the sum of what a tree gains by asking about it. A method for quantities meets a target of
    variance 1; where the target holds classes it is fitted to "is of the class" for each of them.

    Use it with a method that leaves variables out by itself: the lasso, least angle regression,
    logistic regression with absolute values, a tree. Standardise before it, or coefficients compare
    units. One fit, so much cheaper than a wrapper; of variables that say the same the method takes
    one by chance. It looks at the target, so it belongs inside the folds.
    """

    learner: Any = part(
        "elastic_net", slot="learner", label="Method", doc="What is fitted to all variables."
    )
    n_features: int | None = integer(
        None,
        low=1,
        soft=(1, 50),
        or_none="all above the threshold",
        symbol="D",
        label="Number of variables",
        doc="Variables to keep at most, the most important first.",
    )
    threshold: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 3.0),
        symbol=r"\theta",
        doc="Keep variables of more importance than this many times the mean: 0 keeps all that are "
        "used at all.",
    )

    def _fit(self, given: Given) -> FilterFit:
        refuse_names(given.columns, self.title())
        variables = Variables.of(given.columns)
        by_class = [_importances(fit, variables) for fit in self._fits(given)]
        importances = np.linalg.norm(by_class, axis=0)  # (d,) over all classes
        # Equal to the threshold is enough, whatever rounding does.
        chosen = importances > self.threshold * importances.mean() * (1 - 1e-12)
        chosen[best_first(importances)[self.n_features or len(importances) :]] = False
        if not chosen.any():
            raise DataError(
                f"{self.learner.title()} uses no variable of more importance than "
                f"{self.threshold:g} times the mean. Lower the threshold, or its penalty."
            )
        return FilterFit(
            made_by=self,
            relevance=importances,
            measure=f"Importance in {self.learner.title()}",
            **choice_fields(given.columns, variables, chosen),
        )

    def _fits(self, given: Given) -> Iterator[Any]:
        """The method fitted to the target, or to each class if it predicts quantities."""
        more = {"columns": given.columns} if "columns" in self.learner.card.takes else {}
        for y in _targets(given, self.learner):
            yield self.learner.fit(given.X, y, seed=given.seed, **more)


def _targets(given: Given, learner: Any) -> Iterator[np.ndarray]:
    if learner.card.task == "classification":
        if given.classes is None:
            raise DataError(
                f"The target holds a quantity, which {learner.title()} does not predict. Choose a "
                "regression method for the selection."
            )
        yield given.target
    elif given.classes is None:
        yield _scaled(given.target)
    else:
        several = len(given.classes) > 2  # with two, one is what the other is not
        for code in range(len(given.classes)) if several else (1,):
            yield _scaled((given.target == code).astype(float))


def _scaled(y: np.ndarray) -> np.ndarray:
    return (y - y.mean()) / (y.std() or 1.0)


def _importances(fit: Any, variables: Variables) -> np.ndarray:
    """The length of the coefficients of each block, or the sum of its importances, shape (d,)."""
    if isinstance(fit, HasCoefficients):
        W = np.atleast_2d(fit.coefficients)
        return np.array([float(np.linalg.norm(W[:, at])) for at in variables.blocks])
    if isinstance(fit, HasImportances):
        return np.array([float(fit.importances[at].sum()) for at in variables.blocks])
    raise DataError(
        f"{fit.made_by.title()} has neither coefficients nor importances to choose variables by. "
        "Choose a linear method or a tree."
    )
