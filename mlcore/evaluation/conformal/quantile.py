"""The quantile of finitely many scores that a new one exceeds no more often than promised."""

from __future__ import annotations

from math import ceil, inf
from typing import Any

import numpy as np

from mlcore.spine.errors import ParamError
from mlcore.spine.records import function
from mlcore.spine.wording import count

DIGITS = 9  # 0.55 * 100 is 55.00000000000001: products are rounded before they are compared


@function(
    "conformal_quantile",
    title="Conformal quantile",
    synonyms=("split conformal prediction", "inductive conformal prediction"),
)
def conformal_quantile(scores: Any, coverage: float, weights: Any = None) -> float:
    """The ceil((n + 1) coverage)-th smallest of n scores: infinite where n is too small for it.

    A new score that is exchangeable with these, shape (n,), is at most that large with a
    probability of at least `coverage`, and without ties at most coverage + 1 / (n + 1). With
    `weights`, (n,), that sum to K (`shares_of_groups`), the smallest score up to which they reach
    (K + 1) coverage. Raises ParamError unless the coverage lies between 0 and 1.

    Vovk, Gammerman and Shafer (2005), Algorithmic Learning in a Random World.
    """
    scores = np.asarray(scores, dtype=np.float64)
    order = np.argsort(scores, kind="stable")
    if weights is None:
        at = rank(len(scores), coverage)
    else:
        reached = np.asarray(weights, dtype=np.float64)[order].cumsum().round(DIGITS)
        wanted = round((float(reached[-1:].sum()) + 1) * coverage, DIGITS)
        at = int(np.searchsorted(reached, wanted)) + 1
    return inf if at > len(scores) else float(scores[order[at - 1]])


def rank(n: int, coverage: float) -> int:
    """ceil((n + 1) coverage), the place of the quantile among n scores, from 1.

    It is n + 1 where no score is large enough. Raises ParamError unless the coverage lies between
    0 and 1.
    """
    if not 0 < coverage < 1:
        raise ParamError(f"A promised coverage lies between 0 and 1; got {coverage!r}.")
    return ceil(round((n + 1) * coverage, DIGITS))


def shares_of_groups(groups: Any) -> np.ndarray:
    """One over the rows of its group, for each row of groups, (n,) codes: shape (n,).

    Rows of a group are no independent draws, groups are: so weighted, scores of rows promise their
    coverage to a row of a group that is not among these (hierarchical conformal prediction: Lee,
    Barber and Willett 2023, Distribution-free inference with hierarchical data).
    """
    _, at, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    return 1.0 / sizes[at]


def least_rows(coverage: float) -> int:
    """The fewest rows left out from which an interval of this coverage has ends."""
    return ceil(round(coverage / (1 - coverage), DIGITS))


def too_few(n: int, coverage: float, what: str = "An interval", unit: str = "row") -> str | None:
    """Why n rows, or groups, left out say nothing at this coverage, as a sentence, or None."""
    if rank(n, coverage) <= n:
        return None
    return (
        f"{what} of {coverage:.4g} from {count(n, unit)} left out holds everything: it takes at "
        f"least {least_rows(coverage)}. Promise less, or bring more {unit}s."
    )
