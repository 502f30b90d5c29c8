"""Permutation importance: what a score loses when one variable is shuffled among the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlcore.spine.records import function


@function(
    "permutation_importance",
    title="Permutation importance",
    synonyms=("mean decrease in accuracy", "feature importance", "variable importance"),
)
def permutation_importance(
    score: Callable[[np.ndarray], float],
    X: np.ndarray,
    orders: np.ndarray,
    variables: Sequence[Sequence[int]] = (),
) -> np.ndarray:
    """score(X) - score(X with one variable shuffled), shape (variables, shuffles).

    `X` are rows to judge on, shape (m, p), `orders` permutations of them, shape (shuffles, m), the
    same for every variable, or (variables, shuffles, m). `variables` names the columns of each,
    which are shuffled together; each column is one where nothing is said. Breiman (2001), Machine
    Learning 45; Fisher, Rudin and Dominici (2019), Journal of Machine Learning Research 20.
    Variables that stand in for each other both look unimportant: the model finds in one what was
    shuffled in the other.
    """
    groups = [list(columns) for columns in variables] or [[j] for j in range(X.shape[1])]
    each = np.broadcast_to(orders, (len(groups), *orders.shape[-2:]))
    whole, lost = score(X), np.empty(each.shape[:2])
    for g, columns in enumerate(groups):
        shuffled = X.copy()
        for r, order in enumerate(each[g]):
            shuffled[:, columns] = X[np.ix_(order, columns)]
            lost[g, r] = whole - score(shuffled)
    return lost


def orders_within(groups: np.ndarray, shuffles: int, rng: np.random.Generator) -> np.ndarray:
    """Permutations of rows that leave each row in its group, (m,): shape (shuffles, m).

    With them a variable is shuffled among rows that are alike in the others, so no row is asked for
    that could not be, and what is lost is what the variable says beyond them.
    """
    places, orders = np.argsort(groups, kind="stable"), np.empty((shuffles, len(groups)), dtype=int)
    for order in orders:
        order[places] = np.lexsort((rng.random(len(groups)), groups))
    return orders
