"""Some of many rows, for measures whose time grows with the square of their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.evaluation.scoring import Case, finite
from mlcore.spine import random
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasEmbedding

MOST_ROWS = 2000
OF_MANY = f"Of more than {MOST_ROWS:,} rows as many are drawn by chance."


def sampled_rows(n: int, seed: int, purpose: str) -> Any:
    """At most MOST_ROWS of n rows, drawn without replacement, in order: what indexes them."""
    if n <= MOST_ROWS:
        return slice(None)
    return np.sort(random.generator(seed, purpose).choice(n, MOST_ROWS, replace=False))


def sampled_map(case: Case, purpose: str) -> tuple[np.ndarray, np.ndarray]:
    """Training rows, shape (m, p), and their places in the map of a fit, shape (m, q); m <= n.

    Places are those that the fit has, else those that it gives the rows. Raises DataError for
    places that are not finite.
    """
    fit: Any = case.fit
    some = sampled_rows(len(case.train.X), case.seed, purpose)
    X = case.train.X[some]
    return X, finite(fit.embedding[some] if can(fit, HasEmbedding) else fit.transform(X))
